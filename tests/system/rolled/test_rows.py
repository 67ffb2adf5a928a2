"""Rows of like constraints in loops say what rows one by one say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jax
import numpy as np
import pytest

import polhode as ph
from polhode.formulation.recursive import rolled_constrained
from polhode.integrate.field.constraint_violation import natural_speeds
from polhode.integrate.field.vector_field import settled
from polhode.lowering.compile import compile
from polhode.models.mechanisms.four_bars import four_bars, start
from polhode.system.rolled import rows, size
from polhode.system.state_arrays import StateArrays


def hinged_row(loops: int) -> ph.System:
    """Four-bars in a row whose loops are closed by hinges: five rows of rank two."""
    standing = ph.solids.placed(ph.solids.rod(mass=1.0, length=1.0), (0, 0, -0.5))
    lying = ph.solids.rod(mass=1.0, length=1.0, along=ph.X)
    lying = ph.solids.placed(lying, (0.5, 0, 0))
    world, hinges, closing = ph.World(), [], []
    uprights = [ph.Body(f"upright {k}", standing) for k in range(loops + 1)]
    for k, upright in enumerate(uprights):
        foot = world.point(float(k), 0, 0), upright.point(0, 0, -1.0)
        hinges.append(ph.Revolute(f"A{k}", *foot, axis=ph.Y))
    for k, (left, right) in enumerate(pairwise(uprights)):
        coupler = ph.Body(f"coupler {k}", lying)
        hinges.append(ph.Revolute(f"B{k}", left.origin, coupler.origin, axis=ph.Y))
        ends = coupler.point(1.0, 0, 0), right.origin
        closing.append(ph.Revolute(f"C{k}", *ends, axis=ph.Y))
    return ph.System([*hinges, *closing], [ph.Weight(9.81)], name="hinged row")


def hanging_net(count: int) -> ph.System:
    """Free particles on rods: uniform motions, distances, and springs between them."""
    world = ph.World()
    knots = [ph.Particle(f"knot {k}", 0.1 + 0.01 * k) for k in range(count)]
    ends = [world.origin, *(knot.mass_centre for knot in knots)]
    rods = [
        ph.Distance(a, b, 1.0, name=f"rod {k}")
        for k, (a, b) in enumerate(pairwise(ends))
    ]
    springs = [
        ph.Spring(knot.mass_centre, world.point(0, 1.0, 0), 3.0, name=f"spring {k}")
        for k, knot in enumerate(knots)
    ]
    return ph.System(knots, [ph.Weight(9.81), *springs], rods, name="hanging rods")


def swung(system: ph.System, angle: float, off: float) -> tuple[np.ndarray, np.ndarray]:
    """All uprights at an angle, and everything a little beside its rows."""
    draws = np.random.default_rng(3)
    q = np.array([angle if j.name[0] == "A" else -angle for j in system.joints])
    q = q[: system.coordinates]
    return q + off * draws.normal(size=len(q)), 2 * q + off * draws.normal(size=len(q))


def strung(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rods in a line that leans, all moving along together and about the hook."""
    along = np.array([0.6, 0.0, -0.8])
    q = np.concatenate([along * (k + 1) for k in range(count)])
    return q, np.concatenate(
        [np.array([0.8, 0.3, 0.6]) * (k + 1) for k in range(count)]
    )


def assert_close(found: Any, wanted: Any, most: float = 1e-12) -> None:
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=most * scale)


CASES: dict[str, Any] = {
    "pins": lambda: (four_bars(3), *swung(four_bars(3), 0.4, 1e-3)),
    "hinges": lambda: (hinged_row(2), *swung(hinged_row(2), 0.4, 0.0)),
    "rods": lambda: (hanging_net(4), *strung(4)),
}


@pytest.mark.parametrize(
    "name",
    ["pins", *(pytest.param(n, marks=pytest.mark.long) for n in ("hinges", "rods"))],
)
def test_loops_hold_as_straight_code_does(name: str) -> None:
    """Accelerations, intensities and misses, also of rows that repeat each other."""
    system, q, z = CASES[name]()
    assert not size.is_rolled(system)
    straight = ph.recursive(system).functions.accelerations

    def both(q: Any, z: Any) -> Any:
        return (
            rolled_constrained.accelerations(system, 0.0, q, z, {}),
            rows.positions(system, 0.0, q, {}),
            rows.velocities(system, 0.0, q, z, {}),
        ), straight(0.0, q, z, {})

    (solved, g, phi), wanted = compile(both, q, z, lanes=1)(q, z)
    for found, other in zip(solved, wanted, strict=True):
        assert_close(found, other)
    assert_close(g, system_positions(system, q))
    A, _ = system.constraint_rows(0.0, q, z)
    assert_close(phi, A @ z)


