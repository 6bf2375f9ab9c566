"""What a person sees: one frozen dataclass for each thing that a screen or a command shows.

Views hold plain values only (texts, numbers, lists of views), so that a route or a command renders them as they are.
Labels, topics and documents are named by id; names to show stand beside the ids where a screen needs them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class LabelView:
    """A label: how many documents have it (settled), and what share of all documents is guessed to."""

    id: str
    name: str
    n_documents: int = 0
    share: float = 0.0
    colour: int = 0
    """Its place in the palette, the same for ever."""


@dataclass(frozen=True, slots=True)
class TermView:
    """A term, how likely it is in its topic, and the score by which it was ranked (purity)."""

    term: str
    weight: float
    score: float


@dataclass(frozen=True, slots=True)
class TopicView:
    """A topic: its anchors, its terms, and the label that most of it belongs to (empty: a new topic)."""

    id: str
    name: str
    anchors: list[str]
    terms: list[TermView]
    share: float
    label: str = ""
    label_share: float = 0.0
    coherence: float | None = None
    pinned: bool = False
    """Whether the person has said what it is about, so that it stays."""
    frozen: bool = False
    forbidden: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a list."""

    id: str
    excerpt: str
    labels: list[str]
    status: str
    """open, single, agreed, adjudicated, disagreement or skipped."""
    guess: str = ""
    chance: float | None = None
    flagged: bool = False
    annotators: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ThemeView:
    """A label with what it is about."""

    label: LabelView
    terms: list[TermView]
    topics: list[str]
    coherence: float | None
    documents: list[DocumentLine]


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project in numbers."""

    name: str
    version: str
    n_documents: int
    n_terms: int
    n_labelled: int
    n_acts: int
    n_topics: int
    annotators: list[str]
    multilabel: bool
    labels: list[LabelView]
    banned: list[str]
    """Terms that are kept out of every topic, sorted."""
    purity: float
    """How specific the words are that are shown: from frequent (0) to specific (1)."""
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OverviewView:
    """The first screen. `number` is the act up to which everything has been taken into account."""

    number: int
    purity: float
    themes: list[ThemeView]
    new_topics: list[TopicView]
    background: list[TermView]
    residual: list[DocumentLine]
    fitted_at: int
    """The act up to which the background terms and residual documents were fitted; -1 if never."""


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A label that a document may have."""

    label: str
    name: str
    chance: float


@dataclass(frozen=True, slots=True)
class LabellingView:
    """What one annotator says of a document."""

    annotator: str
    labels: list[str]


@dataclass(frozen=True, slots=True)
class CommentView:
    """A remark."""

    annotator: str
    text: str


@dataclass(frozen=True, slots=True)
class WordView:
    """A piece of a text, from `start` to `end` (in UTF-16 units, as browsers count), and the label it speaks for."""

    start: int
    end: int
    label: str
    weight: float
    """From 0 to 1, the strongest word of the document being 1."""


@dataclass(frozen=True, slots=True)
class SentenceView:
    """The sentence that speaks most for a label, by the same offsets."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class ShareView:
    """A share of a document: of a topic or of a label, by id."""

    id: str
    name: str
    share: float


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One document, whole."""

    id: str
    text: str
    truncated: bool
    """Whether only the beginning of a very long text is here."""
    metadata: dict[str, Any]
    labels: list[str]
    """Of the annotator who looks."""
    labellings: list[LabellingView]
    status: str
    settled: list[str]
    flagged: bool
    skipped: bool
    comments: list[CommentView]
    suggestions: list[SuggestionView]
    words: list[WordView]
    sentences: list[SentenceView]
    label_shares: list[ShareView]
    topic_shares: list[ShareView]
    neighbours: list[ShareView]
    """Labelled documents that speak for the likeliest label."""


@dataclass(frozen=True, slots=True)
class CountsView:
    """How far labelling has come, for one annotator."""

    n_documents: int
    n_labelled: int
    n_mine: int
    n_skipped: int
    n_disagreements: int


