"""Colours of all pictures, and how axes are dressed."""

from __future__ import annotations

from typing import Any

INK, FAINT, PAPER, MIST = "#20242c", "#8b93a1", "#ffffff", "#eceef2"
# Told apart by people who see few colours, and in print.
COLOURS = (
    *("#2f6f9f", "#d1495b", "#c98a1b", "#3f8f6b", "#7a5ba6"),
    *("#4c5563", "#a0522d", "#2a9d9d"),
)
# Of arrows, by what they show.
ARROWS = {
    "angular velocity": "#b5388f",
    "angular momentum": "#6a3fb5",
    "momentum": "#1f8a8a",
    "force": "#c8413b",
    "reaction": "#3d7a2f",
    "push": "#3d7a2f",
    "friction": "#c98a1b",
    "couple": "#e07b39",
    "reaction couple": "#7fa32b",
}


def rgb(text: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of "#rrggbb"."""
    red, green, blue = (int(text[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def colour(k: int) -> str:
    """The k-th colour; they come round."""
    return COLOURS[k % len(COLOURS)]


def dressed(axes: Any) -> Any:
    """Axes with two thin spines, small numbers, and a faint grid behind the lines."""
    axes.set_facecolor(PAPER)
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    axes.grid(True, color=MIST, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    for name in (axes.xaxis, axes.yaxis):
        name.label.set_color(INK)
        name.label.set_fontsize(10)
    axes.title.set_color(INK)
    return axes
