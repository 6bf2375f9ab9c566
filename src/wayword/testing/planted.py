"""Plant topics in a corpus, so that what a model finds can be held against what is there.

Every group of topics has words of its own, and so has every topic. A topic is a mixture of its own words, of those of
the groups it belongs to, and of words that all topics share. A document mixes topics, one of them mostly, and its words
are drawn from that mixture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError, shorten
from wayword.hierarchy.naming import ROOT
from wayword.hierarchy.tree import TopicTree, sum_upwards
from wayword.models.inputs import check_number, check_whole


@dataclass(frozen=True, slots=True, eq=False)
class PlantedCorpus:
    """Counts of documents, and the truth about them.

    Attributes
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts, in compressed rows.
    topics : array of shape (n_topics, n_terms)
        How likely each term is in each topic; rows sum to one.
    weights : array of shape (n_documents, n_topics)
        The share of each topic in each document; rows sum to one.
    terms : tuple of str
        The term of each column. ``"t1x0w2"`` is the third word of the first topic of the second group,
        ``"common3"`` one that all topics share.
    labels : int array of shape (n_documents,)
        The topic that each document is mostly about.
    tree : TopicTree
        Which topics belong together; flat topics all hang from the root.
    """

    X: sparse.csr_matrix
    topics: np.ndarray
    weights: np.ndarray
    terms: tuple[str, ...]
    labels: np.ndarray
    tree: TopicTree


def _list_paths(branching: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the way to each node from the root, the finest nodes first and the root last."""
    levels: list[list[tuple[int, ...]]] = [[()]]
    for n_children in branching:
        levels.append([(*path, child) for path in levels[-1] for child in range(n_children)])
    return [path for level in reversed(levels) for path in level]


def _link(paths: list[tuple[int, ...]]) -> np.ndarray:
    """Return the parent of each node."""
    places = {path: place for place, path in enumerate(paths)}
    return np.array([places[path[:-1]] if path else -1 for path in paths])


def _own_words(path: tuple[int, ...], n_words: int, n_common: int) -> list[str]:
    """Return the words of a node: those in common belong to the root."""
    name = "t" + "x".join(map(str, path)) + "w" if path else "common"
    return [f"{name}{word}" for word in range(n_words if path else n_common)]


def _check_shares(shares: np.ndarray) -> np.ndarray:
    """Return shares, if something is left for a topic's own words, without which all topics are the same."""
    if not shares[-1] > 0:
        raise InputError("topics must have words of their own: lower common or inherited, which add up to 1")
    return shares


def _mix_words(paths: list[tuple[int, ...]], words: list[list[str]], shares: np.ndarray) -> np.ndarray:
    """Return topics: of each node on the way to a topic, its share, spread over its words; the first words most."""
    depth, starts = len(paths[0]), np.cumsum([0, *map(len, words)])
    topics = np.zeros((sum(len(path) == depth for path in paths), starts[-1]))
    for topic, path in enumerate(paths[: len(topics)]):
        for level in range(depth + 1):
            node = paths.index(path[:level])
            if not words[node]:
                continue
            falling = 1.0 / np.arange(1.0, len(words[node]) + 1.0)
            topics[topic, starts[node] : starts[node + 1]] = shares[level] * falling / falling.sum()
    return topics / topics.sum(axis=1, keepdims=True)


def _draw_counts(chances: np.ndarray, lengths: np.ndarray, rng: np.random.RandomState) -> sparse.csr_matrix:
    """Return so many words for each document."""
    rows = [sparse.csr_matrix(rng.multinomial(n, row / row.sum())) for n, row in zip(lengths, chances, strict=True)]
    return sparse.csr_matrix(sparse.vstack(rows), dtype=np.float64)


def _plant(
    branching: Sequence[int],
    shares: np.ndarray,
    *,
    n_documents: int,
    n_words: int,
    n_common: int,
    length: float,
    mixing: float,
    random_state: Any,
) -> PlantedCorpus:
    """Plant the topics of a tree, whose shares by level go from the words in common to a topic's own."""
    for name, value, least in [("n_documents", n_documents, 1), ("n_words", n_words, 1), ("n_common", n_common, 0)]:
        check_whole(name, value, least=least)
    check_number("length", length)
    check_number("mixing", mixing, most=1.0)
    rng = check_random_state(random_state)
    paths = _list_paths(branching)
    words = [_own_words(path, n_words, n_common) for path in paths]
    topics = _mix_words(paths, words, _check_shares(shares))
    main = rng.permutation(np.arange(n_documents) % len(topics))
    mixed = rng.dirichlet(np.ones(len(topics)), size=n_documents)
    weights = (1.0 - mixing) * np.eye(len(topics))[main] + mixing * mixed
    X = _draw_counts(weights @ topics, np.maximum(rng.poisson(length, size=n_documents), 2), rng)
    terms = tuple(word for own in words for word in own)
    tree = _true_tree(paths, topics, weights.mean(axis=0), terms)
    return PlantedCorpus(X, topics, weights, terms, weights.argmax(axis=1), tree)


