"""A humanoid on a floor, as MJCF for all."""

from __future__ import annotations

FRICTION = 0.5


def humanoid_mjcf(step: float) -> str:
    """A person of capsules on its back: a free trunk and 21 hinges, 27 speeds.

    It touches the floor alone and not itself; hinges are damped, so that it rests.
    """
    sides = (("left", 1), ("right", -1))
    arms = "".join(_arm(word, sign) for word, sign in sides)
    legs = "".join(_leg(word, sign) for word, sign in sides)
    return f"""<mujoco model="humanoid"><option timestep="{step}" cone="elliptic"/>
<default><geom friction="{FRICTION}" contype="1" conaffinity="0" density="1000"/>
  <joint type="hinge" damping="5"/></default>
<worldbody>
<geom type="plane" size="10 10 1" contype="0" conaffinity="1"/>
<body name="trunk" pos="0 0 0.12"><freejoint/>
  <geom type="capsule" size="0.1" fromto="0 -0.1 0 0 0.1 0"/>
  <geom type="sphere" size="0.1" pos="0.28 0 0"/>
{arms}  <body name="waist" pos="-0.15 0 0">
    <joint axis="0 0 1"/><joint axis="0 1 0"/><joint axis="1 0 0"/>
    <geom type="capsule" size="0.09" fromto="-0.1 -0.08 0 -0.1 0.08 0"/>
{legs}  </body>
</body>
</worldbody></mujoco>"""


def _arm(word: str, sign: int) -> str:
    return f"""  <body name="{word} upper arm" pos="0.08 {0.2 * sign} 0">
    <joint axis="1 0 0"/><joint axis="0 0 1"/>
    <geom type="capsule" size="0.045" fromto="0 0 0 0 {0.25 * sign} 0"/>
    <body name="{word} forearm" pos="0 {0.3 * sign} 0"><joint axis="0 0 1"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0 {0.25 * sign} 0"/></body>
  </body>
"""


def _leg(word: str, sign: int) -> str:
    return f"""    <body name="{word} thigh" pos="-0.15 {0.1 * sign} 0">
      <joint axis="1 0 0"/><joint axis="0 0 1"/><joint axis="0 1 0"/>
      <geom type="capsule" size="0.06" fromto="0 0 0 -0.35 0 0"/>
      <body name="{word} shin" pos="-0.4 0 0"><joint axis="0 1 0"/>
        <geom type="capsule" size="0.05" fromto="0 0 0 -0.3 0 0"/>
        <body name="{word} foot" pos="-0.38 0 0">
          <joint axis="0 1 0"/><joint axis="0 0 1"/>
          <geom type="capsule" size="0.03" fromto="0 0 -0.05 0 0 0.15"/></body>
      </body>
    </body>
"""
