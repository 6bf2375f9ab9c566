"""How good guesses, topics and labels are: what the quality screen shows.

Guesses are measured on labelled documents, each guessed from the labels of others (cross-validation). As questions are
about hard documents, that is less than what holds for all; what is said of documents without labels, the learning curve
and the gain of more labels are estimates that take this into account (`wayword.active.stopping`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wayword.active.guesses import Answers
from wayword.active.learner import ActiveLearner, choose_labels
from wayword.active.stopping import LEAST_LABELLED, Gain, estimate_gain, is_right, learning_curve, read_answers
from wayword.active.suspects import find_suspects
from wayword.active.topics import TopicSet
from wayword.evaluation.annotators import Agreement, agreement, cohen_kappa
from wayword.evaluation.coherence import npmi
from wayword.evaluation.ranking import log_rank_accuracies
from wayword.evaluation.stability import topic_stability
from wayword.evaluation.term_lists import top_columns
from wayword.guidance.state import Guidance
from wayword.progress import Progress, ignore
from wayword.workbench.ground import Ground
from wayword.workbench.live import LiveState
from wayword.workbench.text import cut_excerpt
from wayword.workbench.views import (
    AgreementView,
    ConfusionView,
    DocumentLine,
    IntervalView,
    QualityView,
    SuspectView,
)

_N_MORE, _TOP_TERMS, _MOST_SUSPECTS = 25, 10, 50
_SAMPLES, _HALVES = 1000, 2
_UNKNOWN = IntervalView(None, None, None)

Refresh = Callable[[np.ndarray], TopicSet]
Show = Callable[[str], DocumentLine]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# Agreement of annotators


def _read_labellings(guidance: Guidance) -> dict[str, dict[str, frozenset[str]]]:
    """Return what each annotator says of each document, in labels that still count."""
    now = {label: guidance.label_now(label) for label in guidance.label_set}
    found = {
        document: {
            annotator: frozenset(label for name in told.labels if (label := now.get(name)) is not None)
            for annotator, told in said.items()
        }
        for document, said in guidance.labels.items()
    }
    return {document: {who: labels for who, labels in said.items() if labels} for document, said in found.items()}


def _show_agreement(found: Agreement) -> IntervalView:
    return IntervalView(_known(found.value), _known(found.low), _known(found.high))


def _compare_pairs(
    labellings: Mapping[str, Mapping[str, frozenset[str]]],
) -> list[tuple[str, str, float | None, int]]:
    """Return Cohen's kappa of every two annotators who have labelled the same documents, and how many of these."""
    by_annotator: dict[str, dict[str, frozenset[str]]] = {}
    for document, said in labellings.items():
        for annotator, labels in said.items():
            by_annotator.setdefault(annotator, {})[document] = labels
    pairs = []
    for one, two in combinations(sorted(by_annotator), 2):
        first, second = by_annotator[one], by_annotator[two]
        n_shared = len(first.keys() & second.keys())
        if n_shared:
            pairs.append((one, two, _known(cohen_kappa(first, second)), n_shared))
    return pairs


def measure_agreement(guidance: Guidance) -> AgreementView:
    """Return how far annotators agree.

    Krippendorff's alpha compares sets of labels by MASI where some answer has several, and by name otherwise.

    Parameters
    ----------
    guidance : Guidance
        What annotators have said.
    """
    labellings = _read_labellings(guidance)
    double = {document: said for document, said in labellings.items() if len(said) > 1}
    several = any(len(labels) > 1 for said in double.values() for labels in said.values())
    return AgreementView(
        len(double),
        _compare_pairs(double),
        _show_agreement(agreement(double, "fleiss")),
        _show_agreement(agreement(double, "krippendorff", distance="masi" if several else "nominal")),
        _show_agreement(agreement(double, "percent")),
    )


# Guesses of labelled documents from the labels of others


@dataclass(frozen=True, slots=True)
class _Scores:
    accuracy: IntervalView
    log_rank_accuracy: IntervalView
    macro_f1: IntervalView
    confusion: ConfusionView


