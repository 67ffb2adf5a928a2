"""Programs inside JAX: the bits of native code, the derivatives of the trace."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

import polhode as ph
from polhode.arrays import scanned
from polhode.errors import ArgumentError, CompileError
from polhode.lowering import native_jax
from polhode.lowering.backends.llvm import xla_handler
from polhode.lowering.ir.program import Unlowerable
from polhode.lowering.native_jax import native

DT = 0.01


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64(True):
        yield


def law(x, y, table):
    """Elementary functions, a loop of unknown length, a flag and a count."""
    turns = lax.while_loop(lambda s: s[1] > 0.1, lambda s: (s[0] + 1, s[1] / 2), (0, y))
    pulled = jnp.sin(x) * y + table["k"] * x @ x
    return {"force": pulled, "up": x > 0, "turns": turns[0], "energy": jnp.sum(x**2)}


EXAMPLES = (np.array([0.3, -1.2, 2.0]), 0.7, {"k": 1.5})


@pytest.fixture(scope="module")
def program():
    return ph.compile(law, *EXAMPLES, backend="llvm")


@pytest.fixture(scope="module")
def pendulum():
    start = ph.models.start("double_pendulum")
    return start, ph.stepper(start.system, DT)


def same(one, other):
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_it_has_the_bits_of_the_program(program, wrap):
    """Called plainly or under jit: one code, one result."""
    assert same(wrap(program.jax)(*EXAMPLES), program(*EXAMPLES))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 9), st.integers(1, 3), st.integers(0, 2**31))
def test_a_vmap_is_a_batch_with_the_same_bits(program, many, more, seed):
    """One axis or two, of any length, over some of the arguments or all."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(more, many, 3))
    y = random.uniform(0.2, 2.0, size=many)
    run = jax.vmap(jax.vmap(program.jax, (0, 0, None)), (0, None, None))
    got = run(x, y, {"k": 1.5})
    for i in range(more):
        for j in range(many):
            one = program(x[i, j], y[j], {"k": 1.5})
            assert same(jax.tree.map(lambda a, i=i, j=j: a[i, j], got), one)


def flat(f):
    def of(x, y, k):
        out = f(x, y, {"k": k})
        return jnp.concatenate([out["force"], out["energy"][None]])

    return of


DERIVATIVES = {
    "forward": lambda f: jax.jacfwd(f, (0, 1, 2)),
    "of some": lambda f: jax.jacfwd(f, 1),
    "second, forward": lambda f: jax.jacfwd(jax.jacfwd(f, (0, 2)), (0, 1)),
    "of a batch": lambda f: (
        lambda x, y, k: jax.vmap(jax.jacfwd(f), (None, 0, None))(
            x, y * np.arange(1.0, 5.0), k
        )
    ),
    "in a checkpoint": lambda f: jax.jacfwd(jax.checkpoint(f)),
}


@pytest.mark.parametrize("transform", DERIVATIVES.values(), ids=DERIVATIVES)
def test_derivatives_are_those_of_the_traced_function(program, transform):
    """A loop of unknown length has only forward ones, here as in JAX."""
    at = (jnp.array(EXAMPLES[0]), 0.7, 1.5)
    got = jax.jit(transform(flat(program.jax)))(*at)
    wanted = jax.jit(transform(flat(law)))(*at)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def swing(q, z):
    """A step of two coupled pendulums, cheap enough for XLA to differentiate twice."""
    z = z - 0.01 * (9.81 * jnp.sin(q) + jnp.array([0.3, -0.3]) * (q[0] - q[1]))
    return q + 0.01 * z, z


def after(step, length=20):
    def loss(q, z):
        def turn(c, _):
            return step(*c), None

        q, z = lax.scan(turn, (q, z), None, length=length)[0]
        return jnp.sum(q**2) + jnp.sum(z * q)

    return loss


