"""From a state and a wish to cursors and plans: what a run is made of, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.asking import ROUNDING
from polhode.integrate.chunk import (
    ATTEMPTS,
    DONE,
    RUNNING,
    Cursor,
    Plan,
    start_cursor,
)
from polhode.integrate.drive import UNDRIVEN, Drive
from polhode.integrate.field import field_of
from polhode.integrate.method import Method
from polhode.integrate.scales import scales
from polhode.integrate.states import States
from polhode.integrate.tolerance import real_number
from polhode.lowering.compile import compile

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

# Of the quickest time of the system: a first step that is seldom refused.
FIRST_STEP = 0.1
# Steps below this many units of rounding of the time do not advance it reliably.
LEAST = 16 * np.finfo(float).eps
# Of the motion's own time: steps that no method makes.
HOPELESS = 10.0
# More cannot be counted, nor waited for.
MOST_STEPS = 2.0**62
# A share of the largest velocity below which one does not move at all. Small: metres a
# second beside radians a second may be any share, by their units.
UNMOVED = 1e-10


class Probe(NamedTuple):
    """The start as the formulation sees it.

    x, slope      [q; y] and its rate
    z_dot         the rate of the system's speeds
    spread        dy/dz (k, nz)
    is_sound      whether every force is a number
    """

    x: Any
    slope: Any
    z_dot: Any
    spread: Any
    is_sound: Any


def probe(
    equations: Equations,
    states: States,
    table: Any,
    drive: Drive = UNDRIVEN,
    held: Any = None,
) -> Probe:
    """The start of many runs; leading axes are runs, of `held` inputs too."""
    many = len(states) > 1
    held = np.zeros((len(states), drive.width)) if held is None else held
    key = ("probe", tuple(sorted(table)), many, drive.key)
    if key not in equations.programs:
        system = equations.system
        column = np.zeros(system.speeds)
        example = (0.0, system.neutral(), column, dict.fromkeys(table, 0.0), held[0])
        function = _probe(equations, drive)
        equations.programs[key] = compile(function, *example, batched=many)
    program = equations.programs[key]
    if many:
        return program(states.t, states.q, states.z, table, held)
    own = {name: values[0, ...] for name, values in table.items()}
    found = program(states.t[0, ...], states.q[0], states.z[0], own, held[0])
    return Probe(*(np.asarray(leaf)[None] for leaf in found))


def _probe(equations: Equations, drive: Drive) -> Any:
    core = equations.functions

    def probe(t: Any, q: Any, z: Any, table: Any, held: Any) -> Probe:
        table = {**table, **drive.unpacked(held)}
        field = field_of(equations, table, drive.driven)
        y, spread = core.start(t, q, z, table), jax.jacfwd(core.start, 2)
        x = jnp.concatenate([q, y])
        slope = field.slope(t, x)
        n = field.coordinates
        now, change = (t, q, y), (jnp.ones_like(t), slope[:n], slope[n:])
        _, z_dot = jax.jvp(field.speeds, now, change)
        there = spread(t, q, z, table)
        return Probe(x, slope, z_dot, there, field.is_sound(t, x))

    return probe


def planned(
    equations: Equations, states: States, start: Probe, method: Method, until: float
) -> tuple[Cursor, Plan]:
    """The cursors and plans of runs from their states to one time."""
    t, runs = states.t, len(states)
    span, stop = until - t, np.full(runs, until)
    far = np.abs(span)
    duration = np.where(span == 0, 1.0, far)
    size = scales(equations.system, states.q, states.z, start.z_dot, duration)
    least = LEAST * np.maximum(np.maximum(np.abs(t), abs(until)), far)
    if method.is_adaptive:
        _require_reach(equations, (t, until), 1 / size.rate, least)
        h = np.sign(span) * np.minimum(far, FIRST_STEP / size.rate)
        steps = np.zeros(runs, np.int64)
        rtol, atol = method.rtol, _atol(method, size, start)  # type: ignore[attr-defined]
    else:
        count = np.ceil(far / method.step * (1 - 1e-12))  # type: ignore[attr-defined]
        _require_count(equations, method, float(np.max(count)))
        steps = np.maximum(count, 1).astype(np.int64)
        h, rtol, atol = span / steps, 0.0, np.zeros_like(start.x)
    cursor = start_cursor(t, start.x, start.slope, h)
    status = np.where(span == 0, DONE, RUNNING)
    room, relative = np.full(runs, ATTEMPTS), np.full(runs, rtol)
    plan = Plan(t, stop, steps, relative, atol, least, room)
    return cursor._replace(goal=stop, quota=steps, status=status), plan


def _require_reach(
    equations: Equations, ends: tuple[Any, float], own: Any, least: Any
) -> None:
    """Refuse times so large that rounding swallows the motion many times over."""
    k = int(np.argmax(least / own))
    if least[k] > HOPELESS * own[k]:
        raise IntegrationError(
            f"{equations.system.name!r} cannot run from {ends[0][k]:g} to"
            f" {ends[1]:g} s.",
            f"It moves within {own[k]:.3g} s, and beside such times double precision"
            f" knows no step below {least[k]:.3g} s.",
            "Give a nearer end, count time from the start of the run, and look at the"
            " units of what acts.",
        )


def _require_count(equations: Equations, method: Method, count: float) -> None:
    """Refuse more steps than can be counted."""
    if count > MOST_STEPS:
        raise IntegrationError(
            f"{equations.system.name!r} cannot make {count:g} steps.",
            f"{method.name} was given steps of {method.step:g} s.",  # type: ignore[attr-defined]
            "Give a nearer end, or longer steps.",
        )


def _atol(method: Any, size: Any, start: Probe) -> np.ndarray:
    if method.atol is not None:
        return np.full_like(start.x, method.atol)
    speeds = np.einsum("rij,rj->ri", np.abs(start.spread), size.speeds)
    # Velocities of a formulation's own that no speed moves here may move elsewhere.
    most = np.max(speeds, axis=1, keepdims=True, initial=0.0)
    speeds = np.where(speeds > UNMOVED * most, speeds, most)
    return method.rtol * np.concatenate([size.coordinates, speeds], axis=1)


def admit_until(until: Any) -> float:
    """A time to run to: finite."""
    t = real_number(until)
    if not np.isfinite(t):
        raise IntegrationError(
            f"a run cannot end at until = {until!r}.",
            "The end is a time in seconds; before the start, the run goes backwards.",
            "Give a finite number.",
        )
    return t


def admit_limit(limit: Any) -> int:
    """A number of attempts: whole, one or more."""
    try:
        count = int(limit)
    except (TypeError, ValueError, OverflowError):
        count = 0
    if count < 1 or count != limit:
        raise IntegrationError(
            f"a run cannot be limited to {limit!r} steps.",
            "The limit is a number of attempts at a step.",
            "Give a whole number, one or more.",
        )
    return count


def admit_samples(
    samples: Any, start: float, until: float, memory: float = np.inf
) -> np.ndarray | None:
    """Sample times in the order of the run, each once, all within it."""
    if samples is None:
        return None
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool):
        if samples < 2:
            raise IntegrationError(
                f"a run cannot be sampled {samples} times.",
                "A number of samples counts both ends.",
                "Give 2 or more, or a list of times.",
            )
        if 8.0 * int(samples) > memory:
            raise IntegrationError(
                f"{samples} samples would need more than {memory / 1e9:.3g} GB for"
                " their times alone.",
                "Every sample is kept in memory.",
                "Give fewer samples=..., or allow more with memory=... (bytes).",
            )
        return np.linspace(start, until, int(samples))
    try:
        times = np.array(samples, dtype=float)
    except (TypeError, ValueError):
        times = np.array([])
    low, high = min(start, until), max(start, until)
    sign = 1.0 if until >= start else -1.0
    times = _meeting(times, low, high)
    wrong = ""
    if times.ndim != 1 or not len(times) or not np.all(np.isfinite(times)):
        wrong = "they are not a list of finite times"
    elif np.any(sign * np.diff(times) <= 0):
        k = int(np.argmax(sign * np.diff(times) <= 0))
        wrong = f"{times[k + 1]:g} s follows {times[k]:g} s"
    elif np.any((times < low) | (times > high)):
        out = times[(times < low) | (times > high)][0]
        wrong = f"{out:g} s is outside {start:g} to {until:g} s"
    if wrong:
        raise IntegrationError(
            f"the sample times cannot be used: {wrong}.",
            "Samples follow the run: each once, in its order, within its ends.",
            "Sort them, drop doubles, and keep them between the start and until.",
        )
    return times


def _meeting(times: np.ndarray, low: float, high: float) -> np.ndarray:
    """Times such as 20 * 0.1, a few units of rounding off the end they mean, there."""
    slack = ROUNDING * max(abs(low), abs(high))
    for end in (low, high):
        times = np.where(np.abs(times - end) <= slack, end, times)
    return times


def require_mapping(word: str, given: Any) -> None:
    """Refuse what does not give values by name."""
    if not isinstance(given, Mapping):
        raise IntegrationError(
            f"{word} = {given!r} gives nothing by name.",
            "What drives or changes a system is called by its name.",
            f"Give {word}={{name: value}}.",
        )


def admit_memory(memory: Any) -> float:
    """Bytes that rows may take."""
    size = real_number(memory)
    if not (size > 0 or memory == np.inf):
        raise IntegrationError(
            f"a run cannot keep its rows in memory = {memory!r}.",
            "It is a number of bytes.",
            "Give a number above zero, such as 4e9.",
        )
    return size


def admit_watch(watch: Any) -> Any:
    """The watch, or none; refused if it cannot be told of progress."""
    if watch is not None and not callable(watch):
        raise IntegrationError(
            f"progress cannot be told to {watch!r}.",
            "A watch is called between chunks with share, steps and seconds.",
            "Give watch=lambda progress: ..., or leave it out.",
        )
    return watch


def _column(name: str, value: Any) -> np.ndarray:
    """The values of a parameter as they came: real numbers, at least one."""
    try:
        column = np.asarray(value)
    except ValueError:
        column = np.array(None)
    if column.dtype.kind not in "fiu" or not column.size:
        raise IntegrationError(
            f"parameter {name!r} cannot be {value!r}.",
            "A quantity of a model is a real number, or one for each run.",
            "Give a number, or a list of them.",
        )
    return column.astype(float)


def admit_parameters(
    equations: Equations, parameters: Mapping[str, Any], runs: int
) -> dict[str, np.ndarray]:
    """Values of parameters, one or one a run; every value must make a sound system."""
    table: dict[str, np.ndarray] = {}
    for name, value in parameters.items():
        column = _column(name, value)
        if column.shape not in ((), (runs,)):
            raise IntegrationError(
                f"parameter {name!r} has {column.size} values for {runs} runs.",
                "A parameter has one value for all runs, or one for each.",
                "Give a number, or as many as there are states.",
            )
        table[name] = np.broadcast_to(column, (runs,)).copy()
    if table:
        for pick in (np.min, np.max):
            equations.system.with_({n: float(pick(v)) for n, v in table.items()})
    return table
