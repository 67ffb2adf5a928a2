"""C packages: built with warnings as errors, and their numbers are ours."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from importlib.util import find_spec

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, StateError

ZIG = [sys.executable, "-m", "ziglang", "cc"]  # clang, from the registry
COMPILERS = [
    *([name] for name in ("gcc", "clang") if shutil.which(name)),
    *([ZIG] if find_spec("ziglang") else []),
]
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-Wpedantic"]
FLAGS += ["-Wmissing-prototypes", "-ffp-contract=off"]

pytestmark = pytest.mark.skipif(not COMPILERS, reason="no C compiler here")


def crane() -> ph.State:
    """A driven cart with a load on a ball joint: quaternion, input, parameters."""
    cart = ph.Body("cart", ph.solids.box(mass=ph.Parameter("M", 3.0), x=1, y=1, z=0.2))
    load = ph.Body("load", ph.solids.sphere(mass=1.5, radius=0.2))
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    rope = ph.Spherical("rope", cart.origin, load.point(0, 0, 1.2))
    actions = [ph.Motor(track, 0.0, name="push"), ph.Weight(9.81)]
    system = ph.System([track, rope], actions, name="crane */ no. 3")
    return system.state(speeds={"rope": (0.4, -0.7, 0.2), "track": 0.3})


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    start, folder = crane(), tmp_path_factory.mktemp("package")
    outputs = {"lean": lambda s: jnp.arctan2(s["rope"][1], s["rope"][0])}
    return start, ph.to_c_package(start, folder, inputs=["push"], outputs=outputs)


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda c: c[-1])
def test_its_own_test_passes_without_a_warning(package, compiler):
    """Steps, rates and outputs in C are those of the compiled programs."""
    folder, name = package[1]
    program = folder / "by_hand"
    texts = [folder / f"{name}.c", folder / f"test_{name}.c"]
    subprocess.run([*compiler, *FLAGS, *texts, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.count("right") == 3


def test_its_own_test_finds_a_wrong_number(package, tmp_path):
    """One parameter in the library differs: the test says which results do."""
    folder, name = package[1]
    wrong = (folder / f"{name}.c").read_text().replace("9.81", "9.80")
    for file in (f"{name}.h", f"test_{name}.c"):
        shutil.copy(folder / file, tmp_path)
    (tmp_path / f"{name}.c").write_text(wrong)
    texts = [tmp_path / f"{name}.c", tmp_path / f"test_{name}.c"]
    program = tmp_path / "wrong"
    subprocess.run([*COMPILERS[0], *FLAGS, *texts, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "WRONG" in done.stdout


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")
def test_cmake_builds_and_tests_it(package, tmp_path):
    """As a user does, warnings as errors."""
    build = tmp_path / "build"
    loud = "-DCMAKE_C_FLAGS=-Werror"
    for command in (
        ["cmake", "-S", package[1].folder, "-B", build, loud],
        ["cmake", "--build", build],
        ["ctest", "--test-dir", build, "--no-tests=error"],
    ):
        subprocess.run(command, check=True, capture_output=True)


def test_it_moves_as_the_system_does(package, tmp_path):
    """Driven by an input, another mass, called as a shared library: ph.simulate's."""
    start, (folder, name) = package
    shared = tmp_path / "crane.so"
    flags = [*FLAGS, "-shared", "-fPIC"]
    text = folder / f"{name}.c"
    subprocess.run([*COMPILERS[0], *flags, text, "-lm", "-o", shared], check=True)
    step = getattr(ctypes.CDLL(str(shared)), f"{name}_step")
    arrays = [ctypes.POINTER(ctypes.c_double)] * 3
    step.argtypes = [ctypes.c_double, *arrays, ctypes.c_double]
    step.restype = None
    other = start.system.with_({"M": 5.0})
    names = [n for n in other.parameters if n != "push"]
    p = np.array([other.parameters[n] for n in names], float)
    x, u = np.concatenate([start.q, start.z]), np.array([2.0])
    at = [a.ctypes.data_as(arrays[0]) for a in (x, u, p)]
    for k in range(1000):
        step(k * 1e-3, *at, 1e-3)
    begin = ph.State(other, 0.0, start.q, start.z)
    motion = ph.simulate(
        other, begin, until=1.0, rtol=1e-12, inputs={"push": lambda t: 2.0}
    )
    np.testing.assert_allclose(x, [*motion.q[-1], *motion.z[-1]], atol=1e-10)


def test_extern_names_have_the_prefix(package):
    """Nothing of a package can meet the C library or a second package."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm here")
    folder, name = package[1]
    made = folder / "only.o"
    text = folder / f"{name}.c"
    subprocess.run([*COMPILERS[0], *FLAGS, "-c", text, "-o", made], check=True)
    found = subprocess.run(
        [nm, "-g", "--defined-only", made], capture_output=True, text=True, check=True
    )
    words = [line.split()[-1] for line in found.stdout.splitlines()]
    assert len(words) == 6
    assert all(word.lstrip("_").startswith(f"{name}_") for word in words)


def test_wrong_packages_are_refused(tmp_path):
    """A system instead of a state; a file instead of a folder; an unknown input."""
    start = crane()
    with pytest.raises(StateError, match="cannot start from"):
        ph.to_c_package(start.system, tmp_path)
    with pytest.raises(ModelError, match="has no input 'pull'"):
        ph.to_c_package(start, tmp_path, inputs=["pull"])
    taken = tmp_path / "file"
    taken.write_text("kept")
    with pytest.raises(ModelError, match="is a file, not a folder"):
        ph.to_c_package(start, taken)
    assert taken.read_text() == "kept"
