import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from naive import deep as naive
from wayword.errors import InputError
from wayword.models import alternate
from wayword.models.chain import (
    _SWEEPS,
    Chain,
    Matrix,
    NonNegativeSteps,
    SemiSteps,
    View,
    improve_chain,
    tune_chain,
    with_unit_topics,
)
from wayword.models.deep import DeepSemiNMF

shapes = st.tuples(st.integers(2, 9), st.integers(2, 9))
layers = st.lists(st.integers(1, 5), min_size=1, max_size=3)
seeds = st.integers(0, 2**32 - 1)
both = pytest.mark.parametrize("non_negative", [False, True])


def draw_counts(shape, seed):
    return np.random.default_rng(seed).poisson(1.5, shape).astype(float)


def draw_matrix(shape, seed, non_negative):
    return draw_counts(shape, seed) if non_negative else np.random.default_rng(seed).normal(size=shape)


def draw_chain(shape, sizes, seed):
    """Return positive factors A1 to Am and topics S1 to Sm."""
    rng = np.random.default_rng(seed)
    A = [rng.random(size) + 0.1 for size in pairwise([shape[0], *sizes])]
    return A, [rng.random((size, shape[1])) + 0.1 for size in sizes]


def as_chain(A, S):
    return Chain(A[0], tuple(A[1:]), tuple(np.ascontiguousarray(topics.T) for topics in S))


def as_matrix(X):
    return Matrix.of(sparse.csr_matrix(X))


def choose_steps(non_negative):
    return NonNegativeSteps() if non_negative else SemiSteps()


def dense_objective(X, chain):
    return naive.objective(X, [chain.weights, *chain.mixing], chain.topics[-1].T)


def assert_same_factors(chain, A, S, **tolerance):
    for found, expected in zip([chain.weights, *chain.mixing], A, strict=True):
        np.testing.assert_allclose(found, expected, **tolerance)
    for found, expected in zip(chain.topics, S, strict=True):
        np.testing.assert_allclose(found.T, expected, **tolerance)


def assume_clear_rank(factor):
    """Leave out examples whose pseudo-inverse hangs on rounding."""
    shares = np.linalg.svd(factor, compute_uv=False)
    assume(not ((shares > 1e-10 * shares[0]) & (shares < 1e-2 * shares[0])).any())


def plant(seed, groups=3, children=3, D=300, V=90, words=100):
    """Draw counts from fine topics, each half its own words and half those it shares with its siblings."""
    rng = np.random.default_rng(seed)
    parents = np.repeat(np.arange(groups), children)
    words_of = np.array_split(np.arange(V), groups * (children + 1))
    fine = np.zeros((len(parents), V))
    for topic, parent in enumerate(parents):
        own, shared = words_of[topic], words_of[len(parents) + parent]
        fine[topic, own] = 0.5 / len(own)
        fine[topic, shared] = 0.5 / len(shared)
    weights = rng.dirichlet(np.full(len(fine), 0.1), size=D)
    return np.stack([rng.multinomial(words, row) for row in weights @ fine]).astype(float), fine, parents


def cosines(found, known):
    found, known = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (found, known))
    return found @ known.T


@given(shapes, layers, seeds)
def test_a_semi_iteration_is_the_slow_one(shape, sizes, seed):
    X = draw_matrix(shape, seed, non_negative=False)
    A, S = draw_chain(shape, sizes, seed)
    better_A, better_S = naive.semi_iteration(X, A, S, sweeps=_SWEEPS)
    for layer in range(len(S)):
        assume_clear_rank(naive.product([*A[layer + 1 :], S[-1]]))
        assume_clear_rank(naive.product(better_A[: layer + 1]))
    chain, _ = improve_chain(as_matrix(X), as_chain(A, S), SemiSteps(), np.inf)
    assert_same_factors(chain, better_A, better_S, rtol=1e-6, atol=1e-8)


@given(shapes, layers, seeds)
def test_mixing_of_any_sign_fits_like_that_of_the_paper(shape, sizes, seed):
    X = draw_matrix(shape, seed, non_negative=False)
    (before, mixing), (_, topics) = draw_chain(shape, (sizes[0], sizes[-1]), seed)
    assume_clear_rank(before)
    assume_clear_rank(topics)
    expected = naive.solve_mixing(X, before, topics)
    view, by_term = View.of(as_matrix(X), before), np.ascontiguousarray(topics.T)
    nearby = SemiSteps().improve_mixing(mixing, view, by_term, last=False)
    np.testing.assert_allclose(before @ nearby @ topics, before @ expected @ topics, rtol=1e-7, atol=1e-9)
    from_nothing = SemiSteps().improve_mixing(0 * mixing, view, by_term, last=False)
    np.testing.assert_allclose(from_nothing, expected, rtol=1e-7, atol=1e-9)


