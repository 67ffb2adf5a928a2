"""Whether a rest or a steady motion is stable, and by which theorem.

Lagrange, Dirichlet   at rest, forces from a potential with a strict minimum there, and
                      damping or none: stable, large motions included
Lyapunov              all eigenvalues to the left: asymptotically stable; one to the
                      right: unstable; large motions included
Kelvin, Tait,         a potential that is no minimum may be stabilised by gyroscopic
Chetaev               forces; damping in all motions, however small, undoes it
none                  eigenvalues on the axis, no minimum: linear equations do not say
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.actions.force_elements.joint_law import Motor
from polhode.analyse.linear.linearise import Linear, linearise
from polhode.analyse.linear.modes import modes_of
from polhode.answer_table import Answer, AnswerTable
from polhode.formulation.equations import Equations
from polhode.matter.parameter import NOMINAL, Table

if TYPE_CHECKING:
    from polhode.analyse.machinery.spectrum import Spectrum
    from polhode.system.state import State
    from polhode.system.system import System

NEARBY = 0.1  # how far places are moved to see whether a force vanishes at rest


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stability(Answer):
    """A verdict and its reason.

    verdict  "asymptotically stable", "stable", "gyroscopically stabilised",
             "stable to first order", "stable but for drift", "unstable", "undecided"
    theorem  whose: "Lagrange-Dirichlet", "Lyapunov", "Kelvin-Tait-Chetaev" or "none"
    reason   in a sentence or two
    numbers  what it rests on, by name
    spectrum the eigenvalues
    """

    verdict: str
    theorem: str
    reason: str
    numbers: dict[str, Any]
    spectrum: Spectrum
    subject: str

    @property
    def is_stable(self) -> bool:
        """Whether stability is proved, of the whole motion."""
        return self.verdict in ("asymptotically stable", "stable")

    def plot(self) -> Any:
        """The eigenvalues in the plane: a `Picture`."""
        from polhode.show.plots.answers import spectrum_picture

        return spectrum_picture(self.spectrum.all, f"{self.subject}: {self.verdict}")

    def as_table(self) -> AnswerTable:
        """What is printed."""
        by = "" if self.theorem == "none" else f" ({self.theorem})"
        rows = [(name, number_text(value)) for name, value in self.numbers.items()]
        rows += [(f"s{k + 1}, 1/s", s) for k, s in enumerate(self.spectrum.all)]
        title = f"{self.subject}: {self.verdict}{by}"
        return AnswerTable(title, ("", "value"), rows, [self.reason])


def number_text(value: Any) -> str:
    """A number of a verdict as it is printed; the least of nothing is none.

    >>> number_text(-0.0), number_text(float("inf")), number_text({"axle": 0.25})
    ('0', 'none', 'axle 0.25')
    """
    if isinstance(value, dict):
        return ", ".join(f"{name} {number_text(each)}" for name, each in value.items())
    if not isinstance(value, float):
        return str(value)
    return f"{value + 0.0:.6g}" if np.isfinite(value) else "none"


def stability(
    model: System | Equations | Linear,
    about: State | None = None,
    *,
    inputs: Sequence[str] | Mapping[str, Any] = (),
    independent: Sequence[str] | None = None,
    parameters: Table = NOMINAL,
) -> Stability:
    """The verdict on a rest or a steady motion, with its reason.

    The keywords are those of `ph.linearise`; a `Linear` has them already.

    >>> import polhode as ph
    >>> stability(ph.models.pendulum()).verdict
    'stable'
    """
    if isinstance(model, Linear):
        return stability_of(model)
    return stability_of(
        linearise(
            model,
            about,
            inputs=inputs,
            independent=independent,
            parameters=parameters,
        )
    )


def stability_of(linear: Linear) -> Stability:
    """The first of the theorems that applies."""
    spectrum = linear.spectrum
    numbers = _numbers(linear, spectrum)
    what = "rest" if linear.is_at_rest else "steady motion"
    subject = f"{what} of {linear.system.name!r}"
    for theorem in (_growth, _potential, _decay, _gyroscopic, _drift, _first_order):
        found = theorem(linear, spectrum, numbers)
        if found:
            return Stability(*found, numbers, spectrum, subject)
    raise AssertionError("the last theorem always answers")


Found = tuple[str, str, str] | None


def _growth(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """An eigenvalue to the right."""
    if len(spectrum.defective) and not len(spectrum.growing):
        pair = spectrum.defective[0]
        reason = (
            f"Two modes have met at {abs(pair.imag):.6g} rad/s and share one shape: to"
            " first order disturbances grow as t. It is on the edge; terms of higher"
            " order decide."
        )
        return "undecided", "none", reason
    if not len(spectrum.growing):
        return None
    s = spectrum.growing[0]
    modes, parts = modes_of(linear), linear.parts
    mode = int(np.argmin(np.abs(modes.eigenvalues - (s.real + 1j * abs(s.imag)))))
    most = modes.names[int(np.argmax(np.abs(modes.participation[mode])))]
    how = f", swinging at {abs(s.imag):.4g} rad/s" if s.imag else ""
    reason = (
        f"A disturbance, mostly of {most}, grows e-fold every"
        f" {1 / s.real:.4g} s{how}: s = {s:.6g} 1/s."
    )
    falling = numbers["negative directions"]
    damped = numbers["damping"].startswith("positive") and not parts.has("circulatory")
    if falling and damped and parts.has("gyroscopic"):
        reason += (
            f" The potential falls in {falling} directions, and damping undoes what"
            " gyroscopic forces could stabilise (Kelvin, Tait, Chetaev)."
        )
    elif falling and parts.is_symmetric:
        reason += f" The potential energy falls in {falling} directions from there."
    elif parts.has("circulatory"):
        reason += " Circulatory forces feed it: work round a closed way is not zero."
    return "unstable", "Lyapunov", reason


def _potential(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """A strict minimum of the potential energy, and nothing that gives energy."""
    parts = linear.parts
    damping = parts.definiteness("damping")
    if (
        not linear.is_at_rest
        or parts.other_names
        or parts.definiteness("stiffness") != "positive definite"
        or damping not in ("zero", "positive definite", "positive semidefinite")
        or parts.has("circulatory")
        or not _has_potential(linear)
    ):
        return None
    least = numbers["least curvature"]
    reason = (
        "The potential energy has a strict minimum there (least curvature"
        f" {least:.6g} 1/s^2 in the measure of masses)"
    )
    if spectrum.kind == "asymptotic":
        rest = ", and damping reaches every mode: disturbances die out."
        return "asymptotically stable", "Lagrange-Dirichlet", reason + rest
    rest = ", and nothing gives energy: what starts near stays near."
    return "stable", "Lagrange-Dirichlet", reason + rest


def _decay(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """All eigenvalues to the left."""
    if spectrum.kind != "asymptotic":
        return None
    if not len(spectrum.values):
        return "stable", "none is needed", "Nothing is free: no disturbance moves it."
    slow = -spectrum.abscissa
    reason = (
        f"All eigenvalues have negative real parts, the largest {-slow:.6g} 1/s: small"
        f" disturbances die out as exp(-t / {1 / slow:.4g} s)."
    )
    return "asymptotically stable", "Lyapunov", reason


def _gyroscopic(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """No minimum, and yet all disturbances last without growing."""
    parts, falling = linear.parts, numbers["negative directions"]
    if not (falling and parts.has("gyroscopic") and len(spectrum.lasting)):
        return None
    reason = (
        f"The potential of the relative motion falls in {falling} directions, but"
        " gyroscopic forces turn every disturbance aside: to first order it neither"
        " grows nor dies out. Damping of all these motions, however small, would make"
        " it unstable."
    )
    return "gyroscopically stabilised", "Kelvin-Tait-Chetaev", reason


def _drift(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """Zeros, and all else to the left or on the axis."""
    if not spectrum.zeros:
        return None
    grows = " and grows with time" if spectrum.block > 1 else ""
    reason = (
        f"{spectrum.zeros} eigenvalues are zero: along as many directions a small"
        f" disturbance stays{grows}."
    )
    if len(spectrum.lasting):
        more = " Others swing on undamped; linear equations do not decide."
        return "undecided", "none", reason + more
    if len(spectrum.values):
        more = (
            " All others die out. Where the zeros belong to neighbouring rests or"
            " steady motions, these are reached; linear equations do not tell."
        )
        return "stable but for drift", "none", reason + more
    return "undecided", "none", reason + " Terms of higher order decide."


def _first_order(linear: Linear, spectrum: Spectrum, numbers: dict) -> Found:
    """Everything swings on: linear equations do not say."""
    reason = (
        "To first order disturbances neither grow nor die out; terms of higher order"
        " decide, or an energy that has a minimum there."
    )
    return "stable to first order", "none", reason


def _numbers(linear: Linear, spectrum: Spectrum) -> dict[str, Any]:
    parts = linear.parts
    curvature = np.linalg.eigvalsh(parts.per_mass(parts.stiffness))
    edge = 1e-9 * np.max(np.abs(curvature), initial=0.0)
    return {
        "abscissa": spectrum.abscissa,
        "least curvature": float(np.min(curvature, initial=np.inf)),
        "negative directions": int(np.sum(curvature < -edge)),
        "damping": parts.definiteness("damping"),
    }


def _has_potential(linear: Linear) -> bool:
    """Whether every action stores its work, or does none at rest: dampers."""
    system, state = linear.system, linear.state
    if not all(c.is_holonomic for c in system.constraints):
        return False
    loose = [a for a in system.actions if not a.is_conservative and not _is_steady(a)]
    if not loose:
        return True
    rng = np.random.default_rng(0)
    still = np.zeros(system.speeds)
    for _ in range(3):
        q = np.asarray(system.local(state.q, NEARBY * rng.normal(size=system.speeds)))
        acting = system.wrenches(state.t, q, still, linear.table)
        if any(np.any(part) for a in loose for part in acting[a.name]):
            return False
    return True


def _is_steady(action: Any) -> bool:
    """A constant effort along a joint: its work is that effort times the way."""
    return isinstance(action, Motor) and not callable(action.law)
