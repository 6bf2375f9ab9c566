"""``python -m benchmarks.classifiers``: themes against the best of many plain classifiers, chosen on the test documents.

The bar is strict: of logistic regression (C of 1, 10, 100), linear support vectors (C of 0.1, 1, 10), complement and
multinomial naive Bayes, each on sublinear tf-idf of words and of words and pairs of words, the one that does best on
the test documents: of a split, or of all splits. Every label is on both sides of a split. Measured is the log rank
accuracy.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.svm import LinearSVC

from benchmarks.measure import REPOSITORY, find_corpus
from wayword import ThemeNMF, Vectorizer, log_rank_accuracy, read_corpus, select_terms, split_documents
from wayword.evaluation.calibration import expected_calibration_error

CORPORA = ("brown", "bills112", "yelp", "reuters", "20newsgroups")
RATIOS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
NGRAMS = ((1, 1), (1, 2))
# Terms that themes see at the most, from how many labelled documents on: with many labels rarer ones help, too.
MOST_TERMS = {0: 50_000, 9_000: 200_000, 15_000: 400_000}
# How many splits: Brown has so few documents that three say little.
SPLITS, FEW_SPLITS = {"brown": 20}, 3
# How often labels are drawn to see how much of a calibration error is noise.
DRAWS = 20
ROWS = (
    "themes",
    "best classifier of all splits",
    "best classifier of each split",
    "calibration error",
    "of which noise",
    "of all splits together",
    "the same of chances above one half",
)
RESULTS = REPOSITORY / "benchmarks" / "results"


@dataclass(frozen=True)
class Split:
    """Documents with labels to learn from, and others to be tried on.

    Attributes
    ----------
    texts : list of str
        All documents.
    labels : array of shape (n_documents, n_labels)
        Which labels apply.
    train, test : int arrays
        Positions of both kinds.
    """

    texts: list[str]
    labels: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def has_one_label_each(self) -> bool:
        """Whether no document has several labels."""
        return bool((self.labels.sum(axis=1) == 1).all())

    @property
    def answers(self) -> np.ndarray:
        """Labels as classifiers of scikit-learn take them: numbers, or a matrix."""
        return self.labels.argmax(axis=1) if self.has_one_label_each else self.labels

    def measure(self, scores: np.ndarray) -> float:
        """Return the log rank accuracy of scores of the test documents."""
        return 100.0 * log_rank_accuracy(self.labels[self.test], scores)


@dataclass(frozen=True)
class Trial:
    """How well one classifier did on one split.

    Attributes
    ----------
    corpus, ratio, seed, classifier
        What was tried on what.
    accuracy : float
        Log rank accuracy in percent.
    seconds : float
        Time to fit and to answer.
    calibration, noise : float
        Calibration error in percent, and what it would be if labels were drawn by the very chances.
    bins : list of [int, float, float]
        By tenths of chances: how many predictions, the sum of their chances, and how many were right.
    """

    corpus: str
    ratio: float
    seed: int
    classifier: str
    accuracy: float
    seconds: float
    calibration: float = float("nan")
    noise: float = float("nan")
    bins: list[list[float]] = field(default_factory=list)


def read_documents(corpus: str) -> tuple[list[str], np.ndarray]:
    documents = list(read_corpus(find_corpus(corpus)))
    names = sorted({name for document in documents for name in document.labels})
    labels = np.array([[name in document.labels for name in names] for document in documents], dtype=int)
    return [document.text for document in documents], labels


def make_splits(corpus: str, ratios: Iterable[float], seeds: Iterable[int]) -> Iterator[tuple[float, int, Split]]:
    texts, labels = read_documents(corpus)
    for ratio in ratios:
        for seed in seeds:
            train, test = split_documents(labels, ratio, random_state=seed)
            yield ratio, seed, Split(texts, labels, train, test)


def make_classifiers() -> dict[str, Any]:
    regressions = {f"logistic C={C:g}": LogisticRegression(C=C, max_iter=300) for C in (1.0, 10.0, 100.0)}
    machines = {f"svm C={C:g}": LinearSVC(C=C) for C in (0.1, 1.0, 10.0)}
    return {**regressions, **machines, "complement nb": ComplementNB(), "multinomial nb": MultinomialNB()}


def _scores_of(classifier: Any, X: Any) -> np.ndarray:
    if not hasattr(classifier, "decision_function"):
        return getattr(classifier, "predict_log_proba", classifier.predict_proba)(X)
    scores = classifier.decision_function(X)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def try_classifiers(split: Split) -> Iterator[tuple[str, float, float]]:
    """Yield the name, the log rank accuracy and the seconds of each plain classifier."""
    train, test = [[split.texts[place] for place in part] for part in (split.train, split.test)]
    for ngrams in NGRAMS:
        vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=ngrams, min_df=1 if len(train) < 100 else 2)
        X, X_test = vectorizer.fit_transform(train), vectorizer.transform(test)
        for name, classifier in make_classifiers().items():
            if not split.has_one_label_each:
                liblinear = isinstance(classifier, LogisticRegression)
                one = LogisticRegression(C=classifier.C, solver="liblinear") if liblinear else classifier
                classifier = OneVsRestClassifier(one)
            start = time.perf_counter()
            classifier.fit(X, split.answers[split.train])
            accuracy = split.measure(_scores_of(classifier, X_test))
            yield f"{name} {'words' if ngrams == (1, 1) else 'pairs'}", accuracy, time.perf_counter() - start


class Ledger:
    """Trials kept in a file as they are made, so that a long run can go on where it stopped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.trials = [Trial(**json.loads(line)) for line in lines]

    def has(self, corpus: str, ratio: float, seed: int) -> bool:
        """Whether a split was tried already."""
        return any((trial.corpus, trial.ratio, trial.seed) == (corpus, ratio, seed) for trial in self.trials)

    def add(self, trials: list[Trial]) -> None:
        """Keep trials."""
        self.trials += trials
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(trial)) + "\n" for trial in trials)

    def best(self, corpus: str, ratio: float, seed: int) -> Trial:
        """Return the trial of the highest accuracy on a split."""
        of_split = [t for t in self.trials if (t.corpus, t.ratio, t.seed) == (corpus, ratio, seed)]
        return max(of_split, key=lambda trial: trial.accuracy)

    def best_of_all(self, corpus: str, ratio: float, seeds: set[int]) -> list[float]:
        """Return the accuracies, split by split, of the classifier whose mean accuracy is the highest."""
        by_name: dict[str, list[float]] = {}
        for trial in self.trials:
            if (trial.corpus, trial.ratio) == (corpus, ratio) and trial.seed in seeds:
                by_name.setdefault(trial.classifier, []).append(trial.accuracy)
        return max(by_name.values(), key=statistics.fmean, default=[])