@given(shapes, layers, seeds)
def test_a_non_negative_iteration_is_the_slow_one(shape, sizes, seed):
    X = draw_counts(shape, seed) + 0.1
    A, S = draw_chain(shape, sizes, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wayword.models.chain._SWEEPS", 1)
        patch.setattr(alternate.Side.update_squares, "__kwdefaults__", {"newton": True, "sweeps": 1, "settled": 0.0})
        chain, _ = improve_chain(as_matrix(X), as_chain(A, S), NonNegativeSteps(), np.inf)
    assert_same_factors(chain, *naive.non_negative_iteration(X, A, S), rtol=1e-6, atol=1e-8)


@given(shapes, layers, seeds)
def test_every_layer_sees_the_same_objective_as_the_dense_one(shape, sizes, seed):
    X = draw_matrix(shape, seed, non_negative=False)
    A, S = draw_chain(shape, sizes, seed)
    chain = as_chain(A, S)
    view = View.of(as_matrix(X), chain.weights)
    for mixing, rebuilt in zip([*chain.mixing, None], chain.rebuilt_topics(), strict=True):
        assert view.objective(rebuilt) == pytest.approx(naive.objective(X, A, S[-1]), rel=1e-9, abs=1e-9)
        view = view if mixing is None else view.through(mixing)


@settings(max_examples=40)
@given(shapes, layers, seeds, st.booleans())
def test_path_never_rises_and_ends_at_the_objective(shape, sizes, seed, non_negative):
    X = draw_matrix(shape, seed, non_negative)
    start = as_chain(*draw_chain(shape, sizes, seed))
    chain, path = tune_chain(as_matrix(X), start, choose_steps(non_negative), max_iter=30, tol=0.0)
    assert all(after <= before for before, after in pairwise(path))
    assert path[0] == pytest.approx(dense_objective(X, start), rel=1e-9)
    assert path[-1] == pytest.approx(dense_objective(X, chain), rel=1e-6, abs=1e-8 * (X**2).sum())
    assert all((topics >= 0).all() for topics in chain.topics)
    if non_negative:
        assert all((factor >= 0).all() for factor in (chain.weights, *chain.mixing))


class WorseSteps:
    """Steps that spoil every factor."""

    def improve_weights(self, matrix, weights, rebuilt, *, last):
        return weights + 10.0

    def improve_mixing(self, mixing, view, rebuilt, *, last):
        return mixing + 10.0

    def improve_topics(self, topics, view):
        return topics * np.nan


def test_what_raises_the_objective_is_not_kept():
    X = draw_counts((8, 7), 0)
    start, _ = tune_chain(as_matrix(X), as_chain(*draw_chain(X.shape, (4, 3, 2), 0)), SemiSteps(), max_iter=5, tol=0.0)
    best = dense_objective(X, start)
    chain, reached = improve_chain(as_matrix(X), start, WorseSteps(), best)
    assert reached == best
    assert chain.weights is start.weights
    assert all(kept is old for kept, old in zip(chain.mixing, start.mixing, strict=True))
    assert chain.topics[-1] is start.topics[-1]


@given(shapes, layers, seeds)
def test_unit_topics_sum_to_one_in_the_same_model(shape, sizes, seed):
    chain = as_chain(*draw_chain(shape, sizes, seed))
    scaled = with_unit_topics(chain)
    for topics in scaled.topics:
        np.testing.assert_allclose(topics.sum(axis=0), 1.0)
    for before, after, topics in zip(chain.rebuilt_topics(), scaled.rebuilt_topics(), chain.topics, strict=True):
        np.testing.assert_allclose(after * topics.sum(axis=0), before)
    model = chain.weights @ chain.rebuilt_topics()[0].T
    np.testing.assert_allclose(scaled.weights @ scaled.rebuilt_topics()[0].T, model)


@both
def test_planted_hierarchy_is_found(non_negative):
    for seed in range(3):
        X, fine, parents = plant(seed)
        model = DeepSemiNMF((9, 3), non_negative=non_negative).fit(X)
        similar = cosines(model.components_, fine)
        found, known = optimize.linear_sum_assignment(similar, maximize=True)
        assert similar[found, known].min() > 0.95
        groups = set(zip(model.parents_[0][found].tolist(), parents[known].tolist(), strict=True))
        assert len(groups) == 3
        coarse = np.stack([fine[parents == parent].mean(axis=0) for parent in range(3)])
        for found_parent, parent in groups:
            assert cosines(model.topics_[1], coarse)[found_parent, parent] > 0.95


def test_planted_hierarchy_of_three_layers_is_found():
    X, fine, parents = plant(5, groups=4, children=2)
    # In further documents, groups 0 and 1 occur together, and groups 2 and 3.
    pairs = parents // 2
    mixed = np.stack([fine[pairs == pair].mean(axis=0) for pair in (0, 1)])
    X = np.vstack([X, np.random.default_rng(0).poisson(60 * np.repeat(mixed, 100, axis=0))])
    model = DeepSemiNMF((8, 4, 2), non_negative=True).fit(X)
    found, known = optimize.linear_sum_assignment(cosines(model.components_, fine), maximize=True)
    middle = model.parents_[0][found]
    assert len(set(zip(middle.tolist(), parents[known].tolist(), strict=True))) == 4
    assert len(set(zip(model.parents_[1][middle].tolist(), pairs[known].tolist(), strict=True))) == 2


@both
def test_training_all_layers_beats_training_each(non_negative):
    X, _, _ = plant(0)
    apart = DeepSemiNMF((9, 3), non_negative=non_negative, max_iter=0).fit(X)
    together = DeepSemiNMF((9, 3), non_negative=non_negative).fit(X)
    assert apart.n_iter_ == 0
    assert together.objective_path_[0] == apart.objective_path_[0]
    assert together.reconstruction_err_ < apart.reconstruction_err_
    assert all(after <= before for before, after in pairwise(together.objective_path_))


def test_one_non_negative_layer_is_nmf():
    X, _, _ = plant(1)
    model = DeepSemiNMF((9,), non_negative=True, tol=1e-9, pretrain_iter=500).fit(X)
    # Scikit-learn finds nothing better from there.
    peer = NMF(9, init="custom", tol=1e-9, max_iter=2000)
    peer.fit_transform(X, W=model.transform(X), H=model.components_.copy())
    assert model.reconstruction_err_ == pytest.approx(peer.reconstruction_err_, rel=1e-6)
    assert cosines(model.components_, peer.components_).diagonal().min() > 0.9999
    assert model.layers_ == model.parents_ == []


def test_one_layer_is_semi_nmf():
    X, _, _ = plant(1)
    model = DeepSemiNMF((4,)).fit(X)
    error = np.linalg.norm(X - model.inverse_transform(model.transform(X)))
    # The weights of `transform` are those after the last step of the topics, hence a little better.
    assert error <= model.reconstruction_err_ == pytest.approx(error, rel=1e-4)
    # Fewer constraints explain more.
    assert model.reconstruction_err_ < DeepSemiNMF((4,), non_negative=True, tol=1e-9).fit(X).reconstruction_err_


def test_semi_nmf_explains_a_matrix_of_any_sign():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.2), size=3)
    X = rng.normal(size=(100, 3)) @ topics
    model = DeepSemiNMF((3,), tol=1e-8, pretrain_iter=3000).fit(X)
    assert model.reconstruction_err_ < 0.02 * np.linalg.norm(X)


