"""Robots in MJCF: mass matrix, accelerations, bias and energies are MuJoCo's."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.errors import FileError, ModelFileError
from polhode.files.robots.mjcf import _heard

DIGITS = 1e-12  # relative to the largest entry

# A bit of everything that is taken: several joints on a body, references, armature,
# gears, servos, tendons, ball and free joints, a gravity that is not along Z.
TEXT = """
<mujoco model="zoo">
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="cart" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <joint name="x" type="slide" axis="1 0.2 0" ref="0.2" damping="0.4"/>
      <joint name="yaw" type="hinge" axis="0 0 1" pos="0.1 0 0" ref="-0.3"
        armature="0.02" stiffness="3" springref="0.4" range="-1 1.5"/>
      <joint name="lean" axis="0 1 0.1" pos="0 0.1 0.05" damping="0.1"/>
      <geom type="box" size="0.1 0.2 0.05" mass="1.2" rgba="1 0 0 1"/>
      <body name="arm" pos="0.2 0 0.1" quat="0.9 0.1 -0.2 0.3">
        <joint name="ball" type="ball" damping="0.05" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="0.6"/>
        <body name="plate" pos="0.3 0 0.1"><geom size="0.02" mass="0.1"/>
          <body name="hand" pos="0.02 0 0">
            <joint name="wrist" axis="1 0 0"/>
            <inertial pos="0.01 0.02 0.03" mass="0.3"
              fullinertia="0.003 0.002 0.004 0.0003 -0.0002 0.0001"/>
          </body>
        </body>
      </body>
    </body>
    <body name="drone" pos="1 1 1" euler="0.4 0 0.2">
      <freejoint name="fly"/>
      <geom type="ellipsoid" size="0.1 0.2 0.05" mass="0.5"/>
      <body name="rotor" pos="0 0 0.1"><joint name="spin" axis="0 0 1"/>
        <geom type="cylinder" size="0.1 0.01" mass="0.05"/></body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="cord" stiffness="20" damping="0.5" springlength="0.05 0.1">
      <joint joint="yaw" coef="0.5"/><joint joint="wrist" coef="-0.7"/>
    </fixed>
  </tendon>
  <actuator>
    <motor name="push" joint="x" gear="3" ctrlrange="-0.4 0.4" ctrllimited="true"/>
    <position name="hold" joint="yaw" kp="5" kv="0.3" gear="2"/>
    <velocity name="pace" joint="lean" kv="0.7"/>
    <motor name="pull" tendon="cord" gear="4" forcerange="-1 1" forcelimited="true"/>
    <general name="spin" joint="spin" gainprm="2" biastype="affine"
      biasprm="0.1 -0.2 -0.3"/>
  </actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def mujoco():
    return pytest.importorskip("mujoco", reason="the peer MuJoCo is not installed")


def relative(ours, theirs):
    size = np.max(np.abs(theirs))
    return float(np.max(np.abs(np.asarray(ours) - theirs)) / (size or 1.0))


def disturbed(mujoco, path, seed=0):
    """MuJoCo's model without contacts, limits and drag, at a random state."""
    with _heard(mujoco):
        m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    m.opt.density = m.opt.viscosity = 0
    data, rng = mujoco.MjData(m), np.random.default_rng(seed)
    data.qvel[:] = rng.normal(size=m.nv)
    mujoco.mj_integratePos(m, data.qpos, 0.4 * rng.normal(size=m.nv), 1.0)
    data.ctrl[:] = rng.uniform(-0.6, 0.6, m.nu)
    if m.na:  # a filter at rest gives what it is asked for
        data.act[:] = data.ctrl[m.actuator_dyntype != 0]
    return m, data


def controls(mujoco, m, data, system):
    """Controls by the names of our servos; actuators not taken are switched off."""
    known, found = {action.name for action in system.actions}, {}
    for k in range(m.nu):
        name = m.actuator(k).name or f"actuator {k}"
        name = f"actuator {name}" if f"actuator {name}" in known else name
        found[name] = float(data.ctrl[k])
    assert set(found) <= known
    return found


