"""Laws along a transmission: tendons, and servos, over one joint or several.

A transmission measures a length, linear in the coordinates of its joints, and its
tension acts on all of them:

    l = sum a_i q_i,      tau_i = a_i F

a_i are its arms: metres a radian for a tendon over pulleys, a number for a gear. All
joints have one coordinate. Laws answer as those of one joint, for lists:

    effort(q, z, t, table) -> [tau_i (1,)]      q, z: one array a joint
    energy(q, t, table) -> V
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.arrays import Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)


@final
@dataclass(frozen=True, eq=False)
class TendonSpring:
    """A tendon that pulls back to a length, or into a range of lengths.

        F = -k (l - l_0),     V = k (l - l_0)²/2,     l_0 the nearest within `rest`

    rest   a length, or (shortest, longest)

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1, length=1))
    >>> hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    >>> TendonSpring([hinge], [0.02], 300.0, 0.01).name
    'tendon of hinge'
    """

    joints: Sequence[Joint]
    arms: Sequence[float]
    stiffness: Any
    rest: Any = 0.0
    _: KW_ONLY
    name: str = ""
    is_conservative: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        _admit(self, "tendon")
        k = coefficient(self.name, "stiffness", self.stiffness)
        object.__setattr__(self, "stiffness", k)
        ends = self.rest if np.ndim(self.rest) else (self.rest, self.rest)
        object.__setattr__(self, "rest", _range(self.name, "rest", ends))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies of all its joints."""
        return _bodies(self.joints)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The stiffness."""
        return parameters_in([self.stiffness])

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """tau_i = -a_i k (l - l_0)"""
        pull = -at(self.stiffness, table) * self._stretch(q)
        return [arm * pull for arm in self.arms]

    def energy(self, q: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k (l - l_0)²/2"""
        return (at(self.stiffness, table) * self._stretch(q) ** 2).sum() / 2

    def _stretch(self, q: Any) -> Any:
        length = _sum(self.arms, q)
        low, high = self.rest
        if low == high:
            return length - low
        return length - namespace(length).clip(length, low, high)


