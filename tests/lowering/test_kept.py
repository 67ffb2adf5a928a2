"""What a noun keeps is made once for each name, and for each set of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import polhode as ph
from polhode.lowering.kept import kept_program, kept_value


def test_a_program_is_compiled_once_for_each_name_and_table():
    """Other numbers are the same program; other parameters are another."""
    kept: dict[Any, Any] = {}

    def law(x: Any, table: Any) -> Any:
        return x * table.get("k", 2.0)

    first = kept_program(kept, "law", law, (1.0, {}))
    assert kept_program(kept, "law", law, (5.0, {})) is first
    other = kept_program(kept, "law", law, (1.0, {"k": 3.0}))
    assert other is not first
    assert (float(first(2.0, {})), float(other(2.0, {"k": 5.0}))) == (4.0, 10.0)
    assert kept_program(kept, "other law", law, (1.0, {})) is not first


def test_a_batched_program_is_another():
    """One that takes many runs at once is not that of one."""
    kept: dict[Any, Any] = {}
    one = kept_program(kept, "square", lambda x: x * x, (1.0,))
    many = kept_program(kept, "square", lambda x: x * x, (1.0,), batched=["x"])
    assert many is not one
    assert np.array_equal(many(np.array([2.0, 3.0])), [4.0, 9.0])


def test_a_value_is_made_once():
    """Also one that is false."""
    made, kept = [], {}
    for _ in range(2):
        assert kept_value(kept, "none", lambda: made.append(1)) is None
    assert made == [1]


def test_systems_and_equations_keep_their_programs():
    """Asked twice, one program answers."""
    system = ph.models.pendulum()
    equations = ph.lagrange(system)
    for noun in (system, equations):
        twice = [noun.program("sum", lambda q, z: q + z, (1.0, 2.0)) for _ in "ab"]
        assert twice[0] is twice[1]
        assert float(twice[0](1.0, 2.0)) == 3.0
