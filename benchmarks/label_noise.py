"""``python -m benchmarks.label_noise``: answers that are wrong, how good guesses are said to be, and several labels.

Training documents only; settings were chosen with other seeds. The learner asks one question at a time, from five
random documents on. Measured on the documents that have no answer:

- noise: accuracy when one answer of ten is a random wrong label, against none, and whether the wrong ones are among the
  first suspects, also when documents were labelled at random instead of by questions;
- stopping: the estimate of accuracy and of what 25 more answers bring, against the truth;
- several labels: all 90 labels of Reuters, F1 against one-vs-rest logistic regression on tf-idf with the same answers,
  the better of C = 10 and 100 each time; a third of the documents is set apart and measured as well.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier

from benchmarks.active import CORPORA, read_data
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import Vectorizer, read_corpus
from wayword.active import ActiveLearner, DocumentSpace, build_space
from wayword.active.learner import choose_labels
from wayword.active.space import weigh_terms
from wayword.active.stopping import estimate_gain
from wayword.active.suspects import find_suspects

SHOWN = (50, 100, 200)
N_START, N_LABELS, N_MORE, NOISE = 5, 200, 25, 0.1
SEEDS = (7101, 7102, 7103)
RESULTS = REPOSITORY / "benchmarks" / "results" / "label_noise.json"

Row = dict[str, Any]


def spoil(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return labels of which a share is another, drawn at random."""
    names, spoilt = np.unique(y), y.copy()
    for row in np.flatnonzero(rng.random(len(y)) < share):
        spoilt[row] = rng.choice(names[names != y[row]])
    return spoilt


def ask_on(learner: ActiveLearner, answer: Callable[[int], Any], n_labels: int) -> None:
    """Let the learner ask until so many documents have labels."""
    while learner.n_labelled < n_labels:
        row = learner.next()[0].row
        learner.label(row, answer(row))


def start(X: Any, space: DocumentSpace, answer: Callable[[int], Any], seed: int) -> ActiveLearner:
    learner = ActiveLearner(X, space=space)
    for row in np.random.default_rng(seed).choice(X.shape[0], N_START, replace=False):
        learner.label(int(row), answer(int(row)))
    return learner


def accuracy_of(learner: ActiveLearner, y: np.ndarray) -> float:
    """Return the share of documents without labels that are guessed rightly."""
    rows = learner.answers().rows
    without = np.ones(len(y), dtype=bool)
    without[rows] = False
    return float((np.array(learner.predict()) == y)[without].mean())


def judge_suspects(learner: ActiveLearner, y: np.ndarray, said: np.ndarray) -> Row:
    """Return how many of the first suspects are wrong answers, and how many of these are among them."""
    rows = learner.answers().rows
    wrong = set(rows[y[rows] != said[rows]].tolist())
    found = [suspect.row in wrong for suspect in find_suspects(learner)]
    every = [suspect.row in wrong for suspect in find_suspects(learner, least_chance=0.0)]
    n_wrong = len(wrong)
    return {
        "n_wrong": n_wrong,
        "precision_10": float(np.mean(every[:10])),
        "precision_first": float(np.mean(every[:n_wrong])),
        "recall_twice": sum(every[: 2 * n_wrong]) / n_wrong,
        "n_listed": len(found),
        "precision_listed": float(np.mean(found)) if found else 0.0,
        "recall_listed": sum(found) / n_wrong,
    }


