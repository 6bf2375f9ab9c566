"""Why a document is asked about, in words made from the numbers that a strategy went by."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy import sparse

from wayword.active.scores import count_votes, entropy, mean_similarity, topic_entropy
from wayword.active.strategies import QueryState
from wayword.errors import InputError
from wayword.models.inputs import check_choice
from wayword.models.theme_scores import normalise_rows

_DIGITS = 12  # what differs by less is equal but for rounding
_TIE, _CLOSE = 0.05, 0.2
NO_TOPIC = "none of its words belongs to a topic"

Reason = Callable[[QueryState, int], list[str]]


def percent(share: float) -> str:
    """Return a share as people read it; next to nothing and nearly all are not 0 % and 100 %."""
    if 0.0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1.0 - 1e-9 else f"{100.0 * share:.0f} %"


def say_openness(nearness: sparse.csr_matrix, row: int, doubt: np.ndarray) -> list[str]:
    """Say how open the neighbours of a document are, weighed by how near they are; nothing where it has none."""
    entries = slice(nearness.indptr[row], nearness.indptr[row + 1])
    weights, near = nearness.data[entries], nearness.indices[entries]
    if not weights.sum() > 0:
        return []
    openness = float(weights @ doubt[near]) / float(weights.sum())
    return [f"the {len(near)} documents near it are {100 * openness:.0f} % as open as a tie, on average"]


def name_of(names: tuple[str, ...], kind: str, place: int) -> str:
    """Return the name of a label or topic; its number, from 1 on, where it has none."""
    return names[place] if names else f"{kind} {place + 1}"


def _chances(state: QueryState, row: int, order: np.ndarray) -> list[tuple[str, float]]:
    """Return names and chances of labels, in an order."""
    chances = state.need("probabilities")[row]
    return [(name_of(state.labels, "label", int(place)), float(chances[place])) for place in order]


def _ranked(state: QueryState, row: int) -> list[tuple[str, float]]:
    return _chances(state, row, np.argsort(-state.need("probabilities")[row], kind="stable"))


def _say_open_labels(state: QueryState, row: int) -> list[str]:
    """Say which of labels that do not exclude each other are nearest to even chances."""
    order = np.argsort(np.abs(state.need("probabilities")[row] - 0.5), kind="stable")
    said = [f"{name} ({percent(chance)})" for name, chance in _chances(state, row, order[:2])]
    return [f"the least certain label{'s are' if len(said) > 1 else ' is'} {' and '.join(said)}"]


def _say_little(state: QueryState, row: int) -> list[str]:
    """Say what there is to say where there is nothing to compare; empty where there is."""
    if not state.need("probabilities")[row].any():
        return ["nothing speaks for any label"]
    first, *others = _ranked(state, row)
    return [] if others else [f"only one label, {first[0]}, is known so far"]


def _say_entropy(state: QueryState, row: int) -> list[str]:
    if state.multilabel:
        return _say_open_labels(state, row)
    name, chance = _ranked(state, row)[0]
    n_open = float(np.exp(entropy(state.need("probabilities")[[row]])[0]))
    likeliest = f"the likeliest is {name}, {percent(chance)}"
    return _say_little(state, row) or [f"as open as {n_open:.1f} equally likely labels; {likeliest}"]


def _say_margin(state: QueryState, row: int) -> list[str]:
    if state.multilabel:
        return _say_open_labels(state, row)
    if little := _say_little(state, row):
        return little
    (first, one), (second, two), *_ = _ranked(state, row)
    verdict = "almost a tie" if one - two <= _TIE else "close" if one - two <= _CLOSE else f"{first} leads"
    return [f"the two likeliest labels, {first} and {second}, are {percent(one)} and {percent(two)}: {verdict}"]


def _say_confidence(state: QueryState, row: int) -> list[str]:
    if state.multilabel:
        return _say_open_labels(state, row)
    name, chance = _ranked(state, row)[0]
    only = "only " if chance < 0.5 else ""
    return _say_little(state, row) or [f"the likeliest label, {name}, is {only}{percent(chance)}"]


def _say_votes(state: QueryState, row: int) -> list[str]:
    committee = state.need("committee")
    votes = count_votes(committee[:, [row]], multilabel=state.multilabel)[0]
    if state.multilabel:
        label = int(np.abs(votes - len(committee) / 2).argmin())
        name = name_of(state.labels, "label", label)
        return [f"{votes[label]} of {len(committee)} models give it {name}"]
    order = [int(label) for label in np.argsort(-votes, kind="stable") if votes[label]]
    if not order:
        return ["no model has an opinion"]
    said = [f"{votes[label]} for {name_of(state.labels, 'label', label)}" for label in order]
    return [f"{'models agree' if len(said) == 1 else 'models disagree'}: {', '.join(said)}"]


def _say_divergence(state: QueryState, row: int) -> list[str]:
    chances = state.need("committee")[:, row]
    label = int(np.round(np.ptp(chances, axis=0), _DIGITS).argmax())
    low, high = percent(chances[:, label].min()), percent(chances[:, label].max())
    name = name_of(state.labels, "label", label)
    return [f"models put {name} between {low} and {high}" if low != high else f"all models put {name} at {low}"]


def _say_density(state: QueryState, row: int) -> list[str]:
    similarity = mean_similarity(state.need("theta"))
    share = float((similarity < similarity[row]).mean())
    return [f"more like the whole corpus than {percent(share)} of documents"]


def main_topics(theta: np.ndarray) -> np.ndarray:
    """Return the main topic of each document, the first of equal ones; -1 where it has none."""
    if not theta.shape[1]:
        return np.full(len(theta), -1)
    return np.where(theta.any(axis=1), theta.argmax(axis=1), -1)


def _say_coverage(state: QueryState, row: int) -> list[str]:
    """Say so if no labelled document has the same main topic."""
    main = main_topics(state.need("theta"))
    if main[row] < 0:
        return [NO_TOPIC]
    topic = name_of(state.topics, "topic", int(main[row]))
    return [] if (main[state.labelled] == main[row]).any() else [f"its topic, {topic}, has no labelled document yet"]


def _say_share(state: QueryState, row: int) -> list[str]:
    shares = normalise_rows(state.need("theta")[row])
    if not shares.any():
        return []
    return [f"{percent(shares.max())} of it is one topic, {name_of(state.topics, 'topic', int(shares.argmax()))}"]


def _say_mixture(state: QueryState, row: int) -> list[str]:
    mixed = float(np.exp(topic_entropy(state.need("theta")[[row]])[0]))
    return [f"as mixed as {mixed:.1f} topics of equal parts"]


_ALTO_PARTS: Mapping[str, tuple[Reason, ...]] = {
    "": (_say_entropy, _say_share, _say_coverage),
    "_ent": (_say_entropy, _say_mixture, _say_coverage),
    "_rep": (_say_entropy, _say_share, _say_density, _say_coverage),
    "_ent_rep": (_say_entropy, _say_mixture, _say_density, _say_coverage),
}
_PARTS: Mapping[str, tuple[Reason, ...]] = {
    "random": (lambda *_: ["drawn at random"],),
    "entropy": (_say_entropy,),
    "margin": (_say_margin,),
    "least_confidence": (_say_confidence,),
    "vote_entropy": (_say_votes,),
    "jensen_shannon": (_say_divergence,),
    "density": (_say_entropy, _say_density, _say_coverage),
    "density_margin": (_say_margin, _say_density, _say_coverage),
    **{f"alto{kind}": parts for kind, parts in _ALTO_PARTS.items()},
    **{f"alsup{kind}": parts for kind, parts in _ALTO_PARTS.items()},
}


def give_reasons(state: QueryState, strategy: str, row: int) -> tuple[str, ...]:
    """Return why a strategy would ask about a document, in words, each with the numbers that it went by.

    Parameters
    ----------
    state : QueryState
        What is known.
    strategy : str
        One of `STRATEGIES`.
    row : int
        Which document.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import numpy as np
    >>> from wayword.active import QueryState, give_reasons
    >>> state = QueryState(np.array([False]), probabilities=[[0.48, 0.46, 0.06]], labels=("tea", "rice", "oil"))
    >>> give_reasons(state, "margin", 0)
    ('the two likeliest labels, tea and rice, are 48 % and 46 %: almost a tie',)
    """
    check_choice("strategy", strategy, _PARTS)
    if not 0 <= row < len(state.labelled):
        raise InputError(f"row must be one of {len(state.labelled)} documents, counted from 0, got {row}")
    return tuple(reason for part in _PARTS[strategy] for reason in part(state, row))
