"""Ctrl-C at random instants, in a process of its own: what it leaves must be sound.

    python pressed_run.py KIND[,KIND...] FIRST_SEED TRIES

prints a line a try: its kind, its seed, the seconds from Ctrl-C to the end of the call,
and what went wrong, if anything did. A kind is what goes on when Ctrl-C is pressed.
"""

from __future__ import annotations

import gc
import math
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jax import lax

import polhode as ph
from filed import bouncing, digests, same, thrown
from moving import double_pendulum, point_pendulum

# Seconds in which a call ends on a machine with a hundred times as much to do; 0.1 on
# an idle one. A call that is not left lasts for days.
SOON = 60.0
Trial = Callable[[random.Random], "tuple[float, str]"]

AGAIN = 6.0  # seconds after which Ctrl-C is pressed once more


class Press:
    """Ctrl-C after a delay, from another thread, to the whole process."""

    def __init__(self, delay: float):
        self.at = float("nan")
        self._delay, self._cancelled = delay, threading.Event()
        self._thread = threading.Thread(target=self._wait)

    def _wait(self) -> None:
        # Python drops what is raised while an object is finalised, Ctrl-C too: whoever
        # sits at the keyboard presses again.
        delay = self._delay
        while not self._cancelled.wait(delay):
            if math.isnan(self.at):  # how late is counted from the first
                self.at = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)
            delay = AGAIN

    def __enter__(self) -> Press:
        self._thread.start()
        return self

    def __exit__(self, *facts: object) -> None:
        self.end()

    def end(self) -> None:
        """Press no more; the next Ctrl-C is seconds away, and does not stop this."""
        self._cancelled.set()
        self._thread.join()


def pressed(delay: float, job: Callable[[], object]) -> tuple[object, float]:
    """What a job gives, or None where Ctrl-C was raised; how late after Ctrl-C."""
    found, end, press = None, float("nan"), Press(delay)
    try:
        with press:
            try:
                found = job()
            finally:
                end = time.perf_counter()
    except KeyboardInterrupt:  # raised by the job, or just after it
        pass
    press.end()  # where Ctrl-C came on the way out, the other thread is still there
    return found, (end - press.at if end > press.at else 0.0)


def canaries() -> Callable[[], str]:
    """Memory that nobody but us has a right to: what was changed in it after a while.

    Freed arrays are given out again: whoever still writes to one writes here.
    """
    arrays = [np.zeros(size) for size in (200_000, 20_000, 2_000, 200) for _ in "12345"]

    def changed() -> str:
        time.sleep(0.05)
        count = sum(int(np.count_nonzero(array)) for array in arrays)
        return f"{count} numbers of new arrays were changed" if count else ""

    return changed


def settled(late: float, changed: Callable[[], str], again: bool) -> tuple[float, str]:
    """The verdict of a try."""
    busy = [call for call in _calls() if call]
    fault = changed() or ("" if again else "the next call gave something else")
    fault = fault or ("a thread is still at work" if busy else "")
    return late, fault or (f"it took {late:.2f} s to leave" if late > SOON else "")


def _calls() -> list:
    from polhode.lowering.backends import threads

    return list(threads.CALLS)


# --------------------------------------------------------------------- programs


def _turned(x, count):
    def turn(carry):
        return jnp.sin(carry[0]) * 1.1 + 0.1, carry[1] + 1

    return lax.while_loop(lambda carry: carry[1] < count, turn, (x, 0))[0]


def _program(batched, count, **choices) -> Trial:
    many = np.linspace(0, 1, 4000 * 5).reshape(4000, 5)
    few = np.int64(20)
    program = ph.compile(_turned, many[0], few, batched=batched, **choices)
    given = many if batched else many[0]
    want = program(given, few)

    def trial(rng: random.Random) -> tuple[float, str]:
        delay = rng.uniform(0.0, 0.15)
        _, late = pressed(delay, lambda: program(given, np.int64(count)))
        changed = canaries()
        return settled(late, changed, np.array_equal(program(given, few), want))

    return trial


def batch() -> Trial:
    """A batch over threads."""
    return _program(["x"], 100_000, threads=3)