TRANSFORMS = {
    "value": lambda f: f,
    "gradient": lambda f: jax.grad(f, (0, 1)),
    "batch of gradients": lambda f: (
        lambda q, z: jax.vmap(jax.grad(f), (0, None))(
            q + jnp.linspace(0.0, 0.1, 3)[:, None], z
        )
    ),
    "hessian": jax.hessian,
    "hessian in reverse": lambda f: jax.jacrev(jax.grad(f)),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_rollout_is_differentiated_as_its_trace_is(transform):
    """Forward, reverse and twice through a scan of steps."""
    at = (jnp.array([2.0, 0.5]), jnp.array([0.1, -0.3]))
    got = jax.jit(transform(after(native(swing))))(*at)
    wanted = jax.jit(transform(after(swing)))(*at)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def test_a_step_inside_jax_is_the_step_of_python(pendulum):
    """`step.jax` and `step` give equal bits."""
    start, step = pendulum
    at = (0.0, start.q, start.z, {})
    there = step(start)
    assert same(jax.jit(step.jax)(*at), (there.q, there.z))


def test_the_gradient_of_a_rollout_is_that_of_its_differences(pendulum):
    """Twenty steps of a double pendulum, against the native steps of Python."""
    start, step = pendulum
    loss = after(lambda q, z: tuple(step.jax(0.0, q, z, {})))
    slopes = jax.jit(jax.grad(loss, (0, 1)))(start.q, start.z)
    h, value = 1e-5, jax.jit(loss)
    for k, slope in enumerate(slopes):
        for i in range(2):
            ends = []
            for sign in (1.0, -1.0):
                at = [start.q.copy(), start.z.copy()]
                at[k][i] += sign * h
                ends.append(float(value(*at)))
            assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(
                float(slope[i]), rel=1e-7
            )


def test_inputs_of_a_step_are_arguments():
    """Motors are moved from inside a trace, and their derivative is had."""
    arm = ph.Body("arm", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, arm.origin, axis=(1, 0, 0))
    system = ph.System([hinge], actions=[ph.Motor(hinge, 0.0, name="motor")])
    step = ph.stepper(system, DT, inputs=["motor"])
    start = system.rest()

    def speed(torque):
        return step.jax(0.0, start.q, start.z, {"motor": torque})[1][0]

    inertia = ph.recursive(system).mass_matrix(start)[0, 0]
    assert jax.grad(speed)(2.0) == pytest.approx(DT / inertia, rel=1e-12)


def test_equations_are_native_functions(pendulum):
    """`equations.jax` has the functions of the form, made once."""
    start, _ = pendulum
    equations = ph.lagrange(start.system)
    y_dot, _ = jax.jit(equations.jax.accelerations)(0.0, start.q, start.z, {})
    np.testing.assert_allclose(y_dot, equations.accelerations(start), rtol=1e-14)
    mass = jax.vmap(lambda q: equations.jax.terms(0.0, q, start.z, {}).mass_matrix)
    np.testing.assert_allclose(
        mass(start.q[None])[0], equations.mass_matrix(start), rtol=1e-14
    )
    assert equations.jax is equations.jax


def test_inside_another_program_it_is_taken_in(program):
    """No call from native code to native code: one program of both."""
    whole = ph.compile(
        lambda x: jax.vmap(lambda y: program.jax(x, y, {"k": 1.5})["force"])(
            jnp.array([0.5, 0.7])
        ),
        EXAMPLES[0],
    )
    assert whole.report().backend == "llvm"
    wanted = program(*EXAMPLES)["force"]
    np.testing.assert_allclose(whole(EXAMPLES[0])[1], wanted, rtol=1e-15)
    other = ph.compile(lambda x: 2.0 * law(x, 0.7, {"k": 1.5})["force"], EXAMPLES[0])
    again = ph.compile(lambda x: other.jax(x), EXAMPLES[0])
    first = ph.compile(lambda x: program.jax(x, 0.7, {"k": 1.5})["force"], EXAMPLES[0])
    assert not np.allclose(again(EXAMPLES[0]), first(EXAMPLES[0]))


def test_scratch_memory_beyond_the_stack(monkeypatch):
    """Much of it is taken from the heap, and given back."""
    monkeypatch.setattr(xla_handler, "ON_STACK", 16)

    def long(x):
        turn = lambda k, t: t.at[k].set(x * t[k - 1] + 1.0)  # noqa: E731
        return lax.fori_loop(1, 40, turn, jnp.zeros(40))[-3:]

    program = ph.compile(long, 0.3, unroll=0, backend="llvm")
    assert program.report().scratch > xla_handler.ON_STACK
    got = jax.jit(jax.vmap(program.jax))(jnp.linspace(0.0, 1.0, 9))
    for x, row in zip(np.linspace(0.0, 1.0, 9), got, strict=True):
        assert np.array_equal(row, program(x))


def turned_until_it_holds(a, b):
    """x with (2 + a^2) x = b, by a marked loop and one of unknown length."""
    diagonal = scanned(lambda s, v: (s, 2 + v * v), None, a)[1]

    def solved(_, b):
        def turn(x):
            return x - (diagonal * x - b) / (diagonal + 0.1)

        def goes_on(x):
            return jnp.max(jnp.abs(diagonal * x - b)) > 1e-15

        return lax.while_loop(goes_on, turn, b)

    return lax.custom_linear_solve(lambda x: diagonal * x, b, solved, symmetric=True)


def test_loops_of_unknown_length_go_backwards_where_their_answer_does():
    """What a solve iterates need not be: its derivative is a solve, in native code."""
    a, b, w = np.array([0.3, -1.2, 2.0]), np.array([1.0, -0.5, 0.2]), np.arange(3.0)
    weighed = native(turned_until_it_holds)

    def cost(f, a, b):
        return jnp.sum(w * f(a, b) ** 2)

    def closed(a, b):
        return b / (2 + a * a)

    wanted = jax.grad(lambda *at: cost(closed, *at), (0, 1))(a, b)
    found = jax.grad(lambda *at: cost(weighed, *at), (0, 1))(a, b)
    np.testing.assert_allclose(np.stack(found), np.stack(wanted), rtol=1e-13)
    many = jax.vmap(jax.grad(lambda *at: cost(weighed, *at)), (0, None))
    rows = many(np.stack([a, b]), b)
    np.testing.assert_allclose(rows[0], wanted[0], rtol=1e-13)


def test_functions_of_nothing_and_of_empty_arrays():
    """No arguments, no elements, no results."""
    assert native(lambda: jnp.ones(3) * 2.0)().tolist() == [2.0, 2.0, 2.0]
    assert native(lambda x: x)(np.zeros((0, 3))).shape == (0, 3)
    assert native(lambda x: {})(1.0) == {}


def test_what_has_no_native_code_is_traced():
    """XLA runs it then, and the answer is the same."""
    program = ph.compile(lambda x: jnp.linalg.svd(x)[1], np.eye(30), backend="auto")
    if program.report().backend != "xla":
        pytest.skip("singular values have native code by now")
    np.testing.assert_allclose(jax.jit(program.jax)(np.eye(30)), np.ones(30))


# ---------------------------------------------------------------------- refusals


def test_single_precision_is_refused(program):
    """Half of the digits would be lost in silence."""
    with jax.enable_x64(False), pytest.raises(CompileError, match="32 bits"):
        program.jax(*EXAMPLES)


def test_other_shapes_and_types_are_refused(program):
    """By name, with what was given and what is taken."""
    with pytest.raises(ArgumentError, match=r"'x' has shape \(4,\), not \(3,\)"):
        program.jax(np.zeros(4), 0.7, {"k": 1.5})
    with pytest.raises(ArgumentError, match="'x' has dtype int64, not float64"):
        program.jax(np.zeros(3, int), 0.7, {"k": 1.5})
    with pytest.raises(ArgumentError, match="arguments do not fit"):
        program.jax(np.zeros(3), 0.7)


def test_an_unknown_version_of_the_interface_is_refused(monkeypatch, tmp_path):
    """A header of another version, or without one."""
    folder = tmp_path / "xla" / "ffi" / "api"
    folder.mkdir(parents=True)
    header = folder / "c_api.h"
    header.write_text("#define XLA_FFI_API_MAJOR 1\n#define XLA_FFI_API_MINOR 0\n")
    monkeypatch.setattr(jax.ffi, "include_dir", lambda: str(tmp_path))
    for text in (header.read_text(), "no version"):
        header.write_text(text)
        xla_handler.interface_version.cache_clear()
        with pytest.raises(CompileError, match="foreign-function interface"):
            xla_handler.interface_version()
    monkeypatch.undo()
    xla_handler.interface_version.cache_clear()
    assert xla_handler.interface_version()[0] == 0


# ---------------------------------------------------------------------- lifetimes


def test_code_outlives_the_program():
    """An executable of XLA may be the last that knows of it."""
    import gc

    def build():
        program = ph.compile(lambda x: jnp.sin(x) * 3.0, 0.5)
        return jax.jit(program.jax).lower(0.5).compile()

    executables = [build() for _ in range(20)]
    gc.collect()
    assert all(float(e(0.5)) == 3.0 * np.sin(0.5) for e in executables)


def test_a_hundred_thousand_calls_take_no_memory(program):
    """What a call allocates it gives back."""
    import resource

    run = jax.jit(
        lambda x: lax.fori_loop(
            0, 100_000, lambda _, c: program.jax(c, 0.7, {"k": 0.0})["force"] * 0.5, x
        )
    )
    jax.block_until_ready(run(EXAMPLES[0]))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    jax.block_until_ready(run(EXAMPLES[0]))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # kB


SCRIPT = """
    import jax, numpy as np
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_compilation_cache_dir", {folder!r})
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    import jax.numpy as jnp
    import polhode as ph
    program = ph.compile(lambda x: jnp.cos(x) * {factor}, 0.5)
    print(repr(float(jax.jit(program.jax)(0.5))))
"""


def test_executables_that_xla_keeps_on_disk_call_the_right_code(tmp_path):
    """A second process finds them; one with another law does not take them."""
    answers = []
    for factor in (2.0, 2.0, 5.0):
        script = textwrap.dedent(SCRIPT).format(folder=str(tmp_path), factor=factor)
        found = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            env=dict(os.environ),
            check=True,
        )
        answers.append(float(found.stdout))
    assert answers == pytest.approx([f * np.cos(0.5) for f in (2, 2, 5)], rel=1e-15)


def test_a_derivative_without_native_code_is_refused_with_its_size(monkeypatch):
    """Of loops over tables that are gone through backwards it may be too large."""

    def none(*_):
        raise Unlowerable("the whole", "its arrays are large")

    monkeypatch.setattr(native_jax, "NativeRunner", none)
    program = native(lambda x: jnp.cumsum(x) * x)
    with pytest.raises(CompileError, match="of 3 numbers has no native code: its arr"):
        jax.jit(jax.grad(lambda x: program(x).sum()))(np.ones(3))
