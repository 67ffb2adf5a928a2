"""What axes are called: a quantity and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polhode.system.system import System


def with_unit(label: str, unit: str) -> str:
    """A quantity and, in brackets, its unit; a pure number has none.

    >>> with_unit("hinge", "rad"), with_unit("tip.qw", "1")
    ('hinge  [rad]', 'tip.qw')
    """
    return f"{label}  [{unit}]" if unit not in ("", "1") else label


def coordinate_label(system: System, name: str) -> str:
    """A coordinate by its name, with its unit."""
    units = [unit for joint in system.joints for unit in joint.units]
    return with_unit(name, dict(zip(system.coordinate_names, units, strict=True))[name])
