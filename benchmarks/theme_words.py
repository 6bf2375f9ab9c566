"""``python -m benchmarks.theme_words``: Figures 8.4 to 8.6 of the thesis for themes of Reuters and Brown, and coherence.

All documents are labelled. The top words of themes with one and with three subtopics at several purity ratios, and of
three subtopics taken together by their maximum and by their sum. Then the coherence of subtopics, and of as many topics
of LDA, on documents that neither was fitted to, and how many of the top words of themes are of one theme alone.

``--samples`` looks at samples of six corpora instead, 30 % labelled, with default settings: coherence in all documents,
and how many test documents hold more of the top words of their own theme than of any other's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.classifiers import read_documents
from benchmarks.thesis import prepare, read_texts
from wayword import ThemeNMF, Vectorizer, npmi, split_documents, theme_terms, top_terms

SHOWN = {"reuters": ("coffee", "earn", "crude"), "brown": ("religion", "science_fiction", "government")}
# The last is the default: what terms have beyond the background.
PURITIES = (0.0, 0.6, 1.0, None)
_WORDS, _COHERENCE_WORDS = 5, 10
SAMPLES = {"20newsgroups": 3000, "bills112": 3000, "amazon": 2000, "reuters": 3000, "brown": 500, "tripadvisor": 2000}
_LABELS, _LABELLED = 15, 0.3


def name_purity(purity: float | None) -> str:
    """Return a purity ratio in words."""
    return "beyond background" if purity is None else f"purity {purity:g}"


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


def list_words(model: ThemeNMF, theme: int, terms: list[str], purity: float | None) -> Iterator[tuple[str, str]]:
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
    titles = " | ".join(map(name_purity, PURITIES))
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


def best_columns(scores: np.ndarray) -> list[list[int]]:
    """Return the columns of the highest scores of each row, of those above zero."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :_COHERENCE_WORDS]
    return [row[values[row] > 0.0].tolist() for row, values in zip(best, scores, strict=True)]


def score_terms(model: ThemeNMF, purity: float | None) -> tuple[list[np.ndarray], np.ndarray]:
    """Return scores of terms in the subtopics of each theme, and in each theme."""
    weights = list(zip(model.subtopics_, backgrounds_of(model), strict=True))
    subtopics = [theme_terms(*each, purity_ratio=purity, aggregate=None) for each in weights]
    return subtopics, np.array([theme_terms(*each, purity_ratio=purity) for each in weights])


def share_alone(columns: list[list[int]]) -> float:
    """Return the share of top words that no other theme has."""
    counts = np.unique(np.concatenate(columns), return_counts=True)[1]
    return float((counts == 1).sum() / counts.sum())


def measure_coherence(corpus: str, seed: int) -> dict[str, float]:
    """Return the mean coherence of subtopics at each purity ratio, and of LDA's topics, on held-out documents.

    Beside it, how many of the top words of themes no other theme has.
    """
    X, labels, _ = count(corpus)
    train, test = split_documents(labels, 0.5, random_state=seed)
    model = ThemeNMF(3, supervision="supervised", score="likelihood", random_state=seed)
    model.fit(X[train], [labels[place] for place in train])
    found = {}
    for purity in PURITIES:
        subtopics, themes = score_terms(model, purity)
        # A subtopic of a label of a few documents may have no terms, or one.
        coherence = np.nanmean(npmi(best_columns(np.vstack(subtopics)), X[test]))
        found[f"NPMI subtopics, {name_purity(purity)}"] = float(coherence)
        found[f"top words of one theme alone, {name_purity(purity)}"] = share_alone(best_columns(themes))
    lda = LatentDirichletAllocation(3 * len(model.themes_), max_iter=20, random_state=seed).fit(X[train])
    found["NPMI LDA"] = float(npmi(best_columns(lda.components_), X[test]).mean())
    return found


def draw_sample(corpus: str) -> tuple[Any, np.ndarray]:
    """Return counts of documents that have one of the most frequent labels, and their labels."""
    texts, labels = read_documents(corpus)
    some = np.random.RandomState(1).permutation(len(texts))[: SAMPLES[corpus]]
    frequent = np.argsort(-labels[some].sum(axis=0))[:_LABELS]
    some = some[labels[np.ix_(some, frequent)].sum(axis=1) == 1]
    return Vectorizer().fit_transform([texts[place] for place in some]), labels[np.ix_(some, frequent)]


def measure_sample(corpus: str) -> Iterator[str]:
    """Yield what top words of a sample's themes say, at each purity ratio."""
    X, labels = draw_sample(corpus)
    train, test = split_documents(labels, _LABELLED, random_state=0)
    told: list[int | None] = [None] * len(labels)
    for place in train:
        told[place] = int(labels[place].argmax())
    model, holds = ThemeNMF().fit(X, told), (X[test] > 0).astype(np.float64)
    for purity in PURITIES:
        subtopics, themes = score_terms(model, purity)
        coherence = np.nanmean(npmi(best_columns(np.vstack(subtopics)), X))
        held = np.column_stack([holds[:, columns].sum(axis=1) for columns in best_columns(themes)])
        own = np.take_along_axis(held, labels[test].argmax(axis=1)[:, None], axis=1)
        most = (held >= own).sum(axis=1) == 1
        yield f"{corpus} {name_purity(purity)}: NPMI {coherence:.3f}, most words of its own theme {most.mean():.3f}"


def main() -> None:
    """Print words and coherence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.theme_words", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many splits for the coherence")
    parser.add_argument("--samples", action="store_true", help="samples of six corpora instead")
    arguments = parser.parse_args()
    for corpus in SAMPLES if arguments.samples else ():
        for line in measure_sample(corpus):
            print(line, flush=True)
    for corpus in () if arguments.samples else SHOWN:
        print(write_words(corpus), flush=True)
        runs = [measure_coherence(corpus, seed) for seed in range(arguments.seeds)]
        for name in runs[0]:
            values = [run[name] for run in runs]
            print(f"{corpus} {name}: {np.mean(values):.3f} ± {np.std(values):.3f}", flush=True)


if __name__ == "__main__":
    main()
