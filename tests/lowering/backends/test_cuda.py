"""CUDA kernels: the bits of native code, on the host where there is no GPU."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from benchmarks.models.chain import Chain, step
from benchmarks.models.zoo import sweeps, zoo
from jax import lax

import polhode as ph
from host_cupy import COMPILER, WITHOUT_COMPILER, host_cupy, ndarray
from polhode.errors import CompileError, UnsupportedPrimitive
from polhode.lowering.backends.cuda import runner
from polhode.lowering.backends.cuda.device import OPTIONS
from polhode.lowering.backends.cuda.source import write_source
from polhode.lowering.ir.prepare import prepared
from polhode.lowering.options import Choices
from polhode.lowering.trace.trace import closed_jaxpr

ZOO, SWEEPS = zoo(), sweeps()
NVCC = shutil.which("nvcc")
on_host = pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
with_nvcc = pytest.mark.skipif(
    NVCC is None, reason="no nvcc here: CUDA is not compiled"
)


@pytest.fixture
def gpu(monkeypatch):
    """A machine on which CuPy finds a GPU: this one, in disguise."""
    module = host_cupy()
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def assert_same_bits(ours, theirs):
    """Equal types, shapes and bits; all NaN are one, as processors differ there."""
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True)
    for a, b in pairs:
        a, b = np.atleast_1d(np.array(a)), np.atleast_1d(np.array(b))
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind == "f":
            a, b = (np.where(np.isnan(x), np.nan, x).view(np.int64) for x in (a, b))
        np.testing.assert_array_equal(a, b)


@cache
def text_of(name):
    """The kernel of an animal, in the user's layout."""
    animal = ZOO[name]
    leaves, tree = jax.tree.flatten(animal.example())
    jaxpr, _ = closed_jaxpr(lambda *x: animal.function(*tree.unflatten(x)), *leaves)
    ready = prepared(jaxpr, Choices())
    return write_source(ready.program, ready.plan, [True] * len(leaves)).text


def chain_text():
    """One step of the 7-link chain: straight code."""
    example = np.zeros(7), np.zeros(7)
    jaxpr, _ = closed_jaxpr(lambda q, v: step(Chain(7), q, v), *example)
    ready = prepared(jaxpr, Choices())
    return write_source(ready.program, ready.plan, [True, True]).text


# ------------------------------------------------------------------------ values


def both(animal):
    """Native code and a kernel. One lane: LLVM is quicker, the bits are the same."""
    function, example = animal.function, animal.example()
    native = ph.compile(function, *example, batched=True, backend="llvm", lanes=1)
    return native, ph.compile(function, *example, batched=True, backend="cuda")


@on_host
@pytest.mark.parametrize("name", [*ZOO, *SWEEPS])
def test_a_kernel_gives_the_bits_of_native_code(name, gpu):
    """Loops, branches, memory, integers, elementary functions: the same to the bit.

    In kernels of sweeps, too, whose accelerations are functions that are called.
    """
    animal = ZOO[name] if name in ZOO else SWEEPS[name]()
    native, kernel = both(animal)
    assert_same_bits(kernel(*animal.arguments), native(*animal.arguments))
    assert kernel.report().operations == native.report().operations


@on_host
@pytest.mark.parametrize("unroll", [0, None])
def test_loops_unroll_as_in_native_code(unroll, gpu):
    """What is folded when a loop becomes straight code is the same for both."""
    x = np.random.default_rng(4).normal(size=(9, 3))

    def spun(x):
        return lax.fori_loop(0, 3, lambda k, y: y + (0.1 + k) * x * jnp.roll(y, 1), x)

    wish = {"batched": True, "unroll": unroll}
    native = ph.compile(spun, x[0], backend="llvm", **wish)
    kernel = ph.compile(spun, x[0], backend="cuda", **wish)
    assert kernel.report().loops == native.report().loops == (unroll == 0)
    assert_same_bits(kernel(x), native(x))


