"""Parts of the suite: every test in one of them, each about as large as the others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import file_order
import xla_cache
from suite_part import part_of, split

IDS = [f"tests/a/test_{f}.py::test_x[{k}]" for f in range(20) for k in range(40)]


def test_every_test_is_in_one_part():
    """Four quarters make the whole, none twice, and a quarter is about a quarter."""
    items = [SimpleNamespace(nodeid=name) for name in IDS]
    quarters = [split(items, f"{k}/4")[0] for k in range(4)]
    assert sorted(item.nodeid for part in quarters for item in part) == sorted(IDS)
    assert all(150 < len(part) < 250 for part in quarters)


def test_tests_of_one_case_go_together():
    """What two tests of a file compile for a case is compiled in one run."""
    pairs = [(name, name.replace("test_x", "test_y")) for name in IDS]
    assert all(part_of(a, 4) == part_of(b, 4) for a, b in pairs)


@pytest.mark.parametrize("part", ["4/4", "1", "a/b", "-1/4"])
def test_a_part_that_is_none_is_refused(part):
    """Else a run of nothing would be green."""
    with pytest.raises(pytest.UsageError, match="give K/N"):
        split([], part)


def test_the_longest_files_begin_first(monkeypatch):
    """Whole files by what they took; within a file, and among unknown ones, as before.

    A file without a time is short or new: it comes last.
    """
    names = ["c::x", "new::y", "a::x", "a::w", "b::x", "other::x"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    seconds = {"a": 9.0, "b": 20.0, "c": 1.0}
    monkeypatch.setattr(file_order, "known_seconds", lambda: seconds)
    file_order.put_longest_first(items)
    assert [item.nodeid for item in items] == [
        *("b::x", "a::x", "a::w", "c::x"),
        *("new::y", "other::x"),
    ]


def test_files_known_to_be_long_are_there():
    """What a first run begins with has not been renamed."""
    root = file_order.KEPT.parents[1]
    assert [name for name in file_order.KNOWN if not (root / name).is_file()] == []


def test_code_of_xla_is_kept_whole_or_not_at_all(tmp_path, monkeypatch):
    """A process that is stopped while it writes leaves no entry that others read."""
    from jax._src import lru_cache

    cache = lru_cache.LRUCache(str(tmp_path), max_size=-1)
    cache.put("whole", b"code")
    assert cache.get("whole") == b"code"

    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(xla_cache.os, "replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            cache.put("half", b"co")
    assert cache.get("half") is None
