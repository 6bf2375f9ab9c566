"""Co-occurrence against scipy's sparse product of the same matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from benchmarks.measure import Result, compare, find_corpus
from wayword import Vectorizer, cooccurrence, read_corpus


def run(repeats: int) -> Iterator[Result]:
    corpus = read_corpus(find_corpus("20newsgroups"))
    X = Vectorizer(max_terms=8000).fit_transform(corpus)
    n = np.asarray(X.sum(axis=1)).ravel()
    scaled = (sparse.diags(1 / np.sqrt(np.maximum(n * (n - 1), 1))) @ X).tocsr()
    yield compare(
        f"co-occurrence of 20newsgroups, {X.shape[0]:,} x {X.shape[1]:,}, float64: scipy's product alone",
        lambda: cooccurrence(X, form="dense"),
        lambda: scaled.T @ scaled,
        target=2.5,
        repeats=max(repeats, 15),
    )
