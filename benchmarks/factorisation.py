"""Factorisation against scikit-learn's NMF, from the same start to the same objective, and against dense updates.

scikit-learn's side of the first claims takes minutes, so it is measured once, ours `repeats` times.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning

from benchmarks.measure import Result, compare, find_corpus, run_python, seconds
from wayword import NMF, TopicSupervisedNMF, Vectorizer, read_corpus
from wayword.matrix.weighting import Weighting
from wayword.models.alternate import Loss, Problem
from wayword.models.labels import read_labels
from wayword.models.start import start_from_svd
from wayword.models.topic_supervised import label_weights

SIZES = (("20newsgroups", 50), ("reuters", 90))
_PAPER_ITERATIONS = 30


def matrix_of(name: str, weighting: Weighting = "tf") -> sparse.csr_matrix:
    """Return 10,000 terms of a corpus; tf-idf with rows of length one."""
    vectorizer = Vectorizer(max_terms=10_000, weighting=weighting, norm="l2" if weighting == "tfidf" else None)
    return vectorizer.fit_transform(read_corpus(find_corpus(name)))


def reach(X: sparse.csr_matrix, start: tuple[np.ndarray, np.ndarray], loss: Loss, target: float) -> Callable[[], NMF]:
    """Return a task that fits until an objective is reached."""

    def task() -> NMF:
        model = NMF(
            start[1].shape[0],
            loss=loss,
            init="custom",
            max_iter=2000,
            tol=0.0,
            callback=lambda iteration, objective: objective <= target,  # noqa: ARG005
        )
        model.fit(X, W=start[0], H=start[1])
        if model.objective_path_[-1] > target:
            raise AssertionError(f"stopped at {model.objective_path_[-1]}, above {target}")
        return model

    return task


def compare_fits(
    name: str, n_topics: int, loss: Loss, repeats: int
) -> tuple[Result, decomposition.NMF, sparse.csr_matrix]:
    """Time both from the same start to the objective that scikit-learn ends at."""
    X = matrix_of(name, "tf" if loss == "kl" else "tfidf")
    start = start_from_svd(X, n_topics, np.random.RandomState(0))
    solver = "mu" if loss == "kl" else "cd"
    # Multiplicative updates for 200 iterations; coordinate descent until it settles, as a user would run it.
    stop = {"tol": 0.0} if loss == "kl" else {}
    beta = "kullback-leibler" if loss == "kl" else "frobenius"
    peer = decomposition.NMF(n_topics, solver=solver, beta_loss=beta, init="custom", max_iter=200, **stop)
    theirs = seconds(lambda: peer.fit_transform(X, W=start[0].copy(), H=start[1].copy()))
    target = 0.5 * peer.reconstruction_err_**2
    ours = reach(X, start, loss, target)
    ours()
    mine = statistics.median(seconds(ours) for _ in range(repeats))
    claim = (
        f"{loss} of {name} ({X.shape[0]:,} x {X.shape[1]:,}, {n_topics} topics) "
        f"to the objective of {peer.n_iter_} iterations "
        f"of scikit-learn's {solver}"
    )
    return Result(claim, mine, theirs, "s", theirs / mine, 20.0 if loss == "kl" else 3.0, repeats), peer, X


def compare_transforms(name: str, peer: decomposition.NMF, X: sparse.csr_matrix, repeats: int) -> Result:
    """Fold all documents into the same topics."""
    peer.set_params(tol=1e-4)
    model = NMF(peer.n_components_).fit(X[:200])
    model.components_ = peer.components_
    problem = Problem.of(X, loss="kl")
    topics = np.ascontiguousarray(peer.components_.T)
    objectives = [problem.objective(np.ascontiguousarray(each.transform(X)), topics) for each in (model, peer)]
    if objectives[0] > objectives[1]:
        raise AssertionError(f"our objective {objectives[0]} is above {objectives[1]}")
    claim = f"transform {X.shape[0]:,} documents of {name} into {len(topics.T)} topics, at a lower objective"
    return compare(claim, lambda: model.transform(X), lambda: peer.transform(X), target=30.0, repeats=repeats)


def paper_updates(
    X: np.ndarray, S: np.ndarray, E: np.ndarray, W: np.ndarray, H: np.ndarray, iterations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Equations 16 and 17 of MacMillan and Wilson, as printed, on dense matrices."""
    tiny = np.finfo(np.float64).tiny
    for _ in range(iterations):
        H = H * ((W * S).T @ (X * E)) / ((W * S).T @ (((W * S) @ H) * E) + tiny)
        W = W * (((X * E) @ H.T) * S) / ((((((W * S) @ H) * E) @ H.T) * S) + tiny)
    return W * S, H


