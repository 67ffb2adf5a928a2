"""Frames of reference: who looks, and along which axes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from polhode.errors import FrameMismatch, ModelError


@final
@dataclass(frozen=True, eq=False)
class Frame:
    """An observer carrying three orthonormal right-handed axes and an origin.

    Identity is the object: two frames of one name are two frames. `owner` is what the
    frame moves with, a body or the world; a bare observer has none.

    >>> Frame("ship") == Frame("ship")
    False
    """

    name: str
    owner: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise ModelError(
                f"a frame cannot be named {self.name!r}.",
                "Errors and printed equations call a frame by its name.",
                'Give it a short text, such as Frame("ship").',
            )

    def __repr__(self) -> str:
        return f"Frame({self.name!r})"


def require_frame(frame: Any, what: str) -> None:
    """Refuse anything but a frame: `what` has no axes to be written in."""
    if not isinstance(frame, Frame):
        raise ModelError(
            f"{what} has no frame: {frame!r} is not one.",
            "A frame is an object, made once; its name or its owner will not do.",
            'Give Frame("ship"), or the `frame` of a body or of the world.',
        )


def require_same_frame(act: str, one: Frame, other: Frame) -> None:
    """Refuse to `act` on two quantities written in different frames."""
    if one is other:
        return
    namesakes = one.name == other.name
    raise FrameMismatch(
        f"cannot {act} a quantity of frame {one.name!r} and one of {other.name!r}.",
        "Two different frames have that name; a frame is an object, not a name."
        if namesakes
        else "The same three numbers are different vectors in different axes.",
        "Make the frame once and use it in both places."
        if namesakes
        else "Re-express one first: vector.written_in(rotation) with a Rotation"
        f" of {other.name!r} seen from {one.name!r}, or back.",
    )


def require_adjacent(act: str, first: Any, second: Any) -> None:
    """Refuse a chain A <- B, C <- D unless B is C."""
    if first.of is second.seen_from:
        return
    raise FrameMismatch(
        f"cannot {act} a motion of {first.of.name!r} seen from"
        f" {first.seen_from.name!r} and one of {second.of.name!r} seen from"
        f" {second.seen_from.name!r}.",
        "Relative motions join where the first one's moving frame is the second"
        " one's observer: AB and BC give AC.",
        f"Give as the second a motion seen from {first.of.name!r}.",
    )


def is_name(given: Any) -> bool:
    """Whether something can be called so: text that can be printed, not only blanks.

    >>> is_name("left wheel"), is_name("\N{GREEK SMALL LETTER THETA}"), is_name(chr(0))
    (True, True, False)
    """
    return isinstance(given, str) and bool(given.strip()) and given.isprintable()
