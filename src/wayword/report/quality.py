"""How good a model is, with what the figures mean in plain words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from wayword.evaluation.calibration import expected_calibration_error
from wayword.evaluation.coherence import npmi
from wayword.evaluation.diversity import topic_diversity
from wayword.evaluation.ranking import log_rank_accuracy
from wayword.evaluation.term_lists import top_columns
from wayword.report.contents import Drawing, Measure
from wayword.report.figures import draw_reliability
from wayword.report.overview import N_TERMS, Overview
from wayword.report.source import Source

# A document that holds so many of a topic's terms is about it.
_ENOUGH = 3
_BINS = 10
_FEWEST_FOR_CALIBRATION = 30


@dataclass(frozen=True, slots=True)
class Quality:
    """Measures, figures about them, and the coherence of each theme or topic; NaN where it is not known."""

    measures: tuple[Measure, ...]
    drawings: tuple[Drawing, ...]
    coherence: np.ndarray


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model says about labelled documents.

    Attributes
    ----------
    truth : bool array of shape (n_documents, n_labels)
    chances : array of shape (n_documents, n_labels)
    names : tuple of str
    single : bool
        Whether the model gives each document one label.
    where : str
        Which documents these are.
    """

    truth: np.ndarray
    chances: np.ndarray
    names: tuple[str, ...]
    single: bool
    where: str


def signed(score: float) -> str:
    """Return a score with two digits, and a minus sign where it needs one."""
    return f"{score:.2f}".replace("-", "−")


def _where(source: Source) -> str:
    assert source.X is not None
    n = f"{source.X.shape[0]:,} documents"
    if source.was_fitted_on_corpus():
        return f"the {n} that the model was fitted on, so it flatters the model"
    return f"the {n} of the corpus given, which are not just those that the model was fitted on"


def _measure_terms(source: Source, overview: Overview) -> tuple[list[Measure], np.ndarray]:
    columns = top_columns(overview.vectors, N_TERMS)
    kind = overview.kind
    coherence = np.full(len(columns), np.nan)
    found = []
    if source.X is not None:
        coherence = npmi(columns, source.X)
        known = coherence[np.isfinite(coherence)]
        if len(known):
            found.append(_say_coherence(known, kind, _where(source)))
        found.append(_say_coverage(source, columns, kind))
    if any(columns):
        found.insert(min(1, len(found)), _say_diversity(topic_diversity(columns), kind))
    return found, coherence


def _say_coherence(scores: np.ndarray, kind: str, where: str) -> Measure:
    meaning = (
        f"Whether the {N_TERMS} terms of a {kind} stand in the same documents (NPMI): 1 where they always come "
        "together, 0 where they meet as often as by chance, −1 where they never do. Compare it only between models of "
        f"the same documents. The {kind}s range from {signed(scores.min())} to {signed(scores.max())}."
    )
    return Measure("Coherence", signed(scores.mean()), meaning, where)


def _say_diversity(value: float, kind: str) -> Measure:
    meaning = (
        f"The share of distinct terms among the {N_TERMS} terms of all {kind}s: 100% where no two share a term. "
        f"Where it is low, several {kind}s say the same."
    )
    return Measure("Diversity", f"{value:.0%}", meaning, "no documents, the terms alone")


def _say_coverage(source: Source, columns: list[list[int]], kind: str) -> Measure:
    assert source.X is not None
    held = sparse.csr_matrix(source.X > 0, dtype=np.float64)
    indicator = sparse.lil_matrix((held.shape[1], len(columns)))
    for place, terms in enumerate(columns):
        indicator[terms, place] = 1.0
    hits = sparse.csr_matrix(held @ sparse.csr_matrix(indicator))
    most = np.asarray(hits.max(axis=1).todense()).ravel()
    meaning = (
        f"The share of documents that hold {_ENOUGH} or more of the {N_TERMS} terms of one {kind}. The others are "
        f"short, or about something that no {kind} names; {np.mean(np.diff(source.X.indptr) == 0):.1%} hold no known "
        "term at all."
    )
    return Measure("Coverage", f"{np.mean(most >= _ENOUGH):.0%}", meaning, _where(source))


