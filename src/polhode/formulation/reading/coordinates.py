"""Coordinates of one's choice, to read equations in: absolute angles, Euler angles.

    q = Q(s),    z = E(s) s_dot,    E^T (M z_dot + b - f - A^T l) = 0

A system moves in the coordinates q of its joints. People may want to read its equations
in others, s: the power of every force is the same, so that equations in s are those in
the speeds z, combined by the columns of E.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Scalar
from polhode.errors import ModelError, PolhodeError
from polhode.geometry.rotations import modified_rodrigues, quaternion
from polhode.geometry.rotations.euler_angles import axes_of

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False)
class Coordinates:
    """Coordinates s in which equations are read, by what the joints are in them.

    names   of s, in order
    law     law(*s) -> {joint: coordinate}, or a list where it has several; traceable.
            Joints that it leaves out keep their own

    >>> import polhode as ph
    >>> absolute = ph.Coordinates(
    ...     ("phi_1", "phi_2"), lambda a, b: {"shoulder": a, "elbow": b - a})
    >>> ph.Coordinates.euler("craft", "zxz").names
    ('phi', 'theta', 'psi')
    """

    names: tuple[str, ...]
    law: Callable[..., Mapping[str, Any]]

    def __post_init__(self) -> None:
        names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
        are_words = all(isinstance(each, str) for each in names)
        if not names or not are_words or len(set(names)) < len(names):
            raise ModelError(
                f"coordinates cannot be called {names!r}.",
                "Each has a name of its own, by which equations call it.",
                'Give names such as ("phi_1", "phi_2").',
            )
        object.__setattr__(self, "names", names)

    @staticmethod
    def euler(
        joint: str,
        sequence: str = "zxz",
        names: tuple[str, str, str] = ("phi", "theta", "psi"),
    ) -> Coordinates:
        """Euler angles of a ball joint: turns about moving axes, in their order."""
        axes_of(sequence)  # refused where it is none
        places = ["xyz".index(letter) for letter in sequence.lower()]

        def law(*angles: Any) -> dict[str, Any]:
            turn: Any = jnp.array([1.0, 0.0, 0.0, 0.0])
            for axis, angle in zip(places, angles, strict=True):
                unit = np.zeros(3)
                unit[axis] = 1.0
                half = angle / 2
                one = jnp.concatenate([jnp.cos(half)[None], jnp.sin(half) * unit])
                turn = quaternion.product(turn, one)
            return {joint: turn}

        return Coordinates(names, law)

    @staticmethod
    def mrp(
        joint: str, names: tuple[str, str, str] = ("sigma_1", "sigma_2", "sigma_3")
    ) -> Coordinates:
        """Modified Rodrigues parameters of a ball joint."""

        def law(*sigma: Any) -> dict[str, Any]:
            return {joint: modified_rodrigues.to_quaternion(jnp.stack(sigma))}

        return Coordinates(names, law)

    def of(self, system: System) -> Chart:
        """The chart of a system: joints that the law leaves out keep their own."""
        return Chart(self, system)


@final
class Chart:
    """Coordinates s of one system: those chosen, then those of the joints left out."""

    def __init__(self, chosen: Coordinates, system: System):
        self.chosen, self.system = chosen, system
        with jax.enable_x64(True):
            found = self._placed(jnp.linspace(0.1, 0.3, len(chosen.names)))
        self.changed = tuple(found)
        known = {edge.joint.name for edge in system.tree.edges}
        for name in self.changed:
            if name not in known:
                raise ModelError(
                    f"coordinates say where {name!r} is, which is no joint of"
                    f" {system.name!r}.",
                    "They are functions that place joints.",
                    f"There are: {', '.join(map(repr, sorted(known)))}.",
                )
        kept = [e.joint for e in system.tree.edges if e.joint.name not in self.changed]
        for joint in kept:
            if joint.coordinates != joint.speeds:
                raise ModelError(
                    f"coordinates leave out {joint.name!r}, which has a quaternion.",
                    "Its four parts are no independent coordinates.",
                    f"Choose some: ph.Coordinates.euler({joint.name!r}).",
                )
        self.names = (*chosen.names, *(n for j in kept for n in j.coordinate_names))

    def place(self, s: Any) -> Any:
        """q (nq,) of s (k,)."""
        count = len(self.chosen.names)
        found, rest, parts = self._placed(s[:count]), s[count:], []
        for edge in self.system.tree.edges:
            size = edge.joint.coordinates
            if edge.joint.name in found:
                part = jnp.reshape(jnp.asarray(found[edge.joint.name], float), (-1,))
                _require_size(edge.joint, part)
            else:
                part, rest = rest[:size], rest[size:]
            parts.append(part)
        return jnp.concatenate(parts)

    def speeds(self, t: Scalar, s: Scalar, s_dot: Any) -> Any:
        """z (nz,) of s and its rates."""
        q, q_dot = jax.jvp(self.place, (1.0 * s,), (1.0 * s_dot,))
        return self.system.speeds_from(t, q, q_dot)

    def _placed(self, s: Any) -> Mapping[str, Any]:
        try:
            found = self.chosen.law(*s)
        except PolhodeError:
            raise
        except Exception as reason:
            raise ModelError(
                f"the law of the coordinates {self.chosen.names} raised"
                f" {type(reason).__name__}: {reason}",
                "It takes one number for each of them, and says where joints are.",
                'Give lambda a, b: {"shoulder": a, "elbow": b - a}, in jax.numpy.',
            ) from reason
        if isinstance(found, Mapping):
            return found
        raise ModelError(
            f"the law of the coordinates {self.chosen.names} gave {found!r}.",
            "It says where joints are, by their names.",
            'Return {"shoulder": a, "elbow": b - a}.',
        )


def _require_size(joint: Any, part: Any) -> None:
    if part.shape != (joint.coordinates,):
        raise ModelError(
            f"coordinates place joint {joint.name!r} by {part.size} numbers.",
            f"It has {joint.coordinates}: {', '.join(joint.coordinate_names)}.",
            "Return as many; a ball joint has (qw, qx, qy, qz).",
        )
