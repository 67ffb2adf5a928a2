"""Native calls on threads that can be stopped.

A call owns what its threads write to: its arrays live until the last thread has left,
whatever becomes of the caller. Native code counts an allowance down, and leaves when it
is spent (see `llvm/allowance.py`); who wants the threads out of a call spends it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any, final

import numpy as np

UNLIMITED = 2**62  # an allowance that no native code ever spends
# Of one call in the main thread, where Ctrl-C cannot be heard: some 20 ms.
SHORT = 40_000_000
WORTH_LISTENING = 0.005  # seconds of a call that is made beside the main thread
LISTEN = 0.03  # seconds between two looks for signals of who waits for threads
POLL = 0.002  # seconds between two looks at threads that were told to leave
NOWHERE = np.empty(128, np.uint8)  # the scratch memory of code that needs none

Pieces = Iterable[tuple[int, int]]


def address(array: np.ndarray) -> int:
    """Where an array begins in memory; the buffer's way there is the quicker by far."""
    if array.flags.writeable and array.size:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    return array.__array_interface__["data"][0]


SOMEWHERE = address(NOWHERE) + -address(NOWHERE) % 64


class Frame:
    """What native code is called with: code, its scratch bytes, arrays, allowance.

    The pointers of the outputs are followed by the allowance.
    """

    __slots__ = ("arrays", "code", "ins", "outputs", "outs", "scratch")

    def __init__(
        self,
        variant: tuple[Any, int],
        pointers: tuple[Any, Any],
        arrays: list[np.ndarray],
        outputs: list[np.ndarray],
    ):
        self.code, self.scratch = variant
        # Held here too: a thread may outlast the caller.
        self.arrays, self.outputs = arrays, outputs
        self.ins = pointers[0](*map(address, arrays))
        self.outs = pointers[1](*map(address, outputs))

    def run(self, first: int, last: int, allowance: int) -> int:
        """Systems from one to before another; the first of those that were not run."""
        self.outs[-1] = allowance
        if not self.scratch:
            return self.code.run(self.ins, self.outs, SOMEWHERE, first, last)
        return self.resume(first, last)

    def resume(self, first: int, last: int) -> int:
        """The same with the allowance that is left."""
        _memory, start = self.scratch_memory()
        return self.code.run(self.ins, self.outs, start, first, last)

    def scratch_memory(self) -> tuple[np.ndarray, int]:
        """Memory that the code may write to, and where in it code begins to."""
        memory = np.empty(self.scratch + 64, np.uint8) if self.scratch else NOWHERE
        start = address(memory)
        return memory, start + -start % 64


@final
class Call:
    """One call of native code on threads; `wait` for it, or `leave` it."""

    def __init__(self, frame: Frame, pieces: Pieces):
        self._frame, self._pieces = frame, list(pieces)
        self._next, self._left = iter(self._pieces), len(self._pieces)
        self._lock, self._done = threading.Lock(), threading.Lock()
        self._done.acquire()
        self._active, self._is_stopped = 0, False
        self._error: BaseException | None = None
        frame.outs[-1] = UNLIMITED

    def wait(self) -> None:
        """Return when all pieces are done; raises what a thread has raised."""
        # A signal that comes just before the wait does not end it: look again.
        while not self._done.acquire(timeout=LISTEN):
            pass
        if self._error is not None:
            raise self._error

    def work(self) -> None:
        """Pieces, one after another, until there are no more or the call is left."""
        with self._lock:
            if self._is_stopped:
                return
            self._active += 1
        try:
            for first, last in self._next:
                while first < last and not self._is_stopped:
                    first = self._frame.resume(first, last)
                if self._is_stopped:
                    break
                self._count_piece()
        except BaseException as error:
            self._error = error
            self._is_stopped = True
            self._frame.outs[-1] = 0
            if self._done.locked():
                self._done.release()
        finally:
            with self._lock:
                self._active -= 1

    def _count_piece(self) -> None:
        with self._lock:
            self._left -= 1
            if not self._left:
                self._done.release()

    def leave(self) -> None:
        """Have all threads leave, and return when they have, Ctrl-C or not."""
        pressed: KeyboardInterrupt | None = None
        while True:
            try:
                with self._lock:  # who has not begun will not begin
                    self._is_stopped = True
                while self._active:
                    # Again and again: a thread that just counts down writes over it.
                    self._frame.outs[-1] = 0
                    time.sleep(POLL)
                break
            except KeyboardInterrupt as again:
                pressed = again
        if pressed is not None:
            raise pressed


@final
class Pool:
    """Threads that serve calls; as many as were ever wanted at once."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._busy = 0

    def run(self, frame: Frame, pieces: Pieces, threads: int) -> None:
        """All pieces of a call on so many threads; none is at it any more thereafter.

        Raises where Ctrl-C is pressed meanwhile, or a thread fails.
        """
        call = Call(frame, pieces)
        CALLS.add(call)
        try:
            if not self._ready(threads):
                call.work()  # no thread can be had: at least this one is here
            for _ in range(threads):
                self._jobs.put(call.work)
            call.wait()
        except BaseException:
            call.leave()
            raise
        finally:
            CALLS.discard(call)

    def _ready(self, more: int) -> bool:
        """Whether there are threads, of which so many more are wanted now."""
        wanted = self._jobs.qsize() + self._busy + more
        try:
            while self._threads < wanted:
                self._start()
        except RuntimeError:  # the system gives no more
            return self._threads > 0
        return True

    def _start(self) -> None:
        with self._lock:
            self._threads += 1
            name = f"polhode-{self._threads}"
        # Daemons: at exit calls are left first, and idle threads just end.
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        try:
            thread.start()
        except BaseException:
            if thread.ident is None:  # else it runs, whatever came meanwhile
                with self._lock:
                    self._threads -= 1
            raise

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            with self._lock:
                self._busy += 1
            try:
                job()
            finally:
                del job  # and with it the arrays of the call
                with self._lock:
                    self._busy -= 1


CALLS: set[Call] = set()  # those under way
_pool, _main = Pool(), threading.main_thread().ident


def pool() -> Pool:
    """The threads of this process."""
    return _pool


def is_main_thread() -> bool:
    """Whether Ctrl-C is raised in this thread."""
    return threading.get_ident() == _main


def _forked() -> None:
    """A forked process has none of these threads, and waits for no call of them."""
    global _pool, _main
    _pool, _main = Pool(), threading.get_ident()
    CALLS.clear()


def _leave_all() -> None:
    """Before memory goes: no thread is in native code that was called on threads."""
    for call in list(CALLS):
        call.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
atexit.register(_leave_all)
