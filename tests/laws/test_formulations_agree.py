"""One system, every classical form of its equations, one motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies

from polhode import PolhodeError, State, compile
from polhode.formulation.compare import answers, disagreement, sizes
from polhode.formulation.registry import FORMULATIONS
from polhode.results import Program
from strategies_system import TOPOLOGIES, random_state, topology

# Few bodies and every kind of thing; the others take minutes to compile in all forms.
QUICK = ("pendulum", "sleigh", "driven_hinge")
# In three coordinates Hamilton's form alone takes as long as the rest of a topology.
DEAR = ("spherical_pendulum", "Hamilton")
LARGE = "all_joints"  # one large system by three forms
REDUNDANT = ("doubled_hinge", "four_bar", "slider_crank")
SPEEDS = ("Gauss", "recursive", "Kane")


VARIED = (".mass", ".gravity", ".stiffness")
# Few, so that all forms are asked at the same states: to find one that keeps the
# constraints takes longer than what a form answers there.
SEEDS = strategies.integers(0, 9)


@cache
def drawn(name: str, seed: int) -> tuple[State, dict[str, float]]:
    """A state of a topology, and values of what weighs, pulls and presses in it."""
    rng, system = np.random.default_rng(seed), topology(name)
    state = random_state(system, rng)
    varied = [p for p in system.parameters if p.endswith(VARIED)]
    return state, {p: float(rng.uniform(0.5, 2.0)) for p in varied}


@cache
def program(name: str, form: str) -> Program | None:
    """Body accelerations and joint wrenches, compiled once; None if it is refused."""
    try:
        equations = FORMULATIONS[form](topology(name))
    except PolhodeError:
        return None
    state, table = drawn(name, 0)
    return compile(answers(equations), state.t, state.q, state.z, table)


@cache
def answered(name: str, form: str, seed: int) -> tuple[np.ndarray, np.ndarray] | None:
    """What a formulation answers at a drawn state; None if it is refused."""
    own = program(name, form)
    state, table = drawn(name, seed)
    return None if own is None else own(state.t, state.q, state.z, table)


@cache
def sized(name: str, seed: int) -> tuple[float, float]:
    """The sizes of accelerations and of wrenches at a drawn state."""
    return sizes(drawn(name, seed)[0])


def gap(name: str, form: str, part: int, seed: int) -> float:
    """How far a formulation is from Gauss's, relative."""
    own, reference = answered(name, form, seed), answered(name, "Gauss", seed)
    if own is None or reference is None:
        return 0.0
    size = np.array(sized(name, seed)[part])
    return disagreement(own[part][None], reference[part][None], size)


def is_quick(name: str, form: str) -> bool:
    """Small topologies in every form, a large one in three, the others in two."""
    if name in (*QUICK, "spherical_pendulum"):
        return (name, form) != DEAR
    return form in (SPEEDS if name == LARGE else SPEEDS[:2])


def cases() -> list:
    """What is not quick is long: nothing is left out."""
    found = []
    for name in TOPOLOGIES:
        for form in FORMULATIONS:
            quick = is_quick(name, form)
            marks = () if quick else pytest.mark.long
            found.append(pytest.param(name, form, marks=marks))
    return found


@pytest.mark.row("L-02")
@pytest.mark.parametrize(("name", "form"), cases())
@given(seed=SEEDS)
@settings(max_examples=8)
def test_every_formulation_gives_the_same_accelerations(name, form, seed):
    """The accelerations of all bodies do not depend on the form of the equations."""
    assert gap(name, form, 0, seed) < 1e-10


@pytest.mark.parametrize(("name", "form"), cases())
@given(seed=SEEDS)
@settings(max_examples=8)
def test_every_formulation_gives_the_same_reactions(name, form, seed):
    """What the joints carry follows from multipliers and from balances alike.

    Where constraints are redundant, reactions are not unique, and are not compared.
    """
    if name in REDUNDANT:
        pytest.skip("redundant constraints share their load as they like")
    assert gap(name, form, 1, seed) < 1e-10
