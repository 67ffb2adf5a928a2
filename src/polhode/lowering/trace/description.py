"""What a function is, without its trace: by this a program is found and not traced.

    description_key(function, tree, leaves, folded)  ->  text, or None

Two calls of `compile` have one key if a trace of either gives the same: the functions
are equal down to the values they use (`polhode.fingerprint`), their arguments have the
same shapes, and all that is known by name only (this library, JAX, NumPy, Python and
what they are set to) is of one version. What cannot be told apart has no key, and is
traced.

Beside the name of a trace, `Described` keeps what a program asks of one: shapes and
types of the results, their tree, and what the trace left behind in the function.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.lowering.arguments import Leaf
from polhode.lowering.trace.trace import ClosedJaxpr
from polhode.version import __version__

LIBRARIES = ("jax", "jaxlib", "numpy", "scipy")
STARTED = time.time_ns()


class Described(NamedTuple):
    """What is known of a trace.

    name      its digest, by which machine code is found
    outputs   shape and type of each leaf of the result
    tree      of the result
    left      what the trace left in the function, or None: see `trace_facts`
    """

    name: str
    outputs: list[tuple[tuple[int, ...], str]]
    tree: Any
    left: Any

    def facts(self) -> dict[str, Any] | None:
        """As an entry of the cache holds it; None where its tree has no facts."""
        try:
            tree = tree_facts(self.tree)
        except Untold:
            return None
        shapes = [[list(shape), kind] for shape, kind in self.outputs]
        return {"name": self.name, "outputs": shapes, "tree": tree, "left": self.left}


def described(facts: dict[str, Any]) -> Described:
    """What an entry of the cache holds."""
    outputs = [(tuple(shape), kind) for shape, kind in facts["outputs"]]
    tree = tree_of_facts(facts["tree"])
    return Described(facts["name"], outputs, tree, facts["left"])


# ------------------------------------------------------------------------- keys


def description_key(
    function: Any, tree: Any, leaves: Sequence[Leaf], folded: Sequence[Any]
) -> str | None:
    """The digest of a function and its arguments; None if it can only be traced.

    `folded` are the values that become part of the code, None for those that vary.
    """
    try:
        shapes = [(leaf.shape, leaf.type) for leaf in leaves]
        own = fingerprint((function, tree, shapes, list(folded)), strict=True)
        return hashlib.sha256(own + surroundings()).hexdigest()
    except NoFingerprint:
        return None


def surroundings() -> bytes:
    """All that fingerprints know by name only, and how JAX is set for a trace."""
    digest = hashlib.sha256(_versions())
    # A library that is not loaded is not used.
    for name in LIBRARIES:
        digest.update(str(getattr(sys.modules.get(name), "__version__", "")).encode())
    # By attribute, not from the table of values: some are set for a while, by `with`.
    # Precision is not among them: traces are made in double, whatever is set.
    for name in sorted(jax.config.values):
        if name != "jax_enable_x64":
            digest.update(f"{name}={getattr(jax.config, name, None)!r};".encode())
    return digest.digest()


@cache
def _versions() -> bytes:
    words = (__version__, sys.version, _sources())
    return hashlib.sha256("\0".join(words).encode()).digest()


@cache
def _sources() -> str:
    """Which files this library is made of, as the file system tells them apart.

    Python itself goes by size and time when it takes compiled modules for a source; the
    time of the last change of any kind, which nobody can set, is asked here too. Files
    that are newer than this process may not be those that it runs.
    """
    root = Path(__file__).parents[2]
    found, newest = [], 0
    for folder, _, files in os.walk(root):
        for name in files:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                facts = os.stat(path)
                newest = max(newest, facts.st_mtime_ns, facts.st_ctime_ns)
                times = (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
                found.append(f"{path} {facts.st_ino} {times}")
    if newest > STARTED:
        raise NoFingerprint("the library was changed while this process ran")
    return hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()


# ------------------------------------------------------------------------- trees


class Untold(ValueError):
    """A tree with a node that an entry of the cache cannot tell."""


def tree_facts(tree: Any) -> Any:
    """A tree of arrays as JSON holds it: None, tuples, lists, dicts, named tuples."""
    return _node_facts(jax.tree_util.tree_unflatten(tree, [_LEAF] * tree.num_leaves))


def tree_of_facts(facts: Any) -> Any:
    """The tree whose facts `tree_facts` has given."""
    return jax.tree_util.tree_structure(_built(facts))


_LEAF = object()


def _node_facts(node: Any) -> Any:
    if node is _LEAF:
        return "*"
    if node is None:
        return None
    if type(node) in (tuple, list):
        return {type(node).__name__: [_node_facts(part) for part in node]}
    if type(node) is dict and all(type(key) is str for key in node):
        return {"dict": [[key, _node_facts(part)] for key, part in node.items()]}
    kind = type(node)
    home = f"{kind.__module__}:{kind.__qualname__}"
    # Of this library only: a user's class of that name may be another tomorrow.
    if isinstance(node, tuple) and _named_tuple(home) is kind:
        return {home: [_node_facts(part) for part in node]}
    raise Untold(home)


def _built(facts: Any) -> Any:
    if facts == "*":
        return 0
    if facts is None:
        return None
    ((kind, parts),) = facts.items()
    if kind == "dict":
        return {key: _built(part) for key, part in parts}
    each = [_built(part) for part in parts]
    if kind in ("tuple", "list"):
        return tuple(each) if kind == "tuple" else each
    named = _named_tuple(kind)
    if named is None:
        raise ValueError(f"{kind} is no named tuple of this library")
    return named(*each)


@cache
def _named_tuple(home: str) -> Any:
    module, _, name = home.partition(":")
    if module.partition(".")[0] != "polhode" or "<" in name:
        return None
    found: Any = importlib.import_module(module)
    for word in name.split("."):
        found = getattr(found, word, None)
    is_named = isinstance(found, type) and issubclass(found, tuple)
    return found if is_named and hasattr(found, "_fields") else None


def result_kinds(jaxpr: ClosedJaxpr) -> list[tuple[tuple[int, ...], str]]:
    """Shape and type of each result of a trace."""
    avals = [variable.aval for variable in jaxpr.jaxpr.outvars]
    return [(tuple(aval.shape), str(aval.dtype)) for aval in avals]


def is_plain(kinds: list[tuple[tuple[int, ...], str]]) -> bool:
    """Whether all results are arrays of NumPy's types, not keys of random numbers."""
    return all(hasattr(np, kind) or kind == "bool" for _, kind in kinds)
