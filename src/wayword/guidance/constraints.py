"""Guidance as arrays: the one place where terms become columns and document ids become rows.

Models take `Constraints`; nothing below this line sees a word. Guidance outlives vocabularies and corpora, so it may
name terms and documents that are not there: `Lookup.check` refuses them when an act is made, with near matches, and
`Lookup.constraints` leaves them out and says so.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType

import numpy as np
from scipy import sparse

from wayword.corpus.vocabulary import Vocabulary
from wayword.errors import InputError, UnknownTermError, shorten
from wayword.guidance.actions import Act
from wayword.guidance.state import Guidance

_UNSETTLED = ("open", "disagreement")


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """Guidance as index arrays, read-only.

    Attributes
    ----------
    labels : tuple of str
        Ids of the labels that count, in the order they were added: the columns of `label_matrix`.
    label_names : tuple of str
        Their names.
    label_matrix : sparse bool matrix of shape (n_documents, n_labels)
        Which labels apply to which documents, where that is settled.
    label_rows : int array
        Rows of the documents with settled labels, in order.
    anchors : mapping of str to int array
        Columns of each topic's anchors.
    banned : int array
        Columns of terms kept out of every topic, in order.
    forbidden : mapping of str to int array
        Columns of terms kept out of a topic, in order.
    frozen : tuple of str
        Topics that stay as they are, sorted.
    disagreements : int array
        Rows of the documents about which annotators disagree, in order.
    unknown_terms : mapping of str to tuple of str
        Words of the guidance that the vocabulary does not hold, and terms spelled nearly the same.
    unknown_documents : tuple of str
        Labelled documents that are not there.
    """

    labels: tuple[str, ...]
    label_names: tuple[str, ...]
    label_matrix: sparse.csr_matrix
    label_rows: np.ndarray
    anchors: Mapping[str, np.ndarray]
    banned: np.ndarray
    forbidden: Mapping[str, np.ndarray]
    frozen: tuple[str, ...]
    disagreements: np.ndarray
    unknown_terms: Mapping[str, tuple[str, ...]]
    unknown_documents: tuple[str, ...]

    @property
    def y(self) -> list[list[str] | None]:
        """Labels as models take them: names for each document, None where nothing is settled."""
        told: list[list[str] | None] = [None] * self.label_matrix.shape[0]
        start, columns = self.label_matrix.indptr, self.label_matrix.indices
        for row in self.label_rows.tolist():
            told[row] = [self.label_names[column] for column in columns[start[row] : start[row + 1]]]
        return told


def _read_only(values: Iterable[int], *, ordered: bool = True) -> np.ndarray:
    array = np.array(sorted(values) if ordered else list(values), dtype=np.int64)
    array.flags.writeable = False
    return array


class Lookup:
    """Finds columns of terms and rows of documents.

    Parameters
    ----------
    vocabulary : Vocabulary
        The terms of the columns.
    ids : sequence of str
        The ids of the rows.
    """

    def __init__(self, vocabulary: Vocabulary, ids: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self._rows = {id: row for row, id in enumerate(ids)}
        if len(self._rows) < len(ids):
            raise InputError("ids of documents must be unique; two documents have one id")
        self._near: dict[str, tuple[str, ...]] = {}

    def column(self, term: str) -> int:
        """Return the column of a term; an unknown one raises `UnknownTermError` with near matches."""
        if term in self.vocabulary:
            return self.vocabulary.column(term)
        raise UnknownTermError(term, self.near(term))

    def row(self, document: str) -> int:
        """Return the row of a document; an unknown one raises `InputError` with near matches."""
        if document in self._rows:
            return self._rows[document]
        near = difflib.get_close_matches(document, self._rows, n=3)
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
        raise InputError(f"no document has the id {shorten(document)}{hint}")

    def near(self, word: str) -> tuple[str, ...]:
        """Return terms that are spelled nearly like a word; looked for once."""
        if word not in self._near:
            self._near[word] = self.vocabulary.near(word)
        return self._near[word]

    def check(self, act: Act) -> None:
        """Refuse an act that names a term or a document that is not there."""
        for field in fields(act):  # type: ignore[arg-type]
            value = getattr(act, field.name)
            for name in [value] if isinstance(value, str) else value if isinstance(value, tuple) else ():
                if field.name in ("term", "terms"):
                    self.column(name)
                elif field.name in ("document", "documents"):
                    self.row(name)
                elif act.kind == "import" and field.name == "labels":
                    self.row(name[0])

    def constraints(self, guidance: Guidance) -> Constraints:
        """Return guidance as arrays; terms and documents that are not there are left out and listed."""
        live = guidance.live_labels()
        settled, disputed, unknown = self._settle(guidance)
        terms = [*guidance.banned, *_flatten(guidance.anchors), *_flatten(guidance.forbidden)]
        return Constraints(
            labels=tuple(record.id for record in live),
            label_names=tuple(record.name for record in live),
            label_matrix=self._label_matrix(settled, [record.id for record in live]),
            label_rows=_read_only(settled),
            anchors=self._columns_by_topic(guidance.anchors, ordered=False),
            banned=self._columns(guidance.banned),
            forbidden=self._columns_by_topic(guidance.forbidden),
            frozen=tuple(sorted(guidance.frozen)),
            disagreements=_read_only(disputed),
            unknown_terms=MappingProxyType({t: self.near(t) for t in sorted(set(terms)) if t not in self.vocabulary}),
            unknown_documents=tuple(sorted(unknown)),
        )

    def _settle(self, guidance: Guidance) -> tuple[dict[int, tuple[str, ...]], list[int], list[str]]:
        """Return labels of rows that are settled, rows that are disputed, and documents that are not there."""
        settled, disputed, unknown = {}, [], []
        for document, found in guidance.resolutions().items():
            row = self._rows.get(document)
            if row is None:
                unknown.append(document)
            elif found.status not in _UNSETTLED:
                settled[row] = found.labels
            elif found.status == "disagreement":
                disputed.append(row)
        return settled, disputed, unknown

    def _label_matrix(self, settled: Mapping[int, tuple[str, ...]], labels: Sequence[str]) -> sparse.csr_matrix:
        places = {label: place for place, label in enumerate(labels)}
        rows = [row for row, told in settled.items() for _ in told]
        columns = [places[label] for told in settled.values() for label in told]
        ones = np.ones(len(rows), dtype=bool)
        return sparse.csr_matrix((ones, (rows, columns)), shape=(len(self._rows), len(labels)))

    def _columns(self, terms: Iterable[str], *, ordered: bool = True) -> np.ndarray:
        known = (self.vocabulary.column(term) for term in terms if term in self.vocabulary)
        return _read_only(known, ordered=ordered)

    def _columns_by_topic(self, told: Mapping[str, Iterable[str]], *, ordered: bool = True) -> Mapping[str, np.ndarray]:
        found = {topic: self._columns(terms, ordered=ordered) for topic, terms in sorted(told.items())}
        return MappingProxyType({topic: columns for topic, columns in found.items() if len(columns)})


def _flatten(told: Mapping[str, Iterable[str]]) -> list[str]:
    return [term for terms in told.values() for term in terms]
