"""`ph.to_fmu`: a system as an FMI 2.0 unit, for co-simulation and model exchange."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.errors import IntegrationError, ModelError, StateError
from polhode.files.fmu.description import Variable, description
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.events.event import Event, admit_events
from polhode.integrate.field.vector_field import Field, field_of
from polhode.integrate.inputs.inputs import port_size
from polhode.integrate.methods.commutator_free import CommutatorFree4
from polhode.integrate.methods.method import admit_step
from polhode.lowering.backends.source.c import to_c
from polhode.output_file import replacing
from polhode.system.members import suggestion
from polhode.system.state import State

COMPILERS = (("gcc",), ("clang",), (sys.executable, "-m", "ziglang", "cc"))
# By so much a state leaves its manifold before another integrator is stopped for it.
SETTLES_AT = 1e-9
ARGUMENTS = "const double *t, const double *x, const double *u, const double *p"


class CompilerWarning(UserWarning):
    """A compiler is there, but could not build a unit: it holds its sources alone."""


class Written(NamedTuple):
    """What became of a unit: its file, and the compiler of its binary ("" if none)."""

    path: Path
    compiler: str


def to_fmu(
    start: State,
    path: Any,
    *,
    inputs: Sequence[str] = (),
    outputs: Mapping[str, Callable[[State], Any]] | None = None,
    events: Event | Sequence[Event] = (),
    step: float = 1e-3,
) -> Written:
    """A unit of FMI 2.0 that moves from `start`: model exchange and co-simulation.

    Coordinates and speeds are its states and outputs, parameters of the system are
    tunable, `inputs` names motors and other ports (or parameters) that others drive,
    and `outputs` are more numbers, functions of a state in `jax.numpy`. Events are
    located inside a co-simulation step, and are indicators in model exchange; their
    functions and resets are traced. `step` is the longest step of the co-simulation, by
    a method of order 4. The sources are always inside; a binary for this machine where gcc,
    clang or ziglang is found.

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
    model = Model(start, tuple(inputs), dict(outputs or {}), admit_events(events), step)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        compiler = model.write(root)
        with (
            replacing(Path(path)) as target,
            zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed,
        ):
            for file in sorted(root.rglob("*")):
                if file.is_file():
                    packed.write(file, file.relative_to(root).as_posix())
    return Written(Path(path), compiler)


