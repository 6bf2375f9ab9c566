"""What the cards of themes and of topics have in common, and documents as they are quoted on them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from wayword.plots.sunbursts import Node
from wayword.report.contents import Excerpt, Part, Reading
from wayword.report.source import Source

N_TERMS, N_DOCUMENTS = 10, 3
ROOT = "root"
_EXCERPT = 320
# Marks that turn what follows around; one left open would turn the rest of the page.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
# Control characters, and halves of characters.
_WITHOUT_FORM = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Subject:
    """A theme or a topic, before the page gives it a place and a colour.

    Attributes
    ----------
    name, share, notes, readings, parts
        As of a `Card`.
    documents : list of int
        The rows of typical documents.
    """

    name: str
    share: float | None
    notes: tuple[str, ...]
    readings: tuple[Reading, ...]
    parts: tuple[Part, ...]
    documents: list[int]


@dataclass(frozen=True, slots=True)
class Overview:
    """All themes or topics of a model.

    Attributes
    ----------
    kind : str
        ``"theme"`` or ``"topic"``.
    subjects : list of Subject
        The themes, or the topics.
    vectors : array of shape (n_subjects, n_terms)
        Scores of the terms as the cards rank them.
    weights : array of shape (n_subjects,)
        How large each is drawn.
    nodes : list of Node
        The tree below `ROOT`.
    branches : sequence of hashable
        The id of the child of the root that holds each subject.
    note : str
        How to read the cards.
    tree_note : str
        What the rings are.
    """

    kind: str
    subjects: list[Subject]
    vectors: np.ndarray
    weights: np.ndarray
    nodes: list[Node]
    branches: Sequence[Hashable]
    note: str
    tree_note: str


def clean(text: str) -> str:
    """Return a text on one line, without characters that have no form or turn others around."""
    return " ".join(_WITHOUT_FORM.sub(" ", _TURNS.sub("", text)).split())


def cut(text: str, most: int = _EXCERPT) -> str:
    """Return the beginning of a text, at most so many characters, whole words if it can be."""
    line = clean(text[: 4 * most])
    if len(line) <= most:
        return line if len(text) <= 4 * most else f"{line} …"
    whole = line[:most].rsplit(" ", 1)[0]
    return f"{whole if len(whole) > most // 2 else line[:most]} …"


def quote(source: Source, rows: list[int]) -> tuple[Excerpt, ...]:
    """Return the documents of some rows as they are quoted."""
    if source.corpus is None or source.rows is None:
        return ()
    found = (source.corpus[int(source.rows[row])] for row in rows)
    return tuple(Excerpt(clean(document.id), document.labels, cut(document.text)) for document in found)


def lengths_of(source: Source) -> np.ndarray:
    """Return how long the documents are, in what the vectorizer counts."""
    assert source.X is not None
    return np.asarray(source.X.sum(axis=1), dtype=np.float64).ravel()


def list_terms(pairs: list[tuple[str, float]], n: int = 6) -> str:
    """Return terms as hovering tells them."""
    return ", ".join(term for term, _ in pairs[:n])
