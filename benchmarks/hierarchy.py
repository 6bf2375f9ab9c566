"""``python -m benchmarks.hierarchy``: whether trees of topics find the hierarchy of 20 Newsgroups.

Forty topics are found without labels, by Wayword's models and by scikit-learn's NMF, of counts with the divergence and
of tf-idf with squares. Each set of topics is joined to the same trees. A topic holds the messages that have more of it
than of any other; the purity of a tree is what of a node is of the group that brought two topics together.

Groups are the subjects of newsgroups, which are the first parts of their names but for alt.atheism,
soc.religion.christian and talk.religion.misc, which are about religion, as opposed to talk.politics: comp, rec, sci,
misc, politics and religion. Messages are without headers (all up to the first blank line), stop words out, lemmas,
terms of twenty documents or more and of a fifth of them at most. By chance is the mean purity of a hundred trees of the
same shape whose topics are shuffled.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
from scipy import sparse
from sklearn import decomposition
from sklearn.feature_extraction.text import TfidfTransformer

from benchmarks.measure import find_corpus
from wayword import NMF, AnchorTopics, TopicDiscovery, Vectorizer, read_corpus
from wayword.hierarchy import TopicTree, build_tree, dendrogram_purity, format_tree
from wayword.hierarchy.build import Method, Similarity
from wayword.models.theme_scores import normalise_rows

RELIGION = ("alt.atheism", "soc.religion.christian", "talk.religion.misc")
LINKAGES: tuple[Method, ...] = ("single", "average", "ward")
SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)
COLUMNS: list[tuple[Method, Similarity]] = [
    (linkage, similarity) for similarity in SIMILARITIES for linkage in LINKAGES
]
CHANCES, WORDS = 100, 4
PEER_ITERATIONS = 200


@dataclass(frozen=True)
class Data:
    """Counted messages, and the group of each."""

    X: sparse.csr_matrix
    terms: list[str]
    groups: np.ndarray

    @cached_property
    def tf_idf(self) -> sparse.csr_matrix:
        """The same, weighted."""
        return TfidfTransformer(sublinear_tf=True).fit_transform(self.X)

    @cached_property
    def indicator(self) -> np.ndarray:
        """Which group each message is of: documents by groups."""
        return (self.groups[:, None] == np.unique(self.groups)).astype(float)


def name_group(newsgroup: str) -> str:
    """Return the subject of a newsgroup."""
    if newsgroup in RELIGION:
        return "religion"
    return "politics" if newsgroup.startswith("talk.politics") else newsgroup.partition(".")[0]


def read_data(n_documents: int | None = None) -> Data:
    """Return the messages, or some drawn at random."""
    corpus = list(read_corpus(find_corpus("20newsgroups")))
    order = np.random.RandomState(0).permutation(len(corpus))[:n_documents]
    documents = [corpus[place] for place in np.sort(order)]
    vectorizer = Vectorizer(min_df=20, max_df=0.2)
    X = vectorizer.fit_transform([document.text.partition("\n\n")[2] for document in documents])
    groups = np.array([name_group(document.labels[0]) for document in documents])
    kept = np.diff(X.indptr) > 0
    return Data(X[kept].astype(np.float64), list(vectorizer.get_feature_names_out()), groups[kept])


def peer(loss: str, n_topics: int, seed: int) -> decomposition.NMF:
    """Return scikit-learn's model."""
    solver = "mu" if loss == "kullback-leibler" else "cd"
    return decomposition.NMF(
        n_topics, init="nndsvda", beta_loss=loss, solver=solver, max_iter=PEER_ITERATIONS, random_state=seed
    )


# A model by name: what it is made by from a number of topics and a seed, and whether it takes tf-idf.
MODELS: dict[str, tuple[Callable[[int, int], Any], bool]] = {
    "TopicDiscovery": (lambda n_topics, seed: TopicDiscovery(n_topics, random_state=seed), False),
    "NMF, divergence": (lambda n_topics, seed: NMF(n_topics, random_state=seed), False),
    "NMF, tf-idf": (lambda n_topics, seed: NMF(n_topics, loss="frobenius", random_state=seed), True),
    "AnchorTopics": (lambda n_topics, seed: AnchorTopics(n_topics, random_state=seed), False),
    "scikit-learn, divergence": (lambda n_topics, seed: peer("kullback-leibler", n_topics, seed), False),
    "scikit-learn, tf-idf": (lambda n_topics, seed: peer("frobenius", n_topics, seed), True),
}