@dataclass
class Model:
    """The functions of a unit, and the tables of its variables."""

    start: State
    inputs: tuple[str, ...]
    outputs: dict[str, Callable[[State], Any]]
    events: tuple[Event, ...]
    step: float

    def __post_init__(self) -> None:
        self.system = self.start.system
        self.equations = recursive(self.system)
        self.step = admit_step("a unit", self.step)
        self.sizes = {name: self._size(name) for name in self.inputs}
        self.driven = [
            f"{name}[{k}]" if size > 1 else name
            for name, size in self.sizes.items()
            for k in range(size)
        ]
        known = self.system.parameters
        self.tunable = [name for name in known if name not in self.inputs]
        self.first_u = np.concatenate([np.zeros(0), *map(self._first, self.inputs)])
        self.first_p = np.array([float(known[n]) for n in self.tunable])
        self.first_x = self._first_x()

    def _size(self, name: str) -> int:
        size = port_size(self.system, name)
        if size is None and name not in self.system.parameters:
            ports = [a.name for a in self.system.actions]
            known = [port for port in ports if port_size(self.system, port) is not None]
            raise ModelError(
                f"{self.system.name!r} has no input {name!r}.",
                "A unit is driven by its motors and other ports, and by parameters.",
                suggestion(name, [*known, *self.system.parameters]),
            )
        return size or 1

    def _first(self, name: str) -> np.ndarray:
        known = self.system.parameters
        if name in known:
            return np.array([float(known[name])])
        return np.zeros(self.sizes[name])

    def _first_x(self) -> np.ndarray:
        table = self._table(self.first_u, self.first_p)
        t, q, z = float(self.start.t), self.start.q, self.start.z
        y = self.equations.functions.start(t, q, z, table)
        return np.concatenate([q, np.asarray(y, float)])

    # ------------------------------------------------------------------ functions

    def _table(self, u: Any, p: Any) -> dict[str, Any]:
        table, k = {name: p[i] for i, name in enumerate(self.tunable)}, 0
        for name, size in self.sizes.items():
            whole = port_size(self.system, name)
            table[name] = u[k : k + size] if whole else u[k]
            k += size
        return table

    def _field(self, u: Any, p: Any) -> Field:
        return field_of(self.equations, self._table(u, p))

    def _state(self, t: Any, x: Any, u: Any, p: Any) -> State:
        n = self.system.coordinates
        z = self.equations.functions.speeds(t, x[:n], x[n:], self._table(u, p))
        return State(self.system, t, x[:n], z)

    def rates(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """d/dt of the states."""
        return self._field(u, p).x_dot(t, x)

    def settled(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The nearest states that keep constraints, quaternions of length one."""
        return self._field(u, p).settled(t, x)

    def stepped(self, t: Any, x: Any, u: Any, p: Any, h: Any) -> Any:
        """The states a step later."""
        field, method = self._field(u, p), CommutatorFree4(step=1.0)
        moved = method.attempt(field, t, x, field.x_dot(t, x), h)
        return field.settled(t + h, moved.x)

    def told(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The outputs beside the states."""
        state = self._state(t, x, u, p)
        values = [jnp.asarray(f(state), float) for f in self.outputs.values()]
        for name, value in zip(self.outputs, values, strict=True):
            if value.shape != ():
                raise ModelError(
                    f"the output {name!r} has the shape {value.shape}.",
                    "A variable of FMI 2.0 is one number.",
                    "Give an output for each number.",
                )
        return jnp.stack(values)

    def indicators(self, t: Any, x: Any, u: Any, p: Any) -> Any:
        """The functions of the events."""
        state, table = self._state(t, x, u, p), self._table(u, p)
        return jnp.stack([1.0 * e.value(t, state, table) for e in self.events])

    def reset(self, t: Any, x: Any, u: Any, p: Any, which: Any) -> Any:
        """The states after an event, by its number."""
        state, after = self._state(t, x, u, p), x
        for k, event in enumerate(self.events):
            if event.reset is None:
                continue
            then = event.reset(t, state)
            start = self.equations.functions.start
            y = start(t, then.q, then.z, self._table(u, p))
            after = jnp.where(which == k, jnp.concatenate([then.q, y]), after)
        return after

    # -------------------------------------------------------------------- writing

    @property
    def identifier(self) -> str:
        """The system's name as C and file systems take it."""
        return re.sub(r"\W+", "_", self.system.name).strip("_") or "model"

    def write(self, root: Path) -> str:
        """Sources, description and, where a compiler is found, a binary."""
        sources = root / "sources"
        sources.mkdir()
        functions = self._functions()
        for name, text in functions.items():
            (sources / f"{name}.c").write_text(text)
        wrapper = files("polhode.files.fmu").joinpath("fmi2.c").read_text("utf-8")
        (sources / "fmi2.c").write_text(wrapper)
        whole = "".join(functions[name] for name in sorted(functions)) + wrapper
        guid = hashlib.sha256((whole + self._header("")).encode()).hexdigest()[:32]
        (sources / "model.h").write_text(self._header(guid))
        names = ["fmi2.c", *(f"{name}.c" for name in functions)]
        (root / "modelDescription.xml").write_text(
            description(self, guid, names), encoding="utf-8"
        )
        return compiled(sources, names, root / "binaries", self.identifier)

    def _functions(self) -> dict[str, str]:
        at = (float(self.start.t), self.first_x, self.first_u, self.first_p)
        wanted: dict[str, tuple[Callable, tuple]] = {
            "rates": (self.rates, at),
            "settled": (self.settled, at),
            "step": (self.stepped, (*at, self.step)),
        }
        if self.outputs:
            wanted["outputs"] = (self.told, at)
        if self.events:
            wanted["indicators"] = (self.indicators, at)
            wanted["reset"] = (self.reset, (*at, 0.0))
        made = {}
        for name, (function, examples) in wanted.items():
            try:
                made[name] = to_c(
                    function,
                    *examples,
                    name=f"{self.identifier}_{name}",
                    results=["result"],
                )
            except IntegrationError:
                raise
            except (TypeError, AttributeError) as wrong:
                raise ModelError(
                    f"the {name} of {self.system.name!r} cannot become C: {wrong}.",
                    "Laws, outputs, events and their resets are traced into a unit.",
                    "Write them with jax.numpy; a reset gives a ph.State.",
                ) from wrong
        return made

    def _header(self, guid: str) -> str:
        arguments = {
            "step": f"{ARGUMENTS}, const double *h",
            "reset": f"{ARGUMENTS}, const double *which",
        }
        counts = {
            "NX": len(self.first_x),
            "NU": len(self.first_u),
            "NP": len(self.first_p),
            "NY": len(self.outputs),
            "NE": len(self.events),
            "HAS_MANIFOLD": int(self.has_manifold),
        }
        lines = [f"#define {word} {count}" for word, count in counts.items()]
        lines += [
            f'#define GUID "{guid}"',
            f"#define LONGEST {self.step!r}",
            f"#define SETTLES_AT {SETTLES_AT!r}",
            f"#define FIRST_X {_values(self.first_x)}",
            f"#define FIRST_U {_values(self.first_u)}",
            f"#define FIRST_P {_values(self.first_p)}",
            f"#define DIRECTIONS {_values([e.direction for e in self.events])}",
            f"#define TERMINAL {_values([int(e.terminal) for e in self.events])}",
            f"#define MODEL(name) {self.identifier}_##name",
        ]
        names = ["rates", "settled", "step", "outputs", "indicators", "reset"]
        lines += [
            f"void {self.identifier}_{name}({arguments.get(name, ARGUMENTS)},"
            " double *result);"
            for name in names
        ]
        return "\n".join([f"/* {self.identifier}: sizes and functions */", *lines, ""])

    @property
    def has_manifold(self) -> bool:
        """Whether states may leave where they belong: quaternions, constraints."""
        system = self.system
        return bool(system.constraints) or system.coordinates != system.speeds

    def variables(self) -> list[Variable]:
        """All variables, in the order of their references."""
        joints = self.system.joints
        units = [unit for joint in joints for unit in joint.units]
        rates = [unit for joint in joints for unit in joint.speed_units]
        states = [*self.system.coordinate_names]
        states += [f"speed of {name}" for name in self.system.speed_names]
        nx = len(states)
        found = [Variable("time", "independent", "continuous", "s")]
        found += [
            Variable(name, "output", "continuous", unit, float(first), "exact")
            for name, unit, first in zip(
                states, [*units, *rates], self.first_x, strict=True
            )
        ]
        found += [
            Variable(f"der({name})", "local", "continuous", derivative=2 + k)
            for k, name in enumerate(states)
        ]
        found += [
            Variable(name, "input", "continuous", first=float(first))
            for name, first in zip(self.driven, self.first_u, strict=True)
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
            for name, first in zip(self.tunable, self.first_p, strict=True)
        ]
        found += [Variable(name, "output", "continuous") for name in self.outputs]
        names = [variable.name for variable in found]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ModelError(
                f"two variables of {self.system.name!r} are called {twice[0]!r}.",
                f"The {nx} states, inputs, parameters and outputs of a unit have"
                " different names.",
                "Give an output, an input or a parameter another name.",
            )
        return found


def compiled(sources: Path, names: list[str], binaries: Path, identifier: str) -> str:
    """A shared library for this machine, and who made it; "" where nobody can."""
    platform, suffix = _platform()
    target = binaries / platform / f"{identifier}{suffix}"
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
        shutil.rmtree(binaries)
        warnings.warn(
            CompilerWarning(
                f"{command[0]} could not build {identifier!r}: {done.stderr[:500]}"
            ),
            stacklevel=4,
        )
    return ""


def _platform() -> tuple[str, str]:
    bits = "64" if sys.maxsize > 2**32 else "32"
    if sys.platform.startswith("win"):
        return f"win{bits}", ".dll"
    if sys.platform == "darwin":
        return f"darwin{bits}", ".dylib"
    return f"linux{bits}", ".so"


def _has_module(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


def _values(numbers: Any) -> str:
    """An initialiser of C; never empty."""
    return "{" + (", ".join(repr(n) for n in np.asarray(numbers).tolist()) or "0") + "}"
