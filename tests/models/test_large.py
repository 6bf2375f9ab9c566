"""Nothing of the size of documents by terms is ever built."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from wayword import NMF, DeepSemiNMF, SemiSupervisedNMF, TopicSupervisedNMF

DOCUMENTS, TERMS, TOPICS = 200_000, 50_000, 3


@pytest.fixture(scope="module")
def large():
    """Three terms for each document: 80 GB if it were dense."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, TERMS, DOCUMENTS * 3).astype(np.int32)
    starts = np.arange(0, len(columns) + 1, 3, dtype=np.int32)
    X = sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(DOCUMENTS, TERMS))
    X.sum_duplicates()
    return X, rng.choice(np.array(["a", "b", "c"]), DOCUMENTS)


@pytest.mark.parametrize(
    "model",
    [
        NMF(TOPICS, max_iter=2),
        NMF(TOPICS, loss="frobenius", max_iter=2),
        TopicSupervisedNMF(max_iter=2),
        SemiSupervisedNMF(TOPICS, loss="kl", max_iter=2),
        DeepSemiNMF((TOPICS, 2), max_iter=2, pretrain_iter=2),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'loss', '')}",
)
def test_memory_follows_the_entries_not_the_shape(large, model):
    X, y = large
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.components_.shape == (TOPICS, TERMS)
    # A dense array of bits would take 1.25 GB.
    assert peak < 300e6
