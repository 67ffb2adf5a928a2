"""How far a motion may be off: what is uncertain carried on, to first order or drawn.

    C(t) = D(t) S D(t)^T        to first order, D the derivatives by what is uncertain
    C(t) = mean (x - m)(x - m)^T        of many motions, drawn as it is uncertain

The first is exact for small spreads, and costs one motion; the second for any, and its
own error falls with the root of the number of motions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.naming import first_names, nominal, state_names
from polhode.analyse.sensitivities.sensitivity import sensitivity
from polhode.answer_table import Answer, AnswerTable, some
from polhode.arrays import Array, Numbers
from polhode.errors import AnalysisError
from polhode.integrate.field.states import States
from polhode.integrate.inputs.inputs import UNFED
from polhode.integrate.results.checked_argument import motion_argument
from polhode.integrate.simulate import simulate
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

SHOWN = 5  # rows that are printed
FEWEST = 2  # motions that have a spread


@final
@dataclass(frozen=True, eq=False, repr=False)
class Uncertainty(Answer):
    """The mean and the spread of a motion at times t (n,).

    names       coordinates, then 'speed of hinge'; w of them
    mean        (n, w);  covariance (n, w, w)
    spreads     standard deviation of what was uncertain, by name
    how         "to first order", or of how many samples
    """

    motion: Trajectory
    names: tuple[str, ...]
    t: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    spreads: dict[str, float]
    how: str

    @property
    def deviations(self) -> np.ndarray:
        """Standard deviations (n, w)."""
        variances = np.diagonal(self.covariance, axis1=1, axis2=2)
        return np.sqrt(np.maximum(variances, 0.0))

    def __getitem__(self, name: str) -> np.ndarray:
        """The standard deviation (n,) of a coordinate, or of 'speed of hinge'."""
        return self.deviations[:, self.place(name)]

    def place(self, name: str) -> int:
        """Which column has a name."""
        if name not in self.names:
            raise AnalysisError(
                f"{self.motion.system.name!r} has no {name!r} to be uncertain of.",
                f"Known are {', '.join(self.names)}.",
                suggestion(name, self.names),
            )
        return self.names.index(name)

    def plot(self, *names: str) -> Any:
        """Means over time with bands of two standard deviations: a `Picture`."""
        from polhode.show.plots.answers import uncertainty_picture

        return uncertainty_picture(self, names)

    def rows(self, shown: np.ndarray) -> list[list[str]]:
        """As they are printed: mean +- standard deviation of some rows."""
        both = zip(self.mean[shown], self.deviations[shown], strict=True)
        return [
            [f"{m:.4g} +- {s:.2g}" for m, s in zip(mean, spread, strict=True)]
            for mean, spread in both
        ]

    def as_table(self) -> AnswerTable:
        """What is printed."""
        given = ", ".join(f"{name} +- {s:.3g}" for name, s in self.spreads.items())
        shown = some(len(self.t), SHOWN)
        rows = zip(shown, self.rows(shown), strict=True)
        return AnswerTable(
            f"Uncertainty({self.motion.system.name!r}, {self.how}: {given})",
            ("", *self.names),
            [(f"t = {self.t[k]:.4g} s", *row) for k, row in rows],
        )


@motion_argument
def uncertainty(
    motion: Trajectory,
    spreads: Mapping[str, float],
    *,
    samples: int = 0,
    correlations: Any = None,
    times: Numbers | None = None,
    inputs: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Uncertainty:
    """How uncertain a motion is if parameters or its first state are.

    `spreads` are standard deviations by name: of parameters, and of the first state's
    errors, 'first hinge' and 'first speed of hinge', along the joints. `correlations`
    (k, k) go with them; without, they are independent. Without `samples` it is carried
    on to first order; with, as many motions are drawn from a normal distribution, by
    the method of the motion, under the same `inputs`.

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> motion = ph.simulate(swing, swing.state(hinge=0.5), until=1.0)
    >>> found = uncertainty(motion, {"l": 0.008, "first hinge": 0.01}, times=[0.0, 1.0])
    >>> [f"{s:.4f}" for s in found["hinge"]]
    ['0.0100', '0.0111']
    """
    S = _covariance(motion, spreads, correlations)
    known = {name: float(s) for name, s in spreads.items()}
    if samples:
        return _drawn(
            motion, known, S, samples=samples, seed=seed, times=times, inputs=inputs
        )
    names = [name for name in known if name not in first_names(motion.system)]
    initial = len(names) < len(known)
    found = sensitivity(motion, names, initial=initial, times=times)
    columns = [found.columns.index(name) for name in known]
    whole = np.zeros((len(found.columns),) * 2)
    whole[np.ix_(columns, columns)] = S
    rows = motion if times is None else motion.resampled(found.t)
    mean = np.concatenate([rows.q, rows.z], axis=1)
    moments = found.t, mean, found.covariance(whole)
    return Uncertainty(
        motion, state_names(motion.system), *moments, known, "to first order"
    )


def _drawn(
    motion: Trajectory,
    known: dict[str, float],
    S: np.ndarray,
    *,
    samples: Any,
    seed: Any,
    times: Any,
    inputs: Any,
) -> Uncertainty:
    _require_drawable(motion, samples, inputs)
    _require_free(motion, known)
    rng = np.random.default_rng(seed)
    off = rng.multivariate_normal(np.zeros(len(S)), S, samples, method="eigh")
    system = motion.system
    columns = dict(zip(known, off.T, strict=True))
    starts = _starts(motion, columns, samples)
    drawn = {
        name: motion.table.get(name, nominal(system, name)) + column
        for name, column in columns.items()
        if name not in first_names(system)
    }
    asked = motion.t if times is None else np.unique(np.atleast_1d(times))
    runs = simulate(
        motion.equations,
        starts,
        until=float(motion.t[-1]),
        method=motion.method,
        samples=asked.tolist(),
        parameters={**motion.table, **drawn},
        inputs=inputs,
    )
    x = np.concatenate([runs.q, runs.z], axis=2)
    mean = np.mean(x, axis=0)
    spread = np.einsum("kni,knj->nij", x - mean, x - mean) / (samples - 1)
    names, how = state_names(system), f"{samples} samples"
    return Uncertainty(motion, names, asked, mean, spread, known, how)


def _starts(motion: Trajectory, columns: dict[str, Any], samples: int) -> States:
    """First states, off by what was drawn."""
    system, first, none = motion.system, motion[0], np.zeros(samples)
    errors = np.stack([columns.get(n, none) for n in first_names(system)], axis=1)
    d, e = np.split(errors, 2, axis=1)
    q = np.array([system.normalised(system.local(first.q, each)) for each in d])
    return States(system, float(first.t), q, first.z + e)


def _covariance(
    motion: Trajectory, spreads: Mapping[str, float], R: Array
) -> np.ndarray:
    s = np.array([*map(float, spreads.values())])
    for name in spreads:
        if name not in first_names(motion.system):
            nominal(motion.system, name)
    if not len(s) or not np.all((s >= 0) & np.isfinite(s)):
        raise AnalysisError(
            f"the spreads {dict(spreads)} are no standard deviations.",
            "Each says how far a number is off: zero or more.",
            "Give {name: standard deviation} of at least one.",
        )
    R = np.eye(len(s)) if R is None else np.asarray(R, float)
    fits = R.shape == (len(s),) * 2 and np.allclose(R, R.T)
    fits = fits and np.allclose(np.diagonal(R), 1)
    if not fits or np.min(np.linalg.eigvalsh(R)) < -1e-12:
        raise AnalysisError(
            f"numbers of shape {np.shape(R)} are no correlations of {len(s)} spreads.",
            "They are symmetric, one on the diagonal, and no combination has a negative"
            " variance.",
            "Give covariance[i, j] / (s[i] s[j]), in the order of the spreads.",
        )
    return R * np.outer(s, s)


def _require_drawable(motion: Trajectory, samples: int, inputs: Any) -> None:
    if samples < FEWEST:
        raise AnalysisError(
            f"{samples} samples have no spread.",
            "A spread is of several motions.",
            "Ask for a hundred or more: its error falls with their root.",
        )
    if motion.inputs is not UNFED and inputs is None:
        raise AnalysisError(
            f"motions like {motion!r} cannot be drawn.",
            "It was driven by inputs, which act on each of them.",
            "Give the same ones: ph.uncertainty(..., inputs={...}).",
        )


def _require_free(motion: Trajectory, known: dict[str, float]) -> None:
    firsts = [name for name in known if name in first_names(motion.system)]
    if motion.system.constraints and firsts:
        raise AnalysisError(
            f"first states of {motion.system.name!r} cannot be drawn by"
            f" {', '.join(firsts)}.",
            "Constraints hold its joints together: no error is of one of them alone.",
            "Leave samples out: to first order errors are put on the constraints as the"
            " nearest in mass.",
        )
