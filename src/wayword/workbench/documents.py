"""Documents as people see them: one with all that is known of it, and lists of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from wayword.errors import InputError, shorten
from wayword.guidance.state import Guidance, Resolution
from wayword.models.inputs import check_choice, check_number, check_whole
from wayword.store.queries import make_cutter
from wayword.workbench.evidence import Evidence
from wayword.workbench.live import LiveState
from wayword.workbench.text import LONGEST_SHOWN, Reader, count_units, cut_excerpt, make_showable
from wayword.workbench.views import (
    CommentView,
    DocumentLine,
    DocumentPage,
    DocumentView,
    LabellingView,
    ShareView,
    SuggestionView,
)

STATUSES = ("open", "single", "agreed", "adjudicated", "disagreement", "skipped")
SORTS = ("order", "chance", "-chance", "relevance", "doubt")
_LONGEST_PAGE = 1_000
_SUGGESTIONS, _NEIGHBOURS, _TOPICS = 5, 5, 6
_LEAST_TOPIC, _LEAST_SHARE = 0.2, 0.02
_OPEN = Resolution("open")


@dataclass(frozen=True, slots=True)
class Sight:
    """What documents are looked at with: the newest guidance, what it settles, and guesses that may be a little older."""

    state: LiveState
    guidance: Guidance
    resolutions: Mapping[str, Resolution]
    reader: Reader

    @property
    def names(self) -> dict[str, str]:
        """Names of labels, by id."""
        return {id: record.name for id, record in self.guidance.label_set.items()}

    def status(self, id: str) -> str:
        """Return what is settled about a document, in a word."""
        found = self.resolutions.get(id, _OPEN).status
        return "skipped" if found == "open" and id in self.guidance.skips else found

    def labels_now(self, labels: Iterable[str]) -> list[str]:
        """Return labels that still count, each once."""
        now = [self.guidance.label_now(label) for label in labels if label in self.guidance.label_set]
        return list(dict.fromkeys(label for label in now if label is not None))


def show_line(sight: Sight, row: int, excerpt: str | None = None) -> DocumentLine:
    """Return a document as lists show it."""
    state, guidance = sight.state, sight.guidance
    id = state.ground.corpus.ids[row]
    best, chance = int(state.guesses[0][row]), float(state.guesses[1][row])
    return DocumentLine(
        id,
        cut_excerpt(state.ground.corpus.texts[row]) if excerpt is None else make_showable(excerpt),
        list(sight.resolutions.get(id, _OPEN).labels),
        sight.status(id),
        state.labels[best] if best >= 0 else "",
        chance if best >= 0 else None,
        id in guidance.flags,
        list(guidance.labels.get(id, ())),
    )


def _suggest(sight: Sight, row: int) -> list[SuggestionView]:
    state, names = sight.state, sight.names
    order = np.argsort(-state.chances[row], kind="stable")[:_SUGGESTIONS].tolist()
    found = [(state.labels[place], float(state.chances[row, place])) for place in order]
    live = {record.id for record in sight.guidance.live_labels()}
    return [SuggestionView(label, names[label], chance) for label, chance in found if label in live]


def _share_topics(state: LiveState, row: int) -> list[ShareView]:
    shares = state.topics.document_shares(state.ground.X[[row]])[0]
    order = np.argsort(-shares, kind="stable")[:_TOPICS].tolist()
    return [ShareView(state.ids[k], state.called.of(k), float(shares[k])) for k in order if shares[k] >= _LEAST_SHARE]


def _share_labels(sight: Sight, row: int) -> list[ShareView]:
    state, names = sight.state, sight.names
    chances = zip(state.labels, state.share_labels([row])[0].tolist(), strict=True)
    return sorted((ShareView(label, names.get(label, label), c) for label, c in chances), key=lambda view: -view.share)


def _find_neighbours(state: LiveState, row: int) -> list[ShareView]:
    """Return labelled documents from which most of the likeliest label reaches a document."""
    if not state.labels:
        return []
    label = int(state.chances[row].argmax())
    rows = [other for other in state.rows[state.targets[:, label] > 0].tolist() if other != row]
    reached = state.ground.guesser.spreading.to_row(row)[rows].astype(np.float64)
    total = float(reached.sum()) if rows else 0.0
    best = np.argsort(-reached, kind="stable")[:_NEIGHBOURS].tolist() if total > 0 else []
    corpus = state.ground.corpus
    return [
        ShareView(corpus.ids[rows[k]], cut_excerpt(corpus.texts[rows[k]], 80), float(reached[k]) / total)
        for k in best
        if reached[k] > 0
    ]


def _plain(value: Any) -> Any:
    """Return metadata as a page can be sent it."""
    if isinstance(value, str):
        return make_showable(value)
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {make_showable(str(key)): _plain(item) for key, item in value.items()}
    return value


def show_document(sight: Sight, row: int, annotator: str) -> DocumentView:
    """Return one document, whole, as an annotator sees it."""
    state, guidance = sight.state, sight.guidance
    document = state.ground.corpus[row]
    text = make_showable(document.text[:LONGEST_SHOWN])
    units = count_units(text)
    spots = sight.reader.spots(text)
    evidence = Evidence(state, row, spots)
    spoken = guidance.labels.get(document.id, {})
    mine = spoken.get(annotator)
    resolution = sight.resolutions.get(document.id, _OPEN)
    return DocumentView(
        id=document.id,
        text=text,
        truncated=len(document.text) > LONGEST_SHOWN,
        metadata={make_showable(name): _plain(value) for name, value in document.metadata.items()},
        labels=sight.labels_now(mine.labels) if mine else [],
        labellings=[LabellingView(who, sight.labels_now(said.labels)) for who, said in sorted(spoken.items())],
        status=sight.status(document.id),
        settled=list(resolution.labels),
        flagged=document.id in guidance.flags,
        skipped=annotator in guidance.skips.get(document.id, ()),
        comments=[CommentView(remark.annotator, remark.text) for remark in guidance.comments.get(document.id, ())],
        suggestions=_suggest(sight, row),
        words=evidence.words(units),
        sentences=evidence.sentences(sight.reader.sentences(text), units),
        label_shares=_share_labels(sight, row),
        topic_shares=_share_topics(state, row),
        neighbours=_find_neighbours(state, row),
    )


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents are looked for; see `Project.documents`."""

    query: str = ""
    label: str = ""
    guess: str = ""
    topic: str = ""
    status: str = ""
    annotator: str = ""
    least_chance: float | None = None
    most_chance: float | None = None
    flagged: bool | None = None
    sort: str = "order"
    offset: int = 0
    limit: int = 50

    def check(self, sight: Sight) -> None:
        """Refuse what cannot be looked for."""
        check_choice("sort", self.sort, SORTS)
        check_whole("offset", self.offset, least=0)
        check_whole("limit", self.limit, least=1)
        if self.limit > _LONGEST_PAGE:
            raise InputError(f"limit may be {_LONGEST_PAGE:,} at most, got {self.limit:,}; ask for several pages")
        if self.status:
            check_choice("status", self.status, STATUSES)
        for name in ("least_chance", "most_chance"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), most=1.0)
        for label in (self.label, self.guess):
            if label:
                check_known(label, sight.names, "label")
        if self.topic:
            check_known(self.topic, dict(zip(sight.state.ids, sight.state.names, strict=True)), "topic")


