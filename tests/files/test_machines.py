"""Machines, vehicles and marine craft in model files come back as they were."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.analyse.machinery.mode_motion import rows_of
from polhode.errors import FileError
from polhode.files.model import model_text
from polhode.files.schema import model_schema
from polhode.files.writing import write_system
from polhode.show.drawing.scene import scene_of
from polhode.supports.slack_rope import SlackRope
from polhode.system import contacts, rows
from schema_check import fits
from strategies_system import random_state
from written_again import again, assert_same

BEND = ph.Table([-9, 0, 9], [-20, 0, 31], smooth="monotone", beyond="extend", name="f")


def workshop():
    """One of each action and constraint of machines, vehicles and the sea."""
    world, m, v, sea = ph.World(), ph.machines, ph.vehicles, ph.marine
    hub, wheel = (
        ph.Body(n, ph.solids.cylinder(mass=2, radius=0.2, length=0.1, along=ph.Y))
        for n in ("hub", "wheel")
    )
    load = ph.Particle("load", ph.Parameter("m", 3.0))
    free = ph.Free("free", world.origin, hub.origin)
    axle = ph.Revolute(
        "axle", hub.point(0.1, 0, 0), wheel.origin, axis=ph.Y, gear_ratio=3.0
    )
    slide = ph.Prismatic("slide", world.point(0.3, 0, -1), load.mass_centre, axis=ph.Z)
    pins = [m.flywheel(f"pin {k}", world.origin, 0.1 + k) for k in range(6)]
    stiff = np.diag([3.0, 4, 5, 6, 7, 8]) + 0.2
    crank = np.linspace(0, 4 * np.pi, 5)
    gas = ph.Table(crank, [3.0, 1, 0, 1, 3], beyond="repeat", name="p")
    ends = hub.point(0.1, 0.2, 0), world.point(0, 0, 1)
    laws = [
        v.LinearTyre(3.0, 2.0, name="linear"),
        v.FialaTyre(3.0, 2.0, 0.8, name="Fiala"),
        v.MagicFormula(3.0, 1.5, -0.3, ph.Parameter("mu", 0.9), B_x=5.0, name="magic"),
    ]
    roads = [
        None,
        ph.Formula("0.1 * sin(x) + 0.2 * y - 2", ("x", "y")),
        ph.Table(([-99, 0, 99], [-99, 99]), [[0, 1], [2, 3], [1, 0]], beyond="hold"),
    ]
    actions = [
        m.BumpStop(slide, 3.0, limits=(-0.01, np.inf), exponent=1.5, damping=0.3),
        m.Bushing(*ends, stiff, [1, 2, 3, 4, 5, ph.Parameter("c", 6.0)]),
        m.Bushing(*ends, [1.0] * 6, name="soft"),
        m.SpringCurve(*ends, BEND, 0.3),
        m.DamperCurve(*ends, BEND),
        m.JointCurve(slide, BEND, 0.1),
        m.JointCurve(slide, damper=BEND),
        m.TorqueMotor(axle, BEND, 0.4),
        m.GasForce(slide, axle, gas, 0.01, inwards=True),
        *(
            v.Tyre(
                *(wheel.origin, world.frame, 9.0, law),
                stiffness=3.0,
                road=road,
                name=f"tyre {law.name}",
            )
            for law, road in zip(laws, roads, strict=True)
        ),
        v.Tyre(
            wheel.origin,
            world.frame,
            0.2,
            laws[0],
            load=3.0,
            spins=False,
            relaxation=0.4,
        ),
        sea.Buoyancy(ends[0], world.frame, 0.01, up=ph.Y),
        sea.HydrodynamicDrag(
            ends[0], world.frame, [1, 2, 3, 4, 5, 6.0], current=(1, 0, 2)
        ),
        sea.Propeller(ends[0], ph.X, 0.3, 2.0, torque=-0.1, limit=1.5),
    ]
    peg = m.Pulley(world.point(0, 0, 1), 0.1, axis=ph.Y, sense=-1, name="peg")
    held = [
        ph.machines.Rope(
            [world.point(-2, 0, 0), m.Pulley(axle, 0.2), peg, load.mass_centre],
            [2.0, 3.0],
        ),
        ph.machines.Rope(
            [hub.origin, world.origin, load.mass_centre], 4.0, name="cord"
        ),
        ph.machines.Cam(slide, axle, gas, 0.2),
        ph.machines.Cam(
            slide, axle, ph.Formula("0.1 * cos(angle)", ("angle",)), name="eccentric"
        ),
        m.HookeCoupling(hub.frame, wheel.frame, ph.X, ph.Y, name="Hooke"),
        m.ConstantVelocityCoupling(hub.frame, wheel.frame, ph.Z, ph.X, name="constant"),
        v.Ackermann(pins[0], pins[1], wheelbase=2.7, track=1.5),
        ph.machines.Belt(pins[2], pins[1], 0.2, driver_radius=0.1, crossed=True),
        *m.planetary_gear(*pins[3:], sun_teeth=20, ring_teeth=60),
    ]
    return Workshop([free, axle, slide, *pins], actions, held)


class Workshop(NamedTuple):
    """Parts of which systems are made."""

    members: list
    actions: list
    held: list


@pytest.mark.parametrize("which", ["actions", *range(9)])
def test_a_workshop_comes_back(which, tmp_path):
    """Parameters, rows and forces are the same numbers; the schema allows the file."""
    shop = workshop()
    actions = shop.actions if which == "actions" else []
    held = [] if which == "actions" else [shop.held[which]]
    system = ph.System(shop.members, actions, held, name="workshop")
    document, lost = write_system(system)
    assert not lost
    assert fits(document, model_schema())
    found = again(tmp_path, system).system
    state = random_state(system, np.random.default_rng(3))
    if actions:
        assert_same(system, found, state)
        return
    assert len(shop.held) == 9
    assert found.parameters == pytest.approx(system.parameters, rel=1e-15)
    one, other = (rows.positions(s, 0.0, state.q) for s in (system, found))
    np.testing.assert_allclose(other, one, rtol=1e-14)


def test_every_action_of_a_workshop_is_seen():
    """It is a coil, a dashpot, or an arrow on its bodies."""
    shop = workshop()
    system = ph.System(shop.members, shop.actions, [], name="workshop")
    rng = np.random.default_rng(3)
    states = [random_state(system, rng) for _ in range(6)]
    scene = scene_of(rows_of(states, np.arange(6.0)))
    drawn = {link.name for link in scene.links}
    drawn |= {
        a.name.rpartition(" on ")[0] for kind in scene.arrows for a in kind.arrows
    }
    assert {action.name for action in system.actions} <= drawn


@pytest.mark.parametrize("section", ["constraints", "supports"])
def test_a_rope_that_goes_slack_comes_back(section, tmp_path):
    """Said as a constraint or as a support, it is one support, written among these."""
    world, load = ph.World(), ph.Particle("load", 2.0)
    axle = ph.machines.flywheel("axle", world.origin, 0.1, axis=ph.Y)
    way = [world.point(-2, 0, 0), ph.machines.Pulley(axle, 0.2), load.mass_centre]
    rope = ph.machines.Rope(way, [2.0, 3.0], slack=True, restitution=0.3, name="cord")
    given = {section: [rope if section == "constraints" else SlackRope(rope)]}
    system = ph.System([axle, load], **given, name="crane")
    document, lost = write_system(system)
    assert not lost
    assert document["supports"]["cord"]["kind"] == "rope"
    assert fits(document, model_schema())
    found = again(tmp_path, system).system
    assert found.parameters == pytest.approx(system.parameters, rel=1e-15)
    state = random_state(system, np.random.default_rng(3))
    one, other = (contacts.gaps(s, 0.0, state.q) for s in (system, found))
    np.testing.assert_allclose(other, one, rtol=1e-14)


def test_drives_by_one_table(tmp_path):
    """A file says belt and planetary gear as Python does."""
    world = ph.World()
    pins = [ph.machines.flywheel(f"p{k}", world.origin, 0.1 + k) for k in range(4)]
    text = model_text(ph.System(pins, name="drives"))
    text += """
