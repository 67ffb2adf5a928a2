"""The gallery: every model by name, a function that builds it, and where it starts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from textwrap import fill
from typing import Any

import polhode as ph
from polhode.models.contacts.belt_oscillator import belt_oscillator
from polhode.models.contacts.billiard_ball import billiard_ball
from polhode.models.contacts.bouncing_ball import bouncing_ball
from polhode.models.contacts.cradle import cradle
from polhode.models.contacts.incline import incline, incline_start
from polhode.models.contacts.ladder import ladder, ladder_start
from polhode.models.contacts.quadruped import quadruped, quadruped_start
from polhode.models.contacts.rimless_wheel import rimless_wheel, rimless_wheel_start
from polhode.models.contacts.rocking_block import rocking_block, rocking_block_start
from polhode.models.contacts.thrown_cube import thrown_cube
from polhode.models.marine.rov import rov
from polhode.models.mechanisms.arm import arm
from polhode.models.mechanisms.atwood import atwood, double_atwood
from polhode.models.mechanisms.bricard import bricard
from polhode.models.mechanisms.four_bar import four_bar, slider_crank
from polhode.models.mechanisms.four_bars import four_bars
from polhode.models.mechanisms.gears_on_arm import gears_on_arm
from polhode.models.mechanisms.rotor import rotor
from polhode.models.mechanisms.trees import humanoid, swinging, tree
from polhode.models.pendulums.cart_pendulum import cart_pendulum
from polhode.models.pendulums.chain_pendulum import chain_pendulum
from polhode.models.pendulums.double_pendulum import double_pendulum
from polhode.models.pendulums.inverted_pendulum import (
    inverted_pendulum,
    shaken_pendulum,
    sprung_pendulum,
)
from polhode.models.pendulums.moving_hinge_pendulum import moving_hinge_pendulum
from polhode.models.pendulums.pendulum import pendulum
from polhode.models.pendulums.spherical_pendulum import spherical_pendulum
from polhode.models.rigid_bodies.ellipsoid_in_fluid import ellipsoid_in_fluid
from polhode.models.rigid_bodies.gyroscope import gyroscope
from polhode.models.rigid_bodies.heavy_top import heavy_top
from polhode.models.rigid_bodies.sleeping_top import sleeping_top
from polhode.models.rigid_bodies.tennis_racket import tennis_racket
from polhode.models.rolling.bicycle import bicycle
from polhode.models.rolling.chaplygin_sleigh import chaplygin_sleigh
from polhode.models.rolling.rattleback import rattleback
from polhode.models.rolling.rolling_cone import rolling_cone
from polhode.models.rolling.rolling_disc import rolling_disc
from polhode.models.space.deep_space_triangle import (
    deep_space_triangle,
    deep_space_triangle_inputs,
    deep_space_triangle_start,
)
from polhode.models.space.leader_follower import (
    leader_follower,
    leader_follower_inputs,
    leader_follower_start,
)
from polhode.models.space.offset_craft import offset_craft, offset_craft_inputs
from polhode.models.space.reaction_wheel import reaction_wheel
from polhode.models.space.satellite import dumbbell_satellite, satellite, tethered_pair
from polhode.models.space.sprung_pair import sprung_pair
from polhode.models.space.tunnel import tunnel
from polhode.models.space.two_body import two_body
from polhode.models.vehicles.car import car, car_start
from polhode.models.vehicles.quarter_car import quarter_car
from polhode.models.vehicles.single_track import single_track

GALLERY: dict[str, Callable[..., ph.System]] = {
    "arm": arm,
    "belt_oscillator": belt_oscillator,
    "atwood": atwood,
    "bicycle": bicycle,
    "billiard_ball": billiard_ball,
    "bouncing_ball": bouncing_ball,
    "bricard": bricard,
    "car": car,
    "cart_pendulum": cart_pendulum,
    "chain_pendulum": chain_pendulum,
    "chaplygin_sleigh": chaplygin_sleigh,
    "cradle": cradle,
    "deep_space_triangle": deep_space_triangle,
    "double_atwood": double_atwood,
    "double_pendulum": double_pendulum,
    "dumbbell_satellite": dumbbell_satellite,
    "ellipsoid_in_fluid": ellipsoid_in_fluid,
    "four_bar": four_bar,
    "four_bars": four_bars,
    "gears_on_arm": gears_on_arm,
    "gyroscope": gyroscope,
    "heavy_top": heavy_top,
    "humanoid": humanoid,
    "incline": incline,
    "inverted_pendulum": inverted_pendulum,
    "ladder": ladder,
    "leader_follower": leader_follower,
    "moving_hinge_pendulum": moving_hinge_pendulum,
    "offset_craft": offset_craft,
    "pendulum": pendulum,
    "quadruped": quadruped,
    "quarter_car": quarter_car,
    "rattleback": rattleback,
    "reaction_wheel": reaction_wheel,
    "rimless_wheel": rimless_wheel,
    "rocking_block": rocking_block,
    "rolling_cone": rolling_cone,
    "rolling_disc": rolling_disc,
    "rotor": rotor,
    "rov": rov,
    "satellite": satellite,
    "shaken_pendulum": shaken_pendulum,
    "single_track": single_track,
    "sleeping_top": sleeping_top,
    "slider_crank": slider_crank,
    "spherical_pendulum": spherical_pendulum,
    "sprung_pair": sprung_pair,
    "sprung_pendulum": sprung_pendulum,
    "tennis_racket": tennis_racket,
    "tethered_pair": tethered_pair,
    "thrown_cube": thrown_cube,
    "tree": tree,
    "tunnel": tunnel,
    "two_body": two_body,
}

# What drives a model, where something does: laws of its motors, as inputs of a run.
INPUTS: dict[str, Callable[[ph.System], dict[str, Any]]] = {
    "deep_space_triangle": deep_space_triangle_inputs,
    "leader_follower": leader_follower_inputs,
    "offset_craft": offset_craft_inputs,
}

# Round the Earth at 7000 km: turning once an orbit about Z, and the speed along Y.
ORBITING = (0.0, 0.001078, 0.0, 7546.0, 0.0)

# Coordinates and speeds by joint, where a motion worth seeing begins; other models
# begin at rest in their neutral places.
Start = tuple[dict[str, Any], dict[str, Any]]
STARTS: dict[str, Start | Callable[[], Start]] = {
    "belt_oscillator": ({}, {"block": (0.1, 0.0, 0.0)}),
    "bicycle": (
        {},
        {
            "free": (0.2, 0, 0, 4.6, 0, 0),
            "rear wheel": 4.6 / 0.3,
            "front wheel": 4.6 / 0.35,
        },
    ),
    "billiard_ball": ({}, {"free": (0.0, -250.0, 0.0, 2.0, 0.0, 0.0)}),
    "bouncing_ball": ({"ball": (0.0, 0.0, 1.0)}, {"ball": (0.5, 0.0, 0.0)}),
    "car": car_start,
    "cart_pendulum": ({"rail": 0.3, "hinge": 1.0}, {}),
    "chain_pendulum": ({"h1": 1.5}, {}),
    "chaplygin_sleigh": ({}, {"ice": (2.0, 1.0, 0.0)}),
    "cradle": ({"string 1": -0.5}, {}),
    "deep_space_triangle": deep_space_triangle_start,
    "double_pendulum": ({"shoulder": 2.0, "elbow": 0.5}, {}),
    "dumbbell_satellite": ({"orbit": {"x": 7.0e6}}, {"orbit": (0.002, *ORBITING)}),
    "ellipsoid_in_fluid": ({}, {"free": (0.0, 0.01, 0.0, 1.0, 0.0, 0.0)}),
    "four_bars": ({}, {"A0": 1.0, "A1": 1.0, "B0": -1.0}),
    "gyroscope": ({"inner": 0.2}, {"rotor": 200.0, "inner": 0.5}),
    "heavy_top": ({"tip": {"qw": 0.98, "qx": 0.199}}, {"tip": (0.0, 0.0, 40.0)}),
    "humanoid": swinging,
    "incline": incline_start,
    "inverted_pendulum": ({"hinge": 0.1}, {}),
    "ladder": ladder_start,
    "leader_follower": leader_follower_start,
    "moving_hinge_pendulum": ({"hinge": 0.4}, {"track": 0.6}),
    "offset_craft": (
        {"craft": {"qw": 0.8, "qx": 0.6, "x": 2.0, "y": -1.0, "z": 0.5}},
        {"craft": (0.1, -0.05, 0.08, 0.0, 0.0, 0.0)},
    ),
    "pendulum": ({"hinge": 2.0}, {}),
    "quadruped": quadruped_start,
    "quarter_car": ({}, {"road": 0.16}),
    "rattleback": ({}, {"free": (0.01, 0.02, -2.0, 0.0004, -0.0002, 0.0)}),
    "rimless_wheel": rimless_wheel_start,
    "rocking_block": rocking_block_start,
    "rolling_cone": ({}, {"O": (4.0, 0.0, 0.0)}),
    "rolling_disc": ({}, {"free": (0.1, 4.0, 0.2, 1.04, -0.026, 0.0)}),
    "rotor": ({"lean x": 0.1}, {"spin": 120.0}),
    "rov": ({}, {"free": (0.0, 0.0, 0.0, 1.5, 0.2, 0.0)}),
    "satellite": ({"orbit": {"x": 7.0e6}}, {"orbit": (0.002, *ORBITING)}),
    "shaken_pendulum": ({"hinge": 0.1}, {"lift": 6.0}),
    "single_track": ({"steer": 0.02}, {"plane": (0.0, 20.0, 0.0)}),
    "sleeping_top": ({"tip": {"qw": 0.99995, "qx": 0.01}}, {"tip": (0.0, 0.0, 30.0)}),
    "spherical_pendulum": ({"cross": (0.5, 0.0)}, {"cross": (0.0, 0.8)}),
    "sprung_pair": (
        {"ball": {"qw": 0.8, "qx": 0.4, "qy": -0.2, "qz": -0.4}},
        {"path": 0.6, "flight": (0.3, -0.5, 0.4, 0.2, 0.1, 1.5), "ball": (0.5, 0.2, 1)},
    ),
    "sprung_pendulum": ({"hinge": 0.3}, {}),
    "tennis_racket": ({}, {"free": (0.01, 3.0, 0.01, 0.0, 0.0, 0.0)}),
    "tethered_pair": (
        {"two": (20.0, 0.0, 0.0)},
        {"one": (0.0, -0.5, 0.0), "two": (0.0, 1.5, 0.0)},
    ),
    "thrown_cube": ({}, {"free": (0.0, 0.0, 0.0, 6.0, 0.0, 0.0)}),
    "tunnel": ({"tunnel": 1.0}, {}),
    "two_body": (
        {"two": (1.0, 0.0, 0.0)},
        {"one": (0.0, -1.2, 0.0), "two": (0.0, 0.4, 0.0)},
    ),
}


def line(name: str) -> str:
    """What a model is, in one line: the first of its docstring."""
    return (GALLERY[name].__doc__ or "").partition("\n")[0]


def story(name: str) -> str:
    """What the file of a model says of it, with a sketch, and the model's surprise."""
    sketch, _, _ = _of_file(name).partition("Surprise: ")
    return sketch + fill(f"Surprise: {surprise(name)}", 88)


def surprise(name: str) -> str:
    """The fact of a model that surprises: its own, or else that of its file."""
    for text in (inspect.getdoc(GALLERY[name]) or "", _of_file(name)):
        _, mark, rest = text.partition("Surprise: ")
        if mark:
            return " ".join(rest.partition("\n\n")[0].split())
    return ""


def _of_file(name: str) -> str:
    return inspect.getdoc(inspect.getmodule(GALLERY[name])) or ""


def inputs(system: ph.System, name: str) -> dict[str, Any]:
    """The inputs with which a model of this name is driven; none for most.

    `ph.simulate(system, state, until, inputs=ph.models.inputs(system, name))`
    """
    return INPUTS[name](system) if name in INPUTS else {}


def start(name: str) -> ph.State:
    """A state of a new model of this name from which its motion is worth seeing."""
    if name not in GALLERY:
        close = get_close_matches(name, GALLERY, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise ph.PolhodeError(
            f"there is no model {name!r} in the gallery.",
            repair=f"{hint}ph.models.GALLERY has them all, and `polhode gallery`.",
        )
    system = GALLERY[name]()
    if name not in STARTS:
        return system.rest()
    made = STARTS[name]
    where, moving = made() if callable(made) else made
    return system.state(where, speeds=moving)
