"""What is known while a model file is read, and while one is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from polhode.dimension import has_unit
from polhode.errors import ModelError, PolhodeError
from polhode.files.expression import evaluate, expression_text, parse
from polhode.files.issues import Way, nearest
from polhode.files.report import Report
from polhode.matter.parameter import Parameter, named, parameters_in


@final
class Bad:
    """What is read from a value that is wrong; its error is in the report already."""


INVALID = Bad()
# What Python and NumPy raise of numbers that no door expected: too large for a double,
# of an odd shape, of a matrix without eigenvalues.
UNFIT = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    RecursionError,
    AttributeError,
)


@final
@dataclass(frozen=True)
class Scope:
    """The names of a file that is being read.

    bodies, joints, constraints,  by name; what could not be built is there as BAD, so
    supports                      that what refers to it is not called unknown
    points                        (body, point) -> the point
    """

    report: Report
    folder: Path
    parameters: dict[str, Parameter] = field(default_factory=dict)
    bodies: dict[str, Any] = field(default_factory=dict)
    joints: dict[str, Any] = field(default_factory=dict)
    constraints: dict[str, Any] = field(default_factory=dict)
    supports: dict[str, Any] = field(default_factory=dict)
    points: dict[tuple[str, str], Any] = field(default_factory=dict)

    def refuse(self, path: Way, text: str, *, is_unsafe: bool = False) -> Bad:
        """Note an error, and give what stands for the value."""
        self.report.add(path, text, is_unsafe=is_unsafe)
        return INVALID

    def built(self, path: Way, make: Callable[[], Any]) -> Any:
        """What a door makes, or BAD with its words in the report."""
        try:
            return make()
        except PolhodeError as refused:
            last = refused.repair or refused.why
            return self.refuse(path, " ".join(part for part in (refused.what, last)))
        except UNFIT as refused:
            return self.refuse(path, f"{refused}.")

    def quantity(self, path: Way, text: str) -> Any:
        """A number or parameter from an expression of parameters; or "12 cm".

        The door of what is built reads a unit and checks its dimension.
        """
        if has_unit(text):
            return text
        try:
            value = evaluate(parse(text), self._parameter)
        except ModelError as refused:
            code = "(" in text and any(sign in text for sign in "'\"_;=[{")
            note = " Nothing in a file is run." if code else ""
            return self.refuse(path, refused.what + note, is_unsafe=code)
        except ArithmeticError as reason:
            return self.refuse(path, f"{text!r} has no value: {reason}.")
        if isinstance(value, Parameter):
            return value
        if isinstance(value, complex):
            return self.refuse(path, f"{text!r} is no real number.")
        try:
            return float(value)
        except OverflowError as reason:
            return self.refuse(path, f"{text[:60]!r} has no value: {reason}.")

    def _parameter(self, name: str) -> Parameter:
        if name in self.parameters:
            return self.parameters[name]
        raise ModelError(f"there is no parameter {name!r}.{_hint(name, self)}")


def _hint(name: str, scope: Scope) -> str:
    known = list(scope.parameters)
    return f" {nearest(name, known)}" if known else " Name it under [parameters]."


@final
@dataclass(frozen=True)
class Writer:
    """What is written into a file, and what cannot be.

    parameters   those that expressions refer to, by name
    points       named points, by body and name
    lost         in words, each thing that a file cannot say
    """

    world: str
    parameters: dict[str, Any] = field(default_factory=dict)
    points: dict[str, dict[str, Any]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)

    def quantity(self, value: Any, place: str, who: str) -> Any:
        """A number bare where its name is that of its place; else an expression."""
        if not isinstance(value, Parameter):
            return float(value)
        if value.law is None and value.name == place:
            return float(value.value)
        text = expression_text(value)
        if text is None:
            return self.lose(f"{who}: {value.name!r} follows by a law of Python")
        for root in value.roots:
            self.parameters[root.name] = float(root.value)
        return text

    def constant(self, value: Any, place: str, who: str) -> str | None:
        """What stands for the constant of a law in its formula, in brackets if need be.

        Bare numbers have the name of their place by now, and keep it.
        """
        named_value = named(value, place)
        text = expression_text(named_value)
        if text is None:
            self.lose(f"{who}: {named_value.name!r} follows by a law of Python")
            return None
        for root in parameters_in([named_value]):
            self.parameters[root.name] = float(root.value)
        is_root = isinstance(named_value, Parameter) and named_value.law is None
        return text if is_root else f"({text})"

    def lose(self, what: str) -> None:
        """Note what a file cannot say."""
        self.lost.append(what)
