"""The project that ``wayword demo`` ends with: docstrings, some of them labelled as the queue asked for them.

Themes are fitted to these labels, so that the page opens with background terms and unexplained documents.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wayword.cli.console import note, progress
from wayword.cli.jobs import run_job

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus
    from wayword.progress import Progress
    from wayword.workbench.project import Project

FILE = Path("wayword-demo.wayword")
_ANNOTATOR = "demo"
_ANSWERS = 40
_TOPICS = 25


def _answer(project: Project, truth: dict[str, str], known: dict[str, str]) -> None:
    """Answer one question of the queue, with a new label if need be."""
    from wayword.guidance.actions import Act, AddLabel, Label

    document = project.question(_ANNOTATOR, wait=60.0).document
    if document is None:
        return
    name = truth[document.id]
    acts: list[Act] = []
    if name not in known:
        known[name] = project.make_label_id(name)
        acts = [AddLabel(known[name], name)]
    project.apply([*acts, Label((document.id,), (known[name],))], annotator=_ANNOTATOR)


def _create(path: Path, corpus: Corpus, told: Progress) -> Project:
    """Make the project of documents without their labels, as somebody begins who has not labelled anything."""
    from wayword.corpus.corpus import Corpus
    from wayword.workbench.project import Project

    bare = Corpus([document.text for document in corpus], ids=corpus.ids)
    title = "What numpy, scipy and scikit-learn say about themselves"
    return Project.create(path, bare, name=title, n_topics=_TOPICS, progress=told)


def _answer_first(project: Project, truth: dict[str, str], told: Progress) -> None:
    """Answer the first questions, those aside that were answered before."""
    known = {label.name: label.id for label in project.labels()}
    for done in range(project.view().n_labelled, _ANSWERS):
        _answer(project, truth, known)
        told("labels", done + 1, _ANSWERS)


def make_demo_project(path: Path, corpus: Corpus) -> None:
    """Make the project, unless an earlier demo did: then it stays with whatever was labelled since."""
    from wayword.workbench.project import Project

    found = path.exists()
    note(f"Opening {path}, as it was left ..." if found else "Making a project, and answering its first questions ...")
    with progress() as told, Project.open(path, progress=told) if found else _create(path, corpus, told) as project:
        # A demo that was stopped half-way is brought to its end here.
        if project.overview().fitted_at < 0:
            _answer_first(project, {document.id: document.labels[0] for document in corpus}, told)
            note("Fitting themes to the answers ...")
            run_job(project, project.fit, told)
