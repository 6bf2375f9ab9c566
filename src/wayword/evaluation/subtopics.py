"""How many subtopics a theme has: fit each number to half of the tokens of labelled documents, and predict the rest.

As for the number of topics (`select_k`), but theme by theme: too few subtopics do not tell apart what the documents of a
label are about, too many follow what was chance in their half, and both predict the other half worse. Only labelled
documents are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from wayword.errors import InputError
from wayword.evaluation.runs import check_counts, draw_seeds
from wayword.evaluation.selection import as_good, check_numbers, predict_tokens, split_tokens
from wayword.models.inputs import check_whole
from wayword.models.labels import Labels, read_labels
from wayword.models.theme_inference import smooth_topics
from wayword.models.themes import ThemeNMF
from wayword.progress import Progress, ignore


@dataclass(frozen=True, slots=True)
class SubtopicSelection:
    """How numbers of subtopics compare, and which one to take.

    Attributes
    ----------
    numbers : int array of shape (n_numbers,)
        The numbers of subtopics, from the fewest.
    themes : array of shape (n_themes,)
        The labels.
    values : array of shape (n_numbers, n_splits, n_themes)
        The mean log probability of the unseen tokens of each theme's documents; higher is better.
    tokens : array of shape (n_themes,)
        How many tokens each theme's documents hold.
    best : int
        The number to take for all themes: the fewest within one standard error of the best.
    best_of_theme : dict
        The same for each theme by itself.
    reason : str
        Why, in words.
    """

    numbers: np.ndarray
    themes: np.ndarray
    values: np.ndarray
    tokens: np.ndarray
    best: int
    best_of_theme: dict[Any, int]
    reason: str


def _predict_themes(
    model: ThemeNMF, seen: sparse.csr_matrix, held: sparse.csr_matrix, indicator: np.ndarray
) -> np.ndarray:
    """Return the mean log probability of a held token of each theme's documents, by its subtopics and background."""
    assert model.background_ is not None
    subtopics = smooth_topics(model.subtopics_, model.term_shares_, model.smoothing_)
    found = []
    for theme, members in enumerate(indicator.T):
        topics = np.vstack([subtopics[theme], model.background_[theme]])
        found.append(predict_tokens(seen[members], held[members], topics) if held[members].nnz else 0.0)
    return np.array(found)


def _choose(numbers: np.ndarray, themes: np.ndarray, values: np.ndarray, tokens: np.ndarray) -> tuple[int, dict, str]:
    """Return the number for all themes, that of each, and why."""
    best, good = as_good(values @ (tokens / tokens.sum()))
    chosen, top = int(numbers[good][0]), int(numbers[best])
    of_theme = {name: int(numbers[as_good(values[:, :, place])[1]][0]) for place, name in enumerate(themes.tolist())}
    reason = f"Unseen words of labelled documents are predicted best with {top} subtopic{'s' * (top > 1)}."
    if chosen != top:
        reason += f" The fewest within one standard error of that are {chosen}."
    if top == numbers[-1] and len(numbers) > 1:
        reason += " More may be better still: try larger numbers."
    return chosen, of_theme, reason


def _keep_labelled(X: sparse.csr_matrix, labels: Labels) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Return the documents that have labels and words, the labels that they have, and which has which."""
    told = np.flatnonzero(labels.indicator.any(axis=1) & (np.diff(X.indptr) > 0))
    if not len(told):
        raise InputError("no document of y has both a label and words; label some documents")
    used = labels.indicator[told].any(axis=0)
    return X[told], labels.names[used], labels.indicator[told][:, used]


def select_subtopics(
    X: Any,
    y: Any,
    numbers: Iterable[int] = (1, 2, 3, 4, 5, 6),
    *,
    n_splits: int = 5,
    random_state: Any = 0,
    progress: Progress = ignore,
) -> SubtopicSelection:
    """Compare numbers of subtopics by how well themes predict words they have not seen.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of tokens.
    y : names, lists of names, or matrix of shape (n_documents, n_labels)
        What is known; unlabelled documents do not count.
    numbers : iterable of int
        The numbers of subtopics to try.
    n_splits : int
        How often the tokens of every document are split in halves by the toss of a coin, 2 or more.
    random_state : int, RandomState or None
        Seed of splits and themes.
    progress : callable
        Told ``("fits", done, total)``.

    Returns
    -------
    SubtopicSelection

    Examples
    --------
    >>> import numpy as np
    >>> from wayword import select_subtopics
    >>> topics = np.kron(np.eye(4), np.ones(5) / 5)
    >>> X = np.random.default_rng(0).poisson(20 * np.repeat(topics, 15, axis=0))
    >>> select_subtopics(X, ["fruit"] * 30 + ["ships"] * 30, [1, 2, 3]).best
    2
    """
    tried = check_numbers("numbers", numbers, "subtopics")
    check_whole("n_splits", n_splits, least=2)
    counts = check_counts(X)
    counts, names, indicator = _keep_labelled(counts, read_labels(y, counts.shape[0]))
    values = np.empty((len(tried), n_splits, len(names)))
    for split, seed in enumerate(draw_seeds(random_state, n_splits)):
        seen, held = split_tokens(counts, seed)
        for place, number in enumerate(tried):
            model = ThemeNMF(int(number), supervision="supervised", score="ratio", random_state=seed)
            model.fit(seen, indicator.astype(int))
            values[place, split] = _predict_themes(model, seen, held, indicator)
            progress("fits", split * len(tried) + place + 1, n_splits * len(tried))
    tokens = np.asarray(counts.sum(axis=1)).ravel() @ indicator
    return SubtopicSelection(tried, names, values, tokens, *_choose(tried, names, values, tokens))
