"""Programs as C and MATLAB source: they compute what the function computes."""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close, ulps
from polhode.errors import ArgumentError, UnsupportedPrimitive
from polhode.lowering.backends.source.c import to_c
from polhode.lowering.backends.source.matlab import to_matlab
from strategies_system import topology

COMPILER = shutil.which("cc")
needs_cc = pytest.mark.skipif(COMPILER is None, reason="no C compiler here")


def many(x, A):
    """Sums, products, functions, a choice, and a matrix."""
    y = A @ jnp.sin(x) + jnp.exp(-x) / (1.0 + x * x)
    z = jnp.where(y > 0.1, jnp.sqrt(jnp.abs(y)), jnp.arctan2(y, x))
    return z, jnp.outer(z, x), y.sum()


def looping(x):
    """Until a number is small: a loop whose length nobody knows before."""
    return jax.lax.while_loop(lambda v: v > 1.0, lambda v: v / 3.0, x)


@pytest.fixture
def library(tmp_path):
    """Text in C -> its functions; warnings are errors."""

    def build(text: str) -> ctypes.CDLL:
        source, target = tmp_path / "program.c", tmp_path / "program.so"
        source.write_text(text)
        flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
        flags += ["-fvisibility=default", "-Wmissing-prototypes"]
        command = [COMPILER, *flags, "-shared", "-fPIC", source, "-o", target, "-lm"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(target))

    return build


def called(function, arguments, shapes) -> list[np.ndarray]:
    given = [np.ascontiguousarray(a, float) for a in arguments]
    outs = [np.empty(shape) for shape in shapes]
    function(*(ctypes.c_void_p(a.ctypes.data) for a in (*given, *outs)))
    return outs


@needs_cc
def test_c_source_compiles_and_gives_the_same_numbers(library):
    """Every result of the C function is ours within three ulp."""
    rng = np.random.default_rng(0)
    x, A = rng.normal(size=3), rng.normal(size=(3, 3))
    names = ("z", "outer", "total")
    text = to_c(many, x, A, name="of_many", results=names, linkage="extern")
    head = "void of_many(const f64 *x, const f64 *A, f64 *z, f64 *outer, f64 *total)"
    assert head in text
    function, program = library(text).of_many, ph.compile(many, x, A)
    for _ in range(20):
        x, A = rng.normal(size=3), rng.normal(size=(3, 3))
        found = called(function, (x, A), [(3,), (3, 3), ()])
        for ours, theirs in zip(program(x, A), found, strict=True):
            assert_close(theirs, ours, rtol=1e-15 * 3)


@needs_cc
def test_loops_without_a_known_length_are_loops_in_c(library):
    """Divisions only: the same bits."""
    text = to_c(looping, 1.0, name="a_loop", linkage="extern")
    function = library(text).a_loop
    for start in (0.5, 7.0, 1e9):
        (found,) = called(function, (start,), [()])
        assert ulps(found, ph.compile(looping, 1.0)(start)) == 0


def tabled(k):
    """A value of a table of constants at an index that the caller chooses."""
    return jnp.array([3.0, 1.0, 4.0, 1.0, 5.0])[k.astype(int)]


@needs_cc
def test_a_name_of_the_c_library_is_not_called_instead(library):
    """glibc has `step` and `index` too: a static function is its file's own."""
    step = to_c(lambda x: 2.0 * x, 1.0, name="step")
    index = to_c(tabled, 1.0, name="index")
    other = to_c(lambda k: 2.0 * tabled(k), 1.0, name="other")
    caller = """
void my_call(const double *x, double *y);
void my_call(const double *x, double *y) {
    double k;
    step(x, &k);
    index(&k, y);
    other(&k, y + 1);
}
"""
    text = step + index + other + caller
    (found,) = called(library(text).my_call, (1.0,), [(2,)])
    assert found.tolist() == [4.0, 8.0]
    with pytest.raises(ArgumentError, match="single words are its own"):
        to_c(lambda x: 2.0 * x, 1.0, name="step", linkage="extern")
    with pytest.raises(ArgumentError, match="the linkage 'global'"):
        to_c(lambda x: 2.0 * x, 1.0, linkage="global")


