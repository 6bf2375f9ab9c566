import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.decomposition import NMF as Peer  # noqa: N811
from sklearn.exceptions import NotFittedError

from wayword import (
    NMF,
    AnchorTopics,
    DeepSemiNMF,
    SemiSupervisedNMF,
    SupervisedAnchors,
    ThemeNMF,
    TopicDiscovery,
    TopicSupervisedNMF,
    Vocabulary,
    match_topics,
)
from wayword.errors import InputError
from wayword.hierarchy import build_tree, triplet_agreement
from wayword.hierarchy.linkage import contrast_topics, cosine_similarities
from wayword.hierarchy.splitting import share_entries
from wayword.testing import planted_topics, planted_tree

few = settings(max_examples=25)
seeds = st.integers(0, 2**32 - 1)
every_linkage = pytest.mark.parametrize("method", ["single", "average", "ward"])
every_similarity = pytest.mark.parametrize("similarity", ["cosine", "contrast"])
TOPICS = np.array([[4.0, 2.0, 0.0, 0.0], [3.0, 3.0, 0.0, 0.0], [0.0, 0.0, 3.0, 1.0]])


@pytest.fixture(scope="module")
def corpus():
    return planted_tree((3, 2), 360)


@pytest.fixture(scope="module")
def labels(corpus):
    return [f"group {topic // 2}" for topic in corpus.labels]


@pytest.mark.parametrize(
    "model",
    [
        NMF(5),
        TopicDiscovery(5),
        AnchorTopics(5),
        SupervisedAnchors(5),
        TopicSupervisedNMF(5),
        SemiSupervisedNMF(5),
        Peer(5, max_iter=2000),
    ],
    ids=lambda model: type(model).__module__,
)
def test_a_model_has_the_tree_of_its_topics(model, corpus, labels):
    model.fit(corpus.X, labels)
    tree = build_tree(model)
    assert tree.n_topics == len(model.components_)
    np.testing.assert_allclose(tree.vectors[: tree.n_topics], model.components_)
    assert tree.measure == "similarity"
    np.testing.assert_array_equal(tree.parents, build_tree(model.components_).parents)


def test_topics_of_anchors_weigh_what_their_model_says(corpus):
    model = AnchorTopics(6).fit(corpus.X)
    tree = build_tree(model)
    np.testing.assert_array_equal(tree.weights[:6], model.topic_shares_)
    assert tree.root.weight == pytest.approx(1.0)


def test_themes_are_above_their_subtopics_and_new_topics_below_the_root(corpus, labels):
    told = [label if place % 3 else None for place, label in enumerate(labels)]
    told = [None if label == "group 2" else label for label in told]
    model = ThemeNMF(2, n_new_topics=1, score="likelihood").fit(corpus.X, told)
    tree = build_tree(model)
    assert tree.measure == "level"
    assert tree.names == (
        "group 0 1",
        "group 0 2",
        "group 1 1",
        "group 1 2",
        "new topic 1",
        "group 0",
        "group 1",
        "all topics",
    )
    assert tree.parents.tolist() == [5, 5, 6, 6, 7, 7, 7, -1]
    np.testing.assert_array_equal(tree.nodes[5].vector, model.subtopics_[0].sum(axis=0))
    by_terms = build_tree(model, terms=corpus.terms)
    assert by_terms.names[5:] == tree.names[5:]
    assert set(by_terms.names[0].split()) <= set(corpus.terms)
    assert build_tree(model, method="single").measure == "similarity"


def test_layers_are_above_the_layers_before_them(corpus):
    model = DeepSemiNMF((6, 3, 2), non_negative=True).fit(corpus.X)
    tree = build_tree(model)
    assert tree.measure == "level"
    assert tree.n_topics == 6
    used = [np.arange(6)]
    for parents in model.parents_:
        used.append(np.unique(parents[used[-1]]))
    starts = np.cumsum([0, *map(len, used)])
    for layer, parents in enumerate(model.parents_):
        for place, topic in enumerate(used[layer]):
            parent = tree.parents[starts[layer] + place]
            above = used[layer + 1][parent - starts[layer + 1]]
            assert above == parents[topic]
            np.testing.assert_array_equal(tree.vectors[parent], model.topics_[layer + 1][above])
    np.testing.assert_allclose(tree.weights[-1], 1.0)


