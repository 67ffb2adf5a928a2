"""Shared by all tests: strict numbers, quiet Hypothesis, and the count of rows."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import file_order
import suite_part
import xla_cache

# The compiler's cache must not leak between test runs and the user's own directory.
BUILD = Path(__file__).parents[1] / "build"
os.environ.setdefault("POLHODE_CACHE", str(BUILD / "cache"))
os.environ.setdefault("XDG_STATE_HOME", str(BUILD / "state"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# A shell starts what runs in the background deaf to Ctrl-C; tests press it.
signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "polhode",
    deadline=None,
    derandomize=True,
    max_examples=40,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("polhode")

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "rows.txt").read_text().splitlines()
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", action="store_true", help="count the checklist rows")
    parser.addoption(
        "--part",
        metavar="K/N",
        help="only the K-th of N parts of the tests, K from 0; the same for all time",
    )
    parser.addoption(
        "--begin-within",
        metavar="SECONDS",
        type=float,
        default=float("inf"),
        help="skip what has not begun so long after the start",
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    part = config.getoption("--part")
    if part:
        items[:], rest = suite_part.split(items, part)
        config.hook.pytest_deselected(items=rest)
    if config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        file_order.put_longest_first(items)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[PASSED], config.stash[FAILED] = set(), set()
    config.pluginmanager.register(RowCount(config))
    runs_tests = hasattr(config, "workerinput") or not config.getoption(
        "numprocesses", None
    )
    if runs_tests and not config.option.collectonly:
        xla_cache.keep_xla_code(BUILD / "xla")


PASSED: pytest.StashKey[set[str]] = pytest.StashKey()
FAILED: pytest.StashKey[set[str]] = pytest.StashKey()


BEGAN = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    allowed = item.config.getoption("--begin-within")
    if time.monotonic() - BEGAN > allowed:
        pytest.skip(f"not begun within {allowed:g} s")


# Tracing makes many small objects that live long: by Python's own thresholds a seventh
# of the suite's processor time went into searching them for cycles.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was imported is never garbage, and is not searched for it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def set_aside() -> Iterator[None]:
    """What a file leaves compiled is not searched for garbage again and again."""
    yield
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """DuckDB's types are freed at the end, or it lists all of them as leaked."""
    if "duckdb" in sys.modules:
        gc.unfreeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    outcome = yield
    ids = [name for mark in item.iter_markers("row") for name in mark.args]
    outcome.get_result().user_properties.append(("rows", ids))


class RowCount:
    """Collects the rows where reports arrive, whichever process ran the test."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ids = {
            name
            for key, names in report.user_properties
            if key == "rows"
            for name in names
        }
        if report.failed:
            self.config.stash[FAILED].update(ids)
        elif report.when == "call" and report.passed:
            self.config.stash[PASSED].update(ids)


SLOWEST = 10  # files whose time is told at the end
WORTH_TELLING = 60.0  # seconds of all tests below which it is not


def tell_slow_files(terminalreporter) -> None:
    """Where the time goes: seconds of the slowest files, set-up included."""
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if hasattr(report, "duration")
    ]
    seconds = file_order.seconds_of(reports)
    if sum(seconds.values()) > WORTH_TELLING:
        file_order.keep(seconds)
        terminalreporter.write_line("slowest files, seconds")
        for name, each in seconds.most_common(SLOWEST):
            terminalreporter.write_line(f"{each:8.1f}  {name}")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    tell_slow_files(terminalreporter)
    if not config.getoption("--rows"):
        return
    shown = config.stash[PASSED] - config.stash[FAILED]
    missing = [(name, title.strip()) for name, title in ROWS if name not in shown]
    write = terminalreporter.write_line
    write(f"{len(ROWS) - len(missing)} of {len(ROWS)} rows have a passing test")
    for name, title in missing:
        write(f"  missing {name}  {title}")
