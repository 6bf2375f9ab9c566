"""``python -m benchmarks.anchor_wikipedia``: chapter 3 of Nguyen's thesis, its coherence in Wikipedia.

The topics of `benchmarks.anchor_quality`, learnt from the same documents: how well their top twenty words go together in
paragraphs of Wikipedia, and in its articles. Words that never meet there count -1, and once more 0: in so few articles
many pairs of rare words would not meet if they were anything but always together. As in the thesis, articles are parted
in two halves: M is chosen with plain anchors on the one, the strength of a penalty at that M too, and what was chosen is
reported on the other; rectified anchors choose their own M. Then penalties once more, with M and strength chosen
together, as every other model has it, and anchors whose penalty is chosen, too: none, squares or Beta.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy import sparse

from benchmarks.anchor_quality import (
    ANCHORS,
    CORPORA,
    MODELS,
    TOP_WORDS,
    TOPICS,
    Data,
    Ledger,
    Setting,
    find_thresholds,
    fit_model,
    read_counts,
    top_columns,
    write_head,
    write_row,
)
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import Vectorizer, npmi, read_corpus

# Weaker ones than for a corpus's own documents, too: what brings up its own words takes Wikipedia's away.
SQUARES = (0.1, 1.0)
STRENGTHS = {
    "anchor-L2": SQUARES,
    "anchor-Beta": (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
    "rectified L2": SQUARES,
}
SPLITS = 3
UNITS = ("paragraphs", "articles")
# What is counted, and what words score that never meet there.
MEASURES = {f"{unit}, unseen pairs {unseen}": (unit, float(unseen)) for unseen in (0, -1) for unit in UNITS}


@dataclass(frozen=True)
class Way:
    """What a line of the tables shows.

    Attributes
    ----------
    models : tuple of str
        Those that are chosen from.
    own : bool
        Whether M is chosen with them, rather than with plain anchors.
    """

    models: tuple[str, ...]
    own: bool = True


PLAIN = Way(("anchor",))
WAYS = {
    "anchor": PLAIN,
    "anchor-L2": Way(("anchor-L2",), own=False),
    "anchor-Beta": Way(("anchor-Beta",), own=False),
    "anchor-Beta, with an M of its own": Way(("anchor-Beta",)),
    "anchor, with the penalty that is chosen": Way(("anchor", "anchor-L2", "anchor-Beta")),
    "rectified": Way(("rectified",)),
    "rectified L2": Way(("rectified L2",)),
    "rectified Beta": Way(("rectified Beta",)),
    "rectified, with the penalty that is chosen": Way(("rectified", "rectified L2", "rectified Beta")),
    "Gibbs LDA": Way(("Gibbs LDA",)),
    "variational LDA": Way(("variational LDA",)),
}
DIFFERENCES = (
    ("anchor-Beta", "anchor"),
    ("anchor-Beta, with an M of its own", "anchor"),
    ("rectified, with the penalty that is chosen", "anchor-Beta"),
    ("rectified, with the penalty that is chosen", "anchor-Beta, with an M of its own"),
    ("rectified, with the penalty that is chosen", "anchor, with the penalty that is chosen"),
)


@dataclass(frozen=True)
class Coherence:
    """The mean coherence of one model's topics in Wikipedia.

    Attributes
    ----------
    corpus, n_topics, model, min_df, strength, seed
        What was fitted, as for `benchmarks.anchor_quality.Fit`.
    dev, test : dict of str to float
        In the half to choose by and in that to report on, by each measure.
    """

    corpus: str
    n_topics: int
    model: str
    min_df: int
    strength: float
    seed: int
    dev: dict[str, float]
    test: dict[str, float]


@dataclass(frozen=True)
class Half:
    """Half of Wikipedia, counted by paragraphs and by articles."""

    counts: dict[str, sparse.csc_matrix]

    def cohere(self, tops: list[list[int]]) -> dict[str, float]:
        """Return how well top words go together, on average over topics."""
        return {
            measure: float(npmi(tops, self.counts[unit], unseen=unseen).mean())
            for measure, (unit, unseen) in MEASURES.items()
        }


def read_halves(vectorizer: Vectorizer) -> list[Half]:
    """Return the counts of articles in two halves; paragraphs of an article are named after it."""
    paragraphs = list(read_corpus(find_corpus("reference_wikipedia")))
    counts = sparse.csr_matrix(vectorizer.transform([paragraph.text for paragraph in paragraphs]))
    _, articles = np.unique([paragraph.id.partition("#")[0] for paragraph in paragraphs], return_inverse=True)
    joined = sparse.csr_matrix((np.ones(len(articles)), (articles, np.arange(len(articles))))) @ counts
    order = np.random.RandomState(0).permutation(joined.shape[0])
    halves = []
    for half in np.array_split(order, 2):
        parts = counts[np.isin(articles, half)], joined[half]
        halves.append(Half(dict(zip(UNITS, map(sparse.csc_matrix, parts), strict=True))))
    return halves


def choose(found: list[Coherence], way: Way, measure: str) -> Coherence | None:
    """Return the best of the fits that a way chooses from, by the half to choose by."""
    chosen_from = [each for each in found if each.model in way.models]
    if not way.own and (plain := choose(found, PLAIN, measure)):
        chosen_from = [each for each in chosen_from if each.min_df == plain.min_df]
    return max(chosen_from, key=lambda each: each.dev[measure], default=None)


def plan(data: Data, n_topics: int) -> Iterator[Setting]:
    """Yield what to fit."""
    for model in ANCHORS:
        for threshold in find_thresholds(data, n_topics):
            yield from (Setting(model, threshold, strength) for strength in STRENGTHS.get(model, (0.0,)))
    yield from (Setting(model) for model in MODELS if model not in ANCHORS)


def measure(ledger: Ledger[Coherence], corpora: Sequence[str], topics: Sequence[int], seeds: int) -> None:
    """Fit everything that the file has not got yet, and keep its coherence there."""
    for corpus in corpora:
        counts, vectorizer = read_counts(corpus)
        halves = read_halves(vectorizer)
        for seed in range(seeds):
            data = counts.split(seed)
            for n_topics in topics:
                where = {"corpus": corpus, "n_topics": n_topics, "seed": seed}
                for setting in plan(data, n_topics):
                    if ledger.find(**where, **asdict(setting)):
                        continue
                    tops = top_columns(fit_model(data, n_topics, setting, seed).topics, TOP_WORDS).tolist()
                    dev, test = (half.cohere(tops) for half in halves)
                    ledger.add(Coherence(**where, **asdict(setting), dev=dev, test=test))
                    print(corpus, n_topics, seed, setting, dev, flush=True)


def list_chosen(ledger: Ledger[Coherence], corpus: str, n_topics: int, way: Way, measure: str) -> dict[int, float]:
    """Return what the chosen fit of each split has in the half to report on."""
    found = ledger.find(corpus=corpus, n_topics=n_topics)
    splits = {seed: [each for each in found if each.seed == seed] for seed in sorted({each.seed for each in found})}
    chosen = {seed: choose(fits, way, measure) for seed, fits in splits.items()}
    return {seed: best.test[measure] for seed, best in chosen.items() if best}


def write_difference(better: dict[int, float], other: dict[int, float]) -> str:
    """Return by how much one is better on the splits that both have, with the standard error."""
    differences = [better[seed] - other[seed] for seed in sorted(better.keys() & other.keys())]
    error = statistics.stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else float("nan")
    return f"{statistics.fmean(differences):+.4f} ± {error:.4f}" if differences else ""


def write_table(ledger: Ledger[Coherence], corpus: str, measure: str) -> list[str]:
    """Return what the chosen fits do in the half to report on, means over splits, and differences."""
    topics = sorted({each.n_topics for each in ledger.find(corpus=corpus)})
    lines = write_head(f"{corpus}: NPMI, Wikipedia, {measure}", [f"K = {n_topics}" for n_topics in topics])
    chosen = {
        name: [list_chosen(ledger, corpus, n_topics, way, measure) for n_topics in topics] for name, way in WAYS.items()
    }
    for name, found in chosen.items():
        lines.append(write_row(name, [f"{statistics.fmean(each.values()):.3f}" if each else "" for each in found]))
    for better, other in DIFFERENCES:
        cells = [write_difference(*pair) for pair in zip(chosen[better], chosen[other], strict=True)]
        lines.append(write_row(f"{better}, less {other}", cells))
    return lines


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anchor_wikipedia", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, choices=CORPORA)
    parser.add_argument("--topics", nargs="+", type=int, default=TOPICS)
    parser.add_argument("--seeds", type=int, default=SPLITS, help="how many splits, each with a seed of its own")
    parser.add_argument("--tables", action="store_true", help="print what has been measured, and measure nothing")
    arguments = parser.parse_args()
    ledger = Ledger(REPOSITORY / "benchmarks" / "results" / "anchor_wikipedia.jsonl", Coherence)
    if not arguments.tables:
        measure(ledger, arguments.corpora, arguments.topics, arguments.seeds)
    for corpus in CORPORA:
        for name in MEASURES:
            print("\n".join(write_table(ledger, corpus, name)))


if __name__ == "__main__":
    main()