def test_a_topic_of_a_further_layer_that_nothing_belongs_to_is_left_out(corpus):
    model = DeepSemiNMF((4, 3), non_negative=True).fit(corpus.X)
    model.parents_ = [np.array([2, 0, 2, 2])]
    tree = build_tree(model)
    assert tree.parents.tolist() == [5, 4, 5, 5, 6, 6, -1]
    np.testing.assert_array_equal(tree.vectors[5], model.topics_[1][2])
    model.parents_ = [np.array([1, 1, 1, 1])]
    assert build_tree(model).parents.tolist() == [4, 4, 4, 4, -1]


@every_linkage
@every_similarity
@pytest.mark.parametrize("branching", [(3, 3), (2, 3, 2), (4, 4), (2, 2, 2, 2)])
def test_the_planted_tree_is_found_from_the_planted_topics(method, similarity, branching):
    corpus = planted_tree(branching, 1)
    tree = build_tree(corpus.topics, method=method, similarity=similarity)
    assert triplet_agreement(tree, corpus.tree) == 1.0


def match(found, corpus):
    """Return topics found in the order of those planted."""
    similarity = cosine_similarities(np.vstack([found, corpus.topics]))[: len(found), len(found) :]
    return found[match_topics(similarity).topics]


@every_linkage
@every_similarity
@pytest.mark.parametrize("branching", [(3, 3), (2, 3, 2)])
def test_the_planted_tree_is_found_from_topics_of_anchors(method, similarity, branching):
    corpus = planted_tree(branching, 1200)
    model = AnchorTopics(len(corpus.topics)).fit(corpus.X)
    tree = build_tree(match(model.components_, corpus), method=method, similarity=similarity)
    assert triplet_agreement(tree, corpus.tree) == 1.0


def best_factorisation(corpus, n_topics):
    """Return the topics of the best of ten starts."""
    starts = [NMF(n_topics, init=init, random_state=seed) for init in ("random", "acol") for seed in range(5)]
    return min((model.fit(corpus.X) for model in starts), key=lambda model: model.reconstruction_err_)


@pytest.mark.parametrize(("branching", "similarity"), [((3, 2), "cosine"), ((3, 3), "contrast")])
@pytest.mark.parametrize("seed", range(2))
def test_the_planted_tree_is_found_from_topics_of_a_factorisation(branching, similarity, seed):
    corpus = planted_tree(branching, 900, random_state=seed)
    topics = match(best_factorisation(corpus, len(corpus.topics)).components_, corpus)
    for method in ("single", "average", "ward"):
        tree = build_tree(topics, method=method, similarity=similarity)
        assert triplet_agreement(tree, corpus.tree) == 1.0


@pytest.mark.parametrize("n_children", [3, 5])
def test_splitting_finds_the_planted_topics_of_each_group_and_then_stops(n_children):
    corpus = planted_tree((3, 3), 900)
    model = NMF(3).fit(corpus.X)
    tree = build_tree(model, method="recursive", X=corpus.X, n_children=n_children, depth=4)
    assert tree.n_topics == 9
    assert [len(tree.nodes[node].children) for node in tree.root.children] == [3, 3, 3]
    similarity = cosine_similarities(np.vstack([tree.vectors[:9], corpus.topics]))[:9, 9:]
    matched = match_topics(similarity)
    assert matched.similarities.min() > 0.95
    order = np.argsort(matched.topics)
    renumbered = build_tree(corpus.topics[order])
    assert triplet_agreement(tree, renumbered) == 1.0


def test_topics_that_are_whole_are_not_split():
    corpus = planted_topics(4, 600)
    tree = build_tree(NMF(4).fit(corpus.X), method="recursive", X=corpus.X, depth=3)
    assert tree.parents.tolist() == [4, 4, 4, 4, -1]


