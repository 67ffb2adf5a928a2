"""Progress is shown on long runs, and Ctrl-C gives what is done."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

import polhode as ph
from moving import double_pendulum, point_pendulum
from polhode.errors import IntegrationWarning
from polhode.integrate.host import loop, progress
from polhode.integrate.host.progress import Progress


def test_a_bar_shows_share_rate_and_time_left():
    """Nothing before two seconds; then the percentage, the rate, what remains."""
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, width=120)
    bar = progress.Bar("crane [m]", console)
    bar(Progress(0.2, 900, 1.9))
    assert page.getvalue() == ""
    bar(Progress(0.25, 1000, 4.0))
    bar.close()
    for word in ("crane [m]", "25 %", "250 steps/s", "12 s left"):
        assert word in page.getvalue()


def test_a_bar_is_drawn_by_a_run_and_taken_away(monkeypatch, capsys):
    """A run in a terminal that takes longer than the limit draws it, others do not."""
    system = point_pendulum()
    ph.simulate(system, system.state(hinge=1.0), until=5.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    monkeypatch.setattr(progress, "_can_draw", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    ph.simulate(system, system.state(hinge=1.0), until=50.0)
    assert "point pendulum" in capsys.readouterr().err


def test_progress_grows_to_the_whole():
    """The share goes up from chunk to chunk and ends at one."""
    system, shares = double_pendulum(), []
    start = system.state(shoulder=1.0)
    ph.simulate(system, start, until=30.0, watch=lambda p: shares.append(p.share))
    assert len(shares) > 3
    assert np.all(np.diff(shares) > 0)
    assert shares[-1] == pytest.approx(1.0)


def test_an_interrupt_stops_all_runs_of_a_call(monkeypatch):
    """Runs that had not begun are not begun: each says so, and keeps what it has."""
    monkeypatch.setattr(loop, "SLAB_BYTES", 1e5)
    system = point_pendulum()
    angles = np.linspace(0.1, 3.0, 9)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)

    def press(progress):
        raise KeyboardInterrupt

    with pytest.warns(IntegrationWarning, match=r"9 of 9 runs stopped.*interrupted"):
        motions = ph.simulate(system, states, until=50.0, watch=press)
    assert {m.outcome.code for m in motions} == {"INTERRUPTED"}
    assert len(motions[0]) > 1
    assert len(motions[8]) == 1
