r"""Trees of hinges: a humanoid that swings from a bar, the same in the air, and thirty.

       ==o=====o==              a bar, round which two hands turn
         o  o  o                arms of seven hinges, neck
         o--o--o
            o                   waist
           o o                  legs of six hinges
           o o                  6 + 30 freedoms in the air, 26 on the bar

Surprise: what a body costs in the recursive form depends neither on how many there are
nor on how they branch, while a mass matrix of the whole has the square of their number.
"""

from __future__ import annotations

from math import pi
from typing import Any

import polhode as ph

ARM = 7 * 0.2  # m, seven links


def limb(name: str, length: float = 0.2, mass: float = 1.0) -> ph.Body:
    """A lopsided link from its origin along Z."""
    box = ph.solids.box(mass=mass, x=0.09, y=0.07, z=length)
    return ph.Body(name, ph.solids.placed(box, (0.01, -0.02, length / 2)))


def tree(bodies: int = 30) -> ph.System:
    """A binary tree of links on hinges: link k sits on link k // 2."""
    links, axes = {1: limb("link 1")}, (ph.X, ph.Y, ph.Z)
    hinges = [ph.Revolute("h1", ph.World().origin, links[1].origin, axis=ph.Z)]
    for k in range(2, bodies + 1):
        links[k] = limb(f"link {k}", mass=1.0 / k.bit_length())
        end = links[k // 2].point(0.05 * (-1) ** k, 0, 0.2)
        hinges.append(ph.Revolute(f"h{k}", end, links[k].origin, axis=axes[k % 3]))
    return ph.System(hinges, [ph.Weight(9.81)], name=f"tree of {bodies} bodies")


def humanoid() -> ph.System:
    """A pelvis, legs of six hinges, waist of two, arms of seven, neck of two, on a bar.

    Surprise: the grips do no work, and yet a gymnast swings higher and higher: all of
    the energy comes from the joints, bent where it costs work and straightened later.
    """
    world = ph.World()
    joints, hands = body_and_limbs(world)
    rod = ph.solids.cylinder(mass=8.0, radius=0.014, length=1.2, along=ph.Y)
    bar = ph.Body("bar", rod)
    rack = ph.Fixed("rack", world.origin, bar.origin)
    grips = [
        ph.Revolute(f"{side} grip", bar.point(0, y, 0), hand, axis=ph.Y)
        for side, y, hand in hands
    ]
    limp = [
        ph.JointDamper(hinge, 0.5, name=f"flesh of {hinge.name}")
        for hinge in joints[1:]
    ]
    actions = [ph.Weight(9.81), *limp]
    return ph.System([rack, *joints], actions, grips, name="humanoid")


def swinging(rate: float = 2.5) -> tuple[dict[str, Any], dict[str, Any]]:
    """It hangs straight down, and turns about the bar as one body."""
    low = -(ARM + 0.2 * 2 + 0.15)
    legs = {"left leg hinge 2": pi, "right leg hinge 2": -pi}
    speeds = {"float": (0.0, rate, 0.0, rate * low, 0.0, 0.0)}
    return {"float": {"z": low}, **legs}, speeds


def free_humanoid() -> ph.System:
    """The same in the air: 36 freedoms for measuring speed.

    Surprise: in the air no motor can bend the path of its mass centre, but motors can
    turn it round and stop it there with no angular momentum at all, as a cat does.
    """
    joints, _ = body_and_limbs(ph.World())
    return ph.System(joints, [ph.Weight(9.81)], name="free humanoid")


def body_and_limbs(
    world: ph.World,
) -> tuple[list[Any], list[tuple[str, float, Any]]]:
    """All joints, the free one first; of each hand its side, its place across, a point.

    With all joints at zero the arms and the legs are straight up.
    """
    X, Y, Z = ph.X, ph.Y, ph.Z
    pelvis = limb("pelvis", 0.15, 10.0)
    joints: list[Any] = [ph.Free("float", world.origin, pelvis.origin)]
    chest, hands = chain(joints, "waist", pelvis.point(0, 0, 0.15), (Z, X)), []
    for side, y in (("left", 0.1), ("right", -0.1)):
        chain(joints, f"{side} leg", pelvis.point(0, y, 0), (Z, X, Y, Y, Y, X))
        shoulder = chest.point(0, 2 * y, 0.2)
        hand = chain(joints, f"{side} arm", shoulder, (Y, X, Z, Y, Z, Y, X))
        hands.append((side, 2 * y, hand.point(0, 0, 0.2)))
    chain(joints, "neck", chest.point(0, 0, 0.2), (Z, Y))
    return joints, hands


def chain(joints: list[Any], name: str, before: Any, axes: tuple[Any, ...]) -> ph.Body:
    """Links on hinges along the given axes, added to `joints`; gives the last link."""
    for k, axis in enumerate(axes, start=1):
        link = limb(f"{name} {k}", mass=4.0 / k)
        hinge = ph.Revolute(f"{name} hinge {k}", before, link.origin, axis=axis)
        joints.append(hinge)
        before = link.point(0, 0, 0.2)
    return link
