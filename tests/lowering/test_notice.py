"""The line in the terminal about what is being compiled."""

from __future__ import annotations

import io
import sys
import time

import jax.numpy as jnp
import pytest

import polhode as ph
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.kernel.packing import PackedFunction, form_of
from polhode.lowering import notice
from polhode.lowering.notice import ERASE, Notice, silence, title_of


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """In the test itself: before it begins, pytest puts its own stream there."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def until_written(stream: io.StringIO) -> str:
    """What is in a stream as soon as something is."""
    for _ in range(1000):
        if stream.getvalue():
            return stream.getvalue()
        time.sleep(0.01)
    return ""


def test_a_line_comes_after_half_a_second_and_goes(monkeypatch):
    """It tells what, then the size, and leaves nothing."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(notice, "SECONDS", 0.01)
    told = Notice(lambda x: x)
    with told:
        assert "polhode: compiling '<lambda>' (once" in until_written(terminal)
        told.size(6101)
        assert "6101 operations" in terminal.getvalue()
    assert terminal.getvalue().endswith(ERASE)
    with told:  # more of the same work: the time before counts
        until_written(terminal)
    assert terminal.getvalue().endswith(ERASE)


def test_what_is_quick_is_not_told(monkeypatch):
    """Half a second of work, or no line."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(notice, "SECONDS", 60.0)  # of a machine with much else to do
    ph.compile(lambda x: jnp.sin(x) + 1.25, 0.0)
    assert terminal.getvalue() == ""


def test_where_there_is_no_terminal_nothing_is_told(monkeypatch, capsys):
    """A file, a pipe or no stream at all."""
    monkeypatch.setattr(notice, "SECONDS", 0.0)
    with Notice(lambda x: x):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys, "stderr", None)
    with Notice(lambda x: x):
        time.sleep(0.05)


def test_a_stream_that_closes_meanwhile_costs_a_line(monkeypatch):
    """And no more."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(notice, "SECONDS", 0.0)
    with Notice(lambda x: x):
        until_written(terminal)
        terminal.close()
        monkeypatch.undo()


def test_programs_of_a_system_are_called_by_its_name():
    """A user does not know the functions inside."""
    system = ph.models.pendulum()
    equations = equations_of(system)

    def inner(x):
        return equations.name, x

    assert title_of(inner) == repr(system.name)
    assert title_of(lambda x: inner(x)) == repr(system.name)
    assert title_of(PackedFunction(inner, form_of(()))) == repr(system.name)
    assert title_of(jnp.sin) == "'sin'"


def test_nothing_is_told_where_somebody_else_draws(monkeypatch):
    """A command's own line of progress and this one would write over each other."""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(notice, "SECONDS", 0.0)
    with silence():
        with silence():
            pass
        with Notice(lambda x: x):
            time.sleep(0.05)
    assert not terminal.getvalue()
    with Notice(lambda x: x):
        assert "compiling" in until_written(terminal)