def compare_supervised(repeats: int) -> Result:
    """Time both to the objective of the paper's updates, a fifth of Reuters labelled."""
    corpus = read_corpus(find_corpus("reuters"))
    X = Vectorizer(max_terms=2000, weighting="tfidf", norm="l2").fit_transform(corpus)
    rng = np.random.RandomState(0)
    told = rng.random_sample(len(corpus)) < 0.2
    labels = read_labels(
        [list(document.labels) if known else [] for document, known in zip(corpus, told, strict=True)], len(corpus)
    )
    weights = label_weights(labels, "inverse", None)
    problem = Problem.of(X, loss="frobenius", weights=weights)
    dense, S = X.toarray(), labels.allowed.astype(np.float64)
    E = np.repeat(weights[:, None], X.shape[1], axis=1)
    H = np.stack([dense[rng.choice(len(dense), 20)].mean(axis=0) for _ in range(S.shape[1])])
    W = rng.uniform(size=S.shape)
    started = time.perf_counter()
    W, H = paper_updates(dense, S, E, W, H, _PAPER_ITERATIONS)
    theirs = time.perf_counter() - started
    target = problem.objective(np.ascontiguousarray(W), np.ascontiguousarray(H.T))
    y = np.where(labels.known, labels.indicator, -1)

    def ours() -> None:
        model = TopicSupervisedNMF(tol=0.0, callback=lambda _, objective: objective <= target).fit(X, y)
        if model.objective_path_[-1] > target:
            raise AssertionError("did not reach the objective of the paper's updates")

    ours()
    mine = statistics.median(seconds(ours) for _ in range(repeats))
    claim = f"TopicSupervisedNMF of reuters, 20 % labelled, to the objective of {_PAPER_ITERATIONS} dense updates of the paper"
    return Result(claim, mine, theirs, "s", theirs / mine, None, repeats)


_MEMORY = """
import os
import numpy as np
from benchmarks.factorisation import matrix_of
from wayword import NMF
X = matrix_of("20newsgroups")
NMF(3, max_iter=2).fit(X[:50])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = resident()
W = NMF(50, max_iter=20).fit_transform(X)
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
matrix = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
print(matrix + W.nbytes + 50 * X.shape[1] * 8, peak - before + matrix)
"""


def measure_memory() -> Result:
    """Compare the peak, matrix included, with the sparse matrix plus both factors."""
    size, peak = map(float, run_python(_MEMORY).split())
    claim = "peak memory of 50 topics of 20newsgroups: 3 times the sparse matrix plus factors"
    return Result(claim, peak / 2**20, 3 * size / 2**20, "MiB", 3 * size / peak, 1.0, 1)


def run(repeats: int) -> Iterator[Result]:
    warnings.simplefilter("ignore", ConvergenceWarning)
    yield measure_memory()
    for name, n_topics in SIZES:
        result, peer, X = compare_fits(name, n_topics, "kl", repeats)
        yield result
        yield compare_transforms(name, peer, X, repeats)
    for name, n_topics in SIZES:
        yield compare_fits(name, n_topics, "frobenius", repeats)[0]
    yield compare_supervised(repeats)
