"""How far people who label the same documents agree, beyond what chance would bring.

Every measure is one less the ratio of the disagreement seen to the disagreement expected: 1 where all agree, 0 where
they agree as often as by chance, less where they agree less often. What is seen and what is expected are sums over
documents, so that a sample of the documents is a weight for each, and the 95 % interval comes from many samples drawn
with replacement.

Where nothing can be said, the result is NaN: no document that two people have labelled, or one label only, by which
nobody could have disagreed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

import numpy as np

from wayword.errors import InputError, shorten
from wayword.models.inputs import check_choice, check_whole

Labellings = Mapping[Any, Mapping[Any, Any]]
Distance = Literal["nominal", "ordinal", "interval", "masi", "jaccard"]
Measure = Literal["krippendorff", "fleiss", "percent", "cohen"]

_DISTANCES = ("nominal", "ordinal", "interval", "masi", "jaccard")
_MEASURES = ("krippendorff", "fleiss", "percent", "cohen")
# Entries of a block of samples by documents.
_BLOCK = 2**22

# Something to be measured: a function of weights of documents, samples by documents, and how many documents there are.
_Sums = tuple[Callable[[np.ndarray], np.ndarray], int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement and its 95 % interval.

    Attributes
    ----------
    value : float
        The measure; NaN where nothing can be said.
    low, high : float
        Between these it lies in 95 of 100 samples of the documents; NaN with fewer than two documents.
    n_documents : int
        Documents that count: those that two or more have labelled.
    """

    value: float
    low: float
    high: float
    n_documents: int


# From what people said to arrays.


def _read_answer(answer: Any) -> frozenset[Hashable] | None:
    """Return an answer as the set of its labels; None if there is no answer."""
    if answer is None or (isinstance(answer, float) and math.isnan(answer)):
        return None
    labels = answer if isinstance(answer, Iterable) and not isinstance(answer, str | bytes) else [answer]
    try:
        return frozenset(labels)
    except TypeError:
        raise InputError(f"a label must be a name, a number or a set of these, got {shorten(answer)}") from None


def _read_answers(labellings: Any) -> list[dict[Any, frozenset[Hashable]]]:
    """Return what each annotator said of each document, missing answers left out."""
    if not isinstance(labellings, Mapping) or not all(isinstance(said, Mapping) for said in labellings.values()):
        raise InputError(
            f"labellings must map each document to a mapping of annotators to labels, got {shorten(labellings)}"
        )
    read = [{who: _read_answer(answer) for who, answer in said.items()} for said in labellings.values()]
    return [{who: answer for who, answer in said.items() if answer is not None} for said in read]


def _order_answers(answers: Iterable[frozenset[Hashable]]) -> list[frozenset[Hashable]]:
    """Return the different answers, in an order that does not depend on how they came."""
    return sorted(set(answers), key=lambda answer: sorted(map(repr, answer)))


def _count_answers(labellings: Any) -> tuple[np.ndarray, list[frozenset[Hashable]]]:
    """Return how often each answer was given to each document that two or more have labelled, and the answers."""
    documents = [list(said.values()) for said in _read_answers(labellings) if len(said) > 1]
    answers = _order_answers(answer for said in documents for answer in said)
    columns = {answer: column for column, answer in enumerate(answers)}
    counts = np.zeros((len(documents), len(answers)))
    for row, said in enumerate(documents):
        np.add.at(counts[row], [columns[answer] for answer in said], 1.0)
    return counts, answers


def _read_numbers(answers: list[frozenset[Hashable]], purpose: str) -> np.ndarray:
    """Return answers as numbers."""
    values = [next(iter(answer)) if len(answer) == 1 else answer for answer in answers]
    wrong = [value for value in values if not isinstance(value, Real) or isinstance(value, bool)]
    if wrong:
        raise InputError(f"{purpose} needs labels that are numbers, got {shorten(wrong[0])}")
    return np.array([float(value) for value in values if isinstance(value, Real)])


def masi_distance(a: Set[Any], b: Set[Any]) -> float:
    """Return how far two sets of labels are apart, sets of which one holds the other being nearer (Passonneau, 2006).

    One less the Jaccard similarity times 1 for equal sets, 2/3 where one holds the other, 1/3 where both have more.
    """
    shared = len(a & b)
    alike = 1.0 if a == b else 2 / 3 if shared == min(len(a), len(b)) else 1 / 3
    return 1.0 - alike * (shared / len(a | b) if a | b else 1.0)


