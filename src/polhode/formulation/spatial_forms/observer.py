"""Who sees the rates: the world, the body itself, another body, or a turning frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.formulation.spatial_forms.forms import RATES
from polhode.geometry.frame import Frame
from polhode.geometry.rotations.rotation_admission import admit_matrix
from polhode.geometry.vector import vee
from polhode.matter.parameter import Table
from polhode.system.members import suggestion
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False)
class Observer:
    """A frame A that turns in a given way: rotation(t) is R_WA (3, 3), traceable.

    Its columns are the axes of A, written in the world. An orbital frame is one; where
    its origin is does not matter to a rate.

    >>> import jax.numpy as jnp
    >>> Observer("still", lambda t: jnp.eye(3)).name
    'still'
    """

    name: str
    rotation: Callable[[Any], Any]

    def __post_init__(self) -> None:
        admit_matrix(doubled(self.rotation)(0.0), f"observer {self.name!r} at t = 0")


Seen: TypeAlias = str | Frame | Observer


def observers_of(system: System, rates: Seen | Mapping[str, Seen]) -> tuple[Seen, ...]:
    """Who sees the rates of each body, in the order of `system.bodies`; checked."""
    each = by_body(system, rates, "rates")
    for body, seen in zip(system.bodies, each, strict=True):
        if isinstance(seen, Observer) or seen in RATES:
            continue
        if not isinstance(seen, Frame):
            raise ModelError(
                f"the rates of {body.name!r} cannot be seen from {seen!r}.",
                "The same velocity has another rate before each observer that turns.",
                'Give "inertial", "body", the frame of a body, or an Observer.',
            )
        if seen is not system.tree.world.frame:
            _require_member(system, seen)
    return each


def by_body(system: System, given: Any, word: str) -> tuple[Any, ...]:
    """One entry a body: the given one for all, or from a mapping by names of bodies."""
    names = [body.name for body in system.bodies]
    if not isinstance(given, Mapping):
        return (given,) * len(names)
    for name in given:
        if name not in names:
            raise ModelError(
                f"{system.name!r} has no body {name!r} to give `{word}` for.",
                "They are given by names of bodies.",
                suggestion(name, names),
            )
    missing = [name for name in names if name not in given]
    if missing:
        raise ModelError(
            f"`{word}` says nothing of {', '.join(map(repr, missing))}.",
            "Every body has a point and an observer of its own.",
            "Name all bodies, or give one value for all.",
        )
    return tuple(given[name] for name in names)


def axes(
    system: System, each: tuple[Seen, ...], t: Scalar, q: Array, table: Table
) -> tuple[Any, Any]:
    """R_WA (n, 3, 3), the axes of each body's observer, and R_AB of the body in them.

    One that sees from the body itself has the body's axes: R_AB = 1.
    """
    R_WB, worlds = system.poses(t, q, table).rotations, system.tree.world.frame
    found = []
    for k, seen in enumerate(each):
        if seen == "body" or seen is system.bodies[k].frame:
            found.append((R_WB[k], np.eye(3)))
        elif seen == "inertial" or seen is worlds:
            found.append((np.eye(3), R_WB[k]))
        else:
            R_WA = _turning_frame(system, seen, t, R_WB)
            found.append((R_WA, R_WA.T @ R_WB[k]))
    observers, bodies = zip(*found, strict=True)
    return jnp.stack(observers), jnp.stack(bodies)


def observer_spins(
    system: System,
    each: tuple[Seen, ...],
    state: StateArrays,
    q_dot: Array,
    table: Table,
) -> Any:
    """w_WA_A (n, 3): how the observers turn in the world, along their own axes.

    `state` is (t, q, w) with the angular velocities w (n, 3) along the same axes.
    """
    t, q, w = state
    now, along = (1.0 * jnp.asarray(t), q), (jnp.ones_like(1.0 * t), q_dot)
    R_WA, R_WA_dot = jax.jvp(
        lambda t, q: axes(system, each, t, q, table)[0], now, along
    )
    turning = vee(R_WA.swapaxes(-1, -2) @ R_WA_dot)
    own = [
        s == "body" or s is b.frame for s, b in zip(each, system.bodies, strict=True)
    ]
    return jnp.where(np.array(own)[:, None], w, turning)


def _turning_frame(system: System, seen: Any, t: Scalar, R_WB: Array) -> Any:
    """R_WA of a frame that turns in time, or with another body."""
    if isinstance(seen, Observer):
        return jnp.asarray(seen.rotation(t))
    return R_WB[system.places_of([seen])[0]]


def _require_member(system: System, frame: Frame) -> None:
    frames = [body.frame for body in system.bodies]
    if frame not in frames:
        raise ModelError(
            f"the rates cannot be seen from {frame.name!r}: it is not in"
            f" {system.name!r}.",
            "How it turns must be known: by the system's coordinates or in time.",
            "Give the frame of a body of the system, or an Observer with its motion.",
        )
