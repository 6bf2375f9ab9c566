"""``python -m benchmarks.discovery``: topics that nobody asked for by name, against the peers a user would pick.

All models get the same matrix: terms of ten documents or more and of 40 % of them at most, the 5,000 most frequent; 70 %
of documents to learn from, the rest to measure with. Coherence is that of the ten top terms of each topic in the other
30 % and in paragraphs of Wikipedia, pairs that never meet counting -1 or 0; diversity is the share of distinct terms
among them; labels are compared with the largest topic of each of the other documents. Settings of `TopicDiscovery` were
chosen on Reuters and tripadvisor alone. Rows are kept as they are made; ``--table`` prints what there is.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.anchor_quality import Ledger, read_topics
from benchmarks.anchors import as_words, import_peer
from benchmarks.measure import REPOSITORY, Result, compare, find_corpus
from wayword import AnchorTopics, TopicDiscovery, Vectorizer, infer_topics, npmi, read_corpus

CORPORA = ("reuters", "tripadvisor", "20newsgroups", "20newsgroups-bodies", "bills112", "nips")
CHOSEN_ON = ("reuters", "tripadvisor")
TOPICS = (20, 50)
N_TERMS, LEAST_DOCUMENTS, MOST_SHARE, LEARNT_SHARE, TOP_TERMS = 5_000, 10, 0.4, 0.7, 10
BEATEN_BY, LEAST_DIVERSITY = 0.03, 0.85


@dataclass(frozen=True)
class Data:
    """Counted documents to learn from and to measure with, and a reference with the same columns."""

    terms: np.ndarray
    train: sparse.csr_matrix
    test: sparse.csr_matrix
    labels: list[str] | None
    reference: sparse.csc_matrix


@dataclass(frozen=True)
class Row:
    """One model of one corpus, measured.

    Attributes
    ----------
    corpus, n_topics, model, seed
        What was fitted.
    npmi, npmi_zero, wikipedia, wikipedia_zero : float
        Coherence in other documents and in Wikipedia; pairs that never meet count -1, or 0.
    diversity : float
        The share of distinct terms among top terms.
    label_nmi : float or None
        Normalised mutual information of first labels and largest topics.
    seconds : float
        Time to fit, from counts to topics.
    """

    corpus: str
    n_topics: int
    model: str
    seed: int
    npmi: float
    npmi_zero: float
    wikipedia: float
    wikipedia_zero: float
    diversity: float
    label_nmi: float | None
    seconds: float


def count_bags() -> tuple[sparse.csr_matrix, np.ndarray]:
    """Return the counts of NIPS papers, which come as bags of words, and their words."""
    folder = find_corpus("reuters").parent
    words = np.array((folder / "uci_nips_freq20.vocab.txt").read_text(encoding="utf-8").split(), dtype=object)
    rows, columns, counts = np.loadtxt(folder / "uci_nips_freq20.docword.txt.gz", skiprows=3, dtype=int).T
    X = sparse.csr_matrix((counts.astype(float), (rows - 1, columns - 1)), shape=(rows.max(), len(words)))
    frequencies = np.bincount(X.indices, minlength=len(words))
    wanted = np.flatnonzero((frequencies >= LEAST_DOCUMENTS) & (frequencies <= MOST_SHARE * X.shape[0]))
    totals = np.asarray(X.sum(axis=0)).ravel()[wanted]
    kept = np.sort(wanted[np.argsort(-totals, kind="stable")[:N_TERMS]])
    return sparse.csr_matrix(X[:, kept]), words[kept]


def count_texts(name: str) -> tuple[sparse.csr_matrix, Vectorizer, list[str] | None]:
    """Return counts, what counts other texts alike, and the first label of each document, if there are labels."""
    if name == "nips":
        X, words = count_bags()
        plain = Vectorizer(language="none", lemmatize=False, stop_words=None, min_length=1, vocabulary=words)
        return X, plain.fit([""]), None
    corpus = read_corpus(find_corpus(name.partition("-")[0]))
    texts = [document.text for document in corpus]
    if name.endswith("-bodies"):
        texts = [text.partition("\n\n")[2] for text in texts]
    vectorizer = Vectorizer(min_df=LEAST_DOCUMENTS, max_df=MOST_SHARE, max_terms=N_TERMS)
    return vectorizer.fit_transform(texts), vectorizer, [document.labels[0] for document in corpus]


def read_data(name: str) -> Data:
    """Return a corpus in two parts."""
    X, vectorizer, labels = count_texts(name)
    order = np.random.RandomState(0).permutation(X.shape[0])
    learnt = int(LEARNT_SHARE * len(order))
    train, test = np.sort(order[:learnt]), np.sort(order[learnt:])
    reference = sparse.csc_matrix(vectorizer.transform(read_corpus(find_corpus("reference_wikipedia"))))
    names = None if labels is None else [labels[document] for document in test]
    return Data(vectorizer.get_feature_names_out(), X[train].astype(float), X[test].astype(float), names, reference)


def train(texts: list[list[str]], n_topics: int, seed: int, iterations: int) -> Any:
    """Return a model by collapsed Gibbs sampling, in one thread."""
    model = import_peer("tomotopy").LDAModel(k=n_topics, seed=seed)
    for text in texts:
        model.add_doc(text)
    model.train(iterations, workers=1)
    return model


def sample(data: Data, n_topics: int, seed: int, iterations: int) -> np.ndarray:
    """Return topics by collapsed Gibbs sampling."""
    return read_topics(train(as_words(data.train, data.terms), n_topics, seed, iterations), data.terms)


def factorise(X: sparse.csr_matrix, n_topics: int, seed: int, **settings: object) -> np.ndarray:
    """Return topics of scikit-learn's NMF."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return decomposition.NMF(n_topics, random_state=seed, **settings).fit(X).components_


