"""``python -m benchmarks.thesis``: the tables and figures of Suyunu's thesis, made again.

Table 8.1 (losses and weightings on Brown), Table 8.2 and Figure 8.2 (four kinds of themes, NMF and LDA, by the share of
labelled documents) and Figure 8.1 (bCool against a random start: accuracy and iterations), with the thesis's text
preparation, three subtopics, multiplicative updates and theme scores. NMF and LDA know no labels and see all documents,
whatever the share that is labelled; their topics are matched with labels on the labelled documents, by the thesis's
genetic algorithm and exactly. Documents without labels are those tried on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.figure import Line, draw_panels
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import (
    NMF,
    ThemeNMF,
    Vectorizer,
    log_rank_accuracy,
    match_by_genetic_algorithm,
    match_by_log_rank,
    read_corpus,
    split_documents,
)

# The thesis does not say how many; its published program leaves it to scikit-learn. About where supervised themes settle.
ITERATIONS = 25
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
THEMES: dict[str, dict[str, Any]] = {
    "Ss S-TSNMF": {"supervision": "semi", "mode": "separated"},
    "Ss C-TSNMF": {"supervision": "semi", "mode": "combined"},
    "S S-TSNMF": {"supervision": "supervised", "mode": "separated"},
    "S C-TSNMF": {"supervision": "supervised", "mode": "combined"},
}
# The rows of a table.
ORDER = (
    *(f"{name} {init}" for name in THEMES for init in ("bcool", "random")),
    *(f"{name} with {how}" for name in ("NMF", "LDA") for how in ("GA", "exact")),
)
PUBLISHED = {
    "brown": {
        "Ss S-TSNMF": (38, 55, 64, 67, 71, 72, 74, 76, 73),
        "Ss C-TSNMF": (54, 63, 67, 66, 70, 71, 71, 72, 72),
        "S S-TSNMF": (48, 64, 70, 71, 73, 74, 76, 78, 76),
        "S C-TSNMF": (53, 62, 67, 68, 70, 72, 73, 74, 74),
        "NMF with GA": (46, 49, 48, 48, 49, 51, 51, 50, 48),
        "LDA with GA": (41, 45, 45, 48, 46, 49, 51, 50, 47),
    },
    "reuters": {
        "Ss S-TSNMF": (79, 86, 87, 89, 90, 91, 92, 90, 89),
        "Ss C-TSNMF": (43, 44, 45, 47, 50, 50, 56, 57, 54),
        "S S-TSNMF": (74, 81, 83, 86, 89, 90, 91, 90, 89),
        "S C-TSNMF": (64, 69, 69, 72, 74, 76, 77, 76, 74),
        "NMF with GA": (31, 30, 31, 35, 35, 34, 38, 30, 34),
        "LDA with GA": (37, 36, 35, 35, 33, 34, 37, 38, 36),
    },
    # Of 433 documents; 96 are left.
    "schwartz_partial": {
        "Ss S-TSNMF": (53, 66, 70, 79, 81, 81, 84, 84, 85),
        "Ss C-TSNMF": (60, 66, 69, 74, 75, 75, 77, 78, 78),
        "S S-TSNMF": (64, 70, 76, 80, 82, 83, 86, 87, 87),
        "S C-TSNMF": (60, 67, 70, 75, 76, 77, 79, 80, 82),
        "NMF with GA": (53, 53, 53, 54, 54, 56, 55, 52, 55),
        "LDA with GA": (52, 54, 54, 57, 56, 53, 52, 56, 58),
    },
}
WHOLE = ("brown", "reuters")
# What the thesis leaves open. Its score compares weights, which go by how topics are scaled: as the fit leaves them, or
# each summing to one. And when to stop, which matters most under the squared distance.
READINGS: dict[str, dict[str, Any]] = {
    "here": {},
    "here, topics summing to one": {"score": "ratio"},
    "the same, five updates": {"score": "ratio", "max_iter": 5},
}
# Table 8.1: supervision, share labelled, loss, weighting, published accuracy.
SETTINGS = (
    ("semi", 0.3, "frobenius", "tf", 59.26),
    ("semi", 0.3, "kl", "tf", 64.06),
    ("semi", 0.3, "kl", "tfidf", 62.06),
    ("supervised", 0.3, "frobenius", "tf", 65.23),
    ("supervised", 0.3, "kl", "tf", 69.78),
    ("supervised", 0.3, "kl", "tfidf", 69.76),
    ("semi", 0.7, "frobenius", "tf", 68.43),
    ("semi", 0.7, "kl", "tf", 74.05),
    ("semi", 0.7, "kl", "tfidf", 72.73),
    ("supervised", 0.7, "frobenius", "tf", 73.23),
    ("supervised", 0.7, "kl", "tf", 75.67),
    ("supervised", 0.7, "kl", "tfidf", 74.33),
)


@dataclass(frozen=True)
class Run:
    """One model on one split: its log rank accuracy in percent, and the iterations it took."""

    table: str
    corpus: str
    model: str
    ratio: float
    seed: int
    accuracy: float
    iterations: int


def prepare(weighting: Any = "tf") -> Vectorizer:
    """Return the text preparation of section 7.1."""
    return Vectorizer(
        ngrams=(1, 3),
        max_terms=10_000,
        contractions=True,
        emoticons=True,
        weighting=weighting,
        norm="l2" if weighting == "tfidf" else None,
    )


def read_texts(corpus: str) -> tuple[list[str], list[list[str]]]:
    """Return the texts of 25 words or more, and their labels."""
    documents = list(read_corpus(find_corpus(corpus)))
    vectorizer = prepare().set_params(min_tokens=25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vectorizer.fit([document.text for document in documents])
    kept = [documents[place] for place in vectorizer.kept_]
    return [document.text for document in kept], [list(document.labels) for document in kept]


@dataclass(frozen=True)
class Divided:
    """A corpus with some documents labelled and the others to be tried on."""

    texts: list[str]
    labels: list[list[str]]
    train: np.ndarray
    test: np.ndarray

    def count(self, supervision: str, weighting: str = "tf") -> tuple[Any, Any, list[Any]]:
        """Return the matrix to fit on, that to try on, and what is told; only labelled documents teach if supervised."""
        told = [self.labels[place] for place in self.train]
        vectorizer = prepare(weighting)
        known, unknown = ([self.texts[place] for place in part] for part in (self.train, self.test))
        if supervision == "supervised":
            return vectorizer.fit_transform(known), vectorizer.transform(unknown), told
        X = vectorizer.fit_transform([*known, *unknown])
        return X, X[len(known) :], [*told, *[None] * len(unknown)]

    def measure(self, scores: np.ndarray, themes: Any) -> float:
        """Return the log rank accuracy of the documents tried on, in percent."""
        return 100.0 * log_rank_accuracy([self.labels[place] for place in self.test], scores, themes=list(themes))


def fit_model(
    divided: Divided, supervision: Any, weighting: str = "tf", *, settle: bool = True, **settings: Any
) -> tuple[float, int]:
    """Return the accuracy of themes with the thesis's settings, and the iterations until they settle if supervised."""
    X, X_test, told = divided.count(supervision, weighting)
    thesis = {"score": "thesis", "solver": "mu", "dampen": False, "max_iter": ITERATIONS, "tol": 0.0}
    model = ThemeNMF(supervision=supervision, **{**thesis, **settings}).fit(X, told)
    accuracy = divided.measure(model.theme_scores(X_test), model.themes_)
    if settle and supervision == "supervised" and weighting == "tf":
        model.set_params(max_iter=500, tol=1e-4).fit(X, told)
    return accuracy, model.n_iter_