@both
def test_sparse_equals_dense(non_negative):
    X, _, _ = plant(2, D=60)
    dense = DeepSemiNMF((5, 2), non_negative=non_negative).fit(X)
    for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array):
        model = DeepSemiNMF((5, 2), non_negative=non_negative).fit(kind(X))
        assert all((one == other).all() for one, other in zip(model.topics_, dense.topics_, strict=True))
        assert (model.transform(kind(X)) == dense.transform(X)).all()


@both
def test_same_bits_each_time_and_for_any_number_of_threads(monkeypatch, non_negative):
    X = sparse.random(900, 700, 0.1, random_state=0, format="csr")
    results = []
    for threads in ("1", "2", "8", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = DeepSemiNMF((6, 3), non_negative=non_negative, pretrain_iter=3, max_iter=3).fit(X)
        parts = [*model.topics_, *model.layers_, model.objective_path_, model.transform(X)]
        results.append([part.tobytes() for part in parts])
    assert results[0] == results[1] == results[2] == results[3]


@both
def test_single_precision_in_single_precision_out(non_negative):
    X, _, _ = plant(2, D=60)
    double = DeepSemiNMF((5, 2), non_negative=non_negative).fit(X)
    single = DeepSemiNMF((5, 2), non_negative=non_negative).fit(X.astype(np.float32))
    assert {part.dtype for part in (*single.topics_, *single.layers_)} == {np.dtype(np.float32)}
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.topics_[1], double.topics_[1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("layer", [0, 1])
def test_weights_are_the_least_squares(layer):
    X, _, _ = plant(3, D=40)
    model = DeepSemiNMF((5, 2)).fit(X)
    expected = np.linalg.lstsq(model.topics_[layer].T, X.T, rcond=None)[0].T
    np.testing.assert_allclose(model.transform_layer(X, layer), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("layer", [0, 1])
def test_weights_are_the_non_negative_least_squares(layer):
    X, _, _ = plant(3, D=40)
    model = DeepSemiNMF((9, 4), non_negative=True).fit(X)
    expected = np.stack([optimize.nnls(model.topics_[layer].T, row)[0] for row in X])
    np.testing.assert_allclose(model.transform_layer(X, layer), expected, rtol=1e-7, atol=1e-7)


@both
def test_weights_of_a_document_do_not_depend_on_the_others(non_negative):
    X, _, _ = plant(3, D=40)
    model = DeepSemiNMF((5, 2), non_negative=non_negative)
    weights = model.fit_transform(X)
    np.testing.assert_array_equal(weights, model.transform(X))
    np.testing.assert_allclose(model.transform(X[7:8]), weights[7:8], rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(model.transform_layer(X, 0), weights)
    np.testing.assert_allclose(model.inverse_transform(weights), weights @ model.components_)


@both
def test_parents_have_the_largest_share_and_the_tree_holds_every_topic_once(non_negative):
    X, _, _ = plant(4, D=80)
    model = DeepSemiNMF((6, 4, 2), non_negative=non_negative).fit(X)
    for parents, mixing, topics in zip(model.parents_, model.layers_, model.topics_[1:], strict=True):
        shares = [[weight * topic.sum() for weight, topic in zip(row, topics, strict=True)] for row in mixing]
        assert parents.tolist() == np.argmax(shares, axis=1).tolist()
    seen = []

    def walk(node, parent):
        seen.append((node["layer"], node["topic"]))
        assert parent is None or model.parents_[node["layer"]][node["topic"]] == parent
        for child in node["children"]:
            assert child["layer"] == node["layer"] - 1
            walk(child, node["topic"])

    for root in model.tree():
        walk(root, None)
    assert sorted(seen) == [(layer, topic) for layer, size in enumerate((6, 4, 2)) for topic in range(size)]
    # Plain numbers, so that it can be written as JSON.
    assert {type(value) for node in model.tree() for value in node.values()} == {int, list}


@both
@pytest.mark.parametrize("sizes", [(30, 25), (3, 7), (1, 1), np.array([4, 2])])
def test_any_positive_sizes_give_finite_topics(non_negative, sizes):
    X = draw_counts((6, 8), 0)
    model = DeepSemiNMF(sizes, non_negative=non_negative).fit(X)
    assert [topics.shape for topics in model.topics_] == [(size, 8) for size in sizes]
    assert all(np.isfinite(topics).all() and (topics >= 0).all() for topics in model.topics_)
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.reconstruction_err_)


@both
def test_empty_documents_weigh_nothing_and_missing_terms_are_in_no_topic(non_negative):
    X, _, _ = plant(6, D=50)
    X[[3, 20]] = 0
    X[:, [0, 44]] = 0
    model = DeepSemiNMF((5, 2), non_negative=non_negative).fit(X)
    assert (model.transform(X)[[3, 20]] == 0).all()
    assert all((topics[:, [0, 44]] == 0).all() for topics in model.topics_)


@both
def test_a_matrix_of_zeros_has_no_topics(non_negative):
    model = DeepSemiNMF((3, 2), non_negative=non_negative).fit(np.zeros((4, 5)))
    assert all((topics == 0).all() for topics in model.topics_)
    assert model.reconstruction_err_ == 0.0
    assert (model.transform(np.ones((2, 5))) == 0).all()
    assert len(model.tree()) == 2


@both
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_the_unit_of_the_counts_does_not_matter(non_negative, scale):
    X, _, _ = plant(6, D=50)
    plain, scaled = (DeepSemiNMF((5, 2), non_negative=non_negative).fit(matrix) for matrix in (X, scale * X))
    np.testing.assert_allclose(scaled.topics_[1], plain.topics_[1], rtol=1e-4, atol=1e-8)


@both
def test_nothing_of_the_size_of_documents_by_terms_is_built(non_negative):
    rng = np.random.default_rng(0)
    places = rng.integers(0, 20_000, 30_000), rng.integers(0, 15_000, 30_000)
    X = sparse.csr_matrix((np.ones(30_000), places), shape=(20_000, 15_000))
    tracemalloc.start()
    try:
        DeepSemiNMF((3, 2), non_negative=non_negative, pretrain_iter=2, max_iter=2).fit(X).transform(X)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 0.02 * 8 * 20_000 * 15_000


def test_the_callback_is_told_and_can_stop():
    seen = []
    X, _, _ = plant(0, D=60)

    def stop(iteration, objective):
        seen.append((iteration, objective))
        return iteration == 3

    model = DeepSemiNMF((5, 2), tol=0.0, callback=stop).fit(X)
    assert seen == list(enumerate(model.objective_path_.tolist()))[1:]
    assert model.n_iter_ == 3


def test_it_settles_before_the_iterations_run_out():
    X, _, _ = plant(0, D=60)
    coarse, fine = (DeepSemiNMF((5, 2), tol=tol).fit(X) for tol in (1e-2, 1e-4))
    assert coarse.n_iter_ <= fine.n_iter_ < 200


def test_another_seed_may_be_given_or_none():
    X = draw_counts((5, 6), 1)
    again = [DeepSemiNMF((8, 2), random_state=np.random.RandomState(seed)).fit(X).components_ for seed in (1, 1, 2)]
    assert (again[0] == again[1]).all()
    assert (again[0] != again[2]).any()
    assert DeepSemiNMF((8, 2), random_state=None).fit(X).components_.shape == (8, 6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layer_sizes": ()}, "layer_sizes must be a sequence"),
        ({"layer_sizes": 3}, "layer_sizes must be a sequence"),
        ({"layer_sizes": "32"}, "layer_sizes must be a sequence"),
        ({"layer_sizes": {3, 2}}, "layer_sizes must be a sequence"),
        ({"layer_sizes": (3, 0)}, "every size in layer_sizes must be a whole number of 1 or more, got 0"),
        ({"layer_sizes": (3, -1)}, "every size in layer_sizes"),
        ({"layer_sizes": (3, 2.0)}, "every size in layer_sizes"),
        ({"layer_sizes": (True,)}, "every size in layer_sizes"),
        ({"layer_sizes": [[3, 2]]}, "every size in layer_sizes"),
        ({"layer_sizes": np.array(3)}, "layer_sizes must be a sequence"),
        ({"non_negative": "yes"}, "non_negative must be one of"),
        ({"pretrain_iter": -1}, "pretrain_iter must be a whole number"),
        ({"max_iter": 1.5}, "max_iter must be a whole number"),
        ({"tol": -0.1}, "tol must be a number"),
    ],
)
def test_wrong_settings_are_errors(settings, message):
    with pytest.raises(InputError, match=message):
        DeepSemiNMF(**{"layer_sizes": (3, 2), **settings}).fit(np.eye(4))


@both
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_errors(non_negative, bad):
    X = np.ones((4, 4))
    X[1, 2] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        DeepSemiNMF((2,), non_negative=non_negative).fit(X)


def test_negative_numbers_are_errors_only_if_all_is_non_negative():
    X = draw_matrix((8, 6), 0, non_negative=False)
    assert np.isfinite(DeepSemiNMF((3, 2)).fit(X).transform(X)).all()
    with pytest.raises(ValueError, match="Negative values"):
        DeepSemiNMF((3, 2), non_negative=True).fit(X)
    model = DeepSemiNMF((3, 2), non_negative=True).fit(np.abs(X))
    with pytest.raises(ValueError, match="Negative values"):
        model.transform(X)


@pytest.mark.parametrize("layer", [-1, 2, 0.0, True])
def test_a_layer_that_is_not_there_is_an_error(layer):
    model = DeepSemiNMF((3, 2)).fit(np.eye(4))
    with pytest.raises(InputError, match="layer must be"):
        model.transform_layer(np.eye(4), layer)


def test_weights_of_other_topics_are_an_error():
    model = DeepSemiNMF((3, 2)).fit(np.eye(4))
    with pytest.raises(InputError, match="expected weights of 3 topics, got 2 columns"):
        model.inverse_transform(np.ones((2, 2)))


def test_it_is_a_scikit_learn_transformer_with_named_columns():
    X, _, _ = plant(0, D=40)
    model = DeepSemiNMF((5, 2))
    pipeline = make_pipeline(Normalizer(), clone(model)).set_output(transform="pandas")
    frame = pipeline.fit_transform(X)
    assert list(frame.columns) == [f"deepseminmf{topic}" for topic in range(5)]
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(pipeline))
    assert again.transform(X).equals(pipeline.transform(X))


@parametrize_with_checks([DeepSemiNMF(layer_sizes=(3, 2)), DeepSemiNMF(layer_sizes=(3, 2), non_negative=True)])
def test_it_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
