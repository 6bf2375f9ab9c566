"""Themes, fitted in the background: what is common to all labels, and which documents no label explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wayword.errors import InputError
from wayword.models.themes import ThemeNMF
from wayword.progress import Progress
from wayword.store.base import Store
from wayword.workbench.ground import Ground

_ARRAYS = "themes"
_RESIDUAL = 50
_MOST_SUBTOPICS, _DOCUMENTS_OF_SUBTOPIC = 3, 10
# Documents of fewer tokens say too little to be called unexplained.
_LEAST_TOKENS = 10.0


@dataclass(frozen=True, eq=False)
class Themes:
    """What a fit of themes has found.

    Attributes
    ----------
    number : int
        The act up to which labels counted.
    background : array of shape (n_terms,)
        How likely terms are in what is common.
    residual : tuple of str
        Ids of the documents that are explained worst, the worst first.
    model : ThemeNMF or None
        The model; None where the result was read from a store.
    """

    number: int
    background: np.ndarray
    residual: tuple[str, ...]
    model: ThemeNMF | None = None


def can_fit(settled: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether there are labels of two kinds."""
    return len({label for labels in settled.values() for label in labels}) > 1


def list_labels(
    ground: Ground, settled: Mapping[str, tuple[str, ...]], names: Mapping[str, str]
) -> list[list[str] | None]:
    """Return the names of each document's labels, None where it has none."""
    return [[names[label] for label in settled[id]] if id in settled else None for id in ground.corpus.ids]


def _count_subtopics(settled: Mapping[str, tuple[str, ...]]) -> int:
    """Return how many subtopics the labelled documents can tell apart."""
    labels = [label for told in settled.values() for label in told]
    fewest = min(labels.count(label) for label in set(labels))
    return int(np.clip(fewest // _DOCUMENTS_OF_SUBTOPIC, 1, _MOST_SUBTOPICS))


def _find_background(model: ThemeNMF) -> np.ndarray:
    """Return what the backgrounds of all themes have in common: the mean of their shares."""
    rows = np.asarray(model.background_)
    shares = rows / np.maximum(rows.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return shares.mean(axis=0)


def _find_residual(ground: Ground, model: ThemeNMF, settled: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the unlabelled documents whose words all themes and backgrounds together make least likely."""
    topics = np.vstack([*model.subtopics_, np.asarray(model.background_)])
    topics = topics / np.maximum(topics.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    best = np.log(np.maximum(topics.max(axis=0), 1e-9))
    # Against how common each word is anyway, or rare words alone would decide.
    surprise = np.log(np.maximum(ground.term_shares, 1e-9)) - best
    totals = np.asarray(ground.X @ surprise).ravel() / np.maximum(ground.lengths, 1.0)
    told = np.array([id in settled for id in ground.corpus.ids])
    totals[told | (ground.lengths < _LEAST_TOKENS)] = -np.inf
    order = np.argsort(-totals, kind="stable")[:_RESIDUAL]
    return tuple(ground.corpus.ids[row] for row in order.tolist() if np.isfinite(totals[row]))


def fit_themes(
    ground: Ground, settled: Mapping[str, tuple[str, ...]], names: Mapping[str, str], number: int, progress: Progress
) -> Themes:
    """Fit themes to the labels as they are.

    Parameters
    ----------
    ground : Ground
        Documents.
    settled : mapping of str to tuple of str
        Labels of documents, by id.
    names : mapping of str to str
        Names of labels.
    number : int
        The act up to which labels count.
    progress : callable
        Told ``("fits", done, total)``.
    """
    if not can_fit(settled):
        raise InputError("themes need documents of two labels; label some more")
    progress("fits", 0, None)
    model = ThemeNMF(_count_subtopics(settled))
    model.fit(ground.X, list_labels(ground, settled, names), progress=progress)
    return Themes(number, _find_background(model), _find_residual(ground, model, settled), model)


def keep_themes(store: Store, themes: Themes) -> None:
    """Keep what a person sees of themes."""
    residual: Sequence[str] = themes.residual
    store.put_arrays(
        _ARRAYS,
        {
            "number": np.array(themes.number),
            "background": themes.background,
            "residual": np.array(residual, dtype=str) if residual else np.zeros(0, dtype="U1"),
        },
    )


def find_themes(store: Store) -> Themes | None:
    """Return the themes that `keep_themes` was given last."""
    arrays = store.arrays(_ARRAYS)
    if arrays is None:
        return None
    return Themes(int(arrays["number"]), arrays["background"], tuple(arrays["residual"].tolist()))
