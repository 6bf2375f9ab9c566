"""How many topics: fit each number to half of all tokens, several times, and look at the other half.

Each split tosses a coin for every token, fits the model to the tokens of one side, for each number of topics, and
measures

1. held-out: how likely the tokens of the other side are, given those of the first in the same document;
2. stability: how far the topics agree with those of the other splits;
3. coherence: how well their top terms go together in the other side.

All numbers see the same splits, so that they are compared split by split. Too few topics predict badly; too many follow
what was chance in their half, and predict badly, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from wayword.errors import InputError, shorten
from wayword.evaluation.coherence import npmi
from wayword.evaluation.runs import check_counts, check_model, draw_seeds, set_up, topics_of
from wayword.evaluation.stability import topic_stability
from wayword.evaluation.term_lists import top_columns
from wayword.kernels.factor import sum_kl_rows
from wayword.matrix.thinning import thin
from wayword.models.document_topics import by_terms, each_document, infer_topics
from wayword.models.inputs import check_choice, check_number, check_whole
from wayword.models.nmf import NMF
from wayword.models.theme_scores import normalise_rows
from wayword.progress import Progress, ignore

Criterion = Literal["heldout", "stability", "coherence"]
# The share of every topic that all terms have alike, the same as in `held_out_likelihood`.
_EVEN = 0.01
# Where half of the top terms are shared, the Jaccard similarity is a third.
_STABLE = 1.0 / 3.0
_NAMES = {"heldout": "held-out likelihood", "stability": "stability", "coherence": "coherence"}


@dataclass(frozen=True, slots=True)
class Selection:
    """How numbers of topics compare, and which one is recommended.

    Attributes
    ----------
    ks : int array of shape (n_ks,)
        The numbers of topics, from the fewest.
    values : dict of str to array of shape (n_ks, n_splits)
        By criterion, what each split measured; higher is better. The stability of a split is the mean agreement of its
        topics with those of the others.
    best : int
        The number of topics to take.
    reason : str
        Why, in words.
    """

    ks: np.ndarray
    values: dict[str, np.ndarray]
    best: int
    reason: str

    @property
    def curves(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """By criterion, the mean and the standard deviation over splits for each number of topics."""
        return {name: (values.mean(axis=1), values.std(axis=1, ddof=1)) for name, values in self.values.items()}


def predict_tokens(seen: sparse.csr_matrix, held: sparse.csr_matrix, topics: np.ndarray) -> float:
    """Return the mean log probability of the held tokens, given the seen ones of the same document."""
    smooth = normalise_rows((1.0 - _EVEN) * topics + _EVEN / topics.shape[1])
    proportions = infer_topics(seen, smooth, method="vb")
    rest = (by_terms(smooth), np.zeros(len(smooth)), np.ones(seen.shape[0]), proportions)
    return -each_document(sum_kl_rows, held, *rest) / float(held.sum())


def _mean_coherence(topics: list[list[int]], X: sparse.csr_matrix) -> float:
    # A topic of one term or none is no topic, which is the worst.
    return float(np.nan_to_num(npmi(topics, X), nan=-1.0).mean())


def _mean_agreements(runs: list[list[list[int]]]) -> np.ndarray:
    """Return how far each run agrees with the others, on average."""
    agreement = topic_stability(*runs).runs
    return (agreement.sum(axis=1) - 1.0) / (len(runs) - 1)


def as_good(values: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the row with the highest mean, and which rows are within one standard error of it, split by split."""
    best = int(values.mean(axis=1).argmax())
    behind = values[best] - values
    errors = behind.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return best, behind.mean(axis=1) <= errors


def _list_numbers(ks: Iterable[int]) -> str:
    return ", ".join(map(str, ks))


def _keep_stable(ks: np.ndarray, agreements: np.ndarray, stable: float) -> tuple[np.ndarray, str]:
    """Return which numbers are stable, all if none is, and what to say about it."""
    enough = agreements.mean(axis=1) >= stable
    if enough.all():
        return enough, ""
    if not enough.any():
        return ~enough, f" None is stable: two splits agree by less than {stable:.2f}, whatever the number."
    return enough, f" Not stable, and left out: {_list_numbers(ks[~enough])}."


def _say(chosen: int, top: int, measure: str, *, alone: bool, extreme: str) -> str:
    if chosen == top:
        return f"{chosen} topics have the best {measure}" + (
            ", and no other number is within one standard error." if alone else "."
        )
    return f"{chosen} are the {extreme} topics within one standard error of the best {measure}, which is that of {top}."


def _say_where_to_look(ks: np.ndarray, chosen: int, top: int) -> str:
    """Return what to say of a choice at the end of what was tried."""
    if len(ks) > 1 and top == ks[-1]:
        return " More topics may be better still: try larger numbers."
    return " Fewer topics may do as well: try smaller numbers." if chosen == ks[0] > 2 else ""


