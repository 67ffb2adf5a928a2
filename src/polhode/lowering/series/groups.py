"""Series of one kind side by side: the lanes of a vector, where a system is alone.

Products, roots and waves that do not wait for one another take as many instructions as
one. Which lie together follows from the program alone, never from the machine; a lane
more or less changes no bit. Series whose arguments lie side by side already come first:
they need not be gathered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from polhode.lowering.series.expressions import Series

WIDTH = 8  # doubles in the widest vectors there are
ALONE = ("variable", "scaled", "choice")


@dataclass(eq=False)
class Group:
    """Series of one kind and the series that each argument is, lane by lane."""

    members: tuple[Series, ...]
    args: tuple[tuple[Series, ...], ...]

    @property
    def kind(self) -> str:
        return self.members[0].kind

    @property
    def data(self) -> Any:
        return self.members[0].data


def grouped(series: list[Series]) -> list[Group]:
    """All series in groups, each after those of its arguments."""
    levels = _levels(series)
    users = _users(series, levels)
    placed: dict[int, tuple[int, int]] = {}  # group and lane
    groups: list[Group] = []
    by_level: dict[int, dict[Any, list[Series]]] = defaultdict(dict)
    for s in series:
        by_level[levels[s.number]].setdefault(_likeness(s), []).append(s)
    for level in sorted(by_level):
        for likeness, some in by_level[level].items():
            for members in _chunks(some, likeness, placed, users):
                args = tuple(zip(*(_operands(s, placed) for s in members), strict=True))
                for lane, s in enumerate(members):
                    if len(members) > 1:
                        placed[s.number] = (len(groups), lane)
                groups.append(Group(tuple(members), args))
    return groups


def _likeness(s: Series) -> Any:
    """What series that may lie side by side have in common."""
    if s.kind in ALONE or any(_is_clock(a) for a in s.args):
        return ("alone", s.number)
    if s.kind == "sum":
        return ("sum", s.data[0])
    if s.kind == "product":
        return ("square",) if s.args[0] is s.args[1] else ("product",)
    if s.kind == "wave":
        return ("wave", s.data)
    return (s.kind, s.data if s.kind == "power" else None)


def _is_clock(s: Series) -> bool:
    """Whether its coefficients vanish from some order on: those are known numbers."""
    return s.kind == "sum" and not s.args


def _operands(s: Series, placed: dict[int, tuple[int, int]]) -> tuple[Series, ...]:
    """Its arguments; of a product that which lies in a group first."""
    if s.kind == "product" and s.args[0].number not in placed:
        return s.args[::-1]
    return s.args


def _chunks(
    some: list[Series],
    likeness: Any,
    placed: dict[int, tuple[int, int]],
    users: dict[int, Any],
) -> Iterable[list[Series]]:
    """Cut into groups: series whose arguments are lanes of one group together."""
    buckets: dict[Any, list[tuple[int, Series]]] = {}
    ranks: dict[Any, int] = defaultdict(int)
    for s in some:
        first = next((placed[a.number] for a in s.args if a.number in placed), None)
        if likeness[0] == "alone" or (likeness[0] == "sum" and not _lies(s, placed)):
            key: Any = ("alone", s.number)
            lane = 0
        elif first is None:
            key, lane = ("apart", users.get(s.number)), len(buckets)
        else:
            group, lane = first
            rank = ranks[(group, lane)]
            ranks[(group, lane)] += 1
            key = (group, rank)
        buckets.setdefault(key, []).append((lane, s))
    for key, members in buckets.items():
        if key[0] != "apart":
            members.sort(key=lambda pair: pair[0])
        for start in range(0, len(members), WIDTH):
            yield [s for _, s in members[start : start + WIDTH]]


def _lies(s: Series, placed: dict[int, tuple[int, int]]) -> bool:
    """Whether all arguments are in groups, in one lane: none is gathered for a sum."""
    places = [placed.get(a.number) for a in s.args]
    return None not in places and len({p[1] for p in places if p}) == 1


def _levels(series: list[Series]) -> dict[int, int]:
    levels: dict[int, int] = {}
    for s in series:
        levels[s.number] = 1 + max((levels[a.number] for a in s.args), default=-1)
    return levels


def _users(series: list[Series], levels: dict[int, int]) -> dict[int, Any]:
    """Of each series who uses it first: at which level, as which argument."""
    found: dict[int, Any] = {}
    for s in series:
        for place, a in enumerate(s.args):
            key = (s.kind, levels[s.number], place)
            found.setdefault(a.number, key)
    return found
