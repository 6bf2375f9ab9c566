"""Slow, obvious twins of trees: threshold graphs as section 3.1 of the seed has them, triplets and purity by counting."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def cosine(first, second):
    """The cosine of two topics; 0 if one of them has no weights."""
    lengths = np.sqrt(sum(x * x for x in first)) * np.sqrt(sum(x * x for x in second))
    return sum(x * y for x, y in zip(first, second, strict=True)) / lengths if lengths > 0 else 0.0


def similarities(topics):
    """The adjacency matrix A of the seed; equal on paper is equal here."""
    return np.array([[round(cosine(first, second), 12) for second in topics] for first in topics])


def components(A, threshold):
    """The connected components of the graph with an edge where A is above the threshold, by walking it."""
    left, found = set(range(len(A))), []
    while left:
        reached, waiting = set(), [min(left)]
        while waiting:
            vertex = waiting.pop()
            reached.add(vertex)
            waiting += [other for other in left - reached if A[vertex][other] > threshold]
        left -= reached
        found.append(frozenset(reached))
    return found


def threshold_tree(A):
    """Every component of two topics or more, with the threshold that breaks it.

    Thresholds rise from below all similarities, where everything is connected, through every similarity there is.
    """
    n_topics = len(A)
    held_together = {}
    alive = [frozenset(range(n_topics))]
    for threshold in sorted({A[i][j] for i, j in combinations(range(n_topics), 2)}):
        parts = components(A, threshold)
        for component in alive:
            if component not in parts:
                held_together[component] = threshold
        alive = [part for part in parts if len(part) > 1]
    return held_together


def clades(tree):
    """The topics of every node of two topics or more, by walking down from the root."""

    def below(node):
        return (
            frozenset([node.id]) if not node.children else frozenset().union(*(below(nodes[c]) for c in node.children))
        )

    nodes = tree.nodes
    return [below(node) for node in nodes if node.children]


def closest(groups, triplet):
    """The two of three topics that some group holds without the third, or None."""
    for pair in combinations(triplet, 2):
        (third,) = set(triplet) - set(pair)
        if any(set(pair) <= group and third not in group for group in groups):
            return pair
    return None


def triplet_agreement(tree, truth):
    """The share of triplets that the truth decides of which the tree says the same."""
    found, known = clades(tree), clades(truth)
    answers = [(closest(found, triplet), closest(known, triplet)) for triplet in combinations(range(truth.n_topics), 3)]
    decided = [said == right for said, right in answers if right is not None]
    return sum(decided) / len(decided) if decided else float("nan")


def dendrogram_purity(tree, classes):
    """The mean purity of the smallest group around two topics that hold the same class; classes are topics by classes."""
    n_topics, n_classes = classes.shape
    total = weight = 0.0
    for i in range(n_topics):
        for j in range(n_topics):
            if i == j:
                continue
            group = sorted(min((clade for clade in clades(tree) if {i, j} <= clade), key=len))
            for c in range(n_classes):
                chance = classes[i, c] * classes[j, c]
                held = classes[group].sum()
                total += chance * (classes[group, c].sum() / held if held > 0 else 0.0)
                weight += chance
    return total / weight if weight > 0 else float("nan")


def parse_newick(text):
    """Names and lengths as nested tuples (name, length, children); every name is quoted."""

    def read(place):
        children = []
        if text[place] == "(":
            place += 1
            while True:
                child, place = read(place)
                children.append(child)
                place += 1
                if text[place - 1] == ")":
                    break
        name, place = read_name(place + 1)
        length, start = None, place + 1
        if text[place] == ":":
            place += 1
            while text[place] not in ",);":
                place += 1
            length = float(text[start:place])
        return (name, length, children), place

    def read_name(place):
        name = ""
        while text[place] != "'" or text[place + 1] == "'":
            place += 1 if text[place] != "'" else 2
            name += text[place - 1]
        return name, place + 1

    tree, end = read(0)
    assert text[end:] == ";"
    return tree