def discover(data: Data, n_topics: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return topics and what is shown of them."""
    model = TopicDiscovery(n_topics, random_state=seed).fit(data.train)
    return model.components_, model.display_components_


def anchor(data: Data, n_topics: int, seed: int) -> np.ndarray:
    """Return topics of rectified anchor words."""
    return AnchorTopics(n_topics, random_state=seed).fit(data.train).components_


MODELS: dict[str, Callable[[Data, int, int], np.ndarray]] = {
    "LDA 200": lambda data, n_topics, seed: sample(data, n_topics, seed, 200),
    "LDA 1000": lambda data, n_topics, seed: sample(data, n_topics, seed, 1000),
    "NMF tf-idf": lambda data, n_topics, seed: factorise(TfidfTransformer().fit_transform(data.train), n_topics, seed),
    "NMF KL": lambda data, n_topics, seed: factorise(
        data.train, n_topics, seed, solver="mu", beta_loss="kullback-leibler", init="nndsvda"
    ),
    "rectified anchors": anchor,
}
OURS, OURS_RAW = "TopicDiscovery", "TopicDiscovery, raw"
SEEDED = ("LDA 200", "LDA 1000")


def measure_topics(data: Data, topics: np.ndarray, scores: np.ndarray) -> dict[str, Any]:
    """Return coherence, diversity and agreement with labels of topics, read by some scores of terms."""
    tops = [np.argsort(-row, kind="stable")[:TOP_TERMS].tolist() for row in scores]
    measures: dict[str, Any] = {
        name + ending: float(npmi(tops, X, unseen=unseen).mean())
        for name, X in (("npmi", data.test), ("wikipedia", data.reference))
        for ending, unseen in (("", -1.0), ("_zero", 0.0))
    }
    measures["diversity"] = len({term for top in tops for term in top}) / (TOP_TERMS * len(tops))
    measures["label_nmi"] = None
    if data.labels is not None:
        likely = topics + np.finfo(np.float32).tiny
        largest = infer_topics(data.test, likely / likely.sum(axis=1, keepdims=True)).argmax(axis=1)
        measures["label_nmi"] = float(normalized_mutual_info_score(data.labels, largest))
    return measures


def fit_rows(data: Data, corpus: str, n_topics: int, model: str, seed: int) -> list[Row]:
    """Fit a model and measure it; ours is measured as shown and as it is."""
    start = time.perf_counter()
    if model == OURS:
        topics, shown = discover(data, n_topics, seed)
        readings = {OURS: shown, OURS_RAW: topics}
    else:
        topics = MODELS[model](data, n_topics, seed)
        readings = {model: topics}
    taken = round(time.perf_counter() - start, 2)
    return [
        Row(corpus, n_topics, name, seed, **measure_topics(data, topics, scores), seconds=taken)
        for name, scores in readings.items()
    ]


def measure(ledger: Ledger[Row], corpora: Sequence[str], models: Sequence[str], seeds: int) -> None:
    """Fit everything that the file has not got yet, and keep it there."""
    for corpus in corpora:
        data = read_data(corpus)
        print(f"{corpus}: {data.train.shape[0]:,} + {data.test.shape[0]:,} documents, {len(data.terms):,} terms")
        for n_topics in TOPICS:
            for model in models:
                for seed in range(seeds if model in SEEDED else 1):
                    if ledger.find(corpus=corpus, n_topics=n_topics, model=model, seed=seed):
                        continue
                    for row in fit_rows(data, corpus, n_topics, model, seed):
                        ledger.add(row)
                        print(row, flush=True)


def run(repeats: int) -> Iterator[Result]:
    """Compare the time from counts to topics with that of 200 iterations of LDA, one thread each."""
    os.environ["WAYWORD_THREADS"] = "1"
    for corpus in CORPORA:
        X, vectorizer, _ = count_texts(corpus)
        X = X.astype(float)
        texts = as_words(X, vectorizer.get_feature_names_out())
        for n_topics in TOPICS:
            yield compare(
                f"{corpus}, {X.shape[0]:,} documents, {n_topics} topics, against 200 iterations of tomotopy's LDAModel",
                partial(TopicDiscovery(n_topics).fit, X),
                partial(train, texts, n_topics, 0, 200),
                target=3.0,
                repeats=repeats,
            )


def mean(rows: Sequence[Row], name: str) -> float:
    """Return the mean of a measure, NaN where it is missing."""
    values = [getattr(row, name) for row in rows if getattr(row, name) is not None]
    return statistics.mean(values) if values else float("nan")


def print_table(ledger: Ledger[Row]) -> None:
    """Print a line for each model of each corpus, and in how many cells the promises hold."""
    measures = ("npmi", "npmi_zero", "wikipedia", "wikipedia_zero", "diversity", "label_nmi", "seconds")
    print("| corpus | topics | model | " + " | ".join(measures) + " |\n|---|--:|---|" + "--:|" * len(measures))
    cells = coherent = diverse = 0
    for corpus in CORPORA:
        for n_topics in TOPICS:
            found = {
                model: ledger.find(corpus=corpus, n_topics=n_topics, model=model) for model in (OURS, OURS_RAW, *MODELS)
            }
            for model, rows in found.items():
                if rows:
                    print(
                        f"| {corpus} | {n_topics} | {model} | "
                        + " | ".join(f"{mean(rows, name):.3f}" for name in measures[:-1])
                        + f" | {mean(rows, 'seconds'):.1f} |"
                    )
            if found[OURS] and found["LDA 1000"]:
                cells += 1
                coherent += mean(found[OURS], "npmi") >= mean(found["LDA 1000"], "npmi") + BEATEN_BY
                diverse += mean(found[OURS], "diversity") >= LEAST_DIVERSITY
    print(f"\ncoherence at least {BEATEN_BY} above LDA 1000 in {coherent} of {cells} cells, ", end="")
    print(f"diversity {LEAST_DIVERSITY} or more in {diverse}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.discovery", description=__doc__)
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA)
    parser.add_argument("--models", nargs="+", choices=[OURS, *MODELS], default=[OURS, *MODELS])
    parser.add_argument("--seeds", type=int, default=3, help="how many runs of what starts at random")
    parser.add_argument("--table", action="store_true", help="only print what has been measured")
    path = REPOSITORY / "benchmarks" / "results" / "discovery.jsonl"
    parser.add_argument("--ledger", type=Path, default=path, help="where rows are kept")
    arguments = parser.parse_args()
    ledger = Ledger(arguments.ledger, Row)
    if not arguments.table:
        measure(ledger, arguments.corpora, arguments.models, arguments.seeds)
    print_table(ledger)


if __name__ == "__main__":
    main()