def count_splits(corpus: str, seeds: int | None) -> range:
    """Return the seeds of a corpus's splits: as many as were asked for, or as usual."""
    return range(SPLITS.get(corpus, FEW_SPLITS) if seeds is None else seeds)


def measure_bar(corpora: list[str], ratios: list[float], seeds: int | None) -> None:
    """Try the plain classifiers on every split that the file has not got yet."""
    ledger = Ledger(RESULTS / "classifiers.jsonl")
    for corpus in corpora:
        for ratio, seed, split in make_splits(corpus, ratios, count_splits(corpus, seeds)):
            if ledger.has(corpus, ratio, seed):
                continue
            found = [Trial(corpus, ratio, seed, *trial) for trial in try_classifiers(split)]
            ledger.add(found)
            best = ledger.best(corpus, ratio, seed)
            print(f"{corpus} {ratio:.0%} seed {seed}: {best.accuracy:.1f} by {best.classifier}", flush=True)


def fit_themes(split: Split, counts: dict[str, Any]) -> tuple[str, np.ndarray, float]:
    """Return what was counted, the chances of the test documents' labels by the default model, and the seconds it took."""
    told = np.full(split.labels.shape, -1)
    told[split.train] = split.labels[split.train]
    y: Any = told
    if split.has_one_label_each:
        y = [int(row.argmax()) if row.max() > 0 else None for row in told]
    start = time.perf_counter()
    best = select_terms(counts, y).best
    chances = ThemeNMF().fit(counts[best], y).predict_proba(counts[best][split.test])
    return best, chances, time.perf_counter() - start


def measure_themes(corpora: list[str], ratios: list[float], seeds: int | None) -> None:
    """Try the default model on every split that the file has not got yet."""
    ledger, bar = Ledger(RESULTS / "themes.jsonl"), Ledger(RESULTS / "classifiers.jsonl")
    for corpus in corpora:
        counts: dict[int, dict[str, Any]] = {}
        for ratio, seed, split in make_splits(corpus, ratios, count_splits(corpus, seeds)):
            if ledger.has(corpus, ratio, seed):
                continue
            most = max(terms for labelled, terms in MOST_TERMS.items() if len(split.train) >= labelled)
            counts[most] = counts.get(most) or count_terms(split.texts, most)
            terms, chances, seconds = fit_themes(split, counts[most])
            truth = split.labels[split.test]
            error, noise = 100.0 * expected_calibration_error(truth, chances), find_noise(truth, chances)
            measured = (split.measure(chances), seconds, error, noise, fill_bins(truth, chances))
            found = Trial(corpus, ratio, seed, f"themes {terms}", *measured)
            ledger.add([found])
            best = bar.best(corpus, ratio, seed) if bar.has(corpus, ratio, seed) else None
            beside = f"bar {best.accuracy:.1f}" if best else "no bar yet"
            print(f"{corpus} {ratio:.0%} {seed}: {found.accuracy:.1f}, {beside}, calibration {error:.1f}", flush=True)


