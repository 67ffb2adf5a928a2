"""Robots on a floor: shapes of their files as supports; standing and falling."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from polhode.system import contacts

LEGS = [(x, y) for x in (0.2, -0.2) for y in (0.1, -0.1)]
INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/>'


def quadruped(knees: str) -> str:
    """A trunk on four legs of 0.3 m with balls for feet; `knees` fixed or revolute."""
    links = [
        '<link name="trunk"><inertial><mass value="8"/>'
        + INERTIA.format(0.1)
        + '</inertial><collision><geometry><box size="0.4 0.2 0.1"/></geometry>'
        "</collision></link>"
    ]
    for k, (x, y) in enumerate(LEGS, 1):
        links.append(
            f'<link name="leg{k}"><inertial><origin xyz="0 0 -0.15"/>'
            '<mass value="0.5"/>'
            + INERTIA.format(0.004)
            + '</inertial><collision><origin xyz="0 0 -0.28"/><geometry>'
            '<sphere radius="0.02"/></geometry></collision></link>'
            f'<joint name="hip{k}" type="{knees}"><parent link="trunk"/>'
            f'<child link="leg{k}"/><origin xyz="{x} {y} 0"/><axis xyz="0 1 0"/>'
            '<limit lower="-1" upper="1" effort="50" velocity="9"/></joint>'
        )
    return f'<robot name="dog">{"".join(links)}</robot>'


def loaded(tmp_path, knees: str, **more) -> ph.results.Model:
    path = tmp_path / "dog.urdf"
    path.write_text(quadruped(knees))
    return ph.load_urdf(path, base="free", **more)


FLOOR = ph.Floor(friction=ph.Coulomb(0.8))


def test_shapes_of_collisions_are_supports_and_the_robot_stands_on_them(tmp_path):
    """Corners of the trunk and four feet; the start touches with its feet."""
    dog = loaded(tmp_path, "fixed", floor=FLOOR)
    points = contacts.names(dog.system)
    assert len(points) == 12
    assert "leg3 on floor" in points
    gaps = dict(zip(points, contacts.gaps(dog.system, 0.0, dog.start.q), strict=True))
    assert_close([gaps[f"leg{k} on floor"] for k in (1, 2, 3, 4)], [0] * 4, atol=1e-15)
    assert_close(gaps["trunk on floor corner 1"], 0.25, rtol=1e-12)
    assert not any("collision" in note for note in dog.notes)
    assert any("collision" in n for n in loaded(tmp_path, "fixed").notes)
    assert not loaded(tmp_path, "fixed").system.supports


def test_a_robot_with_stiff_legs_stays_where_it_stands(tmp_path):
    """Its weight is on its four feet, step after step, and nothing creeps."""
    dog = loaded(tmp_path, "fixed", floor=FLOOR)
    method = ph.methods.Moreau(step=2e-3)
    motion = ph.simulate(dog.system, dog.start, until=0.2, method=method)
    assert motion.outcome.is_complete
    assert np.max(np.abs(motion.z)) < 1e-9
    assert np.max(np.abs(motion.q[-1] - motion.q[0])) < 1e-9


@pytest.mark.long
def test_a_robot_whose_hips_hold_nothing_falls_and_lies(tmp_path):
    """Legs give way, nothing goes through the floor, and energy never grows."""
    dog = loaded(tmp_path, "revolute", floor=FLOOR)
    start = dog.start.changed({f"hip{k}": 0.05 for k in (1, 2, 3, 4)})
    start = start.changed({"base": {"z": float(start.q[6]) + 0.01}})
    method = ph.methods.Moreau(step=2e-3)
    motion = ph.simulate(dog.system, start, until=1.0, method=method)
    assert motion.outcome.is_complete
    assert motion["trunk"].position[-1, 2] < 0.2
    ledger = motion.ledger()
    energy = ledger.kinetic + ledger.potential
    assert np.max(np.diff(energy)) < 1e-2
    # Of first order in the step, as the scheme is.
    assert np.max(np.abs(ledger.balance)) < 2e-3 * ledger.scale
    last = contacts.gaps(dog.system, 1.0, motion.q[-1])
    assert np.min(last) > -1e-3


def test_what_is_no_floor_is_refused(tmp_path):
    """With what to give."""
    with pytest.raises(ModelError, match="cannot stand on"):
        loaded(tmp_path, "fixed", floor=0.0)


def test_geoms_of_mjcf_stand_too(tmp_path):
    """Capsules, boxes and ellipsoids that collide; a start inside is lifted out."""
    pytest.importorskip("mujoco")
    path = tmp_path / "thing.xml"
    path.write_text(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.05">'
        '<freejoint/><geom type="capsule" size="0.1 0.2" euler="0 90 0" mass="1"/>'
        '<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 0 0.4" mass="1"/>'
        '<geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0" mass="1"/>'
        "</body></worldbody></mujoco>"
    )
    thing = ph.load_mjcf(path, floor=FLOOR)
    gaps = contacts.gaps(thing.system, 0.0, thing.start.q)
    assert len(gaps) == 3  # two ends and one ellipsoid; the box collides with nothing
    assert_close(np.min(gaps), 0.0, atol=1e-15)
    assert_close(gaps[2], 0.2, rtol=1e-9)
