"""What tests of figures need: a browser, and a page of the figures."""

from __future__ import annotations

import shutil

import pytest

from conftest import missing


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of a chromium that can be driven."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium (apt install chromium)")
    assert found is not None
    return found
