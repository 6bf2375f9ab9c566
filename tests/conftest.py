"""Fixtures for every test: where the real corpora are, and the programs that some tests need."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from programs import browser, chromium, missing, postgres  # noqa: F401
from wayword import Corpus, read_corpus

# Compiled kernels make the first example slow and the rest fast, so no deadline.
settings.register_profile(
    "wayword", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("wayword")

REPOSITORY = Path(__file__).resolve().parents[1]


def find_data() -> Path | None:
    """Return the folder of real corpora: WAYWORD_DATA, else the one beside the repository."""
    named = os.environ.get("WAYWORD_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_path() -> Callable[[str], Path]:
    """Return the path of a file of the real corpora, or skip the test."""

    def path(name: str) -> Path:
        folder = find_data()
        if folder is None or not (folder / name).exists():
            missing(f"the real corpus {name} (set WAYWORD_DATA to the folder that holds it)")
        assert folder is not None
        return folder / name

    return path


@pytest.fixture(scope="session")
def brown(data_path: Callable[[str], Path]) -> Corpus:
    return read_corpus(data_path("brown.jsonl.gz"))


@pytest.fixture(scope="session")
def reuters(data_path: Callable[[str], Path]) -> Corpus:
    return read_corpus(data_path("reuters.jsonl.gz"))
