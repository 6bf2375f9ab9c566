"""Slow, obvious twins of the inference kernels, straight from the equations of the fourth seed, section 2.2.

x holds the counts of one document, topics the probabilities of terms (topics by terms), alpha the Dirichlet
distribution of the proportions. Tiny documents are solved exactly, by all ways to give their tokens topics.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.special import digamma, gammaln

_WORD = 2**64
_STEP = 0x9E3779B97F4A7C15


def mix(x: np.ndarray, topics: np.ndarray, pseudo_counts: np.ndarray, n_steps: int) -> np.ndarray:
    """Expectation and maximisation from even proportions, one token after the other."""
    theta = np.full(len(topics), 1 / len(topics))
    for _ in range(n_steps):
        counts = pseudo_counts.astype(float)
        for term in tokens_of(x):
            responsibility = theta * topics[:, term]
            counts = counts + responsibility / responsibility.sum()
        theta = counts / counts.sum()
    return theta


def log_likelihood(x: np.ndarray, topics: np.ndarray, theta: np.ndarray) -> float:
    """Log probability of the tokens for given proportions."""
    return float(sum(np.log(theta @ topics[:, term]) for term in tokens_of(x)))


def tokens_of(x: np.ndarray) -> list[int]:
    """The term of every token."""
    return np.repeat(np.arange(len(x)), x.astype(int)).tolist()


def _responsibilities(terms: list[int], topics: np.ndarray, gamma: np.ndarray) -> np.ndarray:
    """Equation 2.20 for fixed topics: phi, a row for each token."""
    phi = topics[:, terms].T * np.exp(digamma(gamma))
    return phi / phi.sum(axis=1, keepdims=True)


def concentrate(x: np.ndarray, topics: np.ndarray, alpha: np.ndarray, n_steps: int) -> np.ndarray:
    """Equations 2.20 and 2.21 in turn: gamma."""
    terms = tokens_of(x)
    gamma = alpha + len(terms) / len(topics)
    for _ in range(n_steps):
        gamma = alpha + _responsibilities(terms, topics, gamma).sum(axis=0)
    return gamma


def bound(x: np.ndarray, topics: np.ndarray, alpha: np.ndarray, gamma: np.ndarray) -> float:
    """The evidence lower bound, expectation by expectation, with phi at its best for gamma."""
    terms = tokens_of(x)
    phi = _responsibilities(terms, topics, gamma)
    logs = digamma(gamma) - digamma(gamma.sum())
    of_theta = gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ logs
    of_topics = (phi * logs).sum()
    used = phi > 0
    of_terms = (phi[used] * np.log(topics[:, terms].T[used])).sum()
    entropy_of_theta = -(gammaln(gamma.sum()) - gammaln(gamma).sum() + (gamma - 1) @ logs)
    entropy_of_topics = -(phi[used] * np.log(phi[used])).sum()
    return float(of_theta + of_topics + of_terms + entropy_of_theta + entropy_of_topics)


def _assignments(x: np.ndarray, topics: np.ndarray, alpha: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the probability of the tokens with each way to give them topics, and how many each topic has."""
    terms = tokens_of(x)
    for chosen in product(range(len(topics)), repeat=len(terms)):
        counts = np.bincount(np.array(chosen, dtype=int), minlength=len(topics))
        of_topics = gammaln(alpha.sum()) - gammaln(alpha.sum() + len(terms))
        of_topics += (gammaln(alpha + counts) - gammaln(alpha)).sum()  # equation 2.11
        yield float(np.exp(of_topics) * np.prod(topics[list(chosen), terms])), counts


def exact_log_likelihood(x: np.ndarray, topics: np.ndarray, alpha: np.ndarray) -> float:
    """Log probability of the tokens, summed over all ways to give them topics."""
    return float(np.log(sum(chance for chance, _ in _assignments(x, topics, alpha))))


def exact_mean(x: np.ndarray, topics: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Mean of the posterior of the proportions."""
    chances, counts = zip(*_assignments(x, topics, alpha), strict=True)
    mean = np.average(np.array(counts), axis=0, weights=np.array(chances)) + alpha
    return mean / mean.sum()


def _scramble(number: int) -> int:
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) % _WORD
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) % _WORD
    return number ^ (number >> 31)


def uniforms(seed: int, document: int) -> Iterator[float]:
    """The random numbers of a document: splitmix64."""
    state = _scramble((_scramble((seed + _STEP) % _WORD) + document) % _WORD)
    while True:
        state = (state + _STEP) % _WORD
        yield (_scramble(state) >> 11) / 2**53


def _draw(chances: np.ndarray, random: Iterator[float]) -> int:
    """One of some topics."""
    sums = np.cumsum(chances)
    return int(np.searchsorted(sums, next(random) * sums[-1], side="right"))


def _count(chosen: list[int], n_topics: int) -> np.ndarray:
    return np.bincount(np.array(chosen, dtype=int), minlength=n_topics).astype(float)


def _sweep(terms: list[int], chosen: list[int], topics: np.ndarray, alpha: np.ndarray, random: Iterator[float]) -> None:
    """Draw every topic anew given all others: equation 2.13 for fixed topics."""
    for position in range(len(chosen)):
        others = _count(chosen[:position] + chosen[position + 1 :], len(topics))
        chosen[position] = _draw(topics[:, terms[position]] * (others + alpha), random)


def sample(
    x: np.ndarray, topics: np.ndarray, alpha: np.ndarray, random: Iterator[float], sweeps: int, burn_in: int
) -> np.ndarray:
    """Mean of alpha plus the counts of topics in samples by collapsed Gibbs sampling."""
    terms, chosen = tokens_of(x), []
    for term in terms:
        chosen.append(_draw(topics[:, term] * (_count(chosen, len(topics)) + alpha), random))
    kept = []
    for sweep in range(sweeps):
        _sweep(terms, chosen, topics, alpha, random)
        if sweep >= burn_in:
            kept.append(_count(chosen, len(topics)))
    return alpha + np.mean(kept, axis=0)


def left_to_right(
    x: np.ndarray, topics: np.ndarray, alpha: np.ndarray, random: Iterator[float], n_particles: int
) -> float:
    """Wallach et al. 2009, algorithm 3, with particles chosen again after every token."""
    terms, total = tokens_of(x), 0.0
    particles: list[list[int]] = [[] for _ in range(n_particles)]
    for position, term in enumerate(terms):
        expected = []
        for chosen in particles:
            _sweep(terms, chosen, topics, alpha, random)
            # Added in order: numpy adds pairs first, and the last bit may decide which particle goes on.
            expected.append(np.cumsum(topics[:, term] * (_count(chosen, len(topics)) + alpha))[-1])
        total += np.log(np.mean(expected) / (position + alpha.sum()))
        particles = _choose_particles(particles, np.cumsum(expected), next(random))
        for chosen in particles:
            chosen.append(_draw(topics[:, term] * (_count(chosen, len(topics)) + alpha), random))
    return float(total)


def _choose_particles(particles: list[list[int]], sums: np.ndarray, offset: float) -> list[list[int]]:
    """Particles under evenly spaced points on the line of their chances; those chosen stay where they are."""
    n_particles = len(particles)
    up_to = np.clip(np.ceil(n_particles * sums / sums[-1] - offset), 0, n_particles).astype(int)
    up_to[-1] = n_particles
    copies = np.diff(up_to, prepend=0)
    spare = [particle for particle in range(n_particles) for _ in range(copies[particle] - 1)]
    return [list(particles[place if copies[place] else spare.pop(0)]) for place in range(n_particles)]
