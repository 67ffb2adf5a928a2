"""Robot-like URDF files, made for tests: arms, a gantry, a walker, a sled."""

from __future__ import annotations

import numpy as np


def inertial(rng, size=1.0) -> str:
    """An inertia that some spread of mass has, turned and off the link's origin."""
    mass = size * rng.uniform(0.5, 3.0)
    points = 0.1 * rng.normal(size=(5, 3))
    spread = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points) * mass
    c, a = 0.1 * rng.normal(size=3), rng.uniform(-1, 1, 3)
    return (
        f'<inertial><origin xyz="{_three(c)}" rpy="{_three(a)}"/>'
        f'<mass value="{mass:.17g}"/>'
        f'<inertia ixx="{spread[0, 0]:.17g}" ixy="{spread[0, 1]:.17g}"'
        f' ixz="{spread[0, 2]:.17g}" iyy="{spread[1, 1]:.17g}"'
        f' iyz="{spread[1, 2]:.17g}" izz="{spread[2, 2]:.17g}"/></inertial>'
    )


def link(name: str, rng) -> str:
    """A link with its inertia; the world has none."""
    if name == "world":
        return '<link name="world"/>'
    return f'<link name="{name}">{inertial(rng)}</link>'


def joint(name: str, kind: str, ends: tuple[str, str], rng, more: str = "") -> str:
    """A joint at a random place, turned, about a random axis."""
    xyz, rpy = 0.3 * rng.normal(size=3), rng.uniform(-1.5, 1.5, 3)
    if kind == "floating":
        xyz, rpy = np.zeros(3), np.zeros(3)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    if kind == "planar":  # others know the plane of X and Y only
        axis = np.array([0.0, 0.0, 1.0])
    place = f'<origin xyz="{_three(xyz)}" rpy="{_three(rpy)}"/>'
    way = "" if kind in ("fixed", "floating") else f'<axis xyz="{_three(axis)}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/>'
        f'<child link="{ends[1]}"/>{place}{way}{more}</joint>'
    )


def robot(name: str, joints: list[tuple[str, str, str, str]], seed: int) -> str:
    """A robot of (joint, kind, parent, child), all its numbers drawn from a seed."""
    rng = np.random.default_rng(seed)
    links = dict.fromkeys(end for _, _, *ends in joints for end in ends)
    drawn = "".join(link(each, rng) for each in links)
    limit = '<limit lower="-3" upper="3" effort="0" velocity="0"/>'
    damped = '<dynamics damping="0.3"/>'
    rest = "".join(
        joint(j, kind, (a, b), rng, _extra(kind, limit, damped))
        for j, kind, a, b in joints
    )
    options = (
        '<mujoco><compiler fusestatic="false" discardvisual="true"'
        ' balanceinertia="false"/></mujoco>'
    )
    return f'<robot name="{name}">{options}{drawn}{rest}</robot>'


def _extra(kind: str, limit: str, damped: str) -> str:
    if kind in ("revolute", "prismatic"):
        return limit + damped
    return damped if kind == "continuous" else ""


def _three(values) -> str:
    return " ".join(f"{value:.17g}" for value in values)


ARM = [
    ("j1", "revolute", "base", "a"),
    ("j2", "revolute", "a", "b"),
    ("j3", "continuous", "b", "c"),
    ("j4", "revolute", "c", "d"),
    ("j5", "continuous", "d", "e"),
    ("flange", "fixed", "e", "hand"),
]
GANTRY = [
    ("x", "prismatic", "base", "beam"),
    ("y", "prismatic", "beam", "car"),
    ("z", "prismatic", "car", "mast"),
    ("turn", "continuous", "mast", "grip"),
]
GRIPPER = [
    ("lift", "prismatic", "base", "wrist"),
    ("left", "revolute", "wrist", "finger 1"),
    ("right", "revolute", "wrist", "finger 2"),
    ("thumb", "revolute", "wrist", "finger 3"),
    ("tip", "continuous", "finger 3", "nail"),
]
WALKER = [
    ("float", "floating", "world", "trunk"),
    ("hip", "revolute", "trunk", "thigh"),
    ("knee", "revolute", "thigh", "shank"),
    ("head", "fixed", "trunk", "skull"),
]
SLED = [
    ("ice", "planar", "ground", "sled"),
    ("mast", "continuous", "sled", "pole"),
    ("boom", "prismatic", "pole", "weight"),
]
ROBOTS = {"arm": ARM, "gantry": GANTRY, "gripper": GRIPPER}
ROBOTS |= {"walker": WALKER, "sled": SLED}


def text_of(name: str) -> str:
    """The URDF of a robot by its name."""
    return robot(name, ROBOTS[name], 7 + len(name))
