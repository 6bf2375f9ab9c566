"""A project as one page: its themes if there are labels, else its topics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.pipeline import make_pipeline

from wayword.corpus.corpus import Corpus
from wayword.models.anchors import AnchorTopics
from wayword.progress import Progress, ignore
from wayword.report import write_report
from wayword.workbench.documents import Sight
from wayword.workbench.themes import Themes, can_fit, fit_themes


def _label(sight: Sight, settled: dict[str, tuple[str, ...]]) -> Corpus:
    """Return the documents with their settled labels."""
    corpus, names = sight.state.ground.corpus, sight.names
    labels = [[names[label] for label in settled.get(id, ())] for id in corpus.ids]
    return Corpus(corpus.texts, ids=corpus.ids, labels=labels, metadata=corpus.metadata, bags=corpus.bags)


def _find_model(sight: Sight, settled: dict[str, tuple[str, ...]], themes: Themes | None, progress: Progress) -> Any:
    ground, number = sight.state.ground, sight.guidance.number
    if can_fit(settled):
        if themes is None or themes.model is None or themes.number != number:
            themes = fit_themes(ground, settled, sight.names, number, progress)
        return themes.model
    anchors = [list(anchor) for anchor in sight.state.topics.anchors]
    return AnchorTopics(len(anchors), anchors=anchors).fit(ground.X, progress=progress)


def report(
    sight: Sight,
    settled: dict[str, tuple[str, ...]],
    themes: Themes | None,
    path: str | Path,
    *,
    title: str,
    progress: Progress = ignore,
) -> Path:
    """Write the page of a project.

    Parameters
    ----------
    sight : Sight
        What is known.
    settled : dict of str to tuple of str
        Labels of documents.
    themes : Themes or None
        What was fitted before; it is fitted again unless it is of the newest act.
    path : str or Path
        The page.
    title : str
        What it is called.
    progress : callable
        Told how far the fit is.
    """
    ground = sight.state.ground
    model = _find_model(sight, settled, themes, progress)
    pipeline = make_pipeline(ground.vectorizer, model)
    return write_report(pipeline, path, corpus=_label(sight, settled), title=title, counts=ground.X, progress=progress)
