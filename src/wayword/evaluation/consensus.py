"""Topics that many runs agree on.

One run of a model ends in one of many optima that are about as good, with partly other topics. So

1. fit it several times, from other starts and to other documents;
2. stack all topics, and drop those with no like in enough other runs;
3. cluster the rest, and take the median of each cluster;
4. fold all documents in, and fit once more from there, if wanted.

Topics are compared by the Hellinger distance: 0 for the same, 1 for those that share no term.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from wayword.errors import InputError
from wayword.evaluation.runs import check_counts, check_model, draw_seeds, set_up, topics_of
from wayword.models.folding import fold_in
from wayword.models.inputs import check_number, check_whole
from wayword.models.nmf import NMF
from wayword.models.theme_scores import normalise_rows
from wayword.progress import Progress, ignore

# In how many of the other runs a topic must have its like.
_NEIGHBOURS = 0.5
# Starts of the clustering, of which the best counts.
_STARTS = 10
# What a start has of everything, because weights of zero may be there to stay.
_EVEN = 1e-3


@dataclass(frozen=True, slots=True)
class Consensus:
    """Topics that several runs agree on, the largest first.

    Attributes
    ----------
    components : array of shape (n_topics, n_terms)
        Probabilities of terms in each topic; rows sum to one.
    document_weights : array of shape (n_documents, n_topics)
        Weights of the topics in each document; with the divergence they count its tokens.
    stability : array of shape (n_topics,)
        Share of the runs that had the topic.
    kept_share : float
        Share of all topics of all runs that had their like in other runs.
    """

    components: np.ndarray
    document_weights: np.ndarray
    stability: np.ndarray
    kept_share: float


def _subsample(X: sparse.csr_matrix, share: float, seed: int) -> sparse.csr_matrix:
    """Return some of the documents, drawn at random, in their order."""
    if share == 1:
        return X
    n_drawn = max(1, round(share * X.shape[0]))
    return X[np.sort(check_random_state(seed).permutation(X.shape[0])[:n_drawn])]


def _distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance of each topic of `a` to each of `b`."""
    return np.sqrt(np.clip(1.0 - np.sqrt(a) @ np.sqrt(b).T, 0.0, 1.0))


