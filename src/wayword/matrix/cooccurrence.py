"""Which terms occur together: terms by terms, as sums over documents.

Each document adds the chance that two words drawn from it without putting the first back are terms i and j,
(x x' - diag x) / (n (n - 1)); the mean over documents is an unbiased estimate of the joint distribution Q. Sums can
be added and taken away again, so documents come and go without a recount.

Three forms behind one class: the whole matrix (``"dense"``), its non-zeros (``"sparse"``), or only the documents,
from which products and single rows are made when asked for (``"operator"``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from scipy import sparse

from wayword.errors import FormatError, InputError
from wayword.kernels.pairs import pack_entries, update_lower, update_upper_pairs
from wayword.kernels.threads import map_in_order, one_blas_thread
from wayword.matrix.archive import read_archive, write_archive
from wayword.progress import Progress, ignore

Form = Literal["auto", "dense", "sparse", "operator"]
FORMS: tuple[Form, ...] = ("auto", "dense", "sparse", "operator")
_ROWS_AT_ONCE = 64
_MOST_DENSE_BYTES = 2 * 2**30
# What rounding may leave below zero when documents are taken away.
_ROUNDING = 1e-9
# How far rows may differ from columns, as a share of their largest entry: what single precision loses.
_ASYMMETRY = 1e-4
_MOST_COUNT = 2**31
_KIND = "cooccurrence"
_VERSION = 1


@dataclass(frozen=True)
class PairOperator:
    """The matrix ``X' diag(w) X - diag(X' w)``, kept as the counts X and the weights w of the documents."""

    counts: sparse.csr_matrix
    weights: np.ndarray

    @cached_property
    def _by_term(self) -> sparse.csr_matrix:
        return self.counts.T.tocsr()

    @cached_property
    def _itself(self) -> np.ndarray:
        return self.counts.T @ self.weights

    @property
    def shape(self) -> tuple[int, int]:
        """Terms by terms."""
        return (self.counts.shape[1], self.counts.shape[1])

    def __matmul__(self, other: np.ndarray) -> np.ndarray:
        along = (slice(None), *(None,) * (other.ndim - 1))
        return self.counts.T @ (self.weights[along] * (self.counts @ other)) - self._itself[along] * other

    def __getitem__(self, terms: np.ndarray) -> np.ndarray:
        chosen = self._by_term[terms] @ sparse.diags(self.weights)
        found = (chosen @ self.counts).toarray()
        found[np.arange(len(terms)), terms] -= self._itself[terms]
        return found

    def __add__(self, other: PairOperator) -> PairOperator:
        counts = sparse.vstack([self.counts, other.counts], format="csr")
        return PairOperator(counts, np.concatenate([self.weights, other.weights]))

    def __sub__(self, other: PairOperator) -> PairOperator:
        return self + PairOperator(other.counts, -other.weights)

    def toarray(self) -> np.ndarray:
        """Return the whole matrix."""
        return self[np.arange(self.shape[0])]


Sums = np.ndarray | sparse.csr_matrix | PairOperator


def _pieces(n_terms: int) -> list[tuple[int, int]]:
    return [(first, min(first + _ROWS_AT_ONCE, n_terms)) for first in range(0, n_terms, _ROWS_AT_ONCE)]


def _by_column(counts: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where the entries of each column stand in ``counts.data``, their rows, and where columns start."""
    numbered = (np.arange(1, counts.nnz + 1), counts.indices, counts.indptr)
    places = sparse.csr_matrix(numbered, shape=counts.shape).tocsc()
    return places.data - 1, places.indices.astype(np.int32), places.indptr.astype(np.int64)


