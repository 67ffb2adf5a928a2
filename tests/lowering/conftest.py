"""A fresh cache for each run: no test finds the code of another compiler."""

from __future__ import annotations

import os
from unittest import mock

import pytest


@pytest.fixture(scope="session", autouse=True)
def fresh_cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code")
    folder.chmod(0o700)
    with mock.patch.dict(os.environ, POLHODE_CACHE=str(folder)):
        yield