def jaccard_distance(a: Set[Any], b: Set[Any]) -> float:
    """Return the share of the labels of either set that the other does not have; 0 for two empty sets."""
    return 1.0 - (len(a & b) / len(a | b) if a | b else 1.0)


def _distances(answers: list[frozenset[Hashable]], distance: str) -> np.ndarray:
    """Return how far any two answers are apart."""
    if distance == "nominal":
        return 1.0 - np.eye(len(answers))
    if distance in ("ordinal", "interval"):
        places = _read_numbers(answers, f'distance="{distance}"')
        return (places[:, None] - places) ** 2
    between = masi_distance if distance == "masi" else jaccard_distance
    return np.array([[between(a, b) for b in answers] for a in answers]).reshape(len(answers), len(answers))


# What is seen and what is expected.


def _one_less_ratio(seen: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return 1 - seen / expected; NaN where nothing is expected."""
    possible = expected > 0
    return np.where(possible, 1.0 - seen / np.where(possible, expected, 1.0), np.nan)


def _disagreements(counts: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Return the disagreement in each document: of all pairs of its answers, for each other answer."""
    pairs = np.einsum("dv,dv->d", counts @ distances, counts)
    return pairs / (counts.sum(axis=1) - 1.0)


def _expect(totals: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Return the disagreement of all pairs of answers, whatever their documents, for each other answer."""
    pairs = np.einsum("sv,sv->s", totals @ distances, totals)
    return pairs / np.maximum(totals.sum(axis=1) - 1.0, 1.0)


def _middle_ranks(totals: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the mean rank of equal answers, when all answers are put in order."""
    ranks = np.empty(len(totals))
    ranks[order] = np.cumsum(totals[order]) - totals[order] / 2.0
    return ranks


def _sum_alpha(labellings: Any, distance: str) -> _Sums:
    counts, answers = _count_answers(labellings)
    distances = _distances(answers, distance)
    if distance != "ordinal":
        seen = _disagreements(counts, distances)
        return lambda weights: _one_less_ratio(weights @ seen, _expect(weights @ counts, distances)), len(counts)
    order = np.argsort(_read_numbers(answers, 'distance="ordinal"'))

    def of_sample(weights: np.ndarray) -> float:
        # How far two ranks are apart depends on how often each was given in the sample.
        ranks = _middle_ranks(weights @ counts, order)
        apart = (ranks[:, None] - ranks) ** 2
        seen = weights @ _disagreements(counts, apart)
        return _one_less_ratio(seen, _expect((weights @ counts)[None], apart))[0]

    return lambda weights: np.array([of_sample(sample) for sample in weights]), len(counts)


def _shares_of_pairs(counts: np.ndarray) -> np.ndarray:
    """Return the share of pairs of annotators who gave a document the same answer."""
    n_answers = counts.sum(axis=1)
    return (counts * (counts - 1.0)).sum(axis=1) / (n_answers * (n_answers - 1.0))


def _sum_fleiss(counts: np.ndarray) -> _Sums:
    agreed = _shares_of_pairs(counts)

    def measure(weights: np.ndarray) -> np.ndarray:
        n_documents = np.maximum(weights.sum(axis=1), 1.0)
        totals = weights @ counts
        shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1.0)
        # One label alone leaves nothing but rounding.
        expected = np.where((totals > 0).sum(axis=1) > 1, 1.0 - (shares**2).sum(axis=1), 0.0)
        return _one_less_ratio(1.0 - (weights @ agreed) / n_documents, expected)

    return measure, len(counts)


def _sum_percent(counts: np.ndarray) -> _Sums:
    agreed = _shares_of_pairs(counts)
    return lambda weights: weights @ agreed / weights.sum(axis=1), len(counts)


def _sum_cohen(pairs: list[tuple[frozenset[Hashable], frozenset[Hashable]]], weights: str | None) -> _Sums:
    answers = _order_answers(answer for pair in pairs for answer in pair)
    columns = {answer: column for column, answer in enumerate(answers)}
    if weights is None:
        distances = _distances(answers, "nominal")
    else:
        distances = _distances(answers, "interval") ** (0.5 if weights == "linear" else 1.0)
    first, second = (np.eye(len(answers))[[columns[pair[place]] for pair in pairs]] for place in (0, 1))
    seen = np.einsum("dv,dv->d", first @ distances, second)

    def measure(samples: np.ndarray) -> np.ndarray:
        expected = np.einsum("sv,sv->s", (samples @ first) @ distances, samples @ second)
        return _one_less_ratio(samples @ seen, expected / samples.sum(axis=1))

    return measure, len(pairs)


def _measure_all(sums: _Sums) -> float:
    measure, n_documents = sums
    return float(measure(np.ones((1, n_documents)))[0]) if n_documents else math.nan


def _read_counts(ratings: Any) -> np.ndarray:
    """Return counts of answers, of documents with two or more."""
    if isinstance(ratings, Mapping):
        return _count_answers(ratings)[0]
    try:
        counts = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        counts = np.zeros(0)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any() or (counts % 1 != 0).any():
        raise InputError(
            f"expected labellings, or whole numbers of answers, documents by labels, got {shorten(ratings)}"
        )
    return counts[counts.sum(axis=1) > 1]


def _pair_answers(a: Any, b: Any) -> list[tuple[frozenset[Hashable], frozenset[Hashable]]]:
    """Return what two annotators said of the documents that both have labelled."""
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        if isinstance(a, Mapping) or isinstance(b, Mapping) or len(a) != len(b):
            raise InputError("a and b must both be mappings of documents to labels, or lists of the same length")
        a, b = dict(enumerate(a)), dict(enumerate(b))
    answers = [(_read_answer(a[document]), _read_answer(b[document])) for document in a if document in b]
    return [(first, second) for first, second in answers if first is not None and second is not None]


# What is asked for.


def cohen_kappa(a: Any, b: Any, *, weights: Literal["linear", "quadratic"] | None = None) -> float:
    """Return how far two annotators agree beyond chance, each giving labels as often as they do (Cohen, 1960).

    Parameters
    ----------
    a, b : mapping of documents to labels, or sequence of labels
        What each annotator said; documents that only one has labelled do not count. A set of labels is one answer.
    weights : {"linear", "quadratic"}, optional
        How much worse labels are that are farther apart; the labels must then be numbers.

    Returns
    -------
    float
        At most 1; NaN without a document that both have labelled, and where both always gave one and the same label.

    Examples
    --------
    >>> from wayword.evaluation.annotators import cohen_kappa
    >>> round(cohen_kappa(["oil", "oil", "tea", "tea"], ["oil", "tea", "tea", "tea"]), 2)
    0.5
    """
    check_choice("weights", weights, (None, "linear", "quadratic"))
    return _measure_all(_sum_cohen(_pair_answers(a, b), weights))


def fleiss_kappa(ratings: Any) -> float:
    """Return how far several annotators agree beyond chance (Fleiss, 1971).

    Documents may have different numbers of answers; each counts the same, whatever its number.

    Parameters
    ----------
    ratings : mapping of documents to mappings of annotators to labels, or array of shape (n_documents, n_labels)
        What was said, or how many said what. Documents with fewer than two answers do not count. A set of labels is
        one answer.

    Returns
    -------
    float
        At most 1; NaN without a document that two have labelled, and where everybody always gave one and the same
        label.

    Examples
    --------
    >>> from wayword.evaluation.annotators import fleiss_kappa
    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1]]), 2)
    0.55
    """
    return _measure_all(_sum_fleiss(_read_counts(ratings)))


def krippendorff_alpha(labellings: Labellings, *, distance: Distance = "nominal") -> float:
    """Return how far annotators agree beyond chance, whatever their number and whatever is missing (Krippendorff, 2011).

    Parameters
    ----------
    labellings : mapping of documents to mappings of annotators to labels
        What was said; None and NaN are missing. Documents with fewer than two answers do not count.
    distance : {"nominal", "ordinal", "interval", "masi", "jaccard"}
        How far two answers are apart. Nominal: all the same or not, a set of labels being one answer. Ordinal and
        interval: labels are numbers, of which the order or the difference counts. MASI and Jaccard: answers are sets
        of labels, and those that share labels are nearer.

    Returns
    -------
    float
        At most 1; NaN without a document that two have labelled, and where everybody always gave one and the same
        label.

    Examples
    --------
    >>> from wayword.evaluation.annotators import krippendorff_alpha
    >>> said = {"d1": {"ann": "oil", "bob": "oil"}, "d2": {"ann": "tea", "bob": "tea"}, "d3": {"bob": "oil"}}
    >>> krippendorff_alpha(said)
    1.0
    >>> said["d4"] = {"ann": {"oil", "tea"}, "bob": {"tea"}}
    >>> round(krippendorff_alpha(said), 2), round(krippendorff_alpha(said, distance="masi"), 2)
    (0.55, 0.64)
    """
    check_choice("distance", distance, _DISTANCES)
    return _measure_all(_sum_alpha(labellings, distance))


def percent_agreement(labellings: Labellings) -> float:
    """Return how often two annotators of a document say the same: the mean over documents of the share of pairs.

    Parameters
    ----------
    labellings : mapping of documents to mappings of annotators to labels
        As for `krippendorff_alpha`. A set of labels is one answer.

    Returns
    -------
    float
        From 0 to 1, not 100; NaN without a document that two have labelled.

    Examples
    --------
    >>> from wayword.evaluation.annotators import percent_agreement
    >>> percent_agreement({"d1": {"ann": "oil", "bob": "oil"}, "d2": {"ann": "oil", "bob": "tea"}})
    0.5
    """
    return _measure_all(_sum_percent(_count_answers(labellings)[0]))


def _sum_by_name(labellings: Any, measure: str, distance: str) -> _Sums:
    if measure == "krippendorff":
        return _sum_alpha(labellings, distance)
    if measure == "cohen":
        said = _read_answers(labellings)
        people = sorted({who for document in said for who in document}, key=repr)
        if len(people) > 2:
            raise InputError(f"Cohen's kappa is of two annotators, got {len(people)}; give the answers of two")
        pairs = [(document[people[0]], document[people[1]]) for document in said if len(document) == 2]
        return _sum_cohen(pairs, None)
    counts = _count_answers(labellings)[0]
    return _sum_fleiss(counts) if measure == "fleiss" else _sum_percent(counts)


def agreement(
    labellings: Labellings,
    measure: Measure = "krippendorff",
    *,
    distance: Distance = "nominal",
    n_samples: int = 1000,
    random_state: int = 0,
) -> Agreement:
    """Return a measure of agreement with its 95 % interval, from samples of documents drawn with replacement.

    Parameters
    ----------
    labellings : mapping of documents to mappings of annotators to labels
        As for `krippendorff_alpha`.
    measure : {"krippendorff", "fleiss", "percent", "cohen"}
        What to measure; Cohen's kappa is of two annotators.
    distance : str
        For Krippendorff's alpha, see there.
    n_samples : int
        How many samples.
    random_state : int
        Seed of the samples; the same seed gives the same interval.

    Returns
    -------
    Agreement
        Samples of which nothing can be said are left out of the interval.

    Examples
    --------
    >>> from wayword.evaluation.annotators import agreement
    >>> said = {row: {"ann": row % 2, "bob": row % 2 if row % 5 else 0} for row in range(40)}
    >>> found = agreement(said)
    >>> found.n_documents, round(found.value, 2), found.low < found.value < found.high
    (40, 0.8, True)
    """
    check_choice("measure", measure, _MEASURES)
    check_choice("distance", distance, _DISTANCES)
    check_whole("n_samples", n_samples)
    sums = _sum_by_name(labellings, measure, distance)
    value, n_documents = _measure_all(sums), sums[1]
    if math.isnan(value) or n_documents < 2:
        return Agreement(value, math.nan, math.nan, n_documents)
    rng = np.random.default_rng(random_state)
    step = max(1, _BLOCK // n_documents)
    found = []
    for start in range(0, n_samples, step):
        size = min(step, n_samples - start)
        found.append(sums[0](rng.multinomial(n_documents, np.full(n_documents, 1 / n_documents), size=size) * 1.0))
    defined = np.concatenate(found)
    defined = defined[~np.isnan(defined)]
    low, high = np.quantile(defined, (0.025, 0.975)) if len(defined) else (math.nan, math.nan)
    return Agreement(value, float(low), float(high), n_documents)
