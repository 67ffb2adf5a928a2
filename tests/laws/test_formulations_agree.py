"""One system, every classical form of its equations, one motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from polhode import PolhodeError, compile
from polhode.formulation.compare import answers, disagreement, sizes
from polhode.formulation.registry import FORMULATIONS
from strategies_system import TOPOLOGIES, random_state, topology

# Few bodies and every kind of thing; the others take minutes to compile in all forms.
QUICK = ("pendulum", "spherical_pendulum", "doubled_hinge", "sleigh", "driven_hinge")
REDUNDANT = ("doubled_hinge", "four_bar", "slider_crank")
SPEEDS = ("Gauss", "recursive", "Kane")


@cache
def states(name: str) -> list:
    """Six states of a topology."""
    rng = np.random.default_rng(7)
    return [random_state(topology(name), rng) for _ in range(6)]


@cache
def evaluated(name: str, form: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Body accelerations and joint wrenches at the states; None if it is refused."""
    try:
        equations = FORMULATIONS[form](topology(name))
    except PolhodeError:
        return None
    first = states(name)[0]
    program = compile(answers(equations), first.t, first.q, first.z)
    values = [program(s.t, s.q, s.z) for s in states(name)]
    return tuple(np.stack(part) for part in zip(*values, strict=True))


def gap(name: str, form: str, part: int) -> float:
    """How far a formulation is from Gauss's, relative."""
    size = np.array([sizes(s)[part] for s in states(name)])[:, None, None]
    found, reference = evaluated(name, form), evaluated(name, "Gauss")
    return disagreement(found[part], reference[part], size) if found else 0.0


def cases() -> list:
    """Quick topologies in every form, the others in three; all in the long suite."""
    found = []
    for name in TOPOLOGIES:
        for form in FORMULATIONS:
            quick = name in QUICK or form in SPEEDS
            marks = () if quick else pytest.mark.long
            found.append(pytest.param(name, form, marks=marks))
    return found


@pytest.mark.row("L-02")
@pytest.mark.parametrize(("name", "form"), cases())
def test_every_formulation_gives_the_same_accelerations(name, form):
    """The accelerations of all bodies do not depend on the form of the equations."""
    assert gap(name, form, 0) < 1e-10


@pytest.mark.parametrize(("name", "form"), cases())
def test_every_formulation_gives_the_same_reactions(name, form):
    """What the joints carry follows from multipliers and from balances alike.

    Where constraints are redundant, reactions are not unique, and are not compared.
    """
    if name in REDUNDANT:
        pytest.skip("redundant constraints share their load as they like")
    assert gap(name, form, 1) < 1e-10
