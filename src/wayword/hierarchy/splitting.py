"""Split topics into finer ones: factorise the part of each document that a topic explains.

1. A topic's part of an entry of X is its share of what all topics say about it, W_dk H_kj / (W H)_dj.
2. Of documents that hold enough of the topic, one half is factorised into two topics, three and so on, and the other
   half says which number predicts best, or that the topic is better left whole.
3. What is found is split again, until it is deep enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.models.inputs import check_matrix, check_whole
from wayword.models.nmf import NMF
from wayword.models.theme_scores import check_weights, normalise_rows

# A document with less than this of a topic, in tokens, says nothing about how to split it.
_LEAST_PART = 2.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How to split.

    Attributes
    ----------
    depth : int
        Levels of topics; 1 splits nothing.
    n_children : int
        Most parts of a topic.
    min_documents : int
        Fewest documents of each part.
    seed : int
        Seed of halves and factorisations.
    """

    depth: int
    n_children: int
    min_documents: int
    seed: int

    @classmethod
    def of(cls, depth: Any, n_children: Any, min_documents: Any, random_state: Any) -> Plan:
        """Check settings."""
        check_whole("depth", depth)
        check_whole("n_children", n_children, least=2)
        check_whole("min_documents", min_documents)
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        return cls(int(depth), int(n_children), int(min_documents), seed)


@dataclass(frozen=True, slots=True)
class Branch:
    """A topic and those it was split into.

    Attributes
    ----------
    vector : array of shape (n_terms,)
        The topic.
    weight : float
        How many tokens it explains.
    children : tuple of Branch
        Its parts; none if it was left whole.
    """

    vector: np.ndarray
    weight: float
    children: tuple[Branch, ...] = ()


def read_documents(X: Any, W: Any, model: Any, topics: np.ndarray) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return counts, and the weights of topics in documents: those given, or those that the model finds."""
    if X is None:
        raise InputError("method='recursive' splits topics by their documents; give X, the counts, and W if known")
    reader = NMF()
    counts = check_matrix(reader, X, reset=True).astype(np.float64)
    if counts.shape[1] != topics.shape[1]:
        raise InputError(f"X must have the {topics.shape[1]} terms of the topics, got {counts.shape[1]} columns")
    if W is None:
        if not hasattr(model, "transform"):
            raise InputError("W is needed to split an array of topics: give the weights of topics in documents")
        W = model.transform(X)
    return counts, check_weights("W", W, n_documents=counts.shape[0], n_topics=len(topics))


def share_entries(X: sparse.csr_matrix, W: np.ndarray, topics: np.ndarray) -> Iterator[sparse.csr_matrix]:
    """Yield the part of X that each topic explains; the parts add up to X where anything is explained."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    explained = np.zeros(X.nnz)
    for k, topic in enumerate(topics):
        explained += W[rows, k] * topic[X.indices]
    per_unit = np.divide(X.data, explained, out=np.zeros(X.nnz), where=explained > 0)
    for k, topic in enumerate(topics):
        part = sparse.csr_matrix((W[rows, k] * topic[X.indices] * per_unit, X.indices, X.indptr), shape=X.shape)
        part = part.copy()
        part.eliminate_zeros()
        yield part


def choose_parts(X: sparse.csr_matrix, plan: Plan) -> int:
    """Return into how many parts documents split best; 1 if they are better left whole."""
    order = np.random.RandomState(plan.seed).permutation(X.shape[0])
    fitted, held = X[np.sort(order[::2])], X[np.sort(order[1::2])]
    most = min(plan.n_children, X.shape[0] // plan.min_documents)
    try:
        scores = [NMF(n_parts, random_state=plan.seed).fit(fitted).score(held) for n_parts in range(1, most + 1)]
    except InputError:  # the other half holds too few terms to predict any
        return 1
    return 1 + int(np.argmax(scores))  # of equals the fewest


def split_topic(X: sparse.csr_matrix, branch: Branch, plan: Plan, level: int) -> Branch:
    """Return a topic with its parts; X is the part of the documents that it explains."""
    lengths = np.asarray(X.sum(axis=1)).ravel()
    X = X[lengths >= _LEAST_PART]
    if level >= plan.depth or X.shape[0] < 2 * plan.min_documents:
        return branch
    n_parts = choose_parts(X, plan)
    if n_parts == 1:
        return branch
    model = NMF(n_parts, random_state=plan.seed)
    W = model.fit_transform(X)
    shares = normalise_rows(W.sum(axis=0))
    order = [k for k in np.argsort(-shares, kind="stable").tolist() if shares[k] > 0]
    if len(order) < 2:
        return branch
    parts = dict(enumerate(share_entries(X, W, model.components_)))
    total = float(branch.vector.sum())
    children = (Branch(total * shares[k] * model.components_[k], branch.weight * float(shares[k])) for k in order)
    split = (split_topic(parts[k], child, plan, level + 1) for k, child in zip(order, children, strict=True))
    return Branch(branch.vector, branch.weight, tuple(split))


def split_topics(X: sparse.csr_matrix, W: np.ndarray, topics: np.ndarray, plan: Plan) -> list[Branch]:
    """Return the topics, each split as far as that helps."""
    parts = share_entries(X, W, topics)
    return [
        split_topic(part, Branch(topic, float(part.sum())), plan, level=1)
        for topic, part in zip(topics, parts, strict=True)
    ]
