"""Questions about large systems: loops answer as straight code does, or say the size.

Loops are asked of small systems too, so that both can be held against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.system.rolled.test_rows import CASES, assert_close

import polhode as ph
from call_count import count_calls
from polhode.errors import PolhodeError
from polhode.formulation.recursive import rolled_reactions, rolled_terms
from polhode.formulation.recursive.recursive import recursive
from polhode.lowering.compile import compile
from polhode.system.rolled import size
from polhode.system.rolled.carried import by_constraint, carried
from polhode.system.rolled.motion import motion
from polhode.system.state_arrays import StateArrays


def swinging_chain() -> tuple[ph.System, np.ndarray, np.ndarray]:
    draws = np.random.default_rng(1)
    system = ph.models.chain_pendulum(3)
    return system, draws.normal(size=3), draws.normal(size=3)


def mixed_tree() -> tuple[ph.System, np.ndarray, np.ndarray]:
    """A free body that carries a ball joint, a slide with a rotor, and a spring."""
    solid = ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1)
    base, arm, slide = (ph.Body(n, solid) for n in ("base", "arm", "slide"))
    world = ph.World()
    joints = [
        ph.Free("base", world.origin, base.origin),
        ph.Spherical("ball", base.point(0.2, 0, 0), arm.point(-0.2, 0.1, 0)),
        # The carrier is second: the joint is walked backwards.
        ph.Prismatic("rail", slide.point(0, 0.1, 0), arm.point(0.3, 0, 0), axis=ph.Z),
    ]
    pull = ph.Spring(slide.origin, world.point(0, 0, 1.0), 3.0, name="pull")
    system = ph.System(joints, [ph.Weight(9.81), pull], name="mixed tree")
    draws = np.random.default_rng(2)
    q = system.local(system.rest().q, 0.5 * draws.normal(size=system.speeds))
    return system, np.asarray(q), draws.normal(size=system.speeds)


MORE: dict[str, Any] = {**CASES, "chain": swinging_chain, "tree": mixed_tree}


@pytest.mark.parametrize(
    "name",
    [
        "chain",
        *(pytest.param(n, marks=pytest.mark.long) for n in ("pins", "hinges", "rods")),
        pytest.param("tree", marks=pytest.mark.long),
    ],
)
def test_loops_answer_as_straight_code_does(name: str) -> None:
    """Reactions, matrices, forces, accelerations of bodies, inverse dynamics."""
    system, q, z = MORE[name]()
    assert not size.is_rolled(system)
    core = recursive(system).functions
    push = np.linspace(-1.0, 1.0, 6 * len(system.bodies)).reshape(-1, 6)

    def both(q: Any, z: Any) -> Any:
        state = StateArrays(0.0, q, z)
        solution = core.accelerations(0.0, q, z, {})
        terms = core.terms(0.0, q, z, {})
        M, b, f, _, _ = terms
        rates = solution[0]
        straight = (
            core.joint_wrenches(0.0, q, z, solution, {}),
            core.bodies(0.0, q, z, rates, {}),
            core.along(0.0, q, z, push, {}),
            terms,
            M @ rates + b - f,
            M @ rates,
        )
        loops = (
            rolled_reactions.joint_wrenches(system, state, solution, {}),
            rolled_reactions.body_accelerations(system, q, z, rates, {}),
            rolled_terms.along(system, q, push, {}),
            rolled_terms.terms(system, 0.0, q, z, {}),
            rolled_terms.inverse_dynamics(system, 0.0, q, z, rates, {}),
            rolled_terms.inertial_efforts(system, q, rates, {}),
        )
        return straight, loops

    straight, loops = compile(both, q, z, lanes=1)(q, z)
    for wanted, found in zip(straight, loops, strict=True):
        if isinstance(wanted, tuple):
            for one, other in zip(wanted, found, strict=True):
                assert_close(other, one)
        else:
            assert_close(found, wanted)


@pytest.mark.parametrize("name", ["pins"])
def test_what_constraints_exert_is_found_by_each(name: str) -> None:
    """On its own bodies, along the world's axes, as the nouns have it."""
    system, q, z = MORE[name]()
    equations = recursive(system)
    state = ph.State(system, 0.0, q, z)
    wanted = equations.reactions(state)

    def loops(q: Any, z: Any) -> Any:
        _, intensities = equations.functions.accelerations(0.0, q, z, {})
        moving = motion(system, q, z, {})
        return carried(system, StateArrays(0.0, q, z), moving, intensities, {})

    found = compile(loops, q, z, lanes=1)(q, z)
    each = by_constraint(system, found.on_bodies, found.efforts, {})
    for constraint, (wrenches, efforts) in zip(system.constraints, each, strict=True):
        assert len(efforts) == 0
        for k, frame in enumerate(constraint.bodies):
            known = wanted[f"{constraint.name} on {frame.name}"]
            assert_close(wrenches[k], np.concatenate([known.torque, known.force]))


LARGE_CHAIN = ph.models.chain_pendulum(300)

