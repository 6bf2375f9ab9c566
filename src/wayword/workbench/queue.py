"""Who is asked what next.

Each annotator has a queue: first documents about which others disagree and they have not spoken, then documents that
are labelled twice and wait for a second opinion, then those without labels, the most useful first. A document is
handed to one person at a time; who asks again without having dealt with it gets it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

import numpy as np

from wayword.active.reasons import give_reasons, percent, say_openness
from wayword.active.strategies import QueryState
from wayword.guidance.state import Guidance, Resolution
from wayword.store.base import Store
from wayword.workbench.documents import Sight
from wayword.workbench.live import LiveState
from wayword.workbench.views import CountsView

# How many people may speak about a document on which two disagree, and about one that is labelled twice.
_JUDGES, _PAIR = 3, 2
_OFFERED = 64
_OPEN = Resolution("open")
_UNLABELLED = np.zeros(1, dtype=bool)


@dataclass(frozen=True, slots=True)
class Handed:
    """A document that was handed to an annotator, and whether as a second opinion."""

    id: str
    again: bool


def is_paired(id: str, share: float) -> bool:
    """Whether a document is one of the share that is labelled twice; the same for ever."""
    if share <= 0:
        return False
    drawn = hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < share * 2**64


def _speakers(guidance: Guidance, id: str) -> int:
    return len(guidance.labels.get(id, ()))


class Queue:
    """Hands out documents.

    Parameters
    ----------
    store : Store
        Keeps who holds which document.
    double_coding : float
        The share of documents that is labelled twice.
    """

    def __init__(self, store: Store, double_coding: float) -> None:
        self._store, self._share = store, double_coding
        self._pending: dict[str, Handed] = {}

    def hand_out(self, sight: Sight, annotator: str) -> Handed | None:
        """Return the next document of an annotator, claimed for them; None if nothing is left."""
        pending = self._pending.pop(annotator, None)
        again = self._repeats(sight, annotator)
        fresh = self._fresh(sight, annotator)
        if pending is not None and self._is_due(sight, pending, annotator):
            again, fresh = (
                _first(pending.id, ids, pending.again == kind) for ids, kind in ((again, True), (fresh, False))
            )
        for ids, kind in ((again, True), (fresh, False)):
            found = self._claim(ids, annotator, sight.guidance)
            if found is not None:
                self._pending[annotator] = Handed(found, kind)
                return self._pending[annotator]
        return None

    def drop(self, annotator: str, documents: tuple[str, ...]) -> None:
        """Let others have a document that an annotator was handed and passed over."""
        pending = self._pending.get(annotator)
        if pending is not None and pending.id in documents:
            del self._pending[annotator]
            self._store.release(annotator, pending.id)

    def prefer(self, annotator: str, document: str, *, again: bool = False) -> None:
        """Hand a document out next, if it is still to be dealt with."""
        self._pending[annotator] = Handed(document, again)

    def _claim(self, ids: Iterator[str], annotator: str, guidance: Guidance) -> str | None:
        """Return the first of some documents that is free.

        A document that is asked about once more goes to one annotator at a time, beside those who have spoken.
        """
        while offered := list(islice(ids, _OFFERED)):
            spoken = {id: tuple(guidance.labels[id]) for id in offered if id in guidance.labels}
            found = self._store.claim(annotator, offered, now=datetime.now(UTC), spoken=spoken)
            if found is not None:
                return found
        return None

    def _is_due(self, sight: Sight, handed: Handed, annotator: str) -> bool:
        """Whether a document that was handed out is still to be dealt with."""
        if handed.id not in sight.state.ground.rows:
            return False
        wants = self._wants_again if handed.again else self._wants_first
        return wants(sight.guidance, sight.resolutions, handed.id, annotator)

    def _wants_first(self, guidance: Guidance, resolutions: Mapping[str, Resolution], id: str, annotator: str) -> bool:
        return resolutions.get(id, _OPEN).status == "open" and annotator not in guidance.skips.get(id, ())

    def _wants_again(self, guidance: Guidance, resolutions: Mapping[str, Resolution], id: str, annotator: str) -> bool:
        if annotator in guidance.labels.get(id, ()) or annotator in guidance.skips.get(id, ()):
            return False
        status = resolutions.get(id, _OPEN).status
        if status == "disagreement":
            return _speakers(guidance, id) < _JUDGES
        return status == "single" and _speakers(guidance, id) < _PAIR and is_paired(id, self._share)

    def _fresh(self, sight: Sight, annotator: str) -> Iterator[str]:
        """Give documents without labels, the most useful first."""
        ids = sight.state.ground.corpus.ids
        for row in sight.state.order:
            if self._wants_first(sight.guidance, sight.resolutions, ids[row], annotator):
                yield ids[row]

    def _repeats(self, sight: Sight, annotator: str) -> Iterator[str]:
        """Give documents that are asked about a second time: disagreements first."""
        if len(sight.guidance.labels) == 0:
            return
        wanted = [
            (found.status != "disagreement", sight.state.ground.rows.get(id, -1), id)
            for id, found in sight.resolutions.items()
            if (found.status == "disagreement" or (self._share > 0 and found.status == "single"))
            and self._wants_again(sight.guidance, sight.resolutions, id, annotator)
        ]
        for _, row, id in sorted(wanted):
            if row >= 0:
                yield id


def _first(id: str, ids: Iterator[str], wanted: bool) -> Iterator[str]:
    """Give an id, then the others."""
    if wanted:
        yield id
    for other in ids:
        if not wanted or other != id:
            yield other


def say_why(state: LiveState, handed: Handed, sight: Sight) -> list[str]:
    """Return why a document is asked about, in words."""
    row = state.ground.rows[handed.id]
    if handed.again:
        if sight.resolutions.get(handed.id, _OPEN).status == "disagreement":
            return ["others disagree about it: yours is a further opinion"]
        return ["labelled once: this is one of the documents that two people label"]
    if row in state.reasons:
        return list(state.reasons[row])
    return [*_say_doubt(state, row, sight), *_say_topic(state, row)]


def _say_doubt(state: LiveState, row: int, sight: Sight) -> list[str]:
    if state.doubt is None:
        return ["nothing is known yet that would set it apart"]
    names = tuple(sight.names.get(label, label) for label in state.labels)
    one = QueryState(_UNLABELLED, probabilities=state.chances[[row]], labels=names, multilabel=state.several)
    return [*give_reasons(one, "margin", 0), *say_openness(state.ground.space.nearness, row, state.doubt)]


def _say_topic(state: LiveState, row: int) -> list[str]:
    if not state.ground.lengths[row]:
        return ["it holds no term, so that nothing is known of it"]
    shares = state.topics.document_shares(state.ground.X[[row]])[0]
    best = int(shares.argmax())
    return [f"{percent(float(shares[best]))} of it is the topic {state.called.of(best)}"]


def count(sight: Sight, annotator: str) -> CountsView:
    """Return how far labelling has come, for an annotator."""
    guidance, statuses = sight.guidance, [found.status for found in sight.resolutions.values()]
    n_disagreements = statuses.count("disagreement")
    return CountsView(
        n_documents=sight.state.ground.n_documents,
        n_labelled=len(statuses) - statuses.count("open") - n_disagreements,
        n_mine=sum(annotator in said for said in guidance.labels.values()),
        n_skipped=sum(annotator in who for who in guidance.skips.values()),
        n_disagreements=n_disagreements,
    )
