"""Topic proportions and likelihoods of documents, for topics that stay as they are.

Each kernel works on a range of rows of a sparse matrix of counts, with `other` the topics (terms by topics, every
topic summing to one). A document draws its proportions theta from a Dirichlet distribution alpha, a topic for each of
its tokens from theta, and the token from that topic. Entries must not be of terms that no topic has.

- `mix_rows`: the proportions that make the tokens most likely, by expectation and maximisation.
- `concentrate_rows`, `bound_rows`: variational Bayes. The posterior of theta is taken for a Dirichlet distribution
  gamma; the bound lies below the log likelihood (Blei, Ng and Jordan 2003).
- `sample_rows`: topics of tokens by collapsed Gibbs sampling, theta integrated out.
- `left_to_right_rows`: the likelihood, token after token, by particles (Wallach et al. 2009).

Every document has random numbers of its own, so samples depend neither on pieces nor on threads.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_FAST = {"reassoc", "contract", "nsz", "arcp"}
# From here on, the series of digamma is exact to the last bits.
_LARGE = 10.0
# The least weight of a topic beside that of the largest: a token that only this topic can produce stays possible.
_LEAST = 1e-200
# The constants of splitmix64 (Steele, Lea and Flood 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR, _SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_FIRST_SHIFT, _SECOND_SHIFT, _THIRD_SHIFT = np.uint64(30), np.uint64(27), np.uint64(31)
# A float has room for 53 bits.
_SPARE_BITS, _UNIT = np.uint64(11), 2.0**-53


@njit(nogil=True, cache=True)
def digamma(x):
    """Return the slope of the logarithm of the gamma function at x > 0."""
    below = 0.0
    while x < _LARGE:
        below += 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 132 - y * (691 / 32760))
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - series))))
    return math.log(x) - 0.5 / x - series - below


@njit(nogil=True, cache=True, forceinline=True, fastmath=_FAST)
def _share_out(x, terms, other, weights, shares):
    """Write what each topic gets of a row if every entry is divided in proportion to weights times `other`."""
    shares[:] = 0.0
    for t in range(x.shape[0]):
        row = other[terms[t]]
        mixed = 0.0
        for topic in range(weights.shape[0]):
            mixed += weights[topic] * row[topic]
        share = x[t] / mixed
        for topic in range(weights.shape[0]):
            shares[topic] += share * row[topic]
    for topic in range(weights.shape[0]):
        shares[topic] *= weights[topic]


@njit(nogil=True, cache=True)
def _replace(numbers, better):
    """Write better numbers. Return how far they moved in sum, as a share of their sum."""
    moved = 0.0
    total = 0.0
    for topic in range(numbers.shape[0]):
        moved += abs(better[topic] - numbers[topic])
        total += better[topic]
        numbers[topic] = better[topic]
    return moved / total


@njit(nogil=True, cache=True)
def mix_rows(first, last, indptr, indices, data, other, pseudo_counts, max_iter, tol, mixtures):
    """Write the proportions under which rows `first` to `last` are most likely, by expectation and maximisation.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows.
    other : float64 array of shape (n_terms, n_topics)
        The topics.
    pseudo_counts : float64 array of shape (n_topics,)
        What each topic has beside its share of the row; zero for maximum likelihood.
    max_iter, tol
        Most steps, and the sum of moves at which the proportions have settled.
    mixtures : float64 array of shape (n_rows, n_topics)
        Written but for rows without entries; proportions sum to one.
    """
    n_topics = other.shape[1]
    shares = np.empty(n_topics)
    for row in range(first, last):
        start, end = indptr[row], indptr[row + 1]
        if start == end:
            continue
        mixtures[row] = 1.0 / n_topics
        for _ in range(max_iter):
            _share_out(data[start:end], indices[start:end], other, mixtures[row], shares)
            shares += pseudo_counts
            shares /= shares.sum()
            if _replace(mixtures[row], shares) <= tol:
                break


@njit(nogil=True, cache=True)
def _expect_logs(concentration, logs, weights):
    """Write the expected logarithms of proportions, and their exponentials over the largest. Return the largest."""
    of_sum = digamma(concentration.sum())
    for topic in range(concentration.shape[0]):
        logs[topic] = digamma(concentration[topic]) - of_sum
    largest = logs.max()
    for topic in range(concentration.shape[0]):
        weights[topic] = max(math.exp(logs[topic] - largest), _LEAST)
    return largest


@njit(nogil=True, cache=True)
def concentrate_rows(first, last, indptr, indices, data, other, alpha, max_iter, tol, concentrations):
    """Write gamma, the variational Dirichlet distribution of the proportions of rows `first` to `last`.

    Parameters
    ----------
    indptr, indices, data, other
        As for `mix_rows`.
    alpha : float64 array of shape (n_topics,)
        The Dirichlet distribution that proportions are drawn from.
    max_iter, tol
        Most steps, and the sum of moves, as a share of the sum of gamma, at which it has settled.
    concentrations : float64 array of shape (n_rows, n_topics)
        Written; alpha for rows without entries.
    """
    n_topics = other.shape[1]
    shares, logs, weights = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    for row in range(first, last):
        start, end = indptr[row], indptr[row + 1]
        x, terms = data[start:end], indices[start:end]
        concentrations[row] = alpha + x.sum() / n_topics
        for _ in range(max_iter):
            _expect_logs(concentrations[row], logs, weights)
            _share_out(x, terms, other, weights, shares)
            shares += alpha
            if _replace(concentrations[row], shares) <= tol:
                break


@njit(nogil=True, cache=True)
def _log_normaliser(concentration):
    """Return the logarithm of the integral that a Dirichlet distribution is divided by."""
    total = -math.lgamma(concentration.sum())
    for topic in range(concentration.shape[0]):
        total += math.lgamma(concentration[topic])
    return total


@njit(nogil=True, cache=True)
def bound_rows(first, last, indptr, indices, data, other, alpha, concentrations, bounds):
    """Write the variational lower bounds of the log likelihoods of rows `first` to `last`.

    The topics of tokens are at their best for gamma, so this is a bound for any gamma, and steps of gamma raise it.

    Parameters
    ----------
    indptr, indices, data, other, alpha
        As for `concentrate_rows`.
    concentrations : float64 array of shape (n_rows, n_topics)
        Gamma.
    bounds : float64 array of shape (n_rows,)
        Written.
    """
    n_topics = other.shape[1]
    logs, weights = np.empty(n_topics), np.empty(n_topics)
    of_alpha = _log_normaliser(alpha)
    for row in range(first, last):
        concentration = concentrations[row]
        largest = _expect_logs(concentration, logs, weights)
        bound = _log_normaliser(concentration) - of_alpha
        for topic in range(n_topics):
            bound += (alpha[topic] - concentration[topic]) * logs[topic]
        for place in range(indptr[row], indptr[row + 1]):
            column = other[indices[place]]
            mixed = 0.0
            for topic in range(n_topics):
                mixed += weights[topic] * column[topic]
            bound += data[place] * (math.log(mixed) + largest)
        bounds[row] = bound


@njit(nogil=True, cache=True)
def _scramble(number):
    """Return a number that looks unrelated, another one for each."""
    number = (number ^ (number >> _FIRST_SHIFT)) * _FIRST_FACTOR
    number = (number ^ (number >> _SECOND_SHIFT)) * _SECOND_FACTOR
    return number ^ (number >> _THIRD_SHIFT)


@njit(nogil=True, cache=True)
def _start_random(state, seed, row):
    """Begin the random numbers of a row. Scrambled twice, so that those of two rows do not run behind each other."""
    state[0] = _scramble(_scramble(seed + _STEP) + np.uint64(row))


@njit(nogil=True, cache=True)
def _draw_uniform(state):
    """Return a random number of at least 0 and below 1."""
    state[0] += _STEP
    return np.float64(_scramble(state[0]) >> _SPARE_BITS) * _UNIT


@njit(nogil=True, cache=True)
def _draw_topic(chances, counts, alpha, sums, state):
    """Return a random topic of a token, given the counts of topics of the other tokens (equation 2.13)."""
    total = 0.0
    for topic in range(counts.shape[0]):
        total += chances[topic] * (counts[topic] + alpha[topic])
        sums[topic] = total
    target = total * _draw_uniform(state)
    topic = 0
    while topic < counts.shape[0] - 1 and target >= sums[topic]:
        topic += 1
    return topic


@njit(nogil=True, cache=True)
def _draw_again(terms, topics, n_tokens, other, alpha, counts, sums, state):
    """Draw the topic of each of the first tokens anew, one after the other."""
    for position in range(n_tokens):
        counts[topics[position]] -= 1.0
        topics[position] = _draw_topic(other[terms[position]], counts, alpha, sums, state)
        counts[topics[position]] += 1.0


@njit(nogil=True, cache=True)
def _most_tokens(indptr, data, first, last):
    most = 0.0
    for row in range(first, last):
        most = max(most, data[indptr[row] : indptr[row + 1]].sum())
    return int(most)


@njit(nogil=True, cache=True)
def _list_tokens(indices, data, start, end, terms):
    """Write the term of every token of a row. Return how many there are."""
    n_tokens = 0
    for place in range(start, end):
        for _ in range(int(data[place])):
            terms[n_tokens] = indices[place]
            n_tokens += 1
    return n_tokens


@njit(nogil=True, cache=True)
def sample_rows(first, last, indptr, indices, data, other, alpha, seed, sweeps, burn_in, concentrations):
    """Write the mean of alpha plus the counts of topics in samples of rows `first` to `last`.

    Divided by its sum, that is the mean of theta (equation 2.15). Topics of tokens start as drawn one after the other
    from the first to the last; a sweep draws each of them anew, given all others.

    Parameters
    ----------
    indptr, indices, data : arrays
        X in compressed rows; whole numbers.
    other, alpha
        As for `concentrate_rows`.
    seed : uint64
        Random numbers follow from it and the number of the row.
    sweeps, burn_in : int
        Sweeps in all, and how many at the beginning do not count.
    concentrations : float64 array of shape (n_rows, n_topics)
        Written; alpha for rows without entries.
    """
    n_topics, longest = other.shape[1], _most_tokens(indptr, data, first, last)
    terms, topics = np.empty(longest, np.int64), np.empty(longest, np.int64)
    counts, total, sums = np.empty(n_topics), np.empty(n_topics), np.empty(n_topics)
    state = np.empty(1, np.uint64)
    for row in range(first, last):
        _start_random(state, seed, row)
        n_tokens = _list_tokens(indices, data, indptr[row], indptr[row + 1], terms)
        counts[:] = 0.0
        total[:] = 0.0
        for position in range(n_tokens):
            topics[position] = _draw_topic(other[terms[position]], counts, alpha, sums, state)
            counts[topics[position]] += 1.0
        for sweep in range(sweeps):
            _draw_again(terms, topics, n_tokens, other, alpha, counts, sums, state)
            if sweep >= burn_in:
                total += counts
        concentrations[row] = alpha + total / (sweeps - burn_in)


@njit(nogil=True, cache=True)
def _expect_token(chances, counts, alpha):
    """Return how likely a particle finds a token, but for the divisor that all particles share."""
    total = 0.0
    for topic in range(counts.shape[0]):
        total += chances[topic] * (counts[topic] + alpha[topic])
    return total


@njit(nogil=True, cache=True)
def _count_copies(expected, total, offset, copies):
    """Write how many times each particle goes on, on average in proportion to how likely it found the token.

    Evenly spaced points from a random offset (systematic resampling): particles that all found it equally likely go
    on once each.
    """
    n_particles = expected.shape[0]
    reached = 0.0
    before = 0
    for particle in range(n_particles):
        reached += expected[particle]
        points = math.ceil(n_particles * reached / total - offset)
        up_to = n_particles if particle == n_particles - 1 else min(max(points, 0), n_particles)
        copies[particle] = up_to - before
        before = up_to


@njit(nogil=True, cache=True)
def _copy_particles(copies, topics, n_tokens, counts):
    """Put copies of particles that go on more than once in the places of those that do not go on."""
    source = 0
    for particle in range(copies.shape[0]):
        if copies[particle] > 0:
            continue
        while copies[source] < 2:
            source += 1
        topics[particle, :n_tokens] = topics[source, :n_tokens]
        counts[particle] = counts[source]
        copies[source] -= 1
        copies[particle] = 1


@njit(nogil=True, cache=True)
def _read_token(terms, position, other, alpha, topics, counts, expected, copies, sums, state):
    """Let all particles read the next token. Return how likely they found it, but for its divisor."""
    chances = other[terms[position]]
    total = 0.0
    for particle in range(expected.shape[0]):
        _draw_again(terms, topics[particle], position, other, alpha, counts[particle], sums, state)
        expected[particle] = _expect_token(chances, counts[particle], alpha)
        total += expected[particle]
    _count_copies(expected, total, _draw_uniform(state), copies)
    _copy_particles(copies, topics, position, counts)
    for particle in range(expected.shape[0]):
        topics[particle, position] = _draw_topic(chances, counts[particle], alpha, sums, state)
        counts[particle, topics[particle, position]] += 1.0
    return total / expected.shape[0]


@njit(nogil=True, cache=True)
def left_to_right_rows(first, last, indptr, indices, data, other, alpha, seed, n_particles, log_likelihoods):
    """Write estimates of the log likelihoods of rows `first` to `last`, token after token.

    A particle is a sample of the topics of the tokens so far. Before each token it draws all of them anew; the
    likelihood of the token is the mean over particles. Particles then go on in proportion to how likely they found
    it: without that the estimate would stay off however many there are, with it the likelihood (not its logarithm)
    is right on average for any number of them. Time grows with the square of the tokens of a row.

    Parameters
    ----------
    indptr, indices, data, other, alpha, seed
        As for `sample_rows`.
    n_particles : int
        How many particles.
    log_likelihoods : float64 array of shape (n_rows,)
        Written; of the tokens in one given order, so without the multinomial coefficient.
    """
    n_topics, longest = other.shape[1], _most_tokens(indptr, data, first, last)
    terms, topics = np.empty(longest, np.int64), np.empty((n_particles, longest), np.int64)
    counts, sums = np.empty((n_particles, n_topics)), np.empty(n_topics)
    expected, copies = np.empty(n_particles), np.empty(n_particles, np.int64)
    state, alpha_sum = np.empty(1, np.uint64), alpha.sum()
    for row in range(first, last):
        _start_random(state, seed, row)
        n_tokens = _list_tokens(indices, data, indptr[row], indptr[row + 1], terms)
        counts[:] = 0.0
        log_likelihood = 0.0
        for position in range(n_tokens):
            rest = (topics, counts, expected, copies, sums, state)
            mean = _read_token(terms, position, other, alpha, *rest)
            log_likelihood += math.log(mean / (position + alpha_sum))
        log_likelihoods[row] = log_likelihood