REFUSED = {
    "lagrange": lambda: ph.lagrange(LARGE_CHAIN),
    "kane": lambda: ph.kane(LARGE_CHAIN),
    "compare": lambda: ph.compare(LARGE_CHAIN),
    "read": lambda: ph.recursive(LARGE_CHAIN).read(),
    "equilibria": lambda: ph.equilibria(LARGE_CHAIN),
    "steady motions": lambda: ph.steady_motions(LARGE_CHAIN, {}),
    "coriolis": lambda: ph.recursive(LARGE_CHAIN).coriolis(LARGE_CHAIN.rest()),
    "centroidal matrix": lambda: ph.recursive(LARGE_CHAIN).centroidal_matrix(
        LARGE_CHAIN.rest()
    ),
    "implicit steps": lambda: ph.simulate(
        LARGE_CHAIN,
        LARGE_CHAIN.rest(),
        until=0.1,
        method=ph.methods.GeneralisedAlpha(1e-3),
    ),
    "implicit stepper": lambda: ph.stepper(
        LARGE_CHAIN, 1e-3, method=ph.methods.ImplicitMidpoint
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_dense_says_so_with_the_size(name: str) -> None:
    """At once, with the number of bodies and a way out."""
    with pytest.raises(PolhodeError) as told:
        REFUSED[name]()
    assert "300" in str(told.value)
    assert len(str(told.value).split("\n\n")) == 3


LONG_CHAIN_ANSWERS = {
    "shares": lambda e, s: e.shares(s),
    "determinacy": lambda e, s: e.determinacy(s),
    "powers": lambda e, s: e.powers(s),
    "jacobian": lambda e, s: e.jacobian(s, e.system.bodies[-1].origin),
    "centroidal momentum": lambda e, s: e.centroidal_momentum(s),
    "mass centre": lambda e, s: e.mass_centre(s),
    "mobility": lambda e, s: ph.mobility(e.system),
    "audit": lambda e, s: ph.audit(e.system),
    "kinematics": lambda e, s: ph.kinematics(e.system),
    "assemble": lambda e, s: ph.assemble(e.system, {"h1": 0.01}),
    "reaction table": lambda e, s: ph.reaction_table(
        ph.simulate(e.system, s, until=1e-3)
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LONG_CHAIN_ANSWERS)
def test_what_is_not_dense_is_answered_at_size(name: str) -> None:
    """By calls of functions, for three hundred links: the most are 20 millions."""
    state = LARGE_CHAIN.state({f"h{k}": 1e-3 for k in range(1, 301)})
    equations = ph.recursive(LARGE_CHAIN)
    assert count_calls(lambda: LONG_CHAIN_ANSWERS[name](equations, state)) < 100e6


def test_matrices_of_very_many_speeds_are_refused() -> None:
    """A net has motions, and no mass matrix."""
    knots = [ph.Particle(f"knot {k}", 1.0) for k in range(700)]
    net = ph.System(knots, [ph.Weight(9.81)], name="net")
    with pytest.raises(PolhodeError, match="700 bodies and 2100 speeds"):
        ph.recursive(net).mass_matrix(net.rest())
    with pytest.raises(PolhodeError, match="2100 x 2100"):
        ph.linearise(net)


@pytest.mark.long
def test_a_long_chain_answers_what_a_short_one_does() -> None:
    """Linear system, reactions, derivatives of a motion: by loops over its links."""
    chain = ph.models.chain_pendulum(60)
    bent = {f"h{k}": 0.005 for k in range(1, 61)}
    state = chain.state(bent)
    equations = ph.recursive(chain)
    assert "loops" in equations.report()
    M, f, b = (
        equations.mass_matrix(state),
        equations.force(state),
        equations.bias(state),
    )
    assert_close(M @ equations.accelerations(state) + b, f, 1e-9)
    hook = equations.reactions(state)["h1"]
    weight = 9.81 * sum(body.moments().mass for body in chain.bodies)
    moving = equations.body_accelerations(state)
    assert np.all(np.isfinite(moving))
    assert abs(hook.force[2]) < 2 * weight
    modes = ph.linearise(chain, chain.rest()).modes()
    # Of many short links: a hanging rope, whose slowest mode is j0 / 2 sqrt(g / L).
    assert modes.frequencies[0] == pytest.approx(1.2024 * np.sqrt(9.81), rel=1e-3)
    motion = ph.simulate(chain, state, until=0.01)
    slope = ph.gradient(motion, lambda t, s: s.q[0], ["g"])["g"]
    others = [chain.with_({"g": 9.81 + d}) for d in (-1e-3, 1e-3)]
    more = [ph.simulate(s, s.state(bent), until=0.01).q[-1][0] for s in others]
    assert slope == pytest.approx((more[1] - more[0]) / 2e-3, rel=1e-4)


@pytest.mark.long
def test_a_row_of_four_bars_goes_forwards_as_backwards() -> None:
    """Sensitivities and gradients of large constrained systems agree to rounding."""
    row = ph.models.four_bars(30)
    names = [edge.joint.name for edge in row.tree.edges]
    state = row.state(speeds={n: 1.0 if n[0] == "A" else -1.0 for n in names})
    motion = ph.simulate(row, state, until=0.01)
    with pytest.raises(PolhodeError, match="too many to vary"):
        ph.sensitivity(motion, ["m"])
    found = ph.gradient(motion, lambda t, s: s.q[0] + s.z[-1], ["g"])
    forward = ph.sensitivity(motion, ["g"])
    k = forward.columns.index("g")
    wanted = forward.q[-1, 0, k] + forward.z[-1, -1, k]
    assert found["g"] == pytest.approx(wanted, rel=1e-11)
    table = ph.reaction_table(motion)
    assert set(table.names) == set(ph.recursive(row).reactions(state))
