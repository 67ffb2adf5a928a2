"""`ph.to_c_package`: a system as a C library with a header, CMake and a test.

    arm.h            sizes, names of the elements, four functions
    arm.c            the functions; all they call is static
    test_arm.c       compares them with the numbers of the compiled programs
    CMakeLists.txt   library, test
    README.md        how it is called and built

State, inputs, parameters and outputs are arrays of double, their elements named by
enumerations: `p[ARM_P_MASS]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import jax
import numpy as np

from polhode.errors import ModelError, StateError
from polhode.files.fmu.functions import Model
from polhode.lowering.backends.source.c import to_c
from polhode.lowering.backends.source.folded import identifier
from polhode.lowering.compile import compile
from polhode.output_file import write_file
from polhode.system.state import State
from polhode.version import __version__

STEPS = 100  # of the run that the test repeats
# The mathematics library's sines differ by an ulp; a run of unstable motions
# multiplies that. Relative to the largest number of the array.
TOLERANCE, RUN_TOLERANCE = 1e-12, 1e-9


class CPackage(NamedTuple):
    """The folder that was written, and the prefix of all names in it."""

    folder: Path
    name: str


@dataclass(frozen=True)
class _Array:
    """One of the arrays: its letter, its elements' names, and its first values."""

    letter: str
    what: str
    names: list[str]
    first: np.ndarray


def to_c_package(
    start: State,
    folder: str | PathLike[str],
    *,
    inputs: Sequence[str] = (),
    outputs: Mapping[str, Callable[[State], Any]] | None = None,
    step: float = 1e-3,
) -> CPackage:
    """Write a system as a library in C99 that needs nothing but the maths library.

    The functions give the rates of the state, a step of order 4 of any length, and
    `outputs`, numbers that are functions of a state in `jax.numpy`. `inputs` names
    motors and other ports, or parameters, that the caller drives; all other parameters
    of the system are an array too. The test repeats 100 steps of length `step`.

    >>> import polhode as ph
    >>> start = ph.models.start("cart_pendulum")
    >>> made = to_c_package(start, "out/cart")             # doctest: +SKIP
    """
    if not isinstance(start, State):
        raise StateError(
            f"a C package cannot start from {start!r}.",
            "Its first values are those of a state, and the state knows its system.",
            "Give a state: ph.to_c_package(system.state(...), folder).",
        )
    model = Model(start, tuple(inputs), dict(outputs or {}), (), step)
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ModelError(
            f"{str(place)!r} is a file, not a folder for a C package.",
            "A package is five files in a folder of its own.",
            "Give the name of a folder.",
        )
    name = identifier(model.system.name)
    texts = _package(model, name)
    place.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        write_file(place / file, text)
    return CPackage(place, name)


def _package(model: Model, name: str) -> dict[str, str]:
    arrays = _arrays(model)
    words = {
        "name": name,
        "NAME": name.upper(),
        "system": _comment(model.system.name),
        "version": __version__,
        "sizes": "\n".join(_enumeration(name, each) for each in arrays),
        "firsts": "\n".join(_first(name, each) for each in arrays[:3]),
        "sources": _sources(model),
        "step": repr(model.step),
        "steps": str(STEPS),
        "tolerance": repr(TOLERANCE),
        "run_tolerance": repr(RUN_TOLERANCE),
        **_references(model),
    }
    made = {
        f"{name}.h": "model.h.in",
        f"{name}.c": "model.c.in",
        f"test_{name}.c": "test_model.c.in",
        "CMakeLists.txt": "CMakeLists.txt.in",
        "README.md": "README.md.in",
    }
    return {
        file: _Placeholders(_template(source)).substitute(words)
        for file, source in made.items()
    }


class _Placeholders(Template):
    """Templates with @{name}: the dollar is CMake's."""

    delimiter = "@"


def _template(file: str) -> str:
    return files("polhode.files").joinpath("c_templates", file).read_text("utf-8")


