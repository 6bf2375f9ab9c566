"""Themes against one factorisation of scikit-learn for each theme, with a start that masks what is not allowed.

Reuters, 30 % of the documents labelled, 90 themes of three subtopics and a background, 10,000 terms of up to three
words. scikit-learn's side takes minutes and is measured once, ours `repeats` times. It goes 100 iterations; ours until
it has settled.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import Result, seconds
from benchmarks.thesis import Divided, read_texts
from wayword import ThemeNMF, split_documents
from wayword.models.bcool import start_themes
from wayword.models.labels import read_labels
from wayword.models.theme_scores import theme_scores

_SUBTOPICS, _ITERATIONS = 3, 100


def fit_one_by_one(X: sparse.csr_matrix, told: list[Any]) -> list[decomposition.NMF]:
    """Fit a factorisation of all labelled documents for each theme: zeros of the start stay zero."""
    labels = read_labels(told, X.shape[0])
    groups = [np.flatnonzero(column) for column in labels.indicator.T]
    rng = np.random.RandomState(0)
    starts, background = start_themes(X, groups, np.arange(X.shape[0]), [_SUBTOPICS] * len(groups), "bcool", rng)
    models = []
    for theme, start in enumerate(starts):
        W = rng.uniform(size=(X.shape[0], _SUBTOPICS + 1))
        W[~labels.indicator[:, theme], :-1] = 0.0
        model = decomposition.NMF(
            _SUBTOPICS + 1, init="custom", solver="mu", beta_loss="kullback-leibler", max_iter=_ITERATIONS, tol=0.0
        )
        model.fit_transform(X, W=W, H=np.vstack([start, background]))
        models.append(model)
    return models


def score_one_by_one(models: list[decomposition.NMF], X: sparse.csr_matrix) -> np.ndarray:
    """Return the theme scores of documents, theme by theme, topics scaled to sum to one."""
    columns = []
    for model in models:
        model.components_ /= model.components_.sum(axis=1, keepdims=True)
        W = model.transform(X)
        columns.append(theme_scores(W[:, :-1], W[:, -1]))
    return np.column_stack(columns)


def _result(claim: str, ours: float, theirs: float, target: float, repeats: int) -> Result:
    return Result(claim, ours, theirs, "s", theirs / ours, target, repeats)


def run(repeats: int) -> Iterator[Result]:
    """Yield how much faster themes are fitted and documents scored, by likelihood and by the published ratio."""
    texts, labels = read_texts("reuters")
    divided = Divided(texts, labels, *split_documents(labels, 0.3, random_state=0))
    X, X_test, told = divided.count("supervised")
    likely = ThemeNMF(_SUBTOPICS, supervision="supervised", score="likelihood")
    ratio = ThemeNMF(_SUBTOPICS, supervision="supervised", score="ratio", dampen=False).fit(X, told)
    ways = {"likelihood": likely.predict_proba, "the published ratio": ratio.theme_scores}
    likely.fit(X, told)
    found = {name: divided.measure(score(X_test), likely.themes_) for name, score in ways.items()}  # compiles
    fits = statistics.median(seconds(lambda: likely.fit(X, told)) for _ in range(repeats))
    times = {
        name: statistics.median(seconds(lambda score=score: score(X_test)) for _ in range(repeats))
        for name, score in ways.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        models = fit_one_by_one(X, told)
        fitted = time.perf_counter()
        theirs = divided.measure(score_one_by_one(models, X_test), likely.themes_)
        scored = time.perf_counter()
    size = f"{X.shape[0]:,} documents of reuters, 90 themes of 3 subtopics, {X.shape[1]:,} terms"
    yield _result(f"fit {size}", fits, fitted - start, 50, repeats)
    for name, accuracy in found.items():
        claim = f"score {X_test.shape[0]:,} documents by {name}, log rank accuracy {accuracy:.1f} against {theirs:.1f}"
        yield _result(claim, times[name], scored - fitted, 30, repeats)
