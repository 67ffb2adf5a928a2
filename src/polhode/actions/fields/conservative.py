"""Is a field conservative? Its curl at points, its work round loops, its energy.

A field with zero curl everywhere need not have a potential energy: where its domain has
a hole through it, the work round the hole may differ from zero. So both are sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from polhode.actions.fields.field import ForceField
from polhode.actions.fields.work import Path, circulation, integral, power_along
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ForceError
from polhode.geometry.admission import admit

TOLERANCE = 1e-8


@final
@dataclass(frozen=True)
class Conservativity:
    """What the samples say: the largest curl and circulation, each relative.

    `curl` is relative to the largest derivative seen; `circulation` (J) to the largest
    |F| times the length of the loop. `loop` is the loop of the largest circulation.
    """

    field: ForceField
    curl: float
    circulation: float
    relative_circulation: float
    loop: Path

    @property
    def is_curl_free(self) -> bool:
        """Whether every sampled curl is zero to rounding."""
        return self.curl <= TOLERANCE

    @property
    def is_conservative(self) -> bool:
        """Whether every sampled curl and every sampled circulation is zero."""
        return self.is_curl_free and self.relative_circulation <= TOLERANCE

    def __str__(self) -> str:
        name = self.field.name
        if self.is_conservative:
            return f"{name!r} is conservative on all samples."
        if self.is_curl_free:
            return (
                f"{name!r} is curl-free but not conservative: a loop gives"
                f" {self.circulation:.6g} J.\n\n"
                "  Its domain is not simply connected: the loop goes round a hole.\n\n"
                "  Cut the domain so that no loop encloses the hole."
            )
        share = f"{self.curl:.3g} of its gradient"
        return f"{name!r} is not conservative: its curl is {share}."


def conservativity(
    field: ForceField,
    corner: Any,
    opposite: Any,
    *,
    loops: Sequence[Path] = (),
    samples: int = 24,
    seed: int = 0,
) -> Conservativity:
    """Sample the curl and the circulation of a steady field inside a box.

    Loops are random circles in the box, and those the caller adds: give one round each
    hole that is known.
    """
    low, high = admit(corner, (3,), "a corner"), admit(opposite, (3,), "a corner")
    rng = np.random.default_rng(seed)
    rate = power_along(field, circle)
    rounds = []
    for _ in range(samples):
        shape = _random_circle(rng, low, high)
        what = f"the circulation of {field.name!r}"
        loop = partial(_circle_by, shape=shape)
        work = integral(partial(_rate_by, rate, shape), 0.0, 1.0, 1e-10, what)
        rounds.append(_relative(field, work, loop))
    rounds += [_relative(field, circulation(field, loop), loop) for loop in loops]
    worst = max(rounds, key=lambda r: r[1])
    curl = _largest_curl(field, rng.uniform(low, high, size=(samples, 3)))
    return Conservativity(field, curl, *worst)


def circle(s: Scalar, centre: Array, first: Array, second: Array) -> Any:
    """A circle as a path from s = 0 to 1, by its centre and two half-axes."""
    xp = namespace(s, centre)
    angle = 2 * np.pi * s
    return centre + xp.cos(angle) * first + xp.sin(angle) * second


def _rate_by(rate: Any, shape: Sequence[Any], s: float) -> Any:
    return rate(s, *shape)


def _circle_by(s: Scalar, shape: Sequence[Any]) -> Any:
    return circle(s, *shape)


def _largest_curl(field: ForceField, places: np.ndarray) -> float:
    slopes = np.stack([field.gradient(x) for x in places])
    skewed = np.abs(slopes - slopes.swapaxes(-1, -2))
    scale = float(np.max(np.abs(slopes)))
    return float(np.max(skewed)) / scale if scale else 0.0


def _relative(field: ForceField, work: float, loop: Path) -> tuple[float, float, Path]:
    """The circulation, also relative to the force times the way, and its loop."""
    path = np.stack([np.asarray(loop(s), float) for s in np.arange(17) / 16])
    way = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
    force = max(float(np.linalg.norm(field.value(x))) for x in path[:-1])
    return work, abs(work) / (force * way) if force else 0.0, loop


def _random_circle(rng: np.random.Generator, low: np.ndarray, high: np.ndarray) -> Any:
    centre = rng.uniform(low, high)
    room = float(np.min(np.minimum(centre - low, high - centre)))
    axes, _ = np.linalg.qr(rng.normal(size=(3, 2)))
    return centre, room * axes[:, 0], room * axes[:, 1]


def energy_from(
    field: ForceField, reference: Any, *, order: int = 24, panels: int = 4
) -> Callable[[Any], Any]:
    """The potential energy of a conservative field, zero at `reference`.

        V(x) = - integral_0^1 F(x0 + s (x - x0)) . (x - x0) ds

    Gauss points on the straight ray from x0: the domain must be star-shaped about x0,
    and smooth along rays. Traceable. Check it with `matches(field, energy, places)`.
    """
    import jax

    start = admit(reference, (3,), f"the reference place of {field.name!r}")
    nodes, weights = np.polynomial.legendre.leggauss(order)
    s = ((nodes + 1) / 2 + np.arange(panels)[:, None]).ravel() / panels
    w = np.tile(weights / 2 / panels, panels)
    _refuse_undefined(field, start)

    def energy(x: Array) -> Any:
        ray = x - start
        points = start + s[:, None] * ray
        forces = jax.vmap(lambda at: field.force(at, 0.0 * at, 0.0))(points)
        return -(w * (forces * ray).sum(-1)).sum()

    return energy


def _refuse_undefined(field: ForceField, start: np.ndarray) -> None:
    try:
        field.value(start)
    except ForceError as reason:
        raise ForceError(
            f"{field.name!r} has no force at its reference place {start}.",
            "Energy is measured from there along straight rays.",
            "Choose a reference place inside the domain of the field.",
        ) from reason
