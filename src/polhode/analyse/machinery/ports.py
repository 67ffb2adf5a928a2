"""Inputs and outputs of a linear system, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polhode.actions.force_elements.joint_law import Motor
from polhode.actions.force_elements.transmission import Servo
from polhode.analyse.machinery.variations import Outputs, Ports, output_sizes
from polhode.errors import AnalysisError
from polhode.integrate.inputs.ports import input_size, port_size
from polhode.matter.parameter import Table, at
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


def admit_ports(
    system: System, inputs: Sequence[str] | Mapping[str, Any]
) -> tuple[Ports, dict[str, Any]]:
    """The size of each input, and the reference values that were given."""
    names = [inputs] if isinstance(inputs, str) else list(inputs)
    ports = {name: input_size(system, name) for name in names}
    given = inputs if isinstance(inputs, Mapping) else {}
    return ports, {name: np.asarray(value, float) for name, value in given.items()}


def port_values(state: State, table: Table, ports: Ports, given: Table) -> Table:
    """What each input is in the reference: as given, or as the model has it there."""
    return {
        name: np.array(given[name] if name in given else _own(state, table, name))
        for name in ports
    }


def port_names(ports: Ports) -> tuple[str, ...]:
    """One name for each number of the inputs."""
    return tuple(
        name if not size else f"{name}[{k}]"
        for name, size in ports.items()
        for k in range(max(size, 1))
    )


def admit_outputs(
    system: System, outputs: Sequence[str] | Mapping[str, Callable[..., Any]]
) -> Outputs:
    """Functions of (t, state) by name; a name alone is that of a coordinate."""
    if isinstance(outputs, Mapping):
        for name, function in outputs.items():
            if not callable(function):
                raise AnalysisError(
                    f"the output {name!r} cannot be {function!r}.",
                    "An output is a function of time and state.",
                    "Give {name: lambda t, state: ...}, or names of coordinates.",
                )
        return dict(outputs)
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    known = system.coordinate_names
    for name in names:
        if name not in known:
            raise AnalysisError(
                f"{system.name!r} has no coordinate {name!r} to give out.",
                "By name alone an output is a coordinate of a joint.",
                suggestion(name, known),
            )
    # Kept with the system: programs are found again by the functions they use.
    made = system.compiled.setdefault("coordinate outputs", {})
    return {n: made.setdefault(n, _coordinate(known.index(n))) for n in names}


def output_names(state: State, outputs: Outputs) -> tuple[str, ...]:
    """One name for each number of the outputs."""
    sizes = output_sizes(state, outputs)
    return tuple(
        name if size == 1 else f"{name}[{k}]"
        for name, size in zip(outputs, sizes, strict=True)
        for k in range(size)
    )


def _coordinate(k: int) -> Callable[[Any, State], Any]:
    return lambda t, state: state.q[k]


def _own(state: State, table: Table, name: str) -> Any:
    system = state.system
    if name in table:
        return table[name]
    action = next((a for a in system.actions if a.name == name), None)
    if isinstance(action, Motor):
        edge = system.edge(action.joint.name)
        asked = action.asked(state.q[edge.q], state.z[edge.z], state.t, system.table())
        return np.asarray(asked, float) if port_size(system, name) else float(asked[0])
    if isinstance(action, Servo):
        return float(action.asked(system.table()))
    if action is not None:
        vector = getattr(action, "force", None) or action.couple
        return np.asarray(vector.components, float)
    return float(at(system.parameters[name], system.table()))
