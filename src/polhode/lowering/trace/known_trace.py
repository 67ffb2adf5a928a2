"""A trace that may never have to be made: its results are known from an earlier one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, final

from polhode.lowering.backends import cache as disk
from polhode.lowering.garbage import RareCollections
from polhode.lowering.notice import Notice
from polhode.lowering.trace.description import (
    Described,
    described,
    is_plain,
    result_kinds,
)
from polhode.lowering.trace.trace import fingerprint

KIND = "description"


@final
class Trace:
    """What a program asks of a trace: name, results, tree, and itself if need be.

    `make` traces; `key` is what the trace is known by on disk, or None; `function` may
    have `trace_facts()`, what a trace leaves in it that JSON can hold, and
    `restore(facts)`, which puts it there without one.
    """

    def __init__(
        self, make: Callable[[], tuple[Any, Any]], key: str | None, function: Any
    ):
        self._make, self._key, self._function = make, key, function
        self.notice = Notice(function)
        self._jaxpr: Any = None
        self._known: Described | None = None
        start = time.perf_counter()
        found = disk.load(disk.entry_name(KIND, key)) if key else None
        if found is not None:
            try:
                self._known = described(found[0])
            except (KeyError, ValueError, TypeError, AttributeError, ImportError):
                self._known = None  # of another version: traced anew
        if self._known is None:
            self._trace()
        elif hasattr(function, "restore"):
            function.restore(self._known.left)
        self.seconds = time.perf_counter() - start

    @property
    def is_made(self) -> bool:
        """Whether the function was traced in this process."""
        return self._jaxpr is not None

    @property
    def jaxpr(self) -> Any:
        """The trace, made now if it is not there."""
        if self._jaxpr is None:
            start = time.perf_counter()
            self._trace()
            self.seconds += time.perf_counter() - start
        return self._jaxpr

    @property
    def name(self) -> str:
        """The digest of the trace."""
        return self._facts.name

    @property
    def outputs(self) -> list[tuple[tuple[int, ...], str]]:
        """Shape and type of each result."""
        return self._facts.outputs

    @property
    def tree(self) -> Any:
        """The tree of the results."""
        return self._facts.tree

    @property
    def _facts(self) -> Described:
        assert self._known is not None
        return self._known

    def _trace(self) -> None:
        with self.notice, RareCollections():
            self._jaxpr, tree = self._make()
        left = getattr(self._function, "trace_facts", lambda: None)()
        kinds = result_kinds(self._jaxpr)
        self._known = Described(fingerprint(self._jaxpr), kinds, tree, left)

    def keep(self) -> None:
        """Let later processes know the trace; called once there is code of it."""
        if self._key is None or not self.is_made or not is_plain(self.outputs):
            return
        facts = self._facts.facts()
        if facts is not None:
            disk.save(disk.entry_name(KIND, self._key), facts, b"")
        self._key = None
