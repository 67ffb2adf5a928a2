"""Every code block in README and docs runs, and prints what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re

import jax
import pytest

import polhode
from markdown import blocks, fenced
from polhode.cli.main import commands
from polhode.formulation.registry import FORMULATIONS
from polhode.public.lazy import public_place
from polhode.verification.register import PROBLEMS, sources
from source_tree import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
]
RUNNING = [page for page in PAGES if blocks(page)]
KINDS = {"", "python", "text", "toml", "sh"}  # of blocks; each is tried below
# Pages about what the tests do not install: they run where it is.
NEEDS = {"docs/how-to/torch.md": "torch"}
COMMAND = re.compile(r"(?:^|`)polhode ([a-z]+)\b", re.MULTILINE)
LINK = re.compile(r"\[[^]]*\]\(([^)#\s]+)[^)]*\)")


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True)
def _own_precision():
    """A page may switch JAX to double precision; the next one starts as a user does."""
    before = jax.config.read("jax_enable_x64")
    yield
    jax.config.update("jax_enable_x64", before)


def test_the_readme_counts_what_there_is():
    """Problems, their sources, forms, models and examples, as many as it says."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    problems = f"{len(PROBLEMS)} problems of others from {len(sources())} sources"
    assert problems in text
    assert "twenty classical forms" in text
    assert len(FORMULATIONS) == 20
    assert "over fifty models" in text
    assert len(polhode.models.__all__) > 50
    assert "fourteen short scripts" in text
    assert len([*(ROOT / "examples").glob("*.py")]) == 14


def test_there_are_pages_that_run():
    """The README and the compiler's page have code."""
    assert {"README.md", "docs/lowering.md"} <= {name(page) for page in RUNNING}


# They compile exact contacts, sweeps and ten models.
LONG = {
    *(f"docs/how-to/{word}.md" for word in ("ten-tasks", "more-tasks", "supports")),
    *(f"docs/tutorials/{word}.md" for word in ("impacts", "stick-slip", "monte-carlo")),
}


def running() -> list:
    """Every page with code, the longest for the long suite."""
    return [
        pytest.param(page, marks=pytest.mark.long if name(page) in LONG else ())
        for page in RUNNING
    ]


@pytest.mark.parametrize("page", running(), ids=name)
def test_code_blocks_run_and_print_what_follows_them(page):
    """Blocks of a page share their names, from the top to the bottom."""
    if name(page) in NEEDS:
        pytest.importorskip(NEEDS[name(page)])
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    space: dict = {"__name__": "__page__"}
    for block in blocks(page):
        # Blank lines put the line numbers of errors where they are in the page.
        text = "\n" * (block.line - 1) + block.code
        code = compile(text, name(page), "exec", dont_inherit=True)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, space)
        same = doctest.OutputChecker().check_output(
            block.prints, printed.getvalue(), flags
        )
        assert same, f"{name(page)}:{block.line} printed\n{printed.getvalue()}"


def test_no_block_is_of_a_kind_that_nobody_tries():
    """Python runs, TOML is read, shell is looked up; text is what was printed."""
    found = {
        kind
        for page in PAGES
        for kind in re.findall(r"^```(\w+)$", page.read_text("utf-8"), re.MULTILINE)
    }
    assert found <= KINDS


@pytest.mark.parametrize("page", [p for p in PAGES if fenced(p, "toml")], ids=name)
def test_model_files_on_pages_are_models(page, tmp_path):
    """What a page shows as a model file is read, start and run included."""
    import polhode as ph

    for number, text in enumerate(fenced(page, "toml")):
        path = tmp_path / f"{number}.toml"
        path.write_text(text, encoding="utf-8")
        model = ph.load_model(path)
        assert model.start.system is model.system
        assert model.run


def test_commands_on_pages_exist():
    """Every `make ...`, `polhode ...` and `python -m ...` is one that there is."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shell = "".join(fenced(page, "sh"))
        made = set(re.findall(r"`make ([a-z-]+)`", text))
        made |= set(re.findall(r"^make ([a-z-]+)", shell, re.MULTILINE))
        assert made <= targets, name(page)
        assert set(COMMAND.findall(text)) <= set(commands()), name(page)
        for module in re.findall(r"python -m ([a-z.]+)", shell):
            place = ROOT / module.replace(".", "/")
            assert place.with_suffix(".py").exists() or place.is_dir(), name(page)


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


BARE = re.compile(r"`([A-Z][A-Za-z]+)(?:\(|`)")


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/how-to/*.md")), ids=name)
def test_a_name_is_told_with_its_place(page):
    """A bare `Name` is in ph, or the page says of which namespace it is."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    homes = {word: public_place(word) for word in BARE.findall(text)}
    lost = [
        f"{word} is {place}"
        for word, place in homes.items()
        if place.count(".") > 1  # in a namespace, and not in ph itself
        and not place.startswith("ph.results.")
        and not re.search(rf"`{place.rpartition('.')[0]}[.`]", text)
    ]
    assert not lost, "\n".join(lost)
