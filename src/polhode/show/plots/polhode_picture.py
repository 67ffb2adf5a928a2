"""The polhode on its inertia ellipsoid, and the spin that draws it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from polhode.show.drawing.view import View
from polhode.show.output_file import writing

VIEW = View.towards(azimuth=0.92, elevation=0.38)
LIGHT = np.array([-0.35, 0.55, 0.76])  # right, up, towards the observer
INK, FAINT, PAPER = "#20242c", "#8b93a1", "#ffffff"
LEAST, MIDDLE, MOST = "#2f6f9f", "#d1495b", "#c98a1b"  # of the three axes
PIXELS = 520


def polhode_picture(moments: Any, times: Any, spins: Any, path: Path) -> Path:
    """Draw a free body's spin on its inertia ellipsoid, and against time.

        x . J x = 1,   x = w / sqrt(2 T)

    moments (3,) ascend; spins (n, 3) are along the principal axes of those moments.
    Lines on the ellipsoid are other motions of the same energy; the bold one is this.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.4), dpi=100, facecolor=PAPER)
    solid = figure.add_axes((0.01, 0.0, 0.47, 1.0))
    graph = figure.add_axes((0.555, 0.15, 0.385, 0.70))
    _ellipsoid(solid, np.asarray(moments, float))
    _polhode(solid, np.asarray(moments, float), np.asarray(spins, float))
    _histories(graph, times, spins)
    with writing(path) as aside:
        figure.savefig(aside, facecolor=PAPER)
    return path


def _ellipsoid(axes: Any, moments: np.ndarray) -> None:
    """The shaded solid, with the polhodes of its energy as level lines of |H|."""
    half = 1.08 * VIEW.outline(np.diag(moments))
    across = np.linspace(-half, half, PIXELS)
    x, y = np.meshgrid(across, across)
    points = VIEW.ellipsoid(np.diag(moments), x, y)
    normals = points * moments
    level = np.sum(normals**2, axis=-1)  # |H|^2 / 2T
    normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    extent = (-half, half, -half, half)
    axes.imshow(
        _shade(normals, level, moments),
        origin="lower",
        extent=extent,
        interpolation="bilinear",
    )
    least, middle, most = moments
    below = middle - (middle - least) * np.linspace(0, 1, 6)[1:-1]
    above = middle + (most - middle) * np.linspace(0, 1, 6)[1:-1]
    others = np.sort([*below, *above])
    axes.contour(x, y, level, others, colors="white", linewidths=0.8, alpha=0.75)
    axes.contour(x, y, level, [middle], colors=INK, linewidths=1.0, linestyles="--")
    _stub_axes(axes, moments)
    axes.set_aspect("equal")
    axes.set_xlim(-1.16 * half, 1.16 * half)
    axes.set_ylim(-1.16 * half, 1.16 * half)
    axes.axis("off")


def _shade(normals: np.ndarray, level: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Colour by which axis the motion goes round, brightness by the light."""
    from matplotlib.colors import LinearSegmentedColormap

    least, middle, most = moments
    tints = LinearSegmentedColormap.from_list("tints", [LEAST, "#e9e4dc", MOST])
    below = (level - middle) / (middle - least)
    above = (level - middle) / (most - middle)
    side = np.where(level < middle, below, above)
    colour = tints(0.5 + 0.5 * np.clip(np.nan_to_num(side), -1, 1))[..., :3]
    seen = normals @ VIEW.axes.T
    light = LIGHT / np.linalg.norm(LIGHT)
    toward = np.clip(seen @ light, 0, 1)
    half_way = light + np.array([0, 0, 1])
    shine = np.clip(seen @ (half_way / np.linalg.norm(half_way)), 0, 1) ** 25
    shade = (0.60 + 0.46 * toward)[..., None]
    picture = np.clip(colour * shade + 0.12 * shine[..., None], 0, 1)
    hit = np.isfinite(level)[..., None]
    return np.concatenate([np.where(hit, picture, 1.0), hit.astype(float)], axis=-1)


def _stub_axes(axes: Any, moments: np.ndarray) -> None:
    """The principal axes where they leave the solid."""
    from matplotlib.patheffects import withStroke

    names = ("least", "middle", "greatest")
    for k, (name, colour) in enumerate(zip(names, (LEAST, MIDDLE, MOST), strict=True)):
        tip = np.eye(3)[k] / np.sqrt(moments[k])
        x, y, _ = VIEW.project(np.stack([tip, tip * 1.24]))
        axes.plot(x, y, color=INK, linewidth=1.3, solid_capstyle="round")
        away = np.array([x[1] - x[0], y[1] - y[0]])
        shift = 11 * away / np.linalg.norm(away) * (1.9, 1.0)
        axes.annotate(
            name,
            (x[1], y[1]),
            shift,
            textcoords="offset points",
            color=colour,
            ha="center",
            va="center",
            fontsize=10,
            path_effects=[withStroke(linewidth=3, foreground=PAPER)],
        )


def _polhode(axes: Any, moments: np.ndarray, spins: np.ndarray) -> None:
    """The motion itself: bold in front, faint behind."""
    energy = np.sum(spins**2 * moments, axis=-1, keepdims=True)  # 2 T
    points = spins / np.sqrt(energy)
    x, y, _ = VIEW.project(points)
    hidden = (points * moments) @ VIEW.axes[2] < 0
    front, back = np.where(hidden, np.nan, x), np.where(hidden, x, np.nan)
    axes.plot(back, y, color=MIDDLE, linewidth=1.0, alpha=0.28)
    axes.plot(front, y, color="white", linewidth=4.6, solid_capstyle="round")
    axes.plot(front, y, color=MIDDLE, linewidth=2.6, solid_capstyle="round")


def _histories(axes: Any, times: Any, spins: Any) -> None:
    """Spin about each axis against time, named where the line ends."""
    for k, colour in ((0, LEAST), (2, MOST), (1, MIDDLE)):
        width = 2.4 if k == 1 else 1.3
        axes.plot(times, spins[:, k], color=colour, linewidth=width)
    limit = 1.12 * np.max(np.abs(spins))
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(-limit, limit)
    axes.axhline(0, color=FAINT, linewidth=0.6, zorder=0)
    title = "spin about each principal axis  [rad/s]"
    axes.set_title(title, fontsize=10.5, color=INK, loc="left", pad=12)
    axes.set_xlabel("time  [s]", color=INK)
    axes.tick_params(colors=FAINT, labelcolor=INK, labelsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
