"""MATLAB source, run by Octave where it is installed."""

from __future__ import annotations

import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.lowering.backends.source.matlab import to_matlab
from strategies_system import random_state, topology

OCTAVE = shutil.which("octave-cli")
pytestmark = pytest.mark.skipif(OCTAVE is None, reason="no Octave here")
SPECIAL = np.array([-np.inf, -2.5, -1.0, -0.5, 0.0, 0.5, 1.5, 2.5, np.inf, np.nan])


def arithmetic(x, A):
    """Sums, products, functions, choices; a number, a column, a matrix."""
    y = A @ jnp.sin(x) + jnp.exp(-x) / (1.0 + x * x)
    z = jnp.where(y > 0.1, jnp.sqrt(jnp.abs(y)), jnp.arctan2(y, x))
    return z, jnp.outer(z, x), y.sum()


def domains(x):
    """Functions where they have no value, too."""
    inverse = [jnp.arcsin(x), jnp.arccos(x), jnp.arccosh(x), jnp.arctanh(x)]
    logs = [jnp.log(x), jnp.log2(jnp.abs(x)), jnp.log1p(x), jnp.sqrt(x)]
    return jnp.stack(inverse), jnp.stack(logs), jnp.cbrt(x), jax.scipy.special.erf(x)


def powers(x):
    """Powers of anything, whole and broken."""
    broken = jnp.power(jnp.where(jnp.isfinite(x), x, 1.0), 1.5)
    return broken, x**3, 2.0 ** (x / 3.0), jax.nn.sigmoid(x), jax.lax.rsqrt(x)


def ordering(x):
    """The lesser, the greater, and what is no number."""
    y = x[::-1]
    return jnp.minimum(x, y), jnp.maximum(x, 1.0), jnp.clip(x, -1.0, 1.0), jnp.sign(x)


def rounding(x):
    """To whole numbers, halves to the even one; remainders."""
    whole = [jnp.floor(x), jnp.ceil(x), jnp.round(x), jnp.trunc(x)]
    return jnp.stack(whole), jax.lax.rem(x, 0.7), jnp.mod(x, 2.0 * np.pi)


def logic(x):
    """Comparisons and their combinations, as numbers."""
    a, b = x > 0, x == x
    marks = [a & b, a | ~b, a ^ b, x != 0.5, x <= 0.0, jnp.isfinite(x)]
    return 1.0 * jnp.stack(marks), jnp.where(a ^ b, x, -1.0)


def constants(x):
    """Very large and very small numbers, to the last digit."""
    large, small = 1.7976931348623157e308, 5e-324
    return x * (1.0 + 2.0**-52), x / large * large, x + small, x * 9007199254740993.0


def shapes(x):
    """Three axes, nothing at all, and what does not vary."""
    cube = x[:, None, None] * np.arange(6.0).reshape(2, 3)
    return cube, x[:0], np.eye(2), x[None, :0]


def loops(x):
    """Loops of known length become straight code, and so does a factorisation."""
    total = jax.lax.fori_loop(0, 7, lambda k, s: jnp.cos(s) + k, x[4])
    _, rows = jax.lax.scan(lambda c, v: (c + v, c * v), 0.0, x[3:7])
    A = jnp.diag(x[3:6] + 3.0) + 0.25
    return total, rows, jnp.linalg.cholesky(A)


def tried() -> dict:
    """By name: a function and its arguments."""
    rng = np.random.default_rng(5)
    draws = (rng.normal(size=3), rng.normal(size=(3, 3)))
    found = {"arithmetic": (arithmetic, *draws)}
    for f in (domains, powers, ordering, rounding, logic, constants, shapes, loops):
        found[f.__name__] = (f, SPECIAL)
    far = np.concatenate([np.linspace(-40, 40, 7), [1e9, 7.0 * 0.7, -14 * np.pi]])
    found["remainders"] = (rounding, far)
    for name in ("spherical_pendulum", "four_bar", "sleigh"):
        core = ph.gauss(topology(name)).functions
        state = random_state(topology(name), np.random.default_rng(2))
        found[name] = (
            lambda t, q, z, core=core: core.accelerations(t, q, z, {}),
            *(state.t, state.q, state.z),
        )
    return found


def literal(value) -> str:
    """An argument as Octave reads it."""
    array = np.asarray(value, float)
    rows = array.reshape(-1, 1) if array.ndim < 2 else array
    text = "; ".join(" ".join(f"{float(v):.17g}" for v in row) for row in rows)
    return "[" + text.replace("nan", "NaN").replace("inf", "Inf") + "]"


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> dict:
    """What Octave gives for every program, in one run of it."""
    folder, lines = tmp_path_factory.mktemp("octave"), []
    for name, (function, *arguments) in tried().items():
        text = to_matlab(function, *arguments, name=name)
        (folder / f"{name}.m").write_text(text)
        count = text.splitlines()[0].count("out")
        outs = ", ".join(f"r{k}" for k in range(count))
        lines.append(f"[{outs}] = {name}({', '.join(map(literal, arguments))});")
        for k in range(count):
            lines.append(f"printf('{name} %d', isreal(r{k})); ")
            lines.append(f"printf(' %.17g', r{k}(:)); printf('\\n');")
    (folder / "drive.m").write_text("\n".join([*lines, "printf('done\\n');", ""]))
    command = [OCTAVE, "--quiet", "--norc", "drive.m"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    *said, last = told.stdout.splitlines() or [""]
    assert last == "done", told.stderr
    results: dict = {}
    for line in said:
        name, is_real, *numbers = line.split()
        assert is_real == "1", f"{name} left the real line"
        results.setdefault(name, []).append(np.array(numbers, float))
    return results


@pytest.mark.parametrize("name", tried())
def test_octave_computes_what_the_program_computes(ran, name):
    """Every result of the MATLAB source is ours to rounding, and no number where ours
    is none."""
    function, *arguments = tried()[name]
    ours = jax.tree.leaves(ph.compile(function, *arguments)(*arguments))
    assert len(ours) == len(ran[name])
    for mine, theirs in zip(ours, ran[name], strict=True):
        down = np.asarray(mine).reshape(-1, order="F")
        np.testing.assert_allclose(theirs, down, rtol=1e-13, atol=1e-14)