def sum_pairs(
    counts: sparse.csr_matrix,
    weights: np.ndarray,
    target: np.ndarray,
    *,
    add: bool = False,
    progress: Progress = ignore,
) -> None:
    """Write ``counts' diag(weights) counts`` to the upper triangle of `target`, or add it, in place."""
    columns = _by_column(counts)
    rows = counts.indptr.astype(np.int64), pack_entries(counts.indices, counts.data)

    def sum_piece(piece: tuple[int, int]) -> None:
        update_upper_pairs(*piece, *columns, *rows, weights, target, add)

    pieces = _pieces(len(target))
    for (_, last), _ in zip(pieces, map_in_order(sum_piece, pieces), strict=True):
        progress("terms", last, len(target))


def fill_lower(target: np.ndarray) -> None:
    """Make `target` symmetric from its upper triangle, in place."""
    for _ in map_in_order(lambda piece: update_lower(*piece, target), _pieces(len(target))[::-1]):
        pass


def choose_form(form: Form, n_terms: int) -> Form:
    """Return `form`, or the one that ``"auto"`` means for so many terms."""
    if form not in FORMS:
        raise InputError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    if form != "auto":
        return form
    return "dense" if 8 * n_terms**2 <= _MOST_DENSE_BYTES else "operator"


def check_counts(X: Any) -> sparse.csr_matrix:
    """Return counts as a sparse matrix of float64 with sorted indices; anything but counts is an error."""
    try:
        shape = X.shape if sparse.issparse(X) else np.asarray(X, dtype=np.float64).shape
        matrix = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    except (TypeError, ValueError):
        kind = type(X).__name__
        raise InputError(f"expected a matrix of counts, got {kind}; count texts with a Vectorizer first") from None
    if len(shape) != 2 or 0 in shape:
        raise InputError(f"expected a matrix of documents by terms, got shape {shape}")
    if not np.isfinite(matrix.data).all():
        raise InputError("counts must be finite, got NaN or infinity")
    if (matrix.data < 0).any():
        raise InputError(f"counts must be 0 or more, got {matrix.data.min():g}")
    if (matrix.data != np.floor(matrix.data)).any():
        raise InputError("co-occurrence needs whole counts, got fractions; use weighting='tf' and no norm")
    if matrix.data.max(initial=0) >= _MOST_COUNT:
        raise InputError(f"counts must be below {_MOST_COUNT:,}, got {matrix.data.max():g}")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def cooccurrence(X: Any, *, form: Form = "auto", dtype: Any = np.float64, progress: Progress = ignore) -> Cooccurrence:
    """Estimate how likely two words of a document are terms i and j.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts. Documents of fewer than two words say nothing and are skipped.
    form : {"auto", "dense", "sparse", "operator"}
        The whole matrix, its non-zeros, or products with it on demand. ``"auto"`` is the whole matrix up to
        2 GiB, and products beyond.
    dtype : float64 or float32
        Type of a dense matrix; sums are made in float64 either way.
    progress : callable
        Told ``("terms", done, total)`` while a dense matrix is made.

    Returns
    -------
    Cooccurrence

    Examples
    --------
    >>> from wayword import cooccurrence
    >>> Q = cooccurrence([[1, 1, 0], [0, 2, 2]])
    >>> Q.toarray().round(3)
    array([[0.   , 0.25 , 0.   ],
           [0.25 , 0.083, 0.167],
           [0.   , 0.167, 0.083]])
    """
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise InputError(f"dtype must be float32 or float64, got {dtype!r}")
    counts = check_counts(X)
    frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    if lengths.min() < 2:
        counts, lengths = counts[lengths >= 2], lengths[lengths >= 2]
    weights = 1.0 / (lengths * (lengths - 1.0))
    sums = _sum_documents(counts, weights, choose_form(form, counts.shape[1]), dtype, progress)
    return Cooccurrence._counted(sums, counts.shape[0], frequencies)