def measure_noise(corpus: str, seeds: Sequence[int]) -> Iterator[Row]:
    data = read_data(corpus)
    X, y, space = data.pool, np.array(data.y), build_space(data.pool)
    for seed in seeds:
        for share in (0.0, NOISE):
            said = spoil(y, share, np.random.default_rng(seed))
            learner = start(X, space, lambda row, said=said: said[row], seed)
            for n_labels in range(N_START, N_LABELS + N_MORE + 1):
                ask_on(learner, lambda row, said=said: said[row], n_labels)
                if n_labels % N_MORE == 0:
                    row = {"corpus": corpus, "seed": seed, "noise": share, "n_labels": n_labels}
                    row["accuracy"] = accuracy_of(learner, y)
                    if n_labels in SHOWN:
                        gain = estimate_gain(learner, N_MORE)
                        row["estimate"] = [gain.accuracy, gain.low, gain.high]
                        row["gain"] = [gain.gain, gain.gain_low, gain.gain_high]
                    if share and n_labels == N_LABELS:
                        row["asked"] = judge_suspects(learner, y, said)
                        row["drawn"] = judge_suspects(draw_answers(X, space, said, seed), y, said)
                    yield row


def draw_answers(X: Any, space: DocumentSpace, said: np.ndarray, seed: int) -> ActiveLearner:
    """Return a learner with answers for random documents."""
    learner = ActiveLearner(X, space=space)
    for row in np.random.default_rng(seed).choice(X.shape[0], N_LABELS, replace=False):
        learner.label(int(row), said[row])
    return learner


def f1_of(truth: np.ndarray, chances: np.ndarray, columns: np.ndarray) -> list[float]:
    """Return micro and macro F1 over all labels, those without an answer among them."""
    chosen = np.zeros(truth.shape, dtype=bool)
    chosen[:, columns] = choose_labels(chances)
    return [float(f1_score(truth, chosen, average=kind, zero_division=0)) for kind in ("micro", "macro")]


def regress(train: Any, targets: np.ndarray, others: Sequence[Any], C: float) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that every document has
        model = OneVsRestClassifier(LogisticRegression(C=C, max_iter=500)).fit(train, targets)
    return [np.asarray(model.predict_proba(X)) for X in others]


def measure_several(seeds: Sequence[int]) -> Iterator[Row]:
    documents = [d for d in read_corpus(find_corpus("reuters")) if d.metadata.get("split") == "train"]
    apart = np.random.RandomState(0).rand(len(documents)) < 1 / 3
    names = sorted({name for document in documents for name in document.labels})
    truth = np.array([[name in document.labels for name in names] for document in documents])
    vectorizer = Vectorizer(min_df=3, max_df=0.5)
    X = vectorizer.fit_transform([d.text for d, away in zip(documents, apart, strict=True) if not away]).astype(float)
    X_apart = vectorizer.transform([d.text for d, away in zip(documents, apart, strict=True) if away]).astype(float)
    space = build_space(X)
    words, words_apart = weigh_terms(X, space.rarity), weigh_terms(X_apart, space.rarity)
    labels = [[names[k] for k in np.flatnonzero(row)] for row in truth[~apart]]
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(labels))
        for asked in (False, True):
            learner = start(X, space, labels.__getitem__, seed)
            for n_labels in SHOWN:
                if asked:
                    ask_on(learner, labels.__getitem__, n_labels)
                else:
                    learner = start(X, space, labels.__getitem__, seed)
                    taken = set(learner.answers().rows.tolist())
                    for row in [row for row in order.tolist() if row not in taken][: n_labels - N_START]:
                        learner.label(row, labels[row])
                rows, targets = learner.answers().rows, learner.answers().targets
                columns = np.array([names.index(name) for name in learner.classes_])
                without = np.setdiff1d(np.arange(len(labels)), rows)
                truths = truth[~apart][without], truth[apart]
                ours = [learner.predict_proba()[without], learner.predict_proba(X_apart)]
                theirs = [regress(words[rows], targets, (words[without], words_apart), C) for C in (10.0, 100.0)]
                pairs = zip(("without", "apart"), truths, ours, *theirs, strict=True)
                for part, known, mine, one, two in pairs:
                    yield {
                        "seed": seed,
                        "asked": asked,
                        "n_labels": len(rows),
                        "part": part,
                        "learner": f1_of(known, mine, columns),
                        "regression": np.maximum(f1_of(known, one, columns), f1_of(known, two, columns)).tolist(),
                    }


