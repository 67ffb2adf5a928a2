"""A joint of the user's own, from the poses it allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.rotation_admission import admit_matrix
from polhode.geometry.vector import vee
from polhode.joints.complement import complement
from polhode.joints.flat import FlatJoint
from polhode.joints.joint import Frames, construct
from polhode.matter.parameter import NOMINAL, Table

if TYPE_CHECKING:
    from polhode.public.shapes import (
        Column3,
        Column6,
        JointColumn,
        Matrix3,
        ReactionBasis,
        Residual,
        Speeds,
    )

# Gauss's and Newton's steps back from a pose to its coordinates; the last ones only
# polish, and a joint whose coordinates need more has to be given in smaller pieces.
STEPS = 16
TOGETHER = 1e-9


@final
@dataclass(frozen=True, eq=False, repr=False)
class UserJoint(FlatJoint):
    """A joint by its own law: q -> (R_FM, p_FoMo_F), the twist by differentiation.

    law    traceable function of q (n,), a rotation matrix (3, 3) and a place (3,); at
           q = 0 it gives (1, 0)
    names  of the coordinates, n of them; 'cam' with ("angle",) has 'cam.angle'
    kinds  the unit of each, "rad" or "m"

    Speeds are the rates of q. `coordinates_from` goes back from a pose by Gauss's and
    Newton's steps from q = 0, so it finds coordinates of its neighbourhood.
    """

    law: Callable[[Any], Any]
    _: KW_ONLY
    names: tuple[str, ...]
    kinds: tuple[str, ...]

    angles: ClassVar[tuple[bool, ...]]

    def __post_init__(self) -> None:
        for word, value in _describe(self).items():
            object.__setattr__(self, word, value)
        construct(self)
        _require_law(self)

    def pose(self, q: JointColumn, table: Table = NOMINAL) -> tuple[Matrix3, Column3]:
        """What the law says."""
        return self._pose(q)

    def twist(self, q: JointColumn, z: Speeds, table: Table = NOMINAL) -> Column6:
        """V = S(q) z, with S from the derivative of the law."""
        return self._freedoms(q) @ z

    def reaction(self, q: JointColumn, table: Table = NOMINAL) -> ReactionBasis:
        """An orthonormal basis of the wrenches that do no work on S(q)."""
        return self._reaction(q)

    def residual(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> Residual:
        """What is left from the nearest allowed pose, along the blocked directions."""
        return self._residual(R_FM, p_FoMo_F)

    def coordinates_from(
        self, R_FM: Matrix3, p_FoMo_F: Column3, table: Table = NOMINAL
    ) -> JointColumn:
        """The coordinates near q = 0 of an allowed pose."""
        return self._coordinates(R_FM, p_FoMo_F)

    @cached_property
    def _pose(self) -> Any:
        return _compile(_pose_of(self.law), self.neutral())

    @cached_property
    def _freedoms(self) -> Any:
        return _compile(_freedoms_of(self.law), self.neutral())

    @cached_property
    def _reaction(self) -> Any:
        freedoms = _freedoms_of(self.law)
        return _compile(lambda q: complement(freedoms(q)), self.neutral())

    @cached_property
    def _residual(self) -> Any:
        residual = _residual_of(self.law, self.neutral())
        return _compile(residual, np.eye(3), np.zeros(3))

    @cached_property
    def _coordinates(self) -> Any:
        coordinates = _coordinates_of(self.law, self.neutral())
        return _compile(coordinates, np.eye(3), np.zeros(3))


def _compile(function: Callable[..., Any], *examples: Any) -> Any:
    """The function in double precision: NumPy outside a trace, itself inside one."""
    from polhode.lowering.compile import compile

    return compile(function, *examples)


def _pose_of(law: Callable[[Any], Any]) -> Callable[[Any], Frames]:
    def pose(q: Array) -> Frames:
        import jax.numpy as jnp

        R_FM, p_FoMo_F = law(q)
        return jnp.asarray(R_FM, dtype=float), jnp.asarray(p_FoMo_F, dtype=float)

    return pose


def _freedoms_of(law: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """q -> S (6, n): columns [vee(Rᵀ ∂R); Rᵀ ∂p]."""
    pose = _pose_of(law)

    def freedoms(q: Array) -> Any:
        import jax
        import jax.numpy as jnp

        R_FM, _ = pose(q)
        R_slope, p_slope = jax.jacfwd(pose)(q)
        turning = vee(jnp.einsum("ji,jkn->nik", R_FM, R_slope)).T
        return jnp.concatenate([turning, R_FM.T @ p_slope])

    return freedoms


def _coordinates_of(law: Callable[[Any], Any], start: np.ndarray) -> Callable[..., Any]:
    """(R, p) -> q by q ← q + (SᵀS)⁻¹ Sᵀ (what is left from the pose at q)."""
    freedoms = _freedoms_of(law)

    def coordinates(R_FM: Array, p_FoMo_F: Array) -> Any:
        import jax
        import jax.numpy as jnp

        def step(q: Array, _: None) -> tuple[Any, None]:
            S = freedoms(q)
            away = _away(law, q, R_FM, p_FoMo_F)
            return q + jnp.linalg.solve(S.T @ S, S.T @ away), None

        return jax.lax.scan(step, jnp.asarray(start), None, length=STEPS)[0]

    return coordinates


def _residual_of(law: Callable[[Any], Any], start: np.ndarray) -> Callable[..., Any]:
    coordinates, freedoms = _coordinates_of(law, start), _freedoms_of(law)

    def residual(R_FM: Array, p_FoMo_F: Array) -> Any:
        q = coordinates(R_FM, p_FoMo_F)
        return complement(freedoms(q)).T @ _away(law, q, R_FM, p_FoMo_F)

    return residual


def _away(law: Callable[[Any], Any], q: Array, R_FM: Array, p_FoMo_F: Array) -> Any:
    """From the pose at q to another, written in M: rotation vector and way (6,)."""
    import jax.numpy as jnp

    R_here, p_here = _pose_of(law)(q)
    turn = so3.log(R_here.T @ R_FM)
    return jnp.concatenate([turn, R_here.T @ (p_FoMo_F - p_here)])


def _describe(joint: UserJoint) -> dict[str, Any]:
    """The class variables of other joints, found from names and units."""
    names, kinds = tuple(joint.names), tuple(joint.kinds)
    count = len(names)
    if not 1 <= count <= 6 or len(kinds) != count or set(kinds) - {"rad", "m"}:
        raise ModelError(
            f"joint {joint.name!r} has coordinates {names} in units {kinds}.",
            "A joint of one's own has one to six coordinates, each in rad or m.",
            'Give names=("angle", "lift") and kinds=("rad", "m"), or the like.',
        )
    suffixes = tuple(f".{name}" for name in names)
    return {
        "coordinates": count,
        "speeds": count,
        "names": names,
        "kinds": kinds,
        "coordinate_suffixes": suffixes,
        "speed_suffixes": suffixes,
        "units": kinds,
        "speed_units": tuple(f"{kind}/s" for kind in kinds),
        # Whether a whole turn is the same pose only the user's law knows.
        "angles": (False,) * count,
    }


def _require_law(joint: UserJoint) -> None:
    """Refuse a law that is no pose, not 1 at q = 0, or has idle coordinates."""
    R_FM, p_FoMo_F = joint.pose(joint.neutral())
    if np.shape(R_FM) != (3, 3) or np.shape(p_FoMo_F) != (3,):
        raise ModelError(
            f"the law of joint {joint.name!r} gives shapes {np.shape(R_FM)} and"
            f" {np.shape(p_FoMo_F)}.",
            "A pose is a rotation matrix (3, 3) and a place (3,).",
            "Return (R, p), both in the axes of the joint's first frame.",
        )
    admit_matrix(R_FM, f"the pose of joint {joint.name!r} at q = 0")
    away = np.max(np.abs([*(R_FM - np.eye(3)), p_FoMo_F]))
    if not away <= TOGETHER:
        raise ModelError(
            f"the law of joint {joint.name!r} does not begin at the first frame: at"
            f" q = 0 it is off by {away:.3g}.",
            "At q = 0 the two frames of a joint coincide.",
            "Put what is constant into the points and axes of its ends.",
        )
    sizes = np.linalg.svd(joint._freedoms(joint.neutral()), compute_uv=False)
    if not sizes[-1] > TOGETHER * sizes[0]:
        raise ModelError(
            f"the {joint.coordinates} coordinates of joint {joint.name!r} are not"
            " independent at q = 0.",
            "Some combination of their rates moves nothing.",
            "Leave one out, or choose others. If it is so at this place alone, a pole"
            " or the tip of a cone, count them from another: let the law begin there.",
            f"Singular values of its twist: {sizes.tolist()}",
        )
