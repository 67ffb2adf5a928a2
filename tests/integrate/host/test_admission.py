"""Every bad argument through every door: the same refusal, in the same words.

A door is a way to a run or to an answer; a case is an argument that is wrong. What a
door cannot take stands in `CANNOT`, with the reason: no pair is left out silently.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main
from polhode.errors import (
    ConflictingConstraints,
    ConstraintError,
    FileError,
    ForceError,
    InconsistentState,
    IntegrationError,
    IntegrationWarning,
    ModelError,
    NotARotation,
    StateError,
    UnphysicalInertia,
)

LENGTH, MOTOR = "L", "motor of hip"


@cache
def linkage(law: Callable[[Any], Any] | None = None) -> ph.System:
    """A rod and a link of length L to a slider that a motor, or a law, moves."""
    world = ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    shoe = ph.Body("shoe", ph.solids.sphere(mass=0.5, radius=0.1))
    hip = ph.Revolute("hip", world.origin, rod.point(0, 0, -0.5), axis=ph.Y)
    guide = ph.Prismatic("guide", world.origin, shoe.origin, axis=ph.X)
    ends = rod.point(0, 0, 0.5), shoe.origin
    held: list[Any] = [ph.Distance(*ends, ph.Parameter(LENGTH, 1.0), name="link")]
    if law is not None:
        held.append(ph.PrescribedMotion(guide, law, name="driver"))
    acts = [ph.Weight(9.81), ph.Motor(hip, 0.0)]
    return ph.System([hip, guide], acts, held, name="linkage")


@cache
def start() -> ph.State:
    """A state of the linkage that keeps its link."""
    return ph.assemble(linkage(), hip=np.pi / 6, guide=1.0).state


@cache
def spun() -> ph.System:
    """A body with a quaternion among its coordinates."""
    box = ph.Body("box", ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3))
    return ph.System([ph.Spherical("ball", ph.World().origin, box.origin)], name="spun")


def off(
    q: tuple[float, float] = (0.0, 0.0), z: tuple[float, float] = (0.0, 0.0)
) -> Any:
    """The start with other coordinates and speeds, which no noun has checked."""
    return ph.State(linkage(), 0.0, start().q + np.array(q), start().z + np.array(z))


def step_law(t: Any) -> Any:
    """A place that jumps from 1.0 to 1.2 m at 0.3 s."""
    return 1.0 + 0.2 * (t > 0.3)


class Call(NamedTuple):
    """What a door is asked: a system, a state, and the arguments that are not usual."""

    system: ph.System
    state: Any
    given: dict[str, Any]


# -------------------------------------------------------------------- doors


def by_simulate(call: Call, _: Any) -> Any:
    """A run alone."""
    return ph.simulate(call.system, call.state, **{"until": 0.5, **call.given})


def by_many(call: Call, _: Any) -> Any:
    """Two runs."""
    given = {"until": 0.5, **call.given}
    return ph.simulate(call.system, [call.state, call.state], **given)


def by_sweep(call: Call, _: Any) -> Any:
    """A sweep of one run."""
    return ph.sweep(call.system, call.state, **{"until": 0.5, **call.given})


def by_sweep_of_many(call: Call, _: Any) -> Any:
    """A sweep of two, both wrong."""
    given = {"until": 0.5, **call.given}
    return ph.sweep(call.system, [call.state, call.state], **given)


def by_folder(call: Call, tmp_path: Any) -> Any:
    """A sweep into a folder, which is then not made."""
    given = {"until": 0.5, **call.given}
    try:
        return ph.sweep(call.system, call.state, to=tmp_path / "parts", **given)
    finally:
        assert not (tmp_path / "parts").exists()


def by_file(call: Call, tmp_path: Any) -> Any:
    """A run into a file, which is then not made."""
    given = {"until": 0.5, **call.given}
    try:
        return ph.simulate(call.system, call.state, to=tmp_path / "m.nc", **given)
    finally:
        assert not (tmp_path / "m.nc").exists()


def by_stepper(call: Call, _: Any) -> Any:
    """One step with the values of parameters and inputs, or several to a jump."""
    values = _values(call.given)
    dt, names = call.given.get("dt", 0.01), values if isinstance(values, dict) else ()
    step = ph.stepper(call.system, dt, inputs=[*names], **_method(call.given))
    state = call.state
    for _ in range(40):
        state = step(state, values)
    return state


def _values(given: dict[str, Any]) -> Any:
    """Those of parameters and inputs, which some doors take together."""
    both = [given[word] for word in ("parameters", "inputs") if word in given]
    return both[0] if both else {}


def _method(given: dict[str, Any]) -> dict[str, Any]:
    return {"method": given["method"]} if "method" in given else {}


def by_form(call: Call, _: Any) -> Any:
    """An answer of Lagrange's equations."""
    values = _values(call.given)
    return ph.lagrange(call.system).accelerations(call.state, values)