[constraints.belt]
kind = "belt"
driven = "p1"
driver = "p0"
driven_radius = 0.2
driver_radius = 0.1

[constraints.gearbox]
kind = "planetary_gear"
sun = "p1"
ring = "p2"
carrier = "p3"
sun_teeth = 20
ring_teeth = 60
"""
    path = tmp_path / "drives.toml"
    path.write_text(text)
    system = ph.load_model(path).system
    A, _ = system.constraint_rows(0.0, np.zeros(4), np.zeros(4))
    np.testing.assert_allclose(A, [[-0.5, 1, 0, 0], [0, 20, 60, -80]])


def test_tables_from_files_lie_beside_the_model(tmp_path):
    """Columns by title; a path out of the folder is refused."""
    load = ph.Particle("load", 1.0)
    slide = ph.Prismatic("slide", ph.World().origin, load.mass_centre, axis=ph.Z)
    text = model_text(ph.System([slide], name="one"))
    law = '\n[actions.curve]\nkind = "joint_curve"\njoint = "slide"\n'
    (tmp_path / "pull.csv").write_text("x,force\n-1,-4\n1,4\n")
    path = tmp_path / "one.toml"
    path.write_text(
        text + law + 'spring = { file = "pull.csv", columns = ["x", "force"] }\n'
    )
    (curve,) = ph.load_model(path).system.actions
    assert curve.spring(0.5) == 2.0
    path.write_text(text + law + 'spring = { file = "../pull.csv" }\n')
    with pytest.raises(FileError, match="leads out of the model's folder"):
        ph.load_model(path)
