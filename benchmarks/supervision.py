"""``python -m benchmarks.supervision``: how many labels it takes, after MacMillan and Wilson.

Reuters, documents of 250 characters or more, tf-idf of 2,000 terms with rows of length one, a topic for each of the 90
labels. Some documents are labelled, drawn at random; topics are matched with labels one to one by the weighted Jaccard
similarity of their shares of the documents, and a label is resolved above 0.1. Plain NMF and LDA know no label.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.figure import Line, draw_panels
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import (
    NMF,
    TopicSupervisedNMF,
    Vectorizer,
    match_topics,
    read_corpus,
    resolved_topics,
    topic_coverage,
    weighted_jaccard,
)

SUPERVISED = ("weighted", "unweighted", "weighted 20-fold")
RATES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
PAPER_RATES = (0.2, 0.5, 0.7, 0.9)
_LEAST_CHARACTERS = 250


@dataclass(frozen=True)
class Texts:
    """The documents, counted and weighted, and their labels.

    Attributes
    ----------
    counts, weighted : sparse matrices of shape (n_documents, n_terms)
        Term counts for LDA, tf-idf for the factorisations.
    labels : list of list of str
        Labels of each document.
    indicator : array of shape (n_documents, n_labels)
        The same as 0 and 1.
    """

    counts: sparse.csr_matrix
    weighted: sparse.csr_matrix
    labels: list[list[str]]
    indicator: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """How well the topics of one model match the labels.

    Attributes
    ----------
    model : str
        What was fitted.
    rate : float
        Share of documents that were labelled.
    seed : int
        Which documents those were, and where the model started.
    jaccard, resolved : float
        Mean similarity of labels and their topics, and labels resolved, over all documents.
    resolved_whole : float
        Labels resolved where every label of a document counts one, rather than its share of the labels.
    jaccard_unlabelled, resolved_unlabelled : float
        The same over the documents that were not labelled; None where all were.
    coverage : float
        Share of labels that the labelled documents hold.
    """

    model: str
    rate: float
    seed: int
    jaccard: float
    resolved: float
    resolved_whole: float
    jaccard_unlabelled: float | None
    resolved_unlabelled: float | None
    coverage: float


def read_texts() -> Texts:
    documents = [d for d in read_corpus(find_corpus("reuters")) if len(d.text) >= _LEAST_CHARACTERS]
    texts = [document.text for document in documents]
    labels = [list(document.labels) for document in documents]
    names = sorted({name for row in labels for name in row})
    indicator = np.array([[name in row for name in names] for row in labels], dtype=float)
    vectorizer = Vectorizer(max_terms=2000)
    counts = vectorizer.fit_transform(texts)
    return Texts(counts, vectorizer.set_params(weighting="tfidf", norm="l2").fit_transform(texts), labels, indicator)


def share_out(weights: np.ndarray) -> np.ndarray:
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def measure(model: str, W: np.ndarray, texts: Texts, rate: float, seed: int, told: np.ndarray) -> Outcome:
    """Compare the shares of topics with those of labels, each document's labels sharing alike."""
    shares = share_out(W)
    truth = share_out(texts.indicator)
    whole = match_topics(weighted_jaccard(shares, truth))
    ones = match_topics(weighted_jaccard(shares, texts.indicator))
    rest = None if told.all() else match_topics(weighted_jaccard(shares[~told], truth[~told]))
    return Outcome(
        model,
        rate,
        seed,
        whole.mean,
        len(resolved_topics(whole)),
        len(resolved_topics(ones)),
        rest.mean if rest else None,
        len(resolved_topics(rest)) if rest else None,
        topic_coverage(texts.labels, np.flatnonzero(told)) if told.any() else 0.0,
    )


def make_models(seed: int) -> dict[str, TopicSupervisedNMF]:
    return {
        "weighted": TopicSupervisedNMF(random_state=seed),
        "unweighted": TopicSupervisedNMF(label_weight=None, random_state=seed),
        "weighted 20-fold": TopicSupervisedNMF(label_weight=20.0, random_state=seed),
    }


def make_paper_models(seed: int) -> dict[str, TopicSupervisedNMF]:
    """Return the updates as the paper prints them, which know no labels to begin with."""
    return {"the paper's updates": TopicSupervisedNMF(solver="mu", init="acol", tol=0.0, random_state=seed)}


