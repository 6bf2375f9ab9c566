"""``python -m benchmarks.stop_words``: what stop words, and pairs of words, are worth to themes.

Samples of five corpora, some documents labelled; words without stop words, all words, and all words and pairs of them, as
``wayword fit --themes`` counts them, and what it chooses by the labels. Beside them the best plain classifier of
`benchmarks.classifiers`, chosen on the test documents. Measured is the log rank accuracy, a mean over splits.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from benchmarks.classifiers import Split, read_documents, try_classifiers
from wayword import ThemeNMF, Vectorizer, select_terms, split_documents

SAMPLES = {"20newsgroups": 1500, "bills112": 2000, "amazon": 2000, "movie_reviews": 2000, "tripadvisor": 2000}
RATIOS, FEWEST = (0.05, 0.4), 5
WAYS: dict[str, Vectorizer] = {
    "all words": Vectorizer(min_df=2, max_terms=50_000, stop_words=None, min_length=2),
    "pairs": Vectorizer(min_df=2, max_terms=50_000, stop_words=None, min_length=2, ngrams=(1, 2)),
    "without stop words": Vectorizer(min_df=2, max_terms=50_000),
}


def draw_sample(corpus: str) -> tuple[list[str], np.ndarray]:
    """Return texts of one label each, of labels that are frequent enough, and their labels."""
    texts, labels = read_documents(corpus)
    some = np.random.RandomState(1).permutation(len(texts))[: SAMPLES[corpus]]
    frequent = np.flatnonzero(labels[some].sum(axis=0) >= FEWEST)
    some = some[labels[np.ix_(some, frequent)].sum(axis=1) == 1]
    return [texts[place] for place in some], labels[np.ix_(some, frequent)]


def measure(corpus: str, ratio: float, seeds: int) -> dict[str, float]:
    """Return the accuracy in percent of every way to count, of the chosen one, and of the best classifier."""
    texts, labels = draw_sample(corpus)
    counts = {name: way.fit_transform(texts) for name, way in WAYS.items()}
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        split = Split(texts, labels, *split_documents(labels, ratio, random_state=seed))
        told: list[int | None] = [None] * len(texts)
        for place in split.train:
            told[place] = int(labels[place].argmax())
        of_way = {
            name: split.measure(ThemeNMF().fit(X, told).predict_proba(X[split.test])) for name, X in counts.items()
        }
        best = max(accuracy for _, accuracy, _ in try_classifiers(split))
        chosen = of_way[select_terms(counts, told).best]
        for name, accuracy in {**of_way, "chosen": chosen, "best classifier": best}.items():
            found.setdefault(name, []).append(accuracy)
    return {name: float(np.mean(values)) for name, values in found.items()}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stop_words", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=SAMPLES, choices=SAMPLES)
    parser.add_argument("--seeds", type=int, default=2, help="how many splits")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
    rows = (*WAYS, "chosen", "best classifier")
    print(f"| | {' | '.join(rows)} |\n|---|{'--:|' * len(rows)}")
    for corpus in arguments.corpora:
        for ratio in RATIOS:
            found = measure(corpus, ratio, arguments.seeds)
            cells = " | ".join(f"{found[name]:.1f}" for name in rows)
            print(f"| {corpus}, {ratio:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
