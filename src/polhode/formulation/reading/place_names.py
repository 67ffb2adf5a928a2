"""Short names for the coordinates of points that were given by bare numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

PLACE = re.compile(r"(?P<body>.+)\.point\([^()]*\)\.(?P<axis>[xyz])")


def place_names(parameters: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """What to call `rod.point(0, 0, 0.5).z`: `z_rod`; of several, `z_rod1`, `z_rod2`.

    A short name that is `taken` is not used: the long one stays.

    >>> place_names(["m", "rod.point(0, 0, 0.5).z"], [])
    {'rod.point(0, 0, 0.5).z': 'z_rod'}
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in parameters:
        if found := PLACE.fullmatch(name):
            alike[f"{found['axis']}_{found['body'].replace('.', '_')}"].append(name)
    known = set(taken)
    short = {
        long: word if len(group) == 1 else f"{word}{k}"
        for word, group in alike.items()
        for k, long in enumerate(group, 1)
    }
    return {long: word for long, word in short.items() if word not in known}
