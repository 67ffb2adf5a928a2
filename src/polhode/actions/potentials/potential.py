"""Potential energies of relative poses: forces and moments on all bodies follow.

A potential is a function of where its bodies are relative to the first of them, so no
superposed rigid motion changes it, and the third law holds with moments included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, final

from polhode.actions.action import require_frames
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potentials.invariant import (
    Placement,
    Slopes,
    conservative_wrenches,
    inner_products,
    placements,
    relative,
    slopes_of,
    triple_products,
)
from polhode.arrays import Scalar, namespace
from polhode.double import doubled
from polhode.errors import ForceError, ModelError, PolhodeError
from polhode.geometry.frame import Frame
from polhode.matter.parameter import NOMINAL, Parameter, Table, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of

Energy = Callable[..., Any]
PLACEMENT = ("x", "y", "z", *(f"R_{i}{k}" for i in (1, 2, 3) for k in (1, 2, 3)))


@final
@dataclass(frozen=True, eq=False)
class Potential:
    """A potential energy V of bodies, by their placements relative to the first.

    `law(b, c, ..., **constants)` is the energy in joules: b, c, ... are the placements
    (position, rotation) of the second body, the third, ... in the axes of the first,
    the pivot; traceable. Forces and moments on all bodies follow by JAX.

    Of two bodies the law may be a `ph.Formula`, which goes into files: of the place
    x, y, z of the second, or of these and of its rotation, row by row: R_11 to R_33.

    >>> sun, ship = Frame("sun"), Frame("ship")
    >>> Potential((sun, ship), lambda b, k: k * b.position @ b.position / 2, {"k": 3})
    Potential('potential' of 'sun', 'ship')
    """

    bodies: tuple[Frame, ...]
    law: Energy
    constants: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    name: str = "potential"

    # The variables of a formula: a place, and a rotation matrix row by row.
    PLACEMENT: ClassVar[tuple[str, ...]] = PLACEMENT

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", distinct(self.name, self.bodies, 2))
        object.__setattr__(
            self, "constants", admit_constants(self.name, self.constants, self.law)
        )
        of = formula_variables(self.law)
        if of and (len(self.bodies) != 2 or len(of) not in (3, 12)):
            raise ForceError(
                f"the formula of {self.name!r} is of {', '.join(of)}, and of"
                f" {len(self.bodies)} bodies.",
                "A formula has numbers as variables: the place of the second body in"
                " the axes of the first, three, and its rotation matrix, nine more.",
                'Give ph.Formula(text, ("x", "y", "z")), or ph.Formula(text,'
                " ph.Potential.PLACEMENT) with R_11 to R_33, or a function.",
            )

    @staticmethod
    def of_particles(
        bodies: tuple[Frame, ...],
        law: Callable[[Any, Any], Any],
        name: str = "potential",
    ) -> Potential:
        """A potential of particles: a function of inner and triple products alone.

        law(inner, triple), with r_i = x_i - x_0: inner r_i.r_k (i <= k) and triple
        r_i.(r_j x r_k) (i < j < k), in order.
        """

        def energy(*others: Placement) -> Any:
            xp = namespace(*(b.position for b in others))
            first = xp.zeros_like(others[0].position)
            places = xp.stack([first, *(b.position for b in others)])
            return law(inner_products(places), triple_products(places))

        return Potential(bodies, energy, name=name)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())

    @property
    def is_conservative(self) -> bool:
        """Its power is the loss of its energy."""
        return True

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V at the poses of the bodies."""
        return self._energy(relative(poses), values_of(self.constants, table))

    def slopes(self, poses: Poses, table: Table = NOMINAL) -> Slopes:
        """V_y and v_Y: slopes by relative places and turns, in the pivot's axes."""
        return self._slopes(relative(poses), values_of(self.constants, table))

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """F_D = -Q_p V_y, M_D = -Q_p v_Y, and the third law's wrench on the pivot."""
        return conservative_wrenches(poses, self.slopes(poses, table))

    def with_pivot(self, body: Frame) -> Potential:
        """The same potential, by placements relative to another of its bodies."""
        index = self.bodies.index(body)
        order = (index, *(k for k in range(len(self.bodies)) if k != index))

        def energy(*others: Placement, **constants: Any) -> Any:
            xp = namespace(*others[0])
            position, rotation = others[0]
            here = Placement(0.0 * position, xp.eye(3) + 0.0 * rotation)
            seen = dict(zip(order, (here, *others), strict=True))
            stacked = [seen[k] for k in range(len(order))]
            poses = Poses(
                xp.stack([b.rotation for b in stacked]),
                xp.stack([b.position for b in stacked]),
            )
            return energy_of(self.law, placements(relative(poses)), constants)

        bodies = tuple(self.bodies[k] for k in order)
        return Potential(bodies, energy, self.constants, name=self.name)

    def fault(self) -> str:
        """The energy has no slope there."""
        return "The energy or its slope is not finite at these relative poses."

    @cached_property
    def _energy(self) -> Callable[..., Any]:
        return doubled(lambda seen, c: energy_by(self, *placements(seen), **c))

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        def slopes(seen: Poses, c: dict[str, Any]) -> Slopes:
            return slopes_of(
                lambda poses: energy_by(self, *placements(poses), **c), seen
            )

        return doubled(slopes)

    def __repr__(self) -> str:
        names = ", ".join(repr(body.name) for body in self.bodies)
        return f"Potential({self.name!r} of {names})"


