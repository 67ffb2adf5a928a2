"""Wrong arguments, drawn at random, through every door: each must refuse them alike.

What is drawn is one argument that nothing can be made from. A door holds if it raises
an error of Polhode's, of the kind that the argument has at every door; a raw exception,
another kind, or an answer, is a failure. The command line holds if it ends with a code
of failure and a sentence.
"""

from __future__ import annotations

import contextlib
import io
import random
import tempfile
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from attacks.attack import Attack
from polhode.cli import main
from polhode.errors import FileError, IntegrationError, ModelError, StateError

WRONG_NUMBERS: tuple[Any, ...] = (np.nan, np.inf, -np.inf, "1", None, 1j, [], {}, True)
# Of which kind an error is, at whatever door the argument is given.
KINDS: dict[str, type[Exception]] = {
    "until": IntegrationError,
    "samples": IntegrationError,
    "rtol": IntegrationError,
    "limit": IntegrationError,
    "method": IntegrationError,
    "events": IntegrationError,
    "dt": IntegrationError,
    "watch": IntegrationError,
    "memory": IntegrationError,
    "parameters": ModelError,
    "inputs": ModelError,
    "model": ModelError,
    "state": StateError,
    "path": FileError,
    "to": FileError,
}
RUN = ("until", "samples", "rtol", "limit", "method", "events", "parameters", "inputs")
RUN = (*RUN, "watch", "memory", "state", "model")


