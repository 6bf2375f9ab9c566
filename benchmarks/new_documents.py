"""``python -m benchmarks.new_documents``: chances of labels for documents that themes were not fitted with.

Of some documents a share is labelled, and the default model is fitted to all of them, with words as terms. It then says
how likely labels are for the documents among these that were not labelled, and for others that it has never seen; and
once more for the latter as if nothing had been learnt about unseen documents. Of each corpus the 15 most frequent labels
are taken, and documents that have one of them. Means of a few draws.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.classifiers import make_vectorizer, read_documents
from wayword import ThemeNMF, expected_calibration_error, split_documents

# Corpora, how many documents to fit to, and shares labelled.
CASES = (("20newsgroups", 500, (0.1, 0.3)), ("20newsgroups", 4000, (0.1,)), ("bills112", 3000, (0.05, 0.3)))
N_LABELS, N_NEW, FEWEST, DRAWS = 15, 1500, 5, 3


@dataclass(frozen=True)
class Told:
    """What was said of some documents: the share that was right, the mean chance, and the calibration error."""

    right: float
    said: float
    error: float


def judge(truth: np.ndarray, chances: np.ndarray) -> Told:
    """Compare the likeliest label of each document with the truth."""
    right = truth[np.arange(len(truth)), chances.argmax(axis=1)]
    return Told(
        float(right.mean()), float(chances.max(axis=1).mean()), expected_calibration_error(truth.astype(int), chances)
    )


def draw_documents(corpus: str, n_documents: int, seed: int) -> tuple[list[str], np.ndarray, int]:
    """Return texts, their labels, and how many of them to fit to; the rest is new."""
    texts, labels = read_documents(corpus)
    top = np.argsort(-labels.sum(axis=0), kind="stable")[:N_LABELS]
    places = np.flatnonzero(labels[:, top].sum(axis=1) == 1)
    places = np.random.RandomState(seed).permutation(places)[: n_documents + N_NEW]
    chosen = labels[np.ix_(places, top)]
    chosen = chosen[:, chosen[:n_documents].sum(axis=0) >= FEWEST]
    kept = chosen.sum(axis=1) == 1
    return [texts[place] for place in places[kept]], chosen[kept], int(kept[:n_documents].sum())


def measure(corpus: str, n_documents: int, share: float, seed: int) -> dict[str, Told]:
    """Fit once; return what is said of documents of each kind."""
    texts, labels, n_fitted = draw_documents(corpus, n_documents, seed)
    vectorizer = make_vectorizer((1, 1), 50_000).fit(texts[:n_fitted])
    X = vectorizer.transform(texts)
    train, test = split_documents(labels[:n_fitted], share, random_state=seed)
    told: list[int | None] = [None] * n_fitted
    for place in train:
        told[place] = int(labels[place].argmax())
    model = ThemeNMF().fit(X[:n_fitted], told)
    found = {
        "fitted with": judge(labels[test], model.predict_proba(X[test])),
        "new": judge(labels[n_fitted:], model.predict_proba(X[n_fitted:])),
    }
    model.stack_["stretch"] = 1.0
    return found | {"new, nothing learnt about them": judge(labels[n_fitted:], model.predict_proba(X[n_fitted:]))}


def write_rows(draws: int) -> Iterator[str]:
    """Yield a table in Markdown, line by line."""
    yield "| corpus | labelled | documents | right | chance said | calibration error |"
    yield "|---|--:|---|--:|--:|--:|"
    for corpus, n_documents, shares in CASES:
        for share in shares:
            found = [measure(corpus, n_documents, share, seed) for seed in range(draws)]
            for kind in found[0]:
                means = [
                    statistics.fmean(getattr(each[kind], what) for each in found) for what in ("right", "said", "error")
                ]
                cells = " | ".join(f"{100 * mean:.1f}" for mean in means)
                yield f"| {corpus}, {n_documents:,} | {share:.0%} | {kind} | {cells} |"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.new_documents", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="how many draws of each")
    warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
    for line in write_rows(parser.parse_args().draws):
        print(line, flush=True)


if __name__ == "__main__":
    main()
