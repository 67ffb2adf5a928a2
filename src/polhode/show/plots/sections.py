"""Pictures of sections: points in the plane, or over a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polhode.show.plots.answers import finish, panels_of
from polhode.show.plots.labels import coordinate_label
from polhode.show.plots.palette import colour
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.section import Section

FEW = 2000  # points, of which each is drawn larger
COLOURED = 8  # runs told apart by colour


def section_picture(found: Section, y: str, x: str) -> Picture:
    """A cloud of points: a colour a run, or over the parameter all in one."""
    name = found.system.coordinate_names[0]
    rate = f"speed of {found.system.speed_names[0]}"
    across = x or found.parameter or name
    up = y or (name if found.parameter else rate)
    figure, (axes,) = panels_of(1, 4.6)
    is_coloured = not found.parameter and len(found.values) <= COLOURED
    size = 6.0 if len(found) < FEW else 1.2
    tint = [colour(int(k)) for k in found.run] if is_coloured else colour(0)
    axes.scatter(found.wrapped(across), found.wrapped(up), s=size, c=tint, linewidths=0)
    axes.set_xlabel(_label(found, across))
    axes.set_ylabel(_label(found, up))
    word = "bifurcations" if found.parameter else "section"
    return finish(figure, axes, f"{found.system.name}: {word}")


def _label(found: Section, name: str) -> str:
    if name in found.system.coordinate_names:
        return coordinate_label(found.system, name)
    return name
