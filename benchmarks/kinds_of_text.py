"""``python -m benchmarks.kinds_of_text``: themes against plain classifiers on texts of other kinds.

Made from the corpora at hand: texts of a few words, labels that one document in twenty has, two labels that are alike,
and opinions for or against. Samples of 3,000 documents, some of them labelled. Beside the default `ThemeNMF` the best
plain classifier of `benchmarks.classifiers`, chosen on the test documents of each split. Measured is the log rank
accuracy, and the calibration error of themes.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.classifiers import Split, count_terms, fit_themes, try_classifiers
from benchmarks.measure import find_corpus
from wayword import log_rank_accuracy, read_corpus, split_documents
from wayword.evaluation.calibration import expected_calibration_error

RATIOS, SAMPLE, FEWEST, MOST_TERMS = (0.02, 0.1, 0.4), 3_000, 5, 50_000
ALIKE = ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware")

Labels = tuple[str, ...]
Text = tuple[str, Labels]


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _subject(text: str) -> str:
    found = re.search(r"^Subject:(?:\s*re:)*\s*(.*)$", text, flags=re.MULTILINE | re.IGNORECASE)
    return found[1] if found else ""


def _body(text: str) -> str:
    return text.partition("\n\n")[2]


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text.strip())[0]


def _whole(text: str) -> str:
    return text


def _told(labels: Labels) -> Labels:
    return labels


def _is(*names: str) -> Callable[[Labels], Labels]:
    return lambda labels: ("yes",) if set(names) & set(labels) else ("no",)


# Kinds by their names: of what corpus, what part of its texts, and what is made of its labels.
KINDS: dict[str, tuple[str, Callable[[str], str], Callable[[Labels], Labels]]] = {
    "headlines of Reuters": ("reuters", _first_line, _told),
    "subjects of messages": ("20newsgroups", _subject, _told),
    "titles of bills": ("bills112", _first_line, _told),
    "first sentences of Yelp": ("yelp", _first_sentence, _told),
    "earnings or not": ("reuters", _whole, _is("earn")),
    "space or not": ("20newsgroups", _body, _is("sci.space")),
    "products liked or not": ("amazon", _whole, _is("4", "5")),
    "hotels liked or not": ("tripadvisor", _whole, _is("4", "5")),
    "two kinds of hardware": ("20newsgroups", _body, lambda labels: tuple(set(labels) & set(ALIKE))),
}


def make_texts(kind: str) -> Iterator[Text]:
    """Yield texts of a kind with their labels; those that have no word or no label are left out."""
    corpus, part, relabel = KINDS[kind]
    for document in read_corpus(find_corpus(corpus)):
        text, labels = part(document.text), relabel(tuple(document.labels))
        if text.strip() and labels:
            yield text, labels


def draw_sample(kind: str) -> tuple[list[str], np.ndarray]:
    """Return some texts of a kind, and which of the labels that are frequent enough they have."""
    texts = list(make_texts(kind))
    some = [texts[place] for place in np.random.RandomState(5).permutation(len(texts))[:SAMPLE]]
    names = sorted({name for _, labels in some for name in labels})
    indicator = np.array([[name in labels for name in names] for _, labels in some], dtype=int)
    indicator = indicator[:, indicator.sum(axis=0) >= FEWEST]
    kept = np.flatnonzero(indicator.sum(axis=1))
    return [some[place][0] for place in kept], indicator[kept]


def measure(kind: str, ratio: float, seeds: int) -> np.ndarray:
    """Return in percent the accuracy of themes and of the best classifier, and the calibration error, means of splits."""
    texts, labels = draw_sample(kind)
    counts, found = count_terms(texts, MOST_TERMS), []
    for seed in range(seeds):
        split = Split(texts, labels, *split_documents(labels, ratio, random_state=seed))
        _, chances, _ = fit_themes(split, counts)
        best = max(accuracy for _, accuracy, _ in try_classifiers(split))
        truth = labels[split.test]
        themes, error = log_rank_accuracy(truth, chances), expected_calibration_error(truth, chances)
        found.append([100.0 * themes, best, 100.0 * error])
    return np.mean(found, axis=0)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kinds_of_text", description=__doc__)
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--seeds", type=int, default=4, help="how many splits")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
    print(f"| themes / best classifier, calibration error | {' | '.join(f'{ratio:.0%}' for ratio in RATIOS)} |")
    print(f"|---|{'--:|' * len(RATIOS)}")
    for kind in arguments.kinds:
        rows = [measure(kind, ratio, arguments.seeds) for ratio in RATIOS]
        cells = " | ".join(f"{themes:.1f} / {best:.1f}, {error:.1f}" for themes, best, error in rows)
        print(f"| {kind} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
