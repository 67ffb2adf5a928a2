"""A process in which a try may hang, crash or take too much memory."""

from __future__ import annotations

import atexit
import importlib
import multiprocessing as mp
import os
import resource
import time
import warnings
from pathlib import Path
from typing import Any

from polhode.errors import PolhodeError

# Bytes of address space that a try may take beyond what its process has.
MEMORY = 1_500_000_000
# A try may take its seconds of processor time, and on a busy machine so many times
# longer; one that waits for nothing takes no processor time.
PATIENCE = 15


class Worker:
    """Calls functions of a module by name; one that hangs or dies is made anew.

    `call` gives ("ok", answer), ("refused", words of our error), ("raised", any other
    error), ("hung", seconds) or ("died", exit code). The seconds are of processor time.
    """

    def __init__(self, module: str, *, seconds: float = 20.0):
        self._module, self._seconds = module, seconds
        self._process: Any = None
        atexit.register(self.end)

    def call(self, name: str, *facts: Any) -> tuple[str, str]:
        """One try."""
        if self._process is None:
            self._begin()
        self._pipe.send((name, facts))
        if not self._answers():
            self.end()
            return "hung", f"{self._seconds:g} s"
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            code = self._process.exitcode
            self.end()
            return "died", str(code)

    def _answers(self) -> bool:
        """Whether an answer comes in time."""
        begun, since = self._processor_time(), time.monotonic()
        while not self._pipe.poll(0.25):
            is_late = time.monotonic() - since > PATIENCE * self._seconds
            if is_late or self._processor_time() - begun > self._seconds:
                return False
        return True

    def _processor_time(self) -> float:
        """Of the process (s); 0 of one that has ended."""
        try:
            facts = Path(f"/proc/{self._process.pid}/stat").read_text()
        except FileNotFoundError:
            return 0.0
        # After the name, which may hold blanks: user and system time are 12 and 13.
        user, system = facts.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _begin(self) -> None:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(self._module, theirs), daemon=True
        )
        self._process.start()
        theirs.close()
        self._pipe.recv()  # it is ready: its imports are not the try's time


def _serve(module: str, pipe: Any) -> None:
    own = importlib.import_module(module)
    if hasattr(own, "warm"):
        own.warm()
    warnings.simplefilter("ignore")
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    pipe.send("ready")
    while True:
        name, facts = pipe.recv()
        try:
            pipe.send(("ok", getattr(own, name)(*facts)))
        except PolhodeError as error:
            pipe.send(("refused", str(error)))
        except BaseException as error:
            pipe.send(("raised", f"{type(error).__name__}: {error}"[:400]))
