"""Zeros of events along the steps of a run.

A step is looked at from several places, closer ones where g is not smooth between
them. A change of side brackets a zero; a dip of |g| is followed to its bottom, where it
may touch zero or pass it twice. Roots are those of the interpolant, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Scalar
from polhode.integrate.events.functions import Ends
from polhode.integrate.field.dense_output import Steps, between

PARTS = 4
# So many looks at one step are taken at most: of a g that is not smooth between them,
# and of one whose zeros are said to be close.
FINEST = 4**7
CLOSEST = 4**11
# Jumps and corners are rough at any distance; g that is so at this share of its looks
# is quicker than they are.
QUICK = 0.1
# Beside a pole g is larger than on both sides of it; at a zero, or a jump, it is not.
POLE = 10.0
# Between looks g is followed by cubics: so much of its size may they miss.
SMOOTH = 1e-2
# Of a step: roots are found to rounding, the least that brentq takes.
SHARP = 4 * np.finfo(float).eps


class Crossing(NamedTuple):
    """A zero of one event.

    event       its number
    step        the number of the step, and s the share of it
    t           the time
    direction   of g, along the run
    is_grazing  g touched zero and turned back
    """

    event: int
    step: int
    s: float
    t: float
    direction: int
    is_grazing: bool


class Scan(NamedTuple):
    """Rows to be searched.

    steps      rows, the first being where they begin
    look       (s (k,), step numbers (k,)) -> g (k, e), dg/ds (k, e)
    doubts     (rows, e): how well g is known
    spacings   (e,)
    before     steps of the run that went before: their errors add up
    instants   (steps,): times that are nearer to each other are one
    """

    steps: Steps
    look: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    doubts: np.ndarray
    spacings: np.ndarray
    before: int
    instants: np.ndarray


def ends_of(steps: Steps, j: Any) -> Ends:
    """Step number j (or several) of some rows: from row j to row j + 1."""
    t, x, x_dot, dense = steps
    last = np.asarray(j) + 1
    start, end = (x[j], x_dot[j]), (x[last], x_dot[last])
    return Ends(t[j], t[last] - t[j], start, end, dense[last])


class Found(NamedTuple):
    """All zeros in the rows in their order, the sides after them, and which are near.

    is_near   (e,) whether g is in doubt at the last row
    """

    each: list[Crossing]
    sides: np.ndarray
    is_near: np.ndarray


class Unseen(Exception):
    """An event whose zeros in some step cannot be found; `why` says why not."""

    def __init__(self, step: int, event: int, why: str):
        super().__init__(step, event, why)
        self.step, self.event, self.why = step, event, why


def crossings(scan: Scan, sides: np.ndarray) -> Found:
    """All zeros in the rows, from the sides at the first."""
    count, width = len(scan.steps.t) - 1, len(sides)
    marks = np.linspace(0.0, 1.0, PARTS + 1)
    g, d = scan.look(np.tile(marks, count), np.repeat(np.arange(count), PARTS + 1))
    g, d = (part.reshape(count, PARTS + 1, width) for part in (g, d))
    if not np.all(np.isfinite(g)):
        step, _, event = np.argwhere(~np.isfinite(g))[0]
        raise Unseen(int(step), int(event), "is not finite just after")
    parts = _parts_needed(scan, g, d)
    after = np.array(sides)
    found: list[Crossing] = []
    for step in np.flatnonzero(_is_busy(scan, g, d, sides) | (parts > PARTS)):
        j = int(step)
        views: Any = (marks, g[j], d[j])
        if parts[j] > PARTS:
            views = _closer(scan, j, int(parts[j]))
        for event in range(width):
            if _is_instant(scan, g, j, event):
                continue  # it is met in the next step, or has been just now
            side = _side_at(scan, g, after, j, event)
            after[event] = _Walk(scan, j, event).along(views, side, found)
    is_near = np.abs(g[-1, -1]) <= scan.doubts[-1]
    after = np.where(is_near, after, 2 * np.sign(g[-1, -1])).astype(np.int64)
    return Found(sorted(found, key=lambda c: (c.step, c.s)), after, is_near)


def _is_instant(scan: Scan, g: np.ndarray, j: int, event: int) -> bool:
    """Whether a step is too short to tell zeros in it from those at its ends."""
    if abs(scan.steps.t[j + 1] - scan.steps.t[j]) > scan.instants[j]:
        return False
    ends = np.abs(g[j, [0, -1], event])
    return bool(np.all(ends <= scan.doubts[[j, j + 1], event]))


def _side_at(scan: Scan, g: np.ndarray, after: np.ndarray, j: int, event: int) -> int:
    """The side at the start of a step: the sign of g where it is clear of zero."""
    if j > 0 and abs(g[j, 0, event]) > scan.doubts[j, event]:
        return int(2 * np.sign(g[j, 0, event]))
    return int(after[event])


def _is_busy(scan: Scan, g: np.ndarray, d: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Which steps may hold a zero: g changes sign, is in doubt, or dips far enough."""
    doubt = np.maximum(scan.doubts[:-1], scan.doubts[1:])[:, None, :]
    near = np.any(np.abs(g) <= doubt, axis=1)
    mixed = np.any(np.sign(g) != np.sign(g[:, :1]), axis=1)
    fall = 2 * np.abs(d[:, :-1]) / PARTS
    dips = (g * d)[:, :-1] < 0
    dips &= (g * d)[:, 1:] >= 0
    steps = scan.before + 1 + np.arange(len(g))
    band = doubt * steps[:, None, None]
    dips &= np.abs(g[:, :-1]) - fall <= band
    dips |= _lowest(g, d) <= band
    busy = near | mixed | np.any(dips, axis=1)
    busy[0] |= np.sign(sides) != np.sign(g[0, 0])
    return np.any(busy, axis=1)


