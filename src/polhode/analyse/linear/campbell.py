"""`ph.campbell`: how the frequencies of a machine change with the speed of its rotor.

    A(W) x = s x,      w = |Im s|,      critical speed of order n:   w(W) = n W

The system is linearised about its steady motion at each speed W. Branches are followed
by their shapes, so that two that cross stay apart. A load that is fixed to the rotor
turns once a revolution (order 1); two blades, or the weight of an uneven shaft, twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.linear.linearise import linearise
from polhode.answer_table import Answer, AnswerTable, number, some
from polhode.arrays import Array
from polhode.errors import AnalysisError
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System

STILL = 1e-6  # of the fastest: a mode slower than this is the turning itself
FORWARD, BACKWARD, PLANE = 1, -1, 0
WHIRLS = {FORWARD: "forward", BACKWARD: "backward", PLANE: ""}
SHOWN = 12  # rows of a printed table


class CriticalSpeed(NamedTuple):
    """A speed of the rotor at which a load of some order meets a frequency.

    speed, frequency   rad/s; `order` is their ratio
    damping            -Re(s)/|s| of the mode there
    mode               which branch, and its `whirl`: 1 with the rotor, -1 against it
    """

    speed: float
    frequency: float
    order: float
    damping: float
    mode: int
    whirl: int


@final
@dataclass(frozen=True, eq=False, repr=False)
class Campbell(Answer):
    """Frequencies over the speed of a rotor.

    speeds        W (n,), rad/s, of the joint `spin`
    eigenvalues   s (n, modes), 1/s, a branch a column
    whirl         (n, modes): 1 with the rotor, -1 against it, 0 in a plane or not known
    criticals     critical speeds, slowest first
    """

    state: State
    spin: str
    speeds: np.ndarray
    eigenvalues: np.ndarray
    whirl: np.ndarray
    orders: tuple[float, ...]
    criticals: tuple[CriticalSpeed, ...]

    @property
    def system(self) -> System:
        """Whose frequencies these are."""
        return self.state.system

    @property
    def frequencies(self) -> np.ndarray:
        """|Im s| (n, modes), rad/s."""
        return np.abs(self.eigenvalues.imag)

    @property
    def damping(self) -> np.ndarray:
        """-Re(s)/|s| (n, modes); below zero the mode grows."""
        return -self.eigenvalues.real / np.abs(self.eigenvalues)

    def plot(self) -> Any:
        """Campbell's diagram, with lines of order and critical speeds: a `Picture`."""
        from polhode.show.plots.frequency import campbell_picture

        return campbell_picture(self)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Critical speeds as they are printed."""
        return [
            (
                f"{c.order:g}",
                f"{c.speed:.6g}",
                f"{60 * c.speed / (2 * np.pi):.6g}",
                f"{c.frequency:.6g}",
                f"{c.damping:.3g}",
                WHIRLS[c.whirl],
            )
            for c in self.criticals
        ]

    def as_table(self) -> AnswerTable:
        """What is printed: frequencies over the speed, and critical speeds below."""
        count = f"{self.frequencies.shape[1]} modes, {len(self.speeds)} speeds"
        names = [f"w{k + 1}, rad/s" for k in range(self.frequencies.shape[1])]
        shown = some(len(self.speeds), SHOWN)
        rows = [(number(self.speeds[k]), *self.frequencies[k]) for k in shown]
        found = AnswerTable("critical speeds:", CRITICAL, self.rows)
        return AnswerTable(
            f"Campbell({self.system.name!r}: {count} of {self.spin!r})",
            ("W, rad/s", *names),
            rows,
            below=[found] if self.criticals else [],
        )


CRITICAL = ("order", "W, rad/s", "rpm", "w, rad/s", "damping", "whirl")


def campbell(
    system: System,
    spin: str,
    speeds: Array,
    *,
    about: State | Callable[[float], State] | None = None,
    orders: Sequence[float] = (1.0,),
    lateral: tuple[str, str] | None = None,
    parameters: Table = NOMINAL,
) -> Campbell:
    """Frequencies over the speeds (n,) of a joint, and where loads meet them.

    spin        a joint with one speed, which is set to each of `speeds`, rad/s
    about       the state with the rotor at rest, or speed -> state where more changes
    orders      multiples of the speed at which something shakes the machine
    lateral     two coordinates across the shaft, in the order of the rotor's turning:
                then whirl with and against the rotor is told apart

    >>> import polhode as ph
    >>> rotor = ph.models.rotor()
    >>> found = campbell(rotor, "spin", [0.0, 150.0, 300.0])
    >>> [round(critical.speed, 2) for critical in found.criticals]
    [64.77, 76.5]
    """
    W = _admit_speeds(system, spin, speeds)
    state_at = _states(system, spin, about)
    pair = None if lateral is None else _places(system, lateral)

    def spectrum(speed: float) -> _Spectrum:
        linear = linearise(system, state_at(speed), parameters=parameters)
        linear.require_steady("frequencies")
        return _spectrum(linear.matrices, system, pair, np.sign(speed) or 1.0)

    found = [spectrum(speed) for speed in W]
    tracks = _follow_branches(found)
    values, whirl = (np.array(part) for part in zip(*tracks, strict=True))
    asked = tuple(map(float, orders))
    criticals = _criticals(W, (values, whirl), asked, spectrum)
    return Campbell(state_at(0.0), spin, W, values, whirl, asked, criticals)


class _Spectrum(NamedTuple):
    """Eigenvalues with Im s > 0 (m,), their shapes (m, n), and how each whirls (m,)."""

    values: np.ndarray
    shapes: np.ndarray
    whirl: np.ndarray


def _spectrum(matrices: Any, system: System, pair: Any, sign: float) -> _Spectrum:
    values, vectors = np.linalg.eig(matrices.A)
    fastest = np.max(np.abs(values), initial=0.0)
    keep = (values.imag > STILL * fastest) & (np.abs(values) > STILL * fastest)
    order = np.flatnonzero(keep)[np.argsort(values[keep].imag)]
    s, x = values[order], vectors[:, order].T
    whirl = np.zeros(len(s), int)
    if pair is not None:
        a, b = (x[:, matrices.states.index(name)] for name in pair)
        # x = cos wt, y = sin wt goes round with the rotor: y lags by a right angle.
        turn = -sign * np.imag(np.conj(a) * b)
        size = np.abs(a) ** 2 + np.abs(b) ** 2
        whirl = np.where(np.abs(turn) > 1e-6 * size, np.sign(turn), 0).astype(int)
    return _Spectrum(s, x, whirl)


def _follow_branches(found: Sequence[_Spectrum]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same branches in the same columns from one speed to the next."""
    from scipy.optimize import linear_sum_assignment

    count = {len(each.values) for each in found}
    if len(count) > 1:
        raise AnalysisError(
            f"the number of oscillations changes with the speed, from {min(count)} to"
            f" {max(count)}.",
            "A mode stops swinging, or falls over, at some speed between.",
            "Ask over a narrower range, or give less damping.",
        )
    tracks = [(found[0].values, found[0].whirl)]
    last = found[0]
    for each in found[1:]:
        unlike = 1 - np.abs(_unit(last.shapes).conj() @ _unit(each.shapes).T)
        gap = np.abs(last.values[:, None] - each.values[None])
        size = np.max(np.abs(each.values), initial=1.0)
        _, order = linear_sum_assignment(unlike + gap / size)
        last = _Spectrum(*(part[order] for part in each))
        tracks.append((last.values, last.whirl))
    return tracks


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _criticals(
    W: np.ndarray, tracks: Any, orders: tuple[float, ...], spectrum: Callable[..., Any]
) -> tuple[CriticalSpeed, ...]:
    """Crossings w = n W of each branch, found anew between two speeds."""
    from scipy.optimize import brentq

    values, whirl = tracks
    criticals = []
    for order in orders:
        gap = np.abs(values.imag) - order * np.abs(W)[:, None]
        for k, mode in np.argwhere(gap[:-1] * gap[1:] < 0):
            share = gap[k, mode] / (gap[k, mode] - gap[k + 1, mode])
            near = (values[k, mode], values[k + 1, mode])

            def off(w: float, k: int = k, near: Any = near, n: float = order) -> float:
                t = (w - W[k]) / (W[k + 1] - W[k])
                return abs(_nearest(spectrum(w), near, t).imag) - n * abs(w)

            speed = float(brentq(off, W[k], W[k + 1], xtol=1e-9 * abs(W).max()))
            there = _nearest(spectrum(speed), near, share)
            damping = float(-there.real / abs(there))
            which = (int(mode), int(whirl[k, mode]))
            found = CriticalSpeed(speed, abs(there.imag), order, damping, *which)
            criticals.append(found)
    return tuple(sorted(criticals, key=lambda c: (abs(c.speed), c.order)))


