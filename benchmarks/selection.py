"""``python -m benchmarks.selection``: how many topics are recommended, and how much runs agree.

Planted corpora have a known number of topics: what is recommended for them, over several seeds. For 20 Newsgroups and
bills of the 112th Congress, the criteria and the recommendation. Then single runs from random starts against the
consensus of ten runs, the sets of runs disjoint: how far two results agree, and coherence and likelihood on documents
that were not learnt from.

Messages come without their headers (all up to the first blank line), stop words out, lemmas, terms of five documents or
more and of a fifth of them at most, the 3,000 most frequent; documents to learn from and as many others to measure on
are drawn with one seed. ``--parts`` and ``--corpora`` say what to run, ``--documents`` how large.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from scipy import sparse

from benchmarks.measure import find_corpus
from wayword import NMF, Vectorizer, held_out_likelihood, npmi, read_corpus
from wayword.evaluation.consensus import consensus_topics
from wayword.evaluation.selection import Selection, select_k
from wayword.evaluation.stability import topic_stability
from wayword.evaluation.term_lists import top_columns

PLANTED = (5, 8, 12, 20)
CORPORA = ("20newsgroups", "bills112")
KS = (5, 10, 20, 30, 40, 60)
RUN_TOPICS, RUNS_OF_A_SET = 20, 10
_TERMS, _AROUND = 3000, 4
PARTS = ("planted", "selection", "consensus")


def plant(n_topics: int, seed: int) -> sparse.csr_matrix:
    """Return documents of 60 tokens, most of one or two topics of terms drawn from a sparse Dirichlet distribution."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(400, 0.05), n_topics)
    chances = rng.dirichlet(np.full(n_topics, 0.1), 600) @ topics
    return sparse.csr_matrix([rng.multinomial(60, p / p.sum()) for p in chances], dtype=np.float64)


def read_halves(corpus: str, n_documents: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return the counts of documents to learn from, and of others."""
    texts = read_corpus(find_corpus(corpus)).texts
    if corpus == "20newsgroups":
        texts = [text.split("\n\n", 1)[-1] for text in texts]
    order = np.random.default_rng(0).permutation(len(texts))
    vectorizer = Vectorizer(min_df=5, max_df=0.2, max_terms=_TERMS)
    learnt = vectorizer.fit_transform([texts[place] for place in order[:n_documents]])
    return learnt, vectorizer.transform([texts[place] for place in order[n_documents : 2 * n_documents]])


def write_planted(seeds: int) -> Iterator[str]:
    """Yield what is recommended for planted corpora, in Markdown."""
    yield "| planted | recommended, by seed |"
    yield "|--:|---|"
    for n_topics in PLANTED:
        ks = range(max(2, n_topics - _AROUND), n_topics + _AROUND + 1)
        found = [select_k(plant(n_topics, seed), ks, random_state=seed).best for seed in range(seeds)]
        yield f"| {n_topics} | {', '.join(map(str, found))} |"


def write_selection(corpus: str, found: Selection) -> Iterator[str]:
    """Yield the criteria of a corpus, in Markdown."""
    yield f"| {corpus} | {' | '.join(found.curves)} |"
    yield f"|--:|{'--:|' * len(found.curves)}"
    for place, k in enumerate(found.ks):
        cells = (f"{means[place]:.3f} ± {spreads[place]:.3f}" for means, spreads in found.curves.values())
        yield f"| {k} | {' | '.join(cells)} |"
    yield f"\nRecommended: {found.reason}\n"


def write_agreement(name: str, results: list[np.ndarray], others: sparse.csr_matrix) -> str:
    """Return a row about the topics of several runs, or sets of runs, in Markdown."""
    lists = [top_columns(topics) for topics in results]
    agreement = topic_stability(*lists).mean
    coherence = [float(npmi(topics, others).mean()) for topics in lists]
    likelihood = [held_out_likelihood(others, topics) for topics in results]
    cells = (f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" for values in (coherence, likelihood))
    return f"| {name} | {agreement:.3f} | {' | '.join(cells)} |"


def write_consensus(corpus: str, learnt: sparse.csr_matrix, others: sparse.csr_matrix, sets: int) -> Iterator[str]:
    """Yield single runs against the consensus of disjoint sets of runs, in Markdown."""

    def alone(seed: int) -> np.ndarray:
        topics = NMF(RUN_TOPICS, init="random", random_state=seed).fit(learnt).components_.astype(np.float64)
        return topics / topics.sum(axis=1, keepdims=True)

    def agreed(seed: int, refit: bool) -> np.ndarray:
        # Each seed draws other starts and documents.
        return consensus_topics(
            learnt, RUN_TOPICS, n_runs=RUNS_OF_A_SET, refit=refit, random_state=1000 + seed
        ).components

    ways: dict[str, Callable[[int], np.ndarray]] = {
        "single runs": alone,
        f"medians of {RUNS_OF_A_SET} runs": lambda seed: agreed(seed, refit=False),
        f"consensus of {RUNS_OF_A_SET} runs": lambda seed: agreed(seed, refit=True),
    }
    yield f"| {corpus}, {RUN_TOPICS} topics | agreement | NPMI | log likelihood per token |"
    yield "|---|--:|--:|--:|"
    for name, way in ways.items():
        yield write_agreement(name, [way(seed) for seed in range(sets)], others)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="which tables")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=CORPORA, help="which real corpora")
    parser.add_argument("--documents", type=int, default=2000, help="how many documents of a real corpus to learn from")
    parser.add_argument("--seeds", type=int, default=5, help="how many planted corpora of each number of topics")
    parser.add_argument("--splits", type=int, default=5, help="how many splits of a real corpus; 2 or more")
    parser.add_argument("--sets", type=int, default=4, help="how many runs, and sets of runs, to compare; 2 or more")
    return parser.parse_args()


def write_tables(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the tables that were asked for."""
    if "planted" in arguments.parts:
        yield from write_planted(arguments.seeds)
    for corpus in arguments.corpora if {"selection", "consensus"} & set(arguments.parts) else ():
        learnt, others = read_halves(corpus, arguments.documents)
        if "selection" in arguments.parts:
            yield from write_selection(corpus, select_k(learnt, KS, n_splits=arguments.splits))
        if "consensus" in arguments.parts:
            yield from write_consensus(corpus, learnt, others, arguments.sets)


def main() -> None:
    """Print the tables."""
    for line in write_tables(read_arguments()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