@final
@dataclass(frozen=True, eq=False)
class ForceFunction:
    """A force function U, of which forces are the slope with a plus sign: F = +grad U.

    Some books write L = T + U with it. It is minus the potential energy, and converts
    by that sign only. The arguments of the law are those of `Potential`.
    """

    bodies: tuple[Frame, ...]
    law: Energy
    constants: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    name: str = "force function"

    def potential(self) -> Potential:
        """The potential energy V = -U."""
        law = self.law
        return Potential(
            self.bodies,
            lambda *b, **c: -energy_of(law, b, c),
            self.constants,
            name=self.name,
        )

    @staticmethod
    def of(potential: Potential) -> ForceFunction:
        """The force function U = -V."""
        law = potential.law
        return ForceFunction(
            potential.bodies,
            lambda *b, **c: -energy_of(law, b, c),
            potential.constants,
            name=potential.name,
        )


def formula_variables(law: Any) -> tuple[str, ...]:
    """The variables of a law that is a formula; none of a function."""
    return tuple(getattr(law, "of", ()))


def energy_of(law: Energy, placed: Sequence[Any], constants: Mapping[str, Any]) -> Any:
    """What a law gives for placements: a formula is asked with their numbers."""
    count = len(formula_variables(law))
    if not count:
        return law(*placed, **constants)
    (other,) = placed
    numbers = [*other.position, *(entry for row in other.rotation for entry in row)]
    return law(*numbers[:count], **constants)


def energy_by(potential: Any, *arguments: Any, **constants: Any) -> Any:
    """The energy that a user's law gives, refused by name if it is not one number."""
    import jax

    try:
        energy = energy_of(potential.law, arguments, constants)
        value = jax.numpy.asarray(energy)
    except PolhodeError:
        raise
    except Exception as reason:
        first = str(reason).partition("\n")[0]
        raise ForceError(
            f"the law of {potential.name!r} gave no energy.",
            f"Calling it failed: {type(reason).__name__}: {first}",
            "Let it take one placement (position, rotation) a body, as its class says,"
            " and its constants by name, and calculate with jax.numpy: no float(), no"
            " NumPy, no `if` on numbers.",
        ) from reason
    if value.shape != () or jax.numpy.iscomplexobj(value):
        kind = "a complex number" if value.shape == () else f"shape {value.shape}"
        raise ForceError(
            f"the law of {potential.name!r} gave {kind}, not one number.",
            "Energy is a scalar: forces and moments are its slopes.",
            "Return the energy in joules, such as k * b.position @ b.position / 2.",
        )
    return value.astype(float)


def distinct(name: str, bodies: Any, least: int) -> tuple[Frame, ...]:
    """The frames of at least so many bodies, each once."""
    frames = tuple(bodies)
    require_frames(name, frames)
    if len(frames) < least or len(set(map(id, frames))) < len(frames):
        listed = ", ".join(repr(body.name) for body in frames)
        raise ModelError(
            f"{name!r} cannot act on the bodies ({listed}).",
            f"It needs at least {least}, each once: what depends on one body alone is"
            " no interaction."
            if least > 1
            else "It needs at least one, each once.",
            "Add the body that acts: the world, the Earth, or a driver.",
        )
    return frames
