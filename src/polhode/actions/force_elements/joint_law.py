"""Laws along a joint: springs, dampers and motors on its own coordinates.

A law gives an effort tau (speeds,), the generalised force on the speeds of its joint:

    effort(q, z, t, table) -> tau      its power is tau . z
    energy(q, t, table) -> V           0 if it stores none

q and z are the joint's own coordinates and speeds, so turns are counted. A number
serves a joint whose speeds have all one unit; else give one for each speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Protocol, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import JointAction
from polhode.actions.user_law import given
from polhode.arrays import Array, Scalar, namespace
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint, freedoms
from polhode.joints.motor_data import common_unit, effort_unit
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.quantities.constants import admit_constants, values_of


class JointLaw(Protocol):
    """What acts along a joint; see the module."""

    @property
    def name(self) -> str:
        """What errors, ledgers and printed equations call it."""

    @property
    def joint(self) -> Joint:
        """The joint along whose speeds it acts."""

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two bodies of the joint, the successor first."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on."""

    @property
    def is_conservative(self) -> bool:
        """Whether its power is the loss of its energy in every motion."""

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau (speeds,)."""

    def energy(self, q: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The energy stored; 0 for a law that stores none."""


def effort_wrench(joint: Joint, q: Array, effort: Array, table: Table = NOMINAL) -> Any:
    """A wrench (6,) on the successor that has this effort, about Mo and in M.

        W = S (SᵀS)⁻¹ tau,     Sᵀ W = tau

    The predecessor feels -W. What any other such wrench adds, the joint itself holds.
    """
    S = freedoms(joint, q, table)
    return S @ namespace(S, effort).linalg.solve(S.T @ S, effort)


