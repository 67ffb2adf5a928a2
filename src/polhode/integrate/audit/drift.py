"""What a run promises of its invariants, and a warning where they drift past it.

    energy       |balance|                 <= share of the energy T that moves
    steps        energy half-way along each, of a fixed step: as at its ends
    constraints  |g|, |phi|                <= share of lengths, of speeds
    momenta      of an isolated system: constant, within a share of their size

The share is the tolerance times the number of steps; a fixed step promises 1e-3. Where
it outgrows what it bounds it says nothing, and that is warned of, too. T is the most
kinetic energy; a run that has hardly left rest is computed to a share of the
system's own speeds s only, and an error d in speeds costs sqrt(2 T d M d) of energy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.weight import WeightOf
from polhode.arrays import Scalar
from polhode.errors import NumericalWarning
from polhode.integrate.audit.rates import audited
from polhode.integrate.field.dense_output import evaluate
from polhode.integrate.field.scales import lengths, scales
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import is_adaptive
from polhode.joints.free import Free
from polhode.joints.translation import Translation
from polhode.system.lengths import natural_length
from polhode.system.natural_sizes import natural_sizes
from polhode.system.rolled.size import is_rolled
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.audit.ledger import Ledger
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System

# A fixed step promises no accuracy; beyond this share a run is in doubt.
UNPROMISED = 1e-3
# A promise of more than this share of what it bounds says nothing about it.
VOID = 0.1
# Of the energy at the system's own speeds: with less it has hardly left rest, and what
# is promised is a share of those speeds, not of its motion.
HARDLY_MOVING = 1e-6
LOOKED_AT = 1000  # steps of a fixed size, spread over the run
HELD = 1e-9  # constraints that are held at every step are held better than this


def share_of(motion: Trajectory) -> float:
    """The relative error that the settings let one expect."""
    method = motion.method
    if not is_adaptive(method):
        return UNPROMISED
    return method.rtol * max(motion.outcome.accepted, 1)


def promised_energy(motion: Trajectory, most: float) -> float:
    """What the settings promise of the energy, `most` of which moves, in joules."""
    promised = share_of(motion) * most
    core = motion.equations.functions
    is_in_speeds = core.start is core.speeds
    if motion.checkpoint is None or not motion.method.is_adaptive or not is_in_speeds:
        return promised
    each = float(np.sqrt(4 * most * _energy_of_error(motion)))
    if motion.contacts:
        each = max(each, _energy_of_misplacement(motion))
    return max(promised, each * motion.outcome.accepted)


def _energy_of_error(motion: Trajectory) -> float:
    """T at speeds as large as a step may err from rest, J."""
    assert motion.checkpoint is not None
    t, q, _ = motion.checkpoint.start
    error = np.asarray(motion.checkpoint.bounds.atol)[len(q) :]
    return _energy_at(motion, t, q, error)


def _energy_of_misplacement(motion: Trajectory) -> float:
    """Change of potential energy over as far as a step may err in place, J.

    Where friction nearly balances the weight, this is what an error of place costs: it
    does not come back as kinetic energy.
    """
    assert motion.checkpoint is not None
    t, q, _ = motion.checkpoint.start
    error = np.asarray(motion.checkpoint.bounds.atol)[: len(q)]
    here, there = (
        float(motion.system.potential_energy(t, place, motion.table))
        for place in (q, q + error)
    )
    return abs(there - here)


def _is_void(motion: Trajectory, ledger: Ledger) -> bool:
    """Whether a promise has outgrown the energy that it is a promise of."""
    if not motion.method.is_adaptive or ledger.promise <= VOID * ledger.scale:
        return False
    core = motion.equations.functions
    if motion.checkpoint is None or core.start is not core.speeds:
        return ledger.scale > 0
    return ledger.scale > HARDLY_MOVING * _natural_energy(motion)


def _natural_energy(motion: Trajectory) -> float:
    """T at the system's own speeds, J, whatever tolerance was given."""
    system, n = motion.system, motion.system.coordinates
    q, z = motion.q[:1], motion.z[:1]
    duration = abs(float(motion.t[-1] - motion.t[0])) or 1.0
    z_dot = motion.steps.x_dot[:1, n:] if motion.is_dense else 0 * z
    speeds = scales(system, q, z, z_dot, np.array([duration])).speeds[0]
    return _energy_at(motion, motion.t[0], q[0], speeds)