@dataclass(frozen=True)
class Topics:
    """What a model without labels has of each document, and the iterations it took."""

    model: str
    weights: np.ndarray
    iterations: int


def fit_topics(texts: list[str], labels: list[list[str]], seed: int) -> list[Topics]:
    """Return NMF and LDA of all documents, with as many topics as there are labels."""
    X, n_topics = prepare().fit_transform(texts), len({name for row in labels for name in row})
    nmf = NMF(n_topics, init="acol", random_state=seed)
    lda = LatentDirichletAllocation(n_topics, random_state=seed)
    return [Topics(name, model.fit_transform(X), model.n_iter_) for name, model in (("NMF", nmf), ("LDA", lda))]


def match_topics(divided: Divided, found: Topics) -> Iterator[tuple[str, tuple[float, int]]]:
    """Yield what topics do that were matched by the genetic algorithm and exactly, on labelled documents."""
    labels = [divided.labels[place] for place in divided.train]
    for how, match in (("GA", match_by_genetic_algorithm), ("exact", match_by_log_rank)):
        themes = match(labels, found.weights[divided.train]).themes
        yield f"{found.model} with {how}", (divided.measure(found.weights[divided.test], themes), found.iterations)


Kind = Literal["settings", "bcool", "random", "topics"]


def name_reading(model: str, reading: str) -> str:
    """Return what a model is called under a reading of what the thesis leaves open; only the first goes without saying."""
    return f"{model}, {reading}" if READINGS[reading] else model


