"""The loops of small-text, measured as `simulate` measures Wayword's: the same pool, the same first documents."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import f1_score
from sklearn.utils import check_random_state

from benchmarks.anchors import import_peer
from wayword.active.simulation import Simulation, draw_start
from wayword.active.space import weigh_terms
from wayword.evaluation.ranking import log_rank_accuracy
from wayword.models.discovery import rarity_of

QUERIES = ("BreakingTies", "LeastConfidence", "PredictionEntropy", "RandomSampling")


def _measure(learner: Any, test: Any, names: list[str], y_test: np.ndarray) -> dict[str, float]:
    found = learner.classifier.predict_proba(test)
    chances = np.full((len(y_test), len(names)), -1.0)  # labels that it has not seen yet come last
    chances[:, learner.classifier.model.classes_] = found
    answers = np.array(names)[chances.argmax(axis=1)]
    return {
        "accuracy": float((answers == y_test).mean()),
        "macro_f1": float(f1_score(y_test, answers, labels=names, average="macro", zero_division=0.0)),
        "log_rank_accuracy": log_rank_accuracy(y_test.tolist(), chances, themes=names),
        "npmi": float("nan"),
    }


def simulate_small_text(
    X: sparse.csr_matrix,
    y: list[str],
    X_test: sparse.csr_matrix,
    y_test: list[str],
    *,
    query: str,
    n_start: int,
    n_labels: int,
    every: int,
    random_state: int,
) -> Simulation:
    """Label a pool as a query strategy of small-text asks for it, with its linear classifier on tf-idf.

    It is told how many labels there are in all, which Wayword is not.
    """
    small_text = import_peer("small_text")
    names = sorted({*y, *y_test})
    truth, told_test = np.array([names.index(name) for name in y]), np.array(y_test)
    start = draw_start(np.array(y), n_start, check_random_state(random_state))
    np.random.seed(random_state)  # noqa: NPY002 - small-text draws from numpy's global generator
    rarity = rarity_of(X)
    pool = small_text.SklearnDataset(weigh_terms(X, rarity), truth.copy(), target_labels=np.arange(len(names)))
    test_truth = np.array([names.index(name) for name in y_test])
    test = small_text.SklearnDataset(weigh_terms(X_test, rarity), test_truth, target_labels=np.arange(len(names)))
    model = small_text.ConfidenceEnhancedLinearSVC()
    factory = small_text.SklearnClassifierFactory(model, len(names))
    learner = small_text.PoolBasedActiveLearner(factory, getattr(small_text, query)(), pool)
    learner.initialize_data(np.array(start), truth[start])
    asked, points, seconds = list(start), [{"n_labels": n_start, **_measure(learner, test, names, told_test)}], [0.0]
    while len(asked) < n_labels:
        began = time.perf_counter()
        rows = learner.query(num_samples=1)
        learner.update(truth[rows])
        asked += [int(row) for row in rows]
        seconds.append(time.perf_counter() - began)
        if len(asked) - points[-1]["n_labels"] >= every or len(asked) >= n_labels:
            points.append({"n_labels": len(asked), **_measure(learner, test, names, told_test)})
    columns = {name: np.array([point[name] for point in points]) for name in points[0]}
    columns["n_labels"] = columns["n_labels"].astype(np.int64)
    pace = np.full(len(points), float(np.mean(seconds[1:])))
    return Simulation(f"small-text:{query}", **columns, seconds=pace, asked=np.array(asked))
