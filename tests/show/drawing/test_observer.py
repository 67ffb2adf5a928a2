"""Who looks along with a body sees it at rest; planets and themes."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ShowError
from polhode.show.drawing.globes import is_hidden
from polhode.show.drawing.scene import motion_of_frames, scene_of, stage_of
from polhode.show.plots.palette import DARK, LIGHT, dark_tones, rgb, theme_of


@pytest.fixture(scope="module")
def orbit():
    """Leader and follower, both in free fall, for ten minutes."""
    start = ph.models.start("leader_follower")
    motion = ph.simulate(start.system, start, until=600.0)
    return motion_of_frames(motion, 20)


@pytest.mark.parametrize("axes", ["world", "body", "rtn", "lvlh"])
def test_who_is_followed_stays_at_the_origin(orbit, axes):
    """And distances between bodies are what they were."""
    seen, true = stage_of(orbit, "leader", axes), stage_of(orbit)
    leader, follower = (body.path for body in seen.bodies)
    assert_close(leader, np.zeros_like(leader), atol=1e-6)
    apart = true.bodies[1].path - true.bodies[0].path
    far = np.linalg.norm(apart, axis=1)
    assert_close(np.linalg.norm(follower, axis=1), far, rtol=1e-9)
    assert "seen from leader" in seen.name


def test_the_axes_of_an_orbit_are_those_of_its_local_frame(orbit):
    """The picture and `seen_from` have one follower."""
    frame = ph.space.LocalFrame("leader", "lvlh")
    seen = stage_of(orbit, frame).bodies[1].path
    assert_close(seen, orbit["follower"].seen_from(frame).position, atol=1e-4)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"follow": "ledaer"}, "Did you mean 'leader'"),
        ({"axes": "lvlh"}, "none is followed"),
        ({"follow": "leader", "axes": "sideways"}, "no axes 'sideways'"),
    ],
)
def test_wrong_observers_are_refused(orbit, given, words):
    """By name, with what there is."""
    with pytest.raises(ShowError, match=words):
        orbit.picture(**given)


def test_a_planet_has_its_radius_and_is_in_the_scene(orbit):
    """The camera must hold it; who goes along with a craft does not see it."""
    scene = scene_of(orbit)
    (earth,) = scene.globes
    assert (earth.name, earth.radius) == ("Earth", ph.space.EARTH.radius)
    assert scene.size >= 2 * earth.radius
    assert scene_of(orbit, follow="leader").globes == ()


def test_a_stone_near_the_ground_has_no_planet():
    """A motion of metres beside 6378 km would not be seen."""
    stone, world = ph.Particle("stone", 1.0), ph.World()
    fall = ph.Translation("fall", world.origin, stone.mass_centre)
    pull = ph.space.ZonalGravity([stone], world.origin)
    system = ph.System([fall], [pull])
    motion = ph.simulate(system, system.state(fall=(6.4e6, 0, 0)), until=1.0)
    assert scene_of(motion).globes == ()


def test_a_sphere_hides_what_is_behind_it():
    """And neither what is before it nor what is beside it."""
    points = [[0, 0, -2.0], [0, 0, 2.0], [1.1, 0, -2.0], [0, 0, 0.5]]
    near = np.array([0.0, 0.0, 1.0])
    found = is_hidden(np.array(points), np.zeros(3), 1.0, near)
    assert found.tolist() == [True, False, False, True]


def contrast(one, other):
    """The ratio of luminances, by the rules for readable pages."""

    def luminance(text):
        parts = np.array(rgb(text)) / 255
        linear = np.where(
            parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_what_is_drawn_stands_out_from_its_paper(theme):
    """Text 7 to 1; lines and arrows at least as 2.4 to 1."""
    assert contrast(theme.ink, theme.paper) > 7
    for tint in (*theme.colours, *theme.arrows.values(), theme.steel):
        assert contrast(tint, theme.paper) > 2.4, tint


def test_every_colour_has_its_twin_on_dark_paper():
    """A page finds one for each that it uses."""
    known = {*LIGHT.colours, *LIGHT.arrows.values()}
    assert set(dark_tones()) == known
    assert theme_of("dark") is DARK
    with pytest.raises(ShowError, match="no theme 'sepia'"):
        theme_of("sepia")