def test_topics_of_too_few_documents_are_not_split():
    corpus = planted_tree((3, 3), 900)
    model = NMF(3).fit(corpus.X)
    tree = build_tree(model, method="recursive", X=corpus.X, min_documents=451)
    assert tree.parents.tolist() == [3, 3, 3, -1]
    assert build_tree(model, method="recursive", X=corpus.X, depth=1).parents.tolist() == [3, 3, 3, -1]


def test_one_topic_is_split_without_a_root_above_it():
    corpus = planted_topics(2, 300)
    tree = build_tree(NMF(1).fit(corpus.X), method="recursive", X=corpus.X, names=["everything"])
    assert tree.parents.tolist() == [2, 2, -1]
    assert tree.names == ("everything.1", "everything.2", "everything")


def test_splitting_gives_weights_and_names_by_place(corpus):
    model = NMF(3).fit(corpus.X)
    tree = build_tree(model, method="recursive", X=corpus.X, names=["a", "b", "c"])
    assert tree.names == ("a.1", "a.2", "b.1", "b.2", "c.1", "c.2", "a", "b", "c", "all topics")
    assert tree.root.weight == pytest.approx(1.0)
    np.testing.assert_array_equal(tree.vectors[6:9], model.components_)
    for node in tree.nodes:
        if node.children:
            assert node.weight == pytest.approx(sum(tree.weights[list(node.children)]))
    # What a topic's parts hold together is the topic.
    np.testing.assert_allclose(tree.vectors[:2].sum(axis=0), tree.vectors[6], atol=0.02)


def test_splitting_gives_the_same_tree_every_time_and_for_weights_given(corpus):
    model = NMF(3)
    W = model.fit_transform(corpus.X)
    first = build_tree(model, method="recursive", X=corpus.X)
    assert build_tree(model, method="recursive", X=corpus.X) == first
    assert build_tree(model.components_, method="recursive", X=corpus.X, W=W) == first
    assert build_tree(model, method="recursive", X=corpus.X.toarray(), W=2 * W) == first


@pytest.mark.parametrize("column", range(3))
def test_a_topic_whose_documents_hold_one_term_is_left_whole(column):
    X = np.zeros((4, 3))
    X[:, column] = 5
    X[0, 0] += 0.5  # no whole counts: one half of the terms predicts the other
    tree = build_tree(np.ones((2, 3)), method="recursive", X=X, W=np.ones((4, 2)), min_documents=1)
    assert tree.parents.tolist() == [2, 2, -1]


@few
@given(seeds, st.integers(1, 12), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_splitting_small_corpora_gives_a_tree_whose_leaves_weigh_one(seed, n_documents, n_terms, n_topics, depth):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(n_documents, n_terms)) * (rng.random((n_documents, 1)) < 0.8)
    topics, W = rng.random((n_topics, n_terms)) * (rng.random((n_topics, 1)) < 0.8), rng.random((n_documents, n_topics))
    tree = build_tree(topics, method="recursive", X=X, W=W, depth=depth, min_documents=1)
    assert (tree.heights <= depth).all()
    explained = X[:, topics.any(axis=0)].sum() > 0
    assert tree.weights[-1] == pytest.approx(1.0 if explained else 0.0)
    assert {f"topic {topic}" for topic in range(n_topics)} <= {*tree.names, "topic 0" if n_topics == 1 else ""}


@given(seeds)
def test_parts_of_entries_add_up_to_what_is_explained(seed):
    rng = np.random.default_rng(seed)
    X = sparse.csr_matrix(rng.poisson(0.7, size=(5, 7)).astype(float))
    W, topics = rng.random((5, 3)) * (rng.random((5, 3)) < 0.7), rng.random((3, 7)) * (rng.random((3, 7)) < 0.7)
    parts = np.array([part.toarray() for part in share_entries(X, W, topics)])
    explained = W @ topics
    np.testing.assert_allclose(parts.sum(axis=0), np.where(explained > 0, X.toarray(), 0.0), atol=1e-12)
    for k in range(3):
        expected = np.outer(W[:, k], topics[k]) * X.toarray()
        np.testing.assert_allclose(parts[k] * explained, expected, atol=1e-12)