@on_host
def test_no_name_of_a_value_is_one_of_a_type(gpu):
    """Loops after 8, 16, 32 or 64 values: their counters were called i8 to i64."""

    def counted(x):
        for k in range(12):
            x = lax.fori_loop(0, 200, lambda j, y: jnp.sin(y) + 0.1 * j, x)
            for _ in range(k % 4):
                x = x * x + 1.0 / x
        return x

    x = np.linspace(0.5, 1.5, 5)
    native = ph.compile(counted, 1.0, batched=True, backend="llvm")
    kernel = ph.compile(counted, 1.0, batched=True, backend="cuda")
    names = re.findall(r"\b(?:for \(i64|const \w+) (\w+) =", kernel._runner.source.text)
    assert not {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f64"} & {*names}
    assert_same_bits(kernel(x), native(x))


@on_host
@pytest.mark.parametrize("bytes", [0, 10**9], ids=["turned", "as given"])
def test_the_layout_changes_no_bit(bytes, gpu, monkeypatch):
    """Arguments turned on the device, so that threads share lines, or not."""
    monkeypatch.setattr(runner, "WORTH_TURNING", bytes)
    animal = ZOO["memory"]
    native, kernel = both(animal)
    assert_same_bits(kernel(*animal.arguments), native(*animal.arguments))
    assert_same_bits(kernel(*animal.example()), native(*animal.example()))


def wobble(x, shared):
    """A few operations with an array in memory."""
    out = lax.fori_loop(0, 80, lambda k, a: a.at[k % 70].add(x[k % 3]), jnp.zeros(70))
    return jnp.sum(out * shared), x > 0


@on_host
@pytest.mark.parametrize("free", [2**30, 10**5], ids=["roomy", "scarce"])
def test_any_number_of_systems(free, monkeypatch):
    """None, one, and more than there are threads, each with its own scratch memory."""
    monkeypatch.setitem(sys.modules, "cupy", host_cupy(1, free))
    example = np.ones(3), np.arange(70.0)
    native, kernel = (
        ph.compile(wobble, *example, batched=["x"], backend=b) for b in ("llvm", "cuda")
    )
    assert kernel.report().threads == (2048 if free == 2**30 else 44)
    for count in (0, 1, 43, 44, 45, 3000):
        x = np.random.default_rng(count).normal(size=(count, 3))
        assert_same_bits(kernel(x, example[1]), native(x, example[1]))
    assert_same_bits(kernel(*example), native(*example))


@on_host
def test_what_is_on_the_device_stays_there(gpu):
    """Arrays of CuPy give arrays of CuPy, without a copy; NumPy's give NumPy's."""
    kernel = ph.compile(jnp.sin, np.zeros(2), batched=True, backend="cuda")
    x = np.linspace(0, 1, 8).reshape(4, 2)
    there = kernel(gpu.asarray(x))
    assert isinstance(there, ndarray)
    assert gpu.fetched == 0
    here = kernel(x)
    assert type(here) is np.ndarray
    assert gpu.fetched == 1
    assert_same_bits(here, there)


@on_host
def test_arrays_of_cupy_serve_as_examples_and_on_the_host(gpu):
    """They are copied to where native code can read them."""
    x = gpu.asarray(np.array([0.25, 0.5]))
    native = ph.compile(jnp.sqrt, x, backend="llvm")
    assert native(x).tolist() == [0.5, 0.5**0.5]


# ------------------------------------------------------------------------ the text


def test_the_text_is_the_same_every_time():
    """Two traces of one function give one text, so that CuPy compiles it once."""
    for name in ("memory", "elementary functions"):
        first = text_of(name)
        text_of.cache_clear()
        assert text_of(name) == first


def test_every_rounding_is_a_line_of_its_own():
    """No line has two operations that a compiler could fuse or reorder."""
    rounding = re.compile(r"\w\)? [-+*/] [-(\w]|fma\(|sqrt\(")
    lines = [line for line in chain_text().splitlines() if "const f64 v" in line]
    counts = [len(rounding.findall(line)) for line in lines]
    assert max(counts) == 1
    assert sum(counts) > 1500


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("while loops", r"for \(i64 \w+ = 0; ; \+\+"),
        ("rolled scans", r"< 200; \+\+"),
        ("branches", r"else if \(\w+ <= 2\)"),
        ("memory", r"= \*\(f64 \*\)SLOT\("),
        ("elementary functions", "TABLE f64"),
    ],
)
def test_control_flow_stays_control_flow(name, words):
    """Loops are loops, branches branches, long arrays memory, tables tables."""
    assert re.search(words, text_of(name))