def by_resume(call: Call, tmp_path: Any) -> Any:
    """The rest of a run that its limit has ended."""
    path = tmp_path / "m.nc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)
        run = call.system if isinstance(call.system, ph.System) else linkage()
        ph.simulate(run, call.state, until=0.5, to=path, limit=3)
    return ph.resume(path, call.system, **call.given)


DOORS = {
    "simulate": by_simulate,
    "simulate many": by_many,
    "sweep": by_sweep,
    "sweep many": by_sweep_of_many,
    "sweep to a folder": by_folder,
    "simulate to a file": by_file,
    "stepper": by_stepper,
    "form": by_form,
    "resume": by_resume,
}
RUNS = {"simulate", "simulate many", "sweep", "sweep many"} | {
    "sweep to a folder",
    "simulate to a file",
}


# -------------------------------------------------------------------- cases


NOTHING: Mapping[str, Any] = MappingProxyType({})


class Case(NamedTuple):
    """A wrong argument, the refusal, and doors with a refusal of their own.

    own   door -> what it says: its argument is another one
    """

    kind: type
    words: str
    given: Mapping[str, Any] = NOTHING
    state: Callable[[], Any] = start
    system: Callable[[], ph.System] = linkage
    own: Mapping[str, tuple[type, str]] = NOTHING
    model: Callable[[], Any] | None = None


