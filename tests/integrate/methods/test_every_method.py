"""Every public method moves what a constraint holds, and falls with its order."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from held import bob_on_a_rod
from polhode.errors import IntegrationError
from polhode.integrate.methods.registry import METHODS, known_method

STEP = 0.01
UNTIL = 0.3
# What is made of another method is tried with one of the quickest.
MADE_OF = {
    "Composed": lambda h: ph.methods.Composed(ph.methods.StormerVerlet(h), 4),
    "Unprojected": lambda h: ph.methods.Unprojected(ph.methods.RungeKutta4(h)),
}
ADAPTIVE = {name for name in METHODS if known_method(name).is_adaptive}
# They vary coordinates that nothing holds: `test_order.py` has them on free systems.
OF_TREES = {"Variational", "EnergyMomentum", "MoserVeselov"}
OF_CONTACTS = {"Moreau"}  # `test_moreau.py` has it on supports
ROUNDING = 1e-12  # errors below it fall no further


def made(name: str, h: float) -> ph.methods.RungeKutta4:
    """A method with its step, or with its tolerance."""
    if name in MADE_OF:
        return MADE_OF[name](h)
    kind = getattr(ph.methods, name)
    return kind(rtol=1e-9, atol=1e-9) if name in ADAPTIVE else kind(h)


def swing() -> ph.State:
    """Not in a plane, so that no component of anything vanishes."""
    place, speed = np.array([0.6, 0.0, -0.8]), np.array([0.4, 1.5, 0.3])
    return bob_on_a_rod().state(bob=place, speeds={"bob": speed})


@cache
def exact() -> np.ndarray:
    """Where the bob is at the end, by another method at the end of its tolerance."""
    method = ph.methods.DormandPrince8(rtol=1e-13, atol=1e-13)
    return ph.simulate(bob_on_a_rod(), swing(), until=UNTIL, method=method).final.q


@pytest.mark.parametrize("name", sorted({*ph.methods.__all__} - OF_TREES - OF_CONTACTS))
def test_every_method_moves_a_bob_on_its_rod(name):
    """It ends where it should, nearer by two to the order at half the step.

    The rod keeps its length but for a method that is told to let it drift.
    """
    errors = []
    for h in (STEP, STEP / 2):
        method = made(name, h)
        motion = ph.simulate(bob_on_a_rod(), swing(), until=UNTIL, method=method)
        assert motion.outcome.is_complete
        away = np.max(np.abs(np.linalg.norm(motion.q, axis=1) - 1.0))
        assert away < (1e-7 if name == "Unprojected" else 1e-12)
        errors.append(np.max(np.abs(motion.final.q - exact())))
        if name in ADAPTIVE:
            assert errors[-1] < 1e-7
            return
    assert errors[0] < 0.01
    fell = np.log2(errors[0] / errors[1])
    assert errors[0] < ROUNDING or abs(fell - method.order) < 0.2


def test_a_method_of_contacts_refuses_a_system_without():
    """There is nothing for it to do."""
    with pytest.raises(IntegrationError, match="no supports"):
        ph.simulate(
            bob_on_a_rod(), swing(), until=UNTIL, method=ph.methods.Moreau(STEP)
        )


@pytest.mark.parametrize("name", sorted(OF_TREES))
def test_a_method_of_trees_refuses_a_rod(name):
    """It says which constraint is in its way, and what to take instead."""
    with pytest.raises(IntegrationError, match="'rod' hold"):
        ph.simulate(bob_on_a_rod(), swing(), until=UNTIL, method=made(name, STEP))
