"""Code made by a compiler that a test has changed is kept from other tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def private_cache(request, tmp_path_factory):
    """A cache of its own for each test that patches something.

    The name of an entry holds the compiler's text, not what was patched in it. All
    other tests share `build/cache`, so that what did not change is compiled once.
    """
    if "monkeypatch" not in request.fixturenames:
        return
    folder = tmp_path_factory.mktemp("code")
    folder.chmod(0o700)
    request.getfixturevalue("monkeypatch").setenv("POLHODE_CACHE", str(folder))
