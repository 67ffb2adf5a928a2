"""One rule a primitive: how it acts on arrays of elements."""

from collections.abc import Callable
from typing import Any

from polhode.lowering.rules import (
    arithmetic,
    branches,
    calls,
    control,
    gathering,
    indexing,
    keys,
    linear,
    newer,
    random,
    reduction,
    sorting,
    structure,
)
from polhode.lowering.series import taylor

RULES: dict[str, Callable[..., Any]] = {}
for room in (
    arithmetic,
    structure,
    reduction,
    sorting,
    indexing,
    gathering,
    calls,
    control,
    branches,
    linear,
    random,
    newer,
):
    RULES.update(room.RULES)
RULES.update(taylor.RULES)
RULES.update({name: keys.word_by_word(RULES[name]) for name in keys.MOVING})
