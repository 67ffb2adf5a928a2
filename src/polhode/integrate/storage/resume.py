"""From a file back to a motion, and onwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import FileError
from polhode.formulation.contact.mode_forces import contact_equations, knows_modes
from polhode.integrate.contact.contact_limits import first_modes
from polhode.integrate.contact.contact_rows import events_met
from polhode.integrate.events.functions import land_program
from polhode.integrate.events.occurrence_rows import Met
from polhode.integrate.field.controlled import with_controllers
from polhode.integrate.field.dense_output import bare
from polhode.integrate.inputs.inputs import InputLog, Inputs, admit_inputs
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.methods.method import is_method
from polhode.integrate.methods.registry import method_from
from polhode.integrate.results.body_motion import at_rows
from polhode.integrate.results.contact_log import with_contact_log
from polhode.integrate.results.trajectory import Trajectory
from polhode.integrate.storage.event_log import read
from polhode.integrate.storage.header import require_same, settings_of
from polhode.integrate.storage.laws import (
    input_laws,
    require_same_laws,
    require_same_model,
)
from polhode.integrate.storage.model_text import read as read_model
from polhode.integrate.storage.paths import admit_path
from polhode.integrate.storage.reading import Content, content_of
from polhode.integrate.storage.recording import Recording
from polhode.integrate.storage.session import Continuation
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.events.event import Event
    from polhode.integrate.host.progress import Watch
    from polhode.integrate.methods.method import Method

# The slope at the last row, computed again, may differ by another machine's rounding.
SAME_FORCES = 1e-6
ROWS_COMPARED = 16


def resume(
    path: Any,
    model: System | Equations | None = None,
    *,
    method: Method | None = None,
    events: Event | Sequence[Event] = (),
    inputs: Mapping[Any, Any] | None = None,
    limit: int | None = None,
    memory: float | None = None,
    watch: Watch | None = None,
    **settled: Any,
) -> Any:
    """Go on with the run of a file from its last complete part, bit for bit.

    A model that is given again must be the one that was run: names, values, and the
    forces at the last row. Without one it is made from its text in the file, if it has
    no laws of Python. Inputs and events are given again, as `simulate` had them, and a
    method of the user's own; `limit` may be larger where it has ended the run. What the
    file has settled, such as `until`, is refused.
    """
    _refuse_settled(path, settled)
    content = content_of(admit_path(path), most=1)
    equations = _equations_of(
        read_model(content.path, content.header) if model is None else model,
        content.header,
    )
    controlled = _with_inputs(equations, inputs)
    require_same(path, content.header, controlled)
    chosen = _method(path, content.header, method)
    if bool(inputs) == bool(content.header["inputs"]):
        _require_same_forces(content, controlled, chosen, inputs)
    require_same_model(path, content.header, equations.system)
    from polhode.integrate.simulate import simulate

    header = content.header
    # The state from which the run began.
    t, q, z = content.header["start"]
    further: dict[str, Any] = {} if memory is None else {"memory": memory}
    if header.get("impacts"):
        further["impacts"] = header["impacts"]
    return simulate(
        equations,
        State(equations.system, t[0], q, z),
        until=header["until"],
        method=chosen,
        samples=header["samples"],
        parameters=header["table"],
        to=Continuation(content),
        events=events,
        inputs=inputs,
        limit=header["limit"] if limit is None else limit,
        watch=watch,
        **further,
    )


def _refuse_settled(path: Any, settled: dict[str, Any]) -> None:
    """Refuse what the file has settled already."""
    if settled:
        first = min(settled)
        raise FileError(
            f"cannot change {first!r} when resuming {str(path)!r}.",
            "A resumed run continues bit for bit: its file says from where, how far and"
            " how.",
            f"Leave {first}=... out. Another run from there begins with"
            " ph.simulate(system, ph.load_motion(path).of(system).final, ...).",
        )


def trajectory_from(
    recording: Recording, model: System | Equations, inputs: Any
) -> Trajectory:
    """The motion in a file, of the model that was run, given again."""
    content, header = recording.content, recording.header
    equations = _with_inputs(_equations_of(model, header), inputs)
    require_same(content.path, header, equations)
    require_same_model(content.path, header, equations.system)
    if not header.get("model_text"):
        # Laws of Python are in it: they are known by what they do.
        _require_same_motion(content, equations, inputs)
    found, met = _events_and_inputs(content, equations, inputs)
    motion = Trajectory(
        equations,
        _method(content.path, header, None),
        content.steps,
        recording.outcome,
        dict(header["table"]),
        header["note"],
        header["samples"] is None,
        **found,
    )
    if not knows_modes(equations):
        return motion
    return with_contact_log(motion, met, header["impacts"])


def _events_and_inputs(
    content: Content, equations: Equations, inputs: Any
) -> tuple[dict[str, Any], list[Met]]:
    """Events and inputs of the motion in a file, and all that happened in its run."""
    header, log = content.header, content.shape.log
    given = _inputs(equations, inputs)
    if given.words != header["inputs"]:
        raise FileError(
            f"the motion in {str(content.path)!r} had other inputs.",
            f"The file has {header['inputs'] or 'none'}; given are"
            f" {given.words or 'none'}.",
            "Give the same: ph.load_motion(path).of(system, inputs={...}).",
        )
    require_same_laws(content.path, header, "inputs", input_laws(given))
    if log is None:
        return {}, []
    met, input_log = read(equations.system, header["events"], log)
    events = events_met(equations.system, tuple(header["events"]), met, given)
    times, values = np.array([t for t, _ in input_log]), log.fed_numbers[:, 1:]
    return {"events": events, "inputs": InputLog(given, times, values)}, met


def _inputs(equations: Equations, inputs: Any) -> Inputs:
    """Inputs that are given again, and behind them the modes that contacts have."""
    given = admit_inputs(equations.system, inputs)
    if not knows_modes(equations):
        return given
    return given.with_modes(first_modes(equations.system, 0.0))


def _method(path: Any, header: dict[str, Any], given: Method | None) -> Method:
    if given is None:
        return method_from(header["method"])
    if not is_method(given) or settings_of(given) != header["method"]:
        raise FileError(
            f"{str(path)!r} was made by another method than {given!r}.",
            f"The file says {header['method']['kind']} with"
            f" {header['method']['settings']}.",
            "Give that one, or leave method=... out.",
        )
    return given


def _equations_of(model: Any, header: dict[str, Any]) -> Equations:
    from polhode.integrate.host.motion_equations import equations_of

    if isinstance(model, System) and model.supports and header.get("impacts"):
        return contact_equations(model)
    if isinstance(model, System) and model.supports:
        return equations_of(model, method_from(header["method"]))
    return equations_of(model)


def _with_inputs(equations: Equations, inputs: Any) -> Equations:
    """The equations with the states of controllers among the inputs beside them."""
    return with_controllers(equations, admit_inputs(equations.system, inputs).drive)


def _at_cursor(content: Content, equations: Equations, method: Any) -> Trajectory:
    last = _cursor_entries(content)
    rows = bare(last["t"][None], last["x"][None])
    table = dict(content.header["table"])
    return Trajectory(equations, method, rows, None, table, "", True)  # type: ignore[arg-type]


def _cursor_entries(content: Content) -> dict[str, np.ndarray]:
    """t, x and x_dot of the stepper state in a file."""
    found, at = {}, 0
    for name, kind, shape in content.header["cursor_layout"]:
        if kind == "numbers":
            size = int(np.prod(shape))
            found[name.lstrip(".")] = content.stepper_state.numbers[
                at : at + size
            ].reshape(shape)
            at += size
    return found


def _slope(
    content: Content, equations: Equations, method: Method, inputs: Any
) -> np.ndarray:
    """The slope where the run halted, by the model and the inputs that are given."""
    drive = _inputs(equations, inputs).drive
    if not drive.key:
        there = _at_cursor(content, equations, method)
        return _slopes(there, equations, method)[0]
    last = _cursor_entries(content)
    if last["held"].shape != (drive.width,):
        return last["x_dot"]  # other inputs, which are refused by name
    here = (float(last["t"]), last["x"], dict(content.header["table"]), last["held"])
    return land_program(equations, drive, here)(*here).x_dot


def _slopes(motion: Trajectory, equations: Equations, method: Method) -> np.ndarray:
    """At the rows of a motion, as a run keeps them: speeds that jump have none."""
    found = np.array(at_rows(motion, "slope"))
    if isinstance(method, Moreau):
        found[:, equations.system.coordinates :] = 0.0
    return found


def _require_same_motion(content: Content, equations: Equations, inputs: Any) -> None:
    """Refuse a model called the same whose laws give other slopes along the motion.

    Looked at where the run is now, and at rows spread over the motion, where they have
    their slopes: two laws may agree in one state. Sampled inputs are held between
    times, and are known for the last state alone.
    """
    method = _method(content.path, content.header, None)
    if bool(inputs) == bool(content.header["inputs"]):
        _require_same_forces(content, equations, method, inputs)
    steps = content.steps
    if content.shape.terms is None or content.header["inputs"] or len(steps.t) < 2:
        return
    if knows_modes(equations):
        return  # modes are known for the last state alone, as samples are
    # A row at the very time of an event may have the slope before or after it.
    rows = np.unique(np.linspace(0, len(steps.t) - 1, ROWS_COMPARED).astype(int))
    if content.shape.log is not None:
        happened = content.shape.log.event_numbers[:, 0]
        rows = rows[~np.isin(steps.t[rows], happened)]
    here = bare(steps.t[rows], steps.x[rows])
    table = dict(content.header["table"])
    some = Trajectory(equations, method, here, None, table, "", True)  # type: ignore[arg-type]
    now, then = _slopes(some, equations, method), steps.x_dot[rows]
    size = np.max(np.abs(then), initial=0.0)
    miss = np.max(np.abs(now - then), axis=1, initial=0.0)
    if not np.all(miss <= SAME_FORCES * size):
        worst = int(np.argmax(miss))
        raise _other_forces(content, equations, float(here.t[worst]), miss[worst], size)


def _other_forces(
    content: Content, equations: Equations, t: float, miss: float, size: float
) -> FileError:
    return FileError(
        f"{str(content.path)!r} holds a motion of another model than"
        f" {equations.system.name!r}: names and values agree, forces do not.",
        f"At t = {t:g} s accelerations differ by {miss:.3g}, of {size:.3g}.",
        "Give the model that was run, with the same laws and inputs.",
    )


def _require_same_forces(
    content: Content, equations: Equations, method: Method, inputs: Any
) -> None:
    """Refuse a model, or laws of inputs, called the same that move otherwise."""
    last = _cursor_entries(content)
    now = _slope(content, equations, method, inputs)
    size = np.max(np.abs(last["x_dot"]), initial=0.0)
    miss = float(np.max(np.abs(now - last["x_dot"]), initial=0.0))
    if not miss <= SAME_FORCES * size:
        raise _other_forces(content, equations, float(last["t"]), miss, size)
