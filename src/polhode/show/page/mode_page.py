"""A mode as one page: its replay, the table of all modes, and the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from polhode.show.drawing.scene import motion_of_frames, scene_of
from polhode.show.page.data import plots_of
from polhode.show.page.page import page_text, write_page
from polhode.show.page.sections import model_section, section

if TYPE_CHECKING:
    from polhode.analyse.linear.modes import Modes
    from polhode.integrate.results.trajectory import Trajectory

CURVES = 3  # joints whose curves are drawn


def mode_page(modes: Modes, path: Any, motion: Trajectory) -> Path:
    """Write a mode as one HTML file that opens anywhere, and return its path.

    `motion` is the mode as `Modes.motion` gives it. There is no ledger: a mode is
    watched at a pace of its own, and is no motion under the forces.
    """
    rows = motion_of_frames(motion)
    moving = [j for j in motion.system.joints if j.coordinates]
    names = [j.name if j.coordinates == j.speeds else f"{j.name}.speed" for j in moving]
    scene = scene_of(rows)
    table = section("Modes", modes.as_table().html())
    sections = [table, model_section(motion.system, scene)]
    curves = plots_of([(motion, rows)], names[:CURVES])
    return write_page(page_text([scene], curves, [motion], sections), path)
