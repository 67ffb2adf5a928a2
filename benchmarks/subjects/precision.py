"""Error against time of one trajectory: ours, SciPy's, diffrax's, MuJoCo's, Drake's."""

from __future__ import annotations

import warnings
from functools import cache, partial
from typing import Any

import numpy as np

import polhode as ph
from benchmarks.curves import (
    Curves,
    Error,
    Run,
    Stopped,
    common_levels,
    drawn,
    finest_of,
    timed,
)
from benchmarks.measure import Disagreement
from benchmarks.models.motions import MOTIONS, Motion
from benchmarks.peers import PeerMissing, require
from benchmarks.peers.motion_solvers import by_diffrax, by_scipy
from benchmarks.table import Claim, Measured
from polhode.errors import IntegrationWarning

TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
OURS = tuple(10.0**-k for k in range(4, 14))
STEPS = (4, 12, 40, 120)  # of order 4, for one of ours of order 8 at 1e-5
ACCURACIES = {
    "runge_kutta3": (1e-3, 1e-5),
    "runge_kutta5": (1e-4, 1e-6, 1e-8, 1e-10, 1e-12),
}
REQUIRED = {"SciPy": 20, "diffrax": 5, "MuJoCo": 1, "Drake": 1}
FINEST = 1e-13  # our tolerance for a second opinion on where a motion ends
TOLD_APART = 3.0  # an error, from what it is measured by, in its uncertainties


def ours(motion: Motion, error: Error) -> Curves:
    """`ph.sweep` of one state, which keeps its end alone, as the others do."""
    found = Curves()
    for method in (
        ph.methods.DormandPrince8,
        ph.methods.Calvo7,
        ph.methods.DormandPrince,
    ):
        runs = {rtol: by_sweep(motion, method(rtol=rtol, atol=rtol)) for rtol in OURS}
        found.follow(method.name, runs, error)
    return found


def by_sweep(motion: Motion, method: Any) -> Run:
    """Our end of a motion."""
    states = ph.States(motion.system, 0.0, motion.q[None], motion.z[None])

    def run() -> np.ndarray:
        end = ph.sweep(motion.system, states, until=motion.until, method=method)
        if len(end.failed):
            raise Stopped(end.outcome(0).sentence)
        return motion.compared(np.concatenate([end.final_q[0], end.final_z[0]]))

    return run


def scipys(motion: Motion, error: Error) -> Curves:
    found = Curves()
    runs = {rtol: by_scipy(motion, rtol) for rtol in TOLERANCES}
    found.follow("DOP853", runs, error)
    return found


def diffraxs(motion: Motion, error: Error) -> Curves:
    found = Curves()
    for name, at in by_diffrax(motion).items():
        found.follow(name, {rtol: at(rtol) for rtol in TOLERANCES}, error)
    return found


def mujocos(motion: Motion, error: Error) -> Curves:
    require("mujoco")
    from benchmarks.peers.mujoco_motion import runge_kutta

    method = ph.methods.DormandPrince8(rtol=1e-5, atol=1e-5)
    states = ph.States(motion.system, 0.0, motion.q[None], motion.z[None])
    end = ph.sweep(motion.system, states, until=motion.until, method=method)
    counts = [times * int(end.accepted[0]) for times in STEPS]
    found = Curves()
    runs = {motion.until / n: runge_kutta(motion, n) for n in counts}
    found.follow("RK4", runs, error)
    return found


def drakes(motion: Motion, error: Error) -> Curves:
    require("pydrake")
    from benchmarks.peers.drake_motion import by_drake

    found = Curves()
    for scheme, accuracies in ACCURACIES.items():
        runs = {each: by_drake(motion, scheme, each) for each in accuracies}
        found.follow(scheme, runs, error)
    return found


PEERS = {"SciPy": scipys, "diffrax": diffraxs, "MuJoCo": mujocos, "Drake": drakes}