def require_same(mujoco, path):
    """All five quantities at one state; q and z are qpos and qvel as they are."""
    m, data = disturbed(mujoco, path)
    system = ph.load_mjcf(path).system
    table = controls(mujoco, m, data, system)
    mujoco.mj_forward(m, data)
    state = ph.State(system, 0.0, data.qpos.copy(), data.qvel.copy())
    form = ph.recursive(system)
    M = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, data, M)
    except TypeError:  # before MuJoCo 3.4
        mujoco.mj_fullM(m, M, data.qM)
    assert relative(form.mass_matrix(state), M) < DIGITS
    bias = form.bias(state) - form.gravity_force(state)
    assert relative(bias, data.qfrc_bias) < DIGITS
    assert relative(form.accelerations(state, table), data.qacc) < DIGITS
    potential, kinetic = data.energy
    assert relative(form.kinetic_energy(state), kinetic) < DIGITS
    assert relative(form.potential_energy(state), potential) < DIGITS


@pytest.fixture
def zoo(tmp_path):
    path = tmp_path / "zoo.xml"
    path.write_text(TEXT)
    return path


def test_all_that_is_taken_is_as_in_mujoco(mujoco, zoo):
    """Joints, references, springs, gears, servos, tendons, free and ball joints."""
    require_same(mujoco, zoo)


def test_names_limits_and_notes(mujoco, zoo):
    """Limits are those of qpos; what is not taken is told."""
    model = ph.load_mjcf(zoo)
    system = model.system
    assert system.name == "zoo"
    assert system.coordinate_names[:3] == ("x", "yaw", "lean")
    assert [float(end[0]) for end in system.edge("yaw").joint.limits] == [-1, 1.5]
    assert any("contacts are not taken" in note for note in model.notes)
    shapes = next(b for b in system.bodies if b.name == "cart").shapes
    assert [s.kind for s in shapes] == ["box"]
    assert shapes[0].colour == (1.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(model.start.q[:2], [0.2, -0.3])


def test_warnings_of_mujoco_are_notes_and_no_files(mujoco, zoo, monkeypatch):
    """They are heard while it reads, and not written where one works."""
    monkeypatch.chdir(zoo.parent)
    old = TEXT.replace('angle="radian"', 'angle="radian" settotalmass="2"')
    zoo.write_text(old)
    before = mujoco.get_mju_user_warning()
    notes = ph.load_mjcf(zoo).notes
    assert {p.name for p in zoo.parent.iterdir()} == {"zoo.xml"}
    assert mujoco.get_mju_user_warning() is before
    if mujoco.__version__ >= "4":
        assert any("MuJoCo says: " in n and "settotalmass" in n for n in notes)


def gymnasium_models():
    try:
        import gymnasium
    except ImportError:
        return []
    folder = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
    return sorted(folder.glob("*.xml"))


QUICK = ("hopper", "inverted_double_pendulum")


def gymnasium_cases():
    found = gymnasium_models()
    if not found:
        reason = "the models of Gymnasium are not installed"
        return [pytest.param(None, marks=pytest.mark.skip(reason))]
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[] if path.stem in QUICK else [pytest.mark.long],
        )
        for path in found
    ]


@pytest.mark.parametrize("path", gymnasium_cases())
def test_the_models_of_gymnasium_are_those_of_mujoco(mujoco, path, capfd):
    """All fourteen: mass matrix, accelerations, bias and energies."""
    require_same(mujoco, path)


LOOPS = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="a" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.02" mass="1"/>
      <body name="b" pos="1 0 0"><joint name="b" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 1" size="0.02" mass="1"/>
      </body>
    </body>
    <body name="c" pos="2 0 0"><joint name="c" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 -1 0 1" size="0.02" mass="1"/></body>
    <body name="d" pos="0 1 0"><joint name="d" axis="0 1 0" ref="0.2"/>
      <geom size="0.1" pos="0.3 0 0" mass="1"/></body>
    <body name="e" pos="0 2 0"><freejoint/><geom size="0.1" mass="1"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="0 0 1"/>
    <joint name="mesh" joint1="d" joint2="a" polycoef="0.1 -2 0 0 0"/>
    <weld name="glue" body1="e" body2="d"/>
    <joint name="bent" joint1="d" joint2="a" polycoef="0 1 1 0 0"/>
  </equality>
