"""Which words and sentences of a document speak for which label.

A term speaks for a label if documents that hold it have the label more often, by the guesses, than documents do. How
much more often, as a logarithm, is its evidence; a few documents' worth of doubt keeps rare terms modest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wayword.workbench.live import LiveState
from wayword.workbench.text import Spot
from wayword.workbench.views import SentenceView, WordView

# Documents' worth of doubt, and the least evidence that is shown.
_DOUBT, _LEAST = 2.0, 0.2
_MOST_WORDS = 4_000
_SENTENCES_FOR, _LEAST_CHANCE = 2, 0.2


def weigh_terms(state: LiveState, columns: np.ndarray) -> np.ndarray:
    """Return how much terms speak for labels: array of shape (n_columns, n_labels), above 0 for, below against."""
    held = state.ground.columns[:, columns]
    prior = state.chances.mean(axis=0)
    having = held.T @ state.chances
    counted = np.asarray(held.sum(axis=0)).ravel()
    shares = (having + _DOUBT * prior) / (counted + _DOUBT)[:, None]
    return np.log(np.maximum(shares, 1e-12) / np.maximum(prior, 1e-12))


class Evidence:
    """What the terms of one document speak for.

    Parameters
    ----------
    state : LiveState
        Guesses.
    row : int
        The document.
    spots : sequence of Spot
        Its terms where they stand.
    """

    def __init__(self, state: LiveState, row: int, spots: Sequence[Spot]) -> None:
        self._state, self._row = state, row
        barred = {state.ground.vocabulary.column(t) for t in state.guidance.banned if t in state.ground.vocabulary}
        self._spots = [spot for spot in spots[:_MOST_WORDS] if spot.column not in barred]
        columns = sorted({spot.column for spot in self._spots})
        enough = len(state.labels) > 1 and len(columns)
        self._places = {column: place for place, column in enumerate(columns)} if enough else {}
        self._weights = weigh_terms(state, np.array(columns)) if enough else np.zeros((0, len(state.labels)))

    def words(self, units) -> list[WordView]:
        """Return the words that speak for a label, the strongest with weight 1."""
        if not self._places:
            return []
        best = self._weights.argmax(axis=1)
        strength = self._weights.max(axis=1)
        largest = float(strength.max())
        if largest < _LEAST:
            return []
        found = []
        for spot in self._spots:
            place = self._places[spot.column]
            if strength[place] >= _LEAST:
                label = self._state.labels[int(best[place])]
                found.append(WordView(units(spot.start), units(spot.end), label, float(strength[place]) / largest))
        return found

    def sentences(self, borders: Sequence[tuple[int, int]], units) -> list[SentenceView]:
        """Return the sentence that speaks most for each of the likeliest labels."""
        if not self._places or not borders:
            return []
        chances = self._state.chances[self._row]
        starts = np.array([start for start, _ in borders])
        totals = np.zeros((len(borders), len(self._state.labels)))
        for spot in self._spots:
            place = int(np.searchsorted(starts, spot.start, side="right")) - 1
            if place >= 0 and spot.end <= borders[place][1]:
                totals[place] += self._weights[self._places[spot.column]]
        found = []
        for label in np.argsort(-chances, kind="stable")[:_SENTENCES_FOR].tolist():
            best = int(totals[:, label].argmax())
            if chances[label] >= _LEAST_CHANCE and totals[best, label] > 0:
                start, end = borders[best]
                found.append(SentenceView(units(start), units(end), self._state.labels[label]))
        return found