def mean_percent(rows: Sequence[Row], value: Callable[[Row], float]) -> str:
    return f"{100 * np.mean([value(row) for row in rows]):.1f}"


def print_noise(rows: Sequence[Row]) -> None:
    print("| corpus | wrong answers | " + " | ".join(f"{n} labels" for n in SHOWN) + " |")
    print("|---|--:|" + "--:|" * len(SHOWN))
    for corpus in CORPORA:
        for share in (0.0, NOISE):
            found = [[r for r in rows if (r["corpus"], r["noise"], r["n_labels"]) == (corpus, share, n)] for n in SHOWN]
            cells = [mean_percent(some, lambda row: row["accuracy"]) for some in found]
            print(f"| {corpus} | {share:.0%} | " + " | ".join(cells) + " |")
    print("\n| corpus | documents | first 10 | as many as wrong | twice as many: found | listed | precision | found |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for corpus in CORPORA:
        some = [row for row in rows if row["corpus"] == corpus and "asked" in row]
        for kind in ("asked", "drawn"):
            shares = ("precision_10", "precision_first", "recall_twice")
            cells = [mean_percent(some, lambda row, k=kind, s=s: row[k][s]) for s in shares]
            cells.append(f"{np.mean([row[kind]['n_listed'] for row in some]):.0f}")
            cells += [
                mean_percent(some, lambda row, k=kind, s=s: row[k][s]) for s in ("precision_listed", "recall_listed")
            ]
            print(f"| {corpus} | {kind} | " + " | ".join(cells) + " |")


def print_stopping(rows: Sequence[Row]) -> None:
    truth = {(r["corpus"], r["seed"], r["noise"], r["n_labels"]): r["accuracy"] for r in rows}
    print("\n| corpus | labels | accuracy | estimate | error | covered | gain | estimate | error | covered |")
    print("|---|--:|" + "--:|" * 8)
    for corpus in CORPORA:
        for n in SHOWN:
            some = [r for r in rows if (r["corpus"], r["noise"], r["n_labels"]) == (corpus, 0.0, n)]
            known = np.array([r["accuracy"] for r in some])
            later = np.array([truth[r["corpus"], r["seed"], 0.0, n + N_MORE] for r in some])
            cells = []
            for true, name in ((known, "estimate"), (later - known, "gain")):
                said = np.array([r[name] for r in some])
                inside = ((said[:, 1] <= true) & (true <= said[:, 2])).mean()
                error = np.abs(said[:, 0] - true).mean()
                cells += [f"{100 * value:.1f}" for value in (true.mean(), said[:, 0].mean(), error)] + [f"{inside:.0%}"]
            print(f"| {corpus} | {n} | " + " | ".join(cells) + " |")


def print_several(rows: Sequence[Row]) -> None:
    print("\n| labels | documents labelled | measured on | learner micro | macro | regression micro | macro |")
    print("|--:|---|---|--:|--:|--:|--:|")
    for n in SHOWN:
        for asked in (False, True):
            for part in ("without", "apart"):
                some = [r for r in rows if (r["n_labels"], r["asked"], r["part"]) == (n, asked, part)]
                cells = [
                    mean_percent(some, lambda row, w=who, k=kind: row[w][k])
                    for who in ("learner", "regression")
                    for kind in (0, 1)
                ]
                print(f"| {n} | {'asked' if asked else 'drawn'} | {part} | " + " | ".join(cells) + " |")


def print_tables(results: dict[str, list[Row]]) -> None:
    print_noise(results["noise"])
    print_stopping(results["noise"])
    print_several(results["several"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.label_noise", description=__doc__)
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="only print what has been measured")
    arguments = parser.parse_args()
    if not arguments.table:
        several = list(measure_several(arguments.seeds))
        noise = [row for corpus in CORPORA for row in measure_noise(corpus, arguments.seeds)]
        results = {"noise": noise, "several": several}
        arguments.results.write_text(json.dumps(results) + "\n", encoding="utf-8")
    print_tables(json.loads(arguments.results.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
