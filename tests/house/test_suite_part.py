"""Parts of the suite: every test in one of them, each about as large as the others."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

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
