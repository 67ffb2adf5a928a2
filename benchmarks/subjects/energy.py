"""A million steps: whether the energy drifts, by ours and by others at the same step.

    E(t_k) - E(0) = a + b k + noise

b is judged against its standard error, from the means of blocks: neighbouring energies
of one swinging motion are no independent draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import polhode as ph
from benchmarks.curves import PICTURES
from benchmarks.measure import Disagreement
from benchmarks.models.motions import Motion, arm
from benchmarks.peers import PeerMissing, require
from benchmarks.table import Claim, Measured, itself

STEPS, STEP = 1_000_000, 1e-3
SAMPLES, BLOCKS = 2000, 20
KEEPING = (ph.methods.Variational, ph.methods.ImplicitMidpoint)


class Drift(NamedTuple):
    """The change by slope over all steps, its standard error, the largest error; J."""

    change: float
    noise: float
    largest: float

    @property
    def errors(self) -> float:
        """How many standard errors the slope is from none."""
        return abs(self.change) / self.noise

    def said(self) -> str:
        return f"{self.change:+.1e} J of +-{self.noise:.0e}, at most {self.largest:.0e}"


def drift_of(energy: np.ndarray) -> Drift:
    """The drift over the run, from energies at even spaces after the first."""
    change = energy[1:] - energy[0]
    means = change.reshape(BLOCKS, -1).mean(axis=1)
    at = (np.arange(BLOCKS) + 0.5) / BLOCKS - 0.5
    slope = at @ means / (at @ at)
    left = means - means.mean() - slope * at
    noise = np.sqrt(left @ left / (BLOCKS - 2) / (at @ at))
    return Drift(float(slope), float(noise), float(np.max(np.abs(change))))


def counts() -> np.ndarray:
    """Numbers of steps after which the energy is asked."""
    return np.linspace(0, STEPS, SAMPLES + 1).astype(int)


def ours(motion: Motion, method: ph.methods.Variational) -> np.ndarray:
    angles = zip(motion.system.joints, motion.q, strict=True)
    start = motion.system.state({joint.name: float(q) for joint, q in angles})
    wish = {"until": STEPS * STEP, "samples": counts() * STEP}
    found = ph.simulate(motion.system, start, method=method, **wish)
    return found.ledger().energy


def theirs(motion: Motion) -> dict[str, np.ndarray]:
    """Energies by the other libraries that are here."""
    found = {}
    try:
        require("mujoco")
        from benchmarks.peers import mujoco_motion as mujoco

        for name, kind in (("Euler", "mjINT_EULER"), ("RK4", "mjINT_RK4")):
            integrator = getattr(mujoco.Integrator, kind)
            rows = mujoco.energies(motion, integrator, STEP, counts())
            found[f"MuJoCo {name}"] = rows
        require("pydrake")
        from benchmarks.peers import drake_motion as drake

        rows = drake.energies(motion, "runge_kutta3", STEP, counts())
        found["Drake RK3"] = rows
    except PeerMissing:
        if not found:
            raise
    return found


def drifts(rounds: int) -> Measured:
    """The worst of ours and the best of theirs, in standard errors of the slope."""
    motion = arm()
    mine = {m.name: ours(motion, m(step=STEP)) for m in KEEPING}
    others = theirs(motion)
    first = [rows[0] for rows in (*mine.values(), *others.values())]
    if np.ptp(first) > 1e-9 * abs(first[0]):
        raise Disagreement(f"energies at the start: {first}")
    drawn({**mine, **others})
    found = {name: drift_of(rows) for name, rows in {**mine, **others}.items()}
    said = "; ".join(f"{name} {drift.said()}" for name, drift in found.items())
    worst = max(found[name].errors for name in mine)
    return Measured(worst, min(found[name].errors for name in others), said)


def drawn(energies: dict[str, np.ndarray]) -> None:
    """A picture of the errors in energy over all steps."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, rows in energies.items():
        axes.plot(counts()[1:], np.abs(rows[1:] - rows[0]), ".", ms=2, label=name)
    axes.set_yscale("log")
    axes.set_xlabel(f"steps of {STEP:g} s")
    axes.set_ylabel("|E - E(0)|, J")
    axes.set_title("energy of the 7-link arm")
    axes.legend(fontsize="small", markerscale=5)
    PICTURES.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURES / "energy-arm.png", dpi=120)


CLAIMS = [
    Claim(
        name="energy-arm",
        work="7-link arm, 10^6 steps of 1 ms, drift of the energy",
        other="MuJoCo, Drake, the least",
        compared=(
            "slope of the energy over its standard error: the worst of the variational "
            "method and the implicit midpoint rule, against MuJoCo's Euler and RK4 and "
            "Drake's RK3 of fixed step; build/bench/energy-arm.png"
        ),
        measure=drifts,
        required=3,
        judge=itself,
        unit=" sigma",
    ),
]