def _arrays(model: Model) -> list[_Array]:
    system = model.system
    states = [*system.coordinate_names]
    states += [f"speed of {name}" for name in system.speed_names]
    none = np.zeros(len(model.outputs))
    return [
        _Array("X", "state", states, model.first_x),
        _Array("U", "inputs", model.driven, model.first_u),
        _Array("P", "parameters", model.tunable, model.first_p),
        _Array("Y", "outputs", list(model.outputs), none),
    ]


def _enumeration(name: str, array: _Array) -> str:
    """The size of an array and the places of its elements, in capitals."""
    stem = f"{name.upper()}_{array.letter}"
    words = [f"{stem}_{identifier(each).strip('_').upper()}" for each in array.names]
    count = len(words)
    for k, word in enumerate(words):
        # Two names may differ by a sign that C does not take.
        words[k] = word if word not in words[:k] else f"{word}_{k}"
    size = f"#define {name.upper()}_N{array.letter} {count} /* {array.what} */"
    if not words:
        return size
    lines = [
        f"    {word}{'' if k + 1 == count else ','} /* {_comment(each)} */"
        for k, (word, each) in enumerate(zip(words, array.names, strict=True))
    ]
    return "\n".join([size, "enum {", *lines, "};"])


def _comment(text: str) -> str:
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").split())


def _first(name: str, array: _Array) -> str:
    word = "start" if array.letter == "X" else array.what
    return f"const double {name}_{word}[] = {_values(array.first)};"


def _functions(model: Model) -> dict[str, tuple[Callable, tuple]]:
    at = (float(model.start.t), model.first_x, model.first_u, model.first_p)
    wanted: dict[str, tuple[Callable, tuple]] = {
        "rates": (model.rates, at),
        "step": (model.stepped, (*at, model.step)),
    }
    if model.outputs:
        wanted["outputs"] = (model.output_values, at)
    return wanted


def _sources(model: Model) -> str:
    """The traced functions, static; one that gives nothing where there is no output."""
    parts = []
    for name, (function, examples) in _functions(model).items():
        try:
            parts.append(
                to_c(function, *examples, name=f"traced_{name}", results=["result"])
            )
        except (TypeError, AttributeError) as wrong:
            raise ModelError(
                f"the {name} of {model.system.name!r} cannot become C: {wrong}.",
                "Laws and outputs are traced into a package.",
                "Write them with jax.numpy.",
            ) from wrong
    if not model.outputs:
        kinds = ", ".join(f"const double *{each}" for each in "txup")
        unused = " ".join(f"(void){each};" for each in ("t", "x", "u", "p", "result"))
        head = f"static void traced_outputs({kinds}, double *result)"
        parts.append(f"{head} {{ {unused} }}\n")
    return "\n".join(parts)


def _references(model: Model) -> dict[str, str]:
    """What our compiled programs give, where the test calls the functions of C."""
    t, x, u, p = (
        float(model.start.t),
        model.first_x,
        model.first_u,
        model.first_p,
    )

    def run(t: Any, x: Any, u: Any, p: Any, h: Any) -> Any:
        def advance(k: Any, x: Any) -> Any:
            return model.stepped(t + k * h, x, u, p, h)

        return jax.lax.fori_loop(0, STEPS, advance, x)

    run_program = compile(run, t, x, u, p, model.step)
    ended = np.asarray(run_program(t, x, u, p, model.step), float)
    at_end = (t + STEPS * model.step, ended, u, p)
    rates = np.asarray(compile(model.rates, t, x, u, p)(*at_end), float)
    outputs = np.zeros(0)
    if model.outputs:
        outputs = np.asarray(compile(model.output_values, t, x, u, p)(*at_end), float)
    if not all(np.isfinite(each).all() for each in (ended, rates, outputs)):
        raise ModelError(
            f"{STEPS} steps of {model.step:g} s leave {model.system.name!r} with"
            " numbers that are not finite.",
            "The test of a C package repeats them.",
            "Give a shorter step, or another start.",
        )
    return {
        "t": repr(t),
        "end": _values(ended),
        "rates": _values(rates),
        "outputs": _values(outputs),
    }


def _values(numbers: Any) -> str:
    """An initialiser of C; never empty."""
    return "{" + (", ".join(repr(n) for n in np.asarray(numbers).tolist()) or "0") + "}"