@final
@dataclass(frozen=True, eq=False)
class TendonDamper:
    """A tendon that resists its own speed:   F = -c l_dot"""

    joints: Sequence[Joint]
    arms: Sequence[float]
    damping: Any
    _: KW_ONLY
    name: str = ""
    is_conservative: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        _admit(self, "tendon damper")
        c = coefficient(self.name, "damping", self.damping)
        object.__setattr__(self, "damping", c)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies of all its joints."""
        return _bodies(self.joints)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The damping."""
        return parameters_in([self.damping])

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """tau_i = -a_i c l_dot"""
        pull = -at(self.damping, table) * _sum(self.arms, z)
        return [arm * pull for arm in self.arms]

    def energy(self, q: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """None is stored."""
        return 0.0


@final
@dataclass(frozen=True, eq=False)
class Servo:
    """A motor with a linear controller of its own, on a joint or over several.

        F = gain u + b_0 + b_1 l + b_2 l_dot, cut to force_limits,      tau_i = a_i F

    u is the control, cut to control_limits: an input of the name of the servo. A torque
    motor has a gain only; a position servo of stiffness k has gain k and bias
    (0, -k, 0), a velocity servo gain c and bias (0, 0, -c).
    """

    joints: Sequence[Joint]
    arms: Sequence[float] = (1.0,)
    gain: Any = 1.0
    bias: Sequence[Any] = (0.0, 0.0, 0.0)
    _: KW_ONLY
    control: Any = 0.0
    control_limits: Any = (-np.inf, np.inf)
    force_limits: Any = (-np.inf, np.inf)
    name: str = ""
    is_conservative: bool = field(default=False, init=False, repr=False)
    input_size = 0  # of its control: one number, not an array

    def __post_init__(self) -> None:
        _admit(self, "servo")
        put, name = object.__setattr__, self.name
        gain = quantity(self.gain, f"the gain of {name!r}")
        put(self, "gain", named(gain, f"{name}.gain"))
        u = quantity(self.control, f"the control of {name!r}")
        # Zero, too, has a name here: it is what a run gives another value.
        is_number = not isinstance(u, Parameter) and not is_traced(u)
        put(self, "control", Parameter(f"{name}.control", u) if is_number else u)
        if len(tuple(self.bias)) != 3:
            raise ModelError(
                f"the bias of {name!r} is not three numbers: {self.bias!r}.",
                "A servo has a constant force, one by length, and one by its rate.",
                "Give (b_0, b_1, b_2).",
            )
        pairs = zip(self.bias, ("constant", "length", "rate"), strict=True)
        checked = [
            named(quantity(value, f"the bias of {name!r}"), f"{name}.bias.{word}")
            for value, word in pairs
        ]
        put(self, "bias", tuple(checked))
        for word in ("control_limits", "force_limits"):
            put(self, word, _range(name, word, getattr(self, word)))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies of all its joints."""
        return _bodies(self.joints)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Gain, bias and control."""
        return parameters_in([self.gain, *self.bias, self.control])

    def asked(self, table: Table = NOMINAL) -> Any:
        """The control u, before it is cut to its limits."""
        return table[self.name] if self.name in table else at(self.control, table)

    def force(self, q: Any, z: Any, table: Table = NOMINAL) -> Any:
        """F (1,), along the transmission."""
        length, rate = _sum(self.arms, q), _sum(self.arms, z)
        u = _clip(self.asked(table), self.control_limits)
        constant, by_length, by_rate = (at(b, table) for b in self.bias)
        F = at(self.gain, table) * u + constant + by_length * length + by_rate * rate
        return _clip(F, self.force_limits)

    def effort(self, q: Any, z: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """tau_i = a_i F"""
        F = self.force(q, z, table)
        return [arm * F for arm in self.arms]

    def energy(self, q: Any, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """None is stored: a motor is fed from outside."""
        return 0.0


def _clip(value: Scalar, limits: tuple[float, float]) -> Any:
    if not np.any(np.isfinite(limits)):
        return value
    return namespace(value).clip(value, *limits)


def _sum(arms: Sequence[float], parts: Sequence[Any]) -> Any:
    """sum a_i x_i (1,)"""
    total = arms[0] * parts[0]
    for arm, part in zip(arms[1:], parts[1:], strict=True):
        total = total + arm * part
    return total


def _admit(law: Any, word: str) -> None:
    """The joints, one arm each, and the name."""
    joints = (law.joints,) if isinstance(law.joints, Joint) else tuple(law.joints)
    name = law.name or f"{word} of {', '.join(joint.name for joint in joints)}"
    arms = tuple(map(float, np.atleast_1d(np.asarray(law.arms, dtype=float))))
    if not joints or len(joints) != len(arms) or not np.all(np.isfinite(arms)):
        raise ModelError(
            f"{name!r} has {len(joints)} joints and {len(arms)} arms.",
            "Its length is a sum over joints, each by its own finite arm.",
            "Give one arm a joint.",
        )
    for joint in joints:
        if joint.coordinates != 1:
            raise ModelError(
                f"{name!r} cannot go over joint {joint.name!r}, which has"
                f" {joint.coordinates} coordinates.",
                "An arm is a length for a unit of one coordinate.",
                "Use revolute, prismatic or screw joints.",
            )
    for key, value in (("joints", joints), ("arms", arms), ("name", name)):
        object.__setattr__(law, key, value)


def _range(name: str, word: str, ends: Any) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in ends)
        sound = low <= high
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise ModelError(
            f"the {word} of {name!r} is not a range: {ends!r}.",
            "There is a lower end, and an upper one that is not below it.",
            "Give (lower, upper).",
        )
    return low, high


def _bodies(joints: Sequence[Joint]) -> tuple[Frame, ...]:
    ends = (f for j in joints for f in (j.second.frame, j.first.frame))
    return tuple(dict.fromkeys(ends))
