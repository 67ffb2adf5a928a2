"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

from source_tree import package

SHOWING = [source.module for source in package() if ">>>" in source.text]


@pytest.mark.parametrize("module", SHOWING)
def test_docstrings_show_what_happens(module):
    """Every `>>>` prints what is written below it."""
    found = doctest.testmod(
        importlib.import_module(module),
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert found.attempted > 0
    assert found.failed == 0
