"""The terms that columns stand for, and how often each occurs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from wayword.corpus.html import table
from wayword.errors import FormatError, InputError, UnknownTermError, shorten

_FORMAT = "wayword-vocabulary"
_VERSION = 1
_SHOWN_TERMS = 10  # in a notebook
Frequency = int | float
Known = TypeVar("Known")


def documents_meant(frequency: Frequency, n_documents: int, name: str) -> float:
    """Return a document frequency as a number of documents: 1.0 and below is a share, whole numbers are counts."""
    if isinstance(frequency, bool) or not isinstance(frequency, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {frequency!r}")
    if isinstance(frequency, (int, np.integer)):
        if frequency < 0:
            raise InputError(f"{name} must be 0 or more documents, got {frequency}")
        return float(frequency)
    if not 0.0 <= frequency <= 1.0:
        raise InputError(f"{name} must be a whole number of documents or a share from 0.0 to 1.0, got {frequency}")
    return float(frequency) * n_documents


class Vocabulary(Sequence[str]):
    """Terms in the order of their columns, with their frequencies; read-only.

    Parameters
    ----------
    terms : iterable of str
        The term of each column.
    document_frequencies : int array of shape (n_terms,), optional
        How many documents hold each term.
    term_frequencies : int array of shape (n_terms,), optional
        How often each term occurs.
    n_documents : int, optional
        How many documents were counted.

    Examples
    --------
    >>> from wayword import Vocabulary
    >>> vocabulary = Vocabulary(["breakfast", "room", "staff"])
    >>> vocabulary.column("room"), vocabulary[2], "pool" in vocabulary
    (1, 'staff', False)
    >>> vocabulary.near("breakfest")
    ('breakfast',)
    """

    def __init__(
        self,
        terms: Iterable[str],
        *,
        document_frequencies: Iterable[int] | None = None,
        term_frequencies: Iterable[int] | None = None,
        n_documents: int | None = None,
    ) -> None:
        self._terms = tuple(terms)
        for term in self._terms:
            if not isinstance(term, str):
                raise InputError(f"terms must be strings, got {type(term).__name__} {shorten(term)}")
        self._columns = {term: column for column, term in enumerate(self._terms)}
        self._n_documents = n_documents
        if len(self._columns) < len(self._terms):
            twice = next(term for k, term in enumerate(self._terms) if self._columns[term] != k)
            raise InputError(f"term {twice!r} stands for two columns; terms must be unique")
        self._document_frequencies = self._frequencies(document_frequencies, "document_frequencies")
        self._term_frequencies = self._frequencies(term_frequencies, "term_frequencies")

    def _frequencies(self, values: Iterable[int] | None, name: str) -> np.ndarray | None:
        if values is None:
            return None
        given = np.asarray(values if isinstance(values, np.ndarray) else list(values))
        if given.shape != (len(self),):
            raise InputError(f"{name} must have one value for each of {len(self)} terms, got {given.shape}")
        if given.size and given.dtype.kind not in "iu":
            raise InputError(f"{name} must be whole numbers, got {given.dtype}")
        array = given.astype(np.int64)
        array.flags.writeable = False
        return array

    @property
    def terms(self) -> tuple[str, ...]:
        """The term of each column."""
        return self._terms

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return self._known(self._n_documents, "number of documents")

    @property
    def document_frequencies(self) -> np.ndarray:
        """How many documents hold each term."""
        return self._known(self._document_frequencies, "document frequencies")

    @property
    def term_frequencies(self) -> np.ndarray:
        """How often each term occurs."""
        return self._known(self._term_frequencies, "term frequencies")

    @staticmethod
    def _known(value: Known | None, what: str) -> Known:
        if value is None:
            raise InputError(f"this vocabulary was made without {what}; give them, or fit a Vectorizer")
        return value

    @property
    def has_frequencies(self) -> bool:
        """Whether it is known how often the terms occur."""
        return self._n_documents is not None and self._document_frequencies is not None

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, key: Any) -> Any:
        """Return the term of a column, the terms of a slice, or, as scikit-learn has it, the column of a term."""
        return self.column(key) if isinstance(key, str) else self._terms[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._terms)

    def __contains__(self, term: object) -> bool:
        return term in self._columns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(self._terms[:5]) + (", ..." if len(self) > 5 else "")
        return f"<Vocabulary of {len(self):,} terms: {shown}>"

    def _repr_html_(self) -> str:
        return table(f"Vocabulary of {len(self):,} terms", ("column", "term"), enumerate(self._terms[:_SHOWN_TERMS]))

    def column(self, term: str) -> int:
        """Return the column of a term; an unknown one raises `UnknownTermError` with near matches."""
        try:
            return self._columns[term]
        except KeyError:
            raise UnknownTermError(term, self.near(term)) from None

    def columns(self, terms: Iterable[str]) -> np.ndarray:
        """Return the columns of several terms."""
        return np.array([self.column(term) for term in terms], dtype=np.int64)

    def near(self, word: str, n: int = 3) -> tuple[str, ...]:
        """Return up to `n` terms that are spelled nearly like `word`, the nearest first."""
        word = word if word in self._columns or word.lower() == word else word.lower()
        length = len(word)
        # The ratio that difflib asks for cannot be reached by a term of a very different length.
        candidates = [term for term in self._terms if length / 2 <= len(term) <= 2 * length]
        return tuple(difflib.get_close_matches(word, candidates, n=n, cutoff=0.7))

    def prune(
        self,
        *,
        min_df: Frequency = 1,
        max_df: Frequency = 1.0,
        max_terms: int | None = None,
        keep: Iterable[str] = (),
        drop: Iterable[str] = (),
    ) -> tuple[Vocabulary, np.ndarray]:
        """Leave out terms by frequency and by name.

        Parameters
        ----------
        min_df, max_df : int or float
            Fewest and most documents of a term; a float is a share of the documents.
        max_terms : int or None
            How many of the most frequent terms to keep; of equally frequent ones, the first in the alphabet.
        keep, drop : iterable of str
            Terms to keep, and to leave out, whatever their frequency.

        Returns
        -------
        vocabulary : Vocabulary
            The terms left, in the same order.
        columns : int array
            Their columns before, so that ``X[:, columns]`` is the matrix of the smaller vocabulary.
        """
        chosen = choose_terms(
            self._terms,
            self.document_frequencies,
            self.document_frequencies if max_terms is None else self.term_frequencies,
            low=documents_meant(min_df, self.n_documents, "min_df"),
            high=documents_meant(max_df, self.n_documents, "max_df"),
            max_terms=max_terms,
            keep=frozenset(keep),
            drop=frozenset(drop),
        )
        return self.take(chosen), chosen

    def take(self, columns: np.ndarray) -> Vocabulary:
        """Return the vocabulary of some columns, in that order."""
        return Vocabulary(
            (self._terms[column] for column in columns),
            document_frequencies=None if self._document_frequencies is None else self._document_frequencies[columns],
            term_frequencies=None if self._term_frequencies is None else self._term_frequencies[columns],
            n_documents=self._n_documents,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return terms and frequencies as plain lists and numbers."""
        return {
            "terms": list(self._terms),
            "n_documents": self._n_documents,
            "document_frequencies": _as_list(self._document_frequencies),
            "term_frequencies": _as_list(self._term_frequencies),
        }

    def save(self, path: str | Path) -> None:
        """Write the vocabulary to a JSON file."""
        contents = {"format": _FORMAT, "version": _VERSION, **self.to_dict()}
        Path(path).write_text(json.dumps(contents), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Vocabulary:
        """Read a vocabulary that `save` wrote."""
        try:
            contents = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise FormatError(f"{path}: cannot be read as a vocabulary: {error}") from None
        if not isinstance(contents, dict) or contents.get("format") != _FORMAT:
            raise FormatError(f"{path}: not a Wayword vocabulary; expected a file written by Vocabulary.save")
        if contents.get("version") != _VERSION:
            raise FormatError(
                f"{path}: version {contents.get('version')!r} of the format, this Wayword reads {_VERSION}; upgrade it"
            )
        try:
            return cls.from_dict(contents)
        except InputError as error:
            raise FormatError(f"{path}: damaged vocabulary: {error}") from None

    @classmethod
    def from_dict(cls, contents: dict[str, Any]) -> Vocabulary:
        """Make the vocabulary that `to_dict` has described."""
        names = ("document_frequencies", "term_frequencies", "n_documents")
        try:
            if not isinstance(contents["terms"], list) or not isinstance(contents["n_documents"], int | None):
                raise TypeError("terms must be a list, n_documents a whole number")
            return cls(contents["terms"], **{name: contents[name] for name in names})
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"no description of a vocabulary: {error}") from None


