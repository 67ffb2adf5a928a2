"""The friction of a support: its law named after it, and how its cone is shaped."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from polhode.actions.contact.friction import Coulomb
from polhode.actions.contact.friction_laws import Anisotropic, Stribeck
from polhode.arrays import namespace
from polhode.errors import ModelError
from polhode.geometry.vector import cross
from polhode.matter.parameter import Parameter, Table
from polhode.supports.geometry import Geometry

SupportFriction: TypeAlias = Coulomb | Stribeck | Anisotropic


def named_friction(name: str, law: Any) -> SupportFriction | None:
    """The law with its numbers named after the support, unless they have names."""
    if law is None:
        return None
    if not isinstance(law, Coulomb | Stribeck | Anisotropic):
        raise ModelError(
            f"{name!r} cannot have the friction {law!r}.",
            "A contact sticks while |T| <= mu_s N and slides with mu_d N against v.",
            "Give ph.Coulomb(dynamic=0.4, static=0.5), ph.contact.Stribeck,"
            " ph.contact.Anisotropic, or nothing for a smooth one.",
        )

    def own(value: Any, word: str) -> Any:
        unnamed = isinstance(value, Parameter) and value.name == f"{law.name}.{word}"
        return value.value if unnamed else value

    if isinstance(law, Anisotropic):
        low, high = (
            tuple(own(x, f"{word}.{at}") for x, at in zip(pair, WHERE, strict=True))
            for word, pair in (("dynamic", law.dynamic), ("static", law.static))
        )
        return Anisotropic(low, high, axis=law.axis, of=law.of, name=name)
    if isinstance(law, Stribeck):
        words = ("dynamic", "static", "speed", "viscous")
        low, high, speed, viscous = (own(getattr(law, w), w) for w in words)
        return Stribeck(low, high, speed, viscous, name=name)
    dynamic, static = own(law.dynamic, "dynamic"), own(law.static, "static")
    return Coulomb(dynamic, static, name=name)


WHERE = ("along", "across")


def require_tangent_axis(name: str, law: Any, normal: np.ndarray) -> None:
    """Refuse an axis of friction that stands on the plane."""
    if not isinstance(law, Anisotropic) or law.of != "ground":
        return
    if np.linalg.norm(np.cross(law.axis, normal)) < 1e-6:
        raise ModelError(
            f"the friction of {name!r} has an axis along the normal of its plane.",
            "Along and across are directions in the plane.",
            "Give axis=... with a part in the plane.",
        )


def elliptic(own: Geometry, law: Anisotropic, rotations: Any, table: Table) -> Geometry:
    """Tangents along and across an axis, each times its share of the greater mu.

    Along such tangents slip is D v and friction T/D, and the ellipse is a circle.
    """
    R = rotations[SIDES[law.of]]
    a, n = R @ law.axis, own.axes[:, :, 0]
    xp = namespace(a, n)
    along = a - n * (n @ a)[:, None]
    t_1 = along / xp.sqrt(xp.sum(along * along, axis=1))[:, None]
    t_2 = cross(n, t_1)
    s = law.scales(table)
    return own._replace(axes=xp.stack([n, s[0] * t_1, s[1] * t_2], axis=2))


SIDES = {"body": 0, "ground": 1}