def check_known(id: str, names: Mapping[str, str], what: str) -> None:
    """Refuse an id that nothing has, with those that are spelled nearly so, or have nearly that name."""
    if id in names:
        return
    shown = {name: key for key, name in names.items()}
    near = dict.fromkeys(
        [*get_close_matches(id, names, n=3), *(shown[name] for name in get_close_matches(id, shown, n=3))]
    )
    hint = f"; did you mean {', '.join(map(repr, list(near)[:3]))}?" if near else ""
    raise InputError(f"no {what} has the id {shorten(id)}{hint}")


def _keep(sight: Sight, wanted: Filter) -> Callable[[int], bool]:
    """Return whether a row passes the filters that are looked up document by document."""
    ids = sight.state.ground.corpus.ids
    guidance = sight.guidance
    tests: list[Callable[[str], bool]] = []
    if wanted.label:
        tests.append(lambda id: wanted.label in sight.resolutions.get(id, _OPEN).labels)
    if wanted.status:
        tests.append(lambda id: sight.status(id) == wanted.status)
    if wanted.annotator:
        tests.append(lambda id: wanted.annotator in guidance.labels.get(id, ()))
    if wanted.flagged is not None:
        tests.append(lambda id: (id in guidance.flags) == wanted.flagged)
    return lambda row: all(test(ids[row]) for test in tests)