@with_nvcc
def test_cuda_fuses_only_what_the_program_fuses(tmp_path):
    """No fused multiply-add in the machine's words but those of the schedule."""
    fused = chain_text().count("fma(")
    found = compiled(chain_text(), tmp_path, "-ptx").count("fma.rn.f64")
    assert 0 < found <= fused


@with_nvcc
@pytest.mark.parametrize("name", ["memory", "integers", "branches"])
def test_cuda_accepts_the_text(name, tmp_path):
    """nvcc makes machine code of it for a Hopper GPU."""
    assert compiled(text_of(name), tmp_path, "-cubin")


def compiled(text, folder, kind):
    """What nvcc makes of a text."""
    source, target = folder / "kernel.cu", folder / "kernel.out"
    source.write_text(text)
    command = [NVCC, "-arch=sm_90", kind, *OPTIONS, "-o", target, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target.read_bytes().decode("latin-1")


# ------------------------------------------------------------------------ refusals


def test_without_cupy_the_error_says_how_to_get_it(monkeypatch):
    """What is missing, and the extra that brings it; never an ImportError."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(CompileError) as refusal:
        ph.compile(jnp.sin, 0.0, backend="cuda")
    assert not isinstance(refusal.value, ImportError)
    assert str(refusal.value).startswith('backend="cuda" needs CuPy, which is not inst')
    assert 'pip install "polhode[gpu]"' in refusal.value.repair


@pytest.mark.parametrize("broken", [False, True], ids=["no device", "no driver"])
def test_without_a_gpu_the_error_says_so(broken, gpu, monkeypatch):
    """CuPy alone is not enough."""

    def count():
        if broken:
            raise RuntimeError("CUDA driver version is insufficient")
        return 0

    monkeypatch.setattr(gpu.cuda.runtime, "getDeviceCount", count)
    with pytest.raises(CompileError, match="needs an NVIDIA GPU, and CUDA finds none"):
        ph.compile(jnp.sin, 0.0, backend="cuda")


def test_a_kernel_that_cuda_refuses_is_reported(gpu, monkeypatch):
    """The first line of the compiler's complaint is passed on."""

    def refuse(**_):
        raise RuntimeError("nvrtc: error: no headers\nmore")

    monkeypatch.setattr(gpu, "RawModule", refuse)
    with pytest.raises(CompileError, match="did not accept") as refusal:
        ph.compile(jnp.sin, 0.0, backend="cuda")
    assert refusal.value.fact == "nvrtc: error: no headers"


def test_what_cannot_be_lowered_is_refused(gpu):
    """The primitive is named, as for native code."""
    with pytest.raises(UnsupportedPrimitive, match="lgamma"):
        ph.compile(lax.lgamma, 1.0, backend="cuda")


@on_host
@pytest.mark.parametrize("where", ["launch", "fetch"])
def test_an_interrupted_kernel_is_waited_for(gpu, monkeypatch, where):
    """Ctrl-C after a launch: arrays go when the device is done with them."""
    program = ph.compile(jnp.sin, 1.0, batched=True, backend="cuda")
    kernel = program._runner._kernel

    def press(*arguments):
        if where == "launch":
            kernel(*arguments)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        if where == "launch":
            patch.setattr(program._runner, "_kernel", press)
        else:
            patch.setattr(program._runner._device, "fetch", press)
        with pytest.raises(KeyboardInterrupt):
            program(np.ones(5))
    assert gpu.synchronised > 0
    assert np.array_equal(program(np.ones(5)), np.full(5, np.sin(1.0)))