@dataclass(frozen=True, slots=True)
class QuestionView:
    """The next document, and why; no document when nothing is left."""

    number: int
    document: DocumentView | None
    reasons: list[str]
    counts: CountsView
    double_coding: bool = False


@dataclass(frozen=True, slots=True)
class TopicMoveView:
    """How one topic changed."""

    topic: str
    name: str
    anchors: list[str]
    anchors_before: list[str]
    came: list[str]
    """Terms that are among its best now."""
    went: list[str]
    """Terms that are no longer."""


@dataclass(frozen=True, slots=True)
class MovesView:
    """How topics changed between two states."""

    since: int
    number: int
    came: list[str]
    """Ids of topics that are new."""
    went: list[str]
    """Ids of topics that are gone."""
    moved: list[TopicMoveView]


@dataclass(frozen=True, slots=True)
class ActView:
    """What became of acts that were applied.

    An act without effect, such as a label's name that it has already, is in force all the same: it can be undone, and
    `reason` says why nothing changed. Only what has been taken back is not in force.
    """

    number: int
    """Of the last of them."""
    in_force: bool
    reason: str
    """Why an act had no effect; empty where all had one."""
    can_undo: bool
    can_redo: bool
    undone: list[str] = field(default_factory=list)
    """For an undo or redo: the documents that it was about."""


@dataclass(frozen=True, slots=True)
class EntryView:
    """A line of the journal."""

    number: int
    when: str
    annotator: str
    kind: str
    text: str
    """The act in words."""
    in_force: bool
    reason: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A piece of a list of documents."""

    total: int
    offset: int
    lines: list[DocumentLine]


@dataclass(frozen=True, slots=True)
class DisagreementView:
    """A document about which annotators disagree."""

    document: DocumentLine
    labellings: list[LabellingView]


@dataclass(frozen=True, slots=True)
class IntervalView:
    """A figure and its 95 % interval; all None where there is too little to say."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class AgreementView:
    """How far annotators agree."""

    n_documents: int
    """That two or more have labelled."""
    cohen: list[tuple[str, str, float | None, int]]
    """For each pair of annotators: kappa and the number of documents both have labelled."""
    fleiss: IntervalView
    krippendorff: IntervalView
    percent: IntervalView


@dataclass(frozen=True, slots=True)
class ConfusionView:
    """How often documents with one label are taken for another: counts[true][guessed]."""

    labels: list[str]
    counts: list[list[int]]


@dataclass(frozen=True, slots=True)
class SuspectView:
    """A label that may be wrong."""

    document: DocumentLine
    label: str
    other: str
    """The label that is likelier by all others."""
    chance: float


@dataclass(frozen=True, slots=True)
class QualityView:
    """How good the guesses and topics are."""

    number: int
    n_labelled: int
    accuracy: IntervalView
    """Of labelled documents, each guessed from the labels of others; those asked about are hard."""
    log_rank_accuracy: IntervalView
    macro_f1: IntervalView
    confusion: ConfusionView
    curve: list[tuple[int, float, float, float]]
    """Learning curve: number of labels, accuracy, low, high."""
    more: IntervalView
    """What another 25 labels would add to accuracy."""
    advice: str
    """The same in words."""
    coherence: list[tuple[str, float]]
    stability: float | None
    agreement: AgreementView
    suspects: list[SuspectView]
    estimate: IntervalView = IntervalView(None, None, None)
    """The accuracy for documents without labels; unknown where a version that did not tell it has measured."""


@dataclass(frozen=True, slots=True)
class JobView:
    """Work in the background."""

    id: str
    kind: str
    """themes, quality, report."""
    status: str
    """waiting, running, done, failed, cancelled."""
    step: str
    done: int
    total: int
    number: int
    """The act up to which it counts."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class ImportView:
    """What an import brought."""

    number: int
    n_documents: int
    """Documents that were new."""
    n_labelled: int
    new_labels: list[str]
    unknown: list[str]
    """Ids (the first few) that no document has and that came without text."""
    warnings: list[str]
    can_undo: bool = False
    """Whether labels and remarks came that an undo of this `number` takes back."""
