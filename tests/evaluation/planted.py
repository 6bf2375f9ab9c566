"""Corpora whose topics are known: shared by the tests of selection and consensus."""

import numpy as np
from scipy import sparse


def plant(n_topics, *, n_documents=300, n_terms=200, length=60, mixing=0.1, seed=0):
    """Return counts, and the topics they were drawn from."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_terms, 0.05), n_topics)
    chances = rng.dirichlet(np.full(n_topics, mixing), n_documents) @ topics
    lengths = rng.poisson(length, n_documents) + 2
    rows = [rng.multinomial(n, p / p.sum()) for n, p in zip(lengths, chances, strict=True)]
    return sparse.csr_matrix(np.array(rows, dtype=np.float64)), topics
