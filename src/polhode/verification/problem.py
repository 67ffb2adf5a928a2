"""What a problem of the manual is: a source, a statement, a model and answers."""

from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, final

import numpy as np

from polhode.errors import PolhodeError

EXACT = 16.0  # digits told where nothing differs: more than a double has

# How the expected numbers came about.
PRINTED, FORMULA = "printed", "formula evaluated"


@final
@dataclass(frozen=True)
class Source:
    """A publication: who, what, when."""

    author: str
    title: str
    year: int

    @property
    def short(self) -> str:
        """The first author, for tables."""
        first = self.author.replace(" and ", ", ").split(", ")[0]
        return first if first == self.author else f"{first} et al."

    def __str__(self) -> str:
        return f"{self.author}, {self.title} ({self.year})"


@final
@dataclass(frozen=True)
class Answer:
    """One quantity: what the source says, and what we find.

    Numbers or arrays of one shape. `size` is what a miss is measured by, the largest of
    the expected numbers unless given; `at` are abscissas, where it is a curve.

    >>> Answer("period", 2.0, 2.000002).digits
    6.0
    """

    what: str
    expected: Any
    found: Any
    size: float | None = None
    at: Any = None
    axis: str = "t, s"

    @property
    def miss(self) -> float:
        """The largest difference, of `size`; NaN where a number is none."""
        expected, found = np.asarray(self.expected), np.asarray(self.found)
        if expected.shape != found.shape:
            raise ValueError(
                f"{self.what!r}: expected has shape {expected.shape}, found"
                f" {found.shape}"
            )
        size = self.size or float(np.max(np.abs(expected))) or 1.0
        return float(np.max(np.abs(found - expected))) / size

    @property
    def worst_pair(self) -> tuple[Any, Any]:
        """The expected and the found number that differ most."""
        expected, found = np.atleast_1d(self.expected), np.atleast_1d(self.found)
        where = np.unravel_index(np.argmax(np.abs(found - expected)), expected.shape)
        return expected[where].item(), found[where].item()

    @property
    def digits(self) -> float:
        """Decimal digits of agreement, at most 16; none where a number is NaN."""
        miss = self.miss
        if not np.isfinite(miss):
            return 0.0
        return float(round(min(EXACT, -np.log10(max(miss, 1e-300))), 1))


@final
@dataclass(frozen=True)
class Result:
    """The answers of a problem that was run, and how long it took.

    `failure` says why there are none: the model was refused, or a run stopped.
    """

    problem: Problem
    answers: tuple[Answer, ...]
    seconds: float
    failure: str = ""

    @property
    def digits(self) -> float:
        """Of the answer that agrees least."""
        return min((answer.digits for answer in self.answers), default=0.0)

    @property
    def is_reached(self) -> bool:
        """Whether all answers have the digits that the problem states."""
        return not self.failure and self.digits >= self.problem.digits


@final
@dataclass(frozen=True)
class Problem:
    """A problem of the manual; `run` gives its answers."""

    name: str
    source: Source
    place: str
    digits: float
    basis: str
    run: Callable[[], Sequence[Answer]] = field(repr=False)

    @property
    def title(self) -> str:
        """The first line of the statement."""
        return self._statement()[0]

    @property
    def statement(self) -> str:
        """What is given and what is asked, without the title."""
        return self._statement()[1]

    @property
    def code(self) -> str:
        """The model and the questions to it, without statement, after its helpers."""
        module = inspect.getmodule(self.run)
        assert module is not None
        own = definitions(inspect.getsource(module))
        return "\n\n".join([*helpers(self.name, own), stated(own[self.name])])

    @property
    def citation(self) -> str:
        """The source, and where in it."""
        return f"{self.source}, {self.place}" if self.place else str(self.source)

    def _statement(self) -> tuple[str, str]:
        head, _, rest = (inspect.getdoc(self.run) or "").partition("\n\n")
        return " ".join(head.split()).rstrip("."), rest.strip()


def problem(
    source: Source, place: str, *, digits: float, basis: str = FORMULA
) -> Callable[[Callable[[], Sequence[Answer]]], Problem]:
    """Make a function that returns answers a problem of the manual.

    `digits` are those that the source allows and that we promise.
    """

    def made(run: Callable[[], Sequence[Answer]]) -> Problem:
        return Problem(run.__name__, source, place, digits, basis, run)

    return made


def definitions(text: str) -> dict[str, str]:
    """The functions and constants of a module: the source of each by its name."""
    found = {}
    for node in ast.parse(text).body:
        source = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.FunctionDef):
            found[node.name] = source
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = source
    return found


def helpers(name: str, own: dict[str, str]) -> list[str]:
    """What a function of a module needs of it, in the order of the module."""
    needed, asked = set[str](), [name]
    while asked:
        names = {n.id for n in ast.walk(ast.parse(own[asked.pop()])) if _is_name(n)}
        fresh = (names & own.keys()) - needed - {name}
        needed |= fresh
        asked += fresh
    return [source for each, source in own.items() if each in needed]


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def stated(source: str) -> str:
    """A function without its docstring, which is the statement of its page."""
    head, _, rest = source.partition('"""')
    return head.rstrip() + "\n" + rest.partition('"""\n')[2]


def verified(problem: Problem) -> Result:
    """Run a problem; a refusal is its failure, so that others are run after it."""
    began, failure = time.perf_counter(), ""
    answers: tuple[Answer, ...] = ()
    try:
        answers = tuple(problem.run())
    except PolhodeError as error:
        failure = str(error)
    return Result(problem, answers, time.perf_counter() - began, failure)
