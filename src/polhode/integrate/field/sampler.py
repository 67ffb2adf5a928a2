"""Sampled inputs inside a compiled loop: traced laws, and noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from polhode.system.state import State


class Sampler(NamedTuple):
    """An input that is asked at start + k dt, and held until the next sample.

    names    of the inputs that it gives
    dt       seconds between samples
    held     its places among the held values of a run
    recall   its places among what sampled inputs remember
    ask      (t, state, memory, k, table) -> values, memory; traced
    key      what compiled programs depend on
    """

    names: tuple[str, ...]
    dt: float
    held: slice
    recall: slice
    ask: Callable[[Any, State, Any, Any, Any], tuple[Any, Any]]
    key: tuple[Any, ...]
