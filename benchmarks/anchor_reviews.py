"""``python -m benchmarks.anchor_reviews``: chapter 4 of Nguyen's thesis, made again.

Whether a review gives five stars (of amazon's four ratings, 5 against the rest), from topics: logistic regression on the
logarithms of the topic shares of supervised anchors, of the same anchors without labels, of LDA and of supervised LDA
(tomotopy, 500 iterations, shares inferred alike for documents of both kinds), and on tf-idf, alone and mixed with the
topics of supervised anchors. They are mixed in two ways: side by side in one regression, as in the thesis and as
`SupervisedAnchors.features` has them; and as the log odds of two regressions, one on each, summed by their shares. In
both, terms count by what they tell of labels. The share is chosen on the training folds, each left out once, by how
likely the log odds find the labels, which varies less than accuracy. Anchors take the defaults, logistic regression
takes scikit-learn's. How well the top ten words of topics go together is measured in Wikipedia.

Reviews of thirty words or more, stop words out, no lemmas, terms of fifty documents or more; five folds, each tried on
once. The terms are those of all folds, as in the thesis: choosing them looks at no label.

20 Newsgroups beside it: whole messages, the published split, all training labels, forty topics; there anchors without
labels are tried both with the shares that they take by default and with those of ``"oneshot"``, as supervised ones are.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks.anchor_quality import Ledger, read_topics, top_columns, write_head, write_row
from benchmarks.anchors import (
    Reviews,
    as_words,
    best_lexical_accuracy,
    import_peer,
    lexical_features,
    make_slda,
    read_reviews,
)
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import AnchorTopics, SupervisedAnchors, Vectorizer, npmi, read_corpus

CORPORA = ("amazon", "yelp", "tripadvisor")
NEWSGROUPS = "20newsgroups"
TOPICS = (20, 40, 60, 80)
FOLDS = 5
MIXES = tuple(round(0.1 * step, 1) for step in range(11))
LDA_ITERATIONS = 500
TOP_WORDS = 10
SUPERVISED, MIXED, PLAIN, LDA, SLDA = "supervised anchors", "supervised anchors and tf-idf", "anchors", "LDA", "sLDA"
SUMMED = "supervised anchors and tf-idf, odds"
MODELS = (SUPERVISED, PLAIN, SUMMED, MIXED, LDA, SLDA)
# Rows of the table beside those of the models: what one of them does in another way.
BUILT_IN, SLDA_ITSELF = "supervised anchors, built in", "sLDA, its own response"
LEXICAL, ONESHOT = "tf-idf", "anchors, oneshot"
N_TERMS, NEWS_TOPICS = 7_000, 40


@dataclass(frozen=True)
class Trial:
    """One model tried on one fold.

    Attributes
    ----------
    corpus, n_topics, fold, model
        What was tried; tf-idf has 0 topics.
    accuracy : float
        Share of right answers by logistic regression on features, or by the model itself.
    npmi : float or None
        Mean coherence of topics in Wikipedia.
    mix : float or None
        The share of tf-idf that the training folds chose.
    by_mix : list of float
        Accuracy at each share of tf-idf.
    topics : list of str
        Anchors and top words, of the first fold.
    seconds : float
        Time of fitting and features.
    """

    corpus: str
    n_topics: int
    fold: int
    model: str
    accuracy: float
    npmi: float | None = None
    mix: float | None = None
    by_mix: list[float] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Folded:
    """Reviews in five folds."""

    name: str
    reviews: Reviews

    @cached_property
    def folds(self) -> np.ndarray:
        """The fold of each review."""
        return np.random.RandomState(0).permutation(len(self.reviews.five)) % FOLDS

    @cached_property
    def reference(self) -> sparse.csc_matrix:
        """Paragraphs of Wikipedia, counted alike."""
        return sparse.csc_matrix(self.reviews.vectorizer.transform(read_corpus(find_corpus("reference_wikipedia"))))

    def measure_coherence(self, topics: np.ndarray) -> float:
        """Return the mean coherence of topics in Wikipedia."""
        return float(npmi(top_columns(topics, TOP_WORDS).tolist(), self.reference).mean())

    def divide(self, test: int, aside: int | None = None) -> Division:
        """Return a fold to try on, and the others, but for one set aside, to learn from."""
        is_test = self.folds == test
        is_train = ~is_test & (self.folds != aside)
        X, five = self.reviews.X, self.reviews.five.astype(int)
        return Division(X[is_train], five[is_train], X[is_test], five[is_test], self.reviews.words)


@dataclass(frozen=True)
class Division:
    """Counted documents to learn from and to try on, with their labels, and the term of each column."""

    train: sparse.csr_matrix
    labels: np.ndarray
    test: sparse.csr_matrix
    truth: np.ndarray
    words: np.ndarray

    def score(self, features: tuple[Any, Any]) -> float:
        """Return the accuracy of logistic regression on features of both kinds of documents."""
        machine = LogisticRegression(max_iter=1000).fit(features[0], self.labels)
        return float(machine.score(features[1], self.truth))

    def find_odds(self, features: tuple[Any, Any]) -> np.ndarray:
        """Return the log odds of five stars of the documents to try on, by logistic regression on features."""
        return LogisticRegression(max_iter=1000).fit(features[0], self.labels).decision_function(features[1])

    def score_answers(self, answers: np.ndarray) -> float:
        """Return the accuracy of answers."""
        return float((np.asarray(answers) == self.truth).mean())


FindOdds = Callable[[SupervisedAnchors, Division], list[np.ndarray]]


def log_shares(model: AnchorTopics, X: sparse.csr_matrix, method: str | None = None) -> np.ndarray:
    """Return what `SupervisedAnchors.features` does, of anchors without labels."""
    lengths, shares = np.asarray(X.sum(axis=1)).reshape(-1, 1), model.transform(X, method=method)
    return np.log((lengths * shares + model.alpha) / (lengths + model.alpha * model.n_components_))


def name_topics(model: AnchorTopics, words: np.ndarray) -> list[str]:
    """Return the anchor of each topic and its top words."""
    tops = top_columns(model.components_, TOP_WORDS)
    return [f"{words[anchor]}: {' '.join(words[top])}" for anchor, top in zip(model.anchors_, tops, strict=True)]


def fit_supervised(division: Division, n_topics: int) -> SupervisedAnchors:
    return SupervisedAnchors(n_topics).fit(division.train, division.labels)


def find_features(model: SupervisedAnchors, division: Division, mix: float) -> tuple[Any, Any]:
    """Return what both kinds of documents are told by, with some share of tf-idf."""
    model.set_params(lexical_mix=mix)
    return model.features(division.train), model.features(division.test)


def put_side_by_side(model: SupervisedAnchors, division: Division) -> list[np.ndarray]:
    """Return the log odds by topics and tf-idf in one regression, at each share of tf-idf."""
    return [division.find_odds(find_features(model, division, mix)) for mix in MIXES]


def sum_odds(model: SupervisedAnchors, division: Division) -> list[np.ndarray]:
    """Return the log odds by topics and by tf-idf, summed at each share of the latter."""
    topics, lexical = (division.find_odds(find_features(model, division, mix)) for mix in (0.0, 1.0))
    return [(1.0 - mix) * topics + mix * lexical for mix in MIXES]


def find_likelihoods(odds_by_mix: list[np.ndarray], truth: np.ndarray) -> list[float]:
    """Return how likely log odds find the labels at each share: the mean logarithm of their chances."""
    signs = np.where(truth > 0, 1.0, -1.0)
    return [-float(np.logaddexp(0.0, -signs * odds).mean()) for odds in odds_by_mix]


def choose_mix(data: Folded, n_topics: int, fold: int, find: FindOdds) -> float:
    """Return the share of tf-idf that makes the training folds likeliest, each left out once."""
    divisions = [data.divide(inner, aside=fold) for inner in range(FOLDS) if inner != fold]
    found = [find_likelihoods(find(fit_supervised(each, n_topics), each), each.truth) for each in divisions]
    return MIXES[int(np.mean(found, axis=0).argmax())]


def try_supervised(data: Folded, n_topics: int, fold: int) -> Iterator[Trial]:
    """Yield supervised anchors: topics alone, and their own answers."""
    division, start = data.divide(fold), time.perf_counter()
    model = fit_supervised(division, n_topics)
    features = model.features(division.train), model.features(division.test)
    taken = round(time.perf_counter() - start, 2)
    where = (data.name, n_topics, fold)
    topics = name_topics(model, division.words) if fold == 0 else []
    coherence = data.measure_coherence(model.components_)
    yield Trial(*where, SUPERVISED, division.score(features), coherence, topics=topics, seconds=taken)
    yield Trial(*where, BUILT_IN, division.score_answers(model.predict(division.test)))


def try_mixed(data: Folded, n_topics: int, fold: int, name: str) -> Iterator[Trial]:
    """Yield topics of supervised anchors mixed with tf-idf, in one of two ways."""
    division, find = data.divide(fold), sum_odds if name == SUMMED else put_side_by_side
    by_mix = [division.score_answers(odds > 0.0) for odds in find(fit_supervised(division, n_topics), division)]
    mix = choose_mix(data, n_topics, fold, find)
    yield Trial(data.name, n_topics, fold, name, by_mix[MIXES.index(mix)], mix=mix, by_mix=by_mix)


def try_anchors(data: Folded, n_topics: int, fold: int) -> Iterator[Trial]:
    """Yield the same anchors without labels."""
    division, start = data.divide(fold), time.perf_counter()
    model = AnchorTopics(n_topics).fit(division.train)
    features = log_shares(model, division.train), log_shares(model, division.test)
    taken = round(time.perf_counter() - start, 2)
    topics = name_topics(model, division.words) if fold == 0 else []
    coherence = data.measure_coherence(model.components_)
    yield Trial(data.name, n_topics, fold, PLAIN, division.score(features), coherence, topics=topics, seconds=taken)


def infer_logs(model: Any, texts: list[list[str]]) -> tuple[list[Any], np.ndarray]:
    """Return documents of a model of tomotopy, and the logarithms of their topic shares."""
    documents = [model.make_doc(text) for text in texts]
    return documents, np.log(np.array(model.infer(documents, workers=1)[0]))


def try_lda(data: Folded, n_topics: int, fold: int, name: str) -> Iterator[Trial]:
    """Yield LDA, or supervised LDA and what it answers itself."""
    division, start = data.divide(fold), time.perf_counter()
    train, test = as_words(division.train, division.words), as_words(division.test, division.words)
    if name == SLDA:
        model = make_slda(train, division.labels, n_topics)
    else:
        model = import_peer("tomotopy").LDAModel(k=n_topics, seed=0)
        for text in train:
            model.add_doc(text)
    model.train(LDA_ITERATIONS, workers=1)
    documents, logs = infer_logs(model, test)
    features = infer_logs(model, train)[1], logs
    taken = round(time.perf_counter() - start, 2)
    coherence = data.measure_coherence(read_topics(model, division.words))
    yield Trial(data.name, n_topics, fold, name, division.score(features), coherence, seconds=taken)
    if name == SLDA:
        answers = np.array(model.estimate(documents)).ravel() > 0.5
        yield Trial(data.name, n_topics, fold, SLDA_ITSELF, division.score_answers(answers))


def try_model(data: Folded, n_topics: int, fold: int, name: str) -> Iterator[Trial]:
    if name in (MIXED, SUMMED):
        return try_mixed(data, n_topics, fold, name)
    ways = {SUPERVISED: try_supervised, PLAIN: try_anchors}
    return ways[name](data, n_topics, fold) if name in ways else try_lda(data, n_topics, fold, name)


def try_lexical(data: Folded, fold: int) -> Trial:
    """Return tf-idf alone."""
    division = data.divide(fold)
    return Trial(data.name, 0, fold, LEXICAL, division.score(lexical_features(division.train, division.test)))


def divide_newsgroups() -> Division:
    """Return whole messages in the published split; the terms are those of training messages."""
    corpus = read_corpus(find_corpus(NEWSGROUPS))
    vectorizer = Vectorizer(max_terms=N_TERMS)
    (train, y), (test, truth) = (
        ([document.text for document in part], np.array([document.labels[0] for document in part], dtype=object))
        for part in corpus.split()
    )
    return Division(
        vectorizer.fit_transform(train), y, vectorizer.transform(test), truth, vectorizer.get_feature_names_out()
    )


def try_newsgroups() -> Iterator[Trial]:
    """Yield features with and without labels, the built-in answers, and tf-idf with the better cost of errors."""
    division = divide_newsgroups()
    where = (NEWSGROUPS, NEWS_TOPICS, 0)
    start = time.perf_counter()
    model = fit_supervised(division, NEWS_TOPICS)
    features = model.features(division.train), model.features(division.test)
    taken = round(time.perf_counter() - start, 2)
    topics = name_topics(model, division.words)
    yield Trial(*where, SUPERVISED, division.score(features), topics=topics, seconds=taken)
    yield Trial(*where, BUILT_IN, division.score_answers(model.predict(division.test)))
    plain = AnchorTopics(NEWS_TOPICS).fit(division.train)
    topics = name_topics(plain, division.words)
    for name, method in ((PLAIN, "cd"), (ONESHOT, "oneshot")):
        features = log_shares(plain, division.train, method), log_shares(plain, division.test, method)
        yield Trial(*where, name, division.score(features), topics=topics if name == PLAIN else [])
    lexical = lexical_features(division.train, division.test)
    yield Trial(NEWSGROUPS, 0, 0, LEXICAL, best_lexical_accuracy(lexical, division.labels, division.truth))


def show(trials: list[Trial]) -> None:
    """Print trials as they are made."""
    for trial in trials:
        beside = "" if trial.npmi is None else f", NPMI {trial.npmi:.3f}"
        beside += "" if trial.mix is None else f", {trial.mix:.0%} tf-idf"
        beside += f", {trial.seconds:.1f} s" if trial.seconds else ""
        print(
            f"{trial.corpus} {trial.n_topics} fold {trial.fold} {trial.model}: {trial.accuracy:.3f}{beside}", flush=True
        )


def keep(ledger: Ledger[Trial], trials: list[Trial]) -> None:
    for trial in trials:
        ledger.add(trial)
    show(trials)


def measure(
    ledger: Ledger[Trial], corpus: str, topics: Sequence[int], folds: Sequence[int], models: Sequence[str]
) -> None:
    """Try everything that the file has not got yet, and keep it there."""
    data = Folded(corpus, read_reviews(corpus))
    shape = data.reviews.X.shape
    print(f"{corpus}: {shape[0]:,} reviews, {shape[1]:,} terms, {data.reviews.five.mean():.1%} five stars", flush=True)
    for fold in folds:
        if not ledger.find(corpus=corpus, model=LEXICAL, fold=fold):
            keep(ledger, [try_lexical(data, fold)])
        for n_topics in topics:
            for name in models:
                if not ledger.find(corpus=corpus, model=name, fold=fold, n_topics=n_topics):
                    keep(ledger, list(try_model(data, n_topics, fold, name)))


def _mean(values: list[float]) -> str:
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.3f}{spread}"


def write_results(ledger: Ledger[Trial], corpus: str) -> list[str]:
    """Return accuracies and coherence, means over folds with the deviation between them."""
    topics = sorted({trial.n_topics for trial in ledger.find(corpus=corpus)} - {0})
    columns = [f"K = {n_topics}" for n_topics in topics]
    lines = write_head(f"{corpus}: accuracy", columns)
    for name in (SUPERVISED, BUILT_IN, MIXED, SUMMED, PLAIN, LDA, SLDA, SLDA_ITSELF):
        found = [ledger.find(corpus=corpus, model=name, n_topics=n_topics) for n_topics in topics]
        lines.append(write_row(name, [_mean([trial.accuracy for trial in trials]) for trials in found]))
    lexical = _mean([trial.accuracy for trial in ledger.find(corpus=corpus, model=LEXICAL)])
    lines.append(write_row(LEXICAL, [lexical] * len(topics)))
    lines += write_head(f"{corpus}: NPMI, Wikipedia", columns)
    for name in (SUPERVISED, PLAIN, LDA, SLDA):
        found = [ledger.find(corpus=corpus, model=name, n_topics=n_topics) for n_topics in topics]
        values = [[trial.npmi for trial in trials if trial.npmi is not None] for trials in found]
        lines.append(write_row(name, [_mean(each) for each in values]))
    return lines


def write_mixes(ledger: Ledger[Trial], corpus: str) -> list[str]:
    """Return the accuracy at each share of tf-idf, and the shares that were chosen."""
    lines = write_head(f"{corpus}: share of tf-idf", [*(f"{mix:.0%}" for mix in MIXES), "chosen"])
    for n_topics in sorted({trial.n_topics for trial in ledger.find(corpus=corpus, model=MIXED)}):
        trials = ledger.find(corpus=corpus, model=MIXED, n_topics=n_topics)
        means = np.mean([trial.by_mix for trial in trials], axis=0)
        chosen = ", ".join(f"{trial.mix:.0%}" for trial in trials)
        lines.append(write_row(f"K = {n_topics}", [*(f"{mean:.3f}" for mean in means), chosen]))
    return lines


def write_anchors(ledger: Ledger[Trial], corpus: str) -> list[str]:
    """Return the anchors of both kinds in the first fold, with the top words of those that only labels bring."""
    lines = []
    for n_topics in sorted({trial.n_topics for trial in ledger.find(corpus=corpus)} - {0}):
        where = {"corpus": corpus, "n_topics": n_topics, "fold": 0}
        found = [
            dict(topic.split(": ", 1) for trial in ledger.find(model=name, **where) for topic in trial.topics)
            for name in (SUPERVISED, PLAIN)
        ]
        if not all(found):
            continue
        labelled, plain = found
        lines += ["", f"{corpus}, K = {n_topics}"]
        lines += ["", f"- with and without labels: {' '.join(sorted(labelled.keys() & plain.keys()))}"]
        lines += [f"- only without: {' '.join(sorted(plain.keys() - labelled.keys()))}", "- only with labels:"]
        lines += [f"  - {anchor}: {words}" for anchor, words in labelled.items() if anchor not in plain]
    return lines


def write_newsgroups(ledger: Ledger[Trial]) -> list[str]:
    trials = ledger.find(corpus=NEWSGROUPS)
    lines = write_head(f"{NEWSGROUPS}, K = {NEWS_TOPICS}", ["accuracy"]) if trials else []
    return lines + [write_row(trial.model, [f"{trial.accuracy:.3f}"]) for trial in trials]


def write_tables(ledger: Ledger[Trial]) -> str:
    """Return everything in Markdown."""
    lines = []
    for corpus in CORPORA:
        if ledger.find(corpus=corpus):
            for write in (write_results, write_mixes, write_anchors):
                lines += write(ledger, corpus)
    return "\n".join([*lines, *write_newsgroups(ledger)])


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anchor_reviews", description=__doc__)
    known = (*CORPORA, NEWSGROUPS)
    parser.add_argument("--corpora", nargs="+", default=known, choices=known)
    parser.add_argument("--topics", nargs="+", type=int, default=TOPICS)
    parser.add_argument("--folds", nargs="+", type=int, default=range(FOLDS), choices=range(FOLDS))
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--tables", action="store_true", help="print what has been measured, and measure nothing")
    path = REPOSITORY / "benchmarks" / "results" / "anchor_reviews.jsonl"
    parser.add_argument("--ledger", type=Path, default=path, help="where results are kept")
    arguments = parser.parse_args()
    ledger = Ledger(arguments.ledger, Trial)
    for corpus in () if arguments.tables else arguments.corpora:
        if corpus != NEWSGROUPS:
            measure(ledger, corpus, arguments.topics, arguments.folds, arguments.models)
        elif not ledger.find(corpus=NEWSGROUPS):
            keep(ledger, list(try_newsgroups()))
    print(write_tables(ledger))


if __name__ == "__main__":
    main()
