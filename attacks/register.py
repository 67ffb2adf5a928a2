"""All attacks, by the part of the product that they are made on."""

from __future__ import annotations

from attacks import cache_races, interrupts, kills, planted, scaling
from attacks.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *interrupts.ATTACKS,
    *kills.ATTACKS,
    *planted.ATTACKS,
    *cache_races.ATTACKS,
    *scaling.ATTACKS,
)
