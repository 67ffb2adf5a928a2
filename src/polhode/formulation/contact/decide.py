r"""Which contacts open, slide and stick: complementarity of accelerations.

Of contacts that touch and do not part (g = 0, g' = 0):

    0 <= N  _|_  u_N' >= 0
    v = 0:   u_T' = 0 with |T| <= mu_s N,  or  T = -mu_d N d,  u_T' = a d,  a >= 0
    v != 0:  T = -mu_d N v/|v|

A guess is improved contact by contact; where that fails, or where friction couples so
strongly that several motions are possible (Painleve), all combinations are tried.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from polhode.formulation.contact.carried import settled_on_host, with_loads
from polhode.formulation.contact.delassus import ContactProblem
from polhode.formulation.contact.share import share_on_host

OPEN, SLIDES, STICKS = 0, 1, 2
STATUSES = ("open", "slides", "sticks")
# Of the greatest: what a sticking contact counts that can hold less, or nothing.
WEAKEST = 1e-3
# Share of the greatest force or acceleration that is rounding.
ROUNDING = 1e-9
ROUNDS = 60
# Turns of directions in which slips begin: how many, how far at once, the last; of what
# accelerations are summed of, the rounding. Of the greatest of W: what nothing moves.
TURNS, FARTHEST, TURNED, ROUNDED, UNMOVED = 40, 0.7, 1e-13, 1e-15, 1e-12
# Of the greatest singular value: where shares are looked for; what is redundant.
REGULAR, REDUNDANT = 1e-9, 1e-12
MOST_COMBINATIONS = 300  # that are tried: 4 contacts at rest, 5 that slide
SEVERAL = 3  # of which slips are tried along two lines


class ContactMotion(NamedTuple):
    """One motion that the laws allow at an instant.

    status        (n,) of OPEN, SLIDES, STICKS
    direction     (n, 2) of slips, of those that begin too
    force         (n, 3) N, T1, T2
    acceleration  (n, 3) u'
    """

    status: np.ndarray
    direction: np.ndarray
    force: np.ndarray
    acceleration: np.ndarray


class Instant(NamedTuple):
    """A contact problem, which candidates touch, and those that slip (|v| > 0).

    forced   candidate -> the status that a guard has decided, which is not questioned
    """

    problem: ContactProblem
    touching: np.ndarray
    slipping: np.ndarray
    slip: np.ndarray
    forced: dict[int, int]

    @property
    def points(self) -> int:
        """How many candidates there are."""
        return len(self.touching)


def instant_of(
    problem: ContactProblem,
    touching: np.ndarray,
    slipping: np.ndarray,
    forced: dict[int, int] | None = None,
) -> Instant:
    """The instant, with the directions of what slips."""
    v = problem.rows.velocity[:, 1:]
    speed = np.linalg.norm(v, axis=1)
    unit = v / np.where(speed > 0, speed, 1.0)[:, None]
    slip = np.where(slipping[:, None], unit, 0.0)
    return Instant(problem, touching, slipping, slip, forced or {})


def solved(at: Instant, status: np.ndarray, direction: np.ndarray) -> ContactMotion:
    """The motion in which contacts have given statuses, kept or not by the laws.

    Where several sticking contacts share what only their sum decides, each takes of it
    as it can hold, mu_s N: shared alike, the least pressed would slip though the others
    could hold it.
    """
    n = at.points
    r, u_dot = settled_on_host(
        at.problem.delassus,
        at.problem.free,
        at.problem.carried,
        lambda W, c: _solved(at, W, c, status, direction),
    )
    return ContactMotion(status, direction, r.reshape(n, 3), u_dot.reshape(n, 3))


def _solved(
    at: Instant,
    W: np.ndarray,
    c: np.ndarray,
    status: np.ndarray,
    direction: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """r (3n,) and u' (3n,) for a matrix and free accelerations."""
    B, known = _unknowns(at, status, direction)
    r = np.zeros(3 * at.points)
    if len(known):
        S = (W @ B)[np.ix_(known, known)]
        x, _, _, sizes = np.linalg.lstsq(S, -c[known], rcond=REDUNDANT)
        r = B[:, known] @ x
        # Where the matrix is regular there is one share only: nothing to look for.
        if np.sum(status == STICKS) > 1 and sizes[-1] <= REGULAR * sizes[0]:
            scale = _capacities(at, status, r)[known]
            x = scale * np.linalg.lstsq(S * scale, -c[known], rcond=REDUNDANT)[0]
            x = _shared(at, status, matrix=W @ B, c=c, known=known, x=x)
            r = B[:, known] @ x
    return r, W @ r + c


