"""Moreau's scheme: what must stick sticks, ledgers close, lanes are runs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError
from polhode.integrate.results.moreau_contacts import contact_steps

Moreau = ph.methods.Moreau
SIDE = 0.1


@cache
def level():
    """A cube on a level plane, compiled once."""
    body = ph.Body("cube", ph.solids.box(mass=1.0, x=SIDE, y=SIDE, z=SIDE))
    skin = ph.surfaces.box(body.origin, (SIDE, SIDE, SIDE))
    rest = ph.Support(
        skin,
        ph.World().origin,
        friction=ph.Coulomb(0.5),
        name="rest",
    )
    return ph.System([body], [ph.Weight(9.81)], supports=[rest], name="cube")


def laws(support, dynamic, static, restitution):
    """A support's laws in one run: always all of them, so that one program serves."""
    return {
        f"{support}.dynamic": dynamic,
        f"{support}.static": static,
        f"{support}.restitution": restitution,
    }


@cache
def ball():
    """A ball on a rough floor, compiled once; runs give its laws."""
    body = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=SIDE))
    skin, rubs = ph.surfaces.sphere(body.origin, SIDE), ph.Coulomb(0.3)
    floor = ph.Support(skin, ph.World().origin, friction=rubs, name="floor")
    return ph.System([body], [ph.Weight(9.81)], supports=[floor], name="ball")


def on_floor(system, speed=0.0, height=SIDE / 2):
    """A state of the cube, or of the ball, along X."""
    q, z = system.neutral(), np.zeros(6)
    q[-1], z[3] = height, speed
    return ph.State(system, 0.0, q, z)


def particle(*, support=None, actions=(), **more):
    """A particle on a floor."""
    bob, world = ph.Particle("bob", 1.0), ph.World()
    own = ph.Support(
        ph.surfaces.point(bob.mass_centre), world.origin, name="floor", **more
    )
    acting = [ph.Weight(9.81), *(make(bob, world) for make in actions)]
    return ph.System([bob], acting, supports=[own], name="particle")


@cache
def bouncing():
    """A particle on a smooth floor, compiled once; runs give its restitution."""
    return particle(restitution=0.5)


def placed(system, q, z):
    """A state from plain lists."""
    return ph.State(system, 0.0, np.array(q, float), np.array(z, float))


# ---------------------------------------------------------------------- rest, sliding


def test_a_cube_at_rest_stays_to_rounding():
    """Ten thousand steps: neither speed nor place grows."""
    system = level()
    motion = ph.simulate(
        system, on_floor(system), until=100.0, method=Moreau(0.01), samples=5
    )
    assert np.abs(motion.z).max() < 2e-15
    assert np.abs(motion.q - motion.q[0]).max() < 1e-13


def test_every_corner_bears_a_quarter():
    """Four corners, one too many: least norm, and the upper four are open."""
    system = level()
    motion = ph.simulate(system, on_floor(system), until=0.1, method=Moreau(0.01))
    rest = motion["rest"]
    below = [0, 2, 4, 6]
    np.testing.assert_allclose(rest.push[1:, below], 9.81 / 4, rtol=1e-10)
    assert np.all(rest.status[1:, below] == "sticks")
    assert np.all(rest.status[1:, [1, 3, 5, 7]] == "open")
    np.testing.assert_allclose(rest.gap[:, below], 0.0, atol=1e-15)
    np.testing.assert_allclose(rest.gap[:, [1, 3, 5, 7]], SIDE, rtol=1e-12)


def test_the_ledger_closes_and_tells_how_well_the_laws_are_kept():
    """S7 by its ledger: friction takes 18 J, pushes take none."""
    system = level()
    motion = ph.simulate(system, on_floor(system, 6.0), until=2.0, method=Moreau(0.005))
    ledger = motion.ledger()
    assert np.abs(ledger.balance).max() < 1e-12
    assert abs(ledger.work["friction of rest"][-1] + 18.0) < 1e-12
    assert abs(ledger.work["impacts of rest"][-1]) < 1e-12
    assert not np.any(ledger.work["position correction"])
    kept = ledger.promises
    assert kept.overlap <= 1e-13
    assert kept.least_push >= 0.0
    assert kept.cone < 1e-12
    assert kept.slip_at_rest < 1e-14
    assert kept.residual < 1e-12
    assert "contact residual, m/s" in str(ledger)
    friction = motion["rest"].friction[10].sum(axis=0)
    np.testing.assert_allclose(friction, [-0.5 * 9.81, 0, 0], atol=1e-12)


