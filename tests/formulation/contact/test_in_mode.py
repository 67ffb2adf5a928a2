"""Systems whose contacts keep a mode: the same motion as the laws of contact give."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import InconsistentState, ModelError

G = 9.81


def accelerations_by_laws(state: ph.State) -> np.ndarray:
    (mode,) = ph.contact_modes(state)
    return mode.accelerations


def in_its_mode(state: ph.State) -> tuple[ph.System, ph.State]:
    (mode,) = ph.contact_modes(state)
    kept = ph.in_mode(state.system, mode.status)
    return kept, ph.State(kept, state.t, state.q, state.z)


STATES = {
    "billiard_ball": {"free": (0.0, -250.0, 0.0, 2.0, 0.0, 0.0)},
    "incline": {"plane": (0.0, -1.0, 0.5)},
    "ladder": {},
}


@pytest.mark.row("P-23")
@pytest.mark.parametrize("name", STATES)
def test_a_mode_kept_by_constraints_moves_as_the_laws_of_contact_say(name):
    """Sliding under friction and pressed without it: accelerations agree."""
    start = ph.models.start(name)
    state = start.changed(speeds=STATES[name]) if STATES[name] else start
    kept, same = in_its_mode(state)
    found = ph.gauss(kept).accelerations(same)
    assert_close(found, accelerations_by_laws(state), rtol=1e-9, atol=1e-9)


@pytest.mark.row("C-11")
def test_a_ball_that_sticks_rolls():
    """Pure rolling is the mode in which a ball's contact sticks."""
    ball = ph.models.billiard_ball()
    rolls = ph.in_mode(ball, "sticks")
    assert rolls.row_names == ("cloth", "cloth: grip: along", "cloth: grip: across")
    speeds = {"free": (0.0, 2.0 / 0.0286, 0.0, 2.0, 0.0, 0.0)}
    state = rolls.state(speeds=speeds)
    # Its velocity is constant; along the axes of the ball it turns: v' = -w x v.
    turns = [0, 0, 0, 0, 0, 2.0 / 0.0286 * 2.0]
    assert_close(ph.gauss(rolls).accelerations(state), turns, atol=1e-12)
    pushed = ph.gauss(rolls).reactions(state)["cloth on ball"]
    assert_close(pushed.force, [0, 0, 0.17 * G], atol=1e-12)


def test_a_block_that_sticks_on_a_belt_runs_with_it():
    """The constraint is on the slip over the belt, whose speed is a parameter."""
    system = ph.models.belt_oscillator()
    kept = ph.in_mode(system, {"belt": "sticks"})
    state = kept.state(speeds={"block": (0.1, 0, 0)})
    assert_close(ph.gauss(kept).accelerations(state), np.zeros(3), atol=1e-12)
    with pytest.raises(InconsistentState, match=r"belt: grip: along misses by 0.1"):
        kept.state(speeds={"block": (0.2, 0, 0)})


@pytest.mark.long
def test_forms_agree_while_contacts_keep_their_mode():
    """`compare` takes the mode of a state, or all open, and says which."""
    system = ph.models.ladder()
    table = ph.compare(system, ph.models.start("ladder").changed(), steps=0)
    assert "floor slides, wall slides, top open" in table.system
    assert table.worst < 1e-9
    assert len(table.applied) > 10


def test_points_of_a_support_may_differ():
    """By point, by support, and one word for all; the name says what was taken."""
    system = ph.models.incline()
    assert ph.in_mode(system, {"base corner 1": "sticks"}).name.endswith(
        "base sticks/open"
    )
    assert len(ph.in_mode(system, "sticks").row_names) == 6
    assert not ph.in_mode(system, "open").constraints


@pytest.mark.parametrize(
    ("name", "modes", "said"),
    [
        ("incline", {"bas": "sticks"}, "no support or point 'bas'"),
        ("incline", {"base": "glued"}, "cannot be 'glued'"),
        ("bouncing_ball", "sticks", "is smooth"),
        ("belt_oscillator", "slides", "cannot keep sliding on a belt"),
    ],
)
def test_what_is_no_mode_is_refused(name, modes, said):
    """With the nearest name, and what there is."""
    with pytest.raises(ModelError, match=said):
        ph.in_mode(ph.models.GALLERY[name](), modes)
