"""Wrong models are refused when they are built, in words that name the thing."""

from __future__ import annotations

import copy
import math
import pickle

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import NumericalWarning


def rod(name: str = "rod") -> ph.Body:
    return ph.Body(name, ph.solids.rod(mass=1.0, length=1.0))


def on_a_hinge(*actions, constraints=()) -> ph.System:
    hinge = ph.Revolute("h", ph.World().origin, rod().point(0, 0, 0.5), axis=ph.Y)
    return ph.System([hinge], list(actions), [c(hinge) for c in constraints])


def driven(*laws) -> ph.System:
    """A block on a guide moved by drivers "a", "b", ..."""
    block = ph.Body("block", ph.solids.box(mass=1, x=1, y=1, z=1))
    guide = ph.Prismatic("guide", ph.World().origin, block.origin, axis=ph.X)
    pairs = zip("abc", laws, strict=False)
    drivers = [ph.PrescribedMotion(guide, law, name=name) for name, law in pairs]
    return ph.System([guide], constraints=drivers)


def massless() -> ph.System:
    empty = ph.Body.from_inertia("empty", mass=0, inertia=(0, 0, 0))
    guide = ph.Prismatic("guide", ph.World().origin, empty.origin, axis=ph.X)
    return ph.System([guide])


def spun_rod() -> ph.System:
    return ph.System([ph.Revolute("spin", ph.World().origin, rod().origin, axis=ph.Z)])


def of_inertia(*moments, mass=1.0):
    return lambda: ph.Body.from_inertia("wheel", mass=mass, inertia=list(moments))


def lopsided():
    ph.Body.from_inertia("b", mass=1, inertia=[[1, 1e-3, 0], [0, 1, 0], [0, 0, 1]])


def top_at(**quaternion):
    return lambda: ph.models.heavy_top().state(tip=quaternion)


def too_far() -> ph.System:
    world, bar = ph.World(), rod()
    one = ph.Revolute("one", world.origin, bar.point(0, 0, 0.5), axis=ph.Y)
    far = world.point(0, 0, -2), bar.point(0, 0, -0.5)
    return ph.System([one, ph.Revolute("two", *far, axis=ph.Y)])


def twins() -> ph.System:
    world = ph.World()
    hinges = [
        ph.Revolute(name, world.origin, rod().point(0, 0, 0.5), axis=ph.Y)
        for name in ("one", "two")
    ]
    return ph.System(hinges)


def hinge_along(axis, **options):
    return lambda: ph.Revolute(
        "h", ph.World().origin, rod().origin, axis=axis, **options
    )


