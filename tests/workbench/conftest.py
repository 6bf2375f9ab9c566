"""Small projects for the tests of the workbench."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from wayword import Corpus
from wayword.testing import planted_topics
from wayword.workbench.project import Project

N_TOPICS = 4


def plant(n_documents: int = 60, seed: int = 0) -> tuple[Corpus, list[str]]:
    """Return a corpus with four planted topics, and the topic of each document."""
    planted = planted_topics(N_TOPICS, n_documents, n_words=8, n_common=4, length=30, random_state=seed)
    counts = planted.X.toarray().astype(int)
    texts = [" ".join(t for t, n in zip(planted.terms, row, strict=True) for _ in range(n)) + "." for row in counts]
    truth = [f"theme{topic}" for topic in planted.labels]
    return Corpus(texts, ids=[f"d{row}" for row in range(n_documents)]), truth


@pytest.fixture(scope="session")
def planted() -> tuple[Corpus, list[str]]:
    return plant()


@pytest.fixture
def make() -> Iterator[Callable[..., Project]]:
    """Return a function that makes a project; all are closed at the end."""
    with ExitStack() as stack:

        def create(corpus: Corpus, url: str | Path = "memory://", **settings: Any) -> Project:
            chosen = {"language": "none", "n_topics": N_TOPICS, **settings}
            return stack.enter_context(Project.create(url, corpus, **chosen))

        yield create


@pytest.fixture
def project(make, planted) -> Project:
    """Return a project of planted topics in memory."""
    return make(planted[0])


@pytest.fixture(scope="session")
def template(planted, tmp_path_factory) -> Path:
    """Return the file of a project that nobody has touched, to be copied."""
    path = tmp_path_factory.mktemp("projects") / "planted.wayword"
    Project.create(path, planted[0], language="none", n_topics=N_TOPICS).close()
    return path


@pytest.fixture
def file(template, tmp_path) -> Path:
    """Return the file of a project of its own."""
    copy = tmp_path / "planted.wayword"
    copy.write_bytes(template.read_bytes())
    return copy


@pytest.fixture
def reopen(file) -> Iterator[Callable[[], Project]]:
    """Return a function that opens the file; all projects are closed at the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Project.open(file))