def _ask(source: Source) -> Answers | None:
    """Return what the model says about the documents all of whose labels it knows; None if there are none."""
    names = source.classes
    if source.chances is None or not names:
        return None
    labels = source.labels_of_rows()
    known = [row for row, told in enumerate(labels) if told and set(names).issuperset(told)]
    if not known:
        return None
    places = {name: place for place, name in enumerate(names)}
    truth = np.zeros((len(known), len(names)), dtype=bool)
    for row, document in enumerate(known):
        truth[row, [places[name] for name in labels[document]]] = True
    single = source.model.label_kind_ == "single"
    return Answers(truth, source.chances[known], names, single, _where_labelled(source, labels, len(known)))


def _where_labelled(source: Source, labels: list[tuple[str, ...]], n_known: int) -> str:
    others = sum(map(bool, labels)) - n_known
    apart = f"; {others:,} with labels that the model does not know are left out" if others else ""
    seen = "the model was fitted on" if source.was_fitted_on_corpus() else "are not just those the model was fitted on"
    warn = ", so expect less of new ones" if source.was_fitted_on_corpus() else ""
    return f"{n_known:,} labelled documents of the corpus given, which {seen}{warn}{apart}"


def _say_accuracy(answers: Answers) -> list[Measure]:
    truth, chances = answers.truth, answers.chances
    rows = np.arange(len(truth))
    if answers.single:
        right = truth[rows, chances.argmax(axis=1)]
        often = truth.mean(axis=0)
        meaning = (
            "The share of documents whose likeliest label is right. To answer "
            f"“{answers.names[int(often.argmax())]}” every time would be right for {often.max():.0%}."
        )
    else:
        right = ((chances >= 0.5) == truth).all(axis=1)
        meaning = "The share of documents for which all labels are found, and no others."
    told = [[answers.names[place] for place in np.flatnonzero(row)] for row in truth]
    ranked = log_rank_accuracy(told, chances, themes=list(answers.names))
    how = (
        "How near the top the right labels are when all labels are sorted by their chances: 1 where they come first; "
        "the first places count most."
    )
    return [
        Measure("Accuracy", f"{right.mean():.1%}", meaning, answers.where),
        Measure("Log rank accuracy", f"{ranked:.3f}", how, answers.where),
    ]


def _say_calibration(answers: Answers) -> tuple[list[Measure], list[Drawing]]:
    truth, chances = answers.truth, answers.chances
    if len(truth) < _FEWEST_FOR_CALIBRATION or len(answers.names) < 2:
        return [], []
    error = expected_calibration_error(truth.astype(np.int64), chances, n_bins=_BINS)
    meaning = (
        "How far chances are from what happens, on average: 0 where of all predictions given 70%, seven in ten are "
        "right. Predictions are "
    )
    if (truth.sum(axis=1) == 1).all():
        likeliest = chances.argmax(axis=1)
        said, right = chances.max(axis=1), truth[np.arange(len(truth)), likeliest]
        meaning += "the likeliest label of each document."
    else:
        said, right = chances.ravel(), truth.ravel()
        meaning += "all labels of all documents; most of them are unlikely, and easy to be right about."
    return [Measure("Calibration error", f"{error:.1%}", meaning, answers.where)], [draw_reliability(said, right)]


def measure_quality(source: Source, overview: Overview) -> Quality:
    """Return how good a model is by its terms and, where it knows labels, by its answers."""
    measures, coherence = _measure_terms(source, overview)
    answers = _ask(source)
    drawings: list[Drawing] = []
    if answers is not None:
        calibration, drawings = _say_calibration(answers)
        measures += [*_say_accuracy(answers), *calibration]
    return Quality(tuple(measures), tuple(drawings), coherence)
