"""The verdict on a steady motion or a rest: first by energy, then by spectrum.

A minimum of the energy among motions with the same momenta proves stability, of large
disturbances too. Where there is none, eigenvalues may still show growth, or that small
disturbances neither grow nor die out: then damping decides, and mostly undoes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.analyse.equilibria.stability import Stability, stability_of
from polhode.analyse.linear.linearise import linearise
from polhode.analyse.machinery.second_variation import SecondVariation, second_variation
from polhode.analyse.symmetries import Carriers, pick, symmetries

if TYPE_CHECKING:
    from polhode.analyse.equilibria.steady_motion import SteadyMotion
    from polhode.analyse.machinery.spectrum import Spectrum
    from polhode.system.state import State

TOGETHER = 1e-6  # of the largest eigenvalue: frequencies that are one


def variation_of(steady: SteadyMotion) -> SecondVariation | None:
    """The second variation at a steady motion, with all symmetries of the system."""
    system = steady.state.system
    if steady.pushes or not all(c.is_holonomic for c in system.constraints):
        return None
    others = [name for name in symmetries(system) if name not in steady.rates]
    every = pick(system, (*steady.rates, *others))
    xi = np.array([*steady.rates.values(), *(0.0 for _ in others)])
    return second_variation(every, steady.state, xi, steady.multipliers)


def stability_of_steady(steady: SteadyMotion) -> Stability:
    """By energy and momenta if they decide, else by the spectrum."""
    varied = variation_of(steady)
    by_spectrum = stability_of(linearise(steady.state.system, steady.state))
    if varied is None:
        return by_spectrum
    numbers = _numbers(by_spectrum, varied)
    if varied.is_minimum and not len(by_spectrum.spectrum.growing):
        reason = (
            "Among all motions with the same momenta its energy has a strict minimum,"
            " but for being carried along: what starts near stays near."
        )
        return _verdict(by_spectrum, "stable", ("energy-momentum", reason), numbers)
    if varied.negative and not _grows(steady, by_spectrum.spectrum):
        reason = (
            f"The energy falls in {varied.negative} directions among motions with the"
            " same momenta, yet small disturbances do not grow: gyroscopic forces hold"
            " it, and dissipation would undo it."
        )
        why = "Kelvin-Tait-Chetaev", reason
        return _verdict(by_spectrum, "gyroscopically stabilised", why, numbers)
    return _verdict(
        by_spectrum,
        by_spectrum.verdict,
        (by_spectrum.theorem, by_spectrum.reason),
        numbers,
    )


def _grows(steady: SteadyMotion, spectrum: Spectrum) -> bool:
    """Whether small disturbances grow; that the whole drifts off is no growth.

    A body set off at a steady speed goes round as t exp(i W t) in the eyes of one who
    turns at W: modes that share a shape at a carrier's own rate.
    """
    rates = np.abs([*steady.rates.values()])
    largest = np.max(np.abs(spectrum.values), initial=0.0)
    gaps = np.abs(np.abs(spectrum.defective.imag)[:, None] - rates)
    own = np.any(gaps <= TOGETHER * largest, axis=1)
    return bool(len(spectrum.growing) or not np.all(own))


def stability_of_rest(state: State, multipliers: np.ndarray, family: int) -> Stability:
    """By linear equations; where these do not decide, by the energy beside a family.

    Equilibria beside each other are a valley: its walls may still be steep.
    """
    found = stability_of(linearise(state.system, state))
    if found.is_stable or found.verdict == "unstable":
        return found
    none = Carriers(state.system, (), ())
    varied = second_variation(none, state, np.zeros(0), multipliers)
    if varied is None or varied.negative or varied.flat > family:
        return found
    reason = (
        "The potential energy has a minimum there, strict but along the family of"
        f" equilibria beside it ({family} directions), and nothing gives energy: what"
        " starts near the family stays near it."
    )
    numbers = _numbers(found, varied)
    return _verdict(found, "stable", ("Lagrange-Dirichlet", reason), numbers)


def _numbers(found: Stability, varied: SecondVariation) -> dict[str, Any]:
    rising = varied.curvatures[varied.curvatures > varied.edge]
    return {
        **found.numbers,
        "energy falls in": varied.negative,
        "least rising curvature": float(np.min(rising, initial=np.inf)),
        "momenta": varied.momenta,
    }


def _verdict(
    found: Stability, verdict: str, why: tuple[str, str], numbers: dict[str, Any]
) -> Stability:
    return Stability(verdict, *why, numbers, found.spectrum, found.subject)
