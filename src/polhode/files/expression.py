"""Arithmetic written in files: `"m * l ** 2 / 12"` of parameters, `"sin(2 * t)"`.

    sum     = product (("+" | "-") product)*
    product = factor (("*" | "/") factor)*
    factor  = "-" factor | power
    power   = atom ("**" factor)?
    atom    = number | name | `any name` | "(" sum ")"
            | function "(" sum ")" | ("min" | "max") "(" sum "," sum ")"

A ` in a name is written twice: `back``tick`.

Text becomes a tree of these and nothing else: it is never given to Python.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, final

from polhode.arrays import namespace
from polhode.errors import ModelError
from polhode.files.issues import nearest
from polhode.matter.parameter import Parameter, at
from polhode.matter.quantities.functions import LAWS, of_quantity

LONGEST, DEEPEST = 2000, 40
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}
SIGNS = {law: sign for sign, law in OPERATORS.items()}
WORDS = {law: word for word, law in LAWS.items()}
FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "arctan", "abs")
# Of two numbers, by the names that arrays have for them.
CHOICES = {"min": "minimum", "max": "maximum"}
NAME = re.compile(r"[^\W\d]\w*+(?:\.\w++)*+")
TOKEN = re.compile(
    r"\s*+(?:(?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?)"
    rf"|(?P<name>{NAME.pattern})|`(?P<quoted>(?:[^`]|``)++)`(?!`)|(?P<sign>\*\*|[-+*/(),]))"
)


class Number(NamedTuple):
    """A number that is written out: whole ones stay whole, as powers want them."""

    value: float | int


class Name(NamedTuple):
    """A parameter or a variable."""

    name: str


class Call(NamedTuple):
    """A function or an operator of one or two trees."""

    law: str
    parts: tuple[Any, ...]


Tree: TypeAlias = Number | Name | Call


def parse(text: str) -> Tree:
    """The tree of an expression; a ModelError says what is none.

    >>> parse("m * l / 2").law
    '/'
    """
    if len(text) > LONGEST:
        raise ModelError(f"an expression of {len(text):,} characters is too long.")
    tokens = _tokens(text)
    tree, end = _sum(tokens, 0, 0)
    if end < len(tokens):
        raise ModelError(f"{tokens[end].text!r} does not belong in {text!r}.")
    return tree


def names_in(tree: Tree) -> tuple[str, ...]:
    """The names that an expression uses, each once, in order."""
    if isinstance(tree, Name):
        return (tree.name,)
    parts = tree.parts if isinstance(tree, Call) else ()
    return tuple(dict.fromkeys(name for part in parts for name in names_in(part)))


def evaluate(tree: Tree, value_of: Callable[[str], Any], call: Any = None) -> Any:
    """The value of a tree: numbers, parameters or arrays, by the operators of each.

    `call(word, *values)` applies functions; without it they are those of parameters.
    """
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Name):
        return value_of(tree.name)
    parts = [evaluate(part, value_of, call) for part in tree.parts]
    if tree.law == "neg":
        return -parts[0]
    if tree.law == "**" and isinstance(parts[0], int):
        parts[0] = float(parts[0])  # whole powers of whole numbers know no end
    if tree.law in OPERATORS:
        return OPERATORS[tree.law](*parts)
    return (call or _of_quantity)(tree.law, *parts)


def _of_quantity(word: str, *values: Any) -> Any:
    if word not in LAWS:
        raise ModelError(f"{word}(...) cannot be used of parameters.")
    return of_quantity(word, *values)


def expression_text(quantity: Any) -> str | None:
    """A parameter as an expression that `parse` reads, or None if it follows from
    its sources by a law of Python.

    >>> m, l = Parameter("m", 1.2), Parameter("l 1", 0.5)
    >>> expression_text(m * (m - l) ** 2)
    'm * (m - `l 1`) ** 2'
    """
    found = _ranked_text(quantity)
    return None if found is None else found[0]


@final
@dataclass(frozen=True)
class Formula:
    """A function by its formula, for prescribed motions and motors, also in files.

    text        the formula
    of          its variables, in the order in which the law is asked
    constants   numbers and parameters that it names: the model knows them

    >>> sway = Formula("0.3 * sin(2 * t)")
    >>> round(float(sway(0.5)), 6)
    0.252441
    >>> Formula("a * t", constants={"a": Parameter("a", 3.0)})(2.0)
    6.0
    """

    text: str
    of: tuple[str, ...] = ("t",)
    constants: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    tree: Tree = field(init=False, repr=False)

    def __post_init__(self) -> None:
        tree = parse(self.text)
        both = set(self.of) & set(self.constants)
        if both:
            raise ModelError(
                f"{self.text!r} has {min(both)!r} as a variable and as a constant.",
                "A name stands for one thing in a formula.",
                "Call one of them otherwise.",
            )
        for name in names_in(tree):
            if name not in self.of and name not in self.constants:
                raise ModelError(
                    f"{self.text!r} uses {name!r}, which is no variable here."
                    f" {nearest(name, [*self.of, *self.constants])} A parameter is"
                    f" given as constants={{{name!r}: ...}}."
                )
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))
        object.__setattr__(self, "tree", tree)

    def called(
        self, variables: tuple[str, ...], constants: Mapping[str, str] | None = None
    ) -> str:
        """The same formula of variables that are called otherwise.

        `constants` are the texts that stand for its constants.

        >>> Formula("2 * exp(x)", ("x",)).called(("length",))
        '2 * exp(length)'
        """
        texts = {key: key for key in self.constants} | dict(constants or {})
        if self.of == variables and all(k == v for k, v in texts.items()):
            return self.text
        names = {**dict(zip(self.of, variables, strict=True)), **texts}
        parts, at = [], 0
        for token in TOKEN.finditer(self.text):
            kind = str(token.lastgroup)
            start, end = token.span(kind)
            if kind == "quoted":
                start, end = start - 1, end + 1
            is_name = kind == "quoted" or (
                kind == "name" and self.text[end:].lstrip()[:1] != "("
            )
            name = token[kind].replace("``", "`") if kind == "quoted" else token[kind]
            word = names[name] if is_name else self.text[start:end]
            parts += [self.text[at:start], word]
            at = end
        return "".join([*parts, self.text[at:]])

    def __call__(self, *values: Any, **constants: Any) -> Any:
        """The value, of arrays or inside a trace; constants as they are, or given."""
        for key in constants:
            if key not in self.constants:
                raise ModelError(
                    f"the formula {self.text!r} has no constant {key!r}.",
                    "What it does not name cannot change it.",
                    nearest(key, list(self.constants)),
                )
        if len(values) != len(self.of):
            names = ", ".join(map(repr, self.of))
            raise ModelError(
                f"the formula {self.text!r} is of {names}, and is called with"
                f" {len(values)} numbers.",
                "A law is called with all that it may depend on: a motor's with t, q"
                " and z, a prescribed motion's with t.",
                'Name them all: ph.Formula("0.3 * sin(2 * t)", ("t", "q", "z")).',
            )
        own = {key: at(value) for key, value in self.constants.items()}
        given = {**own, **constants, **dict(zip(self.of, values, strict=True))}
        xp = namespace(*values, *constants.values())

        def call(word: str, *parts: Any) -> Any:
            return getattr(xp, CHOICES.get(word, word))(*parts)

        return evaluate(self.tree, given.__getitem__, call) + 0.0 * values[0]


class _Token(NamedTuple):
    kind: str
    text: str


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    end = len(text.rstrip())
    while at < end:
        token = TOKEN.match(text, at)
        if token is None:
            raise ModelError(f"{text[at:].strip()[:1]!r} does not belong in {text!r}.")
        kind = str(token.lastgroup)
        found.append(_Token(kind, token[kind]))
        at = token.end()
    if not found:
        raise ModelError("an expression is empty.")
    return found


def _sum(tokens: list[_Token], at: int, depth: int) -> tuple[Tree, int]:
    return _chain(tokens, at, depth, ("+", "-"), _product)


def _product(tokens: list[_Token], at: int, depth: int) -> tuple[Tree, int]:
    return _chain(tokens, at, depth, ("*", "/"), _factor)


def _chain(
    tokens: list[_Token], at: int, depth: int, signs: Iterable[str], part: Any
) -> tuple[Tree, int]:
    tree, at = part(tokens, at, depth)
    while _sign(tokens, at) in signs:
        sign = _sign(tokens, at)
        right, at = part(tokens, at + 1, depth)
        tree = Call(sign, (tree, right))
    return tree, at


def _factor(tokens: list[_Token], at: int, depth: int) -> tuple[Tree, int]:
    if depth > DEEPEST:
        raise ModelError("an expression has too many brackets in each other.")
    if _sign(tokens, at) == "-":
        inner, at = _factor(tokens, at + 1, depth + 1)
        return Call("neg", (inner,)), at
    tree, at = _atom(tokens, at, depth)
    if _sign(tokens, at) == "**":
        power, at = _factor(tokens, at + 1, depth + 1)
        return Call("**", (tree, power)), at
    return tree, at


def _atom(tokens: list[_Token], at: int, depth: int) -> tuple[Tree, int]:
    if at >= len(tokens):
        raise ModelError("an expression ends too early.")
    kind, text = tokens[at]
    if kind == "number":
        return Number(_number(text)), at + 1
    if kind == "quoted":
        return Name(text.replace("``", "`")), at + 1
    if kind == "name" and _sign(tokens, at + 1) != "(":
        return Name(text), at + 1
    if kind == "name" and text not in (*FUNCTIONS, *CHOICES):
        known = nearest(text, (*FUNCTIONS, *CHOICES))
        raise ModelError(f"{text}(...) is no function that files know. {known}")
    if kind == "sign" and text != "(":
        raise ModelError(f"{text!r} stands where a number or a name belongs.")
    inner, end = _sum(tokens, at + (2 if kind == "name" else 1), depth + 1)
    parts: tuple[Tree, ...] = (inner,)
    if kind == "name" and text in CHOICES:
        if _sign(tokens, end) != ",":
            raise ModelError(f"{text}(a, b) is of two numbers.")
        second, end = _sum(tokens, end + 1, depth + 1)
        parts = (inner, second)
    if _sign(tokens, end) != ")":
        raise ModelError("a bracket is not closed.")
    return (Call(text, parts) if kind == "name" else inner), end + 1


def _number(text: str) -> float | int:
    """A number that a double can hold; whole ones stay whole."""
    if not math.isfinite(float(text)):
        raise ModelError(f"{text[:40]!r} is too large for a number.")
    return int(text) if text.isdecimal() else float(text)


def _sign(tokens: list[_Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) and tokens[at].kind == "sign" else ""


RANKS = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}


def _ranked_text(value: Any) -> tuple[str, int] | None:
    """The text, and how strongly its weakest sign binds."""
    if not isinstance(value, Parameter):
        shown = repr(value) if type(value) is int else repr(float(value))
        return (shown, 4 if value >= 0 else 0)
    if value.law is None:
        plain = NAME.fullmatch(value.name) and value.name not in FUNCTIONS
        return (value.name if plain else quote(value.name), 4)
    parts = [_ranked_text(source) for source in value.sources]
    if value.law is operator.neg and parts[0]:
        return (f"-{_bracket(*parts[0], least=3)}", 0)
    word = WORDS.get(value.law)
    if word is not None and parts[0]:
        return (f"{word}({parts[0][0]})", 4)
    sign = SIGNS.get(value.law)
    if sign is None or None in parts:
        return None
    rank = RANKS[sign]
    least = (4, 4) if sign == "**" else (rank, rank + 1)
    left, right = (
        _bracket(*p, least=r) for p, r in zip(parts, least, strict=True) if p
    )
    return (f"{left} {sign} {right}", rank)


def quote(name: str) -> str:
    """A name that is no plain word, as expressions write it."""
    return "`" + name.replace("`", "``") + "`"


def _bracket(text: str, rank: int, *, least: int) -> str:
    return text if rank >= least else f"({text})"