SETTLED = {"resume": (FileError, "cannot change .* when resuming")}
NO_EVENT = {"events": ["hit"]}
CASES = {
    # states
    "coordinates off the link": Case(
        InconsistentState, "breaks 1 of its .*constraint", state=lambda: off((0.2, 0))
    ),
    "speeds off the link": Case(
        InconsistentState, "breaks 1 of its", state=lambda: off(z=(1.0, 0.0))
    ),
    "a state of another system": Case(
        StateError, "belongs to", state=lambda: spun().rest()
    ),
    "no state": Case(
        StateError,
        "cannot start from 'rest'",
        state=lambda: "rest",
        own={
            "stepper": (StateError, "cannot step 'rest'"),
            "form": (StateError, "cannot answer at 'rest'"),
        },
    ),
    # parameters
    "an unknown parameter": Case(
        ModelError,
        "no parameter (or input )?'LL'.*Did you mean 'L'",
        {"parameters": {"LL": 1.0}},
        own=SETTLED,
    ),
    "a model in words": Case(
        ModelError,
        "'crane'",
        model=lambda: "crane",
    ),
    "a parameter that is NaN": Case(
        ModelError,
        "parameter 'L' is not finite",
        {"parameters": {LENGTH: np.nan}},
        own=SETTLED,
    ),
    "a mass below zero": Case(
        UnphysicalInertia,
        "'rod' cannot have mass -1 kg",
        {"parameters": {"rod.mass": -1.0}},
        own=SETTLED,
    ),
    "a parameter in words": Case(
        ModelError,
        "parameter 'L' cannot be 'long'",
        {"parameters": {LENGTH: "long"}},
        own=SETTLED,
    ),
    "values of a parameter for other runs": Case(
        IntegrationError,
        "values for|has the shape",
        {"parameters": {LENGTH: [[1.0, 1.1, 1.2]]}},
        own={**SETTLED, "form": (ModelError, "parameter 'L' cannot be")},
    ),
    "a parameter that opens the link": Case(
        InconsistentState,
        "breaks 1 of its",
        {"parameters": {LENGTH: 1.27}},
        own=SETTLED,
    ),
    "a parameter with which nothing fits": Case(
        ConflictingConstraints,
        "no position of 'linkage' keeps",
        {"parameters": {LENGTH: 0.01}},
        system=lambda: linkage(cosine),
        state=lambda: ph.assemble(linkage(cosine), guide=1.9).state,
        own=SETTLED,
    ),
    "parameters without names": Case(
        ModelError, "gives nothing by name", {"parameters": [1.0]}, own=SETTLED
    ),
    # inputs
    "an unknown input": Case(
        ModelError,
        "has no (parameter or )?input 'motor of hop'.*Did you mean 'motor of hip'",
        {"inputs": {"motor of hop": np.cos}},
    ),
    "an input that is NaN": Case(
        ForceError,
        "'motor of hip' gives no force",
        {"inputs": {MOTOR: lambda t: np.nan * t}},
    ),
    "an input of two numbers": Case(
        ForceError,
        "the input 'motor of hip' has the shape .2,.",
        {"inputs": {MOTOR: lambda t: np.array([1.0, 2.0])}},
    ),
    "an input that is a text": Case(
        IntegrationError, "cannot be '3.0'", {"inputs": {MOTOR: "3.0"}}
    ),
    # times
    "an end that is NaN": Case(
        IntegrationError, "cannot end at until = nan", {"until": np.nan}, own=SETTLED
    ),
    "an end that is infinite": Case(
        IntegrationError, "cannot end at until = inf", {"until": np.inf}, own=SETTLED
    ),
    "a step of NaN": Case(IntegrationError, "cannot step by nan s", {"dt": np.nan}),
    "a step that does not advance the clock": Case(
        IntegrationError,
        "cannot be stepped by 0.01 s near t = 1e.18",
        {"method": ph.methods.CommutatorFree4(0.01), "until": 1e18 + 1e6},
        state=lambda: ph.State(linkage(), 1e18, start().q, start().z),
        own=SETTLED,
    ),
    # samples, tolerances, methods
    "samples beyond the end": Case(
        IntegrationError,
        "outside 0 to 0.5 s",
        {"samples": [0.1, 0.7]},
        own=SETTLED,
    ),
    "samples that are NaN": Case(
        IntegrationError,
        "not a list of finite times",
        {"samples": [np.nan]},
        own=SETTLED,
    ),
    "samples in disorder": Case(
        IntegrationError, "0.1 s follows 0.2 s", {"samples": [0.2, 0.1]}, own=SETTLED
    ),
    "one sample": Case(
        IntegrationError, "cannot be sampled 1 times", {"samples": 1}, own=SETTLED
    ),
    "a tolerance below zero": Case(
        IntegrationError, "no motion can be computed", {"rtol": -1.0}, own=SETTLED
    ),
    "a tolerance that is NaN": Case(
        IntegrationError, "no motion can be computed", {"atol": np.nan}, own=SETTLED
    ),
    "a method in words": Case(
        IntegrationError,
        "is not a method",
        {"method": "rk4"},
        own={
            "stepper": (IntegrationError, "cannot be the method of a stepper"),
            "resume": (FileError, "another method than 'rk4'"),
        },
    ),
    "a limit of no steps": Case(
        IntegrationError, "cannot be limited to 0 steps", {"limit": 0}
    ),
    "nobody to tell": Case(
        IntegrationError, "progress cannot be reported to 'me'", {"watch": "me"}
    ),
    "contacts that strike in no known way": Case(
        ModelError,
        "contacts cannot strike 'never'",
        {"impacts": "never"},
        own=SETTLED,
    ),
    # events and drivers
    "an event in words": Case(IntegrationError, "'hit' is not an event", NO_EVENT),
    "a driver that jumps": Case(
        ConstraintError,
        "'driver' of 'linkage' cannot be followed: its place jumps by 0.2 m",
        system=lambda: linkage(step_law),
        state=lambda: ph.assemble(linkage(step_law), guide=1.0).state,
    ),
}


def cosine(t: Any) -> Any:
    """A smooth law of the driver, near 1.9 m."""
    return 1.9 - 0.01 * t


