"""Functional mock-up units, run by fmpy: its validation, and our own motions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import zipfile

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, ModelError, StateError

fmpy = pytest.importorskip("fmpy")

pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
    # fmpy reads its own resources by ways that Python is to drop.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
KINDS = {
    "CoSimulation": ({"output_interval": 0.01}, 1e-9),
    "ModelExchange": (
        {"solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 0.01},
        1e-6,
    ),
}


def cart_pole() -> ph.State:
    cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1))
    rod = ph.solids.rod(mass=ph.Parameter("m", 0.1), length=1.0)
    pole = ph.Body("pole", rod)
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, pole.point(0, 0, -0.5), axis=ph.Y)
    actions = [ph.Motor(track, 0.0, name="push"), ph.Weight(9.81)]
    system = ph.System([track, hinge], actions, name="cart & <pole>")
    return system.state(hinge=0.3)


VERSIONS = ["2.0", "3.0"]


@pytest.fixture(scope="module", params=VERSIONS)
def cart(tmp_path_factory, request):
    start, path = cart_pole(), tmp_path_factory.mktemp("unit") / "cart.fmu"
    outputs = {"sine": lambda s: jnp.sin(s["hinge"])}
    made = ph.to_fmu(
        start, path, inputs=["push"], outputs=outputs, version=request.param
    )
    assert made == (path, "gcc")
    return start, path


def last(path, kind, names, until, **more):
    settings, _ = KINDS[kind]
    rows = fmpy.simulate_fmu(
        str(path),
        stop_time=until,
        fmi_type=kind,
        output=list(names),
        **settings,
        **more,
    )
    return np.array([rows[-1][name] for name in names])


def states(system):
    return [*system.coordinate_names, *(f"speed of {n}" for n in system.speed_names)]


def ended(start, until, **more):
    motion = ph.simulate(start.system, start, until=until, rtol=1e-12, **more)
    return np.concatenate([motion.q[-1], motion.z[-1]])


def test_its_description_is_valid(cart):
    """fmpy finds no fault with names, units, references and structure."""
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(cart[1])) == []


@pytest.mark.parametrize("kind", KINDS)
def test_it_moves_as_the_system_does(cart, kind):
    """Both kinds of unit against a run at the finest tolerance."""
    start, path = cart
    names = [*states(start.system), "sine"]
    found, true = last(path, kind, names, 3.0), ended(start, 3.0)
    np.testing.assert_allclose(found[:-1], true, atol=KINDS[kind][1])
    assert found[-1] == pytest.approx(np.sin(true[1]), abs=KINDS[kind][1])


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_drive_it_and_parameters_are_set(cart, kind):
    """A constant push and another mass, set by the other tool."""
    start, path = cart
    given = np.array([(0.0, 2.0), (3.0, 2.0)], [("time", float), ("push", float)])
    found = last(
        path, kind, states(start.system), 2.0, input=given, start_values={"m": 0.5}
    )
    other = start.system.with_({"m": 0.5})
    begin = ph.State(other, 0.0, start.q, start.z)
    true = ended(begin, 2.0, inputs={"push": lambda t: 2.0})
    np.testing.assert_allclose(found, true, atol=KINDS[kind][1])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_events_are_met_and_reset(tmp_path, kind, version):
    """A bouncing ball: each bounce is located, whatever the steps around it."""
    ball = ph.Particle("ball", 1.0)
    system = ph.System([ball], [ph.Weight(9.81)], name="ball")

    def bounced(t, state):
        turned = jnp.array([1.0, 1.0, -0.8]) * state.z
        return ph.State(state.system, t, state.q, turned)

    floor = ph.Event("floor", lambda t, s: s["ball"][2], direction=-1, reset=bounced)
    start = system.state(ball=(0, 0, 1.0), speeds={"ball": (1, 0, 0)})
    path = tmp_path / "ball.fmu"
    ph.to_fmu(start, path, events=[floor], version=version)
    found, true = (
        last(path, kind, states(system), 2.0),
        ended(start, 2.0, events=[floor]),
    )
    np.testing.assert_allclose(found, true, atol=KINDS[kind][1])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_quaternions_and_loops_stay_where_they_belong(tmp_path, kind, version):
    """A free top far from any axis: its quaternion keeps its length."""
    body = ph.Body("body", ph.solids.box(mass=2.0, x=0.3, y=0.5, z=0.2))
    joint = ph.Free("body", ph.World().origin, body.origin)
    system = ph.System([joint], name="tumbling")
    start = system.state(speeds={"body": (3.0, 0.1, 2.0, 0, 0, 0)})
    path = tmp_path / "free.fmu"
    ph.to_fmu(start, path, version=version)
    names = states(system)
    found, true = last(path, kind, names, 3.0), ended(start, 3.0)
    np.testing.assert_allclose(found, true, atol=KINDS[kind][1])
    assert np.linalg.norm(found[:4]) == pytest.approx(1.0, abs=1e-8)


def test_an_instant_can_be_saved_and_gone_back_to(cart):
    """What a master of a co-simulation does when a step is refused elsewhere."""
    from fmpy import extract, instantiate_fmu, read_model_description

    _, path = cart
    folder = extract(str(path))
    told = read_model_description(folder)
    unit = instantiate_fmu(folder, told, "CoSimulation")
    is_new = told.fmiVersion == "3.0"
    if not is_new:
        unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()
    values = unit.getFloat64 if is_new else unit.getReal
    unit.doStep(0.0, 0.1)
    kept = unit.getFMUState()
    unit.doStep(0.1, 0.1)
    first = values([1, 2, 3, 4])
    unit.setFMUState(kept)
    unit.doStep(0.1, 0.1)
    assert values([1, 2, 3, 4]) == first
    unit.freeFMUState(kept)
    unit.terminate()
    unit.freeInstance()
    shutil.rmtree(folder)


def test_the_sources_build_without_a_warning(cart, tmp_path):
    """Under -Wall -Wextra -Werror, each file by itself."""
    _, path = cart
    with zipfile.ZipFile(path) as packed:
        packed.extractall(tmp_path)
    sources = [str(p) for p in (tmp_path / "sources").glob("*.c")]
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-c"]
    flags += ["-Wno-unused-function"]  # helpers that a function does not need
    for source in sources:
        done = subprocess.run(
            ["gcc", *flags, source, "-o", str(tmp_path / "x.o")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_without_a_compiler_it_holds_its_sources(tmp_path, monkeypatch):
    """A machine without one still writes a unit that others can build."""
    monkeypatch.setattr("polhode.files.fmu.unit.COMPILERS", ())
    made = ph.to_fmu(cart_pole(), tmp_path / "cart.fmu")
    assert made.compiler == ""
    with zipfile.ZipFile(made.path) as packed:
        names = packed.namelist()
    assert "sources/fmi2.c" in names
    assert not [name for name in names if name.startswith("binaries")]


def test_wrong_wishes_are_refused_and_nothing_is_written(tmp_path):
    """Foreign names, shapes and laws that cannot be traced."""
    start, path = cart_pole(), tmp_path / "cart.fmu"
    with pytest.raises(StateError, match="cannot start"):
        ph.to_fmu(start.system, path)
    with pytest.raises(ModelError, match="no input 'pull'"):
        ph.to_fmu(start, path, inputs=["pull"])
    with pytest.raises(ModelError, match="'sine' has the shape"):
        ph.to_fmu(start, path, outputs={"sine": lambda s: s.q})
    with pytest.raises(ModelError, match="called 'm'"):
        ph.to_fmu(start, path, outputs={"m": lambda s: 1.0})
    with pytest.raises(ModelError, match=r"FMI '1\.0'"):
        ph.to_fmu(start, path, version="1.0")
    with pytest.raises(IntegrationError, match="step"):
        ph.to_fmu(start, path, step=0.0)
    plain = ph.Event("e", lambda t, s: s.q[0], reset=lambda t, s: float(s.q[0]))
    with pytest.raises(ModelError, match="reset"):
        ph.to_fmu(start, path, events=[plain])
    assert not path.exists()


class Coupled:
    """A unit in model exchange that a master of our own integrates."""

    def __init__(self, path, name):
        from fmpy import extract, read_model_description
        from fmpy.fmi2 import FMU2Model

        self.folder = extract(str(path))
        told = read_model_description(self.folder)
        self.at = {v.name: v.valueReference for v in told.modelVariables}
        self.unit = FMU2Model(
            guid=told.guid,
            unzipDirectory=self.folder,
            modelIdentifier=told.modelExchange.modelIdentifier,
            instanceName=name,
        )
        self.unit.instantiate()
        self.unit.setupExperiment(startTime=0.0)
        self.unit.enterInitializationMode()
        self.unit.exitInitializationMode()
        self.unit.newDiscreteStates()
        self.unit.enterContinuousTimeMode()

    def rates(self, t, x, push):
        self.unit.setTime(t)
        self.unit.setContinuousStates((ctypes.c_double * 2)(*x), 2)
        self.unit.setReal([self.at["push"]], [push])
        found = (ctypes.c_double * 2)()
        self.unit.getDerivatives(found, 2)
        return np.array(found)

    def close(self):
        self.unit.terminate()
        self.unit.freeInstance()
        shutil.rmtree(self.folder)


def test_two_units_with_a_spring_between_keep_their_energy(tmp_path):
    """A pendulum and a cart, each a unit; the master knows the spring between alone."""
    from scipy.integrate import solve_ivp

    m, M, l, k, g = 0.7, 2.0, 0.9, 30.0, 9.81
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=l))
    cart = ph.Body("cart", ph.solids.box(mass=M, x=0.3, y=0.2, z=0.1))
    ends = {
        "rod": ph.Revolute("a", ph.World().origin, rod.point(0, 0, l / 2), axis=ph.Y),
        "cart": ph.Prismatic("a", ph.World().origin, cart.origin, axis=ph.X),
    }
    units = {}
    for name, joint in ends.items():
        actions = [ph.Motor(joint, 0.0, name="push"), ph.Weight(g)]
        path = tmp_path / f"{name}.fmu"
        system = ph.System([joint], actions, name=name)
        ph.to_fmu(system.state(), path, inputs=["push"])
        units[name] = Coupled(path, name)

    def stretch(angle, x):
        # The free end is at (-l sin a, -l cos a); the spring acts along X, on both.
        return x + l * np.sin(angle)

    def rates(t, x):
        pull = k * stretch(x[0], x[2])
        torque = -pull * l * np.cos(x[0])
        return np.concatenate(
            [units["rod"].rates(t, x[:2], torque), units["cart"].rates(t, x[2:], -pull)]
        )

    def energy(x):
        a, w, p, v = x
        kinetic = m * (l * w) ** 2 / 6 + 0.5 * M * v**2
        return kinetic - m * g * l / 2 * np.cos(a) + 0.5 * k * stretch(a, p) ** 2

    start = np.array([0.8, 0.0, 0.3, -0.5])
    run = solve_ivp(rates, (0, 10), start, method="DOP853", rtol=1e-11, atol=1e-12)
    for unit in units.values():
        unit.close()
    drift = np.abs(energy(run.y) - energy(start)).max()
    moved = np.ptp(0.5 * M * run.y[3] ** 2)
    assert moved > 1.0  # energy goes to and fro between the units
    assert drift < 1e-8
