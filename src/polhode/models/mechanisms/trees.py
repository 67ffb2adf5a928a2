r"""Two trees for measuring speed: thirty bodies on hinges, and a humanoid in the air.

           o                    head, neck
        o--o--o                 arms of seven hinges
       o   o   o                waist
          o o                   legs of six hinges
         o   o                  pelvis free: 6 + 30 freedoms

Surprise: what a body costs in the recursive form depends neither on how many there are
nor on how they branch, while a mass matrix of the whole has the square of their number.
"""

from __future__ import annotations

from typing import Any

import polhode as ph


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
    """A free pelvis, legs of six hinges, waist of two, arms of seven, neck of two.

    Surprise: in the air no motor can bend the path of its mass centre, but motors can
    turn it round and stop it there with no angular momentum at all, as a cat does.
    """
    X, Y, Z = ph.X, ph.Y, ph.Z
    pelvis = limb("pelvis", 0.15, 10.0)
    joints: list[Any] = [ph.Free("float", ph.World().origin, pelvis.origin)]
    chest = chain(joints, "waist", pelvis.point(0, 0, 0.15), (Z, X))
    for side, y in (("left", 0.1), ("right", -0.1)):
        chain(joints, f"{side} leg", pelvis.point(0, y, 0), (Z, X, Y, Y, Y, X))
        chain(joints, f"{side} arm", chest.point(0, 2 * y, 0.2), (Y, X, Z, Y, Z, Y, X))
    chain(joints, "neck", chest.point(0, 0, 0.2), (Z, Y))
    return ph.System(joints, [ph.Weight(9.81)], name="humanoid")


def chain(joints: list[Any], name: str, before: Any, axes: tuple[Any, ...]) -> ph.Body:
    """Links on hinges along the given axes, added to `joints`; gives the last link."""
    for k, axis in enumerate(axes, start=1):
        link = limb(f"{name} {k}", mass=4.0 / k)
        hinge = ph.Revolute(f"{name} hinge {k}", before, link.origin, axis=axis)
        joints.append(hinge)
        before = link.point(0, 0, 0.2)
    return link
