"""Error against time of one trajectory: ours, SciPy's, diffrax's, MuJoCo's, Drake's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

import polhode as ph
from benchmarks.curves import Curves, common_levels, drawn, timed
from benchmarks.measure import Disagreement
from benchmarks.models.motions import MOTIONS, Motion
from benchmarks.peers import PeerMissing, require
from benchmarks.peers.motion_solvers import by_diffrax, by_scipy
from benchmarks.table import Claim, Measured

TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
OURS = tuple(10.0**-k for k in range(4, 14))
STEPS = (4, 12, 40, 120)  # of order 4, for one of ours of order 8 at 1e-5
ACCURACIES = {
    "runge_kutta3": (1e-3, 1e-5),
    "runge_kutta5": (1e-4, 1e-6, 1e-8, 1e-10, 1e-12),
}
REQUIRED = {"SciPy": 20, "diffrax": 5, "MuJoCo": 1, "Drake": 1}
Error = Callable[[np.ndarray], float]


def ours(motion: Motion, error: Error) -> Curves:
    """`ph.sweep` of one state, which keeps its end alone, as the others do."""
    found = Curves()
    states = ph.States(motion.system, 0.0, motion.q[None], motion.z[None])
    for method in (ph.DormandPrince8, ph.DormandPrince):
        for rtol in OURS:
            chosen = method(rtol=rtol, atol=rtol)
            run = partial(swept, motion, states, chosen)
            found.add(chosen.name, run, error)
    return found


def swept(motion: Motion, states: ph.States, method: ph.DormandPrince) -> np.ndarray:
    end = ph.sweep(motion.system, states, until=motion.until, method=method)
    return motion.compared(np.concatenate([end.final_q[0], end.final_z[0]]))


def scipys(motion: Motion, error: Error) -> Curves:
    found = Curves()
    for rtol in TOLERANCES:
        found.add("DOP853", by_scipy(motion, rtol), error)
    return found


def diffraxs(motion: Motion, error: Error) -> Curves:
    found = Curves()
    for name, at in by_diffrax(motion).items():
        for rtol in TOLERANCES:
            found.add(name, at(rtol), error)
    return found


def mujocos(motion: Motion, error: Error) -> Curves:
    require("mujoco")
    from benchmarks.peers.mujoco_motion import runge_kutta

    states = ph.States(motion.system, 0.0, motion.q[None], motion.z[None])
    method = ph.DormandPrince8(rtol=1e-5, atol=1e-5)
    end = ph.sweep(motion.system, states, until=motion.until, method=method)
    found = Curves()
    for times in STEPS:
        found.add("RK4", runge_kutta(motion, times * int(end.accepted[0])), error)
    return found


def drakes(motion: Motion, error: Error) -> Curves:
    require("pydrake")
    from benchmarks.peers.drake_motion import by_drake

    found = Curves()
    for scheme, accuracies in ACCURACIES.items():
        for accuracy in accuracies:
            found.add(scheme, by_drake(motion, scheme, accuracy), error)
    return found


PEERS = {"SciPy": scipys, "diffrax": diffraxs, "MuJoCo": mujocos, "Drake": drakes}


def error_in(motion: Motion) -> Error:
    """The error at the end against SciPy's at its finest, as a share of the largest.

    A quaternion and its negative are one attitude.
    """
    true = by_scipy(motion, 3e-14, 1e-14)()
    turns = 4 if motion.name == "free top" else 0

    def error(y: np.ndarray) -> float:
        y = np.array(y)
        y[:turns] *= np.sign(y[:turns] @ true[:turns]) if turns else 1.0
        return float(np.max(np.abs(y - true)) / np.max(np.abs(true)))

    return error


@cache
def curves_of(name: str, rounds: int) -> tuple[dict[str, Curves], dict[str, str]]:
    """All contenders that are here, timed by turns, and why others are not."""
    motion = MOTIONS[name]()
    error = error_in(motion)
    found, missing = {"Polhode": ours(motion, error)}, {}
    for peer, curves in PEERS.items():
        try:
            found[peer] = curves(motion, error)
        except PeerMissing as reason:
            missing[peer] = str(reason)
    for peer, each in found.items():
        finest = min(point.error for point in each.all())
        if not finest < 1e-2:
            raise Disagreement(f"{name}: {peer} ends {finest:.1e} from the others")
    timed(list(found.values()), max(2, rounds // 10))
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
    return Measured(*times[worst], f"error and ratio: {said}")


WORK = {
    "pendulum": "double pendulum for 300 s",
    "top": "free top for 300 s",
    "arm": "7-link arm for 60 s",
    "kepler": "Kepler's ellipse, 100 turns",
}
COMPARED = {
    "SciPy": (
        "ph.sweep of one state, Dormand-Prince 8(5,3) or 5(4), against solve_ivp "
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
