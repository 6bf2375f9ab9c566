"""Planted themes, settings to try and what every model of themes must be: shared by the tests of themes."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

MODES, SUPERVISIONS, LOSSES = ["separated", "combined"], ["competing", "semi", "supervised"], ["kl", "frobenius"]
SCORES, SOLVERS, STARTS = ["stack", "likelihood", "share", "ratio", "thesis"], ["cd", "mu"], ["bcool", "mean", "random"]
every_mode = pytest.mark.parametrize("mode", MODES)
every_supervision = pytest.mark.parametrize("supervision", SUPERVISIONS)
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_score = pytest.mark.parametrize("score", SCORES)
every_solver = pytest.mark.parametrize("solver", SOLVERS)
few = settings(max_examples=15)
seeds = st.integers(0, 2**32 - 1)

NAMES = np.array(["corn", "oil", "ship", "tea"])
N_COMMON, N_OWN, N_SUBTOPICS = 8, 5, 2


def plant(n_documents=180, n_themes=3, length=40, common=0.6, seed=0):
    """Return counts and names of themes: words in common, and words of one of two subtopics of the theme."""
    rng = np.random.default_rng(seed)
    n_terms = N_COMMON + n_themes * N_SUBTOPICS * N_OWN
    themes, subtopics = rng.integers(n_themes, size=n_documents), rng.integers(N_SUBTOPICS, size=n_documents)
    X = np.zeros((n_documents, n_terms))
    for document, first in enumerate(N_COMMON + (themes * N_SUBTOPICS + subtopics) * N_OWN):
        chances = np.full(n_terms, 0.02 / n_terms)
        chances[:N_COMMON] += common / N_COMMON
        chances[first : first + N_OWN] += (1 - common) / N_OWN
        X[document] = rng.multinomial(length, chances / chances.sum())
    return X, NAMES[themes]


def own_shares(topics):
    """Return what of each topic's words that are not in common is of each planted subtopic."""
    own = topics[..., N_COMMON:].reshape(*topics.shape[:-1], -1, N_OWN).sum(axis=-1)
    return own / np.maximum(own.sum(axis=-1, keepdims=True), 1e-300)


def hide(names, n_labelled):
    """Return names of the first documents, None for the others."""
    return [name if document < n_labelled else None for document, name in enumerate(names)]


def draw(n_documents=12, n_terms=9, seed=0):
    return np.random.default_rng(seed).poisson(1.5, (n_documents, n_terms)).astype(float)


Y = ["a", "b", None, "a", None, "b", "c", "c", "c", None, "a", "b"]


def assert_sound(model, X):
    """What was learnt and what is answered is finite, not negative, and of the right shape."""
    n_themes, n_documents, n_terms = len(model.themes_), X.shape[0], X.shape[1]
    assert model.subtopics_.shape == (n_themes, model.n_subtopics, n_terms)
    assert model.new_topics_.shape == (model.n_new_topics, n_terms)
    assert model.components_.shape == (model.n_components_, n_terms)
    assert model.n_components_ == n_themes * model.n_subtopics + model.n_new_topics
    if model.background:
        assert model.background_.shape == (n_themes if model.mode == "separated" else 1, n_terms)
    else:
        assert model.background_ is None
    arrays = [model.components_, model.transform(X), model.theme_scores(X), model.new_topic_scores(X)]
    arrays += [model.predict_proba(X), *([] if model.background_ is None else [model.background_])]
    for array in arrays:
        assert np.isfinite(array).all()
        assert (array >= 0).all()
    assert model.transform(X).shape == (n_documents, model.n_components_)
    assert model.theme_scores(X).shape == model.predict_proba(X).shape == (n_documents, n_themes)
    assert (model.theme_scores(X) <= 1).all()
    assert (model.predict_proba(X) <= 1 + 1e-12).all()
    assert len(model.predict(X)) == n_documents
    for path in model.objective_paths_:
        assert np.isfinite(path).all()
        assert (np.diff(path) <= 0).all()
    assert max(len(path) for path in model.objective_paths_) - 1 <= min(model.n_iter_, model.max_iter)