def test_a_drop_without_restitution_lands_and_its_overlap_is_removed():
    """The energy of the fall is booked, and so is what lifting it out gave."""
    system = level()
    start = on_floor(system, height=SIDE / 2 + 0.01)
    motion = ph.simulate(system, start, until=0.2, method=Moreau(0.003))
    ledger = motion.ledger()
    assert abs(motion.final.q[-1] - SIDE / 2) < 1e-9
    assert np.abs(motion.final.z).max() < 1e-14
    assert ledger.work["impacts of rest"][-1] < -0.05
    assert ledger.work["position correction"][-1] > 0
    assert np.abs(ledger.balance).max() < 1e-10
    assert motion["rest"].gap.min() > -1e-9


def test_impulses_of_a_step_are_those_of_the_next():
    """What rests is looked at, not solved again: shares stay, and nothing creeps."""
    system = level()
    motion = ph.simulate(system, on_floor(system), until=0.5, method=Moreau(0.01))
    steps = contact_steps(motion)
    np.testing.assert_allclose(steps.impulse[1:], steps.impulse[:-1], atol=1e-15)
    assert steps.residual[30:].max() < 1e-15


# ------------------------------------------------------------------------- impacts


def test_a_rough_ball_that_bounces_keeps_its_balance():
    """It gains spin while its speeds jump: forces are those of the mean speed."""
    system, own = ball(), laws("floor", 0.3, 0.3, 0.9)
    start = on_floor(system, 0.5, height=0.4)
    motion = ph.simulate(system, start, until=0.5, method=Moreau(1e-3), parameters=own)
    assert np.abs(motion.z[-1, :3]).max() > 1.0
    assert np.abs(motion.ledger().balance).max() < 1e-4


@pytest.mark.parametrize("law", [ph.contact.Stronge(0.5), ph.contact.Poisson(0.5)])
def test_laws_by_the_halves_of_an_impact_are_refused(law):
    """A step has one impulse; Newton's law, a number and smooth supports are taken."""
    rough = particle(friction=ph.Coulomb(0.2), restitution=law)
    with pytest.raises(ph.errors.ModelError, match="cannot take"):
        ph.simulate(rough, rough.rest(), until=0.1, method=Moreau(0.01))


def test_bounces_neither_gain_nor_lose_with_restitution_one():
    """A hundred bounces: the energy stays within what a step moves."""
    system, own = bouncing(), {"floor.restitution": 1.0}
    start = placed(system, [0, 0, 0.1], [0, 0, 0])
    motion = ph.simulate(system, start, until=30.0, method=Moreau(1e-3), parameters=own)
    energy = motion.ledger().energy
    assert np.abs(energy / energy[0] - 1).max() < 0.02
    assert abs(energy[-1000:].mean() / energy[:1000].mean() - 1) < 0.01


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9])
def test_restitution_is_met_at_the_impact(e):
    """u+ = -e u- in the step that strikes."""
    system, own = bouncing(), {"floor.restitution": e}
    start = placed(system, [0, 0, 1e-4], [0, 0, -2.0])
    motion = ph.simulate(system, start, until=0.01, method=Moreau(1e-3), parameters=own)
    steps = contact_steps(motion)
    struck = np.flatnonzero(steps.impulse[:, 0, 0] > 0.1)[0]
    before, after = steps.before[struck, 0, 0], steps.after[struck, 0, 0]
    assert abs(after + e * before) < 1e-12


# --------------------------------------------------------------------- rolling, belts


def test_a_belt_gives_twice_what_it_heats():
    """S6: belt's work 4 J, half of it heat; the ledger closes to rounding."""
    system = particle(friction=ph.Coulomb(0.25), belt=(2.0, 0, 0))
    motion = ph.simulate(
        system, placed(system, [0, 0, 0], [0, 0, 0]), until=1.0, method=Moreau(1e-3)
    )
    ledger = motion.ledger()
    assert abs(ledger.work["drive of floor"][-1] - 4.0) < 1e-11
    assert abs(ledger.work["friction of floor"][-1] + 2.0) < 1e-11
    assert np.abs(ledger.balance).max() < 1e-12
    caught = motion.t[np.argmax(motion.z[:, 0] > 2.0 - 1e-9)]
    assert abs(caught - 0.815494393476044852) < 1.1e-3


