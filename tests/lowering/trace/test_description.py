"""Programs that are found by what they are made of: hits where equal, else misses."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.errors import CacheWarning
from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.formulation.equations import Terms
from polhode.integrate.host.motion_equations import equations_of
from polhode.lowering.arguments import Leaf
from polhode.lowering.backends import cache
from polhode.lowering.compile import Program
from polhode.lowering.trace import description
from polhode.lowering.trace.description import (
    Untold,
    description_key,
    tree_facts,
    tree_of_facts,
)
from polhode.lowering.trace.known_trace import Trace

X = Leaf("x", (3,), "float64")


def key_of(function: Callable, *leaves: Leaf, folded: Any = ()) -> str | None:
    """The key of a function of some arrays."""
    return description_key(function, None, leaves or (X,), folded)


def described(**changes: Any) -> ph.System:
    """A double pendulum with spring, damper and law, of which parts may differ."""
    has = {
        "m": 1.2,
        "l": 0.8,
        "axis": ph.Y,
        "stiffness": 3.0,
        "gain": 0.5,
        "law": jnp.cos,
        "parameter": "c",
        "point": 0.4,
        "gravity": 9.81,
        "name": "described",
        "order": 1,
        "inertia": 1.0,
    } | changes
    gain, law = has["gain"], has["law"]
    rods = [
        ph.Body(f"rod {k}", ph.solids.rod(mass=has["m"] * scale, length=has["l"]))
        for k, scale in ((1, 1.0), (2, has["inertia"]))
    ]
    first = ph.Revolute(
        "a", ph.World().origin, rods[0].point(0, 0, has["point"]), axis=has["axis"]
    )
    second = ph.Revolute(
        "b", rods[0].point(0, 0, -0.4), rods[1].point(0, 0, 0.4), axis=ph.Y
    )
    damping = ph.Parameter(has["parameter"], 0.1)
    actions = [
        ph.Weight(has["gravity"]),
        ph.JointSpring(first, has["stiffness"], name="spring"),
        ph.JointDamper(second, damping, name="damper"),
        ph.Motor(first, lambda t, q, z: gain * law(q[0] - t), name="motor"),
    ]
    return ph.System([first, second], actions[:: has["order"]], name=has["name"])


def motion_key(**changes: Any) -> str | None:
    """The key of the accelerations of a system."""
    return key_of(equations_of(described(**changes)).functions.accelerations)


@pytest.fixture
def traces(monkeypatch) -> list[str]:
    """The names of functions that are traced from here on."""
    made: list[str] = []
    plain = Program._make_trace

    def counted(program: Program) -> Any:
        made.append(getattr(program.function, "__name__", "?"))
        return plain(program)

    monkeypatch.setattr(Program, "_make_trace", counted)
    return made


# ----------------------------------------------------------------- what must hit


def test_a_system_built_anew_has_the_key_of_the_first():
    """Objects, addresses and lambdas are others; what they say is not."""
    assert motion_key() is not None
    assert motion_key() == motion_key()


def run_of(system: ph.System) -> np.ndarray:
    """The last state of a short run."""
    state = system.state(a=0.4, b=-0.2)
    return np.concatenate(ph.simulate(system, state, until=0.3).final.q[None])


def test_a_system_built_anew_is_not_traced_again(traces):
    """In any verb, and with the same bits."""
    number = np.random.default_rng().uniform(1, 2)  # not in the cache from before

    def asked() -> list[Any]:
        system = described(m=number)
        state = system.state(a=0.4, b=-0.2)
        motion = ph.simulate(system, state, until=0.3)
        step = ph.stepper(system, 0.01)
        found = [motion.q[-1], motion.ledger().work["damper"][-1]]
        found += [ph.sweep(system, [state], until=0.3).q, step(state).q]
        found += [ph.sweep(system, [state, state], until=0.3).q]
        return [*found, step.rollout(state, 3).q, motion["rod 2"].position]

    first = asked()
    assert len(traces) >= 7
    traces.clear()
    second = asked()
    assert traces == []
    assert all(map(np.array_equal, first, second))


# ---------------------------------------------------------------- what must miss


@pytest.mark.parametrize(
    "change",
    [
        {"m": 1.2000000000000002},
        {"l": 0.81},
        {"axis": ph.X},
        {"stiffness": 3.0000001},
        {"gain": 0.25},
        {"law": jnp.sin},
        {"law": lambda x: jnp.cos(x)},
        {"parameter": "d"},
        {"point": 0.40000001},
        {"gravity": 1.62},
        {"order": -1},
        {"inertia": 1.0000001},
    ],
    ids=lambda change: "-".join(change),
)
def test_one_change_misses(change):
    """One number, one law, one value closed over, one axis, one name, one order."""
    assert motion_key(**change) != motion_key()


@given(
    st.sampled_from(["m", "l", "stiffness", "gain", "point", "gravity", "inertia"]),
    st.floats(0.1, 10.0),
    st.floats(0.1, 10.0),
)
def test_keys_are_equal_where_numbers_are(word, one, other):
    """A number is known to its last bit."""
    same = motion_key(**{word: one}) == motion_key(**{word: other})
    assert same == (one == other)


def test_the_answer_follows_the_law(traces):
    """A law that closes over a number that changes is traced for each value of it."""
    number = np.random.default_rng().uniform(1, 2)
    gains, ends = (number, number / 2, number), []
    for gain in gains:
        ends.append(run_of(described(gain=gain)))
    assert not np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[0], ends[2])
    assert len(traces) == 4  # a start and a loop, of two laws


def test_a_law_is_known_by_what_it_is_when_it_is_traced(traces):
    """A list that a law reads may change: the next system is one of the new values."""
    own = np.random.default_rng().uniform(1, 2)
    strength = [own]
    law = lambda x: strength[0] * jnp.cos(x)  # noqa: E731
    first = run_of(described(law=law))
    strength[0] = own + 1.0
    assert not np.array_equal(run_of(described(law=law)), first)
    strength[0] = own
    traces.clear()
    run_of(described(law=law))
    assert traces == []


GLOBAL = 2.0


def by_global(x):
    return GLOBAL * x


def test_a_global_that_a_law_names_counts(monkeypatch):
    """It is part of the law."""
    before = key_of(by_global)
    monkeypatch.setitem(globals(), "GLOBAL", 3.0)
    assert key_of(by_global) != before


def test_methods_and_options_count():
    """A run by another method, or of other shapes, is another program."""
    makers = [ph.methods.DormandPrince, ph.methods.DormandPrince8, ph.methods.Calvo7]
    keys = {fingerprint(maker(), strict=True) for maker in makers}
    assert len(keys) == 3
    shapes = [X, Leaf("x", (4,), "float64"), Leaf("x", (3,), "int64")]
    assert len({key_of(by_global, leaf) for leaf in shapes}) == 3
    folded = [(None,), (np.ones(3),), (np.zeros(3),)]
    assert len({key_of(by_global, folded=each) for each in folded}) == 3
    trees = [jax.tree.structure(each) for each in ((1, 2), [1, 2], {"a": 1, "b": 2})]
    found = {description_key(by_global, tree, (X,), ()) for tree in trees}
    assert len(found) == 3


@pytest.mark.parametrize("library", ["jax", "jaxlib", "numpy"])
def test_another_version_of_a_library_misses(library, monkeypatch):
    """What it traces, or how, may be another."""
    before = key_of(by_global)
    monkeypatch.setattr(sys.modules[library], "__version__", "0.0.0")
    assert key_of(by_global) != before


def test_another_version_of_this_library_misses(monkeypatch, tmp_path):
    """By its number, and by its files: a line that was edited counts."""
    before = key_of(by_global)
    monkeypatch.setattr(description, "_versions", description._versions.__wrapped__)
    monkeypatch.setattr(description, "__version__", "0.0.0")
    assert key_of(by_global) != before
    monkeypatch.undo()
    package = tmp_path / "polhode" / "lowering" / "trace"
    package.mkdir(parents=True)
    file = package / "description.py"
    file.write_text("1")
    monkeypatch.setattr(description, "__file__", str(file))
    monkeypatch.setattr(description, "STARTED", time.time_ns() + 10**12)
    sources = description._sources.__wrapped__
    first = sources()
    assert sources() == first
    (package.parent / "other.py").write_text("2")
    second = sources()
    assert second != first
    file.write_text("3")
    assert sources() != second
    monkeypatch.setattr(description, "STARTED", time.time_ns() - 10**12)
    with pytest.raises(NoFingerprint, match="changed while this process ran"):
        sources()


def test_what_jax_is_set_to_counts():
    """Also for a while only; precision does not, for traces are made in double."""
    before = key_of(by_global)
    with jax.default_matmul_precision("float32"):
        assert key_of(by_global) != before
    with jax.enable_x64(not jax.config.jax_enable_x64):
        assert key_of(by_global) == before
    assert key_of(by_global) == before


# --------------------------------------------------- what cannot be known is traced


def clocked(x):
    return x * time.time()


def by_chance(x):
    return x * random.random()


def by_numpy(x):
    return x * np.random.rand()  # noqa: NPY002


def from_a_file(x):
    return x * float(open("/dev/null").read() or 1)


def from_the_environment(x):
    return x * float(os.environ.get("GAIN", 1.0))


def from_text(x):
    return eval("x * GLOBAL")


def made_up(x):
    return x * globals()["GLOBAL"]


@pytest.mark.parametrize(
    "law",
    [
        clocked,
        by_chance,
        by_numpy,
        from_a_file,
        from_the_environment,
        from_text,
        made_up,
    ],
)
def test_a_law_that_reads_what_is_not_its_own_has_no_key(law):
    """It gives now this and now that, and is traced each time."""
    assert key_of(law) is None
    assert key_of(lambda x: law(x) + 1) is None
    assert key_of(partial(law)) is None
    assert isinstance(fingerprint(law), bytes)  # for files it is known by its code


def test_a_generator_has_no_key():
    """Nobody knows what it gives next."""
    generator = np.random.default_rng(1)
    assert key_of(lambda x: x * generator.normal()) is None


def test_functions_of_a_library_that_are_called_the_same_are_told_apart():
    """Two lambdas of one function have one name; their code is not one."""
    space: dict[str, Any] = {"__name__": "polhode.invented"}
    source = "def both(n):\n    return (lambda x: x + n), (lambda x: x - n)\n"
    exec(source, space)
    plus, minus = space["both"](2.0)
    assert plus.__qualname__ == minus.__qualname__
    assert key_of(plus) is not None
    assert key_of(plus) != key_of(minus)


# --------------------------------------------------------------- trees of results


class Pair(NamedTuple):
    """A named tuple that is not this library's."""

    a: Any
    b: Any


