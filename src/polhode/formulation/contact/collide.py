r"""Impact: velocities after contacts have struck, by impulses alone.

    u+ = u- + W P              P (3n,) impulses in contact axes; joints answer within W

One contact: Routh's path. The normal impulse p grows from zero and friction follows
Coulomb's law all the way; u is linear in p while slip keeps its direction.

    du/dp = W (1, -mu_d d)            slides; d = v/|v|
    du/dp = W (1, T'), u_T' = 0       sticks, while |T'| <= mu_s

Compression ends where u_N = 0; where restitution ends is the law's: see `supports`.
Several contacts: all at once, by complementarity of u+ + e u- (Moreau, Glocker), or one
after the other along Routh's path until none approaches.

The change of kinetic energy is P . (u+ + u-) / 2 exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from polhode.errors import NoMotion
from polhode.supports.restitution import Newton, Poisson, Stronge

# Of the speed of approach: slips and approaches below are none.
STILL = 1e-12
SEQUENCE = 100
# Of the impulses that sweeps begin with: what they never reach where they converge.
DIVERGED = 1e9
# Of the greatest trace of a contact's own block of W: the least that counts.
HARDEST = 1e-12
# Share of the way to a stop that a step along a turning slip may go.
TURNING = 0.02
SEGMENTS = 4000
# Newton's steps for the direction in which a slip begins, at most; of the trace of what
# friction moves, where they set out.
TURNS, SMALLEST = 60, 1e-12


class Struck(NamedTuple):
    """What an impact leaves.

    velocity   (n, 3) u+
    impulse    (n, 3) P
    push       (n,) work of the normal impulses, J
    friction   (n,) work of the tangential ones, J
    phases     of one contact: what happened along its path, in words
    """

    velocity: np.ndarray
    impulse: np.ndarray
    push: np.ndarray
    friction: np.ndarray
    phases: tuple[str, ...]


class Laws(NamedTuple):
    """Coefficients (n,) of candidates, and the numbers (n,) of restitution laws."""

    dynamic: np.ndarray
    static: np.ndarray
    restitution: np.ndarray
    law: np.ndarray


@dataclass
class _Path:
    """Where an impact at one contact is, along its normal impulse."""

    u: np.ndarray
    p: float = 0.0
    T: Any = None
    work: float = 0.0
    friction: float = 0.0


def routh(W: np.ndarray, u: np.ndarray, laws: Laws, k: int) -> Struck:
    """An impact at the candidate k alone; W (3n, 3n), u (n, 3) before it."""
    own = slice(3 * k, 3 * k + 3)
    path = _Path(u[k].copy(), T=np.zeros(2))
    mu, mu_s = float(laws.dynamic[k]), float(laws.static[k])
    e, law = float(laws.restitution[k]), int(laws.law[k])
    phases = _along(W[own, own], path, (mu, mu_s), e, law)
    impulse = np.zeros_like(u)
    impulse[k] = path.p, *path.T
    after = u + (W @ impulse.reshape(-1)).reshape(u.shape)
    push, friction = np.zeros(len(u)), np.zeros(len(u))
    push[k] = path.work
    # Exactly what is left of the whole: P . (u+ + u-) / 2.
    friction[k] = impulse[k] @ (after[k] + u[k]) / 2 - path.work
    return Struck(after, impulse, push, friction, tuple(phases))


def _along(
    W: np.ndarray,
    path: _Path,
    mu: tuple[float, float],
    e: float,
    law: int,
) -> list[str]:
    """Routh's path to its end; what happened on the way."""
    approach = -float(path.u[0])
    phases: list[str] = []
    speed = max(approach, float(np.max(np.abs(path.u))))
    compressed: tuple[float, float] | None = None
    for _ in range(SEGMENTS):
        T_rate, word = _tangential(W, path.u, mu, STILL * speed)
        if not phases or phases[-1] != word:
            phases.append(word)
        rate, longest = _rate(W, path.u, mu[0], T_rate, word)
        stops = {"step": longest}
        if word == "slides":
            v = path.u[1:]
            closing = -(rate[1:] @ v)
            # A slip that turns is followed in short steps, and ends by being small.
            if closing > 0 and np.isinf(longest):
                stops["slip"] = float(v @ v) / closing
        if compressed is None:
            if rate[0] > 0:
                stops["compression"] = -path.u[0] / rate[0]
        else:
            stops["end"] = _restitution_left(
                path, rate[0], compressed, approach, e=e, law=law
            )
        first = min(stops, key=lambda key: stops[key])
        dp = stops[first]
        if not np.isfinite(dp):
            raise NoMotion(
                "an impact has no end: its push grows without lifting the contact.",
                f"A unit of it changes the approach by {rate[0]:.3g} m/s, and the slip"
                " never stops.",
                "Lower the friction, or give the contact a stiffness.",
            )
        _advance(path, rate, T_rate, max(dp, 0.0), exactly=first)
        if first == "compression":
            path.u[0] = 0.0
            phases.append("compressed")
            compressed = (path.p, path.work)
            if e == 0:
                return phases
        if first == "end":
            return phases
    raise NoMotion(
        f"the slip of an impact still turns after {SEGMENTS} steps.",
        "Its direction is followed along the impulse in steps of its own size.",
        "Lower the friction, or look at the inertia of the bodies that strike.",
    )


