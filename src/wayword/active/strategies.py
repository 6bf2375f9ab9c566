"""Strategies by name: what is known when a question is chosen, and how much each document would help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from wayword.active.scores import (
    alto,
    alto_ent,
    alto_ent_rep,
    alto_rep,
    check_mask,
    density,
    density_weighted,
    entropy,
    jensen_shannon,
    least_confidence,
    margin,
    random_scores,
    vote_entropy,
)
from wayword.errors import InputError
from wayword.models.inputs import check_choice
from wayword.models.theme_scores import check_weights


@dataclass(frozen=True, slots=True, eq=False)
class QueryState:
    """What is known when a question is chosen.

    Attributes
    ----------
    labelled : bool array of shape (n_documents,)
        Which documents have labels.
    probabilities : array of shape (n_documents, n_labels), optional
        How likely each label is, see `entropy`.
    theta : array of shape (n_documents, n_topics), optional
        Weights of topics in documents.
    committee : array of shape (n_models, n_documents, n_labels), optional
        How likely each label is by each of several models.
    labels, topics : tuple of str
        Names, for reasons in words; empty for numbers from 1 on.
    multilabel : bool
        Whether a document may have several labels.
    p : float
        How much being like other documents counts.
    seed : int
        Seed of the random order.
    """

    labelled: np.ndarray
    probabilities: np.ndarray | None = None
    theta: np.ndarray | None = None
    committee: np.ndarray | None = None
    labels: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    multilabel: bool = False
    p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        n_documents = len(check_mask("labelled", self.labelled))
        shapes = {
            "probabilities": {"n_documents": n_documents, "n_labels": len(self.labels) or None},
            "theta": {"n_documents": n_documents, "n_topics": len(self.topics) or None},
            "committee": {"n_models": None, "n_documents": n_documents, "n_labels": len(self.labels) or None},
        }
        for name, axes in shapes.items():
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check_weights(name, getattr(self, name), **axes))
        object.__setattr__(self, "labelled", np.asarray(self.labelled))

    def need(self, name: str) -> np.ndarray:
        """Return an array of the state, or raise because the strategy cannot do without it."""
        found = getattr(self, name)
        if found is None:
            raise InputError(f"this strategy needs {name}, and the state has none; give it, or choose another strategy")
        return found


Strategy = Callable[[QueryState], np.ndarray]


def _strategy(measure: Callable[..., np.ndarray], *needs: str, **options: str) -> Strategy:
    """Return a measure as a function of the state, from the arrays that it needs."""

    def score(state: QueryState) -> np.ndarray:
        settings = {name: getattr(state, attribute) for name, attribute in options.items()}
        return measure(*(state.need(name) for name in needs), multilabel=state.multilabel, **settings)

    return score


def _density_margin(state: QueryState) -> np.ndarray:
    uncertainty = margin(state.need("probabilities"), multilabel=state.multilabel)
    return density_weighted(uncertainty, state.need("theta"), p=state.p)


_CHANCES, _TOPICS = ("probabilities",), ("probabilities", "theta")
_ALTO = {
    "": _strategy(alto, *_TOPICS),
    "_ent": _strategy(alto_ent, *_TOPICS),
    "_rep": _strategy(alto_rep, *_TOPICS, p="p"),
    "_ent_rep": _strategy(alto_ent_rep, *_TOPICS, p="p"),
}
STRATEGIES: Mapping[str, Strategy] = {
    "random": lambda state: random_scores(len(state.labelled), state.seed),
    "entropy": _strategy(entropy, *_CHANCES),
    "margin": _strategy(margin, *_CHANCES),
    "least_confidence": _strategy(least_confidence, *_CHANCES),
    "vote_entropy": _strategy(vote_entropy, "committee"),
    "jensen_shannon": _strategy(jensen_shannon, "committee"),
    "density": _strategy(density, *_TOPICS, p="p"),
    "density_margin": _density_margin,
    # These score alike; they differ in whether topics are found again after a label.
    **{f"alto{kind}": score for kind, score in _ALTO.items()},
    **{f"alsup{kind}": score for kind, score in _ALTO.items()},
}


def score_documents(state: QueryState, strategy: str) -> np.ndarray:
    """Return the scores of all documents, labelled ones too, by the name of a strategy.

    Parameters
    ----------
    state : QueryState
        What is known.
    strategy : str
        One of `STRATEGIES`.

    Returns
    -------
    array of shape (n_documents,)
        Finite numbers of 0 or more, the highest to be asked first.

    Examples
    --------
    >>> import numpy as np
    >>> from wayword.active import QueryState, score_documents
    >>> state = QueryState(np.array([True, False]), probabilities=[[0.9, 0.1], [0.6, 0.4]])
    >>> score_documents(state, "margin").round(2)
    array([0.2, 0.8])
    """
    check_choice("strategy", strategy, STRATEGIES)
    return STRATEGIES[strategy](state)
