"""The project that ``wayword demo`` ends with: docstrings, some of them labelled as the queue asked for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wayword.cli.console import note, progress

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus
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


def make_demo_project(path: Path, corpus: Corpus) -> None:
    """Make the project, unless it is there already from an earlier demo, with whatever was labelled since."""
    from wayword.corpus.corpus import Corpus
    from wayword.workbench.project import Project

    if path.exists():
        note(f"Opening {path}, as it was left ...")
        return
    note("Making a project, and answering its first questions ...")
    truth = {document.id: document.labels[0] for document in corpus}
    bare = Corpus([document.text for document in corpus], ids=list(truth))
    title = "What numpy, scipy and scikit-learn say about themselves"
    with progress() as told, Project.create(path, bare, name=title, n_topics=_TOPICS, progress=told) as project:
        known: dict[str, str] = {}
        for done in range(_ANSWERS):
            _answer(project, truth, known)
            told("answers", done + 1, _ANSWERS)
