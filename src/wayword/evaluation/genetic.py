"""A genetic algorithm that matches labels and topics, after section 7.3.2 of the first seed.

An individual is a permutation of the topics: gene `k` is the topic of label `k`. Its fitness is a sum over labels of
what each gains by its topic, so populations are matrices of individuals by genes and every step is one of arrays:

1. start with individuals that are made greedily;
2. select pairs of parents by the rank of their fitness, cross them, and shift a gene of some children;
3. put the best of the last generation in the place of a random child, and go on with 2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Callback = Callable[[int, float], bool | None]


def measure_fitness(gains: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Return the sum of gains of each individual."""
    return gains[np.arange(len(gains)), population].sum(axis=1)


def make_greedily(gains: np.ndarray, size: int, rng: np.random.RandomState) -> np.ndarray:
    """Return individuals whose labels, one after the other in random order, took the best topic that was free.

    Labels that gain nothing by any topic come last, so that they do not take one from those that do.
    """
    n_topics = len(gains)
    population = np.empty((size, n_topics), dtype=np.intp)
    taken = np.zeros((size, n_topics), dtype=bool)
    everyone = np.arange(size)
    visits = np.argsort(rng.random_sample((size, n_topics)) + ~gains.any(axis=1), axis=1)
    for genes in visits.T:
        best = np.where(taken, -np.inf, gains[genes]).argmax(axis=1)
        population[everyone, genes] = best
        taken[everyone, best] = True
    return population


def select_parents(fitness: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Return as many pairs of parents as there are individuals, the fitter the likelier (equation 7.2)."""
    size = len(fitness)
    chances = 2.0 * np.arange(1, size + 1) / (size * (size + 1))
    return np.argsort(fitness, kind="stable")[rng.choice(size, size=(size, 2), p=chances)]


def cross_at_two_points(first: np.ndarray, second: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return children that are like the first parent outside of `starts` to `ends`.

    The topics inside stand in the order in which they appear in the second parent.
    """
    n_topics = first.shape[1]
    places = np.arange(n_topics)
    inside = (places >= starts[:, None]) & (places < ends[:, None])
    # Where the second parent has each topic of the first; those outside are sorted behind all others.
    in_second = np.take_along_axis(np.argsort(second, axis=1), first, axis=1)
    order = np.argsort(np.where(inside, in_second, n_topics + places), axis=1)
    moved = np.take_along_axis(first, order, axis=1)
    return np.where(inside, np.take_along_axis(moved, np.maximum(places - starts[:, None], 0), axis=1), first)


def shift_genes(population: np.ndarray, origins: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return individuals whose topic at one place was put at another, those between moved up by one."""
    places = np.arange(population.shape[1])
    origins, targets = origins[:, None], targets[:, None]
    sources = places + ((places >= origins) & (places < targets)) - ((places > targets) & (places <= origins))
    return np.take_along_axis(population, np.where(places == targets, origins, sources), axis=1)


def _draw_pairs(size: int, below: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Return two different whole numbers for each individual."""
    first, second = rng.randint(below, size=size), rng.randint(below - 1, size=size)
    return first, second + (second >= first)


def _cross(parents: tuple[np.ndarray, np.ndarray], chance: float, rng: np.random.RandomState) -> np.ndarray:
    """Return children of pairs of parents; without a crossover, the first parent."""
    size, n_topics = parents[0].shape
    points = _draw_pairs(size, n_topics + 1, rng)
    starts, ends = np.minimum(*points), np.maximum(*points)
    return cross_at_two_points(*parents, starts, np.where(rng.random_sample(size) < chance, ends, starts))


def _mutate(population: np.ndarray, chance: float, rng: np.random.RandomState) -> np.ndarray:
    """Return individuals of which some had a gene shifted."""
    size, n_topics = population.shape
    if n_topics < 2:
        return population
    origins, targets = _draw_pairs(size, n_topics, rng)
    return shift_genes(population, origins, np.where(rng.random_sample(size) < chance, targets, origins))


def evolve(
    gains: np.ndarray,
    *,
    population: int,
    generations: int,
    crossover: float,
    mutation: float,
    rng: np.random.RandomState,
    callback: Callback | None = None,
) -> np.ndarray:
    """Return the fittest permutation that the last generation has.

    Parameters
    ----------
    gains : array of shape (n_topics, n_topics)
        What each label (row) gains by each topic.
    population, generations : int
        How many individuals, and how often they are replaced.
    crossover, mutation : float
        Chances that a pair is crossed, and that a child has a gene shifted.
    rng : RandomState
        Where chance comes from.
    callback : callable, optional
        Called with the generation and the highest fitness; returns True to stop.
    """
    individuals = make_greedily(gains, population, rng)
    fitness = measure_fitness(gains, individuals)
    for generation in range(1, generations + 1):
        best = individuals[fitness.argmax()]
        pairs = select_parents(fitness, rng)
        children = _cross((individuals[pairs[:, 0]], individuals[pairs[:, 1]]), crossover, rng)
        individuals = _mutate(children, mutation, rng)
        individuals[rng.randint(population)] = best
        fitness = measure_fitness(gains, individuals)
        if callback is not None and callback(generation, float(fitness.max())):
            break
    return individuals[fitness.argmax()]