</mujoco>
"""


def test_equalities_hold_and_what_is_not_linear_is_told(mujoco, tmp_path):
    """A pin, a gear and a weld are exact along a motion."""
    path = tmp_path / "loops.xml"
    path.write_text(LOOPS)
    model = ph.load_mjcf(path)
    names = [c.name for c in model.system.constraints]
    assert names == ["pin", "mesh", "glue"]
    assert "equality 'bent' is not taken" in model.notes
    motion = ph.simulate(model.system, model.start, until=0.2)
    m = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(m)
    data.qpos[:] = motion.final.q
    mujoco.mj_forward(m, data)
    tip = data.body("b").xpos + data.body("b").xmat.reshape(3, 3) @ [0, 0, 1]
    other = data.body("c").xmat.reshape(3, 3) @ [-1, 0, 1] + data.body("c").xpos
    np.testing.assert_allclose(tip, other, atol=1e-8)
    q = dict(zip(model.system.coordinate_names, motion.final.q, strict=True))
    assert q["d"] - 0.2 == pytest.approx(0.1 - 2 * q["a"], abs=1e-8)


def test_a_motion_is_that_of_mujoco(mujoco, zoo):
    """A tenth of a second, against MuJoCo's Runge and Kutta at 10 us."""
    model = ph.load_mjcf(zoo)
    m = mujoco.MjModel.from_xml_path(str(zoo))
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    m.opt.integrator, m.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-5
    data = mujoco.MjData(m)
    mujoco.mj_step(m, data, nstep=5000)
    motion = ph.simulate(model.system, model.start, until=0.05)
    np.testing.assert_allclose(motion.final.q, data.qpos, atol=1e-7)


def test_bad_files_are_refused(mujoco, tmp_path):
    """No file, no MJCF, and nothing that moves."""
    with pytest.raises(FileError, match="no such file"):
        ph.load_mjcf(tmp_path / "none.xml")
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco><worldbody><bdy/></worldbody></mujoco>")
    with pytest.raises(ModelFileError, match=r"MuJoCo cannot read 'bad\.xml'"):
        ph.load_mjcf(path)
    path.write_text("<mujoco><worldbody/></mujoco>")
    with pytest.raises(ModelFileError, match="has no joints"):
        ph.load_mjcf(path)
    body = '<body><joint/>\n<geom size="1" mass="NaN"/></body>'
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(ModelFileError, match=r"mass is not a number in line 2 of 'bad"):
        ph.load_mjcf(path)


def test_what_has_no_name_gets_one_that_nothing_else_has(mujoco, tmp_path):
    """Files may call a joint "joint 2", or a body as the ones between two joints."""
    geom, path = '<geom size="0.1" pos="0.2 0 0"/>', tmp_path / "names.xml"
    path.write_text(
        f"""<mujoco><worldbody>
        <body name="a"><joint name="joint 2" axis="0 1 0"/><joint axis="1 0 0"/>{geom}
          <body name="a 1" pos="1 0 0"><joint axis="0 1 0"/>{geom}
            <body name="b"><joint name="a 1 weld"/>{geom}<body>{geom}</body></body>
        </body></body>
        <body name="body 4"><freejoint name="f"/>{geom}</body>
        <body name="f moved"><joint name="f turn"/>{geom}</body>
        </worldbody></mujoco>"""
    )
    system, m = ph.load_mjcf(path).system, mujoco.MjModel.from_xml_path(str(path))
    assert {"joint 2", "joint 2'", "a 1 weld", "f turn", "f turn'"} <= {
        joint.name for joint in system.joints
    }
    names = [body.name for body in system.bodies]
    assert len({*names}) == len(names)
    assert {"a 1", "a 1'", "body 4", "body 4'", "f moved"} <= {*names}
    assert len(system.speed_names) == m.nv


def test_without_mujoco_the_extra_is_named(monkeypatch, zoo):
    """The line that installs it."""
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(FileError, match="MuJoCo, which is not installed") as refused:
        ph.load_mjcf(zoo)
    assert "polhode[import]" in str(refused.value)
