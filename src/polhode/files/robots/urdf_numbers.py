"""Texts and numbers of URDF elements, each error noted at its line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.errors import ModelError
from polhode.files.issues import Issue
from polhode.files.report import Report
from polhode.files.robots.xml_tree import Element

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@final
@dataclass(frozen=True)
class Robot:
    """What is known of a robot while it is read.

    unphysical   what is done with inertias that no mass has
    packages     folders in which meshes are looked for
    """

    report: Report
    unphysical: str = "warn"
    packages: tuple[Path, ...] = ()
    bodies: dict[str, Any] = field(default_factory=dict)
    joints: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    colours: dict[str, tuple[float, ...]] = field(default_factory=dict)
    lost_meshes: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether no error was found yet."""
        return not self.report.issues

    def refuse(self, element: Element, text: str) -> None:
        """Note an error at an element."""
        self.report.issues.append(Issue(element.spot, text))

    def built(self, element: Element, make: Callable[[], Any]) -> Any:
        """What a door makes; None with its words in the report, or after an error."""
        if not self.is_sound:
            return None
        try:
            return make()
        except ModelError as refused:
            words = (refused.what, refused.repair or refused.why)
            return self.refuse(element, " ".join(word for word in words if word))


def text_of(robot: Robot, element: Element, word: str) -> str:
    """An attribute that must be there."""
    text = element.attributes.get(word, "").strip()
    if not text:
        robot.refuse(element, f"<{element.tag}> has no {word!r}.")
    return text


def number_of(
    robot: Robot, element: Element, word: str, default: float | None = None
) -> float:
    """An attribute that is one finite number."""
    if default is not None and word not in element.attributes:
        return default
    text = text_of(robot, element, word)
    return next(iter(_numbers(robot, element, word, [text] if text else [])), 0.0)


def numbers_of(
    robot: Robot, element: Element | None, word: str, default: tuple[float, ...]
) -> tuple[float, ...]:
    """An attribute that is three numbers, if there is an element that has it."""
    if element is None or word not in element.attributes:
        return default
    found = _numbers(robot, element, word, element.attributes[word].split())
    if len(found) == len(default):
        return tuple(found)
    count = len(element.attributes[word].split())
    robot.refuse(element, f"{word} has {count} numbers, not {len(default)}.")
    return default


def pose_of(robot: Robot, origin: Element | None) -> tuple[tuple[float, ...], Any]:
    """Place (3,) and axes (3, 3) of <origin xyz="..." rpy="...">.

    R = Rz(yaw) Ry(pitch) Rx(roll)
    """
    nowhere = (0.0, 0.0, 0.0)
    place = numbers_of(robot, origin, "xyz", nowhere)
    roll, pitch, yaw = numbers_of(robot, origin, "rpy", nowhere)
    if not (roll or pitch or yaw):
        return place, np.eye(3)
    (cr, sr), (cp, sp), (cy, sy) = (
        (math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw)
    )
    turn = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return place, turn


def _numbers(
    robot: Robot, element: Element, word: str, texts: Iterable[str]
) -> list[float]:
    found = []
    for text in texts:
        # Python's float takes 1_0 for ten, which no file of numbers means.
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            robot.refuse(element, f"{word} is no finite number: {text[:40]!r}.")
            value = 0.0
        found.append(value)
    return found
