"""Numbers of supports in tables of parameters are held against the same laws."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError

BAD = [
    ("restitution", 1.5, "cannot have the restitution 1.5"),
    ("restitution", -0.1, "cannot have the restitution -0.1"),
    ("static", 0.1, "static friction 0.1 below dynamic 0.3"),
    ("dynamic", -0.2, "cannot have the dynamic friction -0.2"),
    ("dynamic", np.nan, "is not finite"),
]


def system() -> ph.System:
    """A particle that may bounce and slide on a floor."""
    ball = ph.Particle("ball", 1.0)
    rest = ph.Support(ph.surfaces.point(ball.mass_centre), ph.World().origin,
                      friction=ph.Coulomb(0.3, 0.4), restitution=0.5,
                      name="rest")  # fmt: skip
    return ph.System([ball], [ph.Weight(9.81)], supports=[rest])


@pytest.mark.parametrize(("number", "value", "words"), BAD)
def test_a_run_refuses_what_the_law_would_refuse(number, value, words):
    """A restitution of 1.5 makes energy, whichever way it is given."""
    thrown = system()
    table = {f"rest.{number}": value}
    with pytest.raises(ModelError, match=words):
        ph.simulate(thrown, thrown.state(), until=0.1, parameters=table)


@pytest.mark.parametrize(("number", "value", "words"), BAD)
def test_questions_refuse_it_too(number, value, words):
    """And names that the system does not have."""
    state = system().state()
    falling = state.changed(speeds={"ball": (0, 0, -1.0)})
    table = {f"rest.{number}": value}
    for ask in (
        lambda table: ph.impact(falling, table=table),
        lambda table: ph.contact_modes(state, table=table),
        lambda table: ph.static_rest(state, table=table),
        lambda table: ph.percussion(
            state, state.system.bodies[0].mass_centre, (1, 0, 0), table=table
        ),
    ):
        with pytest.raises(ModelError, match=words):
            ask(table)
        with pytest.raises(ModelError, match=r"no parameter 'rest\.statics'"):
            ask({"rest.statics": 0.4})