def _sum_documents(counts: sparse.csr_matrix, weights: np.ndarray, form: Form, dtype: Any, progress: Progress) -> Sums:
    """Return the sum over documents of w (x x' - diag x)."""
    if form == "operator":
        return PairOperator(counts, weights)
    # Not the difference of two sums, which rounding could leave below zero.
    twice = counts.copy()
    twice.data *= twice.data - 1.0
    diagonal = np.asarray(twice.T @ weights).ravel()
    if form == "sparse":
        sums = sparse.csr_matrix(counts.T @ sparse.diags(weights) @ counts)
        sums.setdiag(diagonal)
        sums.eliminate_zeros()
        return sums
    target = np.empty((counts.shape[1], counts.shape[1]), dtype=dtype)
    sum_pairs(counts, weights, target, progress=progress)
    fill_lower(target)
    np.fill_diagonal(target, diagonal)
    return target


def _without_rounding(sums: Any) -> Any:
    """Return sums with what rounding left below zero set to zero, in place."""
    values = sums.data if sparse.issparse(sums) else sums
    lowest = values.min(initial=0.0)
    if lowest < -_ROUNDING:
        raise InputError(f"a sum fell to {lowest:g}: documents were taken away that had not been added")
    if lowest < 0:
        np.maximum(values, 0.0, out=values)
    if sparse.issparse(sums):
        sums.eliminate_zeros()
    return sums


def _is_symmetric(sums: Any) -> bool:
    """Whether rows and columns are the same but for rounding, told by some of them."""
    some = np.random.RandomState(0).permutation(sums.shape[0])[:_ROWS_AT_ONCE]
    rows, columns = sums[some], sums[:, some].T
    return not len(some) or abs(rows - columns).max() <= _ASYMMETRY * abs(rows).max()


def _check_sums(sums: Any) -> Sums:
    """Return sums that can be read but not written; anything but a symmetric square of numbers of 0 or more is an error."""
    if isinstance(sums, PairOperator):
        return sums
    if not sparse.issparse(sums):
        sums = np.asarray(sums)
    if sums.dtype.kind not in "biuf":
        raise InputError(f"sums must hold numbers, got {sums.dtype}")
    if sums.ndim != 2 or sums.shape[0] != sums.shape[1]:
        raise InputError(f"sums must have a row and a column for each term, got an array of shape {sums.shape}")
    if sums.dtype.kind != "f":
        sums = sums.astype(np.float64)
    if not np.isfinite(sums.sum()):
        raise InputError("sums must hold finite numbers, got NaN or infinity")
    if (lowest := (sums.data if sparse.issparse(sums) else sums).min(initial=0.0)) < 0:
        raise InputError(f"sums must hold numbers of 0 or more, got {lowest:g}")
    if not _is_symmetric(sums):
        raise InputError("sums must be the same for terms i and j as for j and i, got a matrix that is not symmetric")
    return _seal(sums)


def _seal(sums: Any) -> Sums:
    """Return sums that can be read but not written."""
    if isinstance(sums, np.ndarray):
        sums = sums.view()  # the caller's own array stays as it is
        sums.flags.writeable = False
    return sums


