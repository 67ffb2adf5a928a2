r"""Two wheels coupled on an arm that a torsion spring holds.

                     ___
        wheel 2     /   \          arm O-P turns by th about O, spring k
       .-----.     | P + | wheel 1, m1, I1, R1     wheel 1 turns by ph1 on the arm,
      /   O   \     \___/          wheel 2 by ph2 = r ph1, r = R1/R2 (belt)
      \   +---/------ l            or ph2 = -r ph1 (teeth in mesh)
       `-----'  I2, R2             C turns wheel 1, a brake on the arm holds it by F

    (I1 + I2 r^2) ph1'' + (I1 + I2 r) th'' = C - R1 F
    (I1 + I2 + m1 l^2) th'' + (I1 + I2 r) ph1'' + k th + m1 g l cos th = C

Surprise: who holds the motor matters. A couple C from outside turns the arm too; the
same motor mounted on the arm does not appear in the arm's equation at all.
"""

from __future__ import annotations

import polhode as ph
from polhode.models import looks

TRANSMISSIONS = ("belt", "gear", "fixed centres")
RATIO, LENGTH = 0.625, 0.8
BESIDE = -0.05  # m: where the arm is drawn, in front of the wheels
COUPLES = ("external", "internal motor")


def gears_on_arm(
    transmission: str = "belt", couple: str = "external", *, C: float = 0.9
) -> ph.System:
    """Wheel 1 at the end of an arm, wheel 2 about its hinge, one driving the other.

    Joints: "arm" (th from the horizontal), "wheel 1" and "wheel 2" (angles on the arm).
    `transmission` is one of "belt", "gear" (in mesh), "fixed centres" (the arm is
    held); `couple` is "external" or "internal motor", mounted on the arm.
    """
    _require(transmission, TRANSMISSIONS)
    _require(couple, COUPLES)
    I1, I2, r = (ph.Parameter(*p) for p in (("I_1", 0.3), ("I_2", 0.5), ("r", RATIO)))
    l, effort = ph.Parameter("l", LENGTH), ph.Parameter("C", C)
    brake = -ph.Parameter("R_1", 0.5) * ph.Parameter("F", 0.2)
    beam = ph.Body.from_inertia(
        "beam",
        mass=0.0,
        inertia=(0, 0, 0),
        shapes=[looks.bar((0, BESIDE, 0), (LENGTH, BESIDE, 0), 0.02)],
    )
    # In mesh they touch; a belt needs room.
    small = LENGTH * RATIO / (1 + RATIO) * (0.7 if transmission == "belt" else 1.0)
    one = _wheel("small wheel", ph.Parameter("m_1", 1.2), I1, small)
    two = _wheel("large wheel", ph.Parameter("m_2", 2.0), I2, small / RATIO)
    held = transmission == "fixed centres"
    ends = ph.World().origin, beam.origin
    arm = ph.Fixed("arm", *ends) if held else ph.Revolute("arm", *ends, axis=-ph.Y)
    bearings = [
        ph.Revolute("wheel 1", beam.point(l, 0, 0), one.origin, axis=-ph.Y),
        ph.Revolute("wheel 2", beam.origin, two.origin, axis=-ph.Y),
    ]
    sign = -1 if transmission == "gear" else 1
    actions = [
        ph.Weight(ph.Parameter("g", 9.81)),
        ph.Motor(bearings[0], effort, name="couple"),
        ph.Motor(bearings[0], brake, name="brake"),
    ]
    if not held:
        k = ph.Parameter("k", 4.0)
        actions.append(ph.JointSpring(arm, k, name="torsion spring"))
    if not held and couple == "external":
        # Held by the ground and not by the arm: the arm is given back what it gave.
        actions.append(ph.Motor(arm, effort, name="couple's hold"))
    drive = ph.Gear(bearings[1], bearings[0], sign * r, name=transmission)
    name = f"wheels on an arm, {transmission}"
    return ph.System([arm, *bearings], actions, [drive], name=name)


def _wheel(
    name: str, mass: ph.Parameter, moment: ph.Parameter, radius: float
) -> ph.Body:
    """A flat wheel that turns about Y, drawn with a rim and spokes."""
    return ph.Body.from_inertia(
        name,
        mass=mass,
        inertia=(moment / 2, moment, moment / 2),
        shapes=looks.tyre(radius, (0.0, 1.0, 0.0), 0.03),
    )


def _require(word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise ValueError(f"{word!r} is none of {', '.join(map(repr, words))}")
