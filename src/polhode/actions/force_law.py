"""Users' own forces at a point: any law of its place, its velocity and the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.defaults import FramedAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
    velocity_of,
)
from polhode.actions.user_law import require_real
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ForceError, PolhodeError
from polhode.geometry.frame import Frame
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.quantities.constants import admit_constants, call_form, values_of


@final
@dataclass(frozen=True, eq=False)
class ForceLaw(FramedAction):
    """A force on a point of a body by another body or the world, by the user's law.

    `law(x, v, t, **constants)` gives the force (3,) in newtons from the place x (3,)
    and velocity v (3,) of the point, both seen from the body `by` and along its axes;
    traceable. The body `by` feels the opposite force at the same place. `constants` are
    numbers or parameters that the law takes by name. Three `ph.Formula`s of x, y, z,
    vx, vy, vz and t are a law, too, and go into files.

    >>> import polhode as ph
    >>> world, ball = ph.World(), ph.Particle("ball", 0.5)
    >>> ph.ForceLaw(ball.mass_centre, world.frame, lambda x, v, t: -3.0 * x).name
    'force law'
    >>> k = ph.Parameter("k", 3.0)
    >>> law = lambda x, v, t, k: -k * x
    >>> ph.ForceLaw(ball.mass_centre, world.frame, law, constants={"k": k}).parameters
    (Parameter('k', 3),)
    """

    on: Attachment
    by: Frame
    law: Callable[..., Any] | Sequence[Callable[..., Any]]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = "force law"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_two_bodies(self.name, self.on.frame, self.by)
        if isinstance(self.law, list | tuple):
            object.__setattr__(self, "law", tuple(self.law))
        named = self.constants if callable(self.law) else self._of_formulas()
        admitted = admit_constants(self.name, named, self.law)
        object.__setattr__(self, "constants", admitted)
        _require_three(self.name, self._vector, self.constants)

    def _of_formulas(self) -> dict[str, Any]:
        """The constants of three formulas together; those given come before them."""
        parts = self.law if isinstance(self.law, tuple) else ()
        if [len(getattr(part, "of", ())) for part in parts] != [7, 7, 7]:
            raise ForceError(
                f"the law of {self.name!r} is {self.law!r:.80}.",
                "A force is one function of x, v and t, or three formulas.",
                'Give three ph.Formula(text, ("x", "y", "z", "vx", "vy", "vz", "t")).',
            )
        merged: dict[str, Any] = {}
        for key, value in (pair for part in parts for pair in part.constants.items()):
            if key in merged and merged[key] is not value and merged[key] != value:
                raise ForceError(
                    f"the formulas of {self.name!r} have two values of {key!r}.",
                    "A name stands for one thing in a law.",
                    "Give all three the same, or call one of them otherwise.",
                )
            merged[key] = value
        return {**merged, **self.constants}

    def _vector(self, x: Array, v: Array, t: Scalar, **constants: Any) -> Any:
        """The user's force (3,), by one law or by three formulas."""
        if callable(self.law):
            return self.law(x, v, t, **constants)
        import jax.numpy as jnp

        values = (*x, *v, t)
        formulas: Sequence[Any] = self.law
        own = [{key: constants[key] for key in part.constants} for part in formulas]
        pairs = zip(formulas, own, strict=True)
        return jnp.stack([part(*values, **named) for part, named in pairs])

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the point, and the constants of the law."""
        return parameters_of((self.on,), *self.constants.values())

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The force at the point, and its opposite on the body that exerts it."""
        arm = arm_of(poses, 0, self.on, table)
        x = arm_from_other(poses, arm)
        v = velocity_of(twists, 0, arm) - velocity_of(twists, 1, x)
        R_WB = poses.rotations[..., 1, :, :]
        constants = values_of(self.constants, table)
        F = turn(poses, 1, self._force(R_WB.T @ x, R_WB.T @ v, t, constants))
        return interaction(poses, arm, F, 0.0 * F)

    def fault(self) -> str:
        """The law is the user's."""
        return "Its law gave no finite force."

    @cached_property
    def _force(self) -> Callable[..., Any]:
        def force(x: Array, v: Array, t: Scalar, constants: Mapping[str, Any]) -> Any:
            import jax.numpy as jnp

            value = jnp.asarray(self._vector(x, v, t, **constants))
            require_real(self.name, value)
            return value.astype(float)

        return doubled(force)


def _require_three(
    name: str, law: Callable[..., Any], constants: Mapping[str, Any]
) -> None:
    """Refuse a law that fails, or that does not give three numbers."""
    import jax

    column = jax.ShapeDtypeStruct((3,), np.float64)
    values = values_of(constants, NOMINAL)
    try:
        with jax.enable_x64(True):
            shape = np.shape(jax.eval_shape(law, column, column, 0.0, **values))
    except PolhodeError:
        raise
    except Exception as error:
        first = str(error).partition("\n")[0]
        raise ForceError(
            f"the law of {name!r} fails: {type(error).__name__}: {first}",
            f"It is called as {call_form(('x', 'v', 't'), constants)}, with a place and"
            " a velocity of three numbers each, and traced once.",
            "Write it with jax.numpy; a choice is jnp.where, not if.",
        ) from error
    if shape != (3,):
        raise ForceError(
            f"the law of {name!r} gives shape {shape}, not (3,).",
            "A force has three components.",
            "Return jnp.array([x, y, z]) in newtons.",
        )
