"""Inputs of a run: functions of time, feedback laws, sampled controllers, noise.

    inputs={"motor of hinge": lambda t, state: -3 * state["hinge"], "gust": Noise(...)}
    inputs={("tau1", "tau2"): law}          one law for several, which returns them all

An input is the name of a motor, of an applied couple or follower force, or of a
parameter that only such actions have. Laws are traced into the compiled loop. Sampled
inputs are asked between chunks at start + k dt, and held until the next sample.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final
from zlib import crc32

import numpy as np

from polhode.arrays import Numbers
from polhode.errors import IntegrationError
from polhode.integrate.field.input_table import Drive, Law, arity
from polhode.integrate.inputs.controller import Controller
from polhode.integrate.inputs.groups import (
    Begun,
    admit_group,
    laws_of,
    part_laws,
    require_names_once,
)
from polhode.integrate.inputs.ports import input_size
from polhode.integrate.methods.tolerance import real_number
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False)
class Sampled:
    """A controller that is asked every dt seconds and held in between.

        u(t) = law(t_k, state at t_k),      t_k = start + k dt <= t < t_k+1

    `law` is plain Python. With `memory`, a list of numbers, it is
    law(t, state, memory) -> (u, memory): what it remembers is then kept with the run,
    so that a run that was saved goes on exactly.
    """

    law: Callable[..., Any]
    dt: float
    _: KW_ONLY
    memory: Numbers | None = None

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise IntegrationError(
                f"{self.law!r} cannot control anything.",
                "A sampled controller is a function of time and state.",
                "Give ph.Sampled(lambda t, state: ..., dt).",
            )
        object.__setattr__(self, "dt", _span("a sampled controller", self.dt))
        if self.memory is not None:
            memory = np.atleast_1d(np.array(self.memory, dtype=float))
            memory.setflags(write=False)
            object.__setattr__(self, "memory", memory)


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
        counter = [0, k, self.stream + run, crc32(name.encode())]
        bits = np.random.Philox(key=self.seed, counter=counter)
        normal = np.random.Generator(bits).standard_normal(max(size, 1))
        return self.deviation * normal


class Source(NamedTuple):
    """A sampled input of a run: its name, its noun, its places in held and recall."""

    name: str
    noun: Any
    held: slice
    recall: slice


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

    @property
    def first_recall(self) -> np.ndarray:
        """What sampled inputs remember at first (k,)."""
        parts = [source.noun.memory for source in self.sources if _remembers(source)]
        return np.concatenate(parts) if parts else np.zeros(0)

    @property
    def words(self) -> str:
        """The inputs and their seeds, for people."""
        each = [f"{name} by a law" for name in self.drive.laws]
        for source in self.sources:
            noun = source.noun
            what = noun.words if isinstance(noun, Noise) else "samples"
            each.append(f"{source.name} by {what} every {noun.dt:g} s")
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
    for name, given in one_by_one(system, inputs or {}).items():
        if isinstance(name, tuple) or isinstance(given, Controller):
            groups.append(admit_group(system, name, given, groups))
            laws |= laws_of(system, groups)
            continue
        size = input_size(system, name)
        if isinstance(given, Sampled | Noise):
            _require_size(name, given, size)
            memory = getattr(given, "memory", None)
            width, kept = max(size, 1), 0 if memory is None else len(memory)
            places = slice(held, held + width), slice(recall, recall + kept)
            sources.append(Source(name, given, *places))
            sizes[name], held, recall = size, held + width, recall + kept
        elif callable(given):
            laws[name] = Law(given, min(arity(given), 2), size)
        else:
            raise IntegrationError(
                f"the input {name!r} cannot be {given!r}.",
                "An input is a function of time, or of time and state.",
                "Give a function, ph.Controller, ph.Sampled or ph.Noise; a constant is"
                " a parameter: simulate(..., parameters={...}).",
            )
    first = np.concatenate([np.zeros(0), *(g.states for g in groups)])
    drive = Drive(system, laws, sizes, tuple(group.group for group in groups), first)
    return Inputs(drive, tuple(sources))


def one_by_one(system: System, inputs: Mapping[Any, Any]) -> dict[Any, Any]:
    """The inputs, sampled laws of several taken apart: each is held by itself."""
    require_names_once(inputs)
    found: dict[Any, Any] = {}
    for names, given in inputs.items():
        if isinstance(names, tuple) and isinstance(given, Noise):
            found |= dict.fromkeys(names, given)
        elif isinstance(names, tuple) and isinstance(given, Sampled):
            sizes = [max(input_size(system, name), 1) for name in names]
            laws = part_laws(given.law, sizes, has_memory=given.memory is not None)
            for k, (name, law) in enumerate(zip(names, laws, strict=True)):
                memory = None if k else given.memory
                found[name] = Sampled(law, given.dt, memory=memory)
        else:
            found[names] = given
    return found


def _require_size(name: str, given: Sampled | Noise, size: int) -> None:
    """Refuse noise of more or fewer numbers than its input has."""
    if not isinstance(given, Noise):
        return
    shape = given.deviation.shape
    if shape not in ((), (1,), (max(size, 1),)):
        raise IntegrationError(
            f"the noise of {name!r} has deviations of the shape {shape}.",
            f"The input is {max(size, 1)} number{'s' if size > 1 else ''}.",
            "Give one deviation for all of it, or one for each.",
        )


def _width(mode: np.ndarray) -> int:
    """How many numbers a mode (runs, ...) is in each run."""
    return mode.shape[1] if mode.ndim > 1 else 1


def _remembers(source: Source) -> bool:
    return getattr(source.noun, "memory", None) is not None


def _span(who: str, dt: Any) -> float:
    size = real_number(dt)
    if not (np.isfinite(size) and size > 0):
        raise IntegrationError(
            f"{who} cannot be sampled every {dt!r} s.",
            "Samples are a positive time apart.",
            "Give dt > 0, in seconds.",
        )
    return size
