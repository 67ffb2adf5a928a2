"""A plot on dark paper: every colour of the light theme by the one that stands for it.

All plots are drawn in the light theme. Their colours are those of the palette, so that
a finished figure can be told in another theme without being drawn anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.show.plots.palette import LIGHT, Theme, dark_tones, theme_of

MARKERS = ("markerfacecolor", "markeredgecolor")
BLACK = "#000000"  # what matplotlib draws where nobody said a colour


def retint(figure: Any, theme: str | Theme) -> None:
    """Give a figure of the light theme the colours of another."""
    wanted = theme_of(theme)
    if wanted is LIGHT:
        return
    tones = _tones(wanted)
    for axes in figure.axes:
        # Ticks are made when the figure is drawn, by what is said here.
        own = {"colors": wanted.faint, "labelcolor": wanted.ink}
        axes.tick_params(**own, grid_color=wanted.mist)
    for artist in figure.findobj():
        for word in ("color", "facecolor", "edgecolor", *MARKERS):
            _change(artist, word, tones)


def _tones(theme: Theme) -> dict[str, str]:
    words = ("paper", "ink", "faint", "mist", "shadow", "hole", "steel")
    return {
        BLACK: theme.ink,
        **dark_tones(),
        **{getattr(LIGHT, w): getattr(theme, w) for w in words},
    }


def _change(artist: Any, word: str, tones: dict[str, str]) -> None:
    """One colour, or the rows of many, where the artist has such."""
    get, put = (getattr(artist, f"{verb}_{word}", None) for verb in ("get", "set"))
    if get is None or put is None:
        return
    found = get()
    if isinstance(found, np.ndarray) and found.ndim == 2:
        put([_tone(row, tones) for row in found])
    elif found is not None and not _is_automatic(found):
        put(_tone(found, tones))


def _is_automatic(found: Any) -> bool:
    return isinstance(found, str) and found in ("none", "auto", "inherit")


def _tone(found: Any, tones: dict[str, str]) -> Any:
    from matplotlib.colors import to_hex, to_rgba

    red, green, blue, alpha = to_rgba(found)
    plain = to_hex((red, green, blue))
    return found if plain not in tones else (*to_rgba(tones[plain])[:3], alpha)