@cache
def _system() -> ph.System:
    """A pendulum whose weight is a parameter, with a motor."""
    bob = ph.Body("bob", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
    acts = [ph.Weight(ph.Parameter("g", 9.81)), ph.Motor(hinge, 0.0, name="motor")]
    return ph.System([hinge], acts, name="attacked")


def _start() -> ph.State:
    return _system().state(hinge=1.0)


def _wrong(word: str, rng: random.Random) -> Any:
    """A value of an argument that cannot be one."""
    if word == "samples":
        return rng.choice([1, 0, -3, [np.nan], [2.0, 3.0], [0.2, 0.1], "all", [[0.1]]])
    if word == "limit":
        return rng.choice([0, -1, 0.5, "many", np.nan, 1e300])
    if word in ("method", "events", "state", "model", "watch"):
        wrong = [3, {"a": 1}, [7], "rk4"]
        return rng.choice(wrong if word == "events" else [*wrong, object()])
    if word == "memory":
        return rng.choice([np.nan, -1.0, 0, "much", None, 1j, []])
    if word == "inputs":
        return rng.choice([{"moter": np.cos}, {"g": np.cos}, [np.cos], 3, {3: np.cos}])
    if word == "parameters":
        name = rng.choice(["g", "G", "gg", ""])
        values = (np.nan, np.inf, "1", None, 1j, [], {}, True)
        values = values if name == "g" else (9.81, *values)
        return rng.choice([{name: rng.choice(values)}, [9.81], 3])
    if word in ("path", "to"):
        return rng.choice([3, "", 1.5, ["m.nc"], object(), "no/such/folder/m.nc"])
    if word == "dt":
        return rng.choice([*WRONG_NUMBERS, 0.0, -0.1])
    usual = {"until": WRONG_NUMBERS, "rtol": (*WRONG_NUMBERS, -1.0, 0.0, 2.0)}[word]
    # Without a tolerance one is chosen.
    return rng.choice([v for v in usual if not (word == "rtol" and v is None)])


# -------------------------------------------------------------------- doors


def _by_run(door: Callable[..., Any], word: str, value: Any) -> None:
    given: dict[str, Any] = {"until": 0.1}
    model: Any = value if word == "model" else _system()
    state: Any = value if word == "state" else _start()
    if word not in ("model", "state"):
        given[word] = value
    door(model, state, **given)


def _by_stepper(word: str, value: Any) -> None:
    model: Any = value if word == "model" else _system()
    names, values = ["g"], {"g": 9.81}
    if word in ("parameters", "inputs"):
        # Names that are known are taken: what is wrong is then in their values.
        names = [*value] if isinstance(value, dict) else ["g"]
        values = value
    method = {"method": value} if word == "method" else {}
    dt = value if word == "dt" else 0.01
    step = ph.stepper(model, dt, inputs=names, **method)
    step(value if word == "state" else _start(), values)


def _by_form(word: str, value: Any) -> None:
    form = ph.lagrange(value if word == "model" else _system())
    table = value if word in ("parameters", "inputs") else {}
    form.accelerations(value if word == "state" else _start(), table)


def _by_resume(word: str, value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path: Any = Path(folder) / "m.nc"
        ph.simulate(_system(), _start(), until=1.0, to=path, limit=3)
        model: Any = value if word == "model" else _system()
        given = {} if word in ("model", "path") else {word: value}
        ph.resume(value if word == "path" else path, model, **given)


def _by_files(word: str, value: Any, number: int = 0) -> None:
    doors: dict[str, tuple[Callable[[], Any], ...]] = {
        "path": (
            lambda: ph.load_model(value),
            lambda: ph.load_motion(value),
            lambda: ph.save_model(_system(), value),
            lambda: _motion().save(value),
        ),
        "to": (
            lambda: ph.simulate(_system(), _start(), until=0.1, to=value),
            lambda: ph.sweep(_system(), _start(), until=0.1, to=value),
        ),
        "model": (lambda: ph.save_model(value, "/tmp/never.toml"),),
    }
    choices = doors[word]
    choices[number % len(choices)]()


@cache
def _motion() -> Any:
    return ph.simulate(_system(), _start(), until=0.1)


DOORS: dict[str, tuple[Callable[[str, Any], None], tuple[str, ...]]] = {
    "simulate": (partial(_by_run, ph.simulate), RUN),
    "sweep": (partial(_by_run, ph.sweep), tuple(w for w in RUN if w != "memory")),
    "stepper": (_by_stepper, ("dt", "method", "parameters", "state", "model")),
    "forms": (_by_form, ("parameters", "state", "model")),
    "resume": (_by_resume, ("limit", "watch", "memory", "events", "model", "path")),
    "files": (_by_files, ("path", "to", "model")),
}


def _trial_at(door: str) -> Callable[[int], str | None]:
    def trial(seed: int) -> str | None:
        rng = random.Random(seed)
        call, words = DOORS[door]
        word = rng.choice(words)
        value = _wrong(word, rng)
        if door == "files":
            call = partial(_by_files, number=rng.randrange(4))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(word, value)
        except ph.PolhodeError as error:
            kind = KINDS[word]
            if isinstance(error, kind):
                return None
            return f"{word} = {value!r} is a {type(error).__name__}: {error.what}"
        except Exception as error:
            return f"{word} = {value!r} raised a bare {type(error).__name__}: {error}"
        return f"{word} = {value!r} was taken"

    return trial


COMMANDS = (
    ["run", "pendulum", "--until", "{}"],
    ["run", "pendulum", "--rtol", "{}"],
    ["run", "pendulum", "--samples", "{}"],
    ["run", "pendulum", "--set", "lenght={}"],
    ["run", "pendulum", "--set", "length={}"],
    ["run", "{}"],
    ["run", "pendulum", "--out", "/no/such/folder/{}.nc"],
    ["audit", "{}"],
    ["equations", "{}"],
    ["equations", "pendulum", "--form", "no {}"],
    ["plot", "{}"],
    ["report", "{}"],
    ["{}"],
)


def _typed(seed: int) -> str | None:
    """A word that no command takes, typed."""
    rng = random.Random(seed)
    word = rng.choice(
        ["nan", "-inf", "", "x y", "1e", "--", "=", "1j", "no.toml", "\t"]
    )
    words = [part.format(word) for part in rng.choice(COMMANDS)]
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code: Any = main(words)
    except SystemExit as end:
        code = end.code
    except Exception as error:
        return f"{words} raised a bare {type(error).__name__}: {error}"
    text = told.getvalue()
    if "Traceback" in text:
        return f"{words} printed a traceback"
    if not code:
        return f"{words} was taken"
    return None if text.strip() else f"{words} ended with {code} and no word"


ATTACKS = (
    *(Attack(f"wrong arguments of {door}", 200, _trial_at(door)) for door in DOORS),
    Attack("wrong words of the command line", 200, _typed),
)