def _as_list(array: np.ndarray | None) -> list[int] | None:
    return None if array is None else array.tolist()


def choose_terms(
    terms: Sequence[str],
    document_frequencies: np.ndarray,
    term_frequencies: np.ndarray,
    *,
    low: float,
    high: float,
    max_terms: int | None,
    keep: frozenset[str] = frozenset(),
    drop: frozenset[str] = frozenset(),
) -> np.ndarray:
    """Return the sorted positions of the terms that pass; `low` and `high` are numbers of documents."""
    if max_terms is not None and max_terms < 1:
        raise InputError(f"max_terms must be 1 or more, got {max_terms}")
    kept = np.fromiter((term in keep for term in terms), dtype=bool, count=len(terms)) if keep else None
    passing = (document_frequencies >= low) & (document_frequencies <= high)
    if kept is not None:
        passing |= kept
    if drop:
        passing &= np.fromiter((term not in drop for term in terms), dtype=bool, count=len(terms))
    positions = np.flatnonzero(passing)
    if max_terms is None or len(positions) <= max_terms:
        return positions
    if kept is not None:
        max_terms = max(max_terms, int(kept[positions].sum()))
    alphabetical = np.argsort(np.array([terms[k] for k in positions.tolist()], dtype=object), kind="stable")
    positions = positions[alphabetical]
    importance = -term_frequencies[positions].astype(np.int64)
    if kept is not None:
        importance[kept[positions]] = np.iinfo(np.int64).min
    return np.sort(positions[np.argsort(importance, kind="stable")[:max_terms]])