def _unknowns(
    at: Instant, status: np.ndarray, direction: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Contact forces (3n, 3n) for each unit of x, and which of x (k,) are unknown.

    They are N of closed contacts, with the friction of those that slide, and T of
    sticking ones.
    """
    closed, sticks = status != OPEN, status == STICKS
    known = np.column_stack([closed, sticks, sticks]).reshape(-1)
    B, mu = np.diag(1.0 * known), at.problem.rows.dynamic
    for k in np.flatnonzero(closed & ~sticks).tolist():
        B[3 * k + 1 : 3 * k + 3, 3 * k] = -mu[k] * direction[k]
    return B, np.flatnonzero(known)


def _shared(
    at: Instant,
    status: np.ndarray,
    *,
    matrix: np.ndarray,
    c: np.ndarray,
    known: np.ndarray,
    x: np.ndarray,
) -> np.ndarray:
    """Unknowns of which all keep their cones, if there are such; else as they are."""
    held, whole = np.zeros(3 * at.points, bool), np.zeros(3 * at.points)
    held[known], whole[known] = True, x
    mu = np.where(status == STICKS, at.problem.rows.static, 0.0)
    found = share_on_host(matrix, c, mu, held, whole.reshape(-1, 3))
    return found.reshape(-1)[known]


def _capacities(at: Instant, status: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Scales (3n,) of unknowns: roots of what each sticking contact can hold."""
    holds = np.where(status == STICKS, at.problem.rows.static * r[::3], 0.0)
    most = max(float(np.max(holds)), 1e-300)
    share = np.where(status == STICKS, np.maximum(holds / most, WEAKEST), 1.0)
    return np.column_stack([np.ones_like(share), *2 * [np.sqrt(share)]]).reshape(-1)


def with_direction(at: Instant, status: np.ndarray, guess: np.ndarray) -> ContactMotion:
    """The same, slips that begin taking the direction of their own acceleration.

    By Newton's steps, as `held_forces.slip_onset`.
    """
    d = np.where(at.slipping[:, None], at.slip, guess)
    found = solved(at, status, d)
    begins = (status == SLIDES) & ~at.slipping & at.touching
    begins &= at.problem.rows.dynamic > 0
    for _ in range(TURNS if np.any(begins) else 0):
        angle = _turn(at, found, begins)
        if np.max(np.abs(angle)) <= TURNED:
            break
        across = np.column_stack([-d[:, 1], d[:, 0]])
        new = np.cos(angle)[:, None] * d + np.sin(angle)[:, None] * across
        d = np.where((angle != 0)[:, None], new, d)
        found = solved(at, status, d)
    return found


def _turn(at: Instant, found: ContactMotion, begins: np.ndarray) -> np.ndarray:
    """Angles (n,) by which slips that begin turn, from what a motion misses: u_T' . e.

    Pushes and what sticks follow along the motion, and share as `solved` lets them: a
    share that is nearly redundant would else stand in for a turn.
    """
    d, n, W = found.direction, at.points, at.problem.delassus
    r, c = found.force.reshape(-1), at.problem.free
    size, most = np.max(np.diagonal(W)), np.max(np.abs(r), initial=1e-300)
    across = np.zeros((n, 3 * n))
    for k in np.flatnonzero(begins).tolist():
        across[k, 3 * k + 1 : 3 * k + 3] = -d[k, 1], d[k, 0]
    holds = at.problem.rows.dynamic * found.force[:, 0]
    free = begins & (np.sum((across @ W) * across, axis=1) > UNMOVED * size)
    free &= holds > UNMOVED * most
    e, angle = across[free], np.zeros(n)
    missed = e @ found.acceleration.reshape(-1)
    rounding = ROUNDED * np.max(np.abs(W) @ np.abs(r) + np.abs(c))
    if np.max(np.abs(missed), initial=0.0) <= rounding:
        return angle
    along = np.sum(found.acceleration[:, 1:] * d, axis=1)[free]
    resists = np.diag(np.maximum(along, 0.0) / holds[free])
    left, sizes, right = np.linalg.svd(_across(at, found, e) + resists)
    inverse = np.where(sizes > UNMOVED * size, 1 / np.maximum(sizes, 1e-300), 0.0)
    tau = -right.T @ (inverse * (left.T @ missed))
    angle[free] = np.clip(-tau / holds[free], -FARTHEST, FARTHEST)
    return angle


def _across(at: Instant, found: ContactMotion, e: np.ndarray) -> np.ndarray:
    """u' along e (k, 3n) for each unit of a force along one of them."""
    W, r = at.problem.delassus, found.force.reshape(-1)
    if at.problem.carried.rows.shape[0]:
        W, _ = with_loads(W, at.problem.free, at.problem.carried, r)
    B, known = _unknowns(at, found.status, found.direction)
    B, scale = B[:, known], _capacities(at, found.status, r)[known]
    own = (W @ B)[known] * scale
    follow = np.linalg.lstsq(own, (W @ e.T)[known], rcond=REDUNDANT)[0]
    return e @ W @ (e.T - B @ (scale[:, None] * follow))


class Fault(NamedTuple):
    """A law that a motion breaks: the contact, the status it asks for, by how much."""

    contact: int
    status: int
    share: float


def faults(at: Instant, found: ContactMotion) -> list[Fault]:
    """The laws that a motion breaks, the worst first; none if it is allowed."""
    rows, each = at.problem.rows, []
    force, rate = _forces(found), _accelerations(at)
    for k in np.flatnonzero(at.touching).tolist():
        N, T = found.force[k, 0], found.force[k, 1:]
        a_N, a_T = found.acceleration[k, 0], found.acceleration[k, 1:]
        if found.status[k] == OPEN:
            if a_N < -ROUNDING * rate:
                wanted = STICKS if _may_stick(at, k) else SLIDES
                each.append(Fault(k, wanted, -a_N / rate))
            continue
        if -ROUNDING * force > N:
            each.append(Fault(k, OPEN, -N / force))
        excess = float(np.hypot(*T)) - rows.static[k] * N
        if found.status[k] == STICKS and excess > ROUNDING * force:
            each.append(Fault(k, SLIDES, excess / force))
        begins = found.status[k] == SLIDES and not at.slipping[k] and _may_stick(at, k)
        if begins and a_T @ found.direction[k] < -ROUNDING * rate:
            each.append(Fault(k, STICKS, -float(a_T @ found.direction[k]) / rate))
        # No direction was found in which it slips along its own acceleration.
        aside = abs(float(a_T @ (-found.direction[k, 1], found.direction[k, 0])))
        if begins and rows.dynamic[k] > 0 and aside > ROUNDING * rate:
            each += [Fault(k, STICKS, aside / rate), Fault(k, OPEN, aside / rate)]
    return sorted(each, key=lambda fault: -fault.share)


def decided(at: Instant, first: np.ndarray) -> list[ContactMotion]:
    """The motions that the laws allow: one, or none or several where friction jams.

    `first` is a guess of the statuses. Several are looked for only where a push of a
    sliding contact would not lift it: else there is one.
    """
    if not np.any(at.touching):
        return [solved(at, np.zeros(at.points, int), at.slip)]
    if not _is_jammed(at):
        found = improved(at, first)
        if found is not None:
            return [found]
    return every(at) if is_enumerable(at) else []


def is_enumerable(at: Instant) -> bool:
    """Whether all combinations are tried: where few touch, or many that slide."""
    held = np.zeros(2)
    numbers = np.flatnonzero(at.touching).tolist()
    counts = [len(_choices(at, k, held, len(numbers))) for k in numbers]
    return bool(np.prod(counts, dtype=float) <= MOST_COMBINATIONS)


def improved(at: Instant, first: np.ndarray) -> ContactMotion | None:
    """A guess improved contact by contact, until no law is broken; None if never.

    At the very limit of friction several begin to slip together, and what one of them
    does alone leads astray: where changes one by one find nothing, all that breaks a
    law at first is changed at once.
    """
    found = _searched(at, _forced(at, first), at.slip.copy())
    if found is not None:
        return found
    start = with_direction(at, _forced(at, first), at.slip)
    status, d = start.status.copy(), at.slip.copy()
    for fault in faults(at, start):
        if fault.contact not in at.forced:
            _change(at, start, fault, status, d)
    return _searched(at, status, d)


def _change(
    at: Instant, found: ContactMotion, fault: Fault, status: np.ndarray, d: np.ndarray
) -> None:
    """Another status of one contact; a slip that begins is against what held it."""
    status[fault.contact] = fault.status
    if fault.status == SLIDES and not at.slipping[fault.contact]:
        d[fault.contact] = _against(found.force[fault.contact, 1:])


def _searched(at: Instant, status: np.ndarray, d: np.ndarray) -> ContactMotion | None:
    """Changes one contact after another, the worst first, to no combination twice."""
    tried: set[bytes] = set()
    for _ in range(ROUNDS):
        found = with_direction(at, status, d)
        broken = [f for f in faults(at, found) if f.contact not in at.forced]
        fixed = [f for f in faults(at, found) if f.contact in at.forced]
        if not broken:
            return None if any(f.status == OPEN for f in fixed) else found
        tried.add(status.tobytes())
        for fault in broken:
            other, turned = status.copy(), d.copy()
            _change(at, found, fault, other, turned)
            if other.tobytes() not in tried:
                status, d = other, turned
                break
        else:
            return None
    return None


def every(at: Instant) -> list[ContactMotion]:
    """All motions that the laws allow, found by trying all combinations."""
    numbers = np.flatnonzero(at.touching).tolist()
    held = solved(at, _forced(at, np.full(at.points, STICKS)), at.slip).force
    choices = [_choices(at, k, held[k, 1:], len(numbers)) for k in numbers]
    found: list[ContactMotion] = []
    for combination in product(*choices):
        status = np.zeros(at.points, int)
        d = at.slip.copy()
        for k, (word, unit) in zip(numbers, combination, strict=True):
            status[k] = word
            if unit is not None:
                d[k] = unit
        motion = with_direction(at, status, d)
        if not faults(at, motion) and not _is_known(at, found, motion):
            found.append(motion)
    return found


def _is_known(at: Instant, found: list[ContactMotion], new: ContactMotion) -> bool:
    """Whether another motion has the same accelerations."""
    Y, rate = at.problem.speeds, 0.0
    a = Y @ new.force.reshape(-1)
    for other in found:
        b = Y @ other.force.reshape(-1)
        rate = max(np.max(np.abs(a)), np.max(np.abs(b)), _accelerations(at))
        if np.max(np.abs(a - b)) <= 1e-7 * rate:
            return True
    return False


def _choices(at: Instant, k: int, T: np.ndarray, touching: int) -> list[Any]:
    """(status, direction) that are tried of a contact that friction T would hold.

    A slip that begins sets out against T; where several do, each may turn the others,
    and of few contacts the way in which each moves most easily is tried as well.
    """
    if k in at.forced:
        return [(at.forced[k], None if at.slipping[k] else at.slip[k])]
    if at.slipping[k] or not _may_stick(at, k):
        return [(SLIDES, None), (OPEN, None)]
    block = at.problem.delassus[3 * k + 1 : 3 * k + 3, 3 * k + 1 : 3 * k + 3]
    easiest, against = np.linalg.eigh(block)[1][:, -1], _against(T)
    ways = [against, -against, easiest, -easiest][: 4 if touching <= SEVERAL else 2]
    # Of motions that are alike the first is kept: the one in which most contacts bear.
    return [(STICKS, None), *((SLIDES, way) for way in ways), (OPEN, None)]


def _forced(at: Instant, first: np.ndarray) -> np.ndarray:
    status = np.where(at.touching, first, OPEN)
    status = np.where(at.touching & at.slipping & (status == STICKS), SLIDES, status)
    for k in np.flatnonzero(status == STICKS).tolist():
        if not _may_stick(at, k):
            status[k] = SLIDES
    for forced, word in at.forced.items():
        status[forced] = word
    return status


def _may_stick(at: Instant, k: int) -> bool:
    return bool(not at.slipping[k] and at.problem.rows.static[k] > 0)


def _against(T: np.ndarray) -> np.ndarray:
    size = float(np.hypot(*T))
    return -T / size if size > 0 else np.array([1.0, 0.0])


def lift(at: Instant, k: int) -> float:
    """u_N' of a sliding contact for each unit of its own push."""
    W = at.problem.delassus[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
    return float(W[0, 0] - at.problem.rows.dynamic[k] * (W[0, 1:] @ at.slip[k]))


def jamming_friction(at: Instant, k: int) -> float:
    """The coefficient above which a push of a sliding contact does not lift it."""
    W = at.problem.delassus[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
    turning = float(W[0, 1:] @ at.slip[k])
    return float(W[0, 0]) / turning if turning > 0 else np.inf


def _is_jammed(at: Instant) -> bool:
    slides = np.flatnonzero(at.touching & at.slipping).tolist()
    return any(lift(at, k) <= 0 for k in slides)


def _forces(found: ContactMotion) -> float:
    return float(np.max(np.abs(found.force), initial=0.0)) or 1.0


def _accelerations(at: Instant) -> float:
    """The greatest acceleration, of free contacts too: what rounding is compared to."""
    W, c = at.problem.delassus, at.problem.free
    return float(np.max(np.abs(c), initial=0.0)) or float(np.max(np.abs(W))) or 1.0
