"""Rows of a table, each made by a process of its own, within the time that is given.

What one row breaks is then broken for itself alone, and a row that does not end can be
ended. Rows whose time counts are made one by one; of the others several at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

PAUSE = 0.05  # seconds between two looks
SAID = 12  # lines of a process that failed
Facts = dict[str, Any]


class Stage(NamedTuple):
    """Rows that are made together: at most so many at once, until a moment."""

    names: Sequence[str]
    at_once: int
    until: float


@dataclass
class Row:
    """A row under way."""

    process: subprocess.Popen[bytes]
    folder: tempfile.TemporaryDirectory[str]
    begun: float

    def found(self) -> Facts | str:
        """What the process has left, or how it ended; what it said if it failed."""
        left, said = (Path(self.folder.name, name) for name in ("row.json", "said"))
        last = said.read_text(errors="replace").strip().splitlines()[-SAID:]
        code = self.process.returncode
        facts: Facts | str = f"FAILED: exit code {code}: {' '.join(last[-1:])}"
        if left.exists():
            facts = json.loads(left.read_text())
        if "FAILED" in json.dumps(facts):
            print("\n".join(f"    | {line}" for line in last), flush=True)
        self.folder.cleanup()
        return facts

    def end(self) -> str:
        """Stop it; how long it had run."""
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
        seconds = time.perf_counter() - self.begun
        return f"ended after {seconds:.0f} s: the time for it was over"


def begin(command: Sequence[str], name: str, threads: int) -> Row:
    """A process that makes one row; `threads` of native code, 0 for all cores."""
    folder = tempfile.TemporaryDirectory(prefix="polhode-row-")
    words = [*command, "--row", name, "--into", str(Path(folder.name, "row.json"))]
    around = {"POLHODE_THREADS": str(threads)} if threads else {}
    with Path(folder.name, "said").open("wb") as said:
        process = subprocess.Popen(
            words, stdout=said, stderr=said, env={**os.environ, **around}
        )
    return Row(process, folder, time.perf_counter())


def rows_of(
    stage: Stage, command: Sequence[str], threads: int
) -> Iterator[tuple[str, Facts | str]]:
    """Rows of a stage as they are done; none for those that had not begun in time."""
    waiting, running = deque(stage.names), dict[str, Row]()
    try:
        while waiting or running:
            late = time.perf_counter() > stage.until
            if late and not running:
                return
            while waiting and len(running) < stage.at_once and not late:
                name = waiting.popleft()
                running[name] = begin(command, name, threads)
            for name, row in list(running.items()):
                if row.process.poll() is not None:
                    yield name, running.pop(name).found()
                elif late:
                    yield name, running.pop(name).end()
            time.sleep(PAUSE)
    finally:
        for row in running.values():
            row.end()
