"""Like rows asked together on the host say what each says alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from tests.system.rolled.test_rows import hanging_net, hinged_row

import polhode as ph
from polhode.models.mechanisms.four_bars import four_bars
from polhode.system import numeric_constraints
from polhode.system.rolled import host_rows


def geared() -> ph.System:
    """Wheels on tilted axles, each geared to the next by a ratio of its own."""
    world, wheels = ph.World(), []
    for k in range(4):
        wheel = ph.Body(f"wheel {k}", ph.solids.sphere(mass=1.0, radius=0.1))
        axle = world.point(float(k), 0, 0), wheel.origin
        wheels.append(ph.Revolute(f"h{k}", *axle, axis=(0.1 * k, 0, 1)))
    pairs = enumerate(pairwise(wheels))
    gears = [ph.Gear(a, b, ratio=1.5 + k, name=f"g{k}") for k, (a, b) in pairs]
    return ph.System(wheels, (), gears, name="geared")


CASES: dict[str, Callable[[], ph.System]] = {
    "pins": lambda: four_bars(3),
    "hinges": lambda: hinged_row(2),
    "rods": lambda: hanging_net(4),
    "gears": geared,
}


@pytest.mark.parametrize("name", list(CASES))
def test_rows_asked_together_are_those_asked_one_by_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values, slopes and natural sizes, away from where the rows are kept."""
    system, draws = CASES[name](), np.random.default_rng(4)
    q = system.local(system.neutral(), draws.normal(size=system.speeds))
    z = draws.normal(size=system.speeds)

    def asked() -> list[numeric_constraints.HostRows]:
        now = numeric_constraints.scene(system, 0.3, q)
        return [
            numeric_constraints.positions(system, now),
            numeric_constraints.velocities(system, now, z),
        ]

    alone = asked()
    monkeypatch.setattr(numeric_constraints, "is_rolled", lambda _: True)
    monkeypatch.setattr(host_rows, "MANY", 1)
    assert host_rows.like_rows(
        system, 0.3, q, numeric_constraints.scene(system, 0.3, q).poses, {}
    )
    for found, wanted in zip(asked(), alone, strict=True):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
