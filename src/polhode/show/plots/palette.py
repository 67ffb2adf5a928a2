"""Colours of all pictures, on light paper and on dark, and how axes are dressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from polhode.errors import ShowError


@final
@dataclass(frozen=True)
class Theme:
    """The colours of a picture, as "#rrggbb".

    paper    what it is drawn on;  ink, faint, mist: text, what is beside, grids
    shadow   on the ground;  hole: what is cut away;  steel: joints and springs
    colours  of bodies and curves, told apart by people who see few colours
    arrows   by what they show
    """

    name: str
    paper: str
    ink: str
    faint: str
    mist: str
    shadow: str
    hole: str
    steel: str
    colours: tuple[str, ...]
    arrows: dict[str, str]


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#20242c",
    faint="#8b93a1",
    mist="#eceef2",
    shadow="#e3e6eb",
    hole="#3a4150",
    steel="#5d6675",
    colours=(
        *("#2f6f9f", "#d1495b", "#c98a1b", "#3f8f6b", "#7a5ba6"),
        *("#4c5563", "#a0522d", "#2a9d9d"),
    ),
    arrows={
        "angular velocity": "#b5388f",
        "angular momentum": "#6a3fb5",
        "momentum": "#1f8a8a",
        "force": "#c8413b",
        "reaction": "#3d7a2f",
        "push": "#3d7a2f",
        "friction": "#c98a1b",
        "couple": "#e07b39",
        "reaction couple": "#7fa32b",
        "friction couple": "#c98a1b",
    },
)
# The same hues, lighter: each stands out from its paper as its twin does from white.
DARK = Theme(
    name="dark",
    paper="#15181e",
    ink="#e7eaf0",
    faint="#8e98a9",
    mist="#272c35",
    shadow="#0b0d10",
    hole="#0b0d10",
    steel="#a3adbc",
    colours=(
        *("#5b9fd4", "#ef7585", "#e3ad45", "#5fbd92", "#ab8fdb"),
        *("#9aa5b5", "#d08a60", "#4cc4c4"),
    ),
    arrows={
        "angular velocity": "#e070bd",
        "angular momentum": "#a987ea",
        "momentum": "#45bcbc",
        "force": "#f0736c",
        "reaction": "#7cc46b",
        "push": "#7cc46b",
        "friction": "#e3ad45",
        "couple": "#f0995f",
        "reaction couple": "#a9cd55",
        "friction couple": "#e3ad45",
    },
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
INK, FAINT, PAPER, MIST = LIGHT.ink, LIGHT.faint, LIGHT.paper, LIGHT.mist
COLOURS, ARROWS = LIGHT.colours, LIGHT.arrows


def theme_of(given: Any) -> Theme:
    """A theme by its word, or one itself."""
    found = given if isinstance(given, Theme) else THEMES.get(given)
    if found is None:
        raise ShowError(
            f"there is no theme {given!r}.",
            "A picture is drawn on light paper or on dark.",
            f"Give one of {', '.join(map(repr, THEMES))}.",
        )
    return found


def dark_tones() -> dict[str, str]:
    """For every colour of light pictures the one that stands for it on dark paper."""
    bodies = zip(LIGHT.colours, DARK.colours, strict=True)
    arrows = ((LIGHT.arrows[key], DARK.arrows[key]) for key in LIGHT.arrows)
    return {**dict(arrows), **dict(bodies)}


def rgb(text: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of "#rrggbb"."""
    red, green, blue = (int(text[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def colour(k: int, theme: Theme = LIGHT) -> str:
    """The k-th colour; they come round."""
    return theme.colours[k % len(theme.colours)]


def style_axes(axes: Any) -> Any:
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
