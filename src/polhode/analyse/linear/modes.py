"""Modes: motions in which everything moves in step.

    (K - w^2 M) phi = 0,   phi_i^T M phi_i = 1      where K and M are all there is
    A x = s x,   x = [p; v]                         where they are not

A symmetric problem is solved as one: frequencies are real numbers, shapes orthogonal.
With damping, turning or follower forces s is complex: w = |s|, damping -Re(s)/|s|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.parts import Parts
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array
from polhode.errors import AnalysisError

if TYPE_CHECKING:
    from polhode.analyse.linear.linearise import Linear
    from polhode.integrate.results.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False, repr=False)
class Modes(Answer):
    """The modes of a linear system, slowest first; a pair of conjugates is one mode.

    names          coordinates that shapes are written in (h,)
    eigenvalues    s (n,), 1/s, of the pair that with the imaginary part >= 0
    shapes         (n, h): rows, of mass one where the problem is symmetric
    participation  (n, h): each coordinate's share in each mode; rows add up to 1
    is_symmetric   whether K phi = w^2 M phi is all
    """

    names: tuple[str, ...]
    eigenvalues: np.ndarray
    shapes: np.ndarray
    participation: np.ndarray
    is_symmetric: bool
    linear: Linear

    @property
    def frequencies(self) -> np.ndarray:
        """|s| (n,), rad/s: undamped natural frequencies."""
        return np.abs(self.eigenvalues)

    @property
    def hertz(self) -> np.ndarray:
        """Frequencies (n,) in Hz."""
        return self.frequencies / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """-Re(s)/|s| (n,): 0 lasts, 1 or more does not swing, below 0 grows."""
        sizes = np.where(self.frequencies > 0, self.frequencies, 1.0)
        return 0.0 - self.eigenvalues.real / sizes

    @property
    def squares(self) -> np.ndarray:
        """-s^2 (n,): w^2 of a symmetric problem, negative where it falls over."""
        return np.real_if_close(-(self.eigenvalues**2))

    def shape(self, mode: int) -> dict[str, complex | float]:
        """One mode's shape by coordinate."""
        return dict(zip(self.names, self.shapes[mode].tolist(), strict=True))

    def superposition(self, places: Any, rates: Array, times: Array) -> np.ndarray:
        """The free motion p (t, h) from p(0) and v(0), as a sum of modes."""
        t = np.asarray(times, float)
        p, v = np.asarray(places, float), np.asarray(rates, float)
        if self.is_symmetric:
            return _of_oscillators(self, p, v, t)
        return _of_eigenvectors(self.linear.matrices.A, np.concatenate([p, v]), t)[
            :, : len(p)
        ]

    def plot(self) -> Any:
        """Shapes as bars, a panel a mode: a `Picture`."""
        from polhode.show.plots.mode_shapes import mode_shapes

        return mode_shapes(self)

    def motion(
        self,
        mode: int = 0,
        *,
        size: float = 0.25,
        seconds: float = 2.0,
        periods: int = 2,
    ) -> Trajectory:
        """A mode as rows that can be watched: `modes.motion(1).film("second.gif")`.

        size     of the largest displacement, in radians and lengths of the system
        seconds  that one period takes to watch
        """
        from polhode.analyse.machinery.mode_motion import mode_motion

        return mode_motion(self, mode, size, seconds, periods)

    def page(
        self,
        path: Any,
        mode: int = 0,
        *,
        size: float = 0.25,
        seconds: float = 2.0,
        periods: int = 2,
    ) -> Any:
        """Write a mode as one HTML file with its replay and the table of all modes.

        The keywords are those of `motion`.
        """
        from polhode.show.page.mode_page import mode_page

        motion = self.motion(mode, size=size, seconds=seconds, periods=periods)
        return mode_page(self, path, motion)

    def film(
        self,
        path: Any,
        mode: int = 0,
        *,
        size: float = 0.25,
        seconds: float = 2.0,
        periods: int = 2,
    ) -> Any:
        """Write a mode as a .gif or .mp4; the keywords are those of `motion`."""
        from polhode.show.drawing.film import film

        motion = self.motion(mode, size=size, seconds=seconds, periods=periods)
        return film(motion, path)

    def show(
        self,
        mode: int = 0,
        *,
        browser: bool = True,
        size: float = 0.25,
        seconds: float = 2.0,
        periods: int = 2,
    ) -> Any:
        """A mode in a live 3D scene in the browser, on this machine only.

        The keywords beside `browser` are those of `motion`.
        """
        from polhode.show.live.viewer import show

        motion = self.motion(mode, size=size, seconds=seconds, periods=periods)
        return show(motion, browser=browser)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        how = "symmetric" if self.is_symmetric else "complex"
        heads = ("", "s [1/s]", "w [rad/s]", "f [Hz]", "damping", "moves most")
        rows = [
            (k + 1, s, self.frequencies[k], self.hertz[k], self.damping[k], most)
            for k, (s, most) in enumerate(
                zip(self.eigenvalues, self._most, strict=True)
            )
        ]
        title = f"{len(rows)} modes of {self.linear.system.name!r}, {how}"
        return AnswerTable(title, heads, rows)

    @property
    def _most(self) -> list[str]:
        """The three coordinates that move most in each mode, with their shares."""
        words = []
        for share in np.abs(self.participation):
            order = [j for j in np.argsort(-share)[:3] if share[j] > 0.005]
            words.append(", ".join(f"{self.names[j]} {share[j]:.0%}" for j in order))
        return words


