"""The contract of a store: what every back end promises.

A store holds one project: its documents, the acts of its annotators, arrays of its models, snapshots of states, its
annotators and its settings. `tests/contract/store.py` checks every sentence below against every back end.

Durability
    What a method has returned from is kept, whatever happens to the process afterwards (a store in memory lives as
    long as its process). A method that raises has changed nothing.

Documents
    Documents keep their order and are known by id. Adding is all or nothing; an id that is there already is a
    `DuplicateIdError`. Texts come back exactly, NUL and broken characters included. Ids are 1 to 500 characters of
    plain text. Metadata comes back as JSON has it: numbers, texts, lists, truth values and nulls as they are,
    anything else as its text.

Acts
    Acts are numbered from 1 without gaps in the order in which they become visible: who has read up to a number has
    missed nothing below it. An act id that comes again with the same act adds nothing and gives the number it had;
    with another act it is an `InputError`. Several acts appended together are appended all or not at all.

Arrays, snapshots, annotators, settings
    Each is put under a name and replaces what was there. Arrays hold numbers, truth values or texts, never objects,
    so that reading them can never run code. A snapshot is any JSON value that belongs to the state after an act.

Search
    A query is words, all of which must occur; words in double quotes must follow each other; a word that ends in
    ``*`` stands for all that begin so. Case does not matter, nor does anything else that is written: no query is an
    error. The best documents come first. Of very long documents only the beginning may be searched.

Handing out
    `claim` reserves for an annotator the first of some documents that is free, at once and for one annotator alone,
    whatever other threads, processes and machines do at the same time. A claim ends by itself after some time unless
    it is settled; who asks again for a document that they have claimed, gets it again for as long.

Threads and processes
    All methods may be called from several threads at once; a project in a file or a database may be open in several
    processes at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

import numpy as np

from wayword.corpus.corpus import Corpus, Document
from wayword.guidance.actions import Entry

CLAIM_SECONDS = 900
Spoken = Mapping[str, Collection[str]]
NOBODY: Spoken = {}


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found: its id, and its text around the first word that was looked for."""

    id: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Annotator:
    """Somebody who labels: a name, and anything else that is to be known of them, as JSON has it."""

    name: str
    details: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class Store(Protocol):
    """One project, kept; the contract stands at the top of this module."""

    url: str

    def add_documents(self, corpus: Corpus) -> None:
        """Add all documents of a corpus, or none."""
        ...

    def corpus(self) -> Corpus:
        """Return all documents in the order in which they were added."""
        ...

    def document(self, id: str) -> Document:
        """Return a document; an unknown id is a `StoreError`."""
        ...

    def count_documents(self) -> int:
        """Return how many documents there are."""
        ...

    def search(self, query: str, *, limit: int = 50) -> list[Hit]:
        """Return the documents that hold all words of a query, the best first."""
        ...

    def find(self, query: str) -> list[str]:
        """Return the ids of all documents that `search` would find without a limit, the best first."""
        ...

    def append(self, entry: Entry) -> int:
        """Keep an act and return its number."""
        ...

    def append_all(self, entries: Iterable[Entry]) -> list[int]:
        """Keep several acts, all or none, and return their numbers."""
        ...

    def entries(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Give the acts with numbers above `after`, in order, with their numbers."""
        ...

    def count_acts(self) -> int:
        """Return how many acts there are: the number of the last."""
        ...

    def put_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays together under a name."""
        ...

    def arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """Return the arrays kept under a name, None if there are none."""
        ...

    def array_names(self) -> list[str]:
        """Return the names under which arrays are kept, sorted."""
        ...

    def drop_arrays(self, name: str) -> None:
        """Forget the arrays kept under a name, if any."""
        ...

    def put_snapshot(self, name: str, number: int, state: Any) -> None:
        """Keep a JSON value as the state after the act with a number."""
        ...

    def snapshot(self, name: str, at: int | None = None) -> tuple[int, Any] | None:
        """Return the last snapshot of a name at or before an act, with its number; None if there is none."""
        ...

    def put_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator."""
        ...

    def annotators(self) -> list[Annotator]:
        """Return all annotators, sorted by name."""
        ...

    def put_settings(self, settings: Mapping[str, Any]) -> None:
        """Keep settings, each under its name, as JSON has them; others stay."""
        ...

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        ...

    def claim(
        self,
        annotator: str,
        documents: Sequence[str],
        *,
        now: datetime,
        seconds: float = CLAIM_SECONDS,
        coders: int = 1,
        spoken: Spoken = NOBODY,
    ) -> str | None:
        """Reserve the first free one of some documents for an annotator.

        Parameters
        ----------
        annotator : str
            Who is to be handed a document.
        documents : sequence of str
            Ids of documents, the most wanted first.
        now : datetime
            The time, with its zone.
        seconds : float
            For how long, unless it is settled.
        coders : int
            How many annotators a document may be handed to.
        spoken : mapping of str to collection of str
            Annotators who have dealt with documents, by document: what they still hold does not count.

        Returns
        -------
        str or None
            The id of the document; None if all are taken, or settled by this annotator.
        """
        ...

    def settle(self, annotator: str, document: str) -> None:
        """Let a claim never end: the annotator has dealt with the document, claimed or not."""
        ...

    def release(self, annotator: str, document: str) -> None:
        """End a claim, settled or not, so that the document is free again."""
        ...

    def close(self) -> None:
        """Let go of files and connections; nothing may be asked of the store afterwards."""
        ...
