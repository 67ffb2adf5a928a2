"""Contacts drawn: floors and slopes, pushes, friction and cones, impacts in time."""

from __future__ import annotations

import json

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ShowError
from polhode.show.drawing.contacts import contact_frames, floor_height, world_planes
from polhode.show.drawing.render import drawing_of
from polhode.show.drawing.scene import scene_of
from polhode.show.page.data import page_data, plots_of

G = 9.81


@pytest.fixture(scope="module")
def slide():
    """A block that goes up a slope and stays."""
    start = ph.models.start("incline")
    return ph.simulate(start.system, start, until=0.4)


@pytest.fixture(scope="module")
def bounce():
    """A ball that bounces over a floor."""
    start = ph.models.start("bouncing_ball")
    return ph.simulate(start.system, start, until=2.8)


def test_arrows_of_contacts_are_the_forces_on_the_body(slide):
    """All pushes and frictions together, and the weight, move the block."""
    scene = scene_of(slide)
    kinds = {kind.kind: kind for kind in scene.arrows}
    assert {"push", "friction"} <= set(kinds)
    total = sum(
        a.vectors[-1] for word in ("push", "friction") for a in kinds[word].arrows
    )
    assert_close(total, [0, 0, G], atol=1e-9)  # at rest they bear its weight
    assert_close(slide["base"].reaction.force[-1], [0, 0, G], atol=1e-9)
    assert kinds["push"].scale == kinds["friction"].scale


def test_the_floor_is_the_plane_that_bodies_rest_on(bounce, slide):
    """Level planes are floors; slopes are drawn as grids of lines in them."""
    assert floor_height(bounce) == 0.0
    assert scene_of(bounce).floor == 0.0
    assert floor_height(slide) is None
    scene = scene_of(slide)
    assert scene.floor is None
    ((at, axes),) = world_planes(slide)
    lines = [link for link in scene.links if link.kind == "plane"]
    assert len(lines) == 10
    for line in lines:
        assert_close((line.points - at) @ axes[:, 2], [0, 0], atol=1e-12)


def test_a_picture_has_arrows_and_cones_where_something_presses(slide, bounce):
    """Two pushes and two frictions on the slope; nothing of a ball in the air."""
    drawing = drawing_of(slide)
    assert drawing.contacts is not None
    assert_close(drawing.contacts.static, [0.55, 0.55])
    # Two arrows at each of two points, and the words of the picture.
    texts = slide.picture(0.4).figure.axes[0].texts
    assert len(texts) == 5
    assert len(bounce.picture(0.2).figure.axes[0].texts) == 1


def test_a_support_is_plotted_by_name_with_its_impacts(bounce):
    """Push and gap, a stroke on the axis for every impact; parts by their names."""
    figure = bounce.plot("floor").figure
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["push of floor  [N]", "gap of floor  [m]"]
    marks = [line for line in figure.axes[0].lines if line.get_label() == "_impacts"]
    hits = {hit.t for hit in bounce["floor"].impacts}
    assert len(marks[0].get_xdata()) == len(hits) > 20
    (line,) = [x for x in bounce.plot("floor.push").figure.axes[0].lines
               if not x.get_label().startswith("_")]  # fmt: skip
    assert_close(line.get_ydata()[-1], 0.2 * G, rtol=1e-9)
    with pytest.raises(ShowError, match=r"a support \.push"):
        bounce.plot("floor.pull")


def test_a_page_has_the_contacts_and_the_times_of_impacts(bounce):
    """Arrows of pushes are shown at once, impacts stand in the plots."""
    rows = bounce.resampled(np.linspace(0, 2.8, 50))
    plots = plots_of([(bounce, rows)], None)
    assert plots[0]["marks"]
    data = json.loads(page_data([scene_of(bounce)], plots))
    (push,) = [kind for kind in data["stages"][0]["arrows"] if kind["kind"] == "push"]
    assert push["shown"]
    assert any(plot["title"] == "floor.push [N]" for plot in data["plots"])


def test_a_motion_of_moreau_is_drawn_without_forces_at_times():
    """It has impulses of steps; bodies and floor are drawn all the same."""
    start = ph.models.start("bouncing_ball")
    method = ph.methods.Moreau(step=0.01)
    motion = ph.simulate(start.system, start, until=0.5, method=method)
    assert contact_frames(motion, 1.0) is None
    assert scene_of(motion).floor == 0.0