def _draw_weights(n_documents: int) -> np.ndarray:
    """Return how often each document is drawn in samples with replacement; in the first, each once."""
    drawn = np.random.default_rng(0).multinomial(n_documents, np.full(n_documents, 1 / n_documents), size=_SAMPLES)
    return np.vstack([np.ones(n_documents), drawn])


def _show_samples(values: np.ndarray) -> IntervalView:
    """Return the first value, and where 95 of 100 of the others lie."""
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return IntervalView(float(values[0]), float(low), float(high))


def _macro_f1(has: np.ndarray, chosen: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the mean over labels of F1 in each sample, over labels that a document of it has or is guessed to have."""
    both, either = weights @ (has & chosen), weights @ (has.astype(float) + chosen)
    scores = np.divide(2.0 * both, either, out=np.zeros_like(both), where=either > 0)
    return scores.sum(axis=1) / np.maximum((either > 0).sum(axis=1), 1)


def _confuse(has: np.ndarray, chosen: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return how often each label was taken for each: a label that was not chosen, for the likeliest that was."""
    counts = np.zeros((has.shape[1], has.shape[1]), dtype=np.int64)
    likeliest = np.where(chosen, chances, -1.0).argmax(axis=1)
    for document, label in zip(*np.nonzero(has), strict=True):
        counts[label, label if chosen[document, label] else likeliest[document]] += 1
    return counts


def _score(answers: Answers, held_back: np.ndarray) -> _Scores:
    has = answers.targets > 0
    chosen = choose_labels(held_back) if answers.multilabel else _only_likeliest(held_back)
    weights = _draw_weights(len(has))
    right = is_right(held_back, answers.targets)
    ranks = log_rank_accuracies(has.astype(int), held_back)
    return _Scores(
        _show_samples(weights @ right / weights.sum(axis=1)),
        _show_samples(weights @ ranks / weights.sum(axis=1)),
        _show_samples(_macro_f1(has, chosen, weights)),
        ConfusionView(list(answers.labels), _confuse(has, chosen, held_back).tolist()),
    )


def _only_likeliest(chances: np.ndarray) -> np.ndarray:
    return np.arange(chances.shape[1]) == chances.argmax(axis=1)[:, None]


def _estimate(gain: Gain) -> IntervalView:
    """Return the accuracy for documents without labels; unknown where there are none."""
    return IntervalView(_known(gain.accuracy), _known(gain.low), _known(gain.high)) if gain.n_more else _UNKNOWN


def _advise(gain: Gain) -> str:
    if _estimate(gain) == _UNKNOWN:
        return gain.advice
    about, low, high = (f"{100 * share:.0f}" for share in (gain.accuracy, gain.low, gain.high))
    guessed = f"About {about} % of the other documents are guessed rightly (95 % interval {low} to {high} %)."
    return f"{guessed} {gain.advice}"


# Topics


def _measure_coherence(topics: TopicSet, topic_ids: Sequence[str], X: Any) -> list[tuple[str, float]]:
    """Return the coherence of each topic; topics of one term have none."""
    scores = npmi(top_columns(topics.components, _TOP_TERMS), X).tolist()
    return [(id, score) for id, score in zip(topic_ids, scores, strict=True) if not math.isnan(score)]


def _measure_stability(answers: Answers, topics: TopicSet, refresh: Refresh, progress: Progress) -> float | None:
    """Return how far the top terms of topics stay the same when only half of the answers are known."""
    rng = np.random.default_rng(0)
    runs = [top_columns(topics.components, _TOP_TERMS)]
    for half in range(_HALVES):
        progress("stability", half, _HALVES)
        held = np.zeros(len(answers.rows), dtype=bool)
        held[rng.choice(len(held), len(held) // 2, replace=False)] = True
        runs.append(top_columns(refresh(answers.guess_without(held)).components, _TOP_TERMS))
    progress("stability", _HALVES, _HALVES)
    if not all(runs):
        return None
    return float(np.mean([topic_stability(runs[0], run).mean for run in runs[1:]]))


def _show_suspects(
    answers: Answers, held_back: np.ndarray, ids: Sequence[str], guidance: Guidance, show: Show | None
) -> list[SuspectView]:
    """Return the most doubtful labels."""

    def show_briefly(id: str) -> DocumentLine:
        found = guidance.resolve(id)
        return DocumentLine(id, "", list(found.labels), found.status)

    suspects = find_suspects(answers, held_back=held_back)[:_MOST_SUSPECTS]
    as_line = show or show_briefly
    return [SuspectView(as_line(ids[found.row]), found.label, found.other, found.chance) for found in suspects]


# All together


def measure(
    *,
    X: Any,
    ids: Sequence[str],
    guidance: Guidance,
    learner: ActiveLearner | Answers,
    topics: TopicSet | None,
    topic_ids: Sequence[str],
    number: int,
    refresh: Refresh | None = None,
    show: Show | None = None,
    progress: Progress = ignore,
) -> QualityView:
    """Return how good guesses, topics and labels are.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts.
    ids : sequence of str
        What documents are called.
    guidance : Guidance
        What annotators have said.
    learner : ActiveLearner or Answers
        The settled labels, by id, and what guesses from them.
    topics : TopicSet or None
        Topics as they stand.
    topic_ids : sequence of str
        What they are called.
    number : int
        The act up to which all this counts.
    refresh : callable, optional
        Gives the topics that other chances of labels, of shape (n_documents, n_labels), would give; without it,
        nothing is said about stability.
    show : callable, optional
        Gives a document as lists show it, by id.
    progress : callable
        Told how far it is; what it raises ends the work.

    Returns
    -------
    QualityView
        With fewer than ten labelled documents or two labels, figures are None, and the advice says what to do.
    """
    answers = read_answers(learner)
    enough = len(answers.rows) >= LEAST_LABELLED and len(answers.labels) > 1
    held_back = answers.guess_each(progress=progress) if enough else np.zeros(answers.targets.shape)
    gain = estimate_gain(answers, _N_MORE, held_back=held_back, progress=progress)
    nothing = _Scores(_UNKNOWN, _UNKNOWN, _UNKNOWN, ConfusionView([], []))
    scores = _score(answers, held_back) if enough else nothing
    curve = learning_curve(answers, held_back=held_back, progress=progress)
    progress("topics", 0, 1)
    coherence = [] if topics is None else _measure_coherence(topics, topic_ids, X)
    stability = None
    if topics is not None and refresh is not None and enough:
        stability = _measure_stability(answers, topics, refresh, progress)
    return QualityView(
        number=number,
        n_labelled=len(answers.rows),
        accuracy=scores.accuracy,
        log_rank_accuracy=scores.log_rank_accuracy,
        macro_f1=scores.macro_f1,
        confusion=scores.confusion,
        curve=curve,
        more=IntervalView(_known(gain.gain), _known(gain.gain_low), _known(gain.gain_high)),
        advice=_advise(gain),
        coherence=coherence,
        stability=stability,
        agreement=measure_agreement(guidance),
        suspects=_show_suspects(answers, held_back, ids, guidance, show) if enough else [],
        estimate=_estimate(gain),
    )


def measure_quality(
    ground: Ground, guidance: Guidance, state: LiveState, *, refresh: Refresh | None = None, progress: Progress = ignore
) -> QualityView:
    """Return how good the guesses, topics and labels of a project are.

    Parameters
    ----------
    ground : Ground
        Its documents.
    guidance : Guidance
        What annotators have said.
    state : LiveState
        Guesses and topics as they stand.
    refresh, progress
        As for `measure`.
    """
    has = state.targets > 0
    several = bool((has.sum(axis=1) > 1).any())
    targets = has.astype(np.float64) if several else state.targets
    flagged, texts, ids = guidance.flags, ground.corpus.texts, ground.corpus.ids

    def show(id: str) -> DocumentLine:
        row, found = ground.rows[id], guidance.resolve(id)
        return DocumentLine(
            id,
            cut_excerpt(texts[row]),
            list(found.labels),
            found.status,
            flagged=id in flagged,
            annotators=list(guidance.labels.get(id, ())),
        )

    return measure(
        X=ground.X,
        ids=ids,
        guidance=guidance,
        learner=Answers(ground.guesser, state.rows, targets, tuple(state.labels), several),
        topics=state.topics,
        topic_ids=state.ids,
        number=state.number,
        refresh=refresh,
        show=show,
        progress=progress,
    )
