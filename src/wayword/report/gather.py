"""Gather what a report says: a model, and perhaps a corpus, become plain values."""

from __future__ import annotations

import datetime
import inspect
import os
from typing import Any

import numpy as np

from wayword import __version__
from wayword.corpus.corpus import Corpus
from wayword.corpus.description import CorpusInfo
from wayword.errors import InputError, shorten
from wayword.progress import Progress, ignore
from wayword.report.contents import Card, Fact, Report, Setting, Step
from wayword.report.figures import draw_map, draw_rings
from wayword.report.methods import list_citations
from wayword.report.overview import Overview, quote
from wayword.report.quality import Quality, measure_quality
from wayword.report.source import Source, read_source
from wayword.report.themes import read_themes
from wayword.report.topics import read_topics

# Settings that say nothing about how a model was made, or hold a whole vocabulary.
_UNTOLD = {"callback", "terms", "dtype"}
_LONGEST_VALUE = 80
_EPOCH = "SOURCE_DATE_EPOCH"


def day_of_report(date: datetime.date | None) -> datetime.date:
    """Return the date given, else that of SOURCE_DATE_EPOCH, else today's."""
    if date is not None:
        return date
    seconds = os.environ.get(_EPOCH)
    if seconds is None:
        return datetime.datetime.now(datetime.UTC).date()
    try:
        return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).date()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"{_EPOCH} must be whole seconds since 1970, got {shorten(seconds)}") from None


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _facts_of_corpus(info: CorpusInfo) -> tuple[Fact, ...]:
    lengths = info.lengths
    facts = [
        Fact("documents", _number(info.documents), f"{info.empty:,} empty" if info.empty else ""),
        Fact("words", _number(lengths.total), f"{lengths.median:,} in a middling document"),
    ]
    if info.labels:
        without = info.labels_per_document.get(0, 0)
        facts.append(Fact("labels", _number(info.labels), f"{without:,} documents have none" if without else ""))
    known = [(code, share) for code, share in info.languages.items() if code != "unknown"]
    if known:
        code, share = known[0]
        facts.append(Fact("language", code, f"{share:.0%} of the documents looked at"))
    if info.duplicates:
        facts.append(Fact("repeats", _number(info.duplicates), "documents with the text of another"))
    if info.skipped:
        facts.append(Fact("left out", _number(info.skipped), "rows that could not be read"))
    return tuple(facts)


def _facts_of_model(source: Source) -> tuple[Fact, ...]:
    facts = [Fact("terms", _number(len(source.terms)), "that the model knows")]
    if source.vectorizer is not None and source.vectorizer.vocabulary_.has_frequencies:
        n_documents = source.vectorizer.vocabulary_.n_documents
        facts.insert(0, Fact("documents", _number(n_documents), "in which the terms were counted"))
    if source.classes:
        facts.append(Fact("labels", _number(len(source.classes)), "that the model was told"))
    return tuple(facts)


def _describe_corpus(source: Source) -> tuple[tuple[Fact, ...], str, tuple[tuple[str, int], ...]]:
    """Return facts, where they are from, and how many documents have each label."""
    if source.corpus is None:
        note = "No corpus was given to this report, so it says what the model knows, and quotes no documents."
        return _facts_of_model(source), note, ()
    info = source.corpus.info()
    terms = Fact("terms", _number(len(source.terms)), "that the model knows")
    note = "These are the documents that the model was fitted on."
    if not source.was_fitted_on_corpus():
        note = "These are not just the documents that the model was fitted on."
    return (*_facts_of_corpus(info), terms), note, tuple(info.label_counts.items())