def test_static_friction_holds_more_than_dynamic():
    """A pull between the two holds what rests, and not what slides."""

    def pull(bob, world):
        force = ph.theory.Vector([4.0, 0, 0], world.frame)
        return ph.AppliedForce(bob.mass_centre, force, world.frame)

    system = particle(friction=ph.Coulomb(0.3, 0.5), actions=[pull])
    ends = [
        ph.simulate(
            system, placed(system, [0, 0, 0], [v, 0, 0]), until=1.0, method=Moreau(1e-2)
        ).final.z[0]
        for v in (0.0, 0.1)
    ]
    assert abs(ends[0]) < 1e-14
    assert abs(ends[1] - (0.1 + 4.0 - 0.3 * 9.81)) < 1e-12


def test_joints_answer_with_impulses():
    """A rod on a hinge strikes the floor with its end: the hinge stays where it is."""
    world = ph.World()
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    hinge = ph.Revolute(
        "hinge", world.point(0, 0, 0.2), rod.point(0, 0, 0.5), axis=ph.Y
    )
    end = ph.surfaces.point(rod.point(0, 0, -0.5))
    stop = ph.Support(end, world.origin, name="stop")
    system = ph.System([hinge], [ph.Weight(9.81)], supports=[stop], name="stopped")
    state = placed(system, [1.5], [0.0])
    motion = ph.simulate(system, state, until=1.5, method=Moreau(1e-3))
    resting = np.arccos(0.2)
    assert abs(abs(motion.final.q[0]) - resting) < 1e-8
    assert abs(motion.final.z[0]) < 1e-13
    np.testing.assert_allclose(motion["stop"].push[-1, 0], 9.81 / 2, rtol=1e-8)


def test_loops_answer_with_impulses():
    """A bob on a thread: what strikes the floor stays at its length from the hook."""
    bob, world = ph.Particle("bob", 1.0), ph.World()
    thread = ph.Distance(world.point(0, 0, 0.8), bob.mass_centre, 1.0, name="thread")
    own = ph.Support(
        ph.surfaces.point(bob.mass_centre),
        world.origin,
        friction=ph.Coulomb(0.2),
        name="floor",
    )
    system = ph.System(
        [bob], [ph.Weight(9.81)], [thread], supports=[own], name="tethered"
    )
    state = placed(system, [np.sqrt(1 - 0.09), 0, 0.5], [0, 0, 0])
    motion = ph.simulate(system, state, until=1.0, method=Moreau(1e-3))
    length = np.linalg.norm(motion.q - [0, 0, 0.8], axis=1)
    assert np.abs(length - 1.0).max() < 1e-9
    assert abs(motion.final.q[2]) < 1e-6
    assert abs(motion.final.q[0] - 0.6) < 1e-6
    assert motion["floor"].push.min() >= 0


# ----------------------------------------------------------------------- lanes, order


def test_lanes_of_a_sweep_are_the_runs():
    """The same bits, each lane with its own friction."""
    system = level()
    start = on_floor(system, 6.0)
    method = Moreau(0.005)
    values = laws("rest", [0.5, 0.25, 0.4], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0])
    swept = ph.sweep(system, start, until=1.0, method=method, parameters=values)
    for k in range(3):
        own = {name: v[k] for name, v in values.items()}
        alone = ph.simulate(
            system, start, until=1.0, method=method, parameters=own
        ).final
        np.testing.assert_allclose(swept.final_q[k], alone.q, atol=1e-14)
        np.testing.assert_allclose(swept.final_z[k], alone.z, atol=1e-14)
    slid = 36 / 2 - 0.5 * (6 - 0.25 * 9.81) ** 2
    assert abs(swept.final_q[1, 4] - slid / (0.25 * 9.81)) < 1e-9


@pytest.mark.long
def test_first_order_through_impacts():
    """S1 against its closed form: the end of the bounces comes nearer with the step."""
    system = bouncing()
    start = placed(system, [0, 0, 1.0], [0, 0, 0])
    rest, errors = 1.35457092295719271, []
    for h in (4e-3, 2e-3, 1e-3, 5e-4):
        motion = ph.simulate(system, start, until=2.0, method=Moreau(h))
        moving = np.abs(motion.z[:, 2]) > 1e-9
        errors.append(abs(motion.t[np.flatnonzero(moving)[-1]] - rest))
        assert errors[-1] < 12 * h
    assert errors[-1] < errors[0]


def test_smooth_motion_is_of_second_order():
    """Between impacts: a ball that rolls and slides, errors fall as h^2."""
    system, own = ball(), laws("floor", 0.2, 0.2, 0.0)
    start, errors = on_floor(system, 2.0, height=SIDE), []
    for h in (1e-3, 5e-4):
        method = Moreau(h)
        motion = ph.simulate(system, start, until=0.5, method=method, parameters=own)
        ledger = motion.ledger()
        errors.append(abs(ledger.momentum[-1, 0] - 10 / 7))
        assert abs(ledger.momentum[-1, 2]) < 1e-12
        assert motion["floor"].status[-1, 0] == "rolls"
    assert errors[0] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