TREES = st.recursive(
    st.sampled_from([None, 1.0]),
    lambda part: (
        st.lists(part, max_size=3)
        | st.lists(part, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), part, max_size=3)
        | st.builds(Terms, part, part, part, part, part)
    ),
    max_leaves=8,
)


@given(TREES)
def test_trees_are_told_as_they_are(tree):
    """Through text and back."""
    structure = jax.tree.structure(tree)
    told = json.loads(json.dumps(tree_facts(structure)))
    assert tree_of_facts(told) == structure


def test_a_tree_of_somebody_elses_class_is_not_told():
    """A class of that name may be another tomorrow: it is traced."""
    with pytest.raises(Untold):
        tree_facts(jax.tree.structure(Pair(1, 2)))
    with pytest.raises(ValueError, match="no named tuple"):
        tree_of_facts({"os:PathLike": ["*"]})


# ------------------------------------------------------------------ on the disk


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "cache"


def scaled(x):
    return 3.0 * jnp.sin(x)


def test_code_that_is_gone_is_made_again(own_cache, traces):
    """The description is there, the code was removed to make room."""
    first = ph.compile(scaled, 1.0)
    (small, large) = sorted(own_cache.iterdir(), key=lambda path: path.stat().st_size)
    assert small.stat().st_size < 1000
    large.unlink()
    second = ph.compile(scaled, 1.0)
    assert traces == ["scaled", "scaled"]
    assert first(0.5) == second(0.5)
    ph.compile(scaled, 1.0)
    assert len(traces) == 2


