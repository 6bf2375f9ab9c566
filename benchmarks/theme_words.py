"""``python -m benchmarks.theme_words``: Figures 8.4 to 8.6 of the thesis for themes of Reuters and Brown, and coherence.

All documents are labelled. The top words of themes with one and with three subtopics at several purity ratios, and of
three subtopics taken together by their maximum and by their sum. Then the coherence of subtopics, and of as many topics
of LDA, on documents that neither was fitted to.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.thesis import prepare, read_texts
from wayword import ThemeNMF, Vectorizer, npmi, split_documents, theme_terms, top_terms

SHOWN = {"reuters": ("coffee", "earn", "crude"), "brown": ("religion", "science_fiction", "government")}
PURITIES = (0.0, 0.6, 1.0)
_WORDS, _COHERENCE_WORDS = 5, 10


def count(corpus: str) -> tuple[Any, list[list[str]], Vectorizer]:
    """Return the counts of a corpus as the thesis made them, its labels, and what counted."""
    texts, labels = read_texts(corpus)
    vectorizer = prepare()
    return vectorizer.fit_transform(texts), labels, vectorizer


def backgrounds_of(model: ThemeNMF) -> np.ndarray:
    """Return the background of each theme."""
    if model.background_ is None:
        raise AssertionError("separated themes have backgrounds")
    return model.background_


def list_words(model: ThemeNMF, theme: int, terms: list[str], purity: float) -> Iterator[tuple[str, str]]:
    """Yield the name and the top words of a theme's subtopics, and of the theme by maximum and sum."""
    subtopics, background = model.subtopics_[theme], backgrounds_of(model)[theme]
    each = theme_terms(subtopics, background, purity_ratio=purity, aggregate=None)
    rows = [(f"subtopic {place}", row) for place, row in enumerate(each, 1)] if len(each) > 1 else []
    rows += [(how, theme_terms(subtopics, background, purity_ratio=purity, aggregate=how)) for how in ("max", "sum")]
    for name, row in rows if len(each) > 1 else rows[:1]:
        yield name, ", ".join(term for term, _ in top_terms(row, terms, n=_WORDS)[0])


def write_words(corpus: str) -> str:
    """Return the top words of some themes, in Markdown."""
    X, labels, vectorizer = count(corpus)
    terms = vectorizer.get_feature_names_out().tolist()
    titles = " | ".join(f"purity {purity:g}" for purity in PURITIES)
    lines = [f"| {corpus} | | {titles} |", f"|---|---|{'---|' * len(PURITIES)}"]
    for n_subtopics in (1, 3):
        model = ThemeNMF(n_subtopics, supervision="supervised", score="likelihood").fit(X, labels)
        names = [str(name) for name in model.themes_]
        for name in SHOWN[corpus]:
            columns = [dict(list_words(model, names.index(name), terms, purity)) for purity in PURITIES]
            for part in columns[0]:
                label = "one subtopic" if n_subtopics == 1 else part
                lines.append(f"| {name} | {label} | {' | '.join(column[part] for column in columns)} |")
    return "\n".join(lines)


def measure_coherence(corpus: str, seed: int) -> dict[str, float]:
    """Return the mean coherence of subtopics at each purity ratio, and of LDA's topics, on held-out documents."""
    X, labels, _ = count(corpus)
    train, test = split_documents(labels, 0.5, random_state=seed)
    model = ThemeNMF(3, supervision="supervised", score="likelihood", random_state=seed)
    model.fit(X[train], [labels[place] for place in train])
    found = {}
    for purity in PURITIES:
        topics = []
        for subtopics, background in zip(model.subtopics_, backgrounds_of(model), strict=True):
            scores = theme_terms(subtopics, background, purity_ratio=purity, aggregate=None)
            topics += np.argsort(-scores, axis=1, kind="stable")[:, :_COHERENCE_WORDS].tolist()
        found[f"subtopics, purity {purity:g}"] = float(npmi(topics, X[test]).mean())
    lda = LatentDirichletAllocation(3 * len(model.themes_), max_iter=20, random_state=seed).fit(X[train])
    best = np.argsort(-lda.components_, axis=1, kind="stable")[:, :_COHERENCE_WORDS]
    found["LDA"] = float(npmi(best.tolist(), X[test]).mean())
    return found


def main() -> None:
    """Print words and coherence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.theme_words", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many splits for the coherence")
    arguments = parser.parse_args()
    for corpus in SHOWN:
        print(write_words(corpus), flush=True)
        runs = [measure_coherence(corpus, seed) for seed in range(arguments.seeds)]
        for name in runs[0]:
            values = [run[name] for run in runs]
            print(f"{corpus} NPMI {name}: {np.mean(values):.3f} ± {np.std(values):.3f}", flush=True)


if __name__ == "__main__":
    main()
