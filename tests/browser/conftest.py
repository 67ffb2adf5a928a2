"""A real browser, for the tests that `make test-browser` runs."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import polhode as ph
from polhode.models.gallery import start


def pytest_ignore_collect(collection_path, config):
    """Without `-m browser` nothing of this folder is even imported."""
    return None if "browser" in (config.option.markexpr or "") else True


@dataclass
class Watched:
    """A page of the browser, and all that went wrong or out on it."""

    page: object
    errors: list = field(default_factory=list)
    requests: list = field(default_factory=list)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium."""
    from playwright.sync_api import sync_playwright

    from chromium import SWITCHES, chromium

    path = chromium()
    assert path, "Chromium is missing: make test-browser says how to get it"
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=[*SWITCHES])
        yield made
        made.close()


@pytest.fixture
def watched(browser):
    """A fresh page whose errors and requests are written down."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    seen = Watched(context.new_page())
    seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
    seen.page.on(
        "console",
        lambda line: seen.errors.append(line.text) if line.type == "error" else None,
    )
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    yield seen
    context.close()


@pytest.fixture(scope="session")
def motion():
    """A double pendulum."""
    begin = start("double_pendulum")
    return ph.simulate(begin.system, begin, until=5.0)
