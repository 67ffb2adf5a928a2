"""What a search may change: parameters, the first state, shapes of inputs, the end.

    u(t) = sum of v[k] hat_k(t)          an input that is straight between its knots

Every variable is a number with bounds; a shape is one for each of its knots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.naming import first_names, nominal
from polhode.analyse.sensitivities.first_state import move_state, require_free_start
from polhode.arrays import Scalar
from polhode.errors import AnalysisError
from polhode.integrate.inputs.controller import Controller
from polhode.integrate.inputs.ports import input_size
from polhode.matter.parameter import Parameter
from polhode.system.members import suggestion
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System

UNTIL = "until"


@final
@dataclass(frozen=True, eq=False)
class InputShape:
    """An input to be found: straight between knots, held before and after them.

    times   (n,) of the knots, s, rising
    low, high   bounds of its values, of one knot and all
    guess   one number, or one a knot

    >>> import polhode as ph
    >>> ph.InputShape([0.0, 0.5, 1.0], -20.0, 20.0)
    InputShape(3 knots from 0 to 1 s, -20 to 20)
    """

    times: Any
    low: float
    high: float
    _: KW_ONLY
    guess: Any = 0.0

    def __post_init__(self) -> None:
        times = np.array(self.times, dtype=float)
        if times.ndim != 1 or len(times) < 2 or not np.all(np.diff(times) > 0):
            raise AnalysisError(
                f"an input has no shape over the knots {self.times!r}.",
                "It is straight from one knot to the next, later one.",
                "Give two times or more, rising: np.linspace(0, 2, 9).",
            )
        guess = np.broadcast_to(np.array(self.guess, dtype=float), times.shape)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "guess", guess)

    def names(self, name: str) -> tuple[str, ...]:
        """What its values are called, one a knot."""
        return tuple(f"{name} at {t:g} s" for t in self.times)

    def controller(self, name: str) -> Controller:
        """The input as a law, whose constants are the values at the knots."""
        times = self.times
        pairs = zip(self.names(name), self.guess, strict=True)
        knots = {f"v{k}": Parameter(n, float(v)) for k, (n, v) in enumerate(pairs)}

        def shape(t: Scalar, **v: Any) -> Any:
            return hats(times, t) @ jnp.stack([v[f"v{k}"] for k in range(len(times))])

        return Controller(shape, constants=knots, name=name)

    def __repr__(self) -> str:
        span = f"{len(self.times)} knots from {self.times[0]:g} to {self.times[-1]:g} s"
        return f"InputShape({span}, {self.low:g} to {self.high:g})"


def hats(times: np.ndarray, t: Scalar) -> Any:
    """Weights (n,) of the knots at a time: one at its own, none at the others."""
    t = jnp.clip(t, times[0], times[-1])
    gaps = np.diff(times)
    # Beyond the first and the last knot nothing follows: their hats have one side.
    before = np.concatenate([gaps[:1], gaps])
    after = np.concatenate([gaps, gaps[-1:]])
    rise, fall = 1 + (t - times) / before, 1 - (t - times) / after
    return jnp.maximum(jnp.minimum(rise, fall), 0.0)


class Trial(NamedTuple):
    """A run with some values: parameters, the first state, and when it ends."""

    parameters: dict[str, float]
    start: State
    until: float


@final
@dataclass(frozen=True, eq=False)
class Variables:
    """All variables as one vector (n,), with bounds and a first guess.

    names       one a number
    laws        inputs of every run, those that are searched for among them
    parameters  names of the numbers that a run takes as parameters
    """

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    guess: np.ndarray
    parameters: tuple[str, ...]
    shapes: Mapping[str, InputShape]
    laws: dict[Any, Any]
    start: State
    until: float

    @property
    def scale(self) -> np.ndarray:
        """What each is measured by: half its range, or its own size."""
        half = (self.high - self.low) / 2
        own = np.where(self.guess == 0, 1.0, np.abs(self.guess))
        return np.where(np.isfinite(half) & (half > 0), half, own)

    @property
    def breaks(self) -> np.ndarray:
        """Times at which an input has a corner."""
        knots = [shape.times for shape in self.shapes.values()]
        return np.unique(np.concatenate([np.zeros(0), *knots]))

    def trial(self, x: np.ndarray) -> Trial:
        """The run that values (n,) stand for."""
        value = dict(zip(self.names, map(float, x), strict=True))
        given = {name: value[name] for name in self.parameters}
        start = move_state(self.start, self.move(x))
        return Trial(given, start, value.get(UNTIL, self.until))

    def move(self, x: np.ndarray) -> np.ndarray:
        """How far (2 nz,) values move the first state from the given one."""
        value = dict(zip(self.names, map(float, x), strict=True))
        names, offset = first_names(self.start.system), first_offset(self.start)
        move = [value.get(n, o) - o for n, o in zip(names, offset, strict=True)]
        return np.array(move)


def first_offset(start: State) -> np.ndarray:
    """(2 nz,): what a first state is counted from, along the joints and of speeds.

    Coordinates that are plain numbers and all speeds are counted from zero, so that a
    variable is the value itself; turns of rotations from the given start.
    """
    system = start.system
    place = dict(zip(system.coordinate_names, start.q, strict=True))
    along = [float(place.get(name, 0.0)) for name in system.speed_names]
    return np.concatenate([along, np.asarray(start.z, float)])


def admit_variables(
    start: State, until: float, variables: Mapping[str, Any], inputs: Any, guess: Any
) -> Variables:
    """The variables of a search, each refused by name where it cannot be one."""
    system, laws = start.system, dict(inputs or {})
    if not isinstance(variables, Mapping) or not variables:
        raise AnalysisError(
            "nothing was given that may change.",
            "A search changes variables between bounds.",
            'Give {name: (low, high)}: {"l": (0.5, 2.0)}.',
        )
    shapes = {n: v for n, v in variables.items() if isinstance(v, InputShape)}
    rows: list[tuple[str, float, float, float]] = []
    for name, given in variables.items():
        if name in shapes:
            input_size(system, name)  # refuses what is no input
            shape = shapes[name]
            laws[name] = shape.controller(name)
            pairs = zip(shape.names(name), shape.guess, strict=True)
            rows += [(n, shape.low, shape.high, v) for n, v in pairs]
        else:
            nominal_value = _nominal(start, until, laws, name)
            rows.append((name, *_bounds(name, given), nominal_value))
    own = dict(guess or {})
    for name in own:
        if name not in [row[0] for row in rows]:
            raise AnalysisError(
                f"there is a guess of {name!r}, which is no variable.",
                "A guess is where a variable begins.",
                suggestion(name, [row[0] for row in rows]),
            )
    names = tuple(row[0] for row in rows)
    low, high, first = np.array([row[1:] for row in rows]).T
    first = np.array([own.get(n, v) for n, v in zip(names, first, strict=True)])
    _require_order(names, low, high)
    taken = {UNTIL, *first_names(system)}
    parameters = tuple(n for n in names if n not in taken)
    clipped = np.clip(first, low, high)
    return Variables(
        names, low, high, clipped, parameters, shapes, laws, start, float(until)
    )


def _nominal(start: State, until: float, laws: Mapping[Any, Any], name: str) -> float:
    system: System = start.system
    if name == UNTIL:
        return float(until)
    first = first_names(system)
    if name in first:
        require_free_start(system)
        return float(first_offset(start)[first.index(name)])
    given = [p for law in laws.values() if isinstance(law, Controller)
             for p in law.parameters]  # fmt: skip
    own = [p.value for p in given if p.name == name]
    if own:
        return float(own[0])
    if name in system.parameters:
        return nominal(system, name)
    known = [*system.parameters, *first, UNTIL, *(p.name for p in given)]
    raise AnalysisError(
        f"{system.name!r} has no variable {name!r}.",
        "A search changes parameters, the first state, 'until', or inputs given as"
        " ph.InputShape.",
        suggestion(name, known),
    )


def _bounds(name: str, given: Any) -> tuple[float, float]:
    try:
        low, high = given
        ends = (-np.inf if low is None else low, np.inf if high is None else high)
        return float(ends[0]), float(ends[1])
    except (TypeError, ValueError) as reason:
        raise AnalysisError(
            f"{given!r} does not bound {name!r}.",
            "A variable lies between two numbers; None is no bound.",
            f'Give {{"{name}": (low, high)}}.',
        ) from reason


def _require_order(names: Any, low: np.ndarray, high: np.ndarray) -> None:
    for name, a, b in zip(names, low, high, strict=True):
        if not a < b:  # NaN, too
            raise AnalysisError(
                f"{name!r} cannot lie between {a:g} and {b:g}.",
                "The lower bound comes first, and is less than the upper one.",
                "Leave out what is not to change.",
            )
