"""The compiler's own tests: code as users get it, and apart where a test changed it."""

from __future__ import annotations

import os

import pytest

from polhode.lowering.backends.llvm.native import VARIABLE


@pytest.fixture(autouse=True, scope="module")
def full_effort():
    """What LLVM does for users is done here, where other tests may want code soon."""
    chosen = os.environ.pop(VARIABLE, None)
    yield
    if chosen is not None:
        os.environ[VARIABLE] = chosen


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
