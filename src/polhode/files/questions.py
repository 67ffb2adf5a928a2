"""The sections [optimise], [campbell] and [section]: questions that a file asks.

Formulas are of t, of coordinates, `hinge`, of speeds, `hinge.speed`, and of parameters.
A goal is a formula at the end of the motion, or "integral of ..." or "peak of ..."; a
bound is a goal and a number, "peak of hinge <= 0.5".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from polhode.analyse.optimisation.goal import AtEnd, Bound, Goal, Integral, Peak
from polhode.errors import AnalysisError, FileError
from polhode.files.expression import Formula, names_in, parse
from polhode.files.issues import Way, nearest
from polhode.files.loads import read_table
from polhode.files.scope import Scope
from polhode.files.values import NUMBER, Value, each, plain, shorten

GOALS: dict[str, type[Goal]] = {"end": AtEnd, "integral": Integral, "peak": Peak}
SIGNS = ("<=", ">=", "==")


def goal_from(system: Any, text: str) -> Goal:
    """A goal by its words: "hinge", "integral of hinge ** 2", "peak of hinge.speed".

    >>> import polhode as ph
    >>> type(goal_from(ph.models.pendulum(), "peak of hinge.speed")).__name__
    'Peak'
    """
    word, of, rest = text.partition(" of ")
    kind = GOALS.get(word.strip()) if of else None
    law = quantity_law(system, rest if kind else text)
    return (kind or AtEnd)(law)


def bound_from(system: Any, text: str) -> Bound:
    """A bound by its words: "peak of hinge <= 0.5", "end of hinge == 3".

    >>> import polhode as ph
    >>> bound_from(ph.models.pendulum(), "peak of hinge <= 0.5")
    Bound(-inf <= Peak <= 0.5)
    """
    for sign in SIGNS:
        goal, found, number = text.rpartition(sign)
        if found:
            return _bound(goal_from(system, goal.strip()), sign, _number(text, number))
    raise AnalysisError(
        f"{text!r} bounds nothing.",
        "A bound is a goal of the motion, a sign and a number.",
        'Write "peak of hinge <= 0.5", with <=, >= or ==.',
    )


def _bound(goal: Goal, sign: str, value: float) -> Bound:
    if sign == "==":
        return goal.equals(value)
    return goal.at_most(value) if sign == "<=" else goal.at_least(value)


def _number(text: str, number: str) -> float:
    try:
        return float(number)
    except ValueError as reason:
        raise AnalysisError(
            f"{text!r} ends in {number.strip()!r}, which is not a finite number.",
            "A goal is held against a number in SI units.",
            'Write "peak of hinge <= 0.5".',
        ) from reason


def quantity_law(system: Any, text: str) -> Any:
    """function(t, state, values) of a formula of coordinates, speeds, parameters."""
    used = names_in(parse(text))
    places = {name: ("q", k) for k, name in enumerate(system.coordinate_names)}
    for k, name in enumerate(system.speed_names):
        places.setdefault(f"{name}.speed", ("z", k))
    parameters = [name for name in used if name in system.parameters]
    for name in used:
        if name != "t" and name not in places and name not in parameters:
            known = ["t", *places, *system.parameters]
            raise AnalysisError(
                f"{text!r} uses {name!r}, which {system.name!r} does not have.",
                "A formula is of t, coordinates, speeds and parameters.",
                nearest(name, known),
            )
    moving = tuple(name for name in used if name in places)
    own = {name: system.parameters[name] for name in parameters}
    formula = Formula(text, ("t", *moving), own)

    def law(t: Any, state: Any, values: Mapping[str, Any] | None = None) -> Any:
        given = {key: values[key] for key in own if values and key in values}
        parts = [getattr(state, places[n][0])[places[n][1]] for n in moving]
        return formula(t, *parts, **given)

    return law


# ---------------------------------------------------------------------- sections


def numbers_from(text: str) -> np.ndarray:
    """Numbers by their words: "0:300:31" evenly from 0 to 300, or "0.9,1.0,1.1".

    >>> numbers_from("0:3:4")
    array([0., 1., 2., 3.])
    """
    try:
        if ":" in text:
            first, last, count = text.split(":")
            return np.linspace(float(first), float(last), int(count))
        return np.array([float(part) for part in text.split(",")])
    except ValueError as reason:
        raise AnalysisError(
            f"{text!r} is no row of numbers.",
            "It goes from a number to a number in so many, or lists them.",
            "Write 0:300:31 or 0,100,200.",
        ) from reason


def _read_numbers(scope: Scope, path: Way, value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"[-+.\deE:,\s]+", value):
        return scope.built(path, lambda: numbers_from(value))
    if isinstance(value, list):
        found = each(NUMBER).read(scope, path, value)
        return np.array(found) if isinstance(found, list | tuple) else found
    return scope.refuse(
        path, f'{shorten(value)} is no row such as "0:300:31" or [0, 1].'
    )


def _read_pairs(scope: Scope, path: Way, value: Any) -> Any:
    if not isinstance(value, dict):
        return scope.refuse(
            path, f"{shorten(value)} is no table of names = [low, high]."
        )
    pair = each(NUMBER, 2)
    found = {k: pair.read(scope, (*path, k), v) for k, v in value.items()}
    return {name: tuple(ends) for name, ends in found.items() if _is_pair(ends)}


def _is_pair(ends: Any) -> bool:
    return isinstance(ends, list | tuple) and len(ends) == 2


def _kept(writer: Any, value: Any, place: str) -> Any:
    return value


TEXT = plain(str, "text", {"type": "string"})
TEXTS = each(TEXT)
NUMBERS = Value(
    _read_numbers, _kept, {"anyOf": [{"type": "string"}, {"type": "array"}]}
)
PAIRS = Value(
    _read_pairs,
    _kept,
    {"type": "object", "additionalProperties": each(NUMBER, 2).schema},
)
QUESTIONS: dict[str, dict[str, Value]] = {
    "optimise": {"variables": PAIRS, "least": TEXT, "most": TEXT, "keep": TEXTS},
    "campbell": {
        "spin": TEXT,
        "speeds": NUMBERS,
        "orders": NUMBERS,
        "lateral": each(TEXT, 2),
    },
    "section": {
        "every": NUMBER,
        "zero": TEXT,
        "after": NUMBER,
        "over": TEXT,
        "values": NUMBERS,
    },
}


def read_questions(scope: Scope, document: Mapping[str, Any]) -> dict[str, Any]:
    """What the sections of questions say, by section; those that are there."""
    return {
        word: read_table(scope, (word,), document[word], values, ())
        for word, values in QUESTIONS.items()
        if word in document
    }


def write_questions(questions: Mapping[str, Any]) -> dict[str, Any]:
    """The sections of questions as a file has them; others are refused.

    >>> write_questions({"campbell": {"spin": "shaft", "speeds": np.array([0.0, 9.0])}})
    {'campbell': {'spin': 'shaft', 'speeds': [0.0, 9.0]}}
    """
    written: dict[str, Any] = {}
    for word, fields in questions.items():
        if word not in QUESTIONS or not isinstance(fields, Mapping):
            raise FileError(
                f"a file cannot ask {word!r}: {fields!r}.",
                "Questions are sections, each a table.",
                nearest(str(word), QUESTIONS),
            )
        for name in fields:
            if name not in QUESTIONS[word]:
                raise FileError(
                    f"the question {word!r} has no {name!r}.",
                    "A section says what its command asks.",
                    nearest(str(name), QUESTIONS[word]),
                )
        written[word] = {name: _plain(value) for name, value in fields.items()}
    return written


def _plain(value: Any) -> Any:
    """Arrays and tuples as lists, mappings as tables."""
    if isinstance(value, np.ndarray | tuple | list):
        return [_plain(each) for each in np.asarray(value, dtype=object).tolist()]
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return value


def question_schemas() -> dict[str, Any]:
    """What the sections may say."""
    return {
        word: {
            "type": "object",
            "properties": {name: value.schema for name, value in values.items()},
            "additionalProperties": False,
        }
        for word, values in QUESTIONS.items()
    }
