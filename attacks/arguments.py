"""Wrong arguments, drawn at random, through every door: each must refuse them alike.

What is drawn is one argument that no run can be made from. A door holds if it raises an
error of Polhode's; a raw exception, or an answer, is a failure.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack

WRONG_NUMBERS: tuple[Any, ...] = (np.nan, np.inf, -np.inf, "1", None, 1j, [], {}, True)
WORDS = ("until", "samples", "rtol", "limit", "method", "events", "parameters", "state")


@cache
def _system() -> ph.System:
    """A pendulum whose weight is a parameter."""
    bob = ph.Body("bob", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
    return ph.System([hinge], [ph.Weight(ph.Parameter("g", 9.81))], name="attacked")


def _wrong(word: str, rng: random.Random) -> Any:
    """A value of an argument that cannot be one."""
    if word == "samples":
        return rng.choice([1, 0, -3, [np.nan], [2.0, 3.0], [0.2, 0.1], "all", [[0.1]]])
    if word == "limit":
        return rng.choice([0, -1, 0.5, "many", np.nan, 1e300])
    if word in ("method", "events", "state"):
        return rng.choice(["rk4", 3, object(), {"a": 1}, [7]])
    if word == "parameters":
        name = rng.choice(["g", "G", "gg", ""])
        values = WRONG_NUMBERS if name == "g" else (9.81, *WRONG_NUMBERS)
        return rng.choice([{name: rng.choice(values)}, {"g": [[1.0, 2.0]]}, [9.81], 3])
    usual = {"until": WRONG_NUMBERS, "rtol": (*WRONG_NUMBERS, -1.0, 0.0, 2.0)}[word]
    # Without a tolerance one is chosen.
    return rng.choice([v for v in usual if not (word == "rtol" and v is None)])


def _trial_at(door: Callable[..., Any]) -> Callable[[int], str | None]:
    def trial(seed: int) -> str | None:
        rng, system = random.Random(seed), _system()
        word = rng.choice(WORDS)
        value = _wrong(word, rng)
        given: dict[str, Any] = {"until": 0.1}
        state: Any = system.state(hinge=1.0)
        if word == "state":
            state = value
        else:
            given[word] = value
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                door(system, state, **given)
        except ph.PolhodeError:
            return None
        except Exception as error:
            return f"{word} = {value!r} raised a bare {type(error).__name__}: {error}"
        return f"{word} = {value!r} was taken"

    return trial


ATTACKS = (
    Attack("wrong arguments of simulate", 200, _trial_at(ph.simulate)),
    Attack("wrong arguments of sweep", 200, _trial_at(ph.sweep)),
)
