"""How good the guesses are by now, and what more answers would bring.

Answers that were asked for are no random sample: questions are about the hardest documents, and guesses of these from
all others are right far less often than those of the pool. What is asked instead: how often are guesses right that are
so and so sure? That is learnt from labelled documents, each guessed from the others, in two ways: all guesses are less
sure than they look, by the same amount; or the surer they look, the less they are. The first is a little too hopeful
where labels are hard to tell from words, the second too gloomy where questions were well chosen. The estimate lies
between, and its interval is wide enough for both. Either way is then applied to the guesses of documents without
labels.

More answers lower the error as a power of their number. The power follows from how much worse guesses from random
halves of the answers are, shrunk: answers that were asked for help each other, and halves lose more than the next ones
add. The numbers below were chosen on runs with training documents of eight corpora.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from wayword.active.guesses import Answers
from wayword.active.learner import ActiveLearner
from wayword.errors import InputError
from wayword.models.inputs import check_whole
from wayword.progress import Progress, ignore

# Fewer answers say nothing.
LEAST_LABELLED = 10
# Documents without labels that are looked at.
_MOST_SAMPLED = 2000
_NEVER_SURE = 1e-4
# How firmly confidence is trusted before there is evidence, in answers; how much the first way counts.
_PRIOR, _FIRST_WAY = 1.0, 0.75
# What neither way sees, in logits.
_UNSEEN = 0.3
# The power by which errors fall: this, and this much of what halves say; and how far off that may be.
_POWER, _POWER_OF_HALVES, _POWER_SPREAD = 0.1, 0.4, 0.2
_HALVES, _CURVE_DRAWS, _SAMPLES = 4, 3, 2000
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class Gain:
    """How often guesses are right, and what more answers would add to that.

    Attributes
    ----------
    n_labelled, n_more : int
        How many documents have labels, and of how many more the gain is.
    accuracy, low, high : float
        The share of documents without labels whose likeliest label is right, and its 95 % interval; NaN where there is
        too little to say.
    gain, gain_low, gain_high : float
        What `n_more` answers would add to it, and its 95 % interval.
    advice : str
        The same in words.
    """

    n_labelled: int
    n_more: int
    accuracy: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float
    advice: str


def _logits(chances: np.ndarray) -> np.ndarray:
    return logit(np.clip(chances, _NEVER_SURE, 1.0 - _NEVER_SURE))


def _fit_trust(sure: np.ndarray, right: np.ndarray, *, slope: bool) -> tuple[np.ndarray, float]:
    """Return how the logit of being right follows from that of being sure (constant, slope), and its spread."""
    prior = np.array([0.0, 1.0])
    cost = np.array([_PRIOR, _PRIOR if slope else 1e9])
    seen = np.column_stack([np.ones(len(sure)), sure])
    found, bend = prior.copy(), np.diag(cost)
    for _ in range(100):
        chance = expit(seen @ found)
        bend = (seen * (chance * (1.0 - chance))[:, None]).T @ seen + np.diag(cost)
        step = np.linalg.solve(bend, seen.T @ (chance - right) + cost * (found - prior))
        found = found - np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-9:
            break
    return found, float(1.0 / math.sqrt(bend[0, 0]))


@dataclass(frozen=True, slots=True)
class _Trust:
    """How far guesses can be trusted, in both ways."""

    first: np.ndarray
    second: np.ndarray
    spread: float

    def accuracies(self, top: np.ndarray) -> tuple[float, float]:
        """Return the share of right guesses by both ways, from the chance of each document's likeliest label."""
        sure = _logits(top)
        first, second = (float(expit(way[0] + way[1] * sure).mean()) for way in (self.first, self.second))
        return first, second

    def estimate(self, top: np.ndarray) -> tuple[float, float]:
        """Return the logit of the share of right guesses, and its spread."""
        first, second = (float(_logits(np.array(share))) for share in self.accuracies(top))
        middle = _FIRST_WAY * first + (1.0 - _FIRST_WAY) * second
        return middle, math.hypot(self.spread, 0.5 * (first - second), _UNSEEN)


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    """Answers, some documents without, and how far guesses can be trusted."""

    answers: Answers
    n_others: int
    sample: np.ndarray
    trust: _Trust

    def top_chances(self, held: np.ndarray) -> np.ndarray:
        """Return the chance of each sampled document's likeliest label when some answers are held back."""
        return self.answers.guess_without(held, self.sample).max(axis=1)

    def interval(self, top: np.ndarray) -> tuple[float, float, float]:
        """Return the share of right guesses, and its 95 % interval in whole documents."""
        middle, spread = self.trust.estimate(top)
        value, low, high = (float(expit(middle + side * _NORMAL_95 * spread)) for side in (0, -1, 1))
        return value, math.floor(low * self.n_others) / self.n_others, math.ceil(high * self.n_others) / self.n_others