def modes_of(linear: Linear) -> Modes:
    """The modes of a linear system about an equilibrium or a steady motion."""
    linear.require_steady("modes")
    if linear.parts.is_symmetric and not linear.parts.other_names:
        return _symmetric(linear)
    return _complex(linear)


def natural(parts: Parts) -> tuple[np.ndarray, np.ndarray]:
    """w^2 (n,) ascending and shapes (n, h) of mass one, by a symmetric routine."""
    from scipy.linalg import eigh

    if not len(parts.mass):  # nothing is free, and nothing oscillates
        return np.zeros(0), np.zeros((0, 0))
    squares, shapes = eigh(parts.stiffness, parts.mass)
    signs = np.sign(shapes[np.argmax(np.abs(shapes), axis=0), range(len(squares))])
    return squares, (shapes * signs).T


def _symmetric(linear: Linear) -> Modes:
    squares, shapes = natural(linear.parts)
    noise = 1e-13 * np.max(np.abs(squares), initial=0.0)
    squares = np.where(np.abs(squares) > noise, squares, 0.0)
    eigenvalues = np.where(squares >= 0, 1j, 1.0) * np.sqrt(np.abs(squares))
    order = np.argsort(np.abs(squares), kind="stable")
    shares = shapes * (shapes @ linear.parts.mass)
    parts = eigenvalues[order], shapes[order], shares[order]
    return Modes(linear.parts.names, *parts, True, linear)


def _complex(linear: Linear) -> Modes:
    from scipy.linalg import eig

    h = len(linear.coordinates)
    values, left, right = eig(linear.matrices.A, left=True)
    slowest = np.argsort(np.abs(values), kind="stable")
    values[slowest[: linear.spectrum.zeros]] = 0.0  # found as roots of rounding
    order = [k for k in slowest if values[k].imag >= 0]
    shapes, shares = [], []
    for k in order:
        x, y = right[:, k], left[:, k].conj()
        part = np.abs(x * y)
        part = part[:h] + _fold(part[h:], h)
        total = part.sum()
        shares.append(part / total if total else part)
        shapes.append(
            x[:h] / x[:h][np.argmax(np.abs(x[:h]))] if np.any(x[:h]) else x[:h]
        )
    found = np.array(shapes), np.array(shares)
    return Modes(linear.coordinates, values[order], *found, False, linear)


def _fold(rates: np.ndarray, h: int) -> np.ndarray:
    """Shares of rates added to those of their own coordinates, which come first."""
    return np.concatenate([rates, np.zeros(h - len(rates))])


def _of_oscillators(
    modes: Modes, p: np.ndarray, v: np.ndarray, t: np.ndarray
) -> np.ndarray:
    M = modes.linear.parts.mass
    a, b = modes.shapes @ M @ p, modes.shapes @ M @ v
    w = np.sqrt(modes.squares.astype(complex))
    grown = np.outer(t, w)
    some = np.where(w == 0, 1.0, w)
    swung = np.where(w == 0, t[:, None], np.sin(grown) / some)
    return np.real((np.cos(grown) * a + swung * b) @ modes.shapes)


def _of_eigenvectors(A: np.ndarray, x: np.ndarray, t: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eig(A)
    if np.linalg.cond(vectors) > 1e8:
        raise AnalysisError(
            "the motion is no sum of modes.",
            "Two modes have become one (a Jordan block): there are fewer shapes than"
            " states.",
            "Simulate it, or use scipy.linalg.expm of the matrix A.",
        )
    amounts = np.linalg.solve(vectors, x.astype(complex))
    return np.real((np.exp(np.outer(t, values)) * amounts) @ vectors.T)