NO_ARGUMENT = "it has no such argument"
ANSWERS = "it answers at any state, with any lengths: equations hold beside the rows"
STORED = "what it begins from is in its file"
CANNOT = {
    ("coordinates off the link", "form"): ANSWERS,
    ("speeds off the link", "form"): ANSWERS,
    ("a parameter that opens the link", "form"): ANSWERS,
    ("a parameter with which nothing fits", "form"): ANSWERS,
    ("coordinates off the link", "resume"): STORED,
    ("speeds off the link", "resume"): STORED,
    ("a state of another system", "resume"): STORED,
    ("no state", "resume"): STORED,
    ("a step that does not advance the clock", "resume"): STORED,
    ("a driver that jumps", "resume"): STORED,
    ("a driver that jumps", "form"): "it asks at one time, where nothing jumps",
    ("an input that is NaN", "stepper"): "its inputs are numbers, not laws",
    ("an input that is NaN", "form"): "its inputs are numbers, not laws",
    ("an input of two numbers", "stepper"): "its inputs are numbers, not laws",
    ("an input of two numbers", "form"): "its inputs are numbers, not laws",
    ("an input that is a text", "stepper"): "its inputs are numbers, not laws",
    ("an input that is a text", "form"): "its inputs are numbers, not laws",
    ("a method in words", "form"): NO_ARGUMENT,
    ("a step that does not advance the clock", "form"): NO_ARGUMENT,
    **{("a step of NaN", door): NO_ARGUMENT for door in DOORS if door != "stepper"},
    **{
        (case, door): NO_ARGUMENT
        for case, given in ((name, case.given) for name, case in CASES.items())
        for door in ("stepper", "form")
        if {"until", "samples", "rtol", "atol", "limit", "watch", "events", "impacts"}
        & set(given)
        and not (door == "stepper" and "method" in given)
    },
}
# A second each of search for values that fit, by the same function behind them all.
DEAR = {
    ("a parameter with which nothing fits", door)
    for door in (
        "simulate many",
        "sweep many",
        "sweep to a folder",
        "simulate to a file",
    )
}
PAIRS = [
    pytest.param(
        *(case, door),
        id=f"{case} | {door}",
        marks=pytest.mark.long if (case, door) in DEAR else (),
    )
    for case in CASES
    for door in DOORS
    if (case, door) not in CANNOT
]


@pytest.mark.parametrize(("name", "door"), PAIRS)
def test_a_bad_argument_is_refused_alike_at_every_door(name, door, tmp_path):
    """By the same kind of error, with the same words."""
    case = CASES[name]
    kind, words = case.own.get(door, (case.kind, case.words))
    given = dict(case.given)
    if door == "stepper" and name.startswith("a step that does"):
        given = {}
    call = Call((case.model or case.system)(), case.state(), given)
    with pytest.raises(kind, match=f"(?s){words}"):
        DOORS[door](call, tmp_path)


def test_numbers_that_are_no_state_make_none():
    """Wherever states are made: no door is reached with them."""
    with pytest.raises(StateError, match="not finite"):
        ph.State(linkage(), 0.0, [np.nan, 1.0], [0.0, 0.0])
    with pytest.raises(StateError, match="has 2 coordinates, and 1 were given"):
        ph.State(linkage(), 0.0, [0.5], [0.0, 0.0])
    with pytest.raises(StateError, match="not finite"):
        ph.States(linkage(), 0.0, [[np.nan, 1.0]], [[0.0, 0.0]])
    with pytest.raises(StateError, match="cannot have q of shape"):
        ph.States(linkage(), 0.0, [[0.5]], [[0.0, 0.0]])
    with pytest.raises(StateError, match="times that are not finite"):
        ph.States(linkage(), np.nan, start().q[None], start().z[None])


def test_a_quaternion_of_another_length_makes_no_state():
    """A rotation has four numbers of length one."""
    with pytest.raises(NotARotation):
        ph.State(spun(), 0.0, [1.0, 1.0, 0.0, 0.0], np.zeros(3))
    with pytest.raises(NotARotation):
        ph.States(spun(), 0.0, [[1.0, 1.0, 0.0, 0.0]], np.zeros((1, 3)))


# -------------------------------------------- some runs of many that are wrong

WRONG_ROWS = {
    "NaN": (1, [np.nan, 1.0], "STATE", "coordinates that are not finite"),
    "off the link": (1, [1.0, 1.0], "CONSTR", "breaks 1 of its"),
}


@pytest.mark.parametrize("word", WRONG_ROWS)
def test_one_wrong_start_does_not_refuse_a_sweep(word, tmp_path):
    """It is a failed run with its reason; the others are what they were."""
    k, q, code, words = WRONG_ROWS[word]
    rows, still = np.repeat(start().q[None], 3, axis=0), np.zeros((3, 2))
    rows[k] = q
    some = ph.States(linkage(), 0.0, rows, still)
    whole = ph.sweep(linkage(), [start()] * 3, until=0.2)
    with pytest.warns(IntegrationWarning, match=f"1 of 3 runs stopped; run 1.*{words}"):
        found = ph.sweep(linkage(), some, until=0.2)
    assert found.failed.tolist() == [k]
    assert found.outcome(k).code == code
    assert np.array_equal(found.final_q[[0, 2]], whole.final_q[[0, 2]])
    with pytest.warns(IntegrationWarning, match="1 of 3 runs stopped"):
        parts = ph.sweep(linkage(), some, until=0.2, to=tmp_path / "parts")
    assert words in parts.outcome(k).sentence
    with pytest.raises(ph.PolhodeError, match=words):
        ph.simulate(linkage(), some, until=0.2)
    with pytest.raises(ph.PolhodeError, match=words):
        ph.stepper(linkage(), 0.01)(some)


