"""Code made with the least effort of LLVM: other instructions, the same bits."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from lowering_cases import CASES
from lowering_cases.case import LANES, SYSTEMS
from polhode.errors import CompileError
from polhode.lowering.backends import runner
from polhode.lowering.backends.llvm.native import VARIABLE
from strategies_system import double_pendulum, four_bar, random_state

# Enough that each kind of code is among them, by every so many of the registry.
EACH = 17
EFFORTS = ("", "0")


def of_each_effort(monkeypatch, make):
    """What is made in a process with quick code, and in one that has it soon."""
    found = []
    for effort in EFFORTS:
        monkeypatch.setenv(VARIABLE, effort)
        found.append(make())
    return found


def same_bits(one, other):
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


@pytest.mark.parametrize("case", CASES[::EACH], ids=lambda case: case.name)
def test_no_effort_changes_a_bit(case, monkeypatch):
    """Of one system and of lanes, with every loop kept."""

    def make():
        options = {"backend": "llvm", "batched": True, "lanes": LANES, "unroll": 0}
        program = ph.compile(case.function, *case.system(0), **options)
        assert not program.report().cache_hit
        alone = [program(*case.system(k)) for k in range(SYSTEMS)]
        return program(*case.arguments), alone

    assert same_bits(*of_each_effort(monkeypatch, make))


@pytest.mark.parametrize("new", [double_pendulum, four_bar])
def test_a_motion_is_the_same_by_either(new, monkeypatch):
    """A run has steps, their control and the solution of constraints in one loop."""
    made, machine_code = [], runner.machine_code

    def kept(*arguments):
        made.append(arguments[0])
        return machine_code(*arguments)

    monkeypatch.setattr(runner, "machine_code", kept)

    def motion():
        system = new()
        start = random_state(system, np.random.default_rng(2))
        found = ph.simulate(system, start, until=1.0)
        assert found.outcome.is_complete
        return found.t, found.q, found.z

    assert same_bits(*of_each_effort(monkeypatch, motion))
    assert len(made) == 2 * len({*made})  # nothing was found that the other made


def test_its_code_is_another_entry_and_comes_of_no_passes(monkeypatch):
    """Neither finds the other's code in the cache; without it the passes run."""
    made, machine_code = [], runner.machine_code

    def kept(*arguments):
        made.append(machine_code(*arguments))
        return made[-1]

    monkeypatch.setattr(runner, "machine_code", kept)

    def entry():
        program = ph.compile(lambda x: x * x + 1.0, 1.0, backend="llvm")
        return program._runner.entry(1)

    quick, soon = of_each_effort(monkeypatch, entry)
    assert quick != soon
    assert len(made) == 2
    assert made[0] != made[1]


def test_another_effort_is_refused(monkeypatch):
    """There is the least and the usual one, and nothing between."""
    monkeypatch.setenv(VARIABLE, "1")
    with pytest.raises(CompileError, match="there is only 0"):
        ph.compile(lambda x: x + 1.0, 1.0, backend="llvm")