def fit_supervised(
    texts: Texts, rates: tuple[float, ...], seed: int, models: dict[str, TopicSupervisedNMF]
) -> Iterator[Outcome]:
    order = np.random.RandomState(seed).permutation(len(texts.labels))
    for rate in rates:
        told = np.zeros(len(order), dtype=bool)
        told[order[: round(rate * len(order))]] = True
        y = np.where(told[:, None], texts.indicator, -1)
        for name, model in models.items():
            model.fit(texts.weighted, y)
            yield measure(name, model.document_weights_, texts, rate, seed, told)


def fit_unsupervised(texts: Texts, seed: int) -> Iterator[Outcome]:
    nobody = np.zeros(len(texts.labels), dtype=bool)
    k = texts.indicator.shape[1]
    nmf = NMF(k, loss="frobenius", init="nndsvda" if seed == 0 else "acol", random_state=seed)
    yield measure("NMF", nmf.fit_transform(texts.weighted), texts, 0.0, seed, nobody)
    lda = LatentDirichletAllocation(k, max_iter=30, random_state=seed)
    yield measure("LDA", lda.fit_transform(texts.counts), texts, 0.0, seed, nobody)


def mean_and_spread(outcomes: list[Outcome], measure: str) -> tuple[float, float]:
    values = [getattr(outcome, measure) for outcome in outcomes]
    return statistics.fmean(values), statistics.pstdev(values)


def group(outcomes: list[Outcome]) -> dict[tuple[str, float], list[Outcome]]:
    groups: dict[tuple[str, float], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.model, outcome.rate), []).append(outcome)
    return groups


def write_table(outcomes: list[Outcome]) -> str:
    """Return a table of means and spreads over the seeds, in Markdown."""
    measures = (
        "Jaccard | resolved | resolved, labels as 0 and 1 | Jaccard, unlabelled | resolved, unlabelled | coverage"
    )
    rows = [f"| model | labelled | {measures} |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for (model, rate), members in group(outcomes).items():
        cells = [model, f"{rate:.0%}"]
        for name, digits in (
            ("jaccard", 3),
            ("resolved", 1),
            ("resolved_whole", 1),
            ("jaccard_unlabelled", 3),
            ("resolved_unlabelled", 1),
            ("coverage", 2),
        ):
            if getattr(members[0], name) is None:
                cells.append("")
                continue
            mean, spread = mean_and_spread(members, name)
            cells.append(f"{mean:.{digits}f} ± {spread:.{digits}f}")
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def draw(outcomes: list[Outcome], path: Path) -> None:
    """Draw similarity, resolved labels and coverage by the share of labelled documents."""
    groups = group(outcomes)
    panels = []
    for title, name in (("mean Jaccard", "jaccard"), ("labels resolved", "resolved"), ("coverage", "coverage")):
        lines = []
        for model in SUPERVISED[: 1 if name == "coverage" else None]:
            points = [(rate, *mean_and_spread(m, name)) for (kind, rate), m in groups.items() if kind == model]
            lines.append(Line(model, points))
        if name != "coverage":
            for model in ("NMF", "LDA"):
                mean, spread = mean_and_spread(groups[model, 0.0], name)
                lines.append(Line(model, [(RATES[0], mean, spread), (RATES[-1], mean, spread)], dashed=True))
        panels.append((title, lines))
    path.write_text(draw_panels(panels, "share of documents labelled"), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.supervision", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many draws of labelled documents")
    parser.add_argument("--paper", action="store_true", help="only the paper's own updates, at a few shares")
    parser.add_argument("--save", action="store_true", help="keep the results and the figure in the repository")
    arguments = parser.parse_args()
    texts = read_texts()
    print(f"{len(texts.labels):,} documents, {texts.indicator.shape[1]} labels, {texts.weighted.shape[1]:,} terms")
    outcomes: list[Outcome] = []
    for seed in range(arguments.seeds):
        if arguments.paper:
            outcomes.extend(fit_supervised(texts, PAPER_RATES, seed, make_paper_models(seed)))
            continue
        outcomes.extend(fit_unsupervised(texts, seed))
        outcomes.extend(fit_supervised(texts, RATES, seed, make_models(seed)))
    print(write_table(outcomes))
    if arguments.save and not arguments.paper:
        results = REPOSITORY / "benchmarks" / "results" / "supervision.json"
        results.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=2) + "\n", encoding="utf-8")
        draw(outcomes, REPOSITORY / "docs" / "images" / "supervision.svg")


if __name__ == "__main__":
    main()