def test_one_wrong_value_of_a_parameter_does_not_refuse_a_sweep():
    """NaN, one that opens the link, and one with which nothing fits."""
    values = {LENGTH: [1.0, np.nan, 1.27, -3.0]}
    with pytest.warns(IntegrationWarning, match="3 of 4 runs stopped; run 1"):
        found = ph.sweep(linkage(), start(), until=0.2, parameters=values)
    assert found.failed.tolist() == [1, 2, 3]
    assert [found.outcome(k).code for k in range(3)] == ["DONE", "STATE", "CONSTR"]
    with pytest.raises(ModelError, match="run 1: parameter 'L' is not finite"):
        ph.simulate(linkage(), start(), until=0.2, parameters=values)


def test_values_need_not_fit_each_other_s_runs():
    """Two lengths that fit one by one are no reason to refuse both."""
    values = {LENGTH: [1.0, 1.0], "rod.mass": [1.0, 5.0]}
    assert not len(ph.sweep(linkage(), start(), until=0.1, parameters=values).failed)


# ------------------------------------------------------------------------ files

WRONG_PATHS = (3, "", 1.5, ["m.nc"], "no/such/folder/m.nc")
FILES: dict[str, Callable[[Any], Any]] = {
    "load_model": lambda path: ph.load_model(path),
    "load_motion": lambda path: ph.load_motion(path),
    "save_model": lambda path: ph.save_model(spun(), path),
    "resume": lambda path: ph.resume(path, spun()),
    "simulate": lambda path: ph.simulate(spun(), spun().rest(), until=0.1, to=path),
    "sweep": lambda path: ph.sweep(spun(), spun().rest(), until=0.1, to=path),
}


@pytest.mark.parametrize("door", FILES)
@pytest.mark.parametrize("path", WRONG_PATHS, ids=repr)
def test_a_path_that_is_none_is_refused_alike_at_every_door(path, door, tmp_path):
    """By an error of files, which is an OSError too; nothing is made."""
    with chdir(tmp_path), pytest.raises(FileError) as refused:
        FILES[door](path)
    assert refused.value.repair
    assert not [*tmp_path.iterdir()]


def test_a_model_in_words_is_written_nowhere(tmp_path):
    """What is not a system is refused by files as by runs."""
    with pytest.raises(ModelError, match="'crane' is no system"):
        ph.save_model("crane", tmp_path / "crane.toml")
    assert not [*tmp_path.iterdir()]


# ------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--until", "nan"], "cannot end at until = nan"),
        (["--until", "inf"], "cannot end at until = inf"),
        (["--rtol", "-1"], "no motion can be computed"),
        (["--samples", "1"], "cannot be sampled 1 times"),
        (["--set", "lenght=1"], "lenght"),
        (["--set", "length=nan"], "length"),
        (["--set", "length=long"], "length"),
        (["--until", "soon"], "soon"),
        (["--rtol", "nan"], "no motion can be computed"),
        (["--out", "no/such/folder/m.nc"], "no/such/folder"),
    ],
)
def test_the_command_line_says_the_same(words, said, capsys):
    """In words, with a code of failure, and no traceback."""
    assert main(["run", "pendulum", *words]) != 0
    told = capsys.readouterr()
    assert said in " ".join((told.out + told.err).split())
    assert "Traceback" not in told.err


@pytest.mark.parametrize("many", [False, pytest.param(True, marks=pytest.mark.long)])
def test_starts_and_resets_are_held_against_the_parameters_of_their_run(many):
    """With another length of the link, states of the run are not the system's."""
    own = linkage().with_({LENGTH: 1.2})
    there = ph.assemble(own, guide=1.3).state
    begun = ph.State(linkage(), 0.0, there.q, there.z)
    halted = ph.Event(
        "halted", lambda t, state: t - 0.1, reset=lambda t, state: _at_rest(state)
    )
    given = {"until": 0.2, "events": halted, "parameters": {LENGTH: 1.2}}
    with pytest.raises(InconsistentState, match="breaks 1 of its"):
        ph.simulate(linkage(), begun, until=0.2)
    if many:
        assert not len(ph.sweep(linkage(), [begun, begun], **given).failed)
        return
    motion = ph.simulate(linkage(), begun, **given)
    assert motion.outcome.is_complete
    assert len(motion.events) == 1


def _at_rest(state: ph.State) -> ph.State:
    return state.changed(speeds={"hip": 0.0, "guide": 0.0})