def _tangential(
    W: np.ndarray, u: np.ndarray, mu: tuple[float, float], still: float
) -> tuple[np.ndarray, str]:
    """T' for each unit of p, and whether the contact slides or sticks."""
    v = u[1:]
    speed = float(np.hypot(*v))
    if mu[1] == 0:
        return np.zeros(2), "slides" if speed > still else "sticks"
    if speed > still:
        return -mu[0] * v / speed, "slides"
    u[1:] = 0.0
    needed = np.linalg.lstsq(W[1:, 1:], -W[1:, 0], rcond=1e-12)[0]
    if np.hypot(*needed) <= mu[1]:
        return needed, "sticks"
    return -mu[0] * _slip_direction(W, mu[0]), "slides again"


def _slip_direction(W: np.ndarray, mu: float) -> np.ndarray:
    """d (2,) in which a slip begins: W_TN - mu W_TT d = a d with a > 0.

    |(a + mu W_TT)^-1 W_TN| falls as a grows: a is found by Newton's steps for its
    inverse, which come from below and never pass.
    """
    A, aim = mu * W[1:, 1:], W[1:, 0]
    trace = float(np.trace(A))
    a = max(SMALLEST * trace, float(np.hypot(*aim)) - trace)  # never beyond it
    for _ in range(TURNS):
        B = A + a * np.eye(2)
        d = np.linalg.solve(B, aim)
        size = float(np.hypot(*d))
        step = size * size * (size - 1) / float(d @ np.linalg.solve(B, d))
        a += step
        if not step > np.finfo(float).eps * a:
            break
    return d / size


def _rate(
    W: np.ndarray, u: np.ndarray, mu: float, T_rate: np.ndarray, word: str
) -> tuple[np.ndarray, float]:
    """du/dp (3,), and for how far; infinite while the slip keeps its line."""
    rate = W @ np.array([1.0, *T_rate])
    if word == "sticks":
        rate[1:] = 0.0 if mu else rate[1:]
    if word != "slides" or mu == 0:
        return rate, np.inf
    v = u[1:]
    turning = abs(rate[1] * v[1] - rate[2] * v[0])
    size = float(np.hypot(*v))
    if turning <= 1e-12 * size * float(np.hypot(*rate[1:])):
        return rate, np.inf
    dp = TURNING * size / float(np.hypot(*rate[1:]))

    def at(u: np.ndarray) -> np.ndarray:
        v = u[1:]
        return W @ np.array([1.0, *(-mu * v / np.hypot(*v))])

    # Runge and Kutta's mean rate over the step, that the direction is followed.
    k2 = at(u + rate * dp / 2)
    k3 = at(u + k2 * dp / 2)
    k4 = at(u + k3 * dp)
    mean = (rate + 2 * k2 + 2 * k3 + k4) / 6
    T_rate[:] = np.linalg.lstsq(W, mean, rcond=1e-12)[0][1:]
    return mean, dp


def _advance(
    path: _Path, rate: np.ndarray, T_rate: np.ndarray, dp: float, *, exactly: str
) -> None:
    path.work += path.u[0] * dp + rate[0] * dp * dp / 2
    path.u = path.u + rate * dp
    path.T = path.T + T_rate * dp
    path.p += dp
    if exactly == "slip":
        path.u[1:] = 0.0


def _restitution_left(
    path: _Path,
    rate: float,
    compressed: tuple[float, float],
    approach: float,
    *,
    e: float,
    law: int,
) -> float:
    """How far restitution has still to go, if the rate keeps."""
    (p_c, work_c) = compressed
    if law == Poisson.number:
        return (1 + e) * p_c - path.p
    if law == Newton.number:
        return (e * approach - path.u[0]) / rate if rate > 0 else np.inf
    assert law == Stronge.number
    # In this order: 1 - e e would lose a small e.
    missing = (work_c - path.work) - e * e * work_c
    if rate == 0:
        return missing / path.u[0] if path.u[0] > 0 else np.inf
    square = path.u[0] ** 2 + 2 * rate * missing
    return (np.sqrt(square) - path.u[0]) / rate if square >= 0 else np.inf


