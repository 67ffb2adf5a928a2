"""Fixed topologies of one to eight bodies, made anew at each call, and random states.

TOPOLOGIES maps a name to a function that builds the system. None needs luck: every one
has a configuration near rest that keeps its constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from polhode import (
    BallRoller,
    Body,
    Cylindrical,
    Damper,
    Distance,
    Fixed,
    Free,
    Gear,
    Motor,
    Particle,
    Planar,
    PrescribedMotion,
    Prismatic,
    Revolute,
    Roller,
    Screw,
    Slider,
    Spherical,
    Spring,
    State,
    System,
    Universal,
    VelocityRows,
    Weight,
    World,
    X,
    Y,
    Z,
    solids,
)
from strategies_held import (
    bead_on_a_wire,
    block,
    carried_pendulum,
    led_point,
    rack_and_pinion,
    rolling_egg,
)


def bar(name: str, length: float, along=X) -> Body:
    """A thin rod about its middle."""
    return Body(name, solids.rod(mass=length, length=length, along=along))


def pendulum() -> System:
    """A rod on a hinge."""
    rod = Body("rod", solids.rod(mass=1.2, length=0.8, along=Z))
    hinge = Revolute("hinge", World().origin, rod.point(0, 0, 0.4), axis=Y)
    return System([hinge], [Weight(9.81)], name="pendulum")


def double_pendulum() -> System:
    """Two thin rods on parallel hinges."""
    upper = Body("upper", solids.rod(mass=1.0, length=1.0, along=Z))
    lower = Body("lower", solids.rod(mass=0.7, length=0.8, along=Z))
    shoulder = Revolute("shoulder", World().origin, upper.point(0, 0, 0.5), axis=Y)
    elbow = Revolute("elbow", upper.point(0, 0, -0.5), lower.point(0, 0, 0.4), axis=Y)
    return System([shoulder, elbow], [Weight(9.81)], name="double pendulum")


def cart_pendulum() -> System:
    """A pendulum on a cart, with a spring to the wall and a damper."""
    world, cart = World(), Body("cart", solids.box(mass=2.0, x=0.4, y=0.2, z=0.1))
    bob = Particle("bob", 0.5)
    track = Prismatic("track", world.origin, cart.origin, axis=X)
    pole = Fixed("pole", (tip := Body("pole", solids.rod(mass=0.1, length=0.6)))
                 .point(0, 0, -0.3), bob.mass_centre)  # fmt: skip
    pivot = Revolute("pivot", cart.origin, tip.point(0, 0, 0.3), axis=Y)
    ends = cart.origin, world.point(-2.0, 0, 0)
    spring = Spring(*ends, 40.0, 1.5)
    damper = Damper(*ends, 0.4)
    actions = [Weight(9.81), spring, damper]
    return System([track, pivot, pole], actions, name="cart-pendulum")


def spherical_pendulum() -> System:
    """A lopsided body on a ball joint: a heavy top without symmetry."""
    top = block("top")
    ball = Spherical("ball", World().point(0, 0, 1.0), top.point(0, 0, 0.4))
    return System([ball], [Weight(9.81)], name="spherical pendulum")


def free_body() -> System:
    """One body that nothing holds."""
    return System([block("satellite")], name="free body")


def floating_chain() -> System:
    """Three bodies joined to each other and to nothing else."""
    hub, left, right = block("hub", 3.0), block("left"), block("right", 0.5)
    one = Revolute("one", hub.point(-0.5, 0, 0), left.point(0.3, 0, 0), axis=Y)
    two = Universal(
        "two", hub.point(0.5, 0, 0), right.point(-0.3, 0, 0), axis=Y, second_axis=Z
    )
    return System([one, two], name="floating chain")


def arm(links: int = 7) -> System:
    """An arm of bodies on hinges whose axes turn from link to link."""
    before, joints = World().origin, []
    for k in range(links):
        link = block(f"link{k + 1}", 1.0 / (k + 1))
        axis = (Z, Y, X)[k % 3]
        joints.append(Revolute(f"j{k + 1}", before, link.point(0, 0, -0.2), axis=axis))
        before = link.point(0.05, 0, 0.25)
    return System(joints, [Weight(9.81)], name=f"{links}-link arm")


def reversed_arm() -> System:
    """The same kind of arm with every second joint given child first."""
    before, joints = World().origin, []
    for k in range(4):
        link = block(f"link{k + 1}")
        ends = [before, link.point(0, 0, -0.2)]
        joints.append(Revolute(f"j{k + 1}", *ends[:: (-1) ** k], axis=(Z, Y, X)[k % 3]))
        before = link.point(0.05, 0, 0.25)
    return System(joints, [Weight(9.81)], name="reversed arm")


def all_joints() -> System:
    """A tree with one joint of nearly every kind."""
    world = World()
    bodies = [block(f"b{k}", 1 + 0.1 * k) for k in range(8)]
    at = [b.point(0.1, 0.2, -0.1) for b in bodies]
    end = [b.point(-0.2, 0.1, 0.3) for b in bodies]
    joints = [
        Free("free", world.origin, at[0]),
        Cylindrical("sleeve", end[0], at[1], axis=(1, 2, 0)),
        Screw("screw", end[1], at[2], axis=(0, 1, 1), pitch=0.2),
        Spherical("ball", end[0], at[3]),
        Planar("puck", end[3], at[4], normal=(1, 0, 1)),
        Universal("cross", world.point(1, 0, 0), at[5], axis=X, second_axis=Y),
        Slider("slider", end[5], at[6], normal=Z),
        Roller("roller", end[6], at[7], normal=Z, axis=Y),
    ]
    return System(joints, [Weight(9.81)], name="all joints")


def ball_on_table() -> System:
    """A body that rolls on a plane with a ball, a welded one on it."""
    body, load = block("body"), block("load", 0.3)
    table = BallRoller("table", World().origin, body.origin, normal=Z)
    weld = Fixed("weld", body.point(0.2, 0, 0), load.origin)
    return System([table, weld], [Weight(9.81)], name="ball on table")


def four_bar(ground: float = 2.0) -> System:
    """Crank, coupler and rocker between two hinges in the ground."""
    world = World()
    crank, coupler, rocker = bar("crank", 1.0), bar("coupler", 2.0), bar("rocker", 1.5)
    joints = [
        Revolute("A", world.origin, crank.point(-0.5, 0, 0), axis=Y),
        Revolute("B", crank.point(0.5, 0, 0), coupler.point(-1.0, 0, 0), axis=Y),
        Revolute("C", coupler.point(1.0, 0, 0), rocker.point(-0.75, 0, 0), axis=Y),
        Revolute("D", rocker.point(0.75, 0, 0), world.point(ground, 0, 0), axis=Y),
    ]
    return System(joints, [Weight(9.81)], name="four-bar")


def slider_crank() -> System:
    """A crank, a rod and a piston on a guide."""
    world = World()
    crank, rod = bar("crank", 0.5), bar("rod", 1.5)
    piston = Body("piston", solids.box(mass=0.4, x=0.2, y=0.2, z=0.2))
    joints = [
        Revolute("main", world.origin, crank.point(-0.25, 0, 0), axis=Y),
        Revolute("big end", crank.point(0.25, 0, 0), rod.point(-0.75, 0, 0), axis=Y),
        Revolute("small end", rod.point(0.75, 0, 0), piston.origin, axis=Y),
        Prismatic("guide", world.origin, piston.origin, axis=X),
    ]
    return System(joints, [Weight(9.81)], name="slider-crank")


def spatial_loop() -> System:
    """Two cranks on skew axes, joined by a rod with a ball at one end."""
    world = World()
    driver, follower, rod = block("driver"), block("follower"), block("rod")
    joints = [
        Revolute("in", world.origin, driver.origin, axis=Z),
        Universal("cross", driver.point(0.5, 0, 0), rod.origin, axis=Z, second_axis=Y),
        Revolute("out", world.point(1.5, 0.2, 0.1), follower.origin, axis=Y),
        Spherical("ball", rod.point(1.0, 0, 0.1), follower.point(0, 0, 0.5)),
    ]
    return System(joints, [Weight(9.81)], name="spatial loop")


def doubled_hinge() -> System:
    """A pendulum on two hinges in one line: every row of the second is redundant."""
    world, rod = World(), block("rod")
    one = Revolute("one", world.origin, rod.point(0, 0, 0.4), axis=Y)
    two = Revolute("two", world.point(0, 0.3, 0), rod.point(0, 0.3, 0.4), axis=Y)
    return System([one, two], [Weight(9.81)], name="doubled hinge")


def particles() -> System:
    """Three particles, two tied by a massless rod, two by a spring."""
    a, b, c = Particle("a", 1.0), Particle("b", 2.0), Particle("c", 0.5)
    rod = Distance(a.mass_centre, b.mass_centre, 1.0, name="rod")
    spring = Spring(b.mass_centre, c.mass_centre, 20.0, 0.8)
    return System([a, b, c], [spring, Weight(9.81)], [rod], name="particles")


def geared_wheels() -> System:
    """Two wheels in mesh."""
    world, small, large = World(), block("small", 0.2), block("large")
    one = Revolute("one", world.origin, small.origin, axis=Z)
    two = Revolute("two", world.point(1, 0, 0), large.origin, axis=Z)
    gear = Gear(two, one, -0.4)
    return System([one, two], [Weight(9.81)], [gear], name="geared wheels")


def sleigh() -> System:
    """Chaplygin's sleigh: a body on ice with a blade that moves along itself only."""
    sled = block("sled")
    ice = Planar("ice", World().origin, sled.origin, normal=Z)
    blade = VelocityRows([ice], across_the_blade, rows=("across",), name="blade")
    return System([ice], constraints=[blade], name="sleigh")


