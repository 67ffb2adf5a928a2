"""Laws by formula and joints that are locked: written, and read again."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import FileError, ModelFileError
from polhode.files.model import model_text
from polhode.files.schema import model_schema
from polhode.files.writing import write_system
from polhode.system import rows
from schema_check import fits
from written_again import again, assert_same


def test_locked_joints_come_back_locked(tmp_path):
    """Where they are held, by number and by quaternion; what is idle stays so."""
    one, two, three = (ph.Body(n, ph.solids.sphere(mass=1, radius=1)) for n in "abc")
    shoulder = ph.Revolute("shoulder", ph.World().origin, one.point(0, 0, 0.5), ph.Y)
    elbow = ph.Revolute("elbow", one.point(0, 0, -0.5), two.point(0, 0, 0.5), ph.Y)
    wrist = ph.Spherical("wrist", two.point(0, 0, -0.5), three.point(0, 0, 0.5))
    actions = [ph.Weight(9.81), ph.JointSpring(elbow, 3.0, name="idle")]
    system = ph.System([shoulder, elbow, wrist], actions, name="stiff")
    turn = {"qw": 0.6, "qx": 0.8, "qy": 0.0, "qz": 0.0}
    held = ph.lock(ph.lock(system, "elbow", 0.3), "wrist", turn)
    found = again(tmp_path, held, start=held.state(shoulder=1.0))
    assert_same(held, found.system, found.start)
    places = [s.poses(0.0, [1.0]).rotations for s in (held, found.system)]
    np.testing.assert_array_equal(*places)
    free = ph.unlock(found.system, "elbow")
    assert [action.name for action in free.actions] == ["weight", "idle"]
    document, lost = write_system(held)
    assert not lost
    assert fits(document, model_schema())
    text = model_text(held).replace("elbow = 0.3", "elbwo = 0.3")
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(ModelFileError, match="Did you mean 'elbow'"):
        ph.load_model(tmp_path / "wrong.toml")
    (tmp_path / "wrong.toml").write_text(text.replace("axis", "axes"))
    with pytest.raises(ModelFileError, match="5 errors") as refused:
        ph.load_model(tmp_path / "wrong.toml")
    assert "Did you mean 'elbow'" in str(refused.value)


def test_a_free_body_that_is_locked_comes_back_locked(tmp_path):
    """Its joint is made by the system itself, and is not written."""
    one, two = ph.Particle("one", 1.0), ph.Particle("two", 2.0)
    pull = ph.Spring(one.mass_centre, two.mass_centre, 3.0, name="pull")
    held = ph.lock(ph.System([one, two], [pull]), "one", (1.0, 2.0, 3.0))
    found = again(tmp_path, held)
    assert_same(held, found.system, held.state(two=(0.5, 0.0, 0.0)))
    assert ph.unlock(found.system, "one").speeds == 6


def test_formulas_come_back_whatever_their_variables_are_called(tmp_path):
    """Springs, central forces, motors and drivers: the file has names of its own."""
    bob, cart, block = (ph.Particle(n, 1.0) for n in ("bob", "cart", "block"))
    origin = ph.World().origin
    rail = ph.Prismatic("rail", origin, cart.mass_centre, axis=ph.X)
    lift = ph.Prismatic("lift", origin, block.mass_centre, axis=ph.Z)
    stretch = ph.Formula("2 * `the length` ** 4 + exp(-`the length`)", ("the length",))
    ends = bob.mass_centre, cart.mass_centre
    actions = [
        ph.machines.NonlinearSpring(*ends, stretch),
        ph.CentralForce(*ends, ph.Formula("x * sin(s) - 0.1 * r", ("x", "r", "s"))),
        ph.Motor(rail, ph.Formula("sin(2 * s) - 3 * x", ("s", "x", "v"))),
    ]
    driver = ph.PrescribedMotion(lift, ph.Formula("cos(s) / 2", ("s",)), name="driver")
    system = ph.System([bob, rail, lift], actions, [driver], name="laws")
    found = again(tmp_path, system).system
    state = ph.State(system, 0.3, np.arange(1.0, 6.0), np.arange(5.0))
    assert_same(system, found, state)
    misses = [rows.positions(each, 0.3, state.q, {}) for each in (system, found)]
    np.testing.assert_array_equal(*misses)
    assert fits(write_system(system)[0], model_schema())


def test_a_formula_of_too_few_variables_is_told_in_words(tmp_path):
    """Where it is asked, and where it is written: no file that none can read."""
    cart = ph.Particle("cart", 1.0)
    rail = ph.Prismatic("rail", ph.World().origin, cart.mass_centre, axis=ph.X)
    push = ph.Motor(rail, ph.Formula("sin(2 * t)"), name="push")
    system = ph.System([rail], [push], name="pushed")
    with pytest.raises(
        ph.PolhodeError, match="is of 't', and is called with 3 numbers"
    ):
        system.applied(0.0, [0.0], [0.0])
    with pytest.raises(FileError) as refused:
        ph.save_model(system, tmp_path / "model.toml")
    assert "push.law: its formula is of t, not of t, q, z" in refused.value.why


def test_a_method_that_files_do_not_know_is_refused(tmp_path):
    """A run by a method made of others has no line in a file."""
    run = {
        "until": 1.0,
        "method": ph.methods.Composed(ph.methods.StormerVerlet(step=0.1), 4),
    }
    with pytest.raises(FileError, match="a run by Composed cannot be written"):
        ph.save_model(ph.models.pendulum(), tmp_path / "model.toml", run=run)


def bent(q):
    """A bead on z = x^2, as a joint of the user's own."""
    return jnp.eye(3), jnp.stack([q[0], 0.0 * q[0], q[0] ** 2])


def pushed(x, v, t):
    """A force of the user's own."""
    return -0.2 * v


@pytest.mark.parametrize("kind", ["UserJoint", "ForceLaw", "Holonomic"])
def test_what_users_write_is_refused_by_its_name(kind, tmp_path):
    """Joints, forces and equations of one's own are code, and no file holds code."""
    bead, origin = ph.Particle("bead", 1.0), ph.World().origin
    place = bead.mass_centre
    made = {
        "UserJoint": lambda: ph.System(
            [ph.UserJoint("own", origin, place, bent, names=("x",), kinds=("m",))]
        ),
        "ForceLaw": lambda: ph.System(
            [bead], [ph.ForceLaw(place, origin.frame, pushed, name="own")]
        ),
        "Holonomic": lambda: ph.System(
            [bead],
            constraints=[
                ph.Holonomic([bead.frame], lambda b, t: b.position[2], name="own")
            ],
        ),
    }
    with pytest.raises(FileError, match="cannot be written as a file") as refused:
        ph.save_model(made[kind](), tmp_path / "model.toml")
    lost = "own.law: its law is a function of Python"
    if kind != "ForceLaw":
        lost = f"'own': {kind} is a law of Python"
    assert lost in refused.value.why
    assert not (tmp_path / "model.toml").exists()
