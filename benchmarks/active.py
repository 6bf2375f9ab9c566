"""``python -m benchmarks.active``: accuracy by the number of labels, asked for by one strategy or another.

The protocol of Nguyen (2019), section 5.3: five random documents of different labels, then one question at a time up to
200, measured on test documents. 20 Newsgroups and Reuters are parted as published; of Reuters, documents with exactly
one of the ten most frequent labels; of bills112, a fifth is drawn to test with. Rows are kept as they are made;
``--table`` prints what there is. The settings of "auto" were chosen on quarters of the documents to ask about, with
other seeds.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.active_peers import QUERIES, simulate_small_text
from benchmarks.anchor_quality import Ledger
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import Vectorizer, read_corpus
from wayword.active import DocumentSpace, LiveTopics, Simulation, build_space, simulate

# Topics, and documents that a term must occur in to become an anchor.
CORPORA = {"20newsgroups": (40, 200), "reuters": (10, 500), "bills112": (30, 300)}
TO_REACH = {"20newsgroups": 0.6, "reuters": 0.9, "bills112": 0.7}
SHOWN = (50, 100, 200)
MEASURES = ("accuracy", "macro_f1", "log_rank_accuracy", "npmi", "seconds")
N_START, N_LABELS, N_TOP_LABELS, TEST_SHARE = 5, 200, 10, 0.2
KINDS = ("", "_ent", "_rep", "_ent_rep")
STRATEGIES = (
    "auto",
    *(f"{name}:topics" for name in ("random", "entropy", "margin", "least_confidence", "density")),
    *(f"{name}:topics" for name in ("vote_entropy", "jensen_shannon")),
    *(f"{name}{kind}:topics" for name in ("alto", "alsup") for kind in KINDS),
    *(f"{name}:tfidf" for name in ("random", "entropy", "margin")),
    *(f"small-text:{query}" for query in QUERIES),
)


@dataclass(frozen=True)
class Row:
    """One run.

    Attributes
    ----------
    corpus, strategy, seed
        What was run; the strategy with what its regression sees.
    n_labels, accuracy, macro_f1, log_rank_accuracy, npmi, seconds : list
        As `Simulation` has them.
    """

    corpus: str
    strategy: str
    seed: int
    n_labels: list[int]
    accuracy: list[float]
    macro_f1: list[float]
    log_rank_accuracy: list[float]
    npmi: list[float]
    seconds: list[float]


@dataclass(frozen=True)
class Data:
    """Counted documents to ask about and to measure with, their labels, and the term of each column."""

    pool: sparse.csr_matrix
    y: list[str]
    test: sparse.csr_matrix
    y_test: list[str]
    terms: list[str]


def read_data(name: str) -> Data:
    """Return a corpus in two parts."""
    rows = [
        (document.text, document.labels, document.metadata.get("split")) for document in read_corpus(find_corpus(name))
    ]
    if name == "reuters":
        counts = Counter(label for _, labels, _ in rows for label in labels)
        top = {label for label, _ in counts.most_common(N_TOP_LABELS)}
        chosen = [(text, [label for label in labels if label in top], split) for text, labels, split in rows]
        rows = [row for row in chosen if len(row[1]) == 1]
    if name == "bills112":
        # Not to be drawn anew: settings were chosen on the other documents.
        drawn = np.random.RandomState(123).rand(len(rows)) >= 1 - TEST_SHARE
        rows = [
            (text, labels, "test" if test else "train") for (text, labels, _), test in zip(rows, drawn, strict=True)
        ]
    train, test = ([row for row in rows if row[2] == part] for part in ("train", "test"))
    vectorizer = Vectorizer(min_df=3, max_df=0.5)
    pool = vectorizer.fit_transform([text for text, _, _ in train]).astype(float)
    others = vectorizer.transform([text for text, _, _ in test]).astype(float)
    known, wanted = ([labels[0] for _, labels, _ in part] for part in (train, test))
    return Data(pool, known, others, wanted, list(vectorizer.vocabulary_))


@dataclass(frozen=True)
class Ground:
    """What is made once for a corpus, and shared by all runs of "auto"."""

    space: DocumentSpace
    live_topics: LiveTopics


def run(corpus: str, data: Data, name: str, features: str, seed: int, every: int, ground: Ground | None) -> Simulation:
    """Run one strategy once."""
    if name == "small-text":
        common = {"n_start": N_START, "n_labels": N_LABELS, "every": every, "random_state": seed}
        return simulate_small_text(data.pool, data.y, data.test, data.y_test, query=features, **common)
    n_topics, min_df = CORPORA[corpus]
    return simulate(
        data.pool,
        data.y,
        X_test=data.test,
        y_test=data.y_test,
        strategy=name,
        features=features or "topics",
        n_start=N_START,
        n_labels=N_LABELS,
        n_topics=n_topics,
        min_df=min_df,
        every=every,
        space=ground.space if ground else None,
        live_topics=ground.live_topics if ground else None,
        random_state=seed,
    )


def measure(
    ledger: Ledger[Row], corpora: Sequence[str], strategies: Sequence[str], seeds: Sequence[int], every: int
) -> None:
    """Run everything that the file has not got yet, and keep it there."""
    for corpus in corpora:
        data = read_data(corpus)
        print(
            f"{corpus}: {data.pool.shape[0]:,} + {data.test.shape[0]:,} documents, {len(set(data.y))} labels",
            flush=True,
        )
        ground = None
        if "auto" in strategies:
            ground = Ground(build_space(data.pool), LiveTopics(data.pool, n_topics=CORPORA[corpus][0]))
        for strategy in strategies:
            name, _, features = strategy.partition(":")
            for seed in seeds:
                if ledger.find(corpus=corpus, strategy=strategy, seed=seed):
                    continue
                found = run(corpus, data, name, features, seed, every, ground)
                values = {name: np.round(getattr(found, name), 4).tolist() for name in MEASURES}
                ledger.add(Row(corpus, strategy, seed, found.n_labels.tolist(), **values))
                print(
                    strategy,
                    seed,
                    dict(zip(found.n_labels.tolist(), found.accuracy.round(3).tolist(), strict=True)),
                    flush=True,
                )


def labels_to_reach(row: Row, wanted: float) -> float:
    """Return after how many labels an accuracy was reached first; infinite if never."""
    reached = [n for n, accuracy in zip(row.n_labels, row.accuracy, strict=True) if accuracy >= wanted]
    return reached[0] if reached else float("inf")


def print_table(ledger: Ledger[Row]) -> None:
    """Print means over seeds, their spread, and the median number of labels to a mark."""
    print("| corpus | strategy | runs | " + " | ".join(f"{n} labels" for n in SHOWN) + " | labels to the mark | ms |")
    print("|---|---|--:|" + "--:|" * (len(SHOWN) + 2))
    for corpus in CORPORA:
        for strategy in dict.fromkeys(row.strategy for row in ledger.rows):
            rows = ledger.find(corpus=corpus, strategy=strategy)
            if not rows:
                continue
            at = [[row.accuracy[row.n_labels.index(n)] for row in rows] for n in SHOWN]
            cells = [f"{100 * np.mean(values):.1f} ± {100 * np.std(values):.1f}" for values in at]
            mark = np.median([labels_to_reach(row, TO_REACH[corpus]) for row in rows])
            pace = 1000 * np.median(np.concatenate([row.seconds for row in rows]))
            print(f"| {corpus} | {strategy} | {len(rows)} | " + " | ".join(cells) + f" | {mark:g} | {pace:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.active", description=__doc__)
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument(
        "--strategies", nargs="+", default=STRATEGIES, help="with :tfidf or :topics behind, or small-text:QUERY"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=range(9101, 9106))
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--table", action="store_true", help="only print what has been measured")
    path = REPOSITORY / "benchmarks" / "results" / "active.jsonl"
    parser.add_argument("--ledger", type=Path, default=path, help="where rows are kept")
    arguments = parser.parse_args()
    ledger = Ledger(arguments.ledger, Row)
    if not arguments.table:
        measure(ledger, arguments.corpora, arguments.strategies, arguments.seeds, arguments.every)
    print_table(ledger)


if __name__ == "__main__":
    main()
