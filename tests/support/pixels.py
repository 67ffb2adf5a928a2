"""Colours of screenshots."""

from __future__ import annotations

import io
from typing import Any

import numpy as np


def hue_gap(shot: bytes, pixel: Any, colour: str, around: int = 3) -> float:
    """The least angle, in rad, between a colour and the pixels around a place.

    Grey stands off from the colours of bodies by 0.3 and more, whatever the light.
    """
    x, y = (round(float(value)) for value in pixel)
    gaps = _gaps(shot, colour)[
        max(y - around, 0) : y + around + 1, max(x - around, 0) : x + around + 1
    ]
    return float(gaps.min(initial=np.pi))


def count_hue(shot: bytes, colour: str, within: float = 0.12) -> int:
    """How many pixels are within an angle, in rad, of a colour."""
    return int(np.sum(_gaps(shot, colour) < within))


def _gaps(shot: bytes, colour: str) -> np.ndarray:
    """The angle between each pixel and a colour, whatever the light."""
    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), float)
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)
    sizes = np.linalg.norm(picture, axis=-1) * np.linalg.norm(wanted)
    return np.arccos(np.clip(picture @ wanted / np.maximum(sizes, 1e-9), -1, 1))