def _parts_needed(scan: Scan, g: np.ndarray, d: np.ndarray) -> np.ndarray:
    """In how many parts each step must be looked at."""
    parts = np.where(_is_rough(scan, g, d), 4 * PARTS, PARTS)
    h = np.abs(np.diff(scan.steps.t))
    close = np.ceil(2 * h / np.min(scan.spacings))
    fine = PARTS ** np.ceil(np.log(np.maximum(close, 1)) / np.log(PARTS))
    if np.any(fine > CLOSEST):
        step = int(np.argmax(fine > CLOSEST))
        why = f"has zeros too close for the next step, of {h[step]:.3g} s"
        how = "; give a method with shorter steps"
        raise Unseen(step, int(np.argmin(scan.spacings)), why + how)
    return np.maximum(parts, fine).astype(int)


def _is_rough(scan: Scan, g: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Which steps have g that is not smooth between looks."""
    return np.any(_rough_pairs(scan, g, d), axis=(1, 2))


def _rough_pairs(scan: Scan, g: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Where the middle of two parts is not what the cubic of their ends says."""
    span = 2.0 / (g.shape[1] - 1)
    g0, g1, g2 = g[:, :-1:2], g[:, 1::2], g[:, 2::2]
    d0, d1, d2 = d[:, :-1:2], d[:, 1::2], d[:, 2::2]
    middle = (g0 + g2) / 2 + span * (d0 - d2) / 8
    leaning = 1.5 * (g2 - g0) / span - (d0 + d2) / 4
    size = np.max(np.abs(g), axis=1, keepdims=True)
    size = np.maximum(size, span * np.max(np.abs(d), axis=1, keepdims=True))
    limit = SMOOTH * size + np.maximum(scan.doubts[:-1], scan.doubts[1:])[:, None]
    missed = np.maximum(np.abs(g1 - middle), span * np.abs(d1 - leaning))
    return missed > limit


def _closer(scan: Scan, j: int, parts: int) -> tuple[np.ndarray, ...]:
    """Looks at one step from more places, until g is smooth between them."""
    while True:
        marks = np.linspace(0.0, 1.0, parts + 1)
        g, d = scan.look(marks, np.full(parts + 1, j))
        pair = scan._replace(doubts=scan.doubts[j : j + 2])
        rough = _rough_pairs(pair, g[None], d[None])[0]
        if not np.any(rough):
            return marks, g, d
        if parts >= FINEST:
            shares = np.mean(rough, axis=0)
            if np.max(shares) > QUICK:
                why = f"turns more often than {parts} looks at the next step can tell"
                how = "; give the event a spacing=..., or a method with shorter steps"
                raise Unseen(j, int(np.argmax(shares)), why + how)
            return marks, g, d
        parts *= 4


def _cubic_turns(g0: Any, g1: Any, d0: Any, d1: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where the cubic of two values and two slopes turns, as shares (2, ...) of the way
    from one to the other; and its values there. Where it does not turn: its first."""
    a, b = 2 * (g0 - g1) + d0 + d1, 3 * (g1 - g0) - 2 * d0 - d1
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - 3 * a * d0)
        turn = -(b + np.where(b < 0, -root, root))
        shares = np.stack([turn / (3 * a), d0 / turn])
        inside = (shares > 0) & (shares < 1)
    s = np.where(inside, shares, 0.0)
    return s, g0 + s * (d0 + s * (b + s * a))


def _lowest(g: np.ndarray, d: np.ndarray) -> np.ndarray:
    """How near zero, on the side of their starts, cubics turn within each part."""
    span = 1.0 / (g.shape[1] - 1)
    pairs = (g[:, :-1], g[:, 1:], span * d[:, :-1], span * d[:, 1:])
    return np.min(np.sign(g[:, :-1]) * _cubic_turns(*pairs)[1], axis=0)


class _Walk(NamedTuple):
    """One event along one step."""

    scan: Scan
    step: int
    event: int

    def along(self, views: Any, side: int, found: list[Crossing]) -> int:
        """Adds the zeros of a step to `found`; the side at its end."""
        each = views[0], views[1][:, self.event], views[2][:, self.event]
        points = list(zip(*(column.tolist() for column in each), strict=True))
        points = self._with_turns(points, each)
        a = points[0]
        for b in points[1:]:
            # Just past zero and still going: it may be about to turn back.
            past, going = np.sign(side) * b[1], np.sign(side) * b[2]
            if -self._band <= past < 0 and going < 0 and b is not points[-1]:
                continue
            side = self._part(a, b, side, found)
            a = b
        return side

    def _with_turns(self, points: list[Any], each: Any) -> list[Any]:
        """Looks also where g turns on the other side of zero: it passes thrice there,
        or twice between two looks that see the same side."""
        s, g, d = each
        span = np.diff(s)
        shares, values = _cubic_turns(g[:-1], g[1:], span * d[:-1], span * d[1:])
        order = np.argsort(shares, axis=0)
        shares, values = (np.take_along_axis(x, order, 0) for x in (shares, values))
        row = np.sign(np.stack([g[:-1], *values, g[1:]]))
        often = np.sum(row[1:] * row[:-1] < 0, axis=0) > (row[0] * row[-1] < 0)
        found = list(points)
        for k in np.flatnonzero(often):
            for share in shares[:, k][shares[:, k] > 0]:
                at = float(s[k] + share * span[k])
                found.append((at, self._value(at), self._rate(at)))
        return sorted(found)

    def _part(self, a: Any, b: Any, side: int, found: list[Crossing]) -> int:
        sign, there = np.sign(side), np.sign(b[1])
        if sign == 0:
            side = int(there)
        elif there == -sign and not self._has_turned(a, b, sign):
            s = self._root(a, b, sign)
            if abs(self._value(s)) <= POLE * max(abs(a[1]), abs(b[1])):
                self._add(found, s, -sign)
            side = int(there)
        elif sign * a[2] < 0 <= sign * b[2]:
            side = self._dip(a, b, side, found)
        clear = abs(b[1]) > self._doubt
        return int(2 * np.sign(b[1])) if clear and there == np.sign(side) else side

    def _dip(self, a: Any, b: Any, side: int, found: list[Crossing]) -> int:
        sign = np.sign(side)
        if sign * a[1] - 2 * abs(a[2]) * (b[0] - a[0]) > self._band:
            return side
        low = _zero(self._rate, a[0], b[0])
        depth = sign * self._value(low)
        if depth < -self._band:
            middle = (low, self._value(low), 0.0)
            self._add(found, self._root(a, middle, sign), -sign)
            self._add(found, self._root(b, middle, sign), sign)
            return int(sign)
        # Not twice for one touch: it must have been clear of zero since the last.
        if depth <= self._band and abs(side) == 2:
            self._add(found, low, -sign, True)
            return int(sign)
        return side

    def _root(self, a: Any, b: Any, sign: float) -> float:
        """The zero between a, on the side `sign`, and b, on the other."""
        if sign * a[1] > 0:
            return _zero(self._value, a[0], b[0])
        if sign * a[2] > 0 > sign * b[2]:  # it sets out to its side and comes back
            top = _zero(self._rate, a[0], b[0])
            if sign * self._value(top) > 0:
                return _zero(self._value, top, b[0])
        return float(a[0])

    def _add(
        self, found: list[Crossing], s: float, way: float, touch: bool = False
    ) -> None:
        t, last = self.scan.steps.t[self.step], self.scan.steps.t[self.step + 1]
        time = float(last if s == 1 else t + s * (last - t))
        found.append(Crossing(self.event, self.step, s, time, int(way), bool(touch)))

    def _has_turned(self, a: Any, b: Any, sign: float) -> bool:
        """Past zero within the accuracy of the run, and on the way back."""
        return sign * a[2] < 0 <= sign * b[2] and abs(b[1]) <= self._band

    @property
    def _band(self) -> float:
        """How well g can be compared to zero after all steps so far."""
        return self._doubt * (self.scan.before + self.step + 1)

    @property
    def _doubt(self) -> float:
        return float(np.max(self.scan.doubts[self.step : self.step + 2, self.event]))

    def _value(self, s: float) -> float:
        g, _ = self.scan.look(np.array([s]), np.array([self.step]))
        return float(g[0, self.event])

    def _rate(self, s: float) -> float:
        _, d = self.scan.look(np.array([s]), np.array([self.step]))
        return float(d[0, self.event])


def _zero(function: Callable[[float], float], a: float, b: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, a, b, xtol=1e-17, rtol=SHARP, maxiter=1000))


def restrict_step(steps: Steps, j: int, s: float) -> Steps:
    """Step j from its start to the share s of it, as one row: the same polynomial.

    With u = s'/s the higher terms follow from values inside: their basis is 1, u,
    u (1 - u), u^2 (1 - u), ..., after u^2 (1 - u)^2.
    """
    t, h, start, end, dense = ends_of(steps, j)
    terms = dense.shape[0]

    def value(at: Any) -> Any:
        return between(at, h, start, end, dense)

    x, x_dot = value(s), _slope(value, s, h, 4 + terms)
    u = (np.arange(terms) + 1.0) / (terms + 1.0)
    cubic = [between(each, s * h, start, (x, x_dot), dense[:0]) for each in u]
    rest = [
        (value(s * each) - c) / (each * (1 - each)) ** 2
        for each, c in zip(u, cubic, strict=True)
    ]
    new = np.linalg.solve(dense_basis(u), np.array(rest)) if terms else dense
    return Steps(np.array([t + s * h]), x[None], x_dot[None], new[None])


def _slope(value: Callable[[Any], Any], s: float, h: Scalar, degree: int) -> Any:
    """dx/dt of a polynomial of some degree at s, exact but for rounding."""
    nodes = (1 - np.cos(np.pi * np.arange(degree + 1) / degree)) / 2
    samples = np.array([value(node) for node in nodes])
    series = np.polynomial.chebyshev.chebfit(2 * nodes - 1, samples, degree)
    x_dot = np.polynomial.chebyshev.chebder(series)
    return np.polynomial.chebyshev.chebval(2 * s - 1, x_dot) * 2 / h


def dense_basis(u: np.ndarray) -> np.ndarray:
    """The polynomials of dense output at places u, beyond u^2 (1 - u)^2."""
    columns = [np.ones_like(u)]
    for k in range(1, len(u)):
        columns.append(columns[-1] * (u if k % 2 == 1 else 1 - u))
    return np.stack(columns, axis=1)