def _nearest(found: _Spectrum, near: tuple[complex, complex], share: float) -> complex:
    guess = near[0] + share * (near[1] - near[0])
    return complex(found.values[np.argmin(np.abs(found.values - guess))])


def _admit_speeds(system: System, spin: str, speeds: Array) -> np.ndarray:
    names = system.speed_names
    if spin not in names:
        raise AnalysisError(
            f"{system.name!r} has no rotor {spin!r}.",
            "A rotor turns about a joint with one speed.",
            suggestion(spin, names),
        )
    W = np.atleast_1d(np.array(speeds, dtype=float))
    if W.ndim != 1 or not len(W) or not np.all(np.diff(W) > 0):
        raise AnalysisError(
            f"{speeds!r} are no speeds to go along.",
            "Branches are followed from one speed to the next.",
            "Give rising numbers in rad/s: np.linspace(0, 500, 51).",
        )
    return W


def _states(system: System, spin: str, about: Any) -> Callable[[float], State]:
    if callable(about):
        found: Callable[[float], State] = about
        return found
    rest = system.rest() if about is None else about
    place = system.speed_names.index(spin)

    def at(speed: float) -> State:
        from polhode.system.state import State

        z = np.array(rest.z, float)
        z[place] = speed
        return State(system, rest.t, rest.q, z)

    return at


def _places(system: System, lateral: Any) -> tuple[str, str]:
    pair = tuple(lateral)
    for name in pair:
        if name not in system.speed_names:
            raise AnalysisError(
                f"{system.name!r} has no coordinate {name!r} across the shaft.",
                "Whirl is told from two coordinates of joints.",
                suggestion(name, system.speed_names),
            )
    return pair[0], pair[1]
