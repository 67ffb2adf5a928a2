"""Executables of XLA that are kept on disk: found by a second process, never stale."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from polhode.lowering.backends import xla, xla_targets
from polhode.lowering.backends.xla import KeptXlaRunner
from polhode.lowering.compile import Program, compile
from polhode.lowering.host_call import host_function
from polhode.lowering.native_jax import native

# Other numbers each time: of these JAX's own cache, which tests share, has nothing.
X = np.array([0.3, -1.7])
NEW = float(np.random.default_rng().uniform(0.5, 1.0))


def waves(factor: float) -> Program:
    """Native code called in a loop that XLA runs."""
    inner = native(lambda x: NEW * factor * jnp.sin(x), lanes=1)

    def repeated(x: Any, unread: Any) -> Any:
        return lax.fori_loop(0, 3, lambda _, y: y + inner(y), x), x[0]

    return compile(repeated, X, 0.0, backend="xla", batched=True)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache with nothing in it."""
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path))


@pytest.mark.usefixtures("own_cache")
def test_an_executable_is_found_again_and_gives_the_same_bits() -> None:
    """Without a trace, alone and in a batch, also where an argument is never read."""
    first, batch = waves(2.0), np.stack([X, 2 * X, 3 * X])
    alone, many = first(X, 0.0), first(batch, np.zeros(3))
    again = waves(2.0)
    assert isinstance(again._runner, KeptXlaRunner)
    found = again(X, 0.0), again(batch, np.zeros(3))
    assert not again._trace.is_made
    for one, other in zip((alone, many), found, strict=True):
        for wanted, given in zip(one, other, strict=True):
            np.testing.assert_array_equal(wanted, given)
    for k, row in enumerate(batch):
        np.testing.assert_array_equal(first(row, 0.0)[0], many[0][k])


@pytest.mark.usefixtures("own_cache")
def test_an_executable_that_cannot_run_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """XLA reads some back without all of their code, and says so when they run."""

    def broken(*_: object) -> object:
        raise jax.errors.JaxRuntimeError("NOT_FOUND: Function not found")

    monkeypatch.setattr(xla, "_loaded", lambda *_: broken)
    first, again = waves(4.0), waves(4.0)
    np.testing.assert_array_equal(first(X, 0.0)[0], again(X, 0.0)[0])


@pytest.mark.usefixtures("own_cache")
def test_what_jax_has_in_its_own_cache_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Read back it would lack its code."""
    kept: list[object] = []

    def keep(*given: object) -> str:
        kept.append(given)
        return ""

    monkeypatch.setattr(xla, "_keep", keep)
    hits = xla._hits_of_jax()
    known = jax.stages.Lowered.compile

    def found(self: jax.stages.Lowered) -> object:
        hits[0] += 1
        return known(self)

    monkeypatch.setattr(jax.stages.Lowered, "compile", found)
    waves(4.5)(X, 0.0)
    assert not kept


@pytest.mark.usefixtures("own_cache")
def test_another_number_in_native_code_is_another_executable() -> None:
    """What XLA calls is named by its content."""
    y, found = X, waves(2.0)(X, 0.0)[0]
    other = waves(2.5)
    for _ in range(3):
        y = y + NEW * 2.5 * np.sin(y)
    np.testing.assert_allclose(other(X, 0.0)[0], y, rtol=1e-14)
    assert not np.array_equal(found, y)


@pytest.mark.usefixtures("own_cache")
def test_an_executable_whose_native_code_is_gone_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Entries are removed one by one when all of them grow too large."""
    wanted = waves(3.0)(X, 0.0)[0]
    monkeypatch.setattr(xla, "register_kept", lambda _: False)
    again = waves(3.0)
    np.testing.assert_array_equal(again(X, 0.0)[0], wanted)
    assert again._trace.is_made


@pytest.mark.usefixtures("own_cache")
def test_native_code_on_disk_is_registered_by_its_entry() -> None:
    """And what has no entry is not."""
    waves(3.5)(X, 0.0)
    (target,) = xla_targets.targets_within(waves(3.5)._trace.jaxpr) or []
    unknown = target._replace(name="polhode_unknown", one="0" * 64, many="0" * 64)
    assert xla_targets.register_kept(target._replace(name="polhode_by_another_name"))
    assert not xla_targets.register_kept(unknown)


@pytest.mark.usefixtures("own_cache")
def test_what_calls_a_function_of_this_process_is_not_kept() -> None:
    """Its name means nothing to another."""

    def doubled(x: np.ndarray, out: np.ndarray) -> None:
        out[:] = 2 * x

    kind = jax.ShapeDtypeStruct((2,), float)
    call = host_function(doubled, [kind], [kind])
    program = compile(lambda x: call(x)[0] + 1.0, X, backend="xla")
    np.testing.assert_array_equal(program(X), 2 * X + 1)
    assert xla_targets.targets_within(program._trace.jaxpr) is None


ELSEWHERE = """
    import jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from polhode.lowering.compile import compile
    from polhode.lowering.native_jax import native
    jax.config.update("jax_default_device", jax.devices()[1])
    inner = native(lambda x: 0.7 * jnp.sin(x), lanes=1)
    loop = lambda x: lax.fori_loop(0, 3, lambda _, y: y + inner(y), x)
    x = np.array([0.3, -1.7])
    program = compile(loop, x, backend="xla")
    print(program(x).tobytes().hex(), program.report().cache_hit)
    with jax.enable_x64(True):
        print(*(d.id for d in program._runner._variants[-1](x)[0].devices()))
    print(*(d.id for d in jnp.zeros(1).devices()))
"""


def test_xla_runs_on_the_processor_whatever_device_is_the_default(
    tmp_path: Path,
) -> None:
    """Native code is called there alone; new and from disk it is the same."""
    flags = "--xla_force_host_platform_device_count=2"
    own = {"POLHODE_CACHE": str(tmp_path), "XLA_FLAGS": flags}

    def answer() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(ELSEWHERE)],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    cold, warm = answer(), answer()
    assert cold[1:] == ["False", "0", "1"]
    assert warm[1:] == ["True", "0", "1"]
    assert warm[0] == cold[0]


SCRIPT = """
    import polhode as ph
    from polhode.lowering.compile import Program
    from polhode.models.mechanisms.four_bars import four_bars, start
    traces, trace = [], Program._make_trace
    Program._make_trace = lambda self: traces.append(self) or trace(self)
    system = four_bars(25)
    motion = ph.simulate(system, start(system), until=0.02)
    print(len(traces), motion.q[-1].tobytes().hex(), motion.z[-1].tobytes().hex())
"""


@pytest.mark.long
def test_a_second_process_traces_nothing_of_a_large_system(tmp_path: Path) -> None:
    """Its motion has the same bits."""
    own = {"POLHODE_CACHE": str(tmp_path / "c"), "XDG_STATE_HOME": str(tmp_path / "s")}

    def answer() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(SCRIPT)],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    cold, warm = answer(), answer()
    assert int(cold[0]) > 0
    assert int(warm[0]) == 0
    assert warm[1:] == cold[1:]