def _show_value(value: Any) -> str:
    if isinstance(value, type):
        return value.__name__
    text = repr(value) if not hasattr(value, "__len__") or len(value) <= _LONGEST_VALUE else shorten(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _describe_step(step: Any) -> Step:
    usual, settings = inspect.signature(type(step)).parameters, step.get_params(deep=False)

    def is_chosen(name: str) -> bool:
        return _show_value(settings[name]) != _show_value(usual[name].default)

    told = sorted((name for name in settings if name not in _UNTOLD), key=lambda name: (not is_chosen(name), name))
    return Step(
        type(step).__name__, tuple(Setting(name, _show_value(settings[name]), is_chosen(name)) for name in told)
    )


def _make_cards(source: Source, overview: Overview, colours: list[str], coherence: np.ndarray) -> tuple[Card, ...]:
    """Return the cards, the largest first."""
    order = np.argsort(-overview.weights, kind="stable").tolist()
    cards = []
    for place, k in enumerate(order, 1):
        subject, score = overview.subjects[k], float(coherence[k])
        cards.append(
            Card(
                f"{overview.kind}-{place}",
                subject.name,
                colours[k],
                subject.share,
                score if np.isfinite(score) else None,
                subject.notes,
                subject.readings,
                subject.parts,
                quote(source, subject.documents),
            )
        )
    return tuple(cards)


def _summarise(source: Source, overview: Overview) -> str:
    n = len(overview.subjects)
    what = f"{n:,} {overview.kind}{'' if n == 1 else 's'} of {len(source.terms):,} terms"
    if source.corpus is not None:
        what += f", shown on {len(source.corpus):,} documents"
    return f"{what}. Found by {type(source.model).__name__}."


def _importance_of(source: Source) -> np.ndarray | None:
    importance = getattr(source.model, "topic_importance_", None)
    return None if importance is None else np.asarray(importance)


def gather_report(
    model: Any,
    corpus: Corpus | None = None,
    *,
    title: str | None = None,
    date: datetime.date | None = None,
    counts: Any = None,
    progress: Progress = ignore,
) -> Report:
    """Return what a report says about a model.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that knows its terms, or a pipeline of a `Vectorizer` and a model.
    corpus : Corpus, optional
        Documents to describe, to quote and to measure on.
    title : str, optional
        What the report is called.
    date : date, optional
        The day it is made; by default that of the environment variable SOURCE_DATE_EPOCH, else today.
    counts : matrix of shape (n_documents, n_terms), optional
        Counts of the corpus by the pipeline's vectorizer, where they are known already.
    progress : callable
        As for `Vectorizer.transform`.
    """
    day = day_of_report(date)
    source = read_source(model, corpus, counts, progress=progress)
    overview = read_themes(source) if source.has_themes else read_topics(source)
    rings, colours = draw_rings(overview, _importance_of(source))
    drawings = tuple(drawing for drawing in (rings, draw_map(overview, source.terms)) if drawing is not None)
    quality = measure_quality(source, overview)
    return _assemble(source, overview, quality, drawings, colours, title, day)


def _assemble(
    source: Source,
    overview: Overview,
    quality: Quality,
    drawings: Any,
    colours: list[str],
    title: str | None,
    day: datetime.date,
) -> Report:
    facts, corpus_note, labels = _describe_corpus(source)
    measures = tuple(measure.name for measure in quality.measures)
    grouped = overview.kind == "topic" and len(overview.nodes) > len(overview.subjects) + 1
    return Report(
        title=title or f"{overview.kind.capitalize()}s",
        summary=_summarise(source, overview),
        kind=overview.kind,
        corpus=facts,
        corpus_note=corpus_note,
        labels=labels,
        drawings=drawings,
        cards_note=overview.note,
        cards=_make_cards(source, overview, colours, quality.coherence),
        measures=quality.measures,
        quality_drawings=quality.drawings,
        citations=list_citations(
            source.model, measures, grouped=grouped, mapped=len(drawings) > 1, version=__version__
        ),
        steps=tuple(_describe_step(step) for step in (source.vectorizer, source.model) if step is not None),
        version=__version__,
        date=day.isoformat(),
    )
