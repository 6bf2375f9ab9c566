"""Fixtures for the tests of reading."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all examples of a property share, so that hypothesis may use it."""
    return tmp_path_factory.mktemp("corpora")
