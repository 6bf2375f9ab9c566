"""The topic proportions of documents, for topics that are known."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError, shorten
from wayword.kernels.factor import multiply_rows
from wayword.kernels.inference import concentrate_rows, mix_rows, sample_rows
from wayword.models.alternate import FREE, Side
from wayword.models.folding import fold_in
from wayword.models.inputs import check_choice, check_number, check_whole

Method = Literal["cd", "em", "oneshot", "vb", "gibbs"]
# A piece of work for a thread: long enough to be worth it, short enough that all threads have some.
_DOCUMENTS_AT_ONCE = 64
# How far from one the sum of a topic may be: what single precision loses.
_ROUNDING = 1e-4
# A term that no topic has more of is unknown to them; kernels divide by such numbers.
_NOTHING = 1e-25
# Below, chances of topics could vanish.
LEAST_ALPHA = 1e-100
# Samplers list the tokens of a document one by one.
_MOST_TOKENS = 2**31
# Of the sweeps of the sampler, how many let it forget its start.
_BURN_IN = 0.2
_LARGEST_SEED = np.iinfo(np.int64).max


def _check_numbers(name: str, numbers: np.ndarray) -> None:
    wrong = numbers[~(np.isfinite(numbers) & (numbers >= 0))]
    if wrong.size:
        raise InputError(f"{name} must hold finite numbers of 0 or more, got {wrong[0]:g}; mend or drop them")


def _as_array(name: str, value: Any) -> np.ndarray:
    """Return a dense matrix of finite numbers that are not negative."""
    try:
        array = np.asarray(value.toarray() if sparse.issparse(value) else value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a matrix of numbers, got {shorten(value)}") from None
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"{name} must be a matrix with rows and columns, got shape {array.shape}")
    _check_numbers(name, array)
    return array


def check_topics(topics: Any) -> np.ndarray:
    """Return topics in double precision, each summing to one exactly; an error if they did not already."""
    array = _as_array("topics", topics)
    sums = array.sum(axis=1, keepdims=True)
    if (np.abs(sums - 1.0) > _ROUNDING).any():
        raise InputError(
            f"each row of topics must sum to 1, got sums from {sums.min():.6g} to {sums.max():.6g}; "
            "divide each by its sum: topics / topics.sum(axis=1, keepdims=True)"
        )
    return array / sums


def check_alpha(alpha: Any, n_topics: int) -> np.ndarray:
    """Return the Dirichlet distribution of proportions, one number for each topic."""
    try:
        array = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"alpha must be a number or one for each topic, got {shorten(alpha)}") from None
    if array.shape not in ((), (n_topics,)):
        raise InputError(f"alpha must be a number or one for each of {n_topics} topics, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < LEAST_ALPHA).any():
        raise InputError(f"alpha must be above 0 and finite, got {shorten(alpha)}; 0.1 is a usual choice")
    return np.array(np.broadcast_to(array, n_topics))


def check_documents(X: Any, n_terms: int) -> sparse.csr_matrix:
    """Return a copy of X as compressed rows in double precision, without zeros."""
    try:
        matrix = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    except (TypeError, ValueError):
        raise InputError(f"X must be a matrix of counts, documents by terms, got {shorten(X)}") from None
    if matrix.shape[1] != n_terms:
        raise InputError(
            f"X must have a column for each of the {n_terms} terms of topics, got {matrix.shape[1]} columns; "
            "count documents with the vocabulary of the topics"
        )
    matrix.sum_duplicates()
    _check_numbers("X", matrix.data)
    matrix.eliminate_zeros()
    return matrix


def check_tokens(X: sparse.csr_matrix, method: str) -> None:
    """Raise unless documents are made of whole tokens, as samplers need them."""
    if not np.array_equal(X.data, np.floor(X.data)):
        broken = X.data[X.data != np.floor(X.data)][0]
        raise InputError(
            f"method {method!r} samples token by token and needs whole counts, got {broken:g}; "
            "round them or use another method"
        )
    longest = np.asarray(X.sum(axis=1)).max(initial=0.0)
    if longest >= _MOST_TOKENS:
        raise InputError(
            f"method {method!r} samples token by token, at most {_MOST_TOKENS} of a document, got {longest:g}; "
            "use another method"
        )


def draw_seed(random_state: Any) -> np.uint64:
    """Return the seed of a kernel."""
    return np.uint64(check_random_state(random_state).randint(_LARGEST_SEED, dtype=np.int64))


def each_document(kernel: Callable[..., float | None], X: sparse.csr_matrix, *rest: Any) -> float:
    """Run a kernel on all documents, a few at a time. Return the sum of its results, added in order."""
    borders = [*range(0, X.shape[0], _DOCUMENTS_AT_ONCE), X.shape[0]]
    side = Side(X, list(pairwise(borders)), FREE)
    return side.each_piece(lambda piece: kernel(*piece, *side.arrays(), *rest))


def by_terms(topics: np.ndarray) -> np.ndarray:
    """Return topics with a row for each term, as kernels take them."""
    return np.ascontiguousarray(topics.T)


def infer_concentrations(
    X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray, *, max_iter: int, tol: float
) -> np.ndarray:
    """Return the Dirichlet distribution of the proportions of each document, by variational Bayes.

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
        Counts, of terms only that some topic has.
    topics : array of shape (n_topics, n_terms)
        Topics that sum to one.
    alpha : array of shape (n_topics,)
        The Dirichlet distribution that proportions are drawn from.
    max_iter, tol
        As for `infer_topics`.

    Returns
    -------
    array of shape (n_documents, n_topics)
    """
    concentrations = np.empty((X.shape[0], len(topics)))
    each_document(concentrate_rows, X, by_terms(topics), alpha, max_iter, tol, concentrations)
    return concentrations


def _maximise(X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray, max_iter: int, tol: float) -> np.ndarray:
    """Return the most likely proportions by expectation and maximisation."""
    mixtures = np.zeros((X.shape[0], len(topics)))
    # Below 1 the posterior has no peak inside, and is highest where proportions are zero.
    pseudo_counts = np.maximum(alpha - 1.0, 0.0)
    each_document(mix_rows, X, by_terms(topics), pseudo_counts, max_iter, tol, mixtures)
    return mixtures


def _sample(X: sparse.csr_matrix, topics: np.ndarray, alpha: np.ndarray, sweeps: int, random_state: Any) -> np.ndarray:
    """Return the mean of samples by collapsed Gibbs sampling."""
    check_tokens(X, "gibbs")
    concentrations = np.empty((X.shape[0], len(topics)))
    rest = (by_terms(topics), alpha, draw_seed(random_state), sweeps, int(_BURN_IN * sweeps), concentrations)
    each_document(sample_rows, X, *rest)
    return concentrations


def _check_term_topics(term_topics: Any, topics: np.ndarray) -> np.ndarray:
    """Return the probability of each topic given a term, from the topics by Bayes' rule if not given."""
    if term_topics is None:
        totals = topics.sum(axis=0)
        return by_terms(topics / np.where(totals > 0, totals, 1.0))
    array = _as_array("term_topics", term_topics)
    if array.shape != topics.T.shape:
        raise InputError(
            f"term_topics must have a row for each term and a column for each topic, {topics.T.shape}, "
            f"got {array.shape}; transpose it if it is the other way round"
        )
    sums = array.sum(axis=1)
    wrong = sums[(sums > 0) & (np.abs(sums - 1.0) > _ROUNDING)]
    if wrong.size:
        raise InputError(
            f"each row of term_topics must sum to 1, or be 0 for a term that is unknown, got {wrong[0]:.6g}; "
            "divide each by its sum"
        )
    return np.ascontiguousarray(array)


