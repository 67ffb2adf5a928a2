"""All attacks, by the part of the product that they are made on."""

from __future__ import annotations

from attacks import flips, fuzz_files, races
from attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *races.ATTACKS,
    *flips.ATTACKS,
    *fuzz_files.ATTACKS,
)
