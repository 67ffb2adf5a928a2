"""Arguments of the wrong kind are refused in words, and no other error is hidden."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import polhode as ph
from method_calls import DEAR, fault_of, wrong_calls
from polhode.errors import ModelError, PolhodeError, StateError
from polhode.public.annotations import fits, names_of_shapes
from polhode.public.public_call import public

WRONG = (object(), {3: None}, [None], 10**400, [object()], {"x": object()})


@cache
def system():
    return ph.models.pendulum()


@cache
def hinge():
    return system().joints[0]


# By name: what is called with a wrong argument, here of no kind that any of them takes.
DOORS = {
    "observed_from": lambda wrong: ph.theory.observed_from(lambda t: t, wrong),
    "driven": lambda wrong: ph.theory.driven(wrong, ph.World().frame, lambda t: t),
    "prescribed": lambda wrong: ph.theory.prescribed(wrong, lambda t: t, ph.World()),
    "steady_motions": lambda wrong: ph.steady_motions(system(), wrong),
    "compare": lambda wrong: ph.compare(system(), wrong),
    "audit": lambda wrong: ph.audit(system(), wrong),
    "Motor": lambda wrong: ph.Motor(wrong, 0.0),
    "Belt": lambda wrong: ph.machines.Belt(
        wrong, hinge(), driver_radius=0.1, driven_radius=1
    ),
    "Rope": lambda wrong: ph.machines.Rope(wrong, 1.0),
    "Coordinates": lambda wrong: ph.Coordinates([wrong], lambda s: s),
    "VelocityRows": lambda wrong: ph.VelocityRows(wrong, lambda *a: a, rows=("a",)),
    "formations.Orbit": lambda wrong: ph.formations.Orbit(wrong, 7e6, 0.0),
    "Uniform": lambda wrong: ph.distributions.Uniform(wrong, 1.0),
    "Table": lambda wrong: ph.Table(wrong, [1.0, 2.0, 3.0]),
    "JointSpring": lambda wrong: ph.JointSpring(wrong, 1.0),
    "linear_quadratic": lambda wrong: ph.linear_quadratic(wrong, 1.0, 1.0),
    "uncertainty": lambda wrong: ph.uncertainty(wrong, {"m": 0.1}),
    "tether": lambda wrong: ph.tether(wrong, wrong, 1.0),
    "Thruster": lambda wrong: ph.space.Thruster(wrong, (0, 0, 1), 1.0),
    "wheel_cluster": lambda wrong: ph.space.wheel_cluster(
        wrong, [(1, 0, 0)], inertia=1.0, mass=1.0
    ),
    "to_fmu": lambda wrong: ph.to_fmu(system(), wrong),
    "sin": ph.functions.sin,
}


@pytest.mark.parametrize("door", DOORS)
def test_wrong_kinds_are_refused_in_words(door):
    """Never by a bare TypeError, AttributeError, ValueError or OverflowError."""
    for wrong in WRONG:
        with pytest.raises(PolhodeError) as told:
            DOORS[door](wrong)
        assert told.value.repair


@cache
def motion():
    return ph.simulate(system(), system().state(**{hinge().name: 0.5}), until=0.1)


# By name: what a user holds in hand; those that cost more are in `make attack`.
NOUNS = {
    "system": system,
    "joint": hinge,
    "body": lambda: system().bodies[0],
    "weight": lambda: system().actions[0],
    "point": lambda: system().bodies[0].origin,
    "state": lambda: motion()[0],
    "motion": motion,
    "outcome": lambda: motion().outcome,
    "ledger": lambda: motion().ledger(),
    "equations": lambda: ph.lagrange(system()),
    "motions": lambda: ph.simulate(system(), [motion()[0]] * 2, until=0.1),
    "sweep": lambda: ph.sweep(system(), [motion()[0]] * 2, until=0.1),
    "parameter": lambda: ph.Parameter("a", 1.0),
    "method": lambda: ph.methods.DormandPrince(),
}


@pytest.mark.parametrize("noun", NOUNS)
def test_methods_refuse_wrong_kinds_in_words(noun, tmp_path, monkeypatch):
    """All public methods of all that is public, with values that they cannot take."""
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        faults = [fault_of(call) for call in wrong_calls(NOUNS[noun](), DEAR)]
    assert not [*filter(None, faults)]


def test_rows_of_another_length_are_refused():
    """By the noun that knows how many it has."""
    with pytest.raises(ModelError, match=r"'q'.\s+It works with 1 real numbers"):
        system().poses(0.0, [])
    with pytest.raises(ModelError, match=r"help\(ph.System.mass_matrix\)"):
        system().mass_matrix(0.0, 3.0)


@pytest.mark.parametrize("noun", ["system", "joint", "body", "weight", "motion"])
def test_what_cannot_be_pickled_says_so(noun):
    """With what keeps it instead."""
    with pytest.raises(ModelError, match="cannot be pickled") as told:
        pickle.dumps([NOUNS[noun]()])
    assert "ph.save_model" in told.value.repair


@pytest.mark.parametrize("noun", ["outcome", "ledger", "parameter", "method"])
def test_what_is_made_of_numbers_is_pickled(noun):
    """As other Python values are."""
    value = NOUNS[noun]()
    assert str(pickle.loads(pickle.dumps(value))) == str(value)


def test_the_argument_is_named():
    """With what it should be, and what was given."""
    with pytest.raises(ModelError, match=r"Motor cannot take 3\.5 as 'joint'") as told:
        ph.Motor(3.5, 0.0)
    assert isinstance(told.value.__cause__, AttributeError)
    with pytest.raises(StateError, match="compare cannot take 3 as 'state'"):
        ph.compare(system(), 3)


def test_errors_of_other_causes_come_as_they_are():
    """Too few arguments; a function of the user's that fails."""
    with pytest.raises(TypeError, match="missing 1 required"):
        ph.theory.observed_from(3)

    def calling(times: int, function: Callable[[], None]) -> None:
        for _ in range(times):
            function()

    def failing():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        public(calling, "calling")(3, failing)
    with pytest.raises(ModelError, match="calling cannot take 3 as 'function'"):
        public(calling, "calling")(3, 3)