def _true_tree(
    paths: list[tuple[int, ...]], topics: np.ndarray, weights: np.ndarray, terms: tuple[str, ...]
) -> TopicTree:
    """Return the tree that was planted."""
    parents, depth = _link(paths), len(paths[0])
    names = tuple("t" + "x".join(map(str, path)) if path else ROOT for path in paths)
    levels = np.array([float(depth - len(path)) for path in paths])
    return TopicTree(
        parents, levels, sum_upwards(parents, topics), sum_upwards(parents, weights), names, "level", terms
    )


def planted_topics(
    n_topics: int = 5,
    n_documents: int = 500,
    *,
    n_words: int = 10,
    n_common: int = 10,
    common: float = 0.3,
    length: float = 50,
    mixing: float = 0.2,
    random_state: Any = 0,
) -> PlantedCorpus:
    """Return a corpus with topics that share nothing but common words.

    Parameters
    ----------
    n_topics, n_documents : int
        How many topics and documents; topics have equally many documents, or nearly.
    n_words : int
        Words of each topic's own.
    n_common : int
        Words in common.
    common : float
        The share of the words in common in every topic.
    length : float
        Mean number of words of a document; none has fewer than two.
    mixing : float
        What of a document is of topics drawn at random; the rest is of its main topic.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    PlantedCorpus

    Examples
    --------
    >>> from wayword.testing import planted_topics
    >>> corpus = planted_topics(3, 100)
    >>> corpus.X.shape, corpus.topics.shape, corpus.weights.shape
    ((100, 40), (3, 40), (100, 3))
    >>> [corpus.terms[column] for column in corpus.topics[1].argsort()[::-1][:3]]
    ['t1w0', 't1w1', 'common0']
    """
    check_whole("n_topics", n_topics)
    check_number("common", common, most=1.0)
    shares = np.array([common if n_common else 0.0, 1.0 - common])
    return _plant(
        (n_topics,),
        shares,
        n_documents=n_documents,
        n_words=n_words,
        n_common=n_common,
        length=length,
        mixing=mixing,
        random_state=random_state,
    )


def _check_branching(branching: Any) -> tuple[int, ...]:
    if isinstance(branching, str) or not isinstance(branching, Sequence) or not branching:
        raise InputError(f"branching must be a sequence of whole numbers, one a level, got {shorten(branching)}")
    for n_children in branching:
        check_whole("every number in branching", n_children)
    return tuple(map(int, branching))


def planted_tree(
    branching: Sequence[int] = (3, 3),
    n_documents: int = 900,
    *,
    n_words: int = 10,
    n_common: int = 10,
    common: float = 0.2,
    inherited: float = 0.4,
    length: float = 60,
    mixing: float = 0.2,
    random_state: Any = 0,
) -> PlantedCorpus:
    """Return a corpus with groups of topics, which share words.

    Parameters
    ----------
    branching : sequence of int
        How many children the root has, then each group; ``(3, 2)`` is three groups of two topics.
    n_documents : int
        How many documents; topics have equally many, or nearly.
    n_words : int
        Words of its own of each group and of each topic.
    n_common : int
        Words in common.
    common : float
        The share of the words in common in every topic.
    inherited : float
        The share of the words of a topic's groups, each group alike; the rest is its own. With one level, none.
    length : float
        Mean number of words of a document; none has fewer than two.
    mixing : float
        What of a document is of topics drawn at random; the rest is of its main topic.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    PlantedCorpus
        Its `tree` is the one that was planted.

    Examples
    --------
    >>> from wayword.testing import planted_tree
    >>> corpus = planted_tree((2, 2), 100)
    >>> print(corpus.tree)
    all topics
    ├── t0
    │   ├── t0x0
    │   └── t0x1
    └── t1
        ├── t1x0
        └── t1x1
    >>> corpus.X.shape
    (100, 70)
    """
    branching = _check_branching(branching)
    n_groups = len(branching) - 1
    for name, share in [("common", common), ("inherited", inherited), ("common + inherited", common + inherited)]:
        check_number(name, share, most=1.0)
    own = 1.0 - common - (inherited if n_groups else 0.0)
    shares = np.array([common if n_common else 0.0, *[inherited / max(n_groups, 1)] * n_groups, own])
    return _plant(
        branching,
        shares,
        n_documents=n_documents,
        n_words=n_words,
        n_common=n_common,
        length=length,
        mixing=mixing,
        random_state=random_state,
    )
