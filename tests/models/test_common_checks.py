"""What all models that factorise promise alike: the contract of scikit-learn, and what becomes of bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from wayword import (
    NMF,
    AnchorTopics,
    DeepSemiNMF,
    SemiSupervisedNMF,
    SupervisedAnchors,
    ThemeNMF,
    TopicDiscovery,
    TopicSupervisedNMF,
)
from wayword.errors import InputError

MODELS = {"nmf": NMF, "topic": TopicSupervisedNMF, "semi": SemiSupervisedNMF}
every_model = pytest.mark.parametrize("kind", list(MODELS))
every_labelled = pytest.mark.parametrize("kind", ["topic", "semi"])
every_loss = pytest.mark.parametrize("loss", ["kl", "frobenius"])
every_solver = pytest.mark.parametrize("solver", ["cd", "mu"])
Y = ["a", "b", None, "a", None, "b"]

UNLABELLED = {"check_classifiers_classes": "-1 is a label there, and stands for no label here"}
FEWER_TOPICS_THAN_LABELS = dict.fromkeys(
    [
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    ],
    "asks for one topic and three labels; a label without a topic is an error",
)
COUNTS_DOCUMENTS = dict.fromkeys(
    ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"],
    "where themes start, inverse document frequencies and held-out documents go by documents, not by their weights",
)

NUMBERS_ARE_ANSWERS = {
    "check_classifiers_regression_target": "numbers with fractions are a response here, and are answered by numbers",
    "check_decision_proba_consistency": "asks for negative numbers of a model whose tag says that it takes none",
}


def expected_failures(estimator):
    if isinstance(estimator, TopicSupervisedNMF):
        return {**UNLABELLED, **FEWER_TOPICS_THAN_LABELS}
    if isinstance(estimator, ThemeNMF):
        return {**UNLABELLED, **COUNTS_DOCUMENTS}
    if isinstance(estimator, SupervisedAnchors):
        return {**UNLABELLED, **NUMBERS_ARE_ANSWERS}
    return UNLABELLED if isinstance(estimator, SemiSupervisedNMF) else {}


@pytest.mark.filterwarnings("ignore:X holds fractions")
@parametrize_with_checks(
    [
        NMF(3),
        NMF(3, loss="frobenius"),
        NMF(3, solver="mu"),
        TopicSupervisedNMF(),
        TopicSupervisedNMF(loss="kl"),
        SemiSupervisedNMF(3),
        SemiSupervisedNMF(3, loss="kl", label_loss="kl"),
        SemiSupervisedNMF(3, loss="kl", label_loss="frobenius"),
        ThemeNMF(),
        ThemeNMF(mode="combined"),
        ThemeNMF(score="thesis", solver="mu"),
        TopicDiscovery(4),
        AnchorTopics(2),
        AnchorTopics(2, recover="kl", regularizer="beta", rectify=False),
        AnchorTopics(2, recover="inverse", find="hull"),
        SupervisedAnchors(2),
        SupervisedAnchors(2, recover="kl", rectify=False, lexical_mix=0.5),
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def make(kind, n_components=2, **options):
    return MODELS[kind](n_components, **options)


def draw(shape=(6, 5), seed=0):
    X = np.random.default_rng(seed).poisson(2.0, shape).astype(float)
    X[:, 0] += 1
    return X


def assert_sound(model, X):
    """What was learnt and what is answered is finite, not negative, and of the right shape."""
    K = model.n_components_
    assert model.components_.shape == (K, X.shape[1])
    weights = model.transform(X)
    assert weights.shape == (X.shape[0], K)
    for array in (model.components_, weights):
        assert np.isfinite(array).all()
        assert (array >= 0).all()
    assert np.isfinite(model.objective_path_).all()
    assert (np.diff(model.objective_path_) <= 0).all()
    assert np.isfinite(model.reconstruction_err_)
    if hasattr(model, "predict"):
        chances = model.predict_proba(X)
        assert chances.shape == (X.shape[0], len(model.classes_))
        assert ((chances >= 0) & (chances <= 1 + 1e-12)).all()
        assert len(model.predict(X)) == X.shape[0]


@every_model
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (-draw(), "Negative values"),
        (sparse.csr_matrix(-draw()), "Negative values"),
        (np.full((6, 5), np.nan), "NaN"),
        (np.full((6, 5), np.inf), "infinity"),
        (sparse.csr_matrix(np.full((6, 5), np.inf)), "infinity"),
        (1e200 * draw(), r"X must hold numbers up to 1e\+100, got .*e\+200; divide all by the largest"),
        (np.ones(6), "Expected 2D array"),
        (np.ones((6, 5, 2)), "Found array with dim 3"),
        (np.ones((6, 0)), "0 feature"),
        (np.ones((0, 5)), "0 sample"),
        (np.full((6, 5), "corn"), "could not convert string"),
        (draw() * 1j, "Complex data not supported"),
    ],
)
def test_a_matrix_that_holds_no_counts_is_an_error(kind, X, message):
    model = make(kind)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    model.fit(draw(), Y)
    with pytest.raises(ValueError, match=message):
        model.transform(X)


@every_model
@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("loss", "hinge", "loss must be one of 'kl', 'frobenius', got 'hinge'"),
        ("solver", "sgd", "solver must be one of 'cd', 'mu', got 'sgd'"),
        ("init", "best", "init must be one of .*, got 'best'"),
        ("max_iter", 0, "max_iter must be a whole number of 1 or more, got 0"),
        ("max_iter", 2.5, "max_iter must be a whole number of 1 or more, got 2.5"),
        ("max_iter", True, "max_iter must be a whole number of 1 or more, got True"),
        ("tol", -1e-3, "tol must be a number of 0 or more, got -0.001"),
        ("tol", float("nan"), "tol must be a number of 0 or more, got nan"),
        ("tol", float("inf"), "tol must be a number of 0 or more, got inf"),
        ("tol", "small", "tol must be a number of 0 or more, got 'small'"),
        ("n_components", 0, "n_components must be a whole number of 1 or more, got 0"),
        ("n_components", -3, "n_components must be a whole number of 1 or more, got -3"),
        ("n_components", 2.0, "n_components must be a whole number of 1 or more, got 2.0"),
        ("n_components", "auto", "n_components must be a whole number of 1 or more, got 'auto'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_an_error(kind, setting, value, message):
    with pytest.raises(InputError, match=message):
        make(kind).set_params(**{setting: value}).fit(draw(), Y)


@pytest.mark.parametrize("kind", ["nmf", "topic"])
@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("alpha_W", -0.1, "alpha_W must be a number of 0 or more, got -0.1"),
        ("alpha_H", float("nan"), "alpha_H must be a number of 0 or more, got nan"),
        ("alpha_H", None, "alpha_H must be a number of 0 or more, got None"),
        ("l1_ratio", 1.5, "l1_ratio must be a number from 0 to 1, got 1.5"),
        ("l1_ratio", -0.5, "l1_ratio must be a number from 0 to 1, got -0.5"),
    ],
)
def test_a_penalty_that_makes_no_sense_is_an_error(kind, setting, value, message):
    with pytest.raises(InputError, match=message):
        make(kind, **{setting: value}).fit(draw(), Y)


@pytest.mark.parametrize(
    ("kind", "setting", "value", "message"),
    [
        ("nmf", "forget_factor", 1.5, "forget_factor must be a number from 0 to 1, got 1.5"),
        ("nmf", "n_components", None, "n_components must be a whole number of 1 or more, got None"),
        ("topic", "label_weight", "balanced", "label_weight must be a number of 0 or more, got 'balanced'"),
        ("topic", "label_weight", -1.0, "label_weight must be a number of 0 or more, got -1.0"),
        ("topic", "init", "nndsvda", "init must be one of 'labels', 'acol', got 'nndsvda'"),
        ("semi", "label_strength", "inverse", "label_strength must be a number of 0 or more, got 'inverse'"),
        ("semi", "label_strength", None, "label_strength must be a number of 0 or more, got None"),
        ("semi", "label_loss", "hinge", "label_loss must be one of 'kl', 'frobenius', got 'hinge'"),
        ("semi", "init", "custom", "init must be one of 'nndsvda', 'random', 'acol', got 'custom'"),
    ],
)
def test_a_setting_of_one_model_that_makes_no_sense_is_an_error(kind, setting, value, message):
    with pytest.raises(InputError, match=message):
        make(kind).set_params(**{setting: value}).fit(draw(), Y)


@every_model
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1, 1, 1], "finite numbers of 0 or more"),
        ([1, 1, np.nan, 1, 1, 1], "finite numbers of 0 or more"),
        ([1, 1, np.inf, 1, 1, 1], "finite numbers of 0 or more"),
        ([0] * 6, "not every weight zero"),
        ([1] * 5, "one number for each of 6 documents"),
        ([[1]] * 6, "one number for each of 6 documents"),
    ],
)
def test_weights_of_documents_that_make_no_sense_are_errors(kind, weights, message):
    with pytest.raises(InputError, match=message):
        make(kind).fit(draw(), Y, sample_weight=weights)


@every_model
@pytest.mark.parametrize("method", ["transform", "inverse_transform", "get_feature_names_out", "score", "predict"])
def test_nothing_is_answered_before_fit(kind, method):
    model = make(kind)
    if not hasattr(model, method):
        return
    arguments = {"get_feature_names_out": (), "score": (draw(), Y)}.get(method, (draw(),))
    with pytest.raises(NotFittedError):
        getattr(model, method)(*arguments)


@every_model
def test_documents_of_another_number_of_terms_are_an_error(kind):
    model = make(kind).fit(draw(), Y)
    for X in (np.ones((2, 4)), sparse.csr_matrix(np.ones((2, 6)))):
        with pytest.raises(ValueError, match="is expecting 5 features"):
            model.transform(X)


@every_model
@every_loss
@every_solver
def test_documents_and_terms_that_hold_nothing_get_nothing(kind, loss, solver):
    X = draw()
    X[2] = 0
    X[:, 3] = 0
    model = make(kind, loss=loss, solver=solver).fit(X, Y)
    assert_sound(model, X)
    assert (model.transform(X)[2] == 0).all()
    assert model.components_[:, 3].max() < 1e-6


@every_model
@every_loss
@every_solver
def test_a_matrix_of_zeros_has_topics_of_nothing(kind, loss, solver):
    X = np.zeros((6, 5))
    model = make(kind, loss=loss, solver=solver).fit(X, Y)
    assert_sound(model, X)
    assert (model.transform(X) == 0).all()
    assert model.reconstruction_err_ == pytest.approx(0, abs=1e-6)


@every_model
@every_loss
@every_solver
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (1, 5), (6, 1), (1, 1)])
def test_there_may_be_more_topics_than_documents_or_terms(kind, loss, solver, shape):
    X = draw(shape)
    model = make(kind, 8, loss=loss, solver=solver).fit(X, Y[: shape[0]])
    assert model.n_components_ == 8
    assert_sound(model, X)


@every_model
@every_loss
def test_documents_without_a_known_term_get_no_weight(kind, loss):
    model = make(kind, loss=loss).fit(draw(), ["a", "b", "b", "b", None, None])
    nothing = sparse.csr_matrix((2, 5))
    assert (model.transform(nothing) == 0).all()
    if kind != "nmf":
        # They are taken to be like the others.
        assert model.predict(nothing).tolist() == ["b", "b"]
        np.testing.assert_allclose(model.predict_proba(nothing), [[0.25, 0.75]] * 2)


@every_model
@every_loss
@pytest.mark.parametrize("magnitude", [1e-200, 1e-9, 1e9])
def test_any_magnitude_of_numbers_stays_finite(kind, loss, magnitude):
    X = draw() * magnitude
    assert_sound(make(kind, loss=loss).fit(X, Y), X)


@every_model
def test_whole_numbers_frames_and_lists_are_taken_as_matrices(kind):
    X = draw()
    expected = make(kind).fit(X, Y).components_
    for form in (X.astype(int), X.astype(int).tolist(), pd.DataFrame(X), sparse.csc_array(X)):
        assert (make(kind).fit(form, Y).components_ == expected).all()


@every_model
def test_fitting_leaves_its_arguments_alone(kind):
    X, y, weights = sparse.csr_matrix(draw()), list(Y), np.array([1.0, 2, 1, 1, 1, 1])
    before = X.copy(), list(y), weights.copy()
    make(kind).fit(X, y, sample_weight=weights)
    assert (before[0] != X).nnz == 0
    assert y == before[1]
    assert (weights == before[2]).all()


@every_labelled
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None; NMF needs no labels"),
        ([None] * 6, "y names no label of any document; label some, or use NMF"),
        ([-1] * 6, "y names no label of any document; label some, or use NMF"),
        ([[]] * 6, "y names no label of any document; label some, or use NMF"),
        (np.zeros((6, 2)), "y names no label of any document; label some, or use NMF"),
        (np.full((6, 2), -1), "y names no label of any document; label some, or use NMF"),
        (["a"] * 5, "y must have labels for each of 6 documents, got 5"),
        (["a", ["b"], None, "a", "b", "a"], "y mixes lists of names with single names"),
        (["a", 1, None, "a", "b", "a"], "labels must be of one kind, got int and str; use strings"),
        ([0.5, 1, 2, 1, 2, 1], "labels must be names or whole numbers"),
        (np.full((6, 2), 3), "a matrix of labels holds 0, 1, and -1 for unknown, got 3"),
    ],
)
def test_labels_that_cannot_be_used_are_errors(kind, y, message):
    with pytest.raises(InputError, match=message):
        make(kind).fit(draw(), y)


@every_labelled
@every_loss
@every_solver
def test_one_label_is_enough(kind, loss, solver):
    X = draw()
    model = make(kind, loss=loss, solver=solver).fit(X, ["a", None, None, None, None, None])
    assert_sound(model, X)
    assert model.predict(X).tolist() == ["a"] * 6
    np.testing.assert_allclose(model.predict_proba(X), 1.0)


@every_labelled
@every_loss
@every_solver
def test_one_document_is_enough(kind, loss, solver):
    X = draw((1, 5))
    model = make(kind, loss=loss, solver=solver).fit(X, ["a"])
    assert_sound(model, X)
    assert model.predict(X).tolist() == ["a"]


@every_labelled
@every_loss
@every_solver
def test_a_label_without_documents_is_a_label_still(kind, loss, solver):
    X = draw()
    y = np.array([[1, 0, 0], [0, 0, 1], [-1, -1, -1], [1, 0, 0], [0, 0, 0], [0, 0, 1]])
    model = make(kind, 3, loss=loss, solver=solver).fit(X, y)
    assert_sound(model, X)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(X).shape == (6, 3)
    assert model.class_prior_.tolist() == [0.5, 0.0, 0.5]


@every_loss
def test_labelled_documents_that_all_have_weight_zero_cannot_be_weighed_against_the_others(loss):
    X, weights = draw(), [0, 0, 1, 0, 1, 0]
    with pytest.raises(InputError, match="every labelled document has a sample weight of zero"):
        make("topic", loss=loss).fit(X, Y, sample_weight=weights)
    assert_sound(make("topic", loss=loss, label_weight=None).fit(X, Y, sample_weight=weights), X)
    assert_sound(make("semi", loss=loss).fit(X, Y, sample_weight=weights), X)


@every_labelled
def test_the_score_is_the_share_of_labelled_documents_whose_labels_are_found(kind):
    X = np.kron(np.eye(2), np.full((3, 2), 3.0)) + 0.1
    y = ["a", "a", None, "b", "b", None]
    model = make(kind).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.score(X, ["a", "b", None, "b", "b", None]) == 0.75
    assert model.score(X, ["a", "b", None, "b", "b", None], sample_weight=[1, 3, 5, 0, 0, 5]) == 0.25


@every_labelled
def test_labels_are_predicted_in_the_kind_they_were_given(kind):
    X = np.kron(np.eye(2), np.full((3, 2), 3.0)) + 0.1
    lists = [["a"], ["a"], [], ["b"], ["b"], []]
    matrix = np.array([[1, 0], [1, 0], [0, 0], [0, 1], [0, 1], [0, 0]])
    names = make(kind).fit(X, ["a", "a", None, "b", "b", None]).predict(X)
    assert isinstance(names, np.ndarray)
    assert names.tolist() == ["a"] * 3 + ["b"] * 3
    numbers = make(kind).fit(X, [7, 7, -1, 9, 9, -1]).predict(X)
    assert numbers.tolist() == [7] * 3 + [9] * 3
    assert make(kind).fit(X, lists).predict(X) == [["a"]] * 3 + [["b"]] * 3
    for y in (matrix, sparse.csr_matrix(matrix), pd.DataFrame(matrix, columns=["a", "b"])):
        found = make(kind).fit(X, y).predict(X)
        assert found.tolist() == [[1, 0]] * 3 + [[0, 1]] * 3
    assert make(kind).fit(X, pd.DataFrame(matrix, columns=["a", "b"])).classes_.tolist() == ["a", "b"]


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (NMF(2), {"W": np.ones((2, 2))}),
        (TopicSupervisedNMF(2), {"y": Y[:2]}),
        (SemiSupervisedNMF(2), {"y": Y[:2]}),
        (ThemeNMF(1), {"y": Y[:2]}),
        (TopicDiscovery(2), {"progress": interrupt}),
        (AnchorTopics(2, min_df=1), {"progress": interrupt}),
        (SupervisedAnchors(2, min_df=1), {"y": Y[:2]}),
    ],
)
def test_a_fit_that_fails_leaves_the_model_as_it_was(model, wrong):
    X = np.random.RandomState(0).randint(1, 5, (6, 8)).astype(float)
    given = {"y": Y} if "y" in wrong else {}
    model.fit(X, **given)
    before = model.transform(X)
    with pytest.raises((InputError, KeyboardInterrupt)):
        model.fit(X[:, :5], **{**given, **wrong})
    np.testing.assert_array_equal(model.transform(X), before)


def test_a_deep_fit_that_fails_leaves_the_model_as_it_was(monkeypatch):
    X = np.random.RandomState(0).random_sample((6, 8))
    model = DeepSemiNMF([3, 2]).fit(X)
    before = model.transform(X)
    monkeypatch.setattr(DeepSemiNMF, "_store", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :5])
    np.testing.assert_array_equal(model.transform(X), before)
