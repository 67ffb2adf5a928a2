"""The same chain in other people's libraries. Each is optional."""

from __future__ import annotations

from importlib import import_module, util
from types import ModuleType

MODULES = {
    "mujoco": "benchmarks.peers.mujoco_chain",
    "pinocchio": "benchmarks.peers.pinocchio_chain",
    "pydrake": "benchmarks.peers.drake_chain",
}


class PeerMissing(Exception):
    """The peer is not installed here."""


def peer(name: str) -> ModuleType:
    """The chain in a peer's words, or `PeerMissing`."""
    require(name)
    return import_module(MODULES[name])


def require(name: str) -> None:
    """Refuse to go on without a library."""
    if util.find_spec(name) is None:
        raise PeerMissing(name)
