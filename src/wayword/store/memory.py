"""A project in memory: the contract in its plainest form, for trying things out and for tests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from wayword.corpus.corpus import BagOfWords, Corpus, Document
from wayword.errors import DuplicateIdError, InputError, StoreError, shorten
from wayword.guidance.actions import Entry
from wayword.guidance.fields import check_id
from wayword.store.base import CLAIM_SECONDS, NOBODY, Annotator, Hit, Spoken
from wayword.store.packing import (
    BAGS,
    check_claim,
    check_corpus,
    find_free,
    pack_arrays,
    pack_json,
    pack_metadata,
    unpack_arrays,
)
from wayword.store.queries import Phrase, cut_excerpt, read_query, to_pattern


class MemoryStore:
    """A project in memory; see `wayword.store.base` for what it promises."""

    def __init__(self) -> None:
        self.url = "memory://"
        self._lock = threading.RLock()
        self._documents: dict[str, Document] = {}
        self._bags: BagOfWords | None = None
        self._entries: list[Entry] = []
        self._numbers: dict[str, int] = {}
        self._arrays: dict[str, bytes] = {}
        self._snapshots: dict[str, dict[int, str]] = {}
        self._annotators: dict[str, str] = {}
        self._settings: dict[str, str] = {}
        self._claims: dict[str, dict[str, float | None]] = {}

    def add_documents(self, corpus: Corpus) -> None:
        """Add all documents of a corpus, or none."""
        with self._lock:
            check_corpus(corpus, len(self._documents))
            for id in corpus.ids:
                if id in self._documents:
                    raise DuplicateIdError(f"the project holds a document with the id {shorten(id)} already")
            metadata = [json.loads(pack_metadata(corpus, row)) for row in range(len(corpus))]
            columns = zip(corpus.ids, corpus.texts, corpus.labels, metadata, strict=True)
            self._documents.update((row[0], Document(*row)) for row in columns)
            self._bags = corpus.bags if corpus.bags is not None else self._bags

    def corpus(self) -> Corpus:
        """Return all documents in the order in which they were added."""
        found = Corpus.from_documents(list(self._documents.values()))
        return Corpus(found.texts, ids=found.ids, labels=found.labels, metadata=found.metadata, bags=self._bags)

    def document(self, id: str) -> Document:
        """Return a document; an unknown id is a `StoreError`."""
        if check_id(id, "the id of a document") not in self._documents:
            raise StoreError(f"no document has the id {shorten(id)}")
        return self._documents[id]

    def count_documents(self) -> int:
        """Return how many documents there are."""
        return len(self._documents)

    def search(self, query: str, *, limit: int = 50) -> list[Hit]:
        """Return the documents that hold all words of a query, those that hold them most often first."""
        phrases = read_query(query, limit)
        any_of_them = to_pattern(phrases)
        return [Hit(document.id, cut_excerpt(document.text, any_of_them)) for document in self._find(phrases)[:limit]]

    def find(self, query: str) -> list[str]:
        """Return the ids of all documents that `search` would find without a limit, the best first."""
        return [document.id for document in self._find(read_query(query))]

    def _find(self, phrases: list[Phrase]) -> list[Document]:
        patterns = [to_pattern([phrase]) for phrase in phrases]
        found = []
        for document in list(self._documents.values()) if phrases else []:
            counts = [len(pattern.findall(document.text)) for pattern in patterns]
            if all(counts):
                found.append((-sum(counts), document))
        return [document for _, document in sorted(found, key=lambda pair: pair[0])]

    def append(self, entry: Entry) -> int:
        """Keep an act and return its number."""
        return self.append_all([entry])[0]

    def append_all(self, entries: Iterable[Entry]) -> list[int]:
        """Keep several acts, all or none, and return their numbers."""
        entries = list(entries)
        with self._lock:
            fresh: dict[str, Entry] = {}
            for entry in entries:
                number = self._numbers.get(entry.act_id)
                known = self._entries[number - 1] if number else fresh.setdefault(entry.act_id, entry)
                if not known.repeats(entry):
                    raise InputError(f"the act id {shorten(entry.act_id)} is that of another act; make a new id")
            for entry in fresh.values():
                self._entries.append(entry)
                self._numbers[entry.act_id] = len(self._entries)
            return [self._numbers[entry.act_id] for entry in entries]

    def entries(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Give the acts with numbers above `after`, in order, with their numbers."""
        yield from enumerate(self._entries[after:], start=after + 1)

    def count_acts(self) -> int:
        """Return how many acts there are: the number of the last."""
        return len(self._entries)

    def put_arrays(self, name: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep arrays together under a name."""
        if check_id(name, "a name of arrays") == BAGS:
            raise InputError(f"the name {BAGS!r} is kept for the counts of the corpus; take another")
        self._arrays[name] = pack_arrays(arrays)

    def arrays(self, name: str) -> dict[str, np.ndarray] | None:
        """Return the arrays kept under a name, None if there are none."""
        packed = self._arrays.get(name)
        return None if packed is None else unpack_arrays(packed, name)

    def array_names(self) -> list[str]:
        """Return the names under which arrays are kept, sorted."""
        return sorted(self._arrays)

    def drop_arrays(self, name: str) -> None:
        """Forget the arrays kept under a name, if any."""
        self._arrays.pop(name, None)

    def put_snapshot(self, name: str, number: int, state: Any) -> None:
        """Keep a JSON value as the state after the act with a number."""
        check_id(name, "the name of a snapshot")
        packed = pack_json(state, "a snapshot")
        with self._lock:
            self._snapshots.setdefault(name, {})[number] = packed

    def snapshot(self, name: str, at: int | None = None) -> tuple[int, Any] | None:
        """Return the last snapshot of a name at or before an act, with its number; None if there is none."""
        with self._lock:
            kept = dict(self._snapshots.get(name, {}))
        number = max((number for number in kept if at is None or number <= at), default=None)
        return None if number is None else (number, json.loads(kept[number]))

    def put_annotator(self, annotator: Annotator) -> None:
        """Keep an annotator."""
        check_id(annotator.name, "the name of an annotator")
        self._annotators[annotator.name] = pack_json(dict(annotator.details), "details of an annotator")

    def annotators(self) -> list[Annotator]:
        """Return all annotators, sorted by name."""
        return [Annotator(name, json.loads(details)) for name, details in sorted(self._annotators.items())]

    def put_settings(self, settings: Mapping[str, Any]) -> None:
        """Keep settings, each under its name, as JSON has them; others stay."""
        packed = {check_id(name, "the name of a setting"): pack_json(value, name) for name, value in settings.items()}
        self._settings.update(packed)

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        return {name: json.loads(value) for name, value in sorted(self._settings.items())}

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
        """Reserve the first free one of some documents for an annotator; see `Store.claim`."""
        time = check_claim(documents, now, seconds, coders).timestamp()
        with self._lock:
            holders = {document: self._lasting(document, time) for document in documents}
            chosen = find_free(documents, holders, annotator, coders, spoken)
            if chosen is not None:
                self._claims[chosen] = {**holders[chosen], annotator: time + seconds}
            return chosen

    def _lasting(self, document: str, now: float) -> dict[str, float | None]:
        held = self._claims.get(document, {})
        return {annotator: until for annotator, until in held.items() if until is None or until > now}

    def settle(self, annotator: str, document: str) -> None:
        """Let a claim never end: the annotator has dealt with the document, claimed or not."""
        check_id(document, "the id of a document")
        check_id(annotator, "annotator")
        with self._lock:
            self._claims.setdefault(document, {})[annotator] = None

    def release(self, annotator: str, document: str) -> None:
        """End a claim, settled or not, so that the document is free again."""
        with self._lock:
            self._claims.get(document, {}).pop(annotator, None)

    def close(self) -> None:
        """Let go of files and connections; nothing may be asked of the store afterwards."""
