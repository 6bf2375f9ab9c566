"""Topics of topics: a matrix as a chain of factors, X ~ A1 A2 ... Am Sm, with topics S1, S2, ... at every layer.

The steps: factorise X into document weights and fine topics, these topics into a mixing matrix and coarser topics,
and so on (pre-training); then go through all layers again and again, and improve each factor with the others fixed
(fine-tuning). What raises the objective, |X - A1 A2 ... Am Sm|^2 / 2, is not kept. Pre-training is fine-tuning of a
chain of one layer.

With Psi = A1 ... Ai, a layer sees X only through X' Psi and Psi' Psi, and both follow from those of the layer before.
So an iteration touches X twice, and nothing of the size of documents by terms is ever built.

Symbols are those of Trigeorgis and others (2014), "A deep semi-NMF model for learning hidden representations", with
A for their Z, S for their H, and documents as rows. Topics are kept as arrays of terms by topics, as kernels want them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from wayword.kernels.factor import update_square_rows
from wayword.models.alternate import FREE, Callback, Side, gram_of, transpose

# Cheap sweeps over the topics of a layer while the products with X are at hand.
_SWEEPS, _SETTLED = 4, 0.01
# Directions of a Gram matrix below this share of the largest are left alone: dividing by them swells the factors until
# the objective drowns in rounding.
_RANK = 1e-8
# What a topic starts with beside its singular vector, because multiplying cannot bring a zero back.
_EVEN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Matrix:
    """The matrix to factorise, seen from both sides, and half the sum of its squares."""

    documents: Side
    terms: Side
    constant: float

    @classmethod
    def of(cls, X: sparse.csr_matrix) -> Matrix:
        """Prepare a matrix of documents by terms, or of topics by terms."""
        return cls(Side.of(X), Side.of(transpose(X)), 0.5 * float(np.square(X.data, dtype=np.float64).sum()))


@dataclass(frozen=True, slots=True)
class View:
    """The matrix as a layer sees it, through the product Psi of the factors up to there.

    Attributes
    ----------
    matrix : Matrix
        X.
    products : array of shape (n_terms, n_topics)
        X' Psi.
    gram : array of shape (n_topics, n_topics)
        Psi' Psi.
    """

    matrix: Matrix
    products: np.ndarray
    gram: np.ndarray

    @classmethod
    def of(cls, matrix: Matrix, weights: np.ndarray) -> View:
        """Return what the first layer sees through the document weights."""
        return cls(matrix, matrix.terms.multiply(weights), gram_of(weights))

    def through(self, mixing: np.ndarray) -> View:
        """Return what the next layer sees."""
        return View(self.matrix, self.products @ mixing, mixing.T @ self.gram @ mixing)

    def objective(self, topics: np.ndarray) -> float:
        """Return |X - Psi topics'|^2 / 2."""
        fit = float(np.vdot(self.products, topics))
        model = float(np.vdot(self.gram, gram_of(topics)))
        distance = self.matrix.constant - fit + 0.5 * model
        # Rounding may fall below zero; what is not a number must not look like a perfect fit.
        return 0.0 if distance < 0 else distance


@dataclass(frozen=True, slots=True)
class Chain:
    """The factors.

    Attributes
    ----------
    weights : array of shape (n_documents, k_1)
        A1.
    mixing : tuple of arrays of shapes (k_1, k_2), (k_2, k_3), ...
        A2 to Am.
    topics : tuple of arrays of shapes (n_terms, k_1), (n_terms, k_2), ...
        S1' to Sm'. Only the last belongs to the model of X; each of the others follows what fits X through the
        factors before it.
    """

    weights: np.ndarray
    mixing: tuple[np.ndarray, ...]
    topics: tuple[np.ndarray, ...]

    def rebuilt_topics(self) -> list[np.ndarray]:
        """Return the topics of each layer as the layers behind it rebuild them: S~_i = A_i+1 ... Am Sm."""
        rebuilt = [self.topics[-1]]
        for mixing in reversed(self.mixing):
            rebuilt.append(rebuilt[-1] @ mixing.T)
        return rebuilt[::-1]


