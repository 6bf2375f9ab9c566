"""What goes out and what comes in: one frozen dataclass each, the same for every format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wayword.corpus.corpus import Corpus

Names = tuple[str, ...]
Comments = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One document as it goes out.

    Attributes
    ----------
    id, text : str
        What the document is known by, and what was written.
    metadata : mapping
        Further columns.
    labels : tuple of str
        Names of the labels that are settled.
    status : str
        open, single, agreed, adjudicated, disagreement or skipped.
    annotators : mapping of str to tuple of str
        What each annotator says.
    guess : str
        Name of the likeliest label; empty if there is none.
    chance : float or None
        How likely it is.
    label_shares, topic_shares : mapping of str to float
        Shares of the document by name, which sum to one; empty if there are none.
    flagged : bool
    comments : tuple of (annotator, text)
    """

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    labels: Names = ()
    status: str = "open"
    annotators: Mapping[str, Names] = field(default_factory=dict)
    guess: str = ""
    chance: float | None = None
    label_shares: Mapping[str, float] = field(default_factory=dict)
    topic_shares: Mapping[str, float] = field(default_factory=dict)
    flagged: bool = False
    comments: Comments = ()


@dataclass(frozen=True, slots=True)
class ExchangeFile:
    """What a file has brought.

    Attributes
    ----------
    documents : Corpus or None
        Documents that came with their text, without labels; None if no text came.
    labels : dict of str to tuple of str
        Settled labels by document: what the file says without naming an annotator, or what all its annotators
        agree on.
    annotators : dict of str to dict of str to tuple of str
        Labels by document and annotator.
    comments : dict of str to tuple of (annotator, text)
        Remarks by document; the annotator is empty where the format names none.
    flagged : tuple of str
        Documents that are marked for a second look.
    warnings : list of str
        What could not be taken over, and what was guessed.
    """

    documents: Corpus | None
    labels: dict[str, Names] = field(default_factory=dict)
    annotators: dict[str, dict[str, Names]] = field(default_factory=dict)
    comments: dict[str, Comments] = field(default_factory=dict)
    flagged: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fields:
    """Which columns or keys of a file hold what, where the caller says so."""

    text: str | None = None
    id: str | None = None
    label: str | None = None
    separator: str | None = None

    def said(self) -> tuple[str, ...]:
        """Return the columns that were named."""
        return tuple(name for name in (self.text, self.id, self.label) if name is not None)

    def usual(self) -> bool:
        """Whether a file that Wayword wrote can be read as such: no other columns are named than it has."""
        return self.text in (None, "text") and self.id in (None, "id") and self.label in (None, "labels")


def agreed(labellings: Mapping[str, Names]) -> Names | None:
    """Return what all annotators say, in the order of the first; None if they differ or say nothing."""
    said = list(labellings.values())
    return said[0] if said and all(set(names) == set(said[0]) for names in said) else None
