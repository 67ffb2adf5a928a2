"""`ph.to_fmu`: a system as an FMI unit, for co-simulation and model exchange."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError, ModelError, StateError
from polhode.files.fmu.description import (
    Variable,
    build_description,
    description,
)
from polhode.files.fmu.functions import Model
from polhode.integrate.events.event import Event, admit_events
from polhode.lowering.backends.source.c import to_c
from polhode.output_file import replacing, write_file
from polhode.system.state import State
from polhode.tracebacks import warn

COMPILERS = (("gcc",), ("clang",), (sys.executable, "-m", "ziglang", "cc"))
# By so much a state leaves its manifold before another integrator is stopped for it.
SETTLES_AT = 1e-9
VERSIONS = ("2.0", "3.0")
ARGUMENTS = "const double *t, const double *x, const double *u, const double *p"


class CompilerWarning(UserWarning):
    """A compiler is there, but could not build a unit: it holds its sources alone."""


class Written(NamedTuple):
    """What became of a unit: its file, and the compiler of its binary ("" if none)."""

    path: Path
    compiler: str


def to_fmu(
    start: State,
    path: str | PathLike[str],
    *,
    inputs: Sequence[str] = (),
    outputs: Mapping[str, Callable[[State], Any]] | None = None,
    events: Event | Sequence[Event] = (),
    step: float = 1e-3,
    version: str = "2.0",
) -> Written:
    """A unit of FMI that moves from `start`: model exchange and co-simulation.

    Coordinates and speeds are its states and outputs, parameters of the system are
    tunable, `inputs` names motors and other ports (or parameters) that others drive,
    and `outputs` are more numbers, functions of a state in `jax.numpy`. Events are
    located inside a co-simulation step, and are indicators in model exchange; their
    functions and resets are traced. `step` is the longest step of the co-simulation, by
    a method of order 4. The sources are always inside; a binary for this machine where
    gcc, clang or ziglang is found. `version` is that of FMI, "2.0" or "3.0".

    >>> import polhode as ph
    >>> start = ph.models.start("cart_pendulum")
    >>> made = to_fmu(start, "out/cart.fmu")             # doctest: +SKIP
    """
    if not isinstance(start, State):
        raise StateError(
            f"a unit cannot start from {start!r}.",
            "Its first values are those of a state, and the state knows its system.",
            "Give a state: ph.to_fmu(system.state(...), path).",
        )
    if version not in VERSIONS:
        raise ModelError(
            f"a unit cannot be written for FMI {version!r}.",
            "There are two versions that tools read.",
            'Give version="2.0", which most tools read, or version="3.0".',
        )
    model = Model(start, tuple(inputs), dict(outputs or {}), admit_events(events), step)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        compiler = write(model, root, version)
        with (
            replacing(Path(path)) as target,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for file in sorted(root.rglob("*")):
                if file.is_file():
                    packed.write(file, file.relative_to(root).as_posix())
    return Written(Path(path), compiler)


def write(model: Model, root: Path, version: str) -> str:
    """Sources, description and, where a compiler is found, a binary."""
    sources = root / "sources"
    sources.mkdir()
    functions = _functions(model)
    for name, text in functions.items():
        write_file(sources / f"{name}.c", text)
    wrapper = f"fmi{version[0]}.c"
    shared = {
        name: files("polhode.files.fmu").joinpath(name).read_text("utf-8")
        for name in ("unit.h", wrapper)
    }
    for name, text in shared.items():
        write_file(sources / name, text)
    whole = "".join(functions[name] for name in sorted(functions))
    whole += "".join(shared.values()) + _header(model, "")
    token = hashlib.sha256(whole.encode()).hexdigest()[:32]
    write_file(sources / "model.h", _header(model, token))
    names = [wrapper, *(f"{name}.c" for name in functions)]
    found = variables(model, version)
    text = description(model, found, token, names, version)
    write_file(root / "modelDescription.xml", text)
    if version == "3.0":
        text = build_description(model.identifier, names)
        write_file(sources / "buildDescription.xml", text)
    return compile_library(
        sources, names, root / "binaries" / _platform(version), model
    )


def _functions(model: Model) -> dict[str, str]:
    at = (float(model.start.t), model.first_x, model.first_u, model.first_p)
    wanted: dict[str, tuple[Callable, tuple]] = {
        "rates": (model.rates, at),
        "settled": (model.settled, at),
        "step": (model.stepped, (*at, model.step)),
    }
    if model.outputs:
        wanted["outputs"] = (model.output_values, at)
    if model.events:
        wanted["indicators"] = (model.indicators, at)
        wanted["reset"] = (model.reset, (*at, 0.0))
    made = {}
    for name, (function, examples) in wanted.items():
        try:
            made[name] = to_c(
                function,
                *examples,
                name=f"{model.identifier}_{name}",
                results=["result"],
                linkage="extern",
            )
        except IntegrationError:
            raise
        except (TypeError, AttributeError) as wrong:
            raise ModelError(
                f"the {name} of {model.system.name!r} cannot become C: {wrong}.",
                "Laws, outputs, events and their resets are traced into a unit.",
                "Write them with jax.numpy; a reset gives a ph.State.",
            ) from wrong
    return made


def _header(model: Model, guid: str) -> str:
    arguments = {
        "step": f"{ARGUMENTS}, const double *h",
        "reset": f"{ARGUMENTS}, const double *which",
    }
    counts = {
        "NX": len(model.first_x),
        "NU": len(model.first_u),
        "NP": len(model.first_p),
        "NY": len(model.outputs),
        "NE": len(model.events),
        "HAS_MANIFOLD": int(model.has_manifold),
    }
    lines = [f"#define {word} {count}" for word, count in counts.items()]
    lines += [
        f'#define GUID "{guid}"',
        f"#define LONGEST {model.step!r}",
        f"#define SETTLES_AT {SETTLES_AT!r}",
        f"#define FIRST_X {_values(model.first_x)}",
        f"#define FIRST_U {_values(model.first_u)}",
        f"#define FIRST_P {_values(model.first_p)}",
        f"#define DIRECTIONS {_values([e.direction for e in model.events])}",
        f"#define TERMINAL {_values([int(e.terminal) for e in model.events])}",
        f"#define MODEL(name) {model.identifier}_##name",
    ]
    names = ["rates", "settled", "step", "outputs", "indicators", "reset"]
    lines += [
        f"void {model.identifier}_{name}({arguments.get(name, ARGUMENTS)},"
        " double *result);"
        for name in names
    ]
    return "\n".join([f"/* {model.identifier}: sizes and functions */", *lines, ""])


def variables(model: Model, version: str) -> list[Variable]:
    """All variables, in the order of their references."""
    joints = model.system.joints
    units = [unit for joint in joints for unit in joint.units]
    rates = [unit for joint in joints for unit in joint.speed_units]
    states = [*model.system.coordinate_names]
    states += [f"speed of {name}" for name in model.system.speed_names]
    nx = len(states)
    found = [Variable("time", "independent", "continuous", "s")]
    found += [
        Variable(name, "output", "continuous", unit, float(first), "exact")
        for name, unit, first in zip(
            states, [*units, *rates], model.first_x, strict=True
        )
    ]
    found += [
        Variable(f"der({name})", "local", "continuous", derivative=2 + k)
        for k, name in enumerate(states)
    ]
    found += [
        Variable(name, "input", "continuous", first=float(first))
        for name, first in zip(model.driven, model.first_u, strict=True)
    ]
    # A box of sides x, y, z on a free joint has places of these names too.
    taken = {variable.name for variable in found}
    found += [
        Variable(
            f"{name} (parameter)" if name in taken else name,
            *("parameter", "tunable"),
            first=float(first),
            initial="exact",
        )
        for name, first in zip(model.tunable, model.first_p, strict=True)
    ]
    found += [Variable(name, "output", "continuous") for name in model.outputs]
    if version == "3.0":  # there, functions of events are variables too
        found += [
            Variable(f"event {e.name}", "local", "continuous", is_indicator=True)
            for e in model.events
        ]
    names = [variable.name for variable in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"two variables of {model.system.name!r} are called {twice[0]!r}.",
            f"The {nx} states, inputs, parameters and outputs of a unit have"
            " different names.",
            "Give an output, an input or a parameter another name.",
        )
    return found


def compile_library(sources: Path, names: list[str], folder: Path, model: Model) -> str:
    """A shared library for this machine, and who made it; "" where nobody can."""
    suffixes = {"win32": ".dll", "darwin": ".dylib"}
    identifier = model.identifier
    target = folder / f"{identifier}{suffixes.get(sys.platform, '.so')}"
    for command in COMPILERS:
        if shutil.which(command[0]) is None or (
            "ziglang" in command and not _has_module("ziglang")
        ):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        flags = ["-std=c99", "-O2", "-shared", "-fPIC", "-ffp-contract=off"]
        flags += ["-fvisibility=hidden"]
        paths = [str(sources / name) for name in names]
        done = subprocess.run(
            [*command, *flags, "-o", str(target), *paths, "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return "ziglang" if "ziglang" in command else command[0]
        shutil.rmtree(folder.parent)
        warn(
            CompilerWarning(
                f"{command[0]} could not build {identifier!r}: {done.stderr[:500]}"
            )
        )
    return ""


def _platform(version: str) -> str:
    """The folder of a binary for this machine, by the names of FMI."""
    bits = "64" if sys.maxsize > 2**32 else "32"
    systems = {"win32": ("win", "windows"), "darwin": ("darwin", "darwin")}
    old, new = systems.get(sys.platform, ("linux", "linux"))
    if version == "2.0":
        return f"{old}{bits}"
    machines = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64"}
    machine = platform.machine().lower()
    return f"{machines.get(machine, machine)}-{new}"


def _has_module(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def _values(numbers: Any) -> str:
    """An initialiser of C; never empty."""
    return "{" + (", ".join(repr(n) for n in np.asarray(numbers).tolist()) or "0") + "}"
