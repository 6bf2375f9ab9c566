"""Trees of any shape and names of any kind: shared by the tests of trees."""

import numpy as np

from wayword.hierarchy import TopicTree

HOSTILE = [
    "it's",
    "''",
    "(a,b)c:1;",
    "[comment]",
    "<script>alert('&amp;')</script>",
    'say "x"',
    "line\nbreak\ttab",
    "",
    " ",
    "_under score_",
    "\\u0041 \\",
    "日本語 ├── é",
    "{}",
    "\u2028\x00\x7f",
]


def draw_tree(seed, n_topics, measure="similarity", names=None):
    """Return a tree of any shape: nodes join at random, two or more, sometimes one alone, many at the same height."""
    rng = np.random.default_rng(seed)
    parents, open_nodes, n_nodes = [-1] * n_topics, list(range(n_topics)), n_topics
    heights = [1.0 if measure == "similarity" else 0.0] * n_topics
    height = heights[0]
    while len(open_nodes) > 1:
        chosen = rng.choice(open_nodes, size=rng.integers(2, min(len(open_nodes), 4) + 1), replace=False).tolist()
        if rng.random() < 0.2:
            chosen = chosen[:1]
        for node in chosen:
            parents[node] = n_nodes
        height += rng.choice([0.0, 0.01]) * (-1 if measure == "similarity" else 1)
        open_nodes = [node for node in open_nodes if node not in chosen] + [n_nodes]
        parents.append(-1)
        heights.append(height)
        n_nodes += 1
    vectors = rng.gamma(0.5, size=(n_nodes, 4)) * (rng.random((n_nodes, 4)) < 0.5)
    names = names or [f"node {node}" for node in range(n_nodes)]
    given_ = tuple(names[node % len(names)] for node in range(n_nodes))
    terms = tuple(HOSTILE[:4]) if rng.random() < 0.5 else None
    return TopicTree(np.array(parents), np.array(heights), vectors, rng.random(n_nodes), given_, measure, terms)