def one_thread() -> Trial:
    """A batch for which one thread is allowed."""
    return _program(["x"], 100_000, threads=1)


def endless() -> Trial:
    """A loop of one system that would take years, after a call that was short."""
    return _program(False, 10**15)


def compilation() -> Trial:
    """A program that is being made, without a cache."""
    folder = tempfile.TemporaryDirectory()
    os.environ["POLHODE_CACHE"] = folder.name
    state = np.linspace(0, 1, 5)

    def trial(rng: random.Random) -> tuple[float, str]:
        keep, factor = folder, rng.uniform(1.0, 2.0)

        def function(x):
            for _ in range(6):
                x = jnp.sin(x * factor) + jnp.cos(x[::-1])
            return x

        delay = rng.uniform(0.0, 0.5)
        _, late = pressed(delay, lambda: ph.compile(function, state, batched=True))
        program, left = ph.compile(function, state, batched=True), canaries()
        want = np.stack([program(state)] * 9)
        found = program(np.stack([state] * 9))
        litter = [n for n in os.listdir(keep.name) if n.startswith(".new-")]
        if litter:
            return late, f"{litter} was left in the cache"
        # LLVM itself is not interrupted: the call ends when it is done.
        return min(late, SOON), settled(0.0, left, np.array_equal(found, want))[1]

    return trial


# ------------------------------------------------------------------------ motions


def sweep() -> Trial:
    """A sweep: what is done is given, and the next one is right."""
    system = point_pendulum()
    angles = np.linspace(0.1, 3.0, 400)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    want = ph.sweep(system, states, until=1.0).final_q

    def trial(rng: random.Random) -> tuple[float, str]:
        delay = rng.uniform(0.0, 0.25)
        found, late = pressed(delay, lambda: ph.sweep(system, states, until=300.0))
        changed = canaries()
        late, fault = settled(
            late,
            changed,
            np.array_equal(ph.sweep(system, states, until=1.0).final_q, want),
        )
        if not fault and found is not None:
            ended = found.status == 1
            if not np.array_equal(found.t[:, -1] == 300.0, ended):
                fault = "a run's status is not that of its time"
        return late, fault

    return trial


def ledger() -> Trial:
    """The ledger of a long motion."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    motion = ph.simulate(start.system, start, until=3000.0)
    short = ph.simulate(start.system, start, until=10.0)
    want = short.ledger().energy

    def trial(rng: random.Random) -> tuple[float, str]:
        _, late = pressed(rng.uniform(0.0, 0.2), motion.ledger)
        changed = canaries()
        return settled(late, changed, np.array_equal(short.ledger().energy, want))

    motion.ledger()
    return trial


def _resumed(whole: ph.results.Trajectory, path: Path, **guide) -> str:
    """What is wrong with the rest of a run that a file has the beginning of."""
    gc.collect()
    rest = ph.resume(path, whole.system, **guide)
    if not rest.outcome.is_complete:
        return f"resumed, it ends: {rest.outcome}"
    found = ph.load_motion(path).of(whole.system, **_inputs(guide))
    if np.any(np.diff(found.t) < 0):
        return "time runs backwards"
    if len(found) != len(whole):
        return f"{len(found)} rows in place of {len(whole)}"
    return "" if digests(found) == digests(whole) else "other bytes than in one go"


def _inputs(guide: dict) -> dict:
    return {"inputs": guide["inputs"]} if "inputs" in guide else {}


def _simulated(to_file: bool, state: ph.State, until: float, **guide) -> Trial:
    whole = ph.simulate(state.system, state, until=until, **guide)
    began = time.perf_counter()
    ph.simulate(state.system, state, until=until, **guide)
    span = time.perf_counter() - began

    def trial(rng: random.Random) -> tuple[float, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motion.nc"
            to = {"to": path} if to_file else {}
            found, late = pressed(
                rng.uniform(0.0, 1.1 * span),
                lambda: ph.simulate(state.system, state, until=until, **guide, **to),
            )
            changed = canaries()
            late, fault = settled(late, changed, True)
            if found is not None and not to_file:
                if found.outcome.is_complete:
                    return late, fault or ("" if same(found, whole) else "other bytes")
                found.save(path)
            if path.exists():
                fault = fault or _resumed(whole, path, **guide)
            return late, fault

    return trial


def chunk() -> Trial:
    """A run in memory, saved and gone on with."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    return _simulated(False, start, 300.0)