@needs_cc
def test_the_equations_of_a_pendulum_run_in_c(library):
    """The accelerations that C gives are those of the equations."""
    system = topology("double_pendulum")
    equations = ph.gauss(system)
    reading = equations.read()
    text = reading.c()
    function = library(text).double_pendulum_accelerations
    state = system.state(shoulder=0.4, elbow=-1.1, speeds={"shoulder": 0.7})
    (found,) = called(function, (state.t, state.q, state.z), [(2,)])
    assert_close(found, equations.accelerations(state), rtol=1e-14)
    ran = evaluated(reading.matlab(), state.t, state.q, state.z)
    assert_close(ran["y_dot"], equations.accelerations(state), rtol=1e-14)


def evaluated(text: str, *arguments) -> dict:
    """What straight MATLAB code assigns, read as Python."""
    lines = text.splitlines()
    head = re.fullmatch(r"function \[(.*)\] = (\w+)\((.*)\)", lines[0])
    results, names = head[1].split(", "), head[3].split(", ")
    words = ("sin", "cos", "exp", "sqrt", "atan2")
    scope = {word: getattr(math, word) for word in words}
    scope |= {"abs": abs, "choose": lambda c, a, b: a if c else b}
    scope |= {"only_real": float}
    for name, value in zip(names, arguments, strict=True):
        array = np.asarray(value, float).reshape(np.shape(value) or (1,))
        scope[name] = lambda *k, array=array: float(array[tuple(np.array(k) - 1)])
    for line in lines[1 : lines.index("end")]:
        name, value = line.strip().removesuffix(";").split(" = ", 1)
        if value.startswith("["):
            rows = value[1:-1].split("; ")
            value = "[" + ", ".join(f"[{row}]" for row in rows) + "]"
        scope[name] = eval(value.replace("^", "**"), {}, scope)
    found = {name: np.array(scope[name], float) for name in results}
    return {
        n: v[:, 0] if v.ndim == 2 and v.shape[1] == 1 else v for n, v in found.items()
    }


def test_matlab_source_computes_the_same():
    """Read line by line, the MATLAB function gives our numbers to rounding."""
    rng = np.random.default_rng(1)
    x, A = rng.normal(size=3), rng.normal(size=(3, 3))
    text = to_matlab(many, x, A, name="many", results=("z", "outer", "total"))
    assert text.startswith("function [z, outer, total] = many(x, A)\n")
    assert "function r = choose(c, a, b)" in text
    program = ph.compile(many, x, A)
    for _ in range(5):
        x, A = rng.normal(size=3), rng.normal(size=(3, 3))
        found = evaluated(text, x, A)
        for name, ours in zip(("z", "outer", "total"), program(x, A), strict=True):
            assert_close(found[name], ours, rtol=1e-14)


def test_matlab_refuses_loops():
    """What is not straight code is refused, with the way out."""
    with pytest.raises(UnsupportedPrimitive, match="Write C source of it"):
        to_matlab(looping, 1.0, name="looping")


def test_names_in_source_are_clear():
    """A result is not called as an argument is, and each has a name."""
    with pytest.raises(ArgumentError, match="uses the name 'x' twice"):
        to_c(lambda x: 2.0 * x, 1.0, results=("x",))
    with pytest.raises(ArgumentError, match="1 results and 2 names"):
        to_c(lambda x: 2.0 * x, 1.0, results=("y", "z"))
    assert "const f64 *v1_" in to_c(lambda v1: 2.0 * v1, 1.0)


@pytest.mark.parametrize("word", ["sin", "end", "double", "choose"])
def test_words_of_the_languages_are_no_names(word):
    """An argument called as a word of C or MATLAB, or a function there, is renamed."""
    scope: dict = {"jnp": jnp}
    exec(f"def f({word}): return jnp.sin({word})", scope)
    assert f"compute(const f64 *{word}_," in to_c(scope["f"], 1.0)
    assert f"compute({word}_)" in to_matlab(scope["f"], 1.0)
