"""What a call hands to native code: arrays of any kind, a stack that is in line."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.lowering.backends import cache, runner


@pytest.mark.parametrize("kind", ["plain", "read only", "strided", "empty beside"])
def test_arrays_of_any_kind_are_read_where_they_are(kind):
    """Written or not, whole or every other entry, beside an array without any."""
    x, none = np.arange(8.0), np.zeros(0)
    double = ph.compile(lambda x, none: 2 * x, x[::2].copy(), none, backend="llvm")
    given = x[::2] if kind == "strided" else x[::2].copy()
    if kind == "read only":
        given.setflags(write=False)
    assert np.array_equal(double(given, none), [0.0, 4.0, 8.0, 12.0])


def test_the_stack_is_in_line_whatever_calls(monkeypatch):
    """Else the same code takes up to twice as long, by where a process has its stack.

    Values that wait on the stack are wider than its own alignment.
    """
    texts, made = [], runner.machine_code

    def kept(text, *rest):
        texts.append(text)
        return made(text, *rest)

    monkeypatch.setattr(runner, "machine_code", kept)
    monkeypatch.setattr(cache, "load", lambda name: None)
    ph.compile(lambda x: x + 1, 1.0, backend="llvm")(1.0)
    (head,) = [line for line in texts[0].splitlines() if "@run(" in line]
    assert "alignstack(64)" in head
