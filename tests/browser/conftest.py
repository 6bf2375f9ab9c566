"""A small project, served to a real browser."""

from __future__ import annotations

import pytest

from browser.tabs import make_corpus, open_tab
from server.serving import serving
from wayword.guidance.actions import AddLabel, Label
from wayword.workbench.project import Project


@pytest.fixture
def project(tmp_path):
    with Project.create(tmp_path / "small.wayword", make_corpus(), n_topics=6, multilabel=True) as made:
        yield made


@pytest.fixture
def labelled(project):
    """Return the project with four labels, each of which three documents have."""
    names = ("space", "food", "sport", "music")
    acts = [AddLabel(name, name.title()) for name in names]
    acts += [Label((f"{name}-{place + 4 * k}",), (name,)) for place, name in enumerate(names) for k in range(3)]
    project.apply(acts, annotator="ben")
    project.refresh()
    return project


@pytest.fixture
def tab(browser, project):
    """Return a tab on the first visit; at its end the page must have said nothing and asked nobody else."""
    with serving(project) as served:
        opened = open_tab(browser, served.address)
        yield opened
        opened.close()