def find_noise(truth: np.ndarray, chances: np.ndarray) -> float:
    """Return the mean calibration error in percent of labels that are drawn by the chances: what is left of chance."""
    rng, errors = np.random.RandomState(0), []
    one_each = (truth.sum(axis=1) == 1).all()
    ends = chances.cumsum(axis=1)
    for _ in range(DRAWS):
        if one_each:
            drawn = np.eye(truth.shape[1], dtype=int)[
                (rng.random_sample((len(ends), 1)) * ends[:, -1:] > ends).sum(axis=1)
            ]
        else:
            drawn = (rng.random_sample(chances.shape) < chances).astype(int)
        errors.append(expected_calibration_error(drawn, chances))
    return 100.0 * statistics.fmean(errors)


def fill_bins(truth: np.ndarray, chances: np.ndarray) -> list[list[float]]:
    """Return how many predictions fall into each tenth of chances, the sum of their chances, and how many are right."""
    said, right = chances.ravel(), truth.ravel()
    if (truth.sum(axis=1) == 1).all():
        likeliest = chances.argmax(axis=1)
        said, right = chances.max(axis=1), truth[np.arange(len(truth)), likeliest]
    tenths = np.minimum((10 * said).astype(int), 9)
    sums = [np.bincount(tenths, weights=values, minlength=10) for values in (np.ones(len(said)), said, right)]
    return np.round(np.transpose(sums), 4).tolist()


def pool_calibration(trials: list[Trial], least: float = 0.0) -> float:
    """Return the calibration error of the predictions of all splits together, in percent.

    With 90 labels nearly all chances are next to nothing and right: `least` leaves out those below it.
    """
    bins = np.sum([trial.bins for trial in trials], axis=0)[int(10 * least) :]
    return 100.0 * float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())


def make_vectorizer(ngrams: tuple[int, int], max_terms: int) -> Vectorizer:
    """Return what counts words, or words and pairs, stop words included: they matter for stars."""
    return Vectorizer(
        language="none", lemmatize=False, stop_words=None, min_length=2, ngrams=ngrams, min_df=2, max_terms=max_terms
    )


def count_terms(texts: list[str], max_terms: int) -> dict[str, Any]:
    """Return the counts to choose from by labelled documents: pairs, unless words alone are better."""
    choices = {"pairs": (1, 2), "words": (1, 1)}
    return {name: make_vectorizer(pair, max_terms).fit_transform(texts) for name, pair in choices.items()}


def write_table() -> str:
    """Return the accuracies of themes and of the bar, and the calibration error, means over splits, in Markdown."""
    ours, bar = Ledger(RESULTS / "themes.jsonl"), Ledger(RESULTS / "classifiers.jsonl")
    lines = [f"| | {' | '.join(f'{ratio:.0%}' for ratio in RATIOS)} |", f"|---|{'--:|' * len(RATIOS)}"]
    for corpus in CORPORA:
        rows: dict[str, list[str]] = {name: [] for name in ROWS}
        for ratio in RATIOS:
            found = [t for t in ours.trials if (t.corpus, t.ratio) == (corpus, ratio)]
            pairs = [(t, bar.best(corpus, ratio, t.seed)) for t in found if bar.has(corpus, ratio, t.seed)]
            rows["themes"].append(_mean(t.accuracy for t, _ in pairs))
            rows[ROWS[1]].append(_mean(bar.best_of_all(corpus, ratio, {t.seed for t, _ in pairs})))
            rows[ROWS[2]].append(_mean(best.accuracy for _, best in pairs))
            rows["calibration error"].append(_mean(t.calibration for t in found))
            rows["of which noise"].append(_mean(t.noise for t in found))
            rows["of all splits together"].append(_mean([pool_calibration(found)] if found else []))
            rows[ROWS[-1]].append(_mean([pool_calibration(found, 0.5)] if found else []))
        lines += [f"| {corpus}, {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join(lines)


def _mean(values: Iterable[float]) -> str:
    values = list(values)
    return f"{statistics.fmean(values):.1f}" if values else ""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classifiers", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, choices=CORPORA)
    parser.add_argument("--ratios", nargs="+", type=float, default=RATIOS, help="shares of documents to learn from")
    parser.add_argument("--seeds", type=int, help="how many splits; 20 of Brown and 3 of the others unless given")
    kinds = ("classifiers", "themes")
    parser.add_argument("--measure", nargs="*", default=kinds, choices=kinds, help="what to try; nothing: the table")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
    if "classifiers" in arguments.measure:
        measure_bar(arguments.corpora, arguments.ratios, arguments.seeds)
    if "themes" in arguments.measure:
        measure_themes(arguments.corpora, arguments.ratios, arguments.seeds)
    print(write_table())


if __name__ == "__main__":
    main()
