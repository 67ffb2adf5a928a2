"""Whatever takes a system or its equations first refuses other things, in words."""

from __future__ import annotations

from inspect import Parameter, isclass, signature

import pytest

import polhode as ph
from polhode.errors import ModelError, PolhodeError

FIRST = ("system", "model", "equations")
PLACES = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def public(name):
    """A flat name, or one of the further questions."""
    return getattr(ph.questions if name in ph.questions.HOMES else ph, name)


def taking_a_system():
    """Public functions by name, with how many other arguments each must have."""
    for name in (*ph.__all__, *ph.questions.HOMES):
        function = public(name)
        if not callable(function) or isclass(function):
            continue
        places = list(signature(function).parameters.values())
        if places and places[0].name in FIRST:
            needed = [p for p in places[1:] if p.default is p.empty]
            placed = sum(p.kind in PLACES for p in needed)
            named = [p.name for p in needed if p.kind is Parameter.KEYWORD_ONLY]
            yield pytest.param(function, placed, named, id=name)


@pytest.fixture(scope="module")
def state():
    return ph.models.start("pendulum")


@pytest.mark.parametrize(("function", "placed", "named"), [*taking_a_system()])
def test_other_things_are_refused_in_words(function, placed, named, state):
    """A state, a name, nothing, a number, a model not called, a list."""
    for wrong in (state, "pendulum", None, 3, ph.models.pendulum, [state]):
        if function is ph.sweep and wrong is ph.models.pendulum:
            continue  # workers of an executor build the model by it
        with pytest.raises(PolhodeError) as told:
            function(wrong, *[state] * placed, **dict.fromkeys(named, 1.0))
        assert told.value.repair


def test_what_to_write_depends_on_what_was_given(state):
    """Of a state its system, of a function its call, of a system a form."""
    with pytest.raises(PolhodeError, match=r"the \.system of this State"):
        ph.lagrange(state)
    with pytest.raises(PolhodeError, match=r"Call it first: pendulum\(\)"):
        ph.lagrange(ph.models.pendulum)
    with pytest.raises(PolhodeError, match=r"Choose a form: ph\.recursive\(system\)"):
        ph.questions.balance(state.system, state, ["rod"])
    with pytest.raises(PolhodeError, match="takes a system, and was given None"):
        ph.equilibria(system=None)
    with pytest.raises(TypeError, match="system"):
        ph.lagrange()


NO_MOTION = ("reaction_table", "limit_margins", "rank_along", "sensitivity")
NO_STATE = ("contact_modes", "impact", "is_equilibrium")
NO_FUNCTION = ("compile", "read", "to_c", "to_matlab")
NO_SYSTEM = ("linearise", "stability", "equilibria", "symmetries", "conserved",
             "mobility", "lagrange", "kinematics", "audit")  # fmt: skip


@pytest.mark.parametrize("bad", [None, 3.5, "pendulum", [1, 2], {"a": 1}], ids=repr)
@pytest.mark.parametrize("name", [*NO_MOTION, *NO_STATE, *NO_SYSTEM])
def test_what_is_none_of_ours_is_refused_in_one_class(name, bad):
    """Systems, states and motions: a ModelError, never an AttributeError."""
    with pytest.raises(ModelError):
        public(name)(bad)


@pytest.mark.parametrize("name", NO_FUNCTION)
def test_what_cannot_be_called_cannot_become_a_program(name):
    """By the name of the verb."""
    with pytest.raises(PolhodeError, match=rf"ph\.{name} takes a function"):
        getattr(ph, name)("sin", 1.0)


def test_with_more_arguments_too():
    """Functions of a state or a motion and something more."""
    system = ph.models.pendulum()
    for call in (
        lambda: ph.gradient(system, lambda state: 0.0),
        lambda: ph.uncertainty(system, {"m": 0.1}),
        lambda: ph.questions.rest_sensitivity(system, ["m"]),
        lambda: ph.sweep_equilibria(system, {"m": [1.0]}),
        lambda: ph.continuation(system, "m", (1.0, 2.0)),
        lambda: ph.percussion(system, system.bodies[0].origin, (1, 0, 0)),
        lambda: ph.models.chain_pendulum(0),
    ):
        with pytest.raises(ModelError):
            call()