def test_loops_are_gone_through_backwards_as_forwards() -> None:
    """w . J t both ways, of accelerations and of the way back onto the rows."""
    system = four_bars(3)
    q, z = swung(system, 0.4, 0.0)
    draws = np.random.default_rng(11)
    t, w = ([draws.normal(size=len(q)) for _ in range(2)] for _ in range(2))
    straight = ph.recursive(system).functions.accelerations

    def by_straight_code(q: Any, z: Any) -> Any:
        x = settled(ph.recursive(system), 0.0, jax.numpy.concatenate([q, z]), {})
        return straight(0.0, q, z, {})[0], x[len(q) :]

    def by_loops(q: Any, z: Any) -> Any:
        found = rolled_constrained.projected(
            system,
            StateArrays(0.0, q, z),
            {},
            along=natural_speeds(system),
            share=lambda now: 2.0 - now.count,
            enough=0.5,
        )
        return rolled_constrained.accelerations(system, 0.0, q, z, {})[0], found.z

    def both(q: Any, z: Any) -> Any:
        forward = jax.jvp(by_straight_code, (q, z), tuple(t))[1]
        return forward, jax.vjp(by_loops, q, z)[1](tuple(w))

    forward, backward = compile(both, q, z, lanes=1)(q, z)
    found = sum(a @ b for a, b in zip(backward, t, strict=True))
    assert_close(found, sum(a @ b for a, b in zip(forward, w, strict=True)), 1e-11)


def system_positions(system: ph.System, q: np.ndarray) -> np.ndarray:
    from polhode.system.rows import positions

    return np.asarray(positions(system, 0.0, q))


@pytest.mark.long
@pytest.mark.parametrize("name", ["pins", "hinges", "rods"])
def test_a_state_beside_its_rows_comes_back_to_the_same_place(name: str) -> None:
    """By loops as by straight code, to the square of how far it was beside."""
    system, q, z = CASES[name]()
    if name != "rods":
        q, z = swung(system, 0.4, 0.0)
    draws = np.random.default_rng(5)
    # As far as steps err: speeds follow the rows of places before the last step, which
    # differ by as much, so that the two ways differ by its square.
    q, z = (x + 1e-7 * draws.normal(size=len(x)) for x in (q, z))
    equations, n = ph.recursive(system), system.coordinates

    def both(q: Any, z: Any) -> Any:
        found = rolled_constrained.projected(
            system,
            StateArrays(0.0, q, z),
            {},
            along=natural_speeds(system),
            share=lambda now: 2.0 - now.count,
            enough=0.5,
        )
        x = settled(equations, 0.0, jax.numpy.concatenate([q, z]), {})
        return (found.q, found.z), (x[:n], x[n:])

    for found, wanted in zip(*compile(both, q, z, lanes=1)(q, z), strict=True):
        assert_close(found, wanted)


@pytest.mark.long
def test_code_does_not_grow_with_the_number_of_like_loops() -> None:
    """A law without a clock: rows, entries and elimination are tables."""

    def operations(loops: int) -> int:
        system = four_bars(loops)
        q = np.zeros(system.coordinates)
        of = rolled_constrained.accelerations
        program = compile(lambda q, z: of(system, 0.0, q, z, {}), q, q, lanes=1)
        return program.report().operations

    assert operations(150) == operations(300)


def test_a_row_of_loops_is_rolled_by_its_description() -> None:
    """More than 36 speeds and rows of like constraints, and not fewer."""
    for make, loops in ((four_bars, 8), (hinged_row, 5)):
        assert not size.is_rolled(make(loops))
        assert size.is_rolled(make(loops + 1))
    assert "33 speeds and constraint rows" in size.reason_against(four_bars(8))


def test_a_large_row_of_loops_moves_as_one_pendulum() -> None:
    """Uprights stay parallel, loops closed, the ledger balanced."""
    system = four_bars(25)
    motion = ph.simulate(system, start(system), until=0.2)
    turns = [system.edge(f"A{k}").q.start for k in range(26)]
    ledger = motion.ledger()
    assert np.ptp(motion.q[:, turns], axis=1).max() < 1e-9
    assert ledger.constraint_violation.max() < 1e-10
    assert np.ptp(ledger.energy) < 1e-8 * np.ptp(ledger.kinetic)


@pytest.mark.long
@pytest.mark.parametrize("make", [four_bars, hinged_row], ids=["pins", "hinges"])
def test_forty_four_bars_keep_their_energy_as_the_published_benchmark_asks(
    make: Any,
) -> None:
    """Below 0.1 J over ten seconds (library of multibody benchmarks, N four-bars)."""
    system = make(40)
    turning = {j.name: 1.0 if j.name[0] == "A" else -1.0 for j in system.joints}
    turning = {name: w for name, w in turning.items() if name[0] in "AB"}
    motion = ph.simulate(system, system.state(speeds=turning), until=10.0)
    assert np.abs(motion.ledger().balance).max() < 0.1