def make_runs(kind: Kind, corpus: str, ratio: float, seed: int, divided: Divided, found: list[Topics]) -> Iterator[Run]:
    """Yield runs of one kind on one split."""

    def run(model: str, measured: tuple[float, int]) -> Run:
        return Run("8.1" if kind == "settings" else "8.2", corpus, model, ratio, seed, *measured)

    if kind == "settings":
        for supervision, wanted, loss, weighting, _ in SETTINGS:
            if wanted == ratio:
                for reading, settings in READINGS.items():
                    given = {"loss": loss, "random_state": seed, **settings}
                    name = name_reading(f"{supervision} {loss} {weighting}", reading)
                    yield run(name, fit_model(divided, supervision, weighting, settle=not settings, **given))
    elif kind == "topics":
        for topics in found:
            for name, measured in match_topics(divided, topics):
                yield run(name, measured)
    else:
        for name, settings in THEMES.items():
            yield run(f"{name} {kind}", fit_model(divided, **settings, init=kind, random_state=seed))


def read_runs(path: Path) -> list[Run]:
    """Return the runs that a file holds."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Run(**json.loads(line)) for line in lines]


def has_runs(path: Path, kind: Kind, corpus: str, ratio: float, seed: int) -> bool:
    """Whether the file has runs of one kind on one split."""
    mark = {"settings": " tf", "bcool": " bcool", "random": " random", "topics": "LDA with exact"}[kind]
    where = ("8.1" if kind == "settings" else "8.2", corpus, ratio, seed)
    return any((r.table, r.corpus, r.ratio, r.seed) == where and r.model.endswith(mark) for r in read_runs(path))


def measure(path: Path, corpora: list[str], seeds: list[int], kinds: list[Kind]) -> None:
    """Run everything that the file has not got yet, and keep it there."""
    for corpus in corpora:
        texts, labels = read_texts(corpus)
        print(f"{corpus}: {len(texts):,} documents, {len({name for row in labels for name in row})} labels", flush=True)
        for seed in seeds:
            for kind in kinds:
                tried = (0.3, 0.7) * (corpus == "brown") if kind == "settings" else RATIOS
                missing = [ratio for ratio in tried if not has_runs(path, kind, corpus, ratio, seed)]
                found = fit_topics(texts, labels, seed) if kind == "topics" and missing else []
                for ratio in missing:
                    divided = Divided(texts, labels, *split_documents(labels, ratio, random_state=seed))
                    runs = list(make_runs(kind, corpus, ratio, seed, divided, found))
                    with path.open("a", encoding="utf-8") as file:
                        file.writelines(json.dumps(asdict(run)) + "\n" for run in runs)
                    print(corpus, f"{ratio:.0%}", seed, *(f"{r.model} {r.accuracy:.0f}" for r in runs), flush=True)


def write_tables(runs: list[Run]) -> str:
    """Return Tables 8.1 and 8.2 beside the published numbers, and Figure 8.1 as a table, in Markdown."""
    lines = []
    for corpus, published in PUBLISHED.items():
        lines += [
            "",
            f"| {corpus} | {' | '.join(f'{ratio:.0%}' for ratio in RATIOS)} |",
            f"|---|{'--:|' * len(RATIOS)}",
        ]
        known_models = {run.model for run in runs if (run.table, run.corpus) == ("8.2", corpus)}
        models = [model for model in ORDER if model in known_models]
        for model in models:
            cells = [_mean(runs, "8.2", corpus, model, ratio, "accuracy") for ratio in RATIOS]
            lines.append(f"| {model} | {' | '.join(cells)} |")
            if (known := published.get(model.removesuffix(" bcool"))) is not None:
                lines.append(f"| *published* | {' | '.join(map(str, known))} |")
            if model.startswith("S ") and model.endswith(("bcool", "random")):
                steps = [_mean(runs, "8.2", corpus, model, ratio, "iterations") for ratio in RATIOS]
                lines.append(f"| iterations | {' | '.join(steps)} |")
    lines += [
        "",
        f"| Table 8.1 | labelled | {' | '.join(READINGS)} | published |",
        f"|---|{'--:|' * (len(READINGS) + 2)}",
    ]
    for supervision, ratio, loss, weighting, known in SETTINGS:
        model = f"{supervision} {loss} {weighting}"
        cells = [_mean(runs, "8.1", "brown", name_reading(model, reading), ratio, "accuracy") for reading in READINGS]
        lines.append(f"| {model} | {ratio:.0%} | {' | '.join(cells)} | {known:.0f} |")
    return "\n".join(lines)


def _values(runs: list[Run], table: str, corpus: str, model: str, ratio: float, what: str) -> list[float]:
    return [getattr(r, what) for r in runs if (r.table, r.corpus, r.model, r.ratio) == (table, corpus, model, ratio)]


def _mean(runs: list[Run], table: str, corpus: str, model: str, ratio: float, what: str) -> str:
    found = _values(runs, table, corpus, model, ratio, what)
    return f"{statistics.fmean(found):.0f}" if found else ""


def draw(runs: list[Run], path: Path) -> None:
    """Draw Figure 8.2: accuracies here and as published, by the share of labelled documents, of whole corpora."""
    panels = []
    for corpus in WHOLE:
        published = PUBLISHED[corpus]
        lines = []
        for model in published:
            name = f"{model} bcool" if model in THEMES else model
            found = {r: _values(runs, "8.2", corpus, name, r, "accuracy") for r in RATIOS}
            points = [(r, statistics.fmean(v), statistics.pstdev(v)) for r, v in found.items() if v]
            lines += [Line(model, points)] if points else []
        if lines:
            known = [
                Line(model, [(r, v, 0.0) for r, v in zip(RATIOS, row, strict=True)]) for model, row in published.items()
            ]
            panels += [(f"{corpus}, here", lines), (f"{corpus}, published", known)]
    path.write_text(draw_panels(panels, "share of documents labelled"), encoding="utf-8")


def draw_starts(runs: list[Run], path: Path) -> None:
    """Draw Figure 8.1: bCool against a random start, accuracy and iterations, by the share of labelled documents."""

    def lines(corpus: str, model: str, what: str) -> list[Line]:
        drawn = []
        for start in ("bcool", "random"):
            found = {r: _values(runs, "8.2", corpus, f"{model} {start}", r, what) for r in RATIOS}
            drawn.append(Line(start, [(r, statistics.fmean(v), statistics.pstdev(v)) for r, v in found.items() if v]))
        return drawn

    panels = []
    for corpus in WHOLE:
        if any(run.corpus == corpus and run.model.endswith(" random") for run in runs):
            panels += [(f"{corpus}, {model}", lines(corpus, model, "accuracy")) for model in THEMES]
            settling = [model for model in THEMES if model.startswith("S ")]
            panels += [(f"iterations, {model}", lines(corpus, model, "iterations")) for model in settling]
    path.write_text(draw_panels(panels, "share of documents labelled", across=3), encoding="utf-8")


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.thesis", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=list(PUBLISHED), choices=list(PUBLISHED))
    parser.add_argument("--seeds", nargs="*", type=int, default=range(5), help="which splits; none: only the tables")
    kinds = ("settings", "bcool", "random", "topics")
    parser.add_argument("--kinds", nargs="+", default=kinds, choices=kinds, help="what to measure")
    arguments = parser.parse_args()
    path = REPOSITORY / "benchmarks" / "results" / "thesis.jsonl"
    measure(path, arguments.corpora, arguments.seeds, arguments.kinds)
    runs = read_runs(path)
    print(write_tables(runs))
    draw(runs, REPOSITORY / "docs" / "images" / "thesis.svg")
    draw_starts(runs, REPOSITORY / "docs" / "images" / "thesis-starts.svg")


if __name__ == "__main__":
    main()