REFUSED = {
    "negative mass": (lambda: ph.Particle("p", -1.0), "'p' cannot have mass -1 kg"),
    "negative mass of a parameter, later": (
        lambda: ph.models.pendulum().with_({"m": -1.0}),
        "'rod' cannot have mass -1 kg",
    ),
    "negative length, later": (
        lambda: ph.models.pendulum().with_({"l": -1.0}),
        "the length of 'rod' cannot be -1",
    ),
    "negative stiffness, later": (
        lambda: ph.models.cart_pendulum().with_({"k": -1.0}),
        "the stiffness of 'spring' is negative: -1",
    ),
    "mass that is no number": (
        lambda: ph.models.pendulum().with_({"m": math.nan}),
        "parameter 'm' is not finite",
    ),
    "no mass on a guide": (massless, "Nothing resists guide.*has no mass"),
    "a free particle without mass": (
        lambda: ph.System([ph.Particle("p", 0.0)]),
        "Nothing resists p.vx",
    ),
    "a thin rod about itself": (spun_rod, "zero moment of inertia about .0, 0, 1."),
    "triangle of moments": (of_inertia(1, 1, 3), "moments .1, 1, 3.*3 > 1 \\+ 1"),
    "negative moment": (of_inertia(-1, 1, 1), "'wheel' cannot have principal moments"),
    "moments without mass": (of_inertia(1, 1, 1, mass=0), "Nothing without mass"),
    "complex moments": (
        lambda: ph.Body.from_inertia("b", mass=1, inertia=1j * np.eye(3)),
        "the inertia of 'b' is not a number: np.complex128.1j.",
    ),
    "moments in words": (
        lambda: ph.Body.from_inertia("b", mass=1, inertia=[["1", 0, 0]] * 3),
        "the inertia of 'b' is not a number: '1'",
    ),
    "moments beyond all numbers": (
        lambda: ph.Body.from_inertia(
            "b", mass=1e200, inertia=(1e300,) * 3, centre=(1e200, 0, 0)
        ),
        "the moments of 'b' are beyond the largest number",
    ),
    "a name that cannot be printed": (
        lambda: rod("a\0b"),
        r"a frame cannot be named 'a.x00b'",
    ),
    "a joint of two lines": (
        lambda: ph.Revolute("a\nb", ph.World().origin, rod().origin, axis=ph.Y),
        r"a joint cannot be named 'a.nb'",
    ),
    "a pickled system": (
        lambda: pickle.dumps(ph.models.pendulum().rest()),
        "'pendulum' cannot be pickled.*ph.save_model",
    ),
    "a system called None": (
        lambda: ph.System([rod()], name=None),
        "a system cannot be named None",
    ),
    "lopsided matrix": (lopsided, "not symmetric: entry .1, 2. is 0.001"),
    "products too large": (
        lambda: ph.Body.from_inertia(
            "b", mass=1, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]
        ),
        "principal moments .-1, 1, 3.",
    ),
    "added mass that is no energy": (
        lambda: ph.Body(
            "b",
            ph.marine.with_added_mass(
                ph.solids.sphere(mass=1, radius=1), -9.0 * np.eye(6)
            ),
        ),
        "not positive definite",
    ),
    "an ellipsoid without width": (
        lambda: ph.solids.ellipsoid(x=0, y=1, z=1, mass=1),
        "the x of an ellipsoid cannot be 0",
    ),
    "zero quaternion": (top_at(qw=0), "joint 'tip' cannot have the zero quaternion"),
    "zero quaternion in a column": (
        lambda: ph.State(ph.models.heavy_top(), 0.0, np.zeros(4), np.zeros(3)),
        "joint 'tip' cannot have the zero quaternion",
    ),
    "long quaternion": (top_at(qw=1.01), "of joint 'tip' has length 1.01"),
    "quaternion without names": (
        lambda: ph.models.heavy_top().state(tip=(0, 0, 0, 1)),
        "four numbers do not say in which order",
    ),
    "a reflection": (
        hinge_along(ph.Y, second_axes=np.diag([1, 1, -1.0])),
        "negative determinant, -1",
    ),
    "a broken loop": (
        lambda: ph.models.four_bars().state(A0=0.001),
        "breaks 2 of its 2.*pin 0: x misses by",
    ),
    "a long state": (
        lambda: ph.State(ph.models.pendulum(), 0.0, np.zeros(5), np.zeros(1)),
        "has 1 coordinates, and 5 were given.*Their order is hinge",
    ),
    "a state of another system": (
        lambda: ph.gauss(ph.models.pendulum()).mass_matrix(
            ph.models.cart_pendulum().rest()
        ),
        "belongs to 'cart-pendulum', not to 'pendulum'",
    ),
    "loops that cannot close": (too_far, "no position of 'system' keeps all of its 5"),
    "a joint to itself": (
        lambda: ph.Revolute("h", (b := rod()).origin, b.point(0, 0, 1), axis=ph.Y),
        "joint 'h' joins 'rod' to itself",
    ),
    "no axis": (hinge_along((0, 0, 0)), "axis of joint 'h' is too small"),
    "an axis that is no number": (hinge_along((0, 0, math.nan)), "is not finite"),
    "limits the wrong way round": (
        hinge_along(ph.Y, limits=(1, -1)),
        "lower limit of joint 'h' is above the upper one: 1 > -1",
    ),
    "one name twice": (twins, "two bodies are named 'rod'"),
    "a constraint among actions": (
        lambda: on_a_hinge(ph.Distance(rod("a").origin, rod("b").origin, 1.0)),
        "cannot have Distance.* as an action",
    ),
    "an action among constraints": (
        lambda: on_a_hinge(constraints=[lambda hinge: ph.Weight(9.81)]),
        "cannot have Weight.* as a constraint",
    ),
    "drivers against each other": (
        lambda: driven(lambda t: t, lambda t: 2 * t),
        "no velocity of 'system' keeps all.*a by .*b by",
    ),
    "a driver without a number": (
        lambda: driven(jnp.log),
        "'a' is not finite at t = 0 s: its equation of position",
    ),
    "a driver of infinite speed": (
        lambda: driven(jnp.sqrt),
        "'a' is not finite at t = 0 s: its equation of velocity",
    ),
    "a driver that cannot be traced": (
        lambda: driven(lambda t: math.sin(t)),
        "the law of 'a' gave no equation",
    ),
    "a driver of three numbers": (
        lambda: driven(lambda t: t * jnp.ones(3)),
        "the law of 'a' gave 3 numbers, expected 1",
    ),
    "a nonlinear row for Kane": (
        lambda: ph.kane(ruled_by_speed()),
        "Kane's equations do not apply.*'speed' is not linear",
    ),
}


