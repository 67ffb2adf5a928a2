"""Files and folders know the Python functions of their runs, not only the names."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from filed import interrupting, pulled, same
from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.storage import laws

WISH = {"until": 0.5, "method": ph.methods.RungeKutta4(0.05)}


def swung(strength=1.0, mass=1.0):
    """A rod with a motor that has a law of Python, and a push from outside."""
    rod = ph.Body("rod", ph.solids.rod(mass=mass, length=1.0, along=ph.Z))
    hinge = ph.Revolute("angle", ph.World().origin, rod.origin, axis=ph.Y)
    motor = ph.Motor(hinge, lambda t, q, z: strength * jnp.cos(q[0]))
    return ph.System([hinge], [motor, ph.Motor(hinge, 0.0, name="push")], name="rod")


def pushes(gain):
    return {"push": lambda t, state: gain * jnp.sin(t)}


def stops(level, back=-1.0):
    def reset(t, state):
        return state.system.state(
            angle=state["angle"], speeds={"angle": back * state.speed("angle")}, t=t
        )

    return [
        ph.Event("stop", lambda t, state: state["angle"] - level, 1, reset=reset),
    ]


def swept(folder, system=None, **given):
    system = system or swung()
    states = ph.States(system, 0.0, np.array([[0.1], [0.2]]), np.zeros((2, 1)))
    return ph.sweep(system, states, **WISH, **given, to=folder).whole()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"system": swung(1.0)}, {"system": swung(1.5)}),
        ({"system": swung(mass=1.0)}, {"system": swung(mass=1.5)}),
        ({"inputs": pushes(1.0)}, {"inputs": pushes(1.5)}),
        ({"events": stops(0.15)}, {"events": stops(0.16)}),
        ({"events": stops(0.15)}, {"events": stops(0.15, back=-0.5)}),
    ],
    ids=["law of the model", "mass", "input", "event", "reset"],
)
def test_a_sweep_with_another_law_does_not_take_the_old_parts(tmp_path, first, then):
    """The same law again goes on; another needs a folder of its own."""
    before = swept(tmp_path / "a", **first)
    assert np.array_equal(swept(tmp_path / "a", **first).q, before.q)
    with pytest.raises(FileError, match="has another sweep in it") as refusal:
        swept(tmp_path / "a", **then)
    assert refusal.value.why.startswith("laws or values of the model")
    assert not np.array_equal(swept(tmp_path / "b", **then).q, before.q)


def test_laws_that_cannot_be_told_apart_need_a_new_folder(tmp_path):
    """A sweep is made once; parts of which nobody knows the law are not taken."""

    class Table:
        def __init__(self):
            self.lines = (line for line in "ab")

        def __call__(self, t, state):
            return 2.0 * t

    table = Table()
    swept(tmp_path / "a", inputs={"push": table})
    with pytest.raises(FileError, match="may have another sweep") as refusal:
        swept(tmp_path / "a", inputs={"push": table})
    assert "builtins.generator" in refusal.value.why
    assert "__fingerprint__" in refusal.value.repair
    Table.__fingerprint__ = lambda self: "two t"
    swept(tmp_path / "b", inputs={"push": table})
    swept(tmp_path / "b", inputs={"push": Table()})


def halted(path, system, **guide):
    """A run to a file that was interrupted where all laws of the tests agree."""
    with pytest.warns(IntegrationWarning, match="interrupted"):
        ph.simulate(
            system,
            system.state(angle=0.1, speeds={"angle": 0.3}),
            until=4.0,
            method=ph.methods.RungeKutta4(1e-3),
            to=path,
            watch=interrupting(1),
            **guide,
        )


def late(gain):
    """A law that is felt only after the run has halted."""
    return {"push": lambda t, state: jnp.where(t > 3.9, gain, 0.0)}


def sampled(gain):
    return {"push": ph.Sampled(lambda t, state: gain * (t > 3.9), 0.5)}


@pytest.mark.parametrize("law", [late, sampled])
def test_a_run_does_not_go_on_with_another_input(tmp_path, law):
    """Even where forces agree at the last row: the law is what is compared."""
    path, system = tmp_path / "a.nc", pulled(0.5)
    halted(path, system, inputs=law(1.0))
    assert not ph.load_motion(path).outcome.is_complete
    with pytest.raises(FileError, match="another law: that of push differs"):
        ph.resume(path, system, inputs=law(2.0))
    with pytest.raises(FileError, match="another law: that of push differs"):
        ph.load_motion(path).of(system, inputs=law(2.0))
    ph.load_motion(path).of(system, inputs=law(1.0))
    assert ph.resume(path, system, inputs=law(1.0)).outcome.is_complete


def test_a_run_does_not_go_on_with_other_events(tmp_path):
    """A level or a reset of the same name, direction and kind."""
    path, system = tmp_path / "a.nc", pulled(0.0)
    halted(path, system, events=stops(5.0))
    for other in (stops(0.7), stops(5.0, back=-0.5)):
        with pytest.raises(FileError, match="another law: that of stop differs"):
            ph.resume(path, system, events=other)
    assert ph.resume(path, system, events=stops(5.0)).outcome.is_complete


def test_a_motion_is_not_read_with_a_model_of_another_law(tmp_path):
    """Forces were compared where a run goes on, and nowhere where it is read."""
    path = tmp_path / "a.nc"
    halted(path, swung(1.0))
    with pytest.raises(FileError, match="another law: that of the model differs"):
        ph.load_motion(path).of(swung(1.5))
    motion = ph.load_motion(path).of(swung(1.0))
    assert len(motion) > 1


def test_a_saved_motion_knows_its_inputs(tmp_path):
    """As a run to a file does."""
    path, system = tmp_path / "a.nc", pulled(0.5)
    start = system.state(angle=0.1)
    motion = ph.simulate(system, start, until=0.2, inputs=pushes(1.0))
    motion.save(path)
    assert same(ph.load_motion(path).of(system, inputs=pushes(1.0)), motion)
    with pytest.raises(FileError, match=r"that of push differs|forces do not"):
        ph.load_motion(path).of(system, inputs=pushes(2.0))


def test_byte_code_of_another_python_says_nothing(tmp_path, monkeypatch):
    """Then laws are taken by name, as those that have no fingerprint."""
    path, system = tmp_path / "a.nc", pulled(0.5)
    monkeypatch.setattr(laws, "PYTHON", "cpython-299")
    halted(path, system, inputs=late(1.0))
    monkeypatch.undo()
    ph.load_motion(path).of(system, inputs=late(2.0))