def _distances_to_like(topics: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Return how far each topic is from its like in the half of the other runs that has the nearest, on average."""
    names = np.unique(runs)
    distances = _distances(topics, topics)
    nearest = np.column_stack([distances[:, runs == run].min(axis=1) for run in names])
    nearest[runs[:, None] == names] = np.inf  # its own run does not count
    n_neighbours = max(1, math.ceil(_NEIGHBOURS * (len(names) - 1)))
    return np.sort(nearest, axis=1)[:, :n_neighbours].mean(axis=1)


def _keep(distances: np.ndarray, max_distance: float, least: int) -> np.ndarray:
    """Return the places of topics with their like near enough; at least the nearest few."""
    n_kept = max(int((distances <= max_distance).sum()), least)
    return np.sort(np.argsort(distances, kind="stable")[:n_kept])


def _medians(topics: np.ndarray, clusters: np.ndarray, k: int) -> np.ndarray:
    """Return the median topic of each cluster, and the mean where no term is in half of its topics."""
    centres = np.empty((k, topics.shape[1]))
    for cluster in range(k):
        members = topics[clusters == cluster]
        median = np.median(members, axis=0)
        centres[cluster] = median if median.any() else members.mean(axis=0)
    return normalise_rows(centres)


def _check_different(topics: np.ndarray, k: int) -> None:
    if len(np.unique(topics, axis=0)) < k:
        raise InputError(f"the runs have fewer than {k} different topics that are not empty; ask for fewer topics")


def _agree(topics: np.ndarray, runs: np.ndarray, k: int, max_distance: float, seed: int) -> tuple[np.ndarray, ...]:
    """Return the median topics, the share of runs that had each, and the places of the topics that were kept."""
    _check_different(topics, k)
    # Half of all is enough to find k clusters in, and more than chance has in common.
    kept = _keep(_distances_to_like(topics, runs), max_distance, least=max(k, len(topics) // 2))
    _check_different(topics[kept], k)
    # The distance of roots is that of Hellinger.
    clusters = KMeans(k, n_init=_STARTS, random_state=seed).fit(np.sqrt(topics[kept])).labels_
    n_runs = len(np.unique(runs))
    shares = np.array([len(np.unique(runs[kept][clusters == cluster])) / n_runs for cluster in range(k)])
    return _medians(topics[kept], clusters, k), shares, kept


def _refit(X: sparse.csr_matrix, model: NMF, topics: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return topics and document weights of one more fit, which starts from the topics given."""
    common = np.asarray(X.sum(axis=0)).ravel() / X.sum()
    H = (1.0 - _EVEN) * topics + _EVEN * common
    W = fold_in(X, H, model.loss)
    fitted = set_up(model, len(topics), seed, init="custom")
    weights = fitted.fit_transform(X, W=W + _EVEN * W.mean(), H=H)
    sums = fitted.components_.sum(axis=1, dtype=np.float64)
    return topics_of(fitted), weights * sums


def _run(
    X: sparse.csr_matrix, k: int, model: Any, share: float, seeds: list[int], progress: Progress
) -> list[np.ndarray]:
    """Return the topics of each run; those without a term are left out."""
    found = []
    for run, seed in enumerate(seeds):
        topics = topics_of(set_up(model, k, seed).fit(_subsample(X, share, seed)))
        found.append(topics[topics.any(axis=1)])
        progress("fits", run + 1, len(seeds))
    return found


def _check(k: Any, n_runs: Any, share: Any, max_distance: Any, model: Any) -> None:
    check_whole("k", k)
    check_whole("n_runs", n_runs, least=2)
    check_number("share", share, most=1.0)
    check_number("max_distance", max_distance, most=1.0)
    if share == 0:
        raise InputError("share must lie above 0, got 0; a run needs documents to learn from")
    check_model(model)


def consensus_topics(
    X: Any,
    k: int,
    *,
    n_runs: int = 10,
    model: Any = None,
    share: float = 0.8,
    max_distance: float = 0.5,
    refit: bool = True,
    random_state: Any = 0,
    progress: Progress = ignore,
) -> Consensus:
    """Find the topics that several runs of a model agree on.

    Each run starts elsewhere and sees other documents. Topics that have their like in few other runs are dropped, the
    others are clustered, and the median of each cluster is where the last fit starts.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of documents.
    k : int
        How many topics.
    n_runs : int
        How many runs, 2 or more.
    model : estimator, optional
        With `n_components`, `fit` and `components_`; by default ``NMF(init="random")``.
    share : float
        Share of the documents that each run sees, above 0; with 1, runs differ by their seeds only.
    max_distance : float
        A topic is dropped if it is farther than this from its like in the other runs, on average over the half of
        them that have the nearest; from 0 to 1, by the Hellinger distance. At least half of all topics are kept.
    refit : bool
        Whether to fit `NMF` once more, to all documents, from the medians. Otherwise, and with other models, the
        medians are the topics.
    random_state : int, RandomState or None
        Seed of runs and documents.
    progress : callable
        Told ``("fits", done, total)``.

    Returns
    -------
    Consensus

    Examples
    --------
    >>> import numpy as np
    >>> from wayword.evaluation.consensus import consensus_topics
    >>> from wayword.evaluation.term_lists import top_columns
    >>> topics = np.kron(np.eye(3), np.ones(4) / 4)
    >>> X = np.random.default_rng(0).poisson(8 * np.repeat(topics, 20, axis=0))
    >>> found = consensus_topics(X, 3)
    >>> found.stability
    array([0.9, 0.9, 1. ])
    >>> sorted(sorted(topic) for topic in top_columns(found.components, 4))
    [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    """
    model = NMF(init="random") if model is None else model
    _check(k, n_runs, share, max_distance, model)
    counts = check_counts(X)
    seeds = draw_seeds(random_state, n_runs + 1)
    found = _run(counts, k, model, share, seeds[1:], progress)
    topics, runs = np.vstack(found), np.repeat(np.arange(n_runs), [len(run) for run in found])
    medians, shares, kept = _agree(topics, runs, k, float(max_distance), seeds[0])
    if refit and isinstance(model, NMF):
        components, weights = _refit(counts, model, medians, seeds[0])
    else:
        components, weights = medians, fold_in(counts, medians, "kl")
    order = np.argsort(-weights.sum(axis=0), kind="stable")
    return Consensus(components[order], weights[:, order], shares[order], len(kept) / len(topics))
