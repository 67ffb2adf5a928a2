"""Colours of screenshots."""

from __future__ import annotations

import io
from typing import Any

import numpy as np


def hue_gap(shot: bytes, pixel: Any, colour: str, around: int = 3) -> float:
    """The least angle, in rad, between a colour and the pixels around a place.

    Grey stands off from the colours of bodies by 0.3 and more, whatever the light.
    """
    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), float)
    x, y = (round(float(value)) for value in pixel)
    part = picture[
        max(y - around, 0) : y + around + 1, max(x - around, 0) : x + around + 1
    ]
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)
    each = part.reshape(-1, 3)
    sizes = np.linalg.norm(each, axis=1) * np.linalg.norm(wanted)
    cosines = each @ wanted / np.maximum(sizes, 1e-9)
    return float(np.arccos(np.clip(cosines.max(initial=-1.0), -1, 1)))
