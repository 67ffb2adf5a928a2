"""Laws that users write wrongly are refused by the name of what they belong to."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph


def pushed(law):
    """A block on a track, with a motor."""
    block = ph.Body("block", ph.solids.box(mass=1, x=1, y=1, z=1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [ph.Motor(track, law, name="push")])


def pulled(law, kind):
    """A particle, with a force or a potential between it and the world."""
    world, ball = ph.World(), ph.Particle("ball", 1.0)
    if kind is ph.Potential:
        return ph.System([ball], [kind((world.frame, ball.frame), law, name="pull")])
    return ph.System([ball], [kind(ball.mass_centre, world.frame, law, name="pull")])


def held(law, of=None, rows=("row 1",)):
    """A particle under an equation of place."""
    ball = ph.Particle("ball", 1.0)
    frames = [ball.frame] if of is None else of(ball)
    return ph.System([ball], [], [ph.Holonomic(frames, law, rows=rows, name="bead")])


def slipping(law):
    """A block on a track under rows of velocity."""
    block = ph.Body("block", ph.solids.box(mass=1, x=1, y=1, z=1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [], [ph.VelocityRows([track], law, name="wheel")])


def started(make):
    """A run from rest."""
    system = make()
    return ph.simulate(system, system.rest(), until=1.0)


def raises(*_):
    return {}["k"]


WRONG = {
    "a complex effort": (
        lambda: pushed(lambda t, q, z: 1j * q[0]),
        "the law of 'push' gave complex numbers",
    ),
    "a complex force": (
        lambda: pulled(lambda x, v, t: 1j * x, ph.ForceLaw),
        "the law of 'pull' gave complex numbers",
    ),
    "a force that branches": (
        lambda: pulled(lambda x, v, t: x if x[0] > 0 else -x, ph.ForceLaw),
        "'pull' fails: TracerBoolConversionError: [^\n]*\n\n  It is called as law\\(x",
    ),
    "an energy that raises": (
        lambda: pulled(raises, ph.Potential),
        "the law of 'pull' gave no energy.*KeyError: 'k'",
    ),
    "an equation that raises": (
        lambda: held(lambda a, t: 1 / 0),
        "the law of 'bead' gave no equation.*ZeroDivisionError",
    ),
    "a complex equation": (
        lambda: held(lambda a, t: 1j * a.position[2]),
        "the law of 'bead' gave complex numbers",
    ),
    "an equation of words": (
        lambda: held(lambda a, t: "z = 0"),
        "the law of 'bead' gave 'z = 0'",
    ),
    "an equation of a body": (
        lambda: held(lambda a, t: a.position[2], lambda ball: [ball]),
        "'bead' cannot be of Particle",
    ),
    "an equation without brackets": (
        lambda: held(lambda a, t: a.position[2], lambda ball: ball.frame),
        "'bead' cannot be of Frame.*brackets also round one",
    ),
    "rows that are no pair": (
        lambda: slipping(lambda q, t: np.ones(1)),
        "the law of 'wheel' gave .*Return the pair a, b",
    ),
    "an equation at its edge": (
        lambda: held(lambda a, t: jnp.linalg.norm(a.position)),
        "'bead' has no slope there",
    ),
}


# Where an equation has no slope nothing can move either, and that is told before.
@pytest.mark.filterwarnings("ignore:.*begins where it cannot move")
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_law_is_refused(wrong):
    """When its system is built, or before its first step."""
    make, words = WRONG[wrong]
    with pytest.raises(ph.PolhodeError, match=f"(?s){words}"):
        started(make)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ph.Sampled(lambda t, s: 1.0, "1 ms"), "sampled every '1 ms' s"),
        (lambda: ph.Sampled(lambda t, s: 1.0, True), "sampled every True s"),
        (lambda: ph.Noise("a", 0.1), "standard deviation 'a'"),
        (lambda: ph.Noise(1j, 0.1), "standard deviation 1j"),
    ],
)
def test_samples_and_disturbances_are_of_real_numbers(make, words):
    """Words, truth values and complex numbers are refused as they came."""
    with pytest.raises(ph.PolhodeError, match=words):
        make()