def _energy_at(motion: Trajectory, t: Scalar, q: np.ndarray, z: np.ndarray) -> float:
    """T at some speeds, J; of a large tree without its mass matrix."""
    system = motion.system
    if is_rolled(system):
        return float(system.kinetic_energy(t, q, z, motion.table))
    M = np.asarray(system.mass_matrix(t, q, motion.table))
    return float(z @ M @ z) / 2


def warn_of_drift(
    motion: Trajectory, ledger: Ledger, position: float, velocity: float
) -> None:
    """One warning for each invariant that drifts past its promise, with the numbers.

    `position` and `velocity` (1/s) are the worst misses of constraints by natural size.
    """
    if not np.all(np.isfinite(ledger.energy)):
        _say_endless(motion, ledger)
        return
    warn_of_energy(motion, ledger)
    _resolution(motion, ledger)
    _constraints(motion, position, velocity)
    if is_isolated(motion.system):
        _momenta(motion, ledger)


def is_isolated(system: System) -> bool:
    """Whether nothing outside acts: no weight, no joint, action or row on the world."""
    world = system.tree.world.frame
    joined = any(
        edge.parent < 0 and not isinstance(edge.joint, Free | Translation)
        for edge in system.tree.edges
    )
    outside = any(
        isinstance(action, WeightOf) or world in action.bodies or len(action.bodies) < 2
        for action in system.actions
    )
    held = any(world in c.bodies or c.joints for c in system.constraints)
    return not (joined or outside or held)


def warn_of_energy(motion: Trajectory, ledger: Ledger) -> None:
    """Warn of energy beyond its promise, and of a promise that bounds nothing."""
    worst = float(np.max(np.abs(ledger.balance), initial=0.0))
    # Rounding alone, step by step, is no fault of the method.
    rounding = np.finfo(float).eps * np.max(np.abs(ledger.potential), initial=0.0)
    floor = rounding * max(ledger.accepted, 1)
    if _is_void(motion, ledger):
        _say_void(motion, ledger, worst)
    if worst > max(ledger.promise, floor):
        _say(
            motion,
            f"the energy of {motion.system.name!r} is out of balance by {worst:.3g} J,"
            f" of {ledger.scale:.3g} J that move",
            f"{ledger.promise:.3g} J",
        )


def _resolution(motion: Trajectory, ledger: Ledger) -> None:
    """Warn of fixed steps that pass over what moves, though they keep its energy.

    Symplectic methods keep it at any step. Between the ends of a step that is long for
    the motion, what joins them has another.
    """
    is_kept = is_adaptive(motion.method) or isinstance(motion.method, Moreau)
    if is_kept or not motion.is_dense or len(motion) < 2:
        return
    k = np.unique(np.linspace(0, len(motion) - 2, LOOKED_AT).astype(int))
    middle = (motion.t[k] + motion.t[k + 1]) / 2
    rows = audited(motion, middle, evaluate(motion.steps, middle))
    first, last = ledger.energy[k], ledger.energy[k + 1]
    gap = np.abs(rows.kinetic + rows.potential - (first + last) / 2)
    worst = int(np.argmax(gap - np.abs(last - first)))
    if gap[worst] - abs(last[worst] - first[worst]) > VOID * ledger.scale:
        warn(
            f"the steps of {motion.method.name} pass over what"
            f" {motion.system.name!r} does: half-way along that from"
            f" t = {motion.t[k[worst]]:.6g} s its energy is off by {gap[worst]:.3g} J,"
            f" of {ledger.scale:.3g} J that move. Take shorter steps, ten or more to"
            " the quickest oscillation",
            NumericalWarning,
        )


