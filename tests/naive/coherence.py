"""Slow, obvious twins of the coherence and the diversity of topics, straight from their definitions."""

from __future__ import annotations

from itertools import combinations
from math import log, sqrt

EPSILON = 1e-12


def share_of_documents(X, *terms):
    """The share of documents that hold all of some terms."""
    return sum(all(row[term] > 0 for term in terms) for row in X) / len(X)


def npmi(topic, X, unseen=-1.0):
    """The mean over pairs; 1 for terms that are in every document."""
    scores = []
    for i, j in combinations(topic, 2):
        alone = share_of_documents(X, i) * share_of_documents(X, j)
        joint = share_of_documents(X, i, j)
        if joint == 0:
            scores.append(unseen)
        else:
            scores.append(1.0 if joint == 1 else log(joint / alone) / -log(joint))
    return sum(scores) / len(scores)


def umass(topic, X):
    """The mean over pairs of a term and one that ranks higher."""
    scores = []
    for rank in range(1, len(topic)):
        for higher in topic[:rank]:
            joint = sum(row[topic[rank]] > 0 and row[higher] > 0 for row in X)
            alone = sum(row[higher] > 0 for row in X)
            scores.append(log((joint + 1) / alone) if alone else log(1 / len(X)))
    return sum(scores) / len(scores)


def confirmation(i, j, X):
    """The normalised mutual information of two terms as C_V has it."""
    alone = share_of_documents(X, i) * share_of_documents(X, j)
    joint = share_of_documents(X, i, j)
    if alone == 0:
        return 0.0
    return 1.0 if joint == 1 else log((joint + EPSILON) / alone) / -log(joint + EPSILON)


def cosine(a, b):
    lengths = sqrt(sum(x * x for x in a)) * sqrt(sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def c_v(topic, X):
    """The mean cosine of each term's vector and the sum of all."""
    vectors = [[confirmation(i, j, X) for j in topic] for i in topic]
    whole = [sum(column) for column in zip(*vectors, strict=True)]
    return sum(cosine(vector, whole) for vector in vectors) / len(vectors)


def rank_biased_overlap(a, b, persistence, depth=2000):
    """The infinite sum, both lists going on as they agreed before: equation 30 of Webber, Moffat and Zobel.

    Beyond the end of the shorter list each further term of the longer one is met with the chance that was seen in the
    shorter; beyond the end of both, the agreement stays what it was.
    """
    short, long = sorted((a, b), key=len)
    if not short:
        return 0.0
    total, agreement = 0.0, 0.0
    within = len(set(short) & set(long[: len(short)])) / len(short)
    for d in range(1, depth + 1):
        shared = len(set(short[:d]) & set(long[:d]))
        if d <= len(short):
            agreement = shared / d
        elif d <= len(long):
            agreement = (shared + within * (d - len(short))) / d
        total += (1 - persistence) * persistence ** (d - 1) * agreement
    return total


def inverted_rbo(topics, persistence):
    overlaps = [rank_biased_overlap(a, b, persistence) for a, b in combinations(topics, 2)]
    return 1 - sum(overlaps) / len(overlaps)
