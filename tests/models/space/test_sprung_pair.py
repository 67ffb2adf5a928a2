"""The benchmark pair by every form of the equations: one model, all methods."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import PolhodeError
from polhode.formulation.compare import answers, disagreement, random_states, sizes
from polhode.formulation.registry import FORMULATIONS
from polhode.models.space.sprung_pair import REFERENCE

QUICK = ("recursive", "Gauss")
RUN = ("recursive",)


def forms(quick):
    """All forms; those that are not quick in the long suite."""
    return pytest.mark.parametrize(
        "form",
        [
            f if f in quick else pytest.param(f, marks=pytest.mark.long)
            for f in FORMULATIONS
        ],
    )


@cache
def begun() -> ph.State:
    """Where the gallery starts it."""
    return ph.models.start("sprung_pair")


@cache
def states() -> list[ph.State]:
    """The start and four others."""
    return [begun(), *random_states(begun().system, 4, seed=3)]


@cache
def equations_of(form: str) -> ph.results.Equations | None:
    """None where the form does not apply, for a reason that it states."""
    try:
        return FORMULATIONS[form](begun().system)
    except PolhodeError:
        return None


@cache
def evaluated(form: str) -> tuple[np.ndarray, ...] | None:
    """Accelerations of bodies and wrenches of joints at the states."""
    equations = equations_of(form)
    if equations is None:
        return None
    first = states()[0]
    program = ph.compile(answers(equations), first.t, first.q, first.z)
    values = [program(s.t, s.q, s.z) for s in states()]
    return tuple(np.stack(part) for part in zip(*values, strict=True))


@pytest.mark.row("Y-12")
@forms(QUICK)
def test_every_form_gives_the_same_accelerations_and_reactions(form):
    """Accelerations of bodies and reactions of joints do not depend on the form."""
    found, reference = evaluated(form), evaluated("recursive")
    if found is None:
        pytest.skip("this form does not apply")
    for part in (0, 1):
        size = np.array([sizes(s)[part] for s in states()])[:, None, None]
        assert disagreement(found[part], reference[part], size) < 1e-10


@pytest.mark.row("Y-12")
@forms(RUN)
def test_every_form_gives_the_reference_motion_and_closes_the_ledger(form):
    """After 1 s the bodies are where the reference has them; energy is accounted for.

    T + V changes by what the driver of the Earth gives, and by nothing else.
    """
    equations = equations_of(form)
    if equations is None:
        pytest.skip("this form does not apply")
    motion = ph.simulate(equations, begun(), until=1.0, rtol=1e-10)
    poses = begun().system.poses(1.0, motion.final.q)
    names = [body.name for body in begun().system.bodies]
    for name in ("left", "right"):
        found = poses.origins[names.index(name)]
        assert_close(found, np.array(REFERENCE[name]), rtol=1e-7)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-8 * ledger.scale
    axpy = ledger.energy[-1] - ledger.energy[0]
    assert_close(axpy, REFERENCE["work"], rtol=1e-6)


@pytest.mark.row("Y-12")
def test_the_driver_holds_the_earth_against_the_pull():
    """The driver's force is what moves the Earth less the pull of the pair along it."""
    equations = ph.recursive(begun().system)
    state = begun()
    earth = ph.questions.balance(equations, state, ["Earth"])
    pull, driver = earth.items["pull"], equations.reactions(state)["driver"]
    assert_close(driver.force[0], earth.momentum_rate[0] - pull.force[0], rtol=1e-9)
    on_pair = ph.questions.balance(equations, state, ["left", "right"]).items["pull"]
    assert_close(on_pair.force, -pull.force, rtol=1e-10)
    given = equations.powers(state)["driver"]
    assert_close(given, 0.6 * driver.force[0], rtol=1e-9)
    assert abs(given) > 1e-2
