"""Inertias of robots as their files have them: rounded, broken, or without mass.

Files of real robots hold moments that no spread of mass has. What rounding alone can
have done is put right silently; what is more is told by link, with its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.errors import ModelError, UnphysicalInertia
from polhode.files.issues import nearest
from polhode.matter.rigid_body import Body
from polhode.matter.validity import nearest_physical, require_physical

CHOICES = ("warn", "refuse", "keep")
# Relative: files are written with six or seven digits, often from single precision.
ROUNDING = 2e-6
# Metres: moments of a mass spread over less than this are nothing that was measured.
SMALLEST = 1e-6


def require_choice(unphysical: str) -> None:
    """Refuse a word that is none of the choices."""
    if unphysical not in CHOICES:
        raise ModelError(
            f"unphysical inertias cannot be read by unphysical={unphysical!r}.",
            "They are corrected and reported, refused, or kept as they are.",
            nearest(str(unphysical), CHOICES),
        )


@final
@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass, mass centre (3,) and central inertia (3, 3) of a link, in its axes."""

    mass: float
    centre: Any
    inertia: np.ndarray


def body_of(
    name: str, given: Inertial, unphysical: str, shapes: Any = ()
) -> tuple[Body, str]:
    """The body of a link, and a note of what was wrong with it; "" if nothing was.

    unphysical: "warn" takes the nearest inertia that some mass has, "refuse" raises,
    "keep" takes the numbers of the file.
    """
    inertia, note = _admit(name, given, unphysical)
    allow = unphysical == "keep" or (given.mass == 0 and bool(np.any(inertia)))
    body = Body.from_inertia(
        name,
        mass=given.mass,
        inertia=inertia.tolist(),
        centre=given.centre,
        allow_unphysical=allow and bool(note),
        shapes=shapes,
    )
    return body, note


def _admit(name: str, given: Inertial, choice: str) -> tuple[np.ndarray, str]:
    inertia, who = given.inertia, repr(name)
    if not np.any(inertia):
        return inertia, ""
    moments = np.linalg.eigvalsh(inertia)
    if given.mass == 0:
        return _of_no_mass(who, moments, inertia, choice)
    lack = max(-moments[0], 2 * moments[-1] - moments.sum(), 0.0)
    slack = max(ROUNDING * np.max(np.abs(moments)), given.mass * SMALLEST**2)
    if lack <= 1e-10 * moments[-1]:
        return inertia, ""
    if choice == "keep":
        return inertia, f"{_fact(who, moments)}: kept as it is"
    if lack <= slack:
        return nearest_physical(inertia), ""
    if choice == "refuse":
        require_physical(given.mass, inertia, who=who)
    used = nearest_physical(inertia)
    text = f"{_fact(who, moments)}: {_moments(np.linalg.eigvalsh(used))} are used"
    return used, text


def _of_no_mass(
    who: str, moments: np.ndarray, inertia: np.ndarray, choice: str
) -> tuple[np.ndarray, str]:
    """Moments without mass: the limit of little mass far out, if no moment is alone."""
    if choice == "refuse":
        raise UnphysicalInertia(
            f"{who} has principal moments {_moments(moments)} kg m^2 and no mass.",
            "Nothing without mass has a moment of inertia.",
            'Give it mass, or read it with unphysical="warn".',
        )
    lack = max(-moments[0], 2 * moments[-1] - moments.sum(), 0.0)
    note = f"link {who} has principal moments {_moments(moments)} kg m^2 and no mass"
    if choice == "keep" or lack <= ROUNDING * moments[-1]:
        return inertia, f"{note}: they are taken, as of little mass far out"
    used = nearest_physical(inertia)
    return used, f"{note}: {_moments(np.linalg.eigvalsh(used))} are used"


def _fact(who: str, moments: np.ndarray) -> str:
    said = f"link {who} has principal moments {_moments(moments)} kg m^2"
    if moments[0] < 0:
        return f"{said}, one below zero"
    return f"{said}, one above the sum of the others"


def _moments(values: np.ndarray) -> str:
    return "(" + ", ".join(f"{value:.6g}" for value in values) + ")"
