"""Arguments of the wrong kind for everything public that models are built with.

Calls of public functions and classes are recorded while the gallery is built; then one
argument of one of them is exchanged for a thing that it cannot be. The call must be
refused in words, or be right: a bare TypeError, AttributeError, ValueError or
OverflowError is a failure. Methods of what public calls give back are tried likewise.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import polhode as ph
from attacks.attack import Attack
from polhode.models import GALLERY

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))

from method_calls import WrongCall, fault_of, wrong_calls

WRONG: tuple[Any, ...] = (
    *(None, np.nan, -1.0, "x", b"x", [], {}, True, 1j, 10**400, object()),
    *(np.zeros((2, 2)), np.array([1.0, np.nan, 0.0]), [None], {3: 4}, {"x": None}),
)


class Call(NamedTuple):
    """A call that is right."""

    name: str
    function: Callable[..., Any]
    given: tuple[Any, ...]
    named: dict[str, Any]


def trial(seed: int) -> str | None:
    """One argument exchanged."""
    rng = random.Random(seed)
    name, function, given, named = rng.choice(_calls())
    places: list[Any] = [*range(len(given)), *named]
    place, wrong = rng.choice(places), rng.choice(WRONG)
    values = [wrong if k == place else value for k, value in enumerate(given)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*values, **{k: wrong if k == place else named[k] for k in named})
    except ph.PolhodeError:
        return None
    except Exception as error:
        kind = type(error).__name__
        return f"{name}, {place!r} = {wrong!r:.40} raised a bare {kind}: {error}"
    return None


@cache
def _calls() -> list[Call]:
    """The longest call of each public name that the gallery is built with."""
    found: dict[str, Call] = {}
    with _recording(found):
        for model in GALLERY:
            getattr(ph.models, model)()
    return [call for _, call in sorted(found.items()) if call.given or call.named]


@contextmanager
def _recording(found: dict[str, Call]) -> Iterator[None]:
    """While it lasts, functions of the front of the house note how they are called."""
    own = {name: getattr(ph, name) for name in ph.__all__}
    functions = {n: f for n, f in own.items() if callable(f) and not _is_error(f)}
    for name, function in functions.items():
        setattr(ph, name, _Recorder(name, function, found))
    try:
        yield
    finally:
        for name, function in functions.items():
            setattr(ph, name, function)


def _is_error(function: Any) -> bool:
    return isinstance(function, type) and issubclass(function, Exception)


class _Recorder:
    """A public function or class that notes its calls."""

    def __init__(self, name: str, function: Any, found: dict[str, Call]):
        self._name, self._function, self._found = name, function, found

    def __call__(self, *given: Any, **named: Any) -> Any:
        answer = self._function(*given, **named)
        call = Call(self._name, self._function, given, named)
        before = self._found.get(self._name)
        if before is None or _length(before) < _length(call):
            self._found[self._name] = call
        return answer

    def __getattr__(self, word: str) -> Any:
        value = getattr(self._function, word)
        if isinstance(self._function, type) and callable(value):
            return _Recorder(f"{self._name}.{word}", value, self._found)
        return value


def _length(call: Call) -> int:
    return len(call.given) + len(call.named)


def method(seed: int) -> str | None:
    """A method of some noun, with a value that it cannot take."""
    call = random.Random(seed).choice(_wrong_calls())
    with warnings.catch_warnings(), TemporaryDirectory() as folder, chdir(folder):
        warnings.simplefilter("ignore")
        return fault_of(call) or None


@cache
def _wrong_calls() -> list[WrongCall]:
    return [call for noun in _nouns() for call in wrong_calls(noun)]


def _nouns() -> list[Any]:
    """One of each kind that a user may hold in hand."""
    start, ring = ph.models.start("cart_pendulum"), ph.models.start("four_bar")
    system, body = start.system, start.system.bodies[0]
    motion = ph.simulate(system, start, until=0.5)
    turned = ph.Rotation.from_quaternion_wxyz(
        [1, 0, 0, 0], of=body.frame, seen_from=system.tree.world.frame
    )
    found = [
        *(system, start, body, *system.joints, *system.actions, system.tree.world),
        *(motion, motion.ledger(), motion.outcome, motion[body.name], motion.steps),
        *(ph.lagrange(system), ph.gauss(ring.system), ph.recursive(system)),
        *(ph.stepper(system, 0.01), ph.sweep(system, [start, start], until=0.2)),
        *(ph.linearise(system, system.rest()), ph.equilibria(system)),
        *(ph.compare(system), ph.audit(system), ph.mobility(ring.system, ring)),
        *(*ring.system.constraints, ph.reaction_table(motion), turned, body.origin),
        *(ph.compile(lambda x: x * x, 1.0), ph.lagrange(system).read(), body.matter),
        *(ph.recursive(system).reactions(start), ph.methods.RadauIIA()),
        *(ph.simulate(system, [start, start], until=0.1), ph.Parameter("a", 1.0)),
        *(ph.Event("late", lambda t, state: t - 0.1), ph.Table([0, 1, 2], [1, 2, 3])),
        ph.solids.box(mass=1, x=1, y=1, z=1),
    ]
    return [*{type(noun): noun for noun in found}.values()]


ATTACKS = (
    Attack("wrong kinds for public calls", 400, trial),
    Attack("wrong kinds for methods", 2000, method),
)