def ruled_by_speed() -> ph.System:
    """A particle of constant speed: nonlinear in the velocities."""
    p = ph.Particle("p", 1.0)
    free = ph.Translation("free", ph.World().origin, p.mass_centre)
    law = ph.VelocityEquation(
        [free], lambda q, z, t: z[0] @ z[0] - (1.0 + t) ** 2, name="speed"
    )
    return ph.System([free], constraints=[law])


@pytest.mark.parametrize("fault", REFUSED)
def test_a_wrong_model_is_refused(fault):
    """With the name of the thing and the number that is wrong."""
    build, words = REFUSED[fault]
    with pytest.raises(ph.PolhodeError, match="(?s)" + words):
        build()


def test_gauss_moves_what_kane_refuses():
    """|v| = 1 + t: the particle gains speed along its own way, m v' = lambda 2 v."""
    system = ruled_by_speed()
    state = system.state(speeds={"free": (0.6, 0.8, 0.0)})
    found = ph.gauss(system).accelerations(state)
    assert np.allclose(found, (0.6, 0.8, 0.0), rtol=1e-12)


ACCEPTED = {
    "moments on the edge": lambda: ph.Body.from_inertia(
        "b", mass=1, inertia=(200, 300, 500)
    ),
    "moments a rounding beyond it": lambda: ph.Body.from_inertia(
        "b", mass=1, inertia=(1, 1, 2 + 1e-15)
    ),
    "a matrix lopsided by rounding": lambda: ph.Body.from_inertia(
        "b", mass=1, inertia=[[1, 1e-14, 0], [0, 1, 0], [0, 0, 1]]
    ),
    "no mass on a guide that carries some": lambda: ph.models.gears_on_arm(),
    "a thin rod that cannot turn about itself": lambda: ph.System(
        [
            ph.Universal(
                *("u", ph.World().origin, rod().point(0, 0, 0.5)),
                axis=ph.X,
                second_axis=ph.Y,
            )
        ]
    ),
    "a tiny axis": hinge_along((0, 0, 1e-200)),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_is_only_unusual_is_accepted(case):
    """Rounding and planar bodies are no faults."""
    assert ACCEPTED[case]() is not None


def test_many_turns_are_suspected_of_being_degrees():
    """Beyond fifty turns a warning asks."""
    with pytest.warns(NumericalWarning, match="64 turns: are degrees meant"):
        ph.models.pendulum().state(hinge=400.0)


def test_a_duplicated_hinge_moves_as_one():
    """All rows of the second are redundant and marked so; the motion is one."""
    world, bar = ph.World(), rod()
    ends = world.origin, bar.point(0, 0, 0.5)
    hinges = [ph.Revolute(name, *ends, axis=ph.Y) for name in ("one", "two")]
    doubled = ph.System(hinges, [ph.Weight(9.81)])
    found = ph.mobility(doubled)
    assert (found.by_rank, found.rank, len(found.redundant)) == (1, 0, 5)
    state = doubled.state(one=0.4)
    expected = -1.5 * 9.81 * np.sin(0.4)
    assert np.allclose(ph.gauss(doubled).accelerations(state), expected, rtol=1e-9)


def test_a_refused_change_leaves_the_system_as_it_was():
    """Nothing that was passed is changed by a refusal."""
    system = ph.models.pendulum()
    before = dict(system.parameters), system.neutral().tobytes()
    with pytest.raises(ph.PolhodeError):
        system.with_({"m": -1.0})
    with pytest.raises(ph.PolhodeError):
        system.state(hinge=math.nan)
    assert (dict(system.parameters), system.neutral().tobytes()) == before


def test_a_copy_of_a_system_is_the_system():
    """It is frozen: a copied state is still one of its own."""
    system = ph.models.pendulum()
    state = copy.deepcopy(system.state(hinge=0.3))
    assert state.system is system
    assert copy.deepcopy(system) is copy.copy(system) is system
