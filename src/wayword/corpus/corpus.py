"""A corpus: documents known by id, read-only, in a fixed order.

Columns are kept side by side (ids, texts, labels, metadata) because everything above reads one column at a time.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from wayword.corpus.html import table
from wayword.corpus.splitting import split_positions
from wayword.errors import CorpusError, DuplicateIdError, InputError, shorten

if TYPE_CHECKING:
    from scipy import sparse

    from wayword.corpus.description import CorpusInfo

Labels = tuple[str, ...]
# What a notebook shows.
_SHOWN_DOCUMENTS, _SHOWN_CHARACTERS = 5, 120
_COLUMNS = frozenset({"texts", "ids", "labels", "metadata", "bags", "skipped"})


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes
    ----------
    id : str
        What the document is known by.
    text : str
        What was written.
    labels : tuple of str
        Names of its labels; empty for a document nobody has labelled.
    metadata : mapping
        Every other column of the source.
    """

    id: str
    text: str
    labels: Labels = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Document, (self.id, self.text, self.labels, dict(self.metadata))


@dataclass(frozen=True, slots=True)
class BagOfWords:
    """Counts of a source that keeps no text.

    Attributes
    ----------
    terms : tuple of str
        The words, one for each column of `counts`.
    counts : sparse matrix of shape (n_documents, n_terms)
        How often each word occurs in each document.
    """

    terms: tuple[str, ...]
    counts: sparse.csr_matrix


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that was left out of a corpus read with ``errors="skip"``."""

    place: str
    problem: str


class Corpus(Sequence[Document]):
    """Documents in a fixed order, read-only.

    Parameters
    ----------
    texts : iterable of str
        What was written, one string for each document.
    ids : iterable of str, optional
        What the documents are known by; ``"0"``, ``"1"``, ... by default.
    labels : iterable of str, iterable of str or None, optional
        Names of each document's labels; nothing or ``None`` for an unlabelled one.
    metadata : mapping of str to iterable, optional
        Further columns, each with one value for each document.
    bags : BagOfWords, optional
        Counts to use in place of the texts, for sources that keep no text.
    skipped : iterable of Skipped, optional
        Rows that were left out while reading.

    Attributes
    ----------
    ids : tuple of str
    texts : tuple of str
    labels : tuple of tuple of str
    metadata : mapping of str to tuple
    bags : BagOfWords or None
    skipped : tuple of Skipped
    """

    def __init__(
        self,
        texts: Iterable[str],
        *,
        ids: Iterable[str] | None = None,
        labels: Iterable[str | Iterable[str] | None] | None = None,
        metadata: Mapping[str, Iterable[Any]] | None = None,
        bags: BagOfWords | None = None,
        skipped: Iterable[Skipped] = (),
    ) -> None:
        if isinstance(texts, str):
            raise InputError("a corpus takes a list of texts, got one string; for one text write [text]")
        self.texts = tuple(texts)
        n = len(self.texts)
        self.ids = tuple(ids) if ids is not None else tuple(map(str, range(n)))
        self.labels = tuple(map(_as_labels, labels)) if labels is not None else ((),) * n
        self.metadata = MappingProxyType({name: tuple(column) for name, column in (metadata or {}).items()})
        self.bags = bags
        self.skipped = tuple(skipped)
        self._check_columns()

    @classmethod
    def from_documents(cls, documents: Iterable[Document], *, skipped: Iterable[Skipped] = ()) -> Corpus:
        """Make a corpus of documents; a metadata value that a document lacks becomes ``None``."""
        documents = tuple(documents)
        names = dict.fromkeys(chain.from_iterable(document.metadata for document in documents))
        return cls(
            (document.text for document in documents),
            ids=(document.id for document in documents),
            labels=(document.labels for document in documents),
            metadata={name: [document.metadata.get(name) for document in documents] for name in names},
            skipped=skipped,
        )

    def _check_columns(self) -> None:
        columns = {"ids": self.ids, "labels": self.labels, **self.metadata}
        for name, column in columns.items():
            if len(column) != len(self.texts):
                raise InputError(
                    f"column {name!r} has {len(column)} values for {len(self.texts)} texts; give one for each"
                )
        if self.bags is not None and self.bags.counts.shape != (len(self.texts), len(self.bags.terms)):
            raise InputError(f"bags of shape {self.bags.counts.shape} do not fit {len(self.texts)} texts")
        for name, column in (("ids", self.ids), ("texts", self.texts)):
            _check_strings(name, column)
        if len(self._positions) < len(self.ids):
            twice, times = Counter(self.ids).most_common(1)[0]
            raise DuplicateIdError(f"id {shorten(twice)} stands for {times} documents; ids must be unique")

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__ or name not in _COLUMNS:
            raise AttributeError(f"a corpus is read-only: cannot set {name!r}; make a new corpus instead")
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        columns = (self.texts, self.ids, self.labels, dict(self.metadata), self.bags, self.skipped)
        return _restore, columns

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a corpus is read-only: cannot delete {name!r}")

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {id: position for position, id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, key: int) -> Document: ...
    @overload
    def __getitem__(self, key: slice) -> Corpus: ...
    def __getitem__(self, key: int | slice) -> Document | Corpus:
        if isinstance(key, slice):
            return self._take(range(len(self))[key])
        row = {name: column[key] for name, column in self.metadata.items()}
        return Document(self.ids[key], self.texts[key], self.labels[key], row)

    def __iter__(self) -> Iterator[Document]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        return (self.ids, self.texts, self.labels, self.metadata) == (
            other.ids,
            other.texts,
            other.labels,
            other.metadata,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Corpus of {len(self):,} documents, {len(self.label_names):,} labels>"

    def _repr_html_(self) -> str:
        shown = (self[row] for row in range(min(_SHOWN_DOCUMENTS, len(self))))
        rows = [(document.id, ", ".join(document.labels), document.text[:_SHOWN_CHARACTERS]) for document in shown]
        return table(repr(self)[1:-1], ("id", "labels", "text"), rows)

    @cached_property
    def label_names(self) -> tuple[str, ...]:
        """Distinct labels, sorted."""
        return tuple(sorted(set(chain.from_iterable(self.labels))))

    def document(self, id: str) -> Document:
        """Return the document known by `id`."""
        return self[self._position(id)]

    def select(self, ids: Iterable[str]) -> Corpus:
        """Return a corpus of the documents known by `ids`, in that order."""
        if isinstance(ids, str):
            raise InputError(f"select takes a list of ids, got the string {ids!r}; write select([{ids!r}])")
        return self._take([self._position(id) for id in ids])

    @overload
    def split(self, part: None = None, *, random_state: int = 0) -> tuple[Corpus, Corpus]: ...
    @overload
    def split(self, part: float, *, random_state: int = 0) -> tuple[Corpus, Corpus]: ...
    @overload
    def split(self, part: str, *, random_state: int = 0) -> Corpus: ...
    def split(self, part: float | str | None = None, *, random_state: int = 0) -> tuple[Corpus, Corpus] | Corpus:
        """Divide the corpus.

        Parameters
        ----------
        part : float, str or None
            A share between 0 and 1: that share of the documents at random, and the rest; every label of two
            documents or more gets one on both sides. A name: the documents whose metadata column ``"split"``
            holds it. ``None``: the documents of the splits ``"train"`` and ``"test"``.
        random_state : int
            Seed of a random division.

        Returns
        -------
        Corpus or pair of Corpus
            One corpus for a name, two otherwise; documents keep their order.
        """
        if part is None:
            return self.split("train"), self.split("test")
        if isinstance(part, str):
            published = self._published_split()
            if part not in published:
                there = ", ".join(sorted({repr(name) for name in published}))
                raise InputError(f"no document is of the split {part!r}; the column 'split' holds {there}")
            return self._take([k for k, name in enumerate(published) if name == part])
        if not 0 < part < 1:
            raise InputError(f"the share of a split lies between 0 and 1, got {part!r}")
        chosen, rest = split_positions(self.labels, part, random_state)
        return self._take(chosen), self._take(rest)

    def _published_split(self) -> tuple[Any, ...]:
        if "split" not in self.metadata:
            raise InputError("this corpus has no metadata column 'split'; give a share instead, for example split(0.8)")
        return self.metadata["split"]

    def info(self) -> CorpusInfo:
        """Return counts, labels, lengths, languages and duplicates; see `CorpusInfo`."""
        from wayword.corpus.description import describe

        return describe(self)

    def _position(self, id: str) -> int:
        try:
            return self._positions[id]
        except KeyError:
            near = difflib.get_close_matches(str(id), self.ids, n=3)
            hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
            raise CorpusError(f"no document has the id {shorten(id)}{hint}") from None

    def _take(self, positions: Sequence[int]) -> Corpus:
        return Corpus(
            (self.texts[k] for k in positions),
            ids=(self.ids[k] for k in positions),
            labels=(self.labels[k] for k in positions),
            metadata={name: [column[k] for k in positions] for name, column in self.metadata.items()},
            bags=self.bags and BagOfWords(self.bags.terms, self.bags.counts[np.asarray(positions, dtype=int)]),
        )


def _restore(texts: Any, ids: Any, labels: Any, metadata: Any, bags: Any, skipped: Any) -> Corpus:
    """Make the corpus that was pickled."""
    return Corpus(texts, ids=ids, labels=labels, metadata=metadata, bags=bags, skipped=skipped)


def concatenate(corpora: Iterable[Corpus]) -> Corpus:
    """Return the documents of several corpora, one after the other."""
    corpora = tuple(corpora)
    if len(corpora) == 1:
        return corpora[0]
    names = dict.fromkeys(chain.from_iterable(corpus.metadata for corpus in corpora))
    return Corpus(
        chain.from_iterable(corpus.texts for corpus in corpora),
        ids=chain.from_iterable(corpus.ids for corpus in corpora),
        labels=chain.from_iterable(corpus.labels for corpus in corpora),
        metadata={
            name: [value for corpus in corpora for value in corpus.metadata.get(name, (None,) * len(corpus))]
            for name in names
        },
        bags=_stack_bags([corpus.bags for corpus in corpora if corpus.bags is not None]),
        skipped=chain.from_iterable(corpus.skipped for corpus in corpora),
    )


def _stack_bags(bags: Sequence[BagOfWords]) -> BagOfWords | None:
    if not bags:
        return None
    from scipy import sparse

    return BagOfWords(bags[0].terms, sparse.vstack([bag.counts for bag in bags], format="csr"))


def _as_labels(value: str | Iterable[str] | None) -> Labels:
    """Return label names without repeats; one name may be given as a plain string."""
    if value is None:
        return ()
    names = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)
    _check_strings("labels", names)
    return tuple(dict.fromkeys(names))


def _check_strings(name: str, values: Iterable[object]) -> None:
    for value in values:
        if not isinstance(value, str):
            raise InputError(f"{name} must be strings, got {type(value).__name__} {shorten(value)}")
