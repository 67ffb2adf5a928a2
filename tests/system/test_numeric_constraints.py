"""Rows asked on the host: remembered where they were, and never where they are not."""

from __future__ import annotations

import numpy as np

import polhode as ph
from moving import four_bar
from polhode.models.mechanisms.four_bars import four_bars
from polhode.system import numeric_constraints


def test_what_is_remembered_is_what_would_be_found():
    """At one place, another, and the first again; with another time and table too."""
    system = four_bar()
    rng, rest = np.random.default_rng(2), system.rest()
    places = [rest.q + 0.1 * rng.normal(size=rest.q.shape) for _ in range(2)]
    for q, t in [
        (places[0], 0.0),
        (places[1], 0.0),
        (places[0], 0.0),
        (places[0], 1.0),
    ]:
        now = numeric_constraints.scene(system, t, q)
        kept = [
            numeric_constraints.positions(system, now),
            numeric_constraints.positions(system, now),
        ]
        system.compiled.clear()
        fresh = numeric_constraints.positions(system, now)
        for found in kept:
            assert all(map(np.array_equal, found, fresh))


def test_a_parameter_moves_what_was_remembered():
    """The pins of a four-bar follow its length."""
    system = four_bars(1)
    q = system.rest().q + 0.1
    first = numeric_constraints.positions(
        system, numeric_constraints.scene(system, 0.0, q)
    )
    table = {"l": np.array(2.0), "unused": np.ones(3)}
    for _ in range(2):
        longer = numeric_constraints.positions(
            system, numeric_constraints.scene(system, 0.0, q, table)
        )
        table = {name: value.copy() for name, value in table.items()}
    assert np.allclose(longer.values, 2 * first.values, rtol=1e-12)
    assert not np.allclose(longer.slopes, first.slopes)


def test_a_law_that_many_share_is_traced_as_often_as_that_of_one():
    """Every trace is compiled, which takes as long as a hundred bodies."""

    def traces(count: int) -> int:
        calls = []

        def off(place):
            calls.append(place)
            return place[:2]

        hinges, pins, world = [], [], ph.World()
        for k in range(count):
            ball = ph.Body(f"ball {k}", ph.solids.sphere(mass=1.0, radius=0.1))
            place = world.point(2.0 * k, 0, 0)
            hinges.append(ph.Planar(f"floor {k}", place, ball.origin, normal=ph.Z))
            pins.append(
                ph.PointOn(place, ball.frame, off, rows=("x", "y"), name=f"pin {k}")
            )
        ph.System(hinges, [], pins)
        return len(calls)

    assert traces(6) == traces(1)