def across_the_blade(q, t):
    """-sin a x' + cos a y' = 0, where the joint's speeds are (a', x', y')."""
    import jax.numpy as jnp

    return jnp.stack([0.0 * q[0], -jnp.sin(q[0]), jnp.cos(q[0])]), 0.0


def driven_hinge() -> System:
    """A pendulum whose hinge a driver moves to and fro."""
    world, cart, rod = World(), block("cart"), block("rod")
    track = Prismatic("track", world.origin, cart.origin, axis=X)
    hinge = Revolute("hinge", cart.origin, rod.point(0, 0, 0.4), axis=Y)
    driver = PrescribedMotion(track, sway, name="driver")
    return System([track, hinge], [Weight(9.81)], [driver], name="driven hinge")


def sway(t):
    """A smooth motion of the driver."""
    import jax.numpy as jnp

    return 0.3 * jnp.sin(2.0 * t)


def motorised_arm() -> System:
    """Two links with rotors geared to their joints."""
    upper, lower = block("upper"), block("lower")
    motor = {"rotor_inertia": 0.01, "gear_ratio": 5.0}
    one = Revolute("one", World().origin, upper.point(0, 0, 0.3), axis=Y, **motor)
    two = Revolute("two", upper.point(0, 0, -0.3), lower.origin, axis=X, **motor)
    return System([one, two], [Weight(9.81)], name="motorised arm")


