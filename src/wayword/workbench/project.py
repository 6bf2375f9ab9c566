"""A project: every verb of the page and of the command line.

Acts are kept in the store before anybody is told that they are; guesses and topics follow in a thread of their own;
longer work runs as jobs. All verbs may be called from several threads, and several processes may share a store.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayword import __version__
from wayword.corpus.corpus import Corpus
from wayword.corpus.files import replace_file
from wayword.errors import InputError
from wayword.guidance.fields import check_id
from wayword.guidance.state import Guidance
from wayword.models.inputs import check_number, check_whole
from wayword.progress import Progress, ignore
from wayword.store.base import Annotator
from wayword.store.urls import open_store
from wayword.workbench import creating
from wayword.workbench.core import Core
from wayword.workbench.creating import Settings
from wayword.workbench.documents import Filter, check_known, list_documents, show_document, show_line
from wayword.workbench.exchange import read_exchange, write_exchange, write_exchange_to
from wayword.workbench.figures import draw, draw_evolution
from wayword.workbench.live import Move, Settling, Told
from wayword.workbench.moves import compare
from wayword.workbench.overview import list_topics, show_labels, show_overview
from wayword.workbench.quality import measure_agreement
from wayword.workbench.queue import count, say_why
from wayword.workbench.reporting import report
from wayword.workbench.topics import find_purity
from wayword.workbench.transfer import is_journal, list_rows, write_journal
from wayword.workbench.views import (
    AgreementView,
    DisagreementView,
    DocumentPage,
    DocumentView,
    EntryView,
    ImportView,
    JobView,
    LabellingView,
    LabelView,
    MovesView,
    OverviewView,
    ProjectView,
    QualityView,
    QuestionView,
    TopicView,
)
from wayword.workbench.words import list_entries

_LONGEST_JOURNAL = 1_000


class Project(Core):
    """An open project.

    Use `Project.create` and `Project.open`; a project is a context manager, and is to be closed.

    Examples
    --------
    >>> from wayword import Corpus
    >>> from wayword.guidance.actions import AddLabel, Label
    >>> from wayword.workbench.project import Project
    >>> corpus = Corpus(["a clean room", "friendly staff", "the room was clean"], ids=["r1", "s1", "r2"])
    >>> with Project.create("memory://", corpus) as project:
    ...     acts = [AddLabel("room", "Room"), Label(["r1"], ["room"])]
    ...     number = project.apply(acts, annotator="ada").number
    ...     project.labels()[0].n_documents
    1
    """

    # Beginning and end

    @classmethod
    def create(
        cls,
        url: str | Path,
        corpus: Corpus,
        *,
        name: str = "",
        language: str = "en",
        max_terms: int | None = 7000,
        min_df: int | None = None,
        n_topics: int = 20,
        multilabel: bool | None = None,
        double_coding: float = 0.0,
        annotator: str = "import",
        progress: Progress = ignore,
    ) -> Project:
        """Make a project of a corpus, and open it.

        Parameters
        ----------
        url : str or Path
            Where to keep it: the path of a file, ``postgresql://...``, or ``memory://``. There must be no project yet.
        corpus : Corpus
            The documents. Their labels come in as an act that can be undone.
        name : str
            What the project is called; the name of its file by default.
        language : str
            Language of the texts, for lemmas and stop words.
        max_terms : int or None
            How many of the most frequent terms to keep.
        min_df : int, optional
            In how many documents a term must occur: 3 by default, 1 for fewer than 100 documents.
        n_topics : int
            How many topics to show.
        multilabel : bool, optional
            Whether a document may have several labels; by default if one of the corpus has.
        double_coding : float
            The share of documents that two people label.
        annotator : str
            Whose the labels of the corpus are.
        progress : callable
            Told how far counting and laying out are.
        """
        settings = Settings.choose(
            corpus,
            name=name or creating.name_of(url),
            language=language,
            max_terms=max_terms,
            min_df=min_df,
            n_topics=n_topics,
            multilabel=multilabel,
            double_coding=double_coding,
        )
        return cls(*creating.create(url, corpus, settings, annotator=annotator, progress=progress))

    @classmethod
    def open(cls, url: str | Path, *, progress: Progress = ignore) -> Project:
        """Open a project: its arrays come from the store, and its acts are folded to the state they left.

        Parameters
        ----------
        url : str or Path
            Where it is kept.
        progress : callable
            Told how far the topics are.
        """
        store = open_store(url)
        try:
            return cls(store, *creating.find(store, progress=progress))
        except BaseException:
            store.close()
            raise

    # What a person sees

    def refresh(self, timeout: float | None = None) -> int:
        """Wait until guesses and topics are those of the newest act, or so many seconds; return their act's number."""
        return self._sight(timeout).state.number

    def view(self) -> ProjectView:
        """Return the project in numbers."""
        sight = self._sight()
        return ProjectView(
            name=self.name,
            version=__version__,
            n_documents=self._ground.n_documents,
            n_terms=len(self._ground.vocabulary),
            n_labelled=count(sight, "").n_labelled,
            n_acts=sight.guidance.number,
            n_topics=len(sight.state.ids),
            annotators=self.annotators(),
            multilabel=self._settings.multilabel,
            labels=show_labels(sight),
            banned=sorted(sight.guidance.banned),
            purity=self._purity(sight.guidance, None),
            settings=self._settings.to_dict(),
        )

    def labels(self) -> list[LabelView]:
        """Return the labels, in the order they were added."""
        return show_labels(self._sight())

    def question(self, annotator: str, *, wait: float = 0.25) -> QuestionView:
        """Return the next document of an annotator, and why it is asked about.

        Parameters
        ----------
        annotator : str
            Who is to label it. Nobody else is handed it for a while.
        wait : float
            How many seconds to wait for the newest guesses before going by those there are.
        """
        check_id(annotator, "annotator")
        sight = self._sight(wait)
        with self._lock:
            handed = self._queue.hand_out(sight, annotator)
        counts = count(sight, annotator)
        if handed is None:
            return QuestionView(sight.state.number, None, [], counts)
        row = sight.state.ground.rows[handed.id]
        document = show_document(sight, row, annotator)
        return QuestionView(sight.state.number, document, say_why(sight.state, handed, sight), counts, handed.again)

    def topics(self, purity: float | None = None) -> list[TopicView]:
        """Return the topics, the largest first; terms are ranked by how frequent (0) or specific (1) they are."""
        sight = self._sight()
        return list_topics(sight, self._purity(sight.guidance, purity), self._coherences)

    def overview(self, purity: float | None = None) -> OverviewView:
        """Return themes, new topics, background and what no theme explains."""
        sight = self._sight()
        return show_overview(sight, self._purity(sight.guidance, purity), self._themes, self._coherences)

    def _purity(self, guidance: Guidance, purity: float | None) -> float:
        if purity is not None:
            check_number("purity", purity, most=1.0)
        return find_purity(guidance, purity)

    def moves(self, since: int) -> MovesView:
        """Return how topics have changed since the state after an act; nothing, if they do not know of that act yet."""
        check_whole("since", since, least=0)
        sight = self._sight()
        state = sight.state
        if since > state.number:
            return MovesView(since, state.number, [], [], [])
        before = self._record_at(since)
        names = dict(zip(state.ids, state.names, strict=True))
        return compare(before, state.record(), names, since, state.number)

    def _record_at(self, since: int) -> dict[str, Move]:
        """Return the topics after an act, as they were kept or computed again."""
        before = self._live.record_of(since)
        return self._live.compute_at(self._tell_at(since)).record() if before is None else before

    def _tell_at(self, number: int) -> Told:
        """Return what guesses and topics depended on after an act."""
        with self._lock:
            ledger = self._ledger.at(number)
            return self._tell_of(ledger, Settling().settled(ledger.guidance))

    def document(self, id: str, annotator: str) -> DocumentView:
        """Return a document, whole, as an annotator sees it."""
        sight = self._sight()
        return show_document(sight, sight.state.ground.lookup.row(id), annotator)

    def documents(self, **wanted: Any) -> DocumentPage:
        """Return a piece of the list of documents that pass some filters.

        Parameters
        ----------
        query : str
            Words that must occur; the best come first where ``sort="relevance"``.
        label, guess, topic : str
            Ids: of a settled label, of the likeliest label, of a topic that is a fifth of the document or more.
        status : str
            open, single, agreed, adjudicated, disagreement or skipped.
        annotator : str
            Who has labelled them.
        least_chance, most_chance : float, optional
            Of the likeliest label.
        flagged : bool, optional
            Whether they are flagged.
        sort : {"order", "chance", "-chance", "relevance", "doubt"}
            As they were added, by the chance of the likeliest label, by the search or topic, by what to ask first.
        offset, limit : int
            Which piece.
        """
        asked = Filter(**wanted)
        hits = self.store.find(asked.query) if asked.query.strip() else None
        return list_documents(self._sight(), asked, hits)

    def complete(self, prefix: str, limit: int = 10) -> list[str]:
        """Return terms that begin so, the most frequent first."""
        check_whole("limit", limit)
        vocabulary = self._ground.vocabulary
        found = [
            (-int(vocabulary.term_frequencies[k]), t) for k, t in enumerate(vocabulary) if t.startswith(prefix.lower())
        ]
        return [term for _, term in sorted(found)[:limit]]

    def disagreements(self) -> list[DisagreementView]:
        """Return documents about which annotators disagree and nobody has decided."""
        sight = self._sight()
        rows = sight.state.ground.rows
        found = [id for id, result in sight.resolutions.items() if result.status == "disagreement" and id in rows]
        return [
            DisagreementView(
                show_line(sight, rows[id]),
                [
                    LabellingView(who, sight.labels_now(said.labels))
                    for who, said in sorted(sight.guidance.labels[id].items())
                ],
            )
            for id in sorted(found, key=rows.__getitem__)
        ]

    def journal(self, *, offset: int = 0, limit: int = 100, newest_first: bool = True) -> list[EntryView]:
        """Return acts in words."""
        check_whole("offset", offset, least=0)
        check_whole("limit", limit)
        with self._lock:
            self._catch_up()
            most = min(limit, _LONGEST_JOURNAL)
            return list_entries(self._ledger, offset=offset, limit=most, newest_first=newest_first)

    # People

    def add_annotator(self, name: str) -> None:
        """Note somebody who labels."""
        check_id(name, "the name of an annotator")
        if name not in {annotator.name for annotator in self.store.annotators()}:
            self.store.put_annotator(Annotator(name))

    def annotators(self) -> list[str]:
        """Return everybody who has labelled or was added, sorted."""
        with self._lock:
            spoken = {who for said in self._ledger.guidance.labels.values() for who in said}
        return sorted(spoken | {annotator.name for annotator in self.store.annotators()})

    # Quality

    def quality(self, *, fresh: bool = False) -> QualityView | None:
        """Return how good guesses and topics are, as measured last; None if never.

        Parameters
        ----------
        fresh : bool
            Whether to measure again and wait for it.
        """
        if fresh:
            job = self._jobs.wait(self.measure().id)
            if job.status == "failed":
                raise InputError(f"quality could not be measured: {job.error}")
        return self._quality

    def measure(self) -> JobView:
        """Measure quality in the background."""
        return self._start_measuring()

    def agreement(self) -> AgreementView:
        """Return how far annotators agree."""
        return measure_agreement(self._sight().guidance)

    def figure(self, name: str, *, dark: bool = False, since: int = 0, topic: str = "") -> dict[str, Any]:
        """Return a figure as plotly's JSON.

        Parameters
        ----------
        name : {"sunburst", "topic_map", "learning_curve", "confusion", "evolution"}
            Which figure.
        dark : bool
            Whether it stands on dark ground.
        since : int
            For the evolution: the act from which on.
        topic : str
            For the evolution: the topic; the largest by default.
        """
        sight = self._sight()
        if name != "evolution":
            return draw(name, sight, self._quality, dark=dark)
        before, after = self._record_at(since), sight.state.record()
        names = dict(zip(sight.state.ids, sight.state.names, strict=True))
        topic = topic or sight.state.ids[int(sight.state.topics.shares.argmax())]
        check_known(topic, names, "topic")
        old = list(before[topic].terms) if topic in before else []
        return draw_evolution(old, list(after[topic].terms), f"What changed in {names[topic]}", dark=dark)

    # Exchange

    def import_file(
        self,
        source: str | Path | bytes,
        *,
        format: str | None = None,
        name: str = "",
        annotator: str,
        progress: Progress = ignore,
        **columns: Any,
    ) -> ImportView:
        """Take over documents, labels, flags and comments from a file.

        Parameters
        ----------
        source : path or bytes
            The file, or what is in it.
        format : str, optional
            csv, jsonl, parquet, xlsx, label-studio, doccano, prodigy or journal; told from the file by default.
        name : str
            What the file is called.
        annotator : str
            Whose labels are that come without a name.
        progress : callable
            Told how far laying out new documents is.
        **columns
            Columns that hold texts, ids and labels; see `read_exchange`.
        """
        check_id(annotator, "annotator")
        if is_journal(source, format, name):
            return self._import_journal(source)
        file = read_exchange(source, format=format, name=name, **columns)
        title = name or (Path(source).name if not isinstance(source, bytes) else "a file")
        return self._take_in(file, title, annotator, progress)

    def export(self, format: str, *, annotator: str | None = None) -> bytes:
        """Return all documents with labels, guesses and shares, or the journal, as a file of a format.

        Parameters
        ----------
        format : str
            csv, jsonl, parquet, xlsx, label-studio, doccano, prodigy or journal.
        annotator : str, optional
            Whose labels to give in place of those that are settled.
        """
        if format == "journal":
            with self._lock:
                return write_journal(self._ledger.journal)
        return write_exchange(list_rows(self._sight(None), annotator), format)

    def export_to(self, path: str | Path, format: str, *, annotator: str | None = None) -> None:
        """Write what `export` returns to a file."""
        if format != "journal":
            write_exchange_to(path, list_rows(self._sight(None), annotator), format)
            return
        with replace_file(path) as file:
            file.write(self.export(format))

    def report(self, path: str | Path, *, progress: Progress = ignore) -> None:
        """Write a page about the themes, or without labels the topics, that needs no network."""
        sight = self._sight(None)
        with self._lock:
            settled = self._settled()
        report(sight, settled, self._themes, path, title=self.name, progress=progress)