def simultaneous(
    W: np.ndarray, u: np.ndarray, laws: Laws, touching: np.ndarray
) -> Struck:
    """All contacts that touch, at once: 0 <= P_N _|_ u_N+ + e u_N- >= 0, and Coulomb.

    The number of each law is used as Newton's, by which alone this is defined.
    """
    numbers = np.flatnonzero(touching)
    own = (3 * numbers[:, None] + np.arange(3)).reshape(-1)
    before = u[numbers]
    aim = before.copy()
    aim[:, 0] *= 1 + laws.restitution[numbers]
    mu = laws.dynamic[numbers]
    P = coulomb_impulses(W[np.ix_(own, own)], aim, mu)
    impulse = np.zeros_like(u)
    impulse[numbers] = P
    after = u + (W @ impulse.reshape(-1)).reshape(u.shape)
    mean = impulse * (after + u) / 2
    return Struck(after, impulse, mean[:, 0], mean[:, 1:].sum(axis=1), ("at once",))


def coulomb_impulses(W: np.ndarray, aim: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """P (k, 3) with u = W P + aim, 0 <= P_N _|_ u_N >= 0, and Coulomb's law.

    By combinations of open, sliding and sticking, that of least residual; directions
    of slips by iteration. Few contacts: for many see the time-stepping method.
    """
    k = len(aim)
    first = _newton(W, aim, mu)
    if residual(W, aim, mu, first) <= 1e-10 * max(1.0, float(np.max(np.abs(aim)))):
        return first
    P, most, rho = first.copy(), np.inf, _steps(W)
    for _ in range(20_000):  # Gauss and Seidel, contact by contact
        before = P.copy()
        for i in range(k):
            rows = slice(3 * i, 3 * i + 3)
            u = (W[rows] @ P.reshape(-1)) + aim[i]
            P[i] = _projected(P[i] - rho[i] * _lifted(u, mu[i]), mu[i])
        size = max(float(np.max(np.abs(P))), 1e-300)
        if size > most:  # friction that couples contacts strongly: no sweep helps
            return first
        most = min(most, DIVERGED * max(size, float(np.max(np.abs(first)))))
        if np.max(np.abs(P - before)) <= 1e-15 * size:
            break
    better = _newton(W, aim, mu, P)
    if residual(W, aim, mu, better) < residual(W, aim, mu, P):
        return better
    return P


def residual(W: np.ndarray, aim: np.ndarray, mu: np.ndarray, P: np.ndarray) -> float:
    """How far impulses are from the laws, m/s."""
    u = (W @ P.reshape(-1)).reshape(P.shape) + aim
    worst = 0.0
    for i, rho in enumerate(_steps(W).tolist()):
        moved = _projected(P[i] - rho * _lifted(u[i], mu[i]), mu[i])
        worst = max(worst, float(np.max(np.abs(P[i] - moved))) / rho)
    return worst


def _steps(W: np.ndarray) -> np.ndarray:
    """rho (k,) = 1/tr W_ii. Friction that couples strongly may leave less than nothing
    of it: there it is that of what is hardest to move.
    """
    trace = np.diagonal(W).reshape(-1, 3).sum(axis=1)
    return 1.0 / np.maximum(trace, HARDEST * max(float(np.max(trace)), 1e-300))


def _lifted(u: np.ndarray, mu: float) -> np.ndarray:
    """u with mu |u_T| more along the normal (De Saxce)."""
    return np.array([u[0] + mu * np.hypot(*u[1:]), *u[1:]])


def _projected(P: np.ndarray, mu: float) -> np.ndarray:
    """The nearest impulse in Coulomb's cone."""
    N, size = P[0], float(np.hypot(*P[1:]))
    if size <= mu * N:
        return P
    if mu * size <= -N:
        return np.zeros(3)
    scale = (N + mu * size) / (1 + mu * mu)
    T = mu * scale * P[1:] / size if size > 0 else np.zeros(2)
    return np.array([scale, *T])


def _newton(
    W: np.ndarray, aim: np.ndarray, mu: np.ndarray, P: np.ndarray | None = None
) -> np.ndarray:
    """Alart and Curnier's semismooth Newton, with a proximal term; the best iterate."""
    k = len(aim)
    P = np.zeros((k, 3)) if P is None else P.copy()
    eps = 1e-9 * np.trace(W) / (3 * k)
    rho = 3.0 * _steps(W)
    best = P, residual(W, aim, mu, P)
    for _ in range(80):
        u = (W @ P.reshape(-1)).reshape(k, 3) + aim
        matrix, right = np.zeros((3 * k, 3 * k)), np.zeros(3 * k)
        for i in range(k):
            own = {"mu": mu[i], "rho": rho[i], "i": i}
            rows = _alart_curnier(W + eps * np.eye(3 * k), P[i], u[i], **own)
            matrix[3 * i : 3 * i + 3], right[3 * i : 3 * i + 3] = rows
        step = np.linalg.lstsq(matrix, right, rcond=1e-14)[0].reshape(k, 3)
        length = 1.0
        for _ in range(6):
            new = P + length * step
            now = residual(W, aim, mu, new)
            if now < best[1]:
                break
            length /= 2
        P = P + (length if now < best[1] else 1.0) * step
        now = residual(W, aim, mu, P)
        if now < best[1]:
            best = P.copy(), now
        if best[1] <= 1e-15 * max(1e-300, float(np.max(np.abs(aim)))):
            break
    return best[0]


def _alart_curnier(
    We: np.ndarray, P: np.ndarray, u: np.ndarray, *, mu: float, rho: float, i: int
) -> tuple[np.ndarray, np.ndarray]:
    """Three rows of Newton's matrix and right side, of one contact."""
    y = P - rho * u
    rows, right = np.zeros((3, We.shape[0])), np.zeros(3)
    own = slice(3 * i, 3 * i + 3)
    if y[0] <= 0:
        rows[:, own], right[:] = np.eye(3), -P
        return rows, right
    rows[0], right[0] = rho * We[3 * i], -rho * u[0]
    size = float(np.hypot(*y[1:]))
    if size <= mu * y[0]:
        rows[1:], right[1:] = rho * We[3 * i + 1 : 3 * i + 3], -rho * u[1:]
        return rows, right
    d = y[1:] / size
    kappa = mu * y[0] / size
    across = kappa * (np.eye(2) - np.outer(d, d))
    unit = np.zeros((3, We.shape[0]))
    unit[:, own] = np.eye(3)
    slope = unit - rho * We[own]
    rows[1:] = unit[1:] - across @ slope[1:] - mu * np.outer(d, slope[0])
    right[1:] = -(P[1:] - mu * y[0] * d)
    return rows, right


def in_sequence(
    W: np.ndarray, u: np.ndarray, laws: Laws, touching: np.ndarray
) -> Struck:
    """Contacts one after the other, the quickest approach first, until none is left.

    After `SEQUENCE` of them what still approaches is stopped at once.
    """
    whole = Struck(u, np.zeros_like(u), np.zeros(len(u)), np.zeros(len(u)), ())
    speed = float(np.max(np.abs(u)))
    for _ in range(SEQUENCE):
        approach = np.where(touching, whole.velocity[:, 0], np.inf)
        k = int(np.argmin(approach))
        if approach[k] >= -STILL * speed:
            return whole
        whole = together(whole, routh(W, whole.velocity, laws, k))
    still = laws._replace(restitution=np.zeros_like(laws.restitution))
    last = simultaneous(W, whole.velocity, still, touching)
    return together(whole, last)._replace(phases=(*whole.phases, "settles"))


def together(one: Struck, other: Struck) -> Struck:
    """Two impacts at one instant, the second after the first."""
    return Struck(
        other.velocity,
        one.impulse + other.impulse,
        one.push + other.push,
        one.friction + other.friction,
        one.phases + other.phases,
    )


def collide(
    W: np.ndarray, u: np.ndarray, laws: Laws, touching: np.ndarray, order: str
) -> Struck:
    """The impact of all contacts that touch; one alone goes along Routh's path."""
    speed = float(np.max(np.abs(u[touching]), initial=0.0))
    approaching = touching & (u[:, 0] < -STILL * speed)
    if not np.any(approaching):
        nothing = np.zeros(len(u))
        return Struck(u, np.zeros_like(u), nothing, nothing, ())
    if order == "in sequence":
        return in_sequence(W, u, laws, touching)
    if np.sum(approaching) == 1:
        k = int(np.flatnonzero(approaching)[0])
        alone = routh(W, u, laws, k)
        others = touching & (np.arange(len(u)) != k)
        # Other contacts that the impact lifts, or leaves, take no part in it.
        if not np.any(others & (alone.velocity[:, 0] < -STILL * speed)):
            resting = others & _drags(alone.velocity, u, laws, speed)
            if not np.any(resting):
                return alone
    return simultaneous(W, u, laws, touching)


def _drags(after: np.ndarray, u: np.ndarray, laws: Laws, speed: float) -> np.ndarray:
    """Contacts that neither part nor stay as they were, and have friction."""
    stays = np.abs(after[:, 0]) <= STILL * speed
    changed = np.max(np.abs(after[:, 1:] - u[:, 1:]), axis=1) > STILL * speed
    return stays & changed & (laws.dynamic > 0)