def test_a_description_of_nobody_is_not_believed(own_cache, traces):
    """It is checked like code: what fails is removed, and traced."""
    ph.compile(scaled, 1.0)
    for path in own_cache.iterdir():
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    assert ph.compile(scaled, 1.0)(0.5) == pytest.approx(3 * np.sin(0.5), rel=1e-15)
    assert traces == ["scaled", "scaled"]


def test_facts_of_another_shape_are_traced_over(own_cache, traces):
    """An entry of this user's that cannot be read is as good as none."""
    program = ph.compile(scaled, 1.0)
    key = program._description_key()
    cache.save(cache.entry_name("description", key), {"name": "?"}, b"")
    ph.compile(scaled, 1.0)
    assert traces == ["scaled", "scaled"]


def test_without_a_cache_everything_is_traced(tmp_path, monkeypatch, traces):
    """A folder that others can write is not read, descriptions neither."""
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("POLHODE_CACHE", str(folder))
    cache._warned.clear()
    with pytest.warns(CacheWarning, match="are not kept"):
        ph.compile(scaled, 1.0)
    ph.compile(scaled, 1.0)
    assert traces == ["scaled", "scaled"]


def test_a_trace_that_is_not_the_one_that_was_known_is_taken(own_cache):
    """Where a description was wrong, code is made of what the function is now."""
    program = ph.compile(scaled, 1.0)
    key = program._description_key()
    facts = program._trace._facts.facts() | {"name": "0" * 64}
    cache.save(cache.entry_name("description", key), facts, b"")
    again = ph.compile(scaled, 1.0)
    assert again._trace.is_made
    assert again(0.5) == program(0.5)


