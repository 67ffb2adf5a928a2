"""Whatever takes a system or its equations first refuses other things, in words."""

from __future__ import annotations

from inspect import Parameter, isclass, signature

import pytest

import polhode as ph
from polhode.errors import PolhodeError

FIRST = ("system", "model", "equations")
PLACES = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def taking_a_system():
    """Public functions by name, with how many other arguments each must have."""
    for name in ph.__all__:
        function = getattr(ph, name)
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
        ph.balance(state.system, state, ["rod"])
    with pytest.raises(PolhodeError, match="takes a system, and was given None"):
        ph.equilibria(system=None)
    with pytest.raises(TypeError, match="system"):
        ph.lagrange()
