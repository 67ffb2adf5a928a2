"""How far motions stay from the limits of their joints."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError


@cache
def arm() -> ph.System:
    """Two rods: the shoulder between stops, the elbow with one stop, a free wrist."""
    rods = [ph.Body(n, ph.solids.rod(mass=1.0, length=0.5)) for n in ("u", "l", "h")]
    ends = [ph.World().origin, rods[0].point(0, 0, -0.25), rods[1].point(0, 0, -0.25)]
    limits = {"shoulder": (-1.0, 2.0), "elbow": (-np.inf, 0.5), "wrist": None}
    joints = [
        ph.Revolute(name, end, rod.point(0, 0, 0.25), axis=ph.Y, limits=between)
        for (name, between), end, rod in zip(limits.items(), ends, rods, strict=True)
    ]
    return ph.System(joints, [ph.Weight(9.81)], name="arm")


def test_a_state_says_how_far_its_limits_are():
    """The way to the nearer limit, below zero beyond it; joints without one are out."""
    state = arm().state(shoulder=1.5, elbow=0.7, wrist=9.0)
    assert set(state.margins()) == {"shoulder", "elbow"}
    assert_close(state.margins()["shoulder"], 0.5, rtol=1e-14)
    assert_close(state.margins()["elbow"], -0.2, rtol=1e-14)
    assert ph.models.pendulum().rest().margins() == {}


def test_a_motion_says_how_near_it_came_and_when():
    """Least margins are those of its rows, with the time and the limit."""
    start = arm().state(shoulder=1.5, elbow=-0.3)
    motion = ph.simulate(arm(), start, until=1.0)
    found = ph.questions.limit_margins(motion)
    assert found.names == ("shoulder", "elbow")
    q = motion.q[:, 0]
    expected = np.minimum(q + 1.0, 2.0 - q)
    assert_close(found.margins["shoulder"], expected, rtol=1e-14)
    least, when, side = found.closest("shoulder")
    k = int(np.argmin(expected))
    assert (least, when) == (expected[k], motion.t[k])
    assert side == ("upper" if q[k] > 0.5 else "lower")
    assert found.closest("elbow").limit == "upper"
    assert found.is_within == bool(min(map(np.min, found.margins.values())) >= 0)
    assert "least margin" in repr(found)
    assert "wrist" not in repr(found)


def test_what_has_no_limit_has_no_margin():
    """Both the joint and the system say so."""
    free = ph.models.pendulum()
    with pytest.raises(AnalysisError, match="no joint of 'pendulum' has limits"):
        ph.questions.limit_margins(ph.simulate(free, free.rest(), until=0.1))
    motion = ph.simulate(arm(), arm().state(shoulder=1.5), until=0.1)
    with pytest.raises(AnalysisError, match="'wrist' of 'arm' has no margin"):
        ph.questions.limit_margins(motion).closest("wrist")
