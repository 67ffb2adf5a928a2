"""The pages for developers name files and words of the source that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from source_tree import PACKAGE, ROOT

PAGES = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "develop").glob("*.md"))]
QUOTED = re.compile(r"`([^`\n]+)`")
PLACE = re.compile(r"[\w./<>-]+(?:/|\.py|\.md|\.json)")
ROW = re.compile(r"^\| `([\w./]+\.(?:py|md))` \| (.*) \|$", re.MULTILINE)


def found(place: str) -> Path | None:
    """A file or folder, from the package or from the root of the project."""
    if "<" in place:  # `joints/<name>.py`: the folder
        place = place.partition("<")[0].rpartition("/")[0]
    for base in (PACKAGE, ROOT):
        if (base / place).exists():
            return base / place
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_places_on_a_page_exist(page):
    """Every path in backticks is a file or a folder."""
    quoted = QUOTED.findall(page.read_text(encoding="utf-8"))
    places = [word for word in quoted if PLACE.fullmatch(word)]
    assert places
    assert not [place for place in places if found(place) is None]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_words_of_a_table_are_in_their_file(page):
    """A row of files says what is in each: the names in it are in the file, too."""
    for place, says in ROW.findall(page.read_text(encoding="utf-8")):
        text = found(place).read_text(encoding="utf-8")
        words = [w for w in QUOTED.findall(says) if w.isidentifier()]
        assert not [w for w in words if w not in text], place
