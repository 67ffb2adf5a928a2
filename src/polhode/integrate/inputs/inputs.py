"""Inputs of a run: functions of time, feedback laws, sampled controllers, noise.

    inputs={"motor of hinge": lambda t, state: -3 * state["hinge"], "gust": Noise(...)}
    inputs={("tau1", "tau2"): law}          one law for several, which returns them all
    inputs={"push": 5.0}                    a number

An input is the name of a motor, of an applied couple or follower force, or of a
parameter that only such actions have. Laws are traced into the compiled loop. Sampled
inputs are asked at start + k dt, and held until the next sample: in the loop where all
of them can be traced, else between chunks.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.input_table import Drive, Law, arity
from polhode.integrate.field.sampler import Sampler
from polhode.integrate.field.traceable import traceable_digest
from polhode.integrate.inputs.controller import Controller, constant_input
from polhode.integrate.inputs.groups import (
    Begun,
    admit_group,
    laws_of,
    require_names_once,
)
from polhode.integrate.inputs.normal_stream import (
    normals,
    normals_program,
    stream_key,
)
from polhode.integrate.inputs.ports import input_size
from polhode.integrate.inputs.thruster_pulses import with_pulses
from polhode.integrate.inputs.tyre_relaxation import with_relaxation
from polhode.integrate.methods.method import real_number
from polhode.matter.parameter import Parameter, Table, at, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of
from polhode.system.members import suggestion
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False)
class Sampled:
    """A controller that is evaluated every dt seconds and held in between.

        u(t) = law(t_k, state at t_k),      t_k = start + k dt <= t < t_k+1

    With `state`, a list of numbers x, it has a discrete state of its own:

        u_k, x_k+1 = law(t_k, state at t_k, x_k)

    A law in jax.numpy that depends on its arguments and constants alone runs inside the
    compiled loop, in sweeps and on a GPU too. Any other is plain Python, asked between
    chunks; what it remembers belongs in `state`, so that a saved run goes on exactly.
    `constants`, numbers or parameters, are given to the law by name, and a run or sweep
    may vary them: parameters={"gain": [1, 2, 3]}.

    >>> import polhode as ph
    >>> def integral(t, state, x):
    ...     return -2.0 * state["track"] - x, x + 0.1 * state["track"]
    >>> ph.Sampled(integral, 0.1, state=[0.0]).state.tolist()
    [0.0]
    """

    law: Callable[..., Any]
    dt: float
    _: KW_ONLY
    state: Any = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = "controller"

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise IntegrationError(
                f"{self.law!r} cannot control anything.",
                "A sampled controller is a function of time and state.",
                "Give ph.Sampled(lambda t, state: ..., dt).",
            )
        object.__setattr__(self, "dt", _span("a sampled controller", self.dt))
        if self.state is not None:
            first = np.atleast_1d(np.array(self.state, dtype=float))
            first.setflags(write=False)
            object.__setattr__(self, "state", first)
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())


@final
@dataclass(frozen=True)
class Noise:
    """A random disturbance: normal, of mean zero, drawn every dt seconds and held.

    deviation   standard deviation, one number or one for each of the input's
    seed        whole number; where none is given one is drawn and printed
    stream      of the first run of a call; run k draws from stream + k

    Sample k of a run depends on seed, stream, k and the name of the input alone: the
    same seed gives the same disturbance, bit for bit.
    """

    deviation: Any
    dt: float
    seed: int | None = None
    stream: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "dt", _span("a disturbance", self.dt))
        size = np.asarray(self.deviation)
        sound = size.dtype.kind in "fiu" and np.all(np.isfinite(size) & (size >= 0))
        if not sound:
            raise IntegrationError(
                f"a disturbance cannot have the standard deviation {self.deviation!r}.",
                "It is the size of what is drawn.",
                "Give a finite number, zero or more.",
            )
        size = np.array(size, dtype=float)
        object.__setattr__(self, "deviation", size)
        for word, given in (("seed", self.seed), ("stream", self.stream)):
            is_whole = isinstance(given, int | np.integer) and not isinstance(
                given, bool
            )
            if given is not None and not (is_whole and 0 <= given < 2**63):
                raise IntegrationError(
                    f"a disturbance cannot have the {word} {given!r}.",
                    "It says which of all disturbances is drawn.",
                    "Give a whole number, zero or more, below 2^63.",
                )
        if self.seed is None:
            object.__setattr__(self, "seed", secrets.randbits(63))
            print(
                f"polhode: a disturbance drew the seed {self.seed};"
                f" Noise(..., seed={self.seed}) replays it",
                file=sys.stderr,
            )

    @property
    def words(self) -> str:
        """What is drawn, for people."""
        size = ", ".join(f"{each:.9g}" for each in self.deviation.reshape(-1))
        return f"noise of deviation {size}, seed {self.seed}"

    def draw(self, name: str, run: int, k: int, size: int) -> np.ndarray:
        """Sample number k of a run, (max(size, 1),)."""
        assert self.seed is not None
        key = np.array(stream_key(self.seed, name), np.int64)
        program = normals_program(max(size, 1))
        return self.deviation * program(key, np.int64(self.stream + run), np.int64(k))


class Source(NamedTuple):
    """A sampled input of a run: its names, its noun, its places in held and recall.

    Noise remembers the number of its run, which chooses what is drawn.
    """

    names: tuple[str, ...]
    noun: Any
    held: slice
    recall: slice

    @property
    def name(self) -> str:
        """What errors call it."""
        return ", ".join(self.names)


@final
@dataclass(frozen=True, eq=False)
class Inputs:
    """All inputs of a run, in order.

    modes   discrete values by name, which only events change: where they begin. They
            are held as samples are, behind them (see `events.switch`)
    """

    drive: Drive = field(default_factory=Drive)
    sources: tuple[Source, ...] = ()
    modes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def first_held(self, runs: int) -> np.ndarray:
        """Held values (runs, m) before the first sample: modes where they begin."""
        held = np.zeros((runs, self.drive.width))
        first = self.drive.width - sum(_width(m) for m in self.modes.values())
        for values in self.modes.values():
            last = first + _width(values)
            held[:, first:last] = values.reshape(len(values), -1)
            first = last
        return held

    def with_modes(self, modes: Mapping[str, np.ndarray]) -> Inputs:
        """The same and modes (runs or 1, ...) behind them."""
        sizes = {n: v.shape[1] if v.ndim > 1 else 0 for n, v in modes.items()}
        drive = replace(self.drive, sizes={**self.drive.sizes, **sizes})
        return Inputs(drive, self.sources, {**self.modes, **modes})

    def first_recall(self, runs: np.ndarray) -> np.ndarray:
        """What sampled inputs remember at first (runs, k), of runs by their numbers."""
        parts = [_first_memory(source.noun, runs) for source in self.sources]
        return np.concatenate([np.zeros((len(runs), 0)), *parts], axis=1)

    @property
    def words(self) -> str:
        """The inputs and their seeds, for people."""
        each = [f"{name} by a law" for name in self.drive.laws]
        for source in self.sources:
            noun = source.noun
            what = noun.words if isinstance(noun, Noise) else "samples"
            each += [f"{name} by {what} every {noun.dt:g} s" for name in source.names]
        return ", ".join(each)


@final
@dataclass(frozen=True, eq=False, repr=False)
class InputLog:
    """What the inputs of a motion were.

    t (k,) and values (k, m): sampled inputs are held from each time to the next.
    `motion.inputs["motor"]` are the times and values of one.
    """

    inputs: Inputs
    t: np.ndarray
    values: np.ndarray

    def __getitem__(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        sizes = self.inputs.drive.sizes
        if name in sizes:
            held = self.inputs.drive.unpacked(self.values)[name]
            return self.t, held
        raise IntegrationError(
            f"the motion has no samples of an input {name!r}.",
            f"It was driven so: {self.inputs.words or 'by nothing'}.",
            suggestion(name, list(sizes)),
        )

    def held(self, times: np.ndarray) -> np.ndarray:
        """The sampled inputs (n, m) at some times; new ones where they change."""
        if not self.inputs.drive.width:
            return np.zeros((len(times), 0))
        sign = -1.0 if len(self.t) and self.t[-1] < self.t[0] else 1.0
        last = np.searchsorted(sign * self.t, sign * times, side="right") - 1
        return self.values[np.maximum(last, 0)]

    def __repr__(self) -> str:
        return f"InputLog({self.inputs.words or 'nothing'})"


UNFED = InputLog(Inputs(), np.zeros(0), np.zeros((0, 0)))


def admit_inputs(system: System, inputs: Mapping[Any, Any] | None) -> Inputs:
    """Inputs that the system has, each by something that can give it."""
    laws: dict[str, Law] = {}
    sizes: dict[str, int] = {}
    sources: list[Source] = []
    groups: list[Begun] = []
    held = recall = 0
    for key, given in one_by_one(with_own_inputs(system, inputs)).items():
        if isinstance(given, Sampled | Noise):
            names = key if isinstance(key, tuple) else (key,)
            own = {name: input_size(system, name) for name in names}
            _require_size(names, given, own)
            width = sum(max(size, 1) for size in own.values())
            kept = _first_memory(given, np.zeros(1)).shape[1]
            places = slice(held, held + width), slice(recall, recall + kept)
            sources.append(Source(names, given, *places))
            sizes |= own
            held, recall = held + width, recall + kept
        elif isinstance(key, tuple) or isinstance(given, Controller):
            groups.append(admit_group(system, key, given, groups))
            laws |= laws_of(system, groups)
        elif callable(given):
            laws[key] = Law(given, min(arity(given), 2), input_size(system, key))
        else:
            raise IntegrationError(
                f"the input {key!r} cannot be {given!r}.",
                "An input is a number, a function of time, or one of time and state.",
                "It is a table of inputs already: give it as inputs=..., or with others"
                " as inputs={**table, ...}."
                if isinstance(given, Mapping)
                else "Give a number, a function, ph.Controller, ph.Sampled or"
                " ph.Noise.",
            )
    first = np.concatenate([np.zeros(0), *(g.states for g in groups)])
    several = tuple(group.group for group in groups)
    samplers = samplers_of(system, sources)
    drive = Drive(system, laws, sizes, several, first, samplers)
    return Inputs(drive, tuple(sources))


def with_own_inputs(system: System, inputs: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """The inputs of a run, and those that actions bring along: slips, pulses."""
    given = with_relaxation(system, inputs)
    laws = {
        key: constant_input(key, value) if isinstance(key, str) else value
        for key, value in given.items()
    }
    return with_pulses(system, laws, Sampled)


def one_by_one(inputs: Mapping[Any, Any]) -> dict[Any, Any]:
    """The inputs, noise of several taken apart: each draws by its own name."""
    require_names_once(inputs)
    found: dict[Any, Any] = {}
    for names, given in inputs.items():
        is_several = isinstance(names, tuple) and isinstance(given, Noise)
        found |= dict.fromkeys(names, given) if is_several else {names: given}
    return found


def samplers_of(system: System, sources: Sequence[Source]) -> tuple[Sampler, ...]:
    """The sources as a compiled loop asks them; none where one is plain Python.

    Those on the host and those in the loop would each end the other's segments.
    """
    found: list[Sampler] = []
    for source in sources:
        made = _noise_sampler(source) if isinstance(source.noun, Noise) else None
        made = made or _law_sampler(system, source)
        if made is None:
            return ()
        found.append(made)
    return tuple(found)


def _noise_sampler(source: Source) -> Sampler:
    noun, (name,) = source.noun, source.names
    key, size = stream_key(noun.seed, name), source.held.stop - source.held.start

    def ask(
        t: Scalar, state: State, memory: Any, k: Any, table: Table
    ) -> tuple[Any, Any]:
        run = memory[0].astype("int64") + noun.stream
        drawn = noun.deviation * normals(key, run, k, size)
        return lax.optimization_barrier(drawn), memory

    own = (noun.seed, noun.stream, tuple(noun.deviation.reshape(-1).tolist()))
    places = (source.held, source.recall)
    facts = ("noise", name, *own, *_facts(source))
    return Sampler(source.names, noun.dt, *places, ask, facts)


def _law_sampler(system: System, source: Source) -> Sampler | None:
    """A law that can be traced; None of plain Python."""
    noun, size = source.noun, source.held.stop - source.held.start
    count = source.recall.stop - source.recall.start

    def ask(
        t: Scalar, state: State, memory: Any, k: Any, table: Table
    ) -> tuple[Any, Any]:
        own = values_of(noun.constants, table)
        if noun.state is None:
            value, after = noun.law(t, state, **own), memory
        else:
            value, after = noun.law(t, state, memory, **own)
        return _numbers(value, size, source.names), _numbers(after, count, ())

    def checked(t: Scalar, q: Array, z: Array, memory: Any) -> list[Any]:
        return [*ask(t, State(system, t, q, z), memory, None, {})]

    digest = traceable_digest(noun.law, system, checked, (np.zeros(count),))
    if digest is None:
        return None
    # A parameter that no run varies is its number in the program.
    own = tuple((key, at(value)) for key, value in noun.constants.items())
    facts = (noun.law, digest, noun.state is None, own, *_facts(source))
    places = (source.held, source.recall)
    return Sampler(source.names, noun.dt, *places, ask, facts)


def _facts(source: Source) -> tuple[Any, ...]:
    places = (source.held.start, source.held.stop, source.recall.start)
    return (source.noun.dt, *places)


def _numbers(given: Any, size: int, names: tuple[str, ...]) -> Any:
    """What a traced law gives, (size,); what the host would refuse is refused."""
    if len(names) > 1 and isinstance(given, list | tuple):
        given = jnp.concatenate([jnp.ravel(jnp.asarray(each, float)) for each in given])
    value = jnp.asarray(given)
    if value.dtype.kind not in "fiub":
        raise TypeError("it is no real number")
    allowed = [(size,)] if size != 1 or not names else [(), (1,)]
    if value.shape not in allowed:
        raise TypeError(f"it has the shape {value.shape}")
    return value.astype(float).reshape(size)


def _require_size(names: Any, given: Sampled | Noise, sizes: Mapping[str, int]) -> None:
    """Refuse noise of more or fewer numbers than its input has."""
    if not isinstance(given, Noise):
        return
    shape, (name,) = given.deviation.shape, names
    size = sizes[name]
    if shape not in ((), (1,), (max(size, 1),)):
        raise IntegrationError(
            f"the noise of {name!r} has deviations of the shape {shape}.",
            f"The input is {max(size, 1)} number{'s' if size > 1 else ''}.",
            "Give one deviation for all of it, or one for each.",
        )


def _width(mode: np.ndarray) -> int:
    """How many numbers a mode (runs, ...) is in each run."""
    return mode.shape[1] if mode.ndim > 1 else 1


def _first_memory(noun: Sampled | Noise, runs: np.ndarray) -> np.ndarray:
    """What a source remembers at first (runs, k): a state, or the number of the run."""
    if isinstance(noun, Noise):
        return np.asarray(runs, float)[:, None]
    first = np.zeros(0) if noun.state is None else noun.state
    return np.repeat(first[None], len(runs), axis=0)


def _span(who: str, dt: Any) -> float:
    size = real_number(dt)
    if not (np.isfinite(size) and size > 0):
        raise IntegrationError(
            f"{who} cannot be sampled every {dt!r} s.",
            "Samples are a positive time apart.",
            "Give dt > 0, in seconds.",
        )
    return size
