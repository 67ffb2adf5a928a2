"""Every code block in README and docs runs, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re

import pytest

from markdown import blocks
from source_tree import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md"))]
RUNNING = [page for page in PAGES if blocks(page)]
LINK = re.compile(r"\[[^]]*\]\(([^)#\s]+)[^)]*\)")


def name(page):
    return page.relative_to(ROOT).as_posix()


def test_there_are_pages_that_run():
    """The README and the compiler's page have code."""
    assert {"README.md", "docs/lowering.md"} <= {name(page) for page in RUNNING}


@pytest.mark.parametrize("page", RUNNING, ids=name)
def test_code_blocks_run_and_print_what_follows_them(page):
    """Blocks of a page share their names, from the top to the bottom."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    space: dict = {"__name__": "__page__"}
    for block in blocks(page):
        # Blank lines put the line numbers of errors where they are in the page.
        code = compile("\n" * (block.line - 1) + block.code, name(page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, space)
        same = doctest.OutputChecker().check_output(
            block.prints, printed.getvalue(), flags
        )
        assert same, f"{name(page)}:{block.line} printed\n{printed.getvalue()}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    """Every relative link of a page is a file or folder of the project."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    dead = [
        target
        for target in targets
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert not dead


def test_the_picture_of_the_readme_is_small():
    """It loads at once: under 150 kB."""
    assert (ROOT / "docs/images/polhode.png").stat().st_size < 150_000