def _multiply(X: sparse.csr_matrix, term_topics: np.ndarray) -> np.ndarray:
    """Return the sums over tokens of the probabilities of topics."""
    products = np.empty((X.shape[0], term_topics.shape[1]))
    each_document(multiply_rows, X, term_topics, products)
    return products


def _without_unknown_terms(X: sparse.csr_matrix, topics: np.ndarray) -> sparse.csr_matrix:
    """Drop entries of terms that no topic has; X is changed."""
    known = topics.max(axis=0) > _NOTHING
    X.data[~known[X.indices]] = 0.0
    X.eliminate_zeros()
    return X


def _as_proportions(weights: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Return weights over their sums, and the mean of the prior for documents that say nothing."""
    totals = weights.sum(axis=1, keepdims=True)
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), alpha / alpha.sum())


def infer_topics(
    X: Any,
    topics: Any,
    *,
    method: Method = "cd",
    alpha: Any = 0.1,
    term_topics: Any = None,
    max_iter: int = 100,
    tol: float = 1e-4,
    random_state: Any = 0,
) -> np.ndarray:
    """Return the proportions of known topics in documents.

    =============  =====================================================================================
    method         proportions
    =============  =====================================================================================
    ``"cd"``       the most likely ones, by coordinate descent to the end: the fastest way to them
    ``"em"``       the same by expectation and maximisation; with `alpha` above 1 the peak of the posterior
    ``"oneshot"``  the mean over tokens of the probability of topics given the term: instant, but too even
    ``"vb"``       the mean of the posterior by variational Bayes, the step of LDA for documents
    ``"gibbs"``    the mean of the posterior by collapsed Gibbs sampling of the topics of tokens
    =============  =====================================================================================

    A document that is empty, or has only terms that no topic has, gets the mean of the prior, ``alpha / sum(alpha)``.
    Other documents make no difference to a document.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts; for ``"gibbs"`` whole numbers.
    topics : array of shape (n_topics, n_terms)
        Probabilities of terms in each topic; rows sum to one.
    method : {"cd", "em", "oneshot", "vb", "gibbs"}
        How to infer.
    alpha : float or array of shape (n_topics,)
        The Dirichlet distribution that proportions are drawn from; above 0. ``"vb"`` and ``"gibbs"`` depend on it,
        ``"em"`` does where it is above 1 (alpha - 1 counts are added to each topic), and empty documents.
    term_topics : array of shape (n_terms, n_topics), optional
        Probabilities of topics given each term, for ``"oneshot"``: rows sum to one, or are zero for unknown terms. By
        default from the topics, as if all were equally frequent.
    max_iter : int
        Most steps of ``"em"`` and ``"vb"``; sweeps of ``"gibbs"``, of which the first fifth does not count. ``"cd"``
        goes on to the end.
    tol : float
        ``"em"`` and ``"vb"`` stop when a step moves the proportions by no more than this in sum.
    random_state : int, RandomState or None
        Seed of ``"gibbs"``. The samples of a document follow from it and the number of its row.

    Returns
    -------
    array of shape (n_documents, n_topics)
        Rows sum to one.

    Examples
    --------
    The second term is as likely in both topics and says nothing.

    >>> from wayword.models.document_topics import infer_topics
    >>> infer_topics([[3, 2, 1]], [[0.8, 0.2, 0.0], [0.0, 0.2, 0.8]]).round(2).tolist()
    [[0.75, 0.25]]
    """
    check_choice("method", method, get_args(Method))
    check_whole("max_iter", max_iter)
    check_number("tol", tol)
    topics = check_topics(topics)
    alpha = check_alpha(alpha, len(topics))
    documents = check_documents(X, topics.shape[1])
    if method == "oneshot":
        return _as_proportions(_multiply(documents, _check_term_topics(term_topics, topics)), alpha)
    if term_topics is not None:
        raise InputError(f"term_topics is for method 'oneshot', got method {method!r}; leave it out")
    documents = _without_unknown_terms(documents, topics)
    if method == "cd":
        weights = fold_in(documents, topics, "kl")
    elif method == "em":
        weights = _maximise(documents, topics, alpha, max_iter, tol)
    elif method == "vb":
        weights = infer_concentrations(documents, topics, alpha, max_iter=max_iter, tol=tol)
    else:
        weights = _sample(documents, topics, alpha, max_iter, random_state)
    return _as_proportions(weights, alpha)