def test_contrast_is_blind_to_what_all_topics_share():
    topics = np.array([[8.0, 3.0, 0.0, 0.0], [8.0, 2.0, 1.0, 0.0], [8.0, 0.0, 0.0, 3.0]])
    contrasts = contrast_topics(topics, np.ones(3))
    assert not contrasts[:, 0].any()
    similarities = cosine_similarities(contrasts)
    assert similarities[0, 2] == similarities[1, 2] == 0.0
    assert similarities[0, 1] > 0.2
    assert cosine_similarities(topics)[0, 2] > 0.8


def test_contrast_without_weights_counts_topics_alike():
    tree = build_tree(TOPICS, similarity="contrast", weights=[0, 0, 0])
    np.testing.assert_array_equal(tree.heights, build_tree(TOPICS, similarity="contrast").heights)


def test_weights_names_and_terms_go_where_they_belong():
    tree = build_tree(TOPICS, weights=[3, 2, 1], names=["a", "b", "c"], terms=Vocabulary(["w", "x", "y", "z"]))
    assert tree.names[:3] == ("a", "b", "c")
    assert tree.weights.tolist() == [3, 2, 1, 5, 6]
    assert tree.terms == ("w", "x", "y", "z")
    assert build_tree(TOPICS).weights[:3].tolist() == [1 / 3] * 3


def test_names_of_columns_of_a_frame_are_the_terms():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TOPICS, columns=["w", "x", "y", "z"])
    assert build_tree(NMF(2).fit(frame)).terms == ("w", "x", "y", "z")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"components": []}, r"components must have the shape \(n_topics, n_terms\), got \(0,\)"),
        ({"components": np.zeros((0, 3))}, "components must have one topic or more, got none"),
        ({"components": -TOPICS}, "components must hold finite numbers of 0 or more"),
        ({"components": "words"}, "components must be a dense array of numbers, got str"),
        ({"method": "complete"}, "method must be one of 'single', 'average', 'ward', .* got 'complete'"),
        ({"similarity": "euclidean"}, "similarity must be one of 'cosine', 'contrast', got 'euclidean'"),
        ({"weights": [1, 2]}, r"weights must have the shape \(n_topics=3\), got \(2,\)"),
        ({"names": ["a"]}, "names must have a text for each of 3 topics, got 1"),
        ({"names": "abc"}, "names must have a text for each of 3 topics"),
        ({"terms": ["a"]}, "terms must have a text for each of 4 columns, got 1"),
        ({"n_terms": 0}, "n_terms must be a whole number of 1 or more, got 0"),
        ({"method": "deep"}, "method='deep' is for a DeepSemiNMF, got NoneType"),
        ({"method": "themes"}, "method='themes' is for a ThemeNMF, got NoneType"),
        ({"method": "recursive"}, "method='recursive' splits topics by their documents; give X"),
        ({"method": "recursive", "X": np.ones((2, 4))}, "W is needed to split an array of topics"),
        ({"method": "recursive", "X": np.ones((2, 3)), "W": np.ones((2, 3))}, "X must have the 4 terms of the topics"),
        ({"method": "recursive", "X": np.ones((2, 4)), "W": np.ones((2, 2))}, "W must have the shape"),
        ({"method": "recursive", "X": np.ones((2, 4)), "weights": [1, 1, 1]}, "weighs topics by X; leave weights out"),
        ({"method": "recursive", "depth": 0}, "depth must be a whole number of 1 or more, got 0"),
        ({"method": "recursive", "n_children": 1}, "n_children must be a whole number of 2 or more, got 1"),
        ({"method": "recursive", "min_documents": 0}, "min_documents must be a whole number of 1 or more, got 0"),
        ({"X": np.ones((2, 4))}, "X and W are for method='recursive', got method='single'"),
    ],
)
def test_wrong_arguments_are_errors(change, said):
    arguments = {"components": TOPICS, **change}
    with pytest.raises(InputError, match=said):
        build_tree(**arguments)


def test_a_model_that_is_not_fitted_is_an_error():
    for model in (NMF(2), ThemeNMF(2), DeepSemiNMF((2, 1))):
        with pytest.raises(NotFittedError):
            build_tree(model)
