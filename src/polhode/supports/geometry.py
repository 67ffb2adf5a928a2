"""What a support gives of its candidate points: gaps, places, normals and tangents."""

from __future__ import annotations

from typing import Any, NamedTuple


class Geometry(NamedTuple):
    """Of k candidates: gap (k,), P (k, 3) and axes (k, 3, 3), columns n, t1 and t2.

    Along the world's axes; n points from what is touched to the body that rests.
    """

    gap: Any
    point: Any
    axes: Any