class Steps(Protocol):
    """How to improve one factor with the others fixed; `last` says that no layer is behind it."""

    def improve_weights(self, matrix: Matrix, weights: np.ndarray, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Return better document weights A1 for the topics S~_1."""
        ...

    def improve_mixing(self, mixing: np.ndarray, view: View, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Return a better A_i for what is seen through those before it, and the topics S~_i."""
        ...

    def improve_topics(self, topics: np.ndarray, view: View) -> np.ndarray:
        """Return better topics S_i for what is seen through A1 ... Ai."""
        ...


def _invert(gram: np.ndarray) -> np.ndarray:
    """Return the pseudo-inverse of a Gram matrix."""
    return np.linalg.pinv(gram, rcond=_RANK, hermitian=True)


def _divide(gain: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Return what to multiply by: gain over cost, and one where nothing is known."""
    return np.divide(gain, cost, out=np.ones_like(cost), where=cost > 0)


class SemiSteps:
    """Weights and mixing of any sign by least squares, topics by multiplication.

    A factor with layers behind it has many equally good values, because fewer topics further on cannot tell all of
    its topics apart. The paper takes the smallest, which forgets the fine topics; here it is the nearest to what
    pre-training found. The objective is the same.
    """

    def improve_weights(self, matrix: Matrix, weights: np.ndarray, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Return A1 + (X - A1 S~_1) S~_1^+."""
        del last
        gram = gram_of(rebuilt)
        return weights + (matrix.documents.multiply(rebuilt) - weights @ gram) @ _invert(gram)

    def improve_mixing(self, mixing: np.ndarray, view: View, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Return A_i + Psi^+ (X - Psi A_i S~_i) S~_i^+."""
        del last
        gram = gram_of(rebuilt)
        missing = view.products.T @ rebuilt - view.gram @ mixing @ gram
        return mixing + _invert(view.gram) @ missing @ _invert(gram)

    def improve_topics(self, topics: np.ndarray, view: View) -> np.ndarray:
        """Multiply by the roots of what speaks for a weight over what speaks against it."""
        products, gram = view.products, view.gram
        for_terms, against_terms = np.maximum(products, 0), np.maximum(-products, 0)
        for_topics, against_topics = np.maximum(-gram, 0), np.maximum(gram, 0)
        for _ in range(_SWEEPS):
            gain = for_terms + topics @ for_topics
            cost = against_terms + topics @ against_topics
            # Roots before the quotient, so that none overflows.
            topics = topics * _divide(np.sqrt(gain), np.sqrt(cost))
        return topics


class NonNegativeSteps:
    """Every factor non-negative.

    The topics, and the last of the other factors, take steps to the minimum along one weight at a time. A factor with
    layers behind it has many equally good values, as in `SemiSteps`; there, multiplying keeps the proportions that
    pre-training found, and with them the topics readable.
    """

    def improve_weights(self, matrix: Matrix, weights: np.ndarray, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Improve every document in turn."""
        better = weights.copy()
        matrix.documents.update_squares(better, rebuilt, gram_of(rebuilt), newton=last)
        return better

    def improve_mixing(self, mixing: np.ndarray, view: View, rebuilt: np.ndarray, *, last: bool) -> np.ndarray:
        """Improve a mixing matrix."""
        asked, gram = view.products.T @ rebuilt, gram_of(rebuilt)
        if last:
            return self._improve_rows(mixing, view, asked, gram)
        for _ in range(_SWEEPS):
            mixing = mixing * _divide(asked, view.gram @ mixing @ gram)
        return mixing

    def _improve_rows(self, mixing: np.ndarray, view: View, asked: np.ndarray, gram: np.ndarray) -> np.ndarray:
        """Improve every row in turn: with the other rows fixed, it is like a document."""
        better, products = mixing.copy(), np.empty_like(mixing)
        for row, size in enumerate(np.diagonal(view.gram)):
            others = view.gram[row] @ better - size * better[row]
            products[row] = asked[row] - others @ gram
            update_square_rows(row, row + 1, products, size * gram, FREE, True, _SWEEPS, _SETTLED, better)
        return better

    def improve_topics(self, topics: np.ndarray, view: View) -> np.ndarray:
        """Improve every term in turn."""
        better = topics.copy()
        rest = (view.products, view.gram, FREE, True, _SWEEPS, _SETTLED, better)
        view.matrix.terms.each_piece(lambda piece: update_square_rows(*piece, *rest))
        return better


def _improve_documents(
    matrix: Matrix, chain: Chain, steps: Steps, rebuilt: np.ndarray, best: float
) -> tuple[np.ndarray, View, float]:
    """Return document weights, what is seen through them, and the objective."""
    weights = steps.improve_weights(matrix, chain.weights, rebuilt, last=not chain.mixing)
    view = View.of(matrix, weights)
    reached = view.objective(rebuilt)
    if reached <= best:
        return weights, view, reached
    return chain.weights, View.of(matrix, chain.weights), best


def improve_chain(matrix: Matrix, chain: Chain, steps: Steps, best: float) -> tuple[Chain, float]:
    """Improve every factor once, from the documents to the last layer; keep nothing that raises the objective.

    Parameters
    ----------
    matrix : Matrix
    chain : Chain
    steps : Steps
    best : float
        The objective of the chain.

    Returns
    -------
    Chain, float
        The better factors and their objective.
    """
    rebuilt = chain.rebuilt_topics()
    weights, view, best = _improve_documents(matrix, chain, steps, rebuilt[0], best)
    mixings, topics = list(chain.mixing), list(chain.topics)
    topics[0] = steps.improve_topics(topics[0], view)
    for layer in range(1, len(topics)):
        mixing = steps.improve_mixing(mixings[layer - 1], view, rebuilt[layer], last=layer == len(mixings))
        reached = view.through(mixing).objective(rebuilt[layer])
        if reached <= best:
            mixings[layer - 1], best = mixing, reached
        view = view.through(mixings[layer - 1])
        topics[layer] = steps.improve_topics(topics[layer], view)
    # Only the last topics are part of the model of X, so only they can raise the objective.
    reached = view.objective(topics[-1])
    if not reached <= best:
        topics[-1], reached = chain.topics[-1], best
    return Chain(weights, tuple(mixings), tuple(topics)), reached


def tune_chain(
    matrix: Matrix, chain: Chain, steps: Steps, *, max_iter: int, tol: float, callback: Callback | None = None
) -> tuple[Chain, list[float]]:
    """Improve a chain until it settles; return it and the objective at the start and after each iteration."""
    path = [View.of(matrix, chain.weights).objective(chain.rebuilt_topics()[0])]
    for iteration in range(1, max_iter + 1):
        chain, reached = improve_chain(matrix, chain, steps, path[-1])
        path.append(reached)
        if callback is not None and callback(iteration, reached):
            break
        if path[-2] - reached <= tol * (matrix.constant - reached):
            break
    return chain, path


def _unit(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return columns that sum to one, and what they summed to; one of zeros stays as it is."""
    sums = columns.sum(axis=0)
    sums[sums <= 0] = 1.0
    return columns / sums, sums


def with_unit_topics(chain: Chain) -> Chain:
    """Return the same model with topics that sum to one, so that all topics of a layer count the same."""
    topics, scales = zip(*map(_unit, chain.topics), strict=True)
    mixing = (
        above * after / before[:, None]
        for above, before, after in zip(chain.mixing, scales[:-1], scales[1:], strict=True)
    )
    return Chain(chain.weights * scales[0], tuple(mixing), topics)


def _stronger_part(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the positive or the negative part of a right singular vector, whichever explains more."""
    parts = [(np.maximum(sign * left, 0), np.maximum(sign * right, 0)) for sign in (1, -1)]
    strengths = [np.linalg.norm(u) * np.linalg.norm(v) for u, v in parts]
    return parts[int(strengths[1] > strengths[0])][1]


def _spread(topics: np.ndarray, occurs: np.ndarray) -> np.ndarray:
    """Give every term that occurs some weight in every topic."""
    return _unit((1 - _EVEN_SHARE) * topics + _EVEN_SHARE * occurs[:, None] / max(occurs.sum(), 1.0))[0]


def start_topics(X: sparse.csr_matrix, n_topics: int, rng: np.random.RandomState) -> np.ndarray:
    """Return non-negative topics (n_terms, n_topics) from singular vectors; those beyond the rank are random.

    Every term that occurs has some weight in every topic, any other term has none.
    """
    rank = min(n_topics, *X.shape)
    left, _, right = randomized_svd(X, rank, random_state=rng)
    columns = [_stronger_part(left[:, topic], right[topic]) for topic in range(rank)]
    columns.extend(rng.uniform(size=(n_topics - rank, X.shape[1])))
    occurs = np.zeros(X.shape[1])
    occurs[X.indices[X.data != 0]] = 1.0
    return _spread(_unit(np.column_stack(columns) * occurs[:, None])[0], occurs)


def start_chain(matrix: Matrix, topics: np.ndarray, steps: Steps) -> Chain:
    """Return a chain of one layer: topics, and weights for them."""
    nothing = np.zeros((matrix.documents.matrix.shape[0], topics.shape[1]))
    return Chain(steps.improve_weights(matrix, nothing, topics, last=True), (), (topics,))


def pretrain_layer(
    X: sparse.csr_matrix, n_topics: int, steps: Steps, rng: np.random.RandomState, *, max_iter: int, tol: float
) -> Chain:
    """Factorise X, or the topics of a layer, on its own.

    With weights of any sign, many quite different topics explain X equally well. Those near the non-negative
    factorisation can be read, so every layer starts from there.
    """
    matrix, first = Matrix.of(X), NonNegativeSteps()
    start = start_topics(X, n_topics, rng)
    chain = tune_chain(matrix, start_chain(matrix, start, first), first, max_iter=max_iter, tol=tol)[0]
    if not isinstance(steps, NonNegativeSteps):
        found = chain.topics[0]
        alive = np.where(found.sum(axis=0) > 0, found, start)
        spread = _spread(_unit(alive)[0], start.sum(axis=1) > 0)
        chain = tune_chain(matrix, start_chain(matrix, spread, steps), steps, max_iter=max_iter, tol=tol)[0]
    return with_unit_topics(chain)


def pretrain_chain(
    X: sparse.csr_matrix, sizes: Sequence[int], steps: Steps, rng: np.random.RandomState, *, max_iter: int, tol: float
) -> Chain:
    """Factorise X, then the topics found, then theirs."""
    layers: list[Chain] = []
    for size in sizes:
        below = sparse.csr_matrix(layers[-1].topics[0].T) if layers else X
        layers.append(pretrain_layer(below, size, steps, rng, max_iter=max_iter, tol=tol))
    mixing = tuple(layer.weights for layer in layers[1:])
    return Chain(layers[0].weights, mixing, tuple(layer.topics[0] for layer in layers))