def _mask(sight: Sight, wanted: Filter, topic_shares: np.ndarray | None) -> np.ndarray:
    """Return which rows pass the filters on guesses and topics."""
    state = sight.state
    best, chances = state.guesses
    passing = np.ones(len(best), dtype=bool)
    if wanted.guess:
        place = state.labels.index(wanted.guess) if wanted.guess in state.labels else -2
        passing &= best == place
    if wanted.least_chance is not None:
        passing &= (chances >= wanted.least_chance) & (best >= 0)
    if wanted.most_chance is not None:
        passing &= (chances <= wanted.most_chance) & (best >= 0)
    if topic_shares is not None:
        passing &= topic_shares >= _LEAST_TOPIC
    return passing


def _sort(sight: Sight, rows: Sequence[int], wanted: Filter, relevance: Mapping[int, float]) -> list[int]:
    chances = sight.state.guesses[1]
    if wanted.sort == "chance":
        return sorted(rows, key=lambda row: (chances[row], row))
    if wanted.sort == "-chance":
        return sorted(rows, key=lambda row: (-chances[row], row))
    if wanted.sort == "doubt":
        places = {int(row): place for place, row in enumerate(sight.state.order)}
        return sorted(rows, key=lambda row: (places.get(row, len(chances)), row))
    if wanted.sort == "relevance":
        return sorted(rows, key=lambda row: (-relevance.get(row, 0.0), row))
    return sorted(rows)


def _cut_excerpts(sight: Sight, rows: Sequence[int], query: str) -> dict[int, str]:
    """Return the texts of documents around what was looked for."""
    cut, texts = make_cutter(query), sight.state.ground.corpus.texts
    return {row: cut(texts[row]) for row in rows}


def list_documents(sight: Sight, wanted: Filter, hits: Sequence[str] | None) -> DocumentPage:
    """Return a piece of the list of documents that pass a filter.

    Parameters
    ----------
    sight : Sight
        What is known.
    wanted : Filter
        Which documents.
    hits : sequence of str, optional
        Ids of all documents that a search found, the best first; None without a search.
    """
    wanted.check(sight)
    state, ground = sight.state, sight.state.ground
    shares = state.document_shares[:, state.ids.index(wanted.topic)] if wanted.topic else None
    passing = _mask(sight, wanted, shares)
    found = None if hits is None else [ground.rows[id] for id in hits if id in ground.rows]
    candidates: Iterable[int] = np.flatnonzero(passing).tolist() if found is None else found
    keep = _keep(sight, wanted)
    rows = [row for row in candidates if passing[row] and keep(row)]
    relevance = {row: -float(place) for place, row in enumerate(rows)}
    if shares is not None and found is None:
        relevance = {row: float(shares[row]) for row in rows}
    ordered = _sort(sight, rows, wanted, relevance)
    page = ordered[wanted.offset : wanted.offset + wanted.limit]
    excerpts = {} if found is None else _cut_excerpts(sight, page, wanted.query)
    return DocumentPage(len(rows), wanted.offset, [show_line(sight, row, excerpts.get(row)) for row in page])