def sprung_arm() -> System:
    """Two links with a spring, a damper and a motor along their joints."""
    upper, lower = block("upper"), block("lower")
    one = Universal(
        "one", World().origin, upper.point(0, 0, 0.3), axis=Y, second_axis=(1, 0, 1)
    )
    two = Cylindrical("two", lower.origin, upper.point(0, 0, -0.3), axis=X)
    actions = [
        Weight(9.81),
        Spring(one, 3.0, 0.2),
        Damper(two, [0.5, 2.0]),
        Motor(one, wave),
    ]
    return System([one, two], actions, name="sprung arm")


def wave(t, q, z):
    """A motor's law: of time, place and speed."""
    import jax.numpy as jnp

    return jnp.stack([jnp.sin(t) - q[0], 0.3 * z[1]])


TOPOLOGIES: dict[str, Callable[[], System]] = {
    f.__name__: f
    for f in (
        *(pendulum, double_pendulum, cart_pendulum, spherical_pendulum, free_body),
        *(floating_chain, arm, reversed_arm, all_joints, ball_on_table, four_bar),
        *(slider_crank, spatial_loop, doubled_hinge, particles, geared_wheels),
        *(sleigh, driven_hinge, motorised_arm, sprung_arm),
        *(rolling_egg, bead_on_a_wire, rack_and_pinion, led_point, carried_pendulum),
    )
}


@cache
def topology(name: str) -> System:
    """One system of each kind, built once."""
    return TOPOLOGIES[name]()


def random_state(system: System, rng: np.random.Generator) -> State:
    """Any state that keeps the constraints, of scale one, at some time."""
    t = float(rng.uniform(0, 1))
    q = system.rest().q
    q = system.normalised(system.local(q, rng.uniform(-1, 1, system.speeds)))
    z = rng.normal(size=system.speeds)
    if not system.constraints:
        return State(system, t, q, z)
    return system.consistent(State(system, t, q, z))