def _constraints(motion: Trajectory, position: float, velocity: float) -> None:
    if not motion.system.constraints:
        return
    allowed = max(HELD, share_of(motion))
    own = natural_sizes(motion.system).speeds
    # Far from the origin lengths are rounded as it is far: no fault of the method.
    far = max(1.0, _length(motion) / natural_length(motion.system, motion.q[0]))
    duration = abs(float(motion.t[-1] - motion.t[0]))
    slowest = 1.0 / duration if duration > 0 else 1.0
    quickest = float(np.max(np.abs(motion.z) / own, initial=slowest))
    promised = (
        ("position", position, allowed * far, "radians or lengths of the system"),
        ("velocity", velocity, allowed * far * quickest, "of these a second"),
    )
    for word, worst, most, unit in promised:
        if worst > most:
            _say(
                motion,
                f"the constraints of {motion.system.name!r} are missed by"
                f" {worst:.3g} in {word}, in {unit}",
                f"{most:.3g}",
            )


def _momenta(motion: Trajectory, ledger: Ledger) -> None:
    mass = sum(float(body.moments()[0]) for body in motion.system.bodies)
    size, far = float(np.sqrt(2 * ledger.scale * mass)), _length(motion)
    rows = (
        ("momentum", ledger.momentum, size, "kg m/s"),
        (
            "angular momentum",
            ledger.angular_momentum,
            size * far,
            "kg m2/s",
        ),
    )
    for word, values, scale, unit in rows:
        worst = float(np.max(np.abs(values - values[0]), initial=0.0))
        allowed = share_of(motion) * max(scale, float(np.max(np.abs(values))))
        if worst > allowed:
            _say(
                motion,
                f"the {word} of {motion.system.name!r}, on which nothing outside acts,"
                f" drifts by {worst:.3g} {unit}",
                f"{allowed:.3g} {unit}",
            )


def _length(motion: Trajectory) -> float:
    """The largest length of the system, and how far it is from the world's origin."""
    first = motion.q[:1], motion.z[:1]
    own = lengths(motion.system, *first, abs(float(motion.t[-1] - motion.t[0])))
    rows = {0, len(motion) // 2, len(motion) - 1}
    far = [motion.system.poses(motion.t[k], motion.q[k]).origins for k in rows]
    return float(own[0] + np.max(np.abs(far), initial=0.0))


def _say_void(motion: Trajectory, ledger: Ledger, worst: float) -> None:
    """Warn of settings with which nothing is known of a motion in the end."""
    # A promise is the tolerance times the steps, of which a tighter one takes more.
    tighter = (1e-3 * ledger.scale / ledger.promise) ** 1.25
    method: Any = motion.method
    given, wanted = f"rtol = {method.rtol:g}", f"rtol = {method.rtol * tighter:.0e}"
    if method.atol is not None and ledger.promise > share_of(motion) * ledger.scale:
        given += f", atol = {method.atol:g}"
        wanted = f"atol = {method.atol * tighter:.0e}"
    warn(
        f"{method.name} with {given} promises the energy of"
        f" {motion.system.name!r} to {ledger.promise:.3g} J only, of"
        f" {ledger.scale:.3g} J that move: each of {ledger.accepted} steps may err, and"
        f" nothing is promised of the motion in the end. It is out of balance by"
        f" {worst:.3g} J. Give {wanted} or less, or ask for a shorter time",
        NumericalWarning,
    )


def _say_endless(motion: Trajectory, ledger: Ledger) -> None:
    """Warn of energies beyond what a double holds, of which no balance can be made."""
    first = motion.t[np.argmin(np.isfinite(ledger.energy))]
    warn(
        f"the energy of {motion.system.name!r} is not finite from t = {first:.6g} s on:"
        f" steps of {motion.method.name} that are too long for the quickest motion let"
        " it grow without bound. Take a shorter step, or an implicit method",
        NumericalWarning,
    )


def _say(motion: Trajectory, what: str, promised: str) -> None:
    warn(
        f"{what}; {motion.method.name} with these settings promises {promised}. Take"
        " smaller steps or tolerances, and look for a force that is not smooth",
        NumericalWarning,
    )
