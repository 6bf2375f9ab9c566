"""What a report holds: plain values, ready to be written on a page.

`gather` makes a `Report` of a model, `page` makes a page of a `Report`; neither knows the other.
"""

from __future__ import annotations

from dataclasses import dataclass

Terms = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something counted: what, how many, and what to know about it."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to rank the terms of a topic.

    Attributes
    ----------
    name : str
        How they are ranked.
    terms : tuple of (str, float)
        Terms and scores, the best first.
    """

    name: str
    terms: Terms

    @property
    def bars(self) -> tuple[tuple[str, float, float], ...]:
        """Terms, scores, and the scores as shares of the best."""
        longest = max((score for _, score in self.terms), default=0.0) or 1.0
        return tuple((term, score, score / longest) for term, score in self.terms)


@dataclass(frozen=True, slots=True)
class Part:
    """A subtopic or a background: its name and its terms, ranked in one or more ways."""

    name: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a typical document; `text` is empty where the corpus keeps none."""

    id: str
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """A theme or a topic.

    Attributes
    ----------
    id : str
        Where on the page it is.
    name : str
        What it is called.
    colour : str
        Its colour in the rings.
    share : float or None
        How much of the documents it is about, where known.
    coherence : float or None
        How well its terms go together, where known.
    notes : tuple of str
        What else is known about it, such as its anchors.
    readings : tuple of Reading
        Its terms; the first is shown as bars.
    parts : tuple of Part
        Its subtopics and its background.
    documents : tuple of Excerpt
        Typical documents, the most typical first.
    """

    id: str
    name: str
    colour: str
    share: float | None
    coherence: float | None
    notes: tuple[str, ...]
    readings: tuple[Reading, ...]
    parts: tuple[Part, ...]
    documents: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """How good the model is by one measure: its name, the figure, what it means, and on which documents."""

    name: str
    value: str
    meaning: str
    where: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure.

    Attributes
    ----------
    id : str
        Where on the page it is.
    title, caption : str
        What it shows, and how to read it.
    alt : str
        What it shows, for those who cannot see it.
    json : str
        The figure as plotly reads it.
    """

    id: str
    title: str
    caption: str
    alt: str
    json: str


@dataclass(frozen=True, slots=True)
class Citation:
    """What was used, and whom to cite for it."""

    what: str
    line: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a step: its name and value, and whether somebody chose it."""

    name: str
    value: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What counted terms, or what found topics, with its settings."""

    name: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything on the page, in the order of the page.

    Attributes
    ----------
    title, summary : str
        What it is about.
    kind : str
        What a card is: ``"theme"`` or ``"topic"``.
    corpus : tuple of Fact
        What the corpus is, or what the model knows about it.
    corpus_note : str
        Where these facts are from.
    labels : tuple of (str, int)
        Documents of each label, the most frequent first.
    drawings : tuple of Drawing
        The figures of the overview.
    cards_note : str
        How to read the cards.
    cards : tuple of Card
        The themes or topics, the largest first.
    measures : tuple of Measure
        How good the model is.
    quality_drawings : tuple of Drawing
        Figures about that.
    citations : tuple of Citation
        Whom to cite.
    steps : tuple of Step
        How it was made.
    version, date : str
        Which Wayword wrote it, and when.
    """

    title: str
    summary: str
    kind: str
    corpus: tuple[Fact, ...]
    corpus_note: str
    labels: tuple[tuple[str, int], ...]
    drawings: tuple[Drawing, ...]
    cards_note: str
    cards: tuple[Card, ...]
    measures: tuple[Measure, ...]
    quality_drawings: tuple[Drawing, ...]
    citations: tuple[Citation, ...]
    steps: tuple[Step, ...]
    version: str
    date: str
