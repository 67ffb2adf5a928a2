"""Distributions of numbers: what an ensemble draws its runs from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast, final

import numpy as np

from polhode.errors import ModelError


class Distribution(Protocol):
    """Where numbers are drawn from; `word` is its name in model files."""

    word: ClassVar[str]

    def draw(self, source: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of this distribution."""


@final
@dataclass(frozen=True)
class Normal:
    """Gauss's: a mean and a standard deviation.

    >>> import polhode as ph
    >>> ph.distributions.Normal(1.0, 0.1)
    Normal(mean=1.0, deviation=0.1)
    """

    word: ClassVar[str] = "normal"
    mean: float
    deviation: float

    def __post_init__(self) -> None:
        _admit(self, self.deviation >= 0, "A deviation is zero or more.")

    def draw(self, source: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of this distribution."""
        return self.mean + self.deviation * source.standard_normal(shape)


@final
@dataclass(frozen=True)
class Uniform:
    """Any value between two, each as likely.

    >>> import polhode as ph
    >>> ph.distributions.Uniform(-1.0, 1.0)
    Uniform(low=-1.0, high=1.0)
    """

    word: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _admit(self, self.low <= self.high, "The lower end comes first.")

    def draw(self, source: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of this distribution."""
        return self.low + (self.high - self.low) * source.random(shape)


@final
@dataclass(frozen=True)
class Choice:
    """One of some values, each as likely.

    >>> import polhode as ph
    >>> ph.distributions.Choice((1.0, 2.0, 4.0))
    Choice(values=(1.0, 2.0, 4.0))
    """

    word: ClassVar[str] = "choice"
    values: Sequence[float]

    def __post_init__(self) -> None:
        try:
            values = tuple(float(value) for value in self.values)
        except (TypeError, ValueError):
            values = ()
        _require(
            bool(values) and bool(np.all(np.isfinite(values))),
            f"nothing can be chosen from {self.values!r}.",
            "A choice is among finite numbers, at least one.",
        )
        object.__setattr__(self, "values", values)

    def draw(self, source: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of this distribution."""
        return np.asarray(self.values)[source.integers(len(self.values), size=shape)]


DISTRIBUTIONS: dict[str, Any] = {kind.word: kind for kind in (Normal, Uniform, Choice)}


def distribution_from(table: Mapping[str, Any]) -> Distribution:
    """A distribution from its word and numbers, as in model files.

    >>> distribution_from({"normal": [1.0, 0.1]})
    Normal(mean=1.0, deviation=0.1)
    """
    known = ", ".join(DISTRIBUTIONS)
    if (
        not isinstance(table, Mapping)
        or len(table) != 1
        or (word := next(iter(table))) not in DISTRIBUTIONS
    ):
        raise ModelError(
            f"{table!r} is no distribution.",
            f"It is a table of one word and its numbers; the words are {known}.",
            "Write { normal = [1.0, 0.1] }.",
        )
    kind, numbers = DISTRIBUTIONS[word], table[word]
    if kind is Choice:
        return Choice(numbers)
    if not isinstance(numbers, list | tuple) or len(numbers) != len(fields(kind)):
        names = ", ".join(f.name for f in fields(kind))
        raise ModelError(
            f"{word} cannot be {numbers!r}.",
            f"Its numbers are {names}.",
            "Write { normal = [1.0, 0.1] } or { uniform = [-1.0, 1.0] }.",
        )
    return kind(*numbers)


def table_of(distribution: Distribution) -> dict[str, list[float]]:
    """A distribution as its word and numbers, as in model files."""
    if isinstance(distribution, Choice):
        return {Choice.word: list(distribution.values)}
    each = fields(cast(Any, distribution))  # every one is a dataclass of numbers
    values = [float(getattr(distribution, f.name)) for f in each]
    return {distribution.word: values}


def _admit(distribution: Any, is_sound: bool, why: str) -> None:
    """Plain finite numbers in the fields; refused if they make no distribution."""
    names = [f.name for f in fields(distribution)]
    values = [getattr(distribution, name) for name in names]
    for value in values:
        is_real = isinstance(value, int | float | np.number)
        is_real = is_real and not isinstance(value, bool) and bool(np.isfinite(value))
        is_sound = is_sound and is_real
    told = ", ".join(f"{n} {v!r}" for n, v in zip(names, values, strict=True))
    _require(
        is_sound, f"{distribution.word} cannot have {told}.", why + " All are finite."
    )
    for name, value in zip(names, values, strict=True):
        object.__setattr__(distribution, name, float(value))


def _require(is_sound: bool, what: str, why: str) -> None:
    if not is_sound:
        raise ModelError(
            what, why, "Give ph.distributions.Normal(mean, deviation) or its kin."
        )
