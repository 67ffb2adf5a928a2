"""Fingerprints of functions: other for other code or values, equal for the same."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import textwrap
import types

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.fingerprint import NoFingerprint, fingerprint

SOURCE = """
import enum, functools, math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple
import jax, jax.numpy as jnp, numpy as np

GAIN = 2.5
UNUSED = 1.0
GAINS = np.array([1.0, 2.0])
NAMES = {"a", "b", "c"}

def helper(x):
    return deeper(x) + 1.0

def deeper(x):
    return 3.0 * x

class Base:
    slope = 1.5

    def at(self, t):
        return self.slope * t

class Spring(Base):
    def __init__(self, k):
        self.k = k
        self.offsets = [0.0, 0.25]

    def force(self, t, state):
        return -self.k * self.at(t) + self.offsets[1]

    @property
    def doubled(self):
        return 2.0 * self.k

@dataclass(frozen=True)
class Gains:
    p: float
    d: float = 0.5

    def __call__(self, t, state):
        return self.p * t + self.d

class Pair(NamedTuple):
    first: float
    second: float = 7.0

class Mode(enum.Enum):
    SLOW = 1.0
    FAST = 2.0

def factory(k):
    table = [1.0, 2.0]
    def law(t, state, scale=4.0, *, shift=6.0):
        def inner(x):
            return x * 5.0
        return k * inner(t) * scale + shift + GAIN + helper(t) + table[1]
    return law

def recursive(n):
    return 1.0 if n == 0 else n * recursive(n - 1)

class Slotted:
    __slots__ = ("a", "b")
    def __init__(self):
        self.a = 11.0
    def law(self, t):
        return self.a * t

LAWS = {
    "closure": factory(1.25),
    "global array": lambda t: GAINS[0] * t,
    "set": lambda t: 1.0 if "a" in NAMES else t,
    "constant set": lambda t: t in {1.5, 2.5, "x"},
    "method": Spring(8.0).force,
    "property": (lambda spring: lambda t: spring.doubled * t)(Spring(9.0)),
    "callable": Gains(12.0),
    "partial": functools.partial(factory(13.0), scale=jnp.array([1.0, 14.0])),
    "tuple": (lambda pair: lambda t: pair.first * t)(Pair(15.0)),
    "enum": lambda t: Mode.FAST.value * t,
    "recursive": recursive,
    "slots": Slotted().law,
    "jit": jax.jit(factory(16.0)),
    "vmap": jax.vmap(lambda t: jnp.sin(t) * GAIN),
    "grad": jax.grad(lambda t: helper(t) ** 2.0),
    "namespace": (lambda all: lambda t: all.k * t)(SimpleNamespace(k=17.0)),
    "library": lambda t: math.sin(t) + np.pi + jnp.linalg.norm(jnp.ones(2)),
}
"""


def laws(source=SOURCE, name="laws", file="/one/place.py"):
    """The laws of a source, as a module of the user's makes them."""
    module = types.ModuleType(name)
    sys.modules[name] = module  # as dataclasses look for it
    try:
        exec(compile(source, file, "exec", dont_inherit=True), vars(module))
    finally:
        del sys.modules[name]
    return module.LAWS


def digests(source=SOURCE, **where):
    return {name: fingerprint(law) for name, law in laws(source, **where).items()}


BEFORE = digests()


def test_all_laws_differ():
    """No two of them do the same."""
    assert len(set(BEFORE.values())) == len(BEFORE)


def test_neither_place_nor_lines_nor_module_count():
    """The same text elsewhere is the same law."""
    assert digests("\n\n# a comment\n" + SOURCE, name="other", file="/b.py") == BEFORE