def error_in(motion: Motion) -> Error:
    """The error at the end, as a share of the largest entry.

    Of Kepler's motion the end is known. Of others it is SciPy's at its finest, and how
    well that is known is seen from ours at our finest: nothing below is told.
    """
    if motion.end is not None:
        return Error(partial(distance, motion, motion.end), 1e-13)
    true = by_scipy(motion, 3e-14, 1e-14)()
    second = by_sweep(motion, ph.methods.DormandPrince8(rtol=FINEST, atol=FINEST))()
    of = partial(distance, motion, true)
    return Error(of, TOLD_APART * of(second))


def distance(motion: Motion, true: np.ndarray, y: np.ndarray) -> float:
    """|y - true| at most over |true| at most; q and -q of a top are one attitude."""
    y = np.array(y)
    if motion.name == "free top":
        y[:4] *= np.sign(y[:4] @ true[:4])
    return float(np.max(np.abs(y - true)) / np.max(np.abs(true)))


@cache
def curves_of(name: str, rounds: int) -> tuple[dict[str, Curves], dict[str, str]]:
    """All contenders that are here, timed by turns, and why others are not."""
    motion = MOTIONS[name]()
    error = error_in(motion)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)  # it is told as left out
        found = {"Polhode": ours(motion, error)}
    missing = {}
    for peer, curves in PEERS.items():
        try:
            found[peer] = curves(motion, error)
        except PeerMissing as reason:
            missing[peer] = str(reason)
    for peer, each in found.items():
        if not finest_of(each) < 1e-2:
            far = finest_of(each)
            raise Disagreement(f"{name}: {peer} ends {far:.1e} from the others")
    timed(list(found.values()), max(2, rounds // 3))
    drawn(motion.name, found)
    return found, missing


def at_equal_error(name: str, peer: str, rounds: int) -> Measured:
    """The decade of error at which we gain least."""
    found, missing = curves_of(name, rounds)
    if peer in missing:
        raise PeerMissing(missing[peer])
    mine, theirs = found["Polhode"], found[peer]
    times = {
        level: (mine.seconds_at(level), theirs.seconds_at(level))
        for level in common_levels(mine, theirs)
    }
    ratios = {level: other / own for level, (own, other) in times.items()}
    worst = min(ratios, key=ratios.__getitem__)
    said = ", ".join(f"{level:.0e} {ratio:.3g}x" for level, ratio in ratios.items())
    left_out = "; ".join(mine.left_out + theirs.left_out)
    note = f"error and ratio: {said}" + (f"; left out: {left_out}" if left_out else "")
    return Measured(*times[worst], note)


WORK = {
    "pendulum": "double pendulum for 300 s",
    "top": "free top for 300 s",
    "arm": "7-link arm for 60 s",
    "kepler": "Kepler's ellipse, 100 turns",
}
COMPARED = {
    "SciPy": (
        "ph.sweep of one state, by orders 8(5,3), 7(5) or 5(4), against solve_ivp "
        "DOP853 with equations in closed form (the arm's by Pinocchio's aba)"
    ),
    "diffrax": "the same against Dopri8 and Tsit5 under jit, the quicker",
    "MuJoCo": "the same against mj_step with RK4 of fixed step, one call",
    "Drake": (
        "the same against Simulator.AdvanceTo with runge_kutta3 and runge_kutta5 of "
        "controlled error, the quicker (Kepler's as a SymbolicVectorSystem)"
    ),
}
CLAIMS = [
    Claim(
        name=f"precision-{name}-{peer.lower()}",
        work=f"{WORK[name]}, at equal error",
        other=peer,
        compared=(
            f"{COMPARED[peer]}; final states alone; processor time at the decade of "
            "error (1e-2 to 1e-12) where we gain least"
        ),
        measure=partial(at_equal_error, name, peer),
        required=required,
    )
    for name in MOTIONS
    for peer, required in REQUIRED.items()
    if (name, peer) != ("kepler", "MuJoCo")  # it has no forces between particles
]