def choose_k(ks: np.ndarray, values: dict[str, np.ndarray], *, stable: float = _STABLE) -> tuple[int, str]:
    """Return the number of topics that measurements speak for, and the reason in words.

    Numbers whose topics are not stable are left out. Of the others, the fewest topics are taken whose held-out
    likelihood, or without one whose coherence, is within one standard error of the best. Stability alone
    favours few topics; so by itself it takes the most topics that are within one standard error of the most stable.
    """
    only_stability = set(values) == {"stability"}
    kept, said = np.ones(len(ks), dtype=bool), ""
    if "stability" in values and not only_stability:
        kept, said = _keep_stable(ks, values["stability"], stable)
    decides = next(name for name in ("heldout", "coherence", "stability") if name in values)
    best, good = as_good(values[decides][kept])
    chosen, top = int(ks[kept][good][-1 if only_stability else 0]), int(ks[kept][best])
    measure = _NAMES[decides] + ("" if kept.all() else " of those that are stable")
    reason = _say(chosen, top, measure, alone=good.sum() == 1, extreme="most" if only_stability else "fewest")
    return chosen, reason + said + _say_where_to_look(ks, chosen, top)


def check_numbers(name: str, numbers: Any, of_what: str = "topics") -> np.ndarray:
    """Return numbers of topics or the like in order, each once."""
    if isinstance(numbers, str) or not isinstance(numbers, Iterable):
        raise InputError(f"{name} must be numbers of {of_what}, such as [5, 10, 20], got {shorten(numbers)}")
    listed = list(numbers)
    for number in listed:
        check_whole(f"each of {name}", number)
    if not listed:
        raise InputError(f"{name} must hold at least one number of {of_what}, got none")
    return np.unique(np.array(listed, dtype=np.int64))


def _check_criteria(criteria: Any) -> list[str]:
    names = [criteria] if isinstance(criteria, str) else list(criteria)
    for name in names:
        check_choice("each of criteria", name, get_args(Criterion))
    if not names:
        raise InputError(f"criteria must name at least one of {', '.join(get_args(Criterion))}, got none")
    return [name for name in get_args(Criterion) if name in names]


def split_tokens(X: sparse.csr_matrix, seed: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Return the tokens of documents in two halves, by the toss of a coin."""
    seen, held = thin(X, check_random_state(seed))
    if not seen.nnz or not held.nnz:
        raise InputError("X holds too few tokens to be split in halves; give it more documents")
    return seen, held


def select_k(
    X: Any,
    ks: Iterable[int],
    *,
    criteria: Sequence[Criterion] = ("heldout", "stability", "coherence"),
    model: Any = None,
    n_splits: int = 5,
    n_terms: int = 10,
    stable: float = _STABLE,
    random_state: Any = 0,
    progress: Progress = ignore,
) -> Selection:
    """Compare numbers of topics and recommend one.

    Each of `n_splits` splits divides the tokens of every document by the toss of a coin. The model is fitted to one
    half for each number of topics; the other half, and the other splits, say how good the topics are.

    ===============  ====================================================================================
    criterion        what it says; higher is better
    ===============  ====================================================================================
    ``"heldout"``    the mean log probability of a token of the other half, given this half
    ``"stability"``  how far topics agree with those of the other splits, see `topic_stability`
    ``"coherence"``  how well top terms go together in the other half, see `npmi`
    ===============  ====================================================================================

    Of the numbers that are stable, the recommendation is the fewest topics whose held-out likelihood is within
    one standard error of the best; without it, coherence takes its place. By itself, stability takes the most topics
    within one standard error of the most stable.

    Parameters
    ----------
    X : matrix of shape (n_documents, n_terms)
        Counts of tokens. Of other weights, whole entries are split instead of tokens.
    ks : iterable of int
        The numbers of topics to try.
    criteria : sequence of {"heldout", "stability", "coherence"}
        What to measure.
    model : estimator, optional
        With `n_components`, `fit` and `components_`; by default `NMF()`.
    n_splits : int
        How often to split, 2 or more.
    n_terms : int
        How many top terms of a topic stability and coherence look at.
    stable : float
        Least stability of a number that may be recommended, from 0 to 1. At a third, two splits share about half of
        the top terms of a topic.
    random_state : int, RandomState or None
        Seed of splits and models.
    progress : callable
        Told ``("fits", done, total)``.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> from wayword.evaluation.selection import select_k
    >>> topics = np.kron(np.eye(3), np.ones(4) / 4)
    >>> X = np.random.default_rng(0).poisson(8 * np.repeat(topics, 20, axis=0))
    >>> select_k(X, [2, 3, 4]).best
    3
    """
    numbers, names, model = check_numbers("ks", ks), _check_criteria(criteria), NMF() if model is None else model
    check_whole("n_splits", n_splits, least=2)
    check_number("stable", stable, most=1.0)
    check_whole("n_terms", n_terms)
    check_model(model)
    counts = check_counts(X)
    values = {name: np.empty((len(numbers), n_splits)) for name in names}
    runs: list[list[list[list[int]]]] = [[] for _ in numbers]
    for split, seed in enumerate(draw_seeds(random_state, n_splits)):
        seen, held = split_tokens(counts, seed)
        for place, k in enumerate(numbers):
            topics = topics_of(set_up(model, int(k), seed).fit(seen))
            runs[place].append(top_columns(topics, n_terms))
            if "heldout" in names:
                values["heldout"][place, split] = predict_tokens(seen, held, topics)
            if "coherence" in names:
                values["coherence"][place, split] = _mean_coherence(runs[place][-1], held)
            progress("fits", split * len(numbers) + place + 1, n_splits * len(numbers))
    if "stability" in names:
        values["stability"] = np.array([_mean_agreements(run) for run in runs])
    return Selection(numbers, values, *choose_k(numbers, values, stable=float(stable)))