def test_another_process_finds_the_same(tmp_path):
    """Whatever its seed of hashes, its addresses and its cached byte code."""
    (tmp_path / "laws_of_mine.py").write_text(SOURCE)
    script = """
        from polhode.fingerprint import fingerprint
        from laws_of_mine import LAWS
        for name, law in sorted(LAWS.items()):
            print(fingerprint(law).hex())
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    expected = [BEFORE[name].hex() for name in sorted(BEFORE)]
    for seed in ("1", "2"):  # the second time from the byte code of the first
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        environment["PYTHONPATH"] = os.pathsep.join(
            [str(tmp_path), environment.get("PYTHONPATH", "")]
        )
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        assert done.stdout.decode().split() == expected


CHANGES = {
    "k * inner(t)": ("1.5 * k * inner(t)", {"closure", "partial", "jit"}),
    "x * 5.0": ("x * 5.5", {"closure", "partial", "jit"}),
    "scale=4.0": ("scale=4.5", {"closure", "partial", "jit"}),
    "shift=6.0": ("shift=6.5", {"closure", "partial", "jit"}),
    "GAIN = 2.5": ("GAIN = 2.75", {"closure", "partial", "jit", "vmap"}),
    "deeper(x) + 1.0": ("deeper(x) + 2.0", {"closure", "partial", "jit", "grad"}),
    "3.0 * x": ("3.5 * x", {"closure", "partial", "jit", "grad"}),
    "table = [1.0, 2.0]": ("table = [1.0, 2.5]", {"closure", "partial", "jit"}),
    "factory(1.25)": ("factory(1.5)", {"closure"}),
    "np.array([1.0, 2.0])": ("np.array([1.0, 2.5])", {"global array"}),
    "array([1.0, 2.0])\n": ("array([1.0, 2.0], np.float32)\n", {"global array"}),
    '{"a", "b", "c"}': ('{"a", "b"}', {"set"}),
    '{1.5, 2.5, "x"}': ('{1.5, 2.5, "y"}', {"constant set"}),
    "slope = 1.5": ("slope = 1.75", {"method", "property"}),
    "self.slope * t": ("self.slope * t * t", {"method", "property"}),
    "Spring(8.0)": ("Spring(8.5)", {"method"}),
    "[0.0, 0.25]": ("[0.0, 0.5]", {"method", "property"}),
    "2.0 * self.k": ("2.5 * self.k", {"method", "property"}),
    "Gains(12.0)": ("Gains(12.5)", {"callable"}),
    "d: float = 0.5": ("d: float = 0.75", {"callable"}),
    "self.p * t + self.d": ("self.p * t - self.d", {"callable"}),
    "14.0": ("14.5", {"partial"}),
    "Pair(15.0)": ("Pair(15.5)", {"tuple"}),
    "second: float = 7.0": ("second: float = 7.5", {"tuple"}),
    "FAST = 2.0": ("FAST = 2.5", {"enum"}),
    "n * recursive": ("n + recursive", {"recursive"}),
    "self.a = 11.0": ("self.a = 11.5", {"slots"}),
    "factory(16.0)": ("factory(16.5)", {"jit"}),
    "jnp.sin(t) * GAIN": ("jnp.cos(t) * GAIN", {"vmap"}),
    "** 2.0": ("** 3.0", {"grad"}),
    "k=17.0": ("k=17.5", {"namespace"}),
    "np.pi": ("np.e", {"library"}),
    "linalg.norm": ("linalg.det", {"library"}),
    "UNUSED = 1.0": ("UNUSED = 2.0", set()),
    "# nothing": ("# nothing", set()),
}


@pytest.mark.parametrize("old", CHANGES)
def test_one_change_changes_just_the_laws_that_use_it(old):
    """A number, default, closed-over value, global, helper, attribute, method."""
    new, expected = CHANGES[old]
    after = digests(SOURCE.replace(old, new))
    assert {name for name in BEFORE if after[name] != BEFORE[name]} == expected


# ------------------------------------------------------------------------ values


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, width=16)
    | st.text(max_size=2)
    | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=5,
)


def closing_over(value):
    return lambda t: (value, t)


def told(value):
    """What Python knows of a value, types and signs of zeros included."""
    return repr(value)


@given(VALUES, VALUES)
def test_two_values_have_one_fingerprint_if_they_are_one(a, b):
    """True is not 1 and not 1.0, 0.0 is not -0.0, [] is not ()."""
    same = fingerprint(closing_over(a)) == fingerprint(closing_over(b))
    assert same == (told(a) == told(b))


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=4), st.data())
def test_arrays_are_told_by_their_bits(numbers, data):
    """One bit of one element is enough, in NumPy's and in JAX's."""
    array = np.array(numbers)
    before = fingerprint(closing_over(array))
    assert fingerprint(closing_over(array.copy())) == before
    place = data.draw(st.integers(0, len(numbers) * 8 - 1))
    array.view(np.uint8)[place] ^= 1
    assert fingerprint(closing_over(array)) != before


def test_shapes_and_types_of_arrays_count():
    """The same bytes are not the same numbers."""
    x = np.arange(4.0)
    each = [x, x.reshape(2, 2), x.view(np.int64), x.view("c16"), jnp.float32(1.0)]
    assert len({fingerprint(closing_over(v)) for v in each}) == len(each)


def test_an_attribute_of_an_object_closed_over_counts():
    """It is what the law computes with."""

    class Plant:
        def __init__(self):
            self.mass = 1.0

        @functools.cached_property
        def weight(self):
            return 9.81 * self.mass

    plant = Plant()

    def law(t):
        return plant.weight * t

    before = fingerprint(law)
    assert law(1.0) == 9.81
    assert fingerprint(law) == before  # what it remembers is not what it is
    plant.mass = 2.0
    assert fingerprint(law) != before


def test_a_function_of_a_module_of_the_user_counts():
    """`module.part` is read, not only its name; other parts do not matter."""
    module = types.ModuleType("user_module")
    module.gain, module.other = 1.0, 2.0

    def law(t):
        return module.gain * t

    before = fingerprint(law)
    module.other = 3.0
    assert fingerprint(law) == before
    module.gain = 1.5
    assert fingerprint(law) != before


def test_a_file_called_as_one_of_pythons_modules_is_read(tmp_path, monkeypatch):
    """`code.py` beside a script is the user's."""
    from polhode import fingerprint as module

    found = types.ModuleType("this")
    found.__file__, found.gain = str(tmp_path / "this.py"), 1.0
    monkeypatch.setitem(sys.modules, "this", found)
    module._is_library.cache_clear()

    def law(t):
        return found.gain * t

    before = fingerprint(law)
    found.gain = 2.0
    assert fingerprint(law) != before
    module._is_library.cache_clear()