@final
@dataclass(frozen=True, eq=False)
class JointSpring(JointAction):
    """A spring along a joint, at rest at the coordinates `rest`.

    tau = -k (q - rest),     V = k (q - rest)²/2
    """

    joint: Joint
    stiffness: Any
    rest: Any = 0.0
    _: KW_ONLY
    name: str = ""
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        place = self.name or self.joint.name
        if self.joint.coordinates != self.joint.speeds:
            raise ModelError(
                f"a spring cannot act along the coordinates of {self.joint.name!r}.",
                "Some are parts of a quaternion, which no spring measures.",
                "Use RotationalSpring between the bodies, or Spring between points.",
            )
        sign, unit = self.allow_negative, _effort_a("", self.joint)

        def stiffness(suffix: str, value: Any) -> Any:
            return coefficient(place + suffix, "stiffness", value, sign, unit=unit)

        def rest(suffix: str, value: Any) -> Any:
            checked = quantity(
                value, f"the rest of {place!r}", common_unit(self.joint.units)
            )
            return named(checked, f"{place}{suffix}.rest")

        k = _each(self.joint, "stiffness", self.stiffness, stiffness)
        at_rest = _each(self.joint, "rest", self.rest, rest)
        object.__setattr__(self, "stiffness", k)
        object.__setattr__(self, "rest", at_rest)
        object.__setattr__(self, "name", self.name or f"spring of {place}")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Stiffness and rest."""
        return parameters_in([*self.stiffness, *self.rest])

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau = -k (q - rest)"""
        return -_column(self.stiffness, table) * (q - _column(self.rest, table))

    def energy(self, q: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k (q - rest)²/2"""
        stretch = q - _column(self.rest, table)
        return (_column(self.stiffness, table) * stretch**2).sum() / 2


@final
@dataclass(frozen=True, eq=False)
class JointDamper(JointAction):
    """A damper along a joint:   tau = -c z"""

    joint: Joint
    damping: Any
    _: KW_ONLY
    name: str = ""
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        place = self.name or self.joint.name

        def damping(suffix: str, value: Any) -> Any:
            sign, unit = self.allow_negative, _effort_a("*s", self.joint)
            return coefficient(place + suffix, "damping", value, sign, unit=unit)

        c = _each(self.joint, "damping", self.damping, damping)
        object.__setattr__(self, "damping", c)
        object.__setattr__(self, "name", self.name or f"damper of {place}")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The damping."""
        return parameters_in(self.damping)

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau = -c z"""
        return -_column(self.damping, table) * z


@final
@dataclass(frozen=True, eq=False)
class Motor(JointAction):
    """A motor along a joint: what its law asks for, within the joint's effort limits.

        tau = law(t, q, z, **constants), cut to joint.effort_limits

    law is a traceable function, or a number; efforts are on the joint's side of the
    gear. `constants` are numbers or parameters that a law takes by name. A run may ask
    for other efforts by the motor's name, as an input.
    """

    joint: Joint
    law: Callable[..., Any] | Quantity
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        if self.joint.speeds == 0:
            raise ModelError(
                f"no motor can drive {self.joint.name!r}: it has no speeds.",
                "Its two bodies do not move on each other.",
                "Put the motor on a joint that moves.",
            )
        if not callable(self.law):
            object.__setattr__(self, "law", self._constant())
        name = self.name or f"motor of {self.joint.name}"
        object.__setattr__(self, "name", name)
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    def _constant(self) -> Any:
        """An effort that is no law: a number or a parameter."""
        joint, unit = self.joint.name, effort_unit(self.joint.units)
        is_number = isinstance(
            self.law, Parameter | float | int | np.number | np.ndarray
        )
        has_digit = isinstance(self.law, str) and any(c.isdigit() for c in self.law)
        if is_number or has_digit or is_traced(self.law):
            return quantity(self.law, f"the effort of the motor on {joint!r}", unit)
        raise ModelError(
            f"the effort of the motor on {joint!r} is not a number: {self.law!r}.",
            "It is what a law of time, coordinates and speeds asks for, or a constant"
            " effort; a run may drive the motor by its name.",
            "Give lambda t, q, z: ..., a number or a ph.Parameter. For a motor that is"
            f' driven from outside give ph.Motor({joint}, 0.0, name="drive") and'
            ' ph.simulate(..., inputs={"drive": law}).',
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """A constant effort, if it is a parameter; the constants of a law."""
        return parameters_in([self.law, *self.constants.values()])

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau = law(t, q, z), cut to the limits."""
        asked = self.asked(q, z, t, table)
        lower, upper = self.joint.effort_limits
        return namespace(asked, q, z).clip(asked, lower, upper)

    def asked(self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The effort (speeds,) before it is cut to the limits."""
        if self.name in table:
            effort = table[self.name]
        else:
            effort = self._own(t, q, z, table)
        return namespace(effort, q, z).broadcast_to(effort, (self.joint.speeds,))

    @cached_property
    def _law(self) -> Callable[..., Any]:
        def law(t: Scalar, q: Array, z: Array, constants: Mapping[str, Any]) -> Any:
            assert callable(self.law)
            size = self.joint.speeds
            return given(
                self.name, self.law, {"t": t, "q": q, "z": z}, size, constants=constants
            )

        return doubled(law)

    def _own(self, t: Scalar, q: Array, z: Array, table: Table) -> Any:
        if not callable(self.law):
            return at(self.law, table)
        return self._law(t, q, z, values_of(self.constants, table))


def _effort_a(rate: str, joint: Joint) -> str:
    """The unit of effort a radian or metre, or a unit of their rates."""
    return {"rad": f"N*m{rate}", "m": f"N/m{rate}"}.get(common_unit(joint.units), "")


def _each(
    joint: Joint, word: str, value: Any, admit: Callable[[str, Any], Any]
) -> tuple[Any, ...]:
    """One admitted number a speed: admit(suffix of the speed, value).

    A single one, without a suffix, serves all only where their units are the same.
    """
    if joint.speeds == 0:
        raise ModelError(
            f"nothing can act along {joint.name!r}: it has no speeds.",
            "Its two bodies do not move on each other.",
            "Choose a joint that moves.",
        )
    many = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1
    if not many and (len(set(joint.speed_units)) == 1 or value == 0.0):
        return (admit("", value),) * joint.speeds
    if not many or len(value) != joint.speeds:
        raise ModelError(
            f"{joint.name!r} has {joint.speeds} speeds, in {joint.speed_units}, and the"
            f" {word} given is {value!r}.",
            "Each speed has its own, in its own unit.",
            f"Give {joint.speeds} numbers, one for each; zero where nothing acts.",
        )
    pairs = zip(joint.speed_suffixes, value, strict=True)
    return tuple(admit(suffix, each) for suffix, each in pairs)


def _column(values: tuple[Any, ...], table: Table) -> Any:
    entries = [at(value, table) for value in values]
    return namespace(*entries).array(entries, dtype=float)