# ------------------------------------------------------------------------- the door


def test_a_system_without_supports_is_refused():
    """It would be a method of order one for nothing."""
    bob = ph.Particle("bob", 1.0)
    system = ph.System([bob], [ph.Weight(9.81)])
    with pytest.raises(IntegrationError, match="has nothing to do"):
        ph.simulate(system, system.rest(), until=1.0, method=Moreau(0.01))


@pytest.mark.long
def test_sweeps_without_a_method_hold_bodies_on_their_floors():
    """They are exact, as `simulate` is: the same bits.

    One point of contact: of a cube's eight the exact steps take minutes to compile.
    """
    system = particle(friction=ph.Coulomb(0.3), restitution=0.4)
    start = placed(system, [0.0, 0.0, 0.02], [0.5, 0.0, 0.0])
    alone = ph.simulate(system, start, until=0.3)
    swept = ph.sweep(system, [start, start], until=0.3)
    np.testing.assert_array_equal(swept.final_q, [alone.q[-1]] * 2)
    assert abs(alone.q[-1][-1]) < 1e-9


def test_columns_need_the_steps():
    """Samples do not keep them, and say so."""
    system = level()
    motion = ph.simulate(
        system, on_floor(system), until=0.1, method=Moreau(0.01), samples=3
    )
    with pytest.raises(IntegrationError, match="cannot be known"):
        _ = motion["rest"]


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, "fast"])
def test_a_step_is_a_positive_number(step):
    """As of every method of fixed step."""
    with pytest.raises(IntegrationError, match="cannot step"):
        Moreau(step)


def test_brakes_and_couples_are_pressed_by_their_loads():
    """The dry oscillator of Siconos: rest aside, to first order; the brake holds."""
    bob, world = ph.Particle("bob", 1.0), ph.World()
    rail = ph.Prismatic("rail", world.origin, bob.mass_centre, axis=ph.X)
    spring = ph.Spring(bob.mass_centre, world.origin, 1.0)
    brake = ph.Brake(rail, ph.Coulomb(0.5), load=2.0, name="shoe")
    system = ph.System([rail], [spring], supports=[brake])
    start = system.state(rail=12.0, speeds={"rail": 6.0})
    missed = []
    for step in (1e-2, 5e-3):
        method = ph.methods.Moreau(step)
        motion = ph.simulate(system, start, until=25.0, method=method)
        missed.append(abs(motion.q[-1, 0] - 0.682178936723646846))
        assert abs(motion.z[-1, 0]) < 1e-14
        ledger = motion.ledger()
        assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert missed[0] < 2e-4
    assert missed[1] < 0.7 * missed[0]


def test_a_dry_joint_is_refused():
    """What a joint carries follows from accelerations; steps have none."""
    rod, world = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0)), ph.World()
    hinge = ph.Revolute("hinge", world.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    rubs = ph.JointFriction(hinge, ph.Coulomb(0.2), radius=0.1)
    system = ph.System([hinge], supports=[rubs])
    with pytest.raises(ph.errors.ModelError, match="a dry joint"):
        ph.simulate(system, system.state(), until=0.1, method=Moreau(step=1e-2))


@pytest.mark.filterwarnings("ignore:'cube' used up its limit")
def test_a_run_goes_on_from_its_file(tmp_path):
    """Bit for bit, and what contacts did is found again from the rows of a file."""
    system = level()
    start = system.state(cube={"z": 0.1}, speeds={"cube": (0, 1, 0, 1, 0, 0)})
    own = {
        "until": 0.5,
        "method": Moreau(step=5e-3),
        "parameters": laws("rest", 0.5, 0.5, 0.3),
    }
    whole = ph.simulate(system, start, **own)
    ph.simulate(system, start, **own, to=tmp_path / "cube.nc", limit=40)
    again = ph.resume(tmp_path / "cube.nc", system, limit=10**6)
    np.testing.assert_array_equal(again.q, whole.q)
    np.testing.assert_array_equal(again.z, whole.z)
    whole.save(tmp_path / "kept.nc")
    kept = ph.load_motion(tmp_path / "kept.nc").of(system)
    np.testing.assert_array_equal(kept["rest"].push, whole["rest"].push)
