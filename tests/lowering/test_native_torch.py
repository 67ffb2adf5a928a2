"""Programs on PyTorch's tensors: the bits of native code, the derivatives of the trace.

PyTorch is large and no part of what the tests install: `make test-torch`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.errors import ArgumentError

torch = pytest.importorskip("torch")

EXAMPLES = (np.array([0.3, -1.2, 2.0]), 0.7, {"k": 1.5})


def law(x, y, table):
    """Elementary functions, a loop of unknown length, a flag and a count."""
    turns = lax.while_loop(lambda s: s[1] > 0.1, lambda s: (s[0] + 1, s[1] / 2), (0, y))
    pulled = jnp.sin(x) * y + table["k"] * x @ x
    return {"force": pulled, "up": x > 0, "turns": turns[0], "energy": jnp.sum(x**2)}


@pytest.fixture(scope="module")
def program():
    return ph.compile(law, *EXAMPLES, backend="llvm")


@pytest.fixture(scope="module")
def pendulum():
    start = ph.models.start("double_pendulum")
    return start, ph.stepper(start.system, 0.01)


def tensors(*arrays):
    return [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]


def test_it_has_the_bits_of_the_program(program):
    """One code, one result; flags and counts come as tensors of their type."""
    ours, theirs = (
        program(*EXAMPLES),
        program.torch(torch.tensor(EXAMPLES[0]), 0.7, {"k": 1.5}),
    )
    assert theirs["up"].dtype == torch.bool
    for name, value in ours.items():
        assert np.array_equal(theirs[name].numpy(), value)


def test_many_systems_have_the_bits_of_one(program):
    """A `vmap`, and one within another, run the lanes of the same program."""
    x = torch.tensor(np.random.default_rng(3).normal(size=(4, 5, 3)))
    y = torch.linspace(0.2, 3.0, 5, dtype=torch.float64)
    table = {"k": torch.tensor(1.5, dtype=torch.float64)}
    inner = torch.vmap(program.torch, in_dims=(0, 0, None))
    many = torch.vmap(inner, in_dims=(0, None, None))(x, y, table)
    for i, j in np.ndindex(4, 5):
        alone = program(x[i, j].numpy(), float(y[j]), {"k": 1.5})
        for name, value in alone.items():
            assert np.array_equal(many[name][i, j].numpy(), value)


def test_an_empty_batch_gives_an_empty_batch(program):
    """No system, no result, and no error."""
    none = torch.zeros((0, 3), dtype=torch.float64)
    found = torch.vmap(lambda x: program.torch(x, 0.7, {"k": 1.5})["force"])(none)
    assert tuple(found.shape) == (0, 3)


# PyTorch itself uses what it has deprecated.
@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_derivatives_are_those_of_the_differences(program):
    """First and second, reverse and forward, by PyTorch's own check."""

    def force(x, y, k):
        found = program.torch(x, y, {"k": k})
        return found["force"], found["energy"]

    given = tensors(EXAMPLES[0], 0.7, 1.5)
    assert torch.autograd.gradcheck(force, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(force, given)


def test_derivatives_of_many_are_those_of_one(program):
    """`vmap` of `grad` runs batches of the Jacobian."""

    def energy(x):
        return program.torch(x, 0.7, {"k": 1.5})["force"].sum()

    x = torch.tensor(np.random.default_rng(5).normal(size=(6, 3)))
    many = torch.vmap(torch.func.grad(energy))(x)
    for k in range(6):
        assert torch.equal(many[k], torch.func.grad(energy)(x[k]))


def test_a_gradient_of_steps_is_that_of_jax(pendulum):
    """Fifty steps, by autograd here and by JAX there."""
    start, step = pendulum

    def miss(z):
        q = torch.tensor(start.q)
        for _ in range(50):
            q, z = step.torch(0.0, q, z, {})
        return (q**2).sum() + (z**2).sum()

    def their_miss(z):
        def turn(state, _):
            return tuple(step.jax(0.0, *state, {})), None

        (q, z), _ = lax.scan(turn, (jnp.asarray(start.q), z), None, length=50)
        return jnp.sum(q**2) + jnp.sum(z**2)

    (z,) = tensors(start.z)
    miss(z).backward()
    with jax.enable_x64(True):
        expected = jax.grad(their_miss)(jnp.asarray(start.z))
    np.testing.assert_allclose(z.grad.numpy(), expected, rtol=1e-12)


def test_equations_take_tensors(pendulum):
    """The accelerations of a form."""
    start, _ = pendulum
    equations = ph.lagrange(start.system)
    q, z = tensors(start.q, start.z)
    y_dot, _ = equations.torch.accelerations(start.t, q, z, {})
    np.testing.assert_allclose(
        y_dot.detach(), equations.accelerations(start), rtol=1e-12
    )
    y_dot.sum().backward()
    assert q.grad.abs().max() > 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (torch.zeros(3), r"'x' is of torch.float32.*tensor.double\(\)"),
        (torch.zeros(4).double(), r"'x' has shape \(4,\), not \(3,\).*torch.vmap"),
    ],
    ids=["single", "shape"],
)
def test_what_does_not_fit_is_refused(program, given, says):
    """By name, with what to do."""
    with pytest.raises(ArgumentError, match=f"(?s){says}"):
        program.torch(given, 0.7, {"k": 1.5})


def test_a_gpu_keeps_its_tensors(program):
    """On a card the results have the bits of the CPU, and stay there."""
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    pytest.importorskip("cupy")
    x = torch.tensor(np.random.default_rng(7).normal(size=(64, 3)))
    run = torch.vmap(lambda x: program.torch(x, 0.7, {"k": 1.5})["force"])
    found = run(x.cuda())
    assert found.is_cuda
    assert torch.equal(found.cpu(), run(x))
