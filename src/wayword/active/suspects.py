"""Labels that all others contradict, to be looked at again.

Every labelled document is guessed from the labels of the others. Where the label it has is very unlikely, and another
is likelier, the answer may have been a slip. It may also be right: questions are asked about documents that are hard to
guess, so that many good answers come as a surprise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wayword.active.guesses import Answers
from wayword.active.learner import ActiveLearner
from wayword.active.stopping import check_held_back, read_answers
from wayword.models.inputs import check_number
from wayword.progress import Progress, ignore

_LEAST_CHANCE = 0.95


@dataclass(frozen=True, slots=True)
class Suspect:
    """A label that may be wrong.

    Attributes
    ----------
    id : object
        Which document; its row where only answers were given.
    row : int
        Its row.
    label : str
        The label it has; of several, the least likely.
    other : str
        The likeliest label that it has not, by the labels of all other documents.
    chance : float
        How likely it is, by the same, that the document does not have its label.
    """

    id: Any
    row: int
    label: str
    other: str
    chance: float


def _doubts(chances: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the least likely label each document has, the likeliest it has not, and how likely both are."""
    has = targets > 0
    own = np.where(has, chances, np.inf).argmin(axis=1)
    other = np.where(has, -np.inf, chances).argmax(axis=1)
    places = np.arange(len(chances))
    # A document that has every label has no other.
    return own, other, chances[places, own], np.where(has[places, other], -np.inf, chances[places, other])


def find_suspects(
    answers: ActiveLearner | Answers,
    *,
    least_chance: float = _LEAST_CHANCE,
    held_back: np.ndarray | None = None,
    random_state: int = 0,
    progress: Progress = ignore,
) -> list[Suspect]:
    """Return labels that the others contradict, the most doubtful first.

    A label that no other document has cannot be guessed from others, and is never doubted.

    Parameters
    ----------
    answers : ActiveLearner or Answers
    least_chance : float
        The least `chance` of a suspect. Another label is likelier in any case.
    held_back : array of shape (n_labelled, n_labels), optional
        What `Answers.guess_each` makes of labelled documents, if that is known already.
    random_state : int
        Seed of the parts that are held back at a time.
    progress : callable
        Told ``("folds", done, total)``.

    Returns
    -------
    list of Suspect
        Of equal chances, the first row first. Empty with fewer than three answers or two labels.

    Examples
    --------
    >>> from wayword.active import ActiveLearner
    >>> from wayword.active.suspects import find_suspects
    >>> learner = ActiveLearner([[4, 2, 0, 0], [3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 3, 3], [0, 0, 2, 4], [0, 0, 1, 1]])
    >>> for row, label in enumerate(["fruit", "fruit", "fruit", "sea", "fruit", "sea"]):
    ...     learner.label(row, label)
    >>> [(suspect.row, suspect.label, suspect.other) for suspect in find_suspects(learner, least_chance=0.5)]
    [(4, 'fruit', 'sea')]
    """
    check_number("least_chance", least_chance, most=1.0)
    ids = answers.ids_ if isinstance(answers, ActiveLearner) else None
    answers = read_answers(answers)
    rows, targets, names = answers.rows, answers.targets, answers.labels
    if len(rows) < 3 or len(names) < 2:
        return []
    if held_back is None:
        held_back = answers.guess_each(random_state=random_state, progress=progress)
    check_held_back(answers, held_back)
    own, other, one, two = _doubts(held_back, targets)
    doubtful = (1.0 - one >= least_chance) & (two > one) & ((targets > 0).sum(axis=0)[own] > 1)
    return [
        Suspect(
            int(rows[k]) if ids is None else ids[rows[k]],
            int(rows[k]),
            names[own[k]],
            names[other[k]],
            float(1.0 - one[k]),
        )
        for k in np.lexsort((rows, one))
        if doubtful[k]
    ]