@pytest.mark.parametrize("name", ["pendulum", "arm", "satellite", "four_bar"])
def test_a_system_has_a_fingerprint_that_runs_do_not_change(name):
    """What is compiled and remembered on the way is no part of it."""
    start = ph.models.start(name)
    before = fingerprint(start.system)
    ph.simulate(start.system, start, until=0.01)
    assert fingerprint(start.system) == before
    assert fingerprint(ph.models.start(name).system) == before


def test_equations_and_programs_have_one_that_use_does_not_change():
    """A control law closes over them; what they have compiled is no part of them."""
    start = ph.models.start("double_pendulum")
    equations = ph.kane(start.system)
    law = closing_over(equations)
    before = fingerprint(law)
    equations.accelerations(start)
    assert equations.programs
    assert fingerprint(law) == before
    assert fingerprint(closing_over(ph.lagrange(start.system))) != before
    double, triple = (ph.compile(lambda x, k=k: k * x, 1.0) for k in (2.0, 3.0))
    assert fingerprint(closing_over(double)) != fingerprint(closing_over(triple))


# ---------------------------------------------------------------------- refusals


GENERATOR = np.random.default_rng(0)


def random_law(t):
    return GENERATOR.normal() * t


def importing_law(t):
    import hypothesis

    return hypothesis.__version__


def whole_module(t):
    return vars(pytest)[t]


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (random_law, "numpy.random._generator.Generator"),
        (closing_over(open(os.devnull)), "_io.TextIOWrapper"),  # noqa: SIM115
        (closing_over(x for x in "ab"), "generator"),
        (importing_law, "imports 'hypothesis' inside"),
        (whole_module, "hands on the module 'pytest' as a whole"),
    ],
)
def test_what_cannot_be_told_is_refused_with_the_reason(law, words):
    """Rather than taken for the same."""
    with pytest.raises(NoFingerprint, match=words):
        fingerprint(law)


def test_a_class_may_tell_its_objects_apart():
    """By text of its own, which counts in place of its content."""

    class Handle:
        def __init__(self, name):
            self.name, self.generator = name, (x for x in "ab")

        def __fingerprint__(self):
            return self.name

    one, same, other = (closing_over(Handle(n)) for n in ("a", "a", "b"))
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    Handle.__fingerprint__ = lambda self: 3.0
    with pytest.raises(NoFingerprint, match="not text or bytes"):
        fingerprint(one)