def append() -> Trial:
    """A run to a file, gone on with."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    return _simulated(True, start, 300.0)


def events() -> Trial:
    """A run with events and a controller, to a file, gone on with."""
    system, guide = bouncing()
    return _simulated(True, thrown(system), 1.0, **guide)


def save() -> Trial:
    """A motion that is being saved over another: the file is one of the two."""
    start = double_pendulum().state(shoulder=1.0, elbow=0.5)
    motion = ph.simulate(start.system, start, until=1000.0)
    older = ph.simulate(start.system, start, until=1.0)

    def trial(rng: random.Random) -> tuple[float, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motion.nc"
            older.save(path)
            _, late = pressed(rng.uniform(0.0, 0.08), lambda: motion.save(path))
            late, fault = settled(late, canaries(), True)
            gc.collect()
            found = ph.load_motion(path).of(start.system)
            if not (same(found, motion) or same(found, older)):
                fault = "the file is neither the older motion nor the newer one"
            others = [name for name in os.listdir(folder) if name != path.name]
            motion.save(path)  # nobody holds it
            return late, fault or (f"{others} were left" if others else "")

    return trial


def line() -> Trial:
    """A run to a file, Ctrl-C at a line of what keeps and writes rows, gone on with."""
    from injected import interrupted
    from polhode.integrate.events import tracker
    from polhode.integrate.host import loop, row_buffer
    from polhode.integrate.storage import (
        appender,
        recorder,
        session,
        transaction,
        write_queue,
    )

    modules = (
        loop,
        row_buffer,
        tracker,
        recorder,
        write_queue,
        session,
        appender,
        transaction,
    )
    system, guide = bouncing()
    state, wish = thrown(system), {"until": 0.1, **guide}
    whole = ph.simulate(system, state, **wish)
    recorder.SECONDS = 0.0

    def trial(rng: random.Random) -> tuple[float, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motion.nc"
            _, injection = interrupted(
                modules,
                rng.randrange(1, 6000),
                lambda: ph.simulate(system, state, **wish, to=path),
            )
            fault = _resumed(whole, path, **guide) if path.exists() else ""
            return 0.0, fault and f"{injection.place}: {fault}"

    return trial


KINDS: dict[str, Callable[[], Trial]] = {
    "compile": compilation,
    "batch": batch,
    "one_thread": one_thread,
    "endless": endless,
    "sweep": sweep,
    "ledger": ledger,
    "chunk": chunk,
    "append": append,
    "events": events,
    "save": save,
    "line": line,
}


def leave_in_the_middle(seed: int) -> None:
    """The interpreter exits while a daemon is in a batched call; perhaps by Ctrl-C."""
    rng = random.Random(seed)
    many = np.linspace(0, 1, 4000 * 5).reshape(4000, 5)
    program = ph.compile(
        _turned, many[0], np.int64(3), batched=["x"], threads=rng.choice([2, 3])
    )
    program(many, np.int64(3))
    job = threading.Thread(target=program, args=(many, np.int64(10**12)), daemon=True)
    job.start()
    time.sleep(rng.uniform(0.0, 0.1))
    delay = rng.uniform(0.0, 0.1)
    print(f"{time.time():.3f}", flush=True)
    if rng.random() < 0.5:
        threading.Thread(target=Press(delay)._wait, daemon=True).start()


def main(kind: str, first: str, tries: str) -> None:
    """Try a kind so often; or exit in the middle of a call."""
    # What a shell starts in the background ignores Ctrl-C, and so do its children:
    # nothing would be interrupted, and all would hold.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if kind == "exit":
        leave_in_the_middle(int(first))
        return
    warnings.simplefilter("ignore")
    for word in kind.split(","):
        trial = KINDS[word]()
        for seed in range(int(first), int(first) + int(tries)):
            late, fault = trial(random.Random(f"{word} {seed}"))
            print(word, seed, f"{late:.4f}", fault, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
