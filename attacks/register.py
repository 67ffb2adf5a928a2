"""All attacks, by the part of the product that they are made on."""

from __future__ import annotations

from attacks import (
    arguments,
    cache_races,
    disks,
    flips,
    fuzz_files,
    homes,
    interrupts,
    kills,
    planted,
    programs,
    promises,
    public_calls,
    races,
    scaling,
    soak,
)
from attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *arguments.ATTACKS,
    *public_calls.ATTACKS,
    *interrupts.ATTACKS,
    *kills.ATTACKS,
    *races.ATTACKS,
    *flips.ATTACKS,
    *fuzz_files.ATTACKS,
    *planted.ATTACKS,
    *cache_races.ATTACKS,
    *disks.ATTACKS,
    *homes.ATTACKS,
    *programs.ATTACKS,
    *scaling.ATTACKS,
    *promises.ATTACKS,
    *soak.ATTACKS,
)