@dataclass(frozen=True)
class Fit:
    """Topics, the main topic of each document, and the seconds to find both."""

    topics: np.ndarray
    main: np.ndarray
    seconds: float

    @property
    def weights(self) -> np.ndarray:
        """The share of documents of each topic."""
        return np.bincount(self.main, minlength=len(self.topics)) / len(self.main)

    def count(self, data: Data) -> np.ndarray:
        """Return how many documents of each group each topic holds."""
        held = np.zeros((len(self.topics), data.indicator.shape[1]))
        np.add.at(held, self.main, data.indicator)
        return held


def fit_model(data: Data, name: str, n_topics: int, seed: int) -> Fit:
    """Return what a model finds."""
    make, weighted = MODELS[name]
    X = data.tf_idf if weighted else data.X
    start = time.perf_counter()
    model = make(n_topics, seed)
    W = model.fit(X).transform(X)
    taken = time.perf_counter() - start
    return Fit(np.asarray(model.components_), np.asarray(W).argmax(axis=1), taken)


def grow(data: Data, fit: Fit, linkage: Method, similarity: Similarity) -> TopicTree:
    """Return the tree of topics found."""
    return build_tree(
        fit.topics, method=linkage, similarity=similarity, weights=fit.weights, terms=data.terms, n_terms=WORDS
    )


def purity_by_chance(tree: TopicTree, held: np.ndarray) -> float:
    """Return the mean purity of a tree whose topics are shuffled."""
    rng = np.random.RandomState(0)
    return statistics.fmean(dendrogram_purity(tree, held[rng.permutation(len(held))]) for _ in range(CHANCES))


def measure(data: Data, fit: Fit) -> dict[str, float]:
    """Return the purity of each tree, that by chance, and that of the topics themselves."""
    held = fit.count(data)
    trees = {column: grow(data, fit, *column) for column in COLUMNS}
    found = {
        f"{linkage}, {similarity}": dendrogram_purity(trees[linkage, similarity], held)
        for linkage, similarity in COLUMNS
    }
    found["by chance"] = purity_by_chance(trees["average", "contrast"], held)
    found["topics alone"] = float(held.max(axis=1).sum() / held.sum())
    return found


def write_run(run: dict[str, float]) -> str:
    return "; ".join(f"{column} {value:.3f}" for column, value in run.items())


def write_table(results: dict[str, list[dict[str, float]]]) -> str:
    """Return means and ranges over seeds, in Markdown."""
    columns = list(next(iter(results.values()))[0])
    lines = [f"| topics of | {' | '.join(columns)} |", f"|---|{'--:|' * len(columns)}"]
    for name, runs in results.items():
        cells = []
        for column in columns:
            values = [run[column] for run in runs]
            spread = f" ± {(max(values) - min(values)) / 2:.3f}" if len(runs) > 1 else ""
            cells.append(f"{statistics.fmean(values):.3f}{spread}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def tell_groups(data: Data, fit: Fit, tree: TopicTree) -> TopicTree:
    """Return a tree whose topics say which group holds most of them."""
    held = normalise_rows(fit.count(data))
    groups = np.unique(data.groups)
    told = [f"{groups[row.argmax()]} {row.max():.0%}".replace("%", " %") for row in held]
    return tree.rename([f"{name} ({group})" for name, group in zip(tree.names, told, strict=False)])


def main() -> None:
    """Measure, and print a table and trees."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hierarchy", description=__doc__)
    parser.add_argument("--topics", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--documents", type=int, help="so many messages drawn at random, for a quick look")
    parser.add_argument("--trees", nargs="*", default=["TopicDiscovery"], choices=list(MODELS), help="trees to print")
    arguments = parser.parse_args()
    data = read_data(arguments.documents)
    print(f"{data.X.shape[0]:,} messages, {data.X.shape[1]:,} terms, {arguments.topics} topics", flush=True)
    results: dict[str, list[dict[str, float]]] = {}
    for name in arguments.models:
        for seed in range(arguments.seeds):
            fit = fit_model(data, name, arguments.topics, seed)
            results.setdefault(name, []).append(measure(data, fit))
            print(f"{name}, seed {seed}, {fit.seconds:.0f} s: {write_run(results[name][-1])}", flush=True)
            if seed == 0 and name in arguments.trees:
                print(format_tree(tell_groups(data, fit, grow(data, fit, "average", "contrast")), weights=True))
    print(write_table(results))


if __name__ == "__main__":
    main()
