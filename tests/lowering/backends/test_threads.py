"""Native calls on threads: left in the middle, gone on with, told to leave."""

from __future__ import annotations

import itertools
import math
import os
import signal
import threading
import time

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.arrays import shared
from polhode.lowering.backends import runner, threads

MANY = np.linspace(0, 1, 600).reshape(200, 3)
FEW, ENDLESS = np.int64(50), np.int64(10**15)


def turned(x, count):
    """Some turns of a loop."""

    def turn(carry):
        return jnp.sin(carry[0]) * 1.1 + 0.1, carry[1] + 1

    return lax.while_loop(lambda carry: carry[1] < count, turn, (x, 0))[0]


def summed(x):
    """A long loop of known length, around another one."""

    def turn(total, k):
        inner = lax.fori_loop(0, 40, lambda j, y: jnp.cos(y + k), total)
        return inner, inner.sum()

    return lax.scan(turn, x, jnp.arange(400.0))


@shared
def slow(x, most):
    """Turns of a loop in a function that programs call."""

    def turn(carry):
        return jnp.sin(carry[0]) * 1.1 + 0.1, carry[1] + 1.0

    return lax.while_loop(lambda carry: carry[1] < most, turn, (x, 0.0))[0]


def calling(x):
    """Calls of a function with a loop of unknown length."""
    return slow(slow(x, 30.0 + x[0]), 10.0 + x[1])


class Press:
    """Ctrl-C, pressed a moment after it is asked for; `at` is when, last.

    Python drops what is raised while an object is finalised, Ctrl-C too: after some
    seconds it is pressed again, until the block ends.
    """

    def __init__(self, *delays: float):
        self.at, self._delays = math.inf, [*delays]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._press)

    def _press(self) -> None:
        began = time.perf_counter()
        for delay in itertools.chain(self._delays, itertools.count(5, 5)):
            if self._ended.wait(max(0.0, began + delay - time.perf_counter())):
                return
            self.at = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

    def __enter__(self) -> Press:
        self._thread.start()
        return self

    def __exit__(self, *facts: object) -> None:
        self._ended.set()
        self._thread.join()


@pytest.mark.parametrize("choices", [{"threads": 1}, {"threads": 3}, {"lanes": 3}])
@pytest.mark.parametrize("function", [turned, summed, calling])
def test_a_call_that_is_left_and_gone_on_with_has_the_same_bits(
    function, choices, monkeypatch
):
    """However small the allowance: what is not done yet is done elsewhere."""
    more = (FEW,) if function is turned else ()
    program = ph.compile(function, MANY[0], *more, batched=["x"], unroll=0, **choices)
    want = [np.array(part) for part in leaves(program(MANY, *more))]
    alone = leaves(program(MANY[0], *more))
    for allowance in (0, 10, 100_000):
        monkeypatch.setattr(runner, "SHORT", allowance)
        program._runner._takes_long = False
        assert all(map(np.array_equal, leaves(program(MANY, *more)), want))
        program._runner._takes_long = False
        assert all(map(np.array_equal, leaves(program(MANY[0], *more)), alone))


def leaves(result):
    """What a program gives, as a list."""
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("batched", [False, ["x"]])
def test_an_endless_loop_is_left_by_ctrl_c(batched):
    """Soon, also after short calls; and the program is as good as before."""
    program = ph.compile(turned, MANY[0], FEW, batched=batched)
    given = MANY if batched else MANY[0]
    want = program(given, FEW)
    for _ in range(2):
        with Press(0.05) as press, pytest.raises(KeyboardInterrupt):
            program(given, ENDLESS)
        assert time.perf_counter() - press.at < 2.0
        assert not threads.CALLS
        assert np.array_equal(program(given, FEW), want)


def test_who_presses_twice_waits_for_the_threads_all_the_same(monkeypatch):
    """A second Ctrl-C while threads leave: they are still waited for."""
    program = ph.compile(turned, MANY[0], FEW, batched=["x"], threads=2)
    program(MANY, FEW)
    left = []

    def slow(frame, first, last, real=threads.Frame.resume):
        end = real(frame, first, last)
        time.sleep(0.2)
        left.append(threading.get_ident())
        return end

    monkeypatch.setattr(threads.Frame, "resume", slow)
    with Press(0.05, 0.12, 0.15), pytest.raises(KeyboardInterrupt):
        program(MANY, ENDLESS)
    assert len(left) == 2
    assert threading.get_ident() not in left


def test_an_interrupt_leaves_the_calls_of_other_threads_alone():
    """Each call has an allowance of its own."""
    program = ph.compile(turned, MANY[0], FEW, batched=["x"], threads=2)
    longer, found = np.int64(20_000), []
    want = program(MANY, longer)
    other = threading.Thread(target=lambda: found.append(program(MANY, longer)))
    other.start()
    with Press(0.02), pytest.raises(KeyboardInterrupt):
        program(MANY, ENDLESS)
    other.join()
    assert np.array_equal(found[0], want)


def test_what_one_thread_raises_is_raised_by_the_call(monkeypatch):
    """The others leave; nothing of it is left to the next call."""
    program = ph.compile(turned, MANY[0], FEW, batched=["x"], threads=3)
    want = program(MANY, FEW)

    def failing(frame, first, last, real=threads.Frame.resume):
        if first == 0:
            raise MemoryError("no scratch")
        return real(frame, first, last)

    with monkeypatch.context() as patch:
        patch.setattr(threads.Frame, "resume", failing)
        with pytest.raises(MemoryError, match="no scratch"):
            program(MANY, ENDLESS)
    assert not threads.CALLS
    assert np.array_equal(program(MANY, FEW), want)


def test_where_no_thread_can_be_had_the_caller_does_it(monkeypatch):
    """A system out of threads is no reason not to compute."""
    program = ph.compile(turned, MANY[0], FEW, batched=["x"], threads=3)
    want = program(MANY, FEW)

    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_pool", threads.Pool())
    monkeypatch.setattr(threads.threading.Thread, "start", refused)
    assert np.array_equal(program(MANY, FEW), want)


def test_arrays_go_when_a_call_has_ended():
    """Idle threads hold nothing of the calls that they served."""
    import weakref

    program = ph.compile(turned, MANY[0], FEW, batched=["x"], threads=2)
    given = MANY.copy()
    seen = weakref.ref(given)
    result = weakref.ref(program(given, FEW))
    del given
    end = time.perf_counter() + 2.0
    while (seen() is not None or result() is not None) and time.perf_counter() < end:
        time.sleep(0.01)
    assert seen() is None
    assert result() is None
