"""Counts what each file of tests compiles, and the processor time that it takes.

    make test COUNT=1        prints the table of files, and writes it as JSON

A pytest plugin: `-p compile_count` loads it. A file's processor time is user and system
time of its process, between the first set-up and the last tear-down of its tests; what
was imported to collect it is not in it. Apart from it stands that of the processes that
it started and waited for. Programs are calls of `ph.compile`; a hit was
read from `build/cache`, a miss was built by LLVM. XLA's compilations are those of JAX,
and its hits were read from `build/xla`; its time is by the clock on the wall.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from pathlib import Path

import pytest

KEY = "compile_count"
SHOWN = 30  # files whose line is printed
COLUMNS = (
    *("seconds", "children", "programs", "trace", "hits", "misses", "make"),
    *("xla", "xla_hits", "xla_time"),
)


def of_children() -> float:
    """Processor time of the processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


class Count(defaultdict):
    """Numbers by column, for the file whose tests run now."""

    def __init__(self) -> None:
        super().__init__(float)


class CompileCount:
    """Counts in the process that runs the tests; adds up where reports arrive."""

    def __init__(self) -> None:
        self.now = Count()
        self.files: dict[str, Count] = defaultdict(Count)
        self._listen()

    def _listen(self) -> None:
        import jax

        from polhode.lowering import compile as compiling
        from polhode.lowering.backends import cache, runner

        count = self

        def duration(event: str, seconds: float, **_: object) -> None:
            if event == "/jax/core/compile/backend_compile_duration":
                count.now["xla"] += 1
                count.now["xla_time"] += seconds

        def event(name: str, **_: object) -> None:
            count.now["xla_hits"] += name == "/jax/compilation_cache/cache_hits"

        jax.monitoring.register_event_duration_secs_listener(duration)
        jax.monitoring.register_event_listener(event)
        trace, load = compiling.Program._make_trace, cache.load
        make, begin = runner.NativeRunner._make, runner.NativeRunner._begin

        def traced(program):
            began = time.process_time()
            try:
                return trace(program)
            finally:
                count.now["programs"] += 1
                count.now["trace"] += time.process_time() - began

        def loaded(name):
            found = load(name)
            count.now["hits"] += found is not None
            return found

        def timed(function, misses):
            def call(*arguments):
                began, hits = time.process_time(), count.now["hits"]
                try:
                    return function(*arguments)
                finally:
                    count.now["make"] += time.process_time() - began
                    if misses and count.now["hits"] == hits:
                        count.now["misses"] += 1

            return call

        compiling.Program._make_trace = traced
        cache.load = loaded
        runner.NativeRunner._make = timed(make, True)
        runner.NativeRunner._begin = timed(begin, False)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        began, started = time.process_time(), of_children()
        self.now = Count()
        yield
        self.now["seconds"] += time.process_time() - began
        self.now["children"] += of_children() - started
        total = self.files[item.nodeid.partition("::")[0]]
        for column, value in self.now.items():
            total[column] += value

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[KEY] = {
                name: dict(count) for name, count in self.files.items()
            }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        for name, count in node.workeroutput.get(KEY, {}).items():
            for column, value in count.items():
                self.files[name][column] += value

    def pytest_terminal_summary(self, terminalreporter):
        write = terminalreporter.write_line
        total = Count()
        for count in self.files.values():
            for column, value in count.items():
                total[column] += value
        write(" ".join(f"{word:>9}" for word in COLUMNS))
        ordered = sorted(
            self.files.items(),
            key=lambda pair: -pair[1]["seconds"] - pair[1]["children"],
        )
        for name, count in [("all files", total), *ordered[:SHOWN]]:
            write(" ".join(f"{count[word]:9.1f}" for word in COLUMNS) + "  " + name)
        where = Path(os.environ.get("COMPILE_COUNT", "build/compile_count.json"))
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(json.dumps(dict(ordered), indent=1))


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(CompileCount(), "compile-count")