def test_public_functions_are_still_themselves():
    """Pickled, inspected and imported from their own module."""
    assert pickle.loads(pickle.dumps(ph.simulate)) is ph.simulate
    assert import_module(ph.simulate.__module__).simulate is ph.simulate
    assert "until" in inspect.signature(ph.simulate).parameters
    assert ph.simulate.__doc__
    assert Path(inspect.getsourcefile(inspect.unwrap(ph.simulate))).stem == "simulate"
    assert "mass" in inspect.signature(ph.Particle).parameters


def test_warnings_point_to_the_line_of_the_user():
    """However deep in the library they are given."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        system().state(**{hinge().name: 90.0})
        starts = ph.States(system(), 0.0, [[0.1], [np.nan]], np.zeros((2, 1)))
        ph.sweep(system(), starts, until=0.1)
    assert len(told) == 2
    assert {Path(each.filename).name for each in told} == {"test_public_call.py"}


@pytest.mark.parametrize(
    ("value", "hint", "is_fit"),
    [
        (1, float, True),
        (True, float, False),
        (np.float32(1), float, True),
        (10**400, float, False),
        (1.5, int, False),
        (None, float | None, True),
        ("x", Literal["x", "y"], True),
        ("z", Literal["x", "y"], False),
        ([1.0, 2.0], Sequence[float], True),
        (np.ones(3), Sequence[float], True),
        (np.ones((3, 3)), Sequence[float], False),
        (["a", None], Sequence[str], False),
        ({"a": 1.0}, Mapping[str, float], True),
        ({3: 1.0}, Mapping[str, float], False),
        (np.sin, Callable[[float], float], True),
        (3, Callable, False),
        ((1, "a"), tuple[int, str], True),
        ((1, 2), tuple[int, str], False),
        ("m.nc", str | Path, True),
        (3, str | Path, False),
        ("ab", np.ndarray, False),
        ([1, 2], np.ndarray, True),
    ],
)
def test_values_and_annotations(value, hint, is_fit):
    """What an annotation says of a value."""
    assert fits(value, hint) is is_fit


def test_a_reaction_that_nothing_exerts_names_the_others():
    """A constraint is called with the body that it acts on."""
    found = ph.recursive(system()).reactions(system().rest())
    with pytest.raises(KeyError) as told:
        found["hinje"]
    assert isinstance(told.value, ModelError)
    assert f"Did you mean {hinge().name!r}?" in str(told.value)


def test_copies_of_frozen_nouns_are_themselves():
    """Motions, equations and programs hold native code, which has one owner."""
    start = system().state(**{hinge().name: 0.5})
    motion = ph.simulate(system(), start, until=0.1)
    nouns = [system(), motion, motion.ledger(), ph.lagrange(system())]
    nouns += [ph.stepper(system(), 0.01), ph.sweep(system(), [start], until=0.1)]
    nouns += [ph.simulate(system(), [start, start], until=0.1)]
    nouns += [system().bodies[0], hinge(), system().actions[0], start]
    for noun in nouns:
        assert copy.deepcopy(noun) is noun
        assert copy.copy(noun) is noun
        assert copy.deepcopy({"a": [noun]})["a"][0] is noun


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ph.solids.box(mass=1.0, size=1.0), "solids.box(*, x, y, z, mass=..."),
        (lambda: ph.Revolute("hinge"), "Revolute(name, first, second, axis"),
        (lambda: system().state(1, 2, 3), "System.state(coordinates=..., *, speeds"),
    ],
)
def test_a_call_with_other_arguments_is_told_its_own(call, said):
    """Too few, too many or misnamed: Python's words, and how it is called."""
    with pytest.raises(TypeError) as caught:
        call()
    assert said in " ".join(caught.value.__notes__)


def test_no_name_of_a_shape_is_that_of_a_class():
    """Else an error tells of the class where an array is asked for."""
    classes = {
        node.name
        for path in Path(ph.__file__).parent.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    assert names_of_shapes()
    assert not names_of_shapes() & classes
