"""A rope is drawn from end to end, along its pulleys."""

from __future__ import annotations

import numpy as np

import polhode as ph
from closeness import assert_close
from polhode.show.drawing.glyphs import links_of
from polhode.show.drawing.scene import framed


def test_the_drawn_rope_is_as_long_as_the_rope():
    """Two strands and an arc in straight pieces, a little shorter than the arc."""
    start = ph.models.start("atwood")
    motion = ph.simulate(start.system, start, until=0.1)
    rows = framed(motion, 3)
    links = [link for link in links_of(rows) if link.kind == "rope"]
    bodies = [*start.system.bodies]
    length = 0.0
    poses = start.system.poses(start.t, start.q)
    for link in links:
        ends = [
            x if k < 0 else poses.origins[k] + poses.rotations[k] @ x
            for k, x in zip(link.bodies, link.points, strict=True)
        ]
        length += np.linalg.norm(ends[1] - ends[0])
    whole = start.system.parameters["rope.length"]
    assert len(bodies) == 3
    assert_close(length, whole, rtol=1e-3)
    assert length < whole
