"""How useful the answer about a document would be."""

from __future__ import annotations

import numpy as np

from wayword.active.guesses import Spreading
from wayword.active.scores import margin

# With so many labelled documents for each label, the own doubt of a document counts for half.
_REACH_FIRST = 20.0
# Documents with many near neighbours are worth more, by this power in a large corpus, half as much in one of so many.
# In a small one they are near everything, and say little of anything.
_DENSITY, _LARGE = 0.25, 2_000


def measure_doubt(chances: np.ndarray, labelled: np.ndarray, *, multilabel: bool = False) -> np.ndarray:
    """Return how open documents are: 1 for a tie, 0 for labelled ones."""
    return np.where(labelled, 0.0, margin(chances, multilabel=multilabel))


def score_questions(spreading: Spreading, doubt: np.ndarray, n_labelled: int, n_labels: int) -> np.ndarray:
    """Return how useful an answer about each document would be: by the doubt that walks from it to others meet.

    To begin with, only that and how dense it is around a document counts, so that typical documents are asked about. The
    more labels there are, the more a document's own doubt counts too.

    Parameters
    ----------
    spreading : Spreading
        Knows which documents are near which.
    doubt : array of shape (n_documents,)
        How open documents are, from 0 to 1.
    n_labelled, n_labels : int
        How many documents have labels, and how many labels there are.
    """
    own = n_labelled / (n_labelled + _REACH_FIRST * n_labels)
    density = _DENSITY * len(doubt) / (len(doubt) + _LARGE)
    return doubt**own * spreading.gather(doubt) * spreading.degrees**density