class Cooccurrence:
    """How likely two terms occur together, as a mean over documents; read-only.

    Made by `cooccurrence` and `context_cooccurrence`. ``+`` and ``-`` add and take away documents.

    Parameters
    ----------
    sums : array, sparse matrix or PairOperator
        Sum over documents, terms by terms.
    n_documents : int
        Number of documents summed.
    document_frequencies : int array of shape (n_terms,)
        How many documents hold each term.
    unit : str
        What was counted: documents, sentences, or windows of so many words.
    """

    def __init__(self, sums: Sums, n_documents: int, document_frequencies: np.ndarray, unit: str = "documents") -> None:
        self._keep(_check_sums(sums), n_documents, document_frequencies, unit)

    @classmethod
    def _counted(cls, sums: Sums, n_documents: int, document_frequencies: np.ndarray) -> Cooccurrence:
        """Return sums that were counted here, and so need no look at every entry."""
        made = cls.__new__(cls)
        made._keep(_seal(sums), n_documents, document_frequencies, "documents")
        return made

    def _keep(self, sums: Sums, n_documents: int, document_frequencies: np.ndarray, unit: str) -> None:
        self._sums = sums
        self._unit = unit
        self._n_documents = int(n_documents)
        self._document_frequencies = np.asarray(document_frequencies, dtype=np.int64)
        if self._document_frequencies.shape != self.shape[:1]:
            raise InputError(
                f"document_frequencies must hold a number for each of {self.n_terms} terms, "
                f"got an array of shape {self._document_frequencies.shape}"
            )
        if self._n_documents < 0 or self._document_frequencies.min(initial=0) < 0:
            raise InputError("documents were taken away that had not been added")

    @property
    def form(self) -> Form:
        """How the sums are kept: ``"dense"``, ``"sparse"`` or ``"operator"``."""
        if isinstance(self._sums, PairOperator):
            return "operator"
        return "sparse" if sparse.issparse(self._sums) else "dense"

    @property
    def shape(self) -> tuple[int, int]:
        """Terms by terms."""
        return self._sums.shape

    @property
    def n_terms(self) -> int:
        """Number of terms."""
        return self.shape[0]

    @property
    def n_documents(self) -> int:
        """Number of documents, or of contexts, that the mean is over."""
        return self._n_documents

    @property
    def unit(self) -> str:
        """What was counted: documents, sentences, or windows of so many words."""
        return self._unit

    @property
    def document_frequencies(self) -> np.ndarray:
        """How many documents, or contexts, hold each term."""
        return self._document_frequencies

    @property
    def sums(self) -> Sums:
        """Sums over documents: ``toarray()`` times `n_documents`."""
        return self._sums

    def __repr__(self) -> str:
        return f"<Cooccurrence of {self.n_terms:,} terms in {self.n_documents:,} {self.unit}, {self.form}>"

    @property
    def _scale(self) -> float:
        return 1.0 / max(self._n_documents, 1)

    def toarray(self) -> np.ndarray:
        """Return the whole matrix Q of shape (n_terms, n_terms)."""
        sums = self._dense()
        return np.multiply(sums, self._scale, dtype=sums.dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.toarray(), dtype=dtype)

    def _dense(self) -> np.ndarray:
        """Return the sums as an array."""
        if isinstance(self._sums, np.ndarray):
            return self._sums
        found = self._sums.toarray()
        return self._clean(found, np.arange(self.n_terms)) if isinstance(self._sums, PairOperator) else found

    def _clean(self, found: np.ndarray, terms: np.ndarray) -> np.ndarray:
        """Take away what rounding leaves where documents that held a term are gone, in place."""
        absent = self._document_frequencies == 0
        np.maximum(found, 0.0, out=found)
        found[:, absent] = 0.0
        found[absent[terms]] = 0.0
        return found

    def rows(self, terms: Iterable[int]) -> np.ndarray:
        """Return the rows of Q for some terms, given as columns or as a mask, of shape (n_chosen, n_terms)."""
        given = terms if isinstance(terms, np.ndarray) else np.array(list(terms))
        chosen = np.flatnonzero(given) if given.dtype == bool else given.astype(np.int64)
        found: Any = cast(Any, self._sums)[chosen]
        if isinstance(self._sums, PairOperator):
            return self._clean(found, chosen) * self._scale
        found = found.toarray() if sparse.issparse(found) else found
        return np.multiply(found, self._scale, out=found)

    def __matmul__(self, other: Any) -> np.ndarray:
        """Return the product of Q and an array with one row for each term."""
        return (self._sums @ np.asarray(other)) * self._scale

    @cached_property
    def row_sums(self) -> np.ndarray:
        """Sum of each row: how likely a word is term i, if documents are equally likely."""
        with one_blas_thread():
            return np.asarray(self @ np.ones(self.n_terms))

    def row_normalized(self, terms: Iterable[int] | None = None) -> np.ndarray:
        """Return rows scaled to sum to one, how likely the other word is j if one is i; zero for unseen terms.

        Parameters
        ----------
        terms : iterable of int, optional
            Which rows; all by default.
        """
        found = self.toarray() if terms is None else self.rows(terms)
        totals = found.sum(axis=1, dtype=np.float64)
        scale = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        found *= scale[:, None].astype(found.dtype)
        return found

    def to(self, form: Form) -> Cooccurrence:
        """Return the same in another form; a dense or sparse one cannot become an operator again."""
        if form == self.form:
            return self
        if form == "operator":
            raise InputError(f"a {self.form} co-occurrence no longer has its documents; count it anew as an operator")
        array = self._dense()
        sums = sparse.csr_matrix(array) if choose_form(form, self.n_terms) == "sparse" else array
        return Cooccurrence(_without_rounding(sums), self._n_documents, self._document_frequencies, self._unit)

    def __add__(self, other: Cooccurrence) -> Cooccurrence:
        return self._combine(other, 1)

    def __sub__(self, other: Cooccurrence) -> Cooccurrence:
        return self._combine(other, -1)

    def _combine(self, other: Any, sign: int) -> Cooccurrence:
        if not isinstance(other, Cooccurrence):
            return NotImplemented
        if self.shape != other.shape:
            raise InputError(f"cannot combine {self.n_terms} and {other.n_terms} terms; count both with one vocabulary")
        if self.unit != other.unit:
            raise InputError(f"cannot combine counts of {self.unit} with counts of {other.unit}")
        mine, theirs = _in_one_form(self, other)
        sums = cast(Any, mine) + theirs if sign > 0 else cast(Any, mine) - theirs
        if not isinstance(sums, PairOperator):
            sums = _without_rounding(sums)
        return Cooccurrence(
            sums,
            self._n_documents + sign * other._n_documents,
            self._document_frequencies + sign * other._document_frequencies,
            self._unit,
        )

    def save(self, path: str | Path) -> None:
        """Write the sums to a file."""
        arrays = {"document_frequencies": self._document_frequencies}
        if isinstance(self._sums, PairOperator):
            arrays |= _csr_parts(self._sums.counts) | {"weights": self._sums.weights}
        elif sparse.issparse(self._sums):
            arrays |= _csr_parts(cast(sparse.csr_matrix, self._sums))
        else:
            arrays["sums"] = cast(np.ndarray, self._sums)
        header = {
            "form": self.form,
            "n_documents": self._n_documents,
            "n_terms": self.n_terms,
            "unit": self._unit,
        }
        write_archive(path, _KIND, _VERSION, header, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Cooccurrence:
        """Read sums that `save` wrote."""
        header, arrays = read_archive(path, _KIND, _VERSION)
        try:
            n_terms = int(header["n_terms"])
            sums = _restore(header["form"], n_terms, arrays)
            if sums.shape != (n_terms, n_terms) or arrays["document_frequencies"].shape != (n_terms,):
                raise ValueError("arrays of the wrong shape")
            return cls(sums, header["n_documents"], arrays["document_frequencies"], header["unit"])
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"{path}: damaged co-occurrence: {error}") from None


def _in_one_form(left: Cooccurrence, right: Cooccurrence) -> tuple[Sums, Sums]:
    """Return the sums of both in the more explicit form of the two."""
    explicit: tuple[Form, ...] = ("operator", "sparse", "dense")
    form: Form = max((left.form, right.form), key=explicit.index)
    return left.to(form).sums, right.to(form).sums


def _csr_parts(matrix: sparse.csr_matrix) -> dict[str, np.ndarray]:
    return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}


def _restore(form: str, n_terms: int, arrays: dict[str, np.ndarray]) -> Sums:
    if form == "dense":
        return arrays["sums"]
    parts = (arrays["data"], arrays["indices"], arrays["indptr"])
    matrix = sparse.csr_matrix(parts, shape=(len(arrays["indptr"]) - 1, n_terms))
    matrix.check_format(full_check=True)
    if form == "sparse":
        return matrix
    return PairOperator(matrix, arrays["weights"])
