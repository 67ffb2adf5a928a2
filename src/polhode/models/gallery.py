"""The gallery: every model by name, a function that builds its `System`."""

from __future__ import annotations

from collections.abc import Callable

import polhode as ph
from polhode.models.arm import arm
from polhode.models.cart_pendulum import cart_pendulum
from polhode.models.four_bars import four_bars
from polhode.models.gears_on_arm import gears_on_arm
from polhode.models.inverted_pendulum import (
    inverted_pendulum,
    shaken_pendulum,
    sprung_pendulum,
)
from polhode.models.moving_hinge_pendulum import moving_hinge_pendulum
from polhode.models.pendulum import pendulum
from polhode.models.rolling_cone import rolling_cone
from polhode.models.trees import humanoid, tree
from polhode.models.tunnel import tunnel

GALLERY: dict[str, Callable[..., ph.System]] = {
    "arm": arm,
    "cart_pendulum": cart_pendulum,
    "four_bars": four_bars,
    "gears_on_arm": gears_on_arm,
    "humanoid": humanoid,
    "inverted_pendulum": inverted_pendulum,
    "moving_hinge_pendulum": moving_hinge_pendulum,
    "pendulum": pendulum,
    "rolling_cone": rolling_cone,
    "shaken_pendulum": shaken_pendulum,
    "sprung_pendulum": sprung_pendulum,
    "tree": tree,
    "tunnel": tunnel,
}


def line(name: str) -> str:
    """What a model is, in one line: the first of its docstring."""
    return (GALLERY[name].__doc__ or "").partition("\n")[0]
