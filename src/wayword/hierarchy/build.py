"""Build a tree of topics: by similarity, by splitting, or as a model has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wayword.errors import InputError
from wayword.hierarchy.linkage import Shape, contrast_topics, cosine_similarities, link_average, link_single, link_ward
from wayword.hierarchy.naming import ROOT, name_by_terms
from wayword.hierarchy.splitting import Branch, Plan, read_documents, split_topics
from wayword.hierarchy.tree import Measure, TopicTree, sum_upwards
from wayword.interpret.terms import DEFAULT_PURITY_RATIO
from wayword.models.deep import DeepSemiNMF
from wayword.models.inputs import check_choice, check_whole
from wayword.models.theme_scores import check_weights
from wayword.models.themes import ThemeNMF

Method = Literal["single", "average", "ward", "recursive", "deep", "themes"]
METHODS: tuple[Method, ...] = get_args(Method)
Similarity = Literal["cosine", "contrast"]
SIMILARITIES: tuple[Similarity, ...] = get_args(Similarity)


@dataclass(frozen=True, slots=True)
class Draft:
    """A tree before it has names.

    Attributes
    ----------
    parents, heights, vectors, weights, measure
        As of a `TopicTree`.
    topic_nodes : int array of shape (n_topics,)
        The node of each topic that was given.
    labels : dict of int to str
        Nodes whose name is known, whatever their terms.
    numbers : dict of int to str
        What to call nodes where no terms are known.
    """

    parents: np.ndarray
    heights: np.ndarray
    vectors: np.ndarray
    weights: np.ndarray
    measure: Measure
    topic_nodes: np.ndarray
    labels: dict[int, str] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)


def _count_levels(parents: np.ndarray) -> np.ndarray:
    """Return for each node how many levels are below it."""
    levels = np.zeros(len(parents))
    for node, parent in enumerate(parents[:-1].tolist()):
        levels[parent] = max(levels[parent], levels[node] + 1)
    return levels


def _fill(shape: Shape, topics: np.ndarray, weights: np.ndarray, measure: Measure) -> Draft:
    """Return a tree whose inner nodes are the sums of their children."""
    parents, places = shape.parents, np.arange(len(topics))
    vectors, sums = sum_upwards(parents, topics), sum_upwards(parents, weights)
    return Draft(parents, shape.heights, vectors, sums, measure, places)


def _draft_linkage(method: Method, topics: np.ndarray, weights: np.ndarray, similarity: Similarity) -> Draft:
    compared = topics if similarity == "cosine" else contrast_topics(topics, weights)
    if method == "ward":
        return _fill(link_ward(compared), topics, weights, "distance")
    similarities = cosine_similarities(compared)
    shape = link_single(similarities) if method == "single" else link_average(similarities)
    return _fill(shape, topics, weights, "similarity")


def _draft_themes(model: Any, topics: np.ndarray, weights: np.ndarray) -> Draft:
    """Return themes above their subtopics; new topics hang from the root."""
    if not isinstance(model, ThemeNMF):
        raise InputError(f"method='themes' is for a ThemeNMF, got {type(model).__name__}; use 'single'")
    n_themes, n_subtopics = model.subtopics_.shape[:2]
    n_topics = len(topics)
    root = n_topics + n_themes
    above_subtopics = n_topics + np.repeat(np.arange(n_themes), n_subtopics)
    above_rest = np.full(root - len(above_subtopics), root)
    parents = np.concatenate([above_subtopics, above_rest, [-1]])
    draft = _fill(Shape(parents, _count_levels(parents)), topics, weights, "level")
    draft.numbers.update(enumerate(map(str, model.get_feature_names_out())))
    draft.labels.update((n_topics + place, str(theme)) for place, theme in enumerate(model.themes_))
    return draft


def _draft_layers(model: Any, weights: np.ndarray) -> Draft:
    """Return each layer above the one before; topics of a further layer that nothing belongs to are left out."""
    if not isinstance(model, DeepSemiNMF):
        raise InputError(f"method='deep' is for a DeepSemiNMF, got {type(model).__name__}; use 'single'")
    kept = np.arange(len(model.topics_[0]))
    vectors, parents, n_nodes = [model.topics_[0]], [], len(kept)
    for topics, above in zip(model.topics_[1:], model.parents_, strict=True):
        kept, places = np.unique(above[kept], return_inverse=True)
        parents.append(n_nodes + places)
        vectors.append(topics[kept])
        n_nodes += len(kept)
    if len(kept) > 1:
        parents.append(np.full(len(kept), n_nodes))
        vectors.append(vectors[-1].sum(axis=0, keepdims=True))
    links = np.concatenate([*parents, [-1]]).astype(np.intp)
    every = np.vstack(vectors).astype(np.float64)
    return Draft(links, _count_levels(links), every, sum_upwards(links, weights), "level", np.arange(len(weights)))


def _draft(method: Method, model: Any, topics: np.ndarray, weights: np.ndarray, similarity: Similarity) -> Draft:
    if method == "themes":
        return _draft_themes(model, topics, weights)
    return _draft_layers(model, weights) if method == "deep" else _draft_linkage(method, topics, weights, similarity)


def _walk_up(branch: Branch, name: str) -> Iterator[tuple[Branch, str]]:
    """Yield a branch and all below it with their numbers, children before parents."""
    for place, child in enumerate(branch.children, 1):
        yield from _walk_up(child, f"{name}.{place}")
    yield branch, name


def _draft_splits(branches: list[Branch], names: Sequence[str]) -> Draft:
    """Return topics above what they were split into, under one root."""
    listed = [pair for branch, name in zip(branches, names, strict=True) for pair in _walk_up(branch, name)]
    if len(branches) > 1:
        whole = np.sum([branch.vector for branch in branches], axis=0)
        listed.append((Branch(whole, 0.0, tuple(branches)), ROOT))
    listed.sort(key=lambda pair: bool(pair[0].children))
    places = {id(branch): place for place, (branch, _) in enumerate(listed)}
    parents = np.full(len(listed), -1)
    for place, (branch, _) in enumerate(listed):
        parents[[places[id(child)] for child in branch.children]] = place
    explained = np.array([branch.weight for branch, _ in listed if not branch.children])
    weights = sum_upwards(parents, explained / (explained.sum() or 1.0))
    vectors = np.array([branch.vector for branch, _ in listed])
    topic_nodes = np.array([places[id(branch)] for branch in branches])
    numbers = {place: name for place, (_, name) in enumerate(listed)}
    return Draft(parents, _count_levels(parents), vectors, weights, "level", topic_nodes, numbers=numbers)


def _read_topics(components: Any) -> tuple[Any, np.ndarray]:
    """Return the model, if there is one, and its topics."""
    model = components if hasattr(components, "fit") or hasattr(components, "components_") else None
    if model is not None and not hasattr(model, "components_"):
        check_is_fitted(model)
        raise InputError(f"{type(model).__name__} has no components_; give the array of topics by terms")
    values = components if model is None else model.components_
    topics = check_weights("components", values, n_topics=None, n_terms=None)
    if not len(topics):
        raise InputError("components must have one topic or more, got none")
    return model, topics


def _read_weights(weights: Any, model: Any, n_topics: int) -> np.ndarray:
    """Return how much each topic weighs: as given, as the model knows, or all alike."""
    if weights is None:
        weights = getattr(model, "topic_shares_", np.full(n_topics, 1.0 / n_topics))
    return check_weights("weights", weights, n_topics=n_topics)


def _read_names(what: str, values: Any, n_wanted: int, of: str) -> tuple[str, ...] | None:
    if values is None:
        return None
    if isinstance(values, str) or len(values) != n_wanted:
        raise InputError(f"{what} must have a text for each of {n_wanted} {of}, got {len(values)}")
    return tuple(map(str, values))


def _name_nodes(draft: Draft, names: tuple[str, ...] | None, by_terms: list[str] | None) -> tuple[str, ...]:
    """Return names: those given, then those known, then terms, then numbers."""
    n_nodes, n_leaves = len(draft.parents), len(draft.parents) - len(np.unique(draft.parents[:-1]))
    found = [f"topic {node}" if node < n_leaves else f"node {node}" for node in range(n_nodes)]
    for node, number in draft.numbers.items():
        found[node] = number
    found = [term or number for term, number in zip(by_terms or [""] * n_nodes, found, strict=True)]
    if n_leaves > 1:
        found[-1] = ROOT
    given = {} if names is None else dict(zip(draft.topic_nodes.tolist(), names, strict=True))
    for node, name in {**draft.labels, **given}.items():
        found[node] = name
    return tuple(found)


def _choose_method(method: Method | None, model: Any) -> Method:
    """Return the method asked for, or the one that the model stands for."""
    if method is not None:
        check_choice("method", method, METHODS)
        return method
    if isinstance(model, ThemeNMF):
        return "themes"
    return "deep" if isinstance(model, DeepSemiNMF) else "single"


def build_tree(
    components: Any,
    *,
    method: Method | None = None,
    similarity: Similarity = "cosine",
    weights: Any = None,
    terms: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    n_terms: int = 3,
    purity_ratio: float = DEFAULT_PURITY_RATIO,
    X: Any = None,
    W: Any = None,
    depth: int = 2,
    n_children: int = 3,
    min_documents: int = 20,
    random_state: Any = 0,
) -> TopicTree:
    """Return the tree that topics form.

    Parameters
    ----------
    components : array of shape (n_topics, n_terms), or fitted model
        Topics of 0 or more, or a model whose `components_` they are.
    method : {"single", "average", "ward", "recursive", "deep", "themes"}, optional
        How topics come together. Two groups join where any two of their topics are similar enough; where they are on
        average; or where that spreads the least. Topics are split by their documents. Or the tree is that of the
        layers of a `DeepSemiNMF`, or of the themes of a `ThemeNMF`. By default the last two for these models, and
        ``"single"`` for all others.
    similarity : {"cosine", "contrast"}
        For the first three methods: the cosine of topics as they are; or of what they have more of than the mean
        topic, in square roots of shares, where words that all topics share count for nothing, and the few most likely
        words for less.
    weights : array of shape (n_topics,), optional
        How much of the corpus each topic is about. By default the model's `topic_shares_`, if it has them, otherwise
        all topics alike.
    terms : sequence of str, optional
        The term of each column; nodes are then named by their terms.
    names : sequence of n_topics str, optional
        Names of the topics.
    n_terms : int
        Terms in a name.
    purity_ratio : float
        How much terms that siblings hold too lose in names, from 0 to 1; see `theme_terms`.
    X : matrix of shape (n_documents, n_terms), for ``"recursive"``
        Counts of documents.
    W : array of shape (n_documents, n_topics), for ``"recursive"``
        Weights of topics in documents; by default what the model's `transform` says.
    depth : int
        For ``"recursive"``, levels of topics below the root; 2 splits each topic once.
    n_children : int
        For ``"recursive"``, the most parts of a topic; held-out documents say how many.
    min_documents : int
        For ``"recursive"``, the fewest documents of each part.
    random_state : int, RandomState or None
        Seed of ``"recursive"``.

    Returns
    -------
    TopicTree
        Leaf i is topic i; after ``"recursive"``, leaves are the finest topics, in the order of those they come from.

    Examples
    --------
    >>> from wayword import build_tree
    >>> tree = build_tree([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 3, 1]], names=["cider", "perry", "fleet"])
    >>> print(tree)
    all topics [0.00]
    ├── fleet
    └── node 3 [0.95]
        ├── cider
        └── perry
    """
    model, topics = _read_topics(components)
    method = _choose_method(method, model)
    check_choice("similarity", similarity, SIMILARITIES)
    check_whole("n_terms", n_terms)
    names = _read_names("names", names, len(topics), "topics")
    terms = getattr(model, "feature_names_in_", None) if terms is None else terms
    terms = _read_names("terms", terms, topics.shape[1], "columns")
    if method == "recursive":
        if weights is not None:
            raise InputError("method='recursive' weighs topics by X; leave weights out")
        plan = Plan.of(depth, n_children, min_documents, random_state)
        branches = split_topics(*read_documents(X, W, model, topics), topics, plan)
        draft = _draft_splits(branches, names or [f"topic {topic}" for topic in range(len(topics))])
    elif X is not None or W is not None:
        raise InputError(f"X and W are for method='recursive', got method={method!r}; leave them out")
    else:
        draft = _draft(method, model, topics, _read_weights(weights, model, len(topics)), similarity)
    by_terms = None if terms is None else name_by_terms(draft.vectors, draft.parents, terms, n_terms, purity_ratio)
    named = _name_nodes(draft, names, by_terms)
    return TopicTree(draft.parents, draft.heights, draft.vectors, draft.weights, named, draft.measure, terms)