def is_right(chances: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return whether the likeliest label of each document is one of its labels: shape (n_documents,), 0 or 1."""
    return (targets[np.arange(len(targets)), chances.argmax(axis=1)] > 0).astype(np.float64)


def read_answers(given: ActiveLearner | Answers) -> Answers:
    """Return answers, those of a learner if one was given."""
    return given.answers() if isinstance(given, ActiveLearner) else given


def check_held_back(answers: Answers, held_back: np.ndarray) -> np.ndarray:
    """Return what is guessed of labelled documents, if it has their shape."""
    if held_back.shape != answers.targets.shape:
        shape = answers.targets.shape
        raise InputError(f"held_back must be what guess_each of the answers gives, {shape}, got {held_back.shape}")
    return held_back


def _gather(answers: Answers, held_back: np.ndarray | None, random_state: int, progress: Progress) -> _Evidence | None:
    """Return what is known; None where that is too little."""
    if len(answers.rows) < LEAST_LABELLED or len(answers.labels) < 2:
        return None
    if held_back is None:
        held_back = answers.guess_each(random_state=random_state, progress=progress)
    check_held_back(answers, held_back)
    others = np.setdiff1d(np.arange(len(answers.guesser.space.features)), answers.rows)
    rng = np.random.default_rng(random_state)
    sample = np.sort(rng.choice(others, min(_MOST_SAMPLED, len(others)), replace=False))
    sure, right = _logits(held_back.max(axis=1)), is_right(held_back, answers.targets)
    first, spread = _fit_trust(sure, right, slope=False)
    second, _ = _fit_trust(sure, right, slope=True)
    return _Evidence(answers, len(others), sample, _Trust(first, second, spread))


def _hold_back(n_labelled: int, n_kept: int, rng: np.random.Generator) -> np.ndarray:
    held = np.ones(n_labelled, dtype=bool)
    held[rng.choice(n_labelled, n_kept, replace=False)] = False
    return held


def _error_power(evidence: _Evidence, top: np.ndarray, rng: np.random.Generator, progress: Progress) -> float:
    """Return the power of the number of answers by which errors fall."""
    n_labelled = len(evidence.answers.rows)
    halves = []
    for draw in range(_HALVES):
        progress("halves", draw, _HALVES)
        held = _hold_back(n_labelled, max(n_labelled // 2, 1), rng)
        halves.append(1.0 - evidence.trust.accuracies(evidence.top_chances(held))[1])
    whole = 1.0 - evidence.trust.accuracies(top)[1]
    steepness = math.log(max(float(np.mean(halves)), _NEVER_SURE) / max(whole, _NEVER_SURE)) / math.log(2.0)
    return max(0.0, _POWER + _POWER_OF_HALVES * steepness)


def _percent(share: float) -> str:
    """Return a share in percent: whole above 1, with one digit below."""
    value = 100.0 * share
    return f"{value:.0f}" if abs(value) >= 0.95 else f"{value:.1f}".replace("-0.0", "0").replace("0.0", "0")


def _points(share: float) -> str:
    """Return a change of a share in points of a hundred, with its sign."""
    said = _percent(share)
    return said if said == "0" or said.startswith("-") else f"+{said}"


def _advise(n_more: int, gain: float, low: float, high: float) -> str:
    labels = "1 more label" if n_more == 1 else f"{n_more} more labels"
    said = f"{labels} would bring about {_points(gain)} points (between {_points(low)} and {_points(high)})."
    return said + (" More will hardly help." if high < 0.01 else "")


def _say_nothing(n_labelled: int, n_labels: int, n_more: int) -> Gain:
    if n_labels < 2 <= n_labelled:
        advice = "Too early to say: all labelled documents have the same label; label one with another."
    else:
        missing = max(LEAST_LABELLED - n_labelled, 1)
        advice = f"Too early to say: label {missing} more document{'s' if missing > 1 else ''}, of two labels or more."
    unknown = math.nan
    return Gain(n_labelled, n_more, unknown, unknown, unknown, unknown, unknown, unknown, advice)


def estimate_gain(
    answers: ActiveLearner | Answers,
    n_more: int = 25,
    *,
    held_back: np.ndarray | None = None,
    random_state: int = 0,
    progress: Progress = ignore,
) -> Gain:
    """Return how often guesses are right by now, and what more answers would bring.

    Parameters
    ----------
    answers : ActiveLearner or Answers
        Ten or more, of two labels or more; of less nothing is said.
    n_more : int
        How many more answers; no more than there are documents without one.
    held_back : array of shape (n_labelled, n_labels), optional
        What `Answers.guess_each` makes of labelled documents, if that is known already.
    random_state : int
        Seed of what is drawn; the same seed gives the same estimate.
    progress : callable
        Told ``("folds", done, total)`` and ``("halves", done, total)``.

    Returns
    -------
    Gain
        A guess is right if the likeliest label is one of the document's labels.
    """
    check_whole("n_more", n_more)
    answers = read_answers(answers)
    n_labelled = len(answers.rows)
    evidence = _gather(answers, held_back, random_state, progress)
    if evidence is None:
        return _say_nothing(n_labelled, len(answers.labels), n_more)
    n_more = min(n_more, len(answers.guesser.space.features) - n_labelled)
    if not n_more:
        return Gain(n_labelled, 0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, "All documents have labels.")
    rng = np.random.default_rng(random_state)
    top = evidence.top_chances(np.zeros(n_labelled, dtype=bool))
    middle, spread = evidence.trust.estimate(top)
    power = _error_power(evidence, top, rng, progress)

    def gain_of(error: float | np.ndarray, power: float | np.ndarray) -> float | np.ndarray:
        return error * (1.0 - (n_labelled / (n_labelled + n_more)) ** power)

    drawn = rng.normal(size=(2, _SAMPLES))
    gains = gain_of(expit(-middle - spread * drawn[0]), power + _POWER_SPREAD * drawn[1])
    gain_low, gain_high = (float(value) for value in np.quantile(gains, (0.025, 0.975)))
    gain = float(gain_of(float(expit(-middle)), power))
    accuracy, low, high = evidence.interval(top)
    advice = _advise(n_more, gain, gain_low, gain_high)
    return Gain(n_labelled, n_more, accuracy, low, high, gain, gain_low, gain_high, advice)


def _curve_sizes(n_labelled: int) -> list[int]:
    """Return sizes of samples of answers: doubling up to all, and the middle of the last step."""
    sizes = [LEAST_LABELLED]
    while 2 * sizes[-1] < n_labelled:
        sizes.append(2 * sizes[-1])
    return sorted({*sizes, (sizes[-1] + n_labelled) // 2, n_labelled})


def learning_curve(
    answers: ActiveLearner | Answers,
    sizes: Sequence[int] | None = None,
    *,
    held_back: np.ndarray | None = None,
    random_state: int = 0,
    progress: Progress = ignore,
) -> list[tuple[int, float, float, float]]:
    """Return how often guesses would be right had only some of the answers been given, drawn at random.

    Parameters
    ----------
    answers : ActiveLearner or Answers
    sizes : sequence of int, optional
        Numbers of answers; by default doubling from ten up to all.
    held_back, random_state
        As for `estimate_gain`.
    progress : callable
        Told ``("folds", done, total)`` and ``("sizes", done, total)``.

    Returns
    -------
    list of (n_labels, accuracy, low, high)
        With 95 % intervals; empty where there is too little to say, or no document without labels.
    """
    evidence = _gather(read_answers(answers), held_back, random_state, progress)
    if evidence is None or not len(evidence.sample):
        return []
    n_labelled = len(evidence.answers.rows)
    sizes = _curve_sizes(n_labelled) if sizes is None else list(sizes)
    for size in sizes:
        check_whole("each of sizes", size)
        if size > n_labelled:
            raise InputError(f"sizes must be no more than the {n_labelled} documents that have labels, got {size}")
    rng = np.random.default_rng(random_state)
    points = []
    for done, size in enumerate(sizes):
        progress("sizes", done, len(sizes))
        draws = 1 if size == n_labelled else _CURVE_DRAWS
        top = [evidence.top_chances(_hold_back(n_labelled, size, rng)) for _ in range(draws)]
        points.append((size, *evidence.interval(np.concatenate(top))))
    progress("sizes", len(sizes), len(sizes))
    return points