def test_what_runs_on_xla_is_always_traced(own_cache, traces):
    """Its function is what runs."""
    for _ in range(2):
        ph.compile(scaled, 1.0, backend="xla")
    assert len(traces) == 2


SCRIPT = """
    import sys
    import numpy as np
    import polhode as ph
    from polhode.lowering.compile import Program

    made, plain = [], Program._make_trace
    def counted(program):
        made.append(program)
        return plain(program)
    Program._make_trace = counted
    gain = float(sys.argv[1])
    system = ph.models.four_bar()
    state = ph.models.start("double_pendulum")
    motor = ph.Motor(state.system.joints[0], lambda t, q, z: -gain * z, name="brake")
    braked = ph.System(state.system.joints, [*state.system.actions, motor])
    start = ph.State(braked, 0.0, state.q, state.z)
    motion = ph.simulate(braked, start, until=1.0)
    print(len(made), motion.q.tobytes().hex(), motion.ledger().promise)
"""


def test_a_second_process_traces_nothing(tmp_path):
    """And has the bits of the first; another number in a law is traced again."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    own = {"POLHODE_CACHE": f"{tmp_path}/cache", "XDG_STATE_HOME": f"{tmp_path}/state"}

    def told(gain: str) -> list[str]:
        run = subprocess.run(
            [sys.executable, str(script), gain],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **own},
        )
        return run.stdout.split()

    cold, warm, other = told("0.1"), told("0.1"), told("0.2")
    assert int(cold[0]) > 0
    assert int(warm[0]) == 0
    assert warm[1:] == cold[1:]
    assert int(other[0]) > 0
    assert other[1] != cold[1]


def test_a_trace_is_made_when_it_is_asked_for(own_cache):
    """One that is known is not made before."""
    made = ph.compile(scaled, 1.0)._trace
    known = ph.compile(scaled, 1.0)._trace
    assert isinstance(known, Trace)
    assert made.is_made
    assert not known.is_made
    assert str(known.jaxpr) == str(made.jaxpr)
    assert known.is_made
