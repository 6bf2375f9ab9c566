import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from models.planted import (
    LOSSES,
    NAMES,
    SCORES,
    Y,
    assert_sound,
    draw,
    every_loss,
    every_mode,
    every_score,
    every_solver,
    every_supervision,
    hide,
    own_shares,
    plant,
)
from wayword import ThemeNMF, load, save
from wayword.errors import InputError
from wayword.models.theme_blocks import Membership
from wayword.models.theme_fits import _with_new_theme


@every_mode
@every_loss
@every_solver
@every_score
def test_documents_and_terms_that_hold_nothing_do_no_harm(mode, loss, solver, score):
    X = draw()
    X[2] = X[3] = 0
    X[:, 4] = 0
    model = ThemeNMF(2, mode=mode, loss=loss, solver=solver, score=score, n_new_topics=1).fit(X, Y)
    assert_sound(model, X)
    assert (model.transform(X)[2:4] == 0).all()
    assert model.components_[:, 4].max() <= 1e-6 * model.components_.max()
    assert (model.theme_scores(X)[2:4] == 0).all()
    unknown = np.zeros((2, 9))
    unknown[0, 4] = 3.0
    chances = model.predict_proba(unknown)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    if score in ("share", "ratio", "thesis", "likelihood"):
        # An empty document is taken to be like the others.
        np.testing.assert_allclose(chances[1], model.class_prior_)


@every_mode
@every_score
def test_a_matrix_of_zeros_has_themes_of_nothing(mode, score):
    X = np.zeros((12, 9))
    for loss in LOSSES:
        model = ThemeNMF(2, mode=mode, score=score, loss=loss).fit(X, Y)
        assert_sound(model, X)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@every_mode
@every_loss
@pytest.mark.parametrize("magnitude", [1e-200, 1e-9, 1e9])
def test_any_magnitude_of_numbers_stays_finite(mode, loss, magnitude):
    X = draw() * magnitude
    for score in SCORES:
        assert_sound(ThemeNMF(2, mode=mode, loss=loss, score=score).fit(X, Y), X)


@every_mode
@every_loss
def test_entries_that_are_stored_zeros_change_nothing(mode, loss):
    X = draw(12, 30) * (np.random.default_rng(1).random((12, 30)) < 0.4)
    rows, columns = (place.ravel() for place in np.indices(X.shape))
    stored = sparse.csr_matrix((X.ravel(), (rows, columns)), shape=X.shape)
    assert stored.nnz == X.size
    expected, found = (ThemeNMF(2, mode=mode, loss=loss).fit(matrix, Y) for matrix in (X, stored))
    assert found.components_.tobytes() == expected.components_.tobytes()
    np.testing.assert_allclose(found.predict_proba(stored), expected.predict_proba(X), rtol=1e-9)
    assert stored.nnz == X.size


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("n_subtopics", 0, "n_subtopics must be a whole number of 1 or more, got 0"),
        ("n_subtopics", 2.0, "n_subtopics must be a whole number of 1 or more, got 2.0"),
        ("n_new_topics", -1, "n_new_topics must be a whole number of 0 or more, got -1"),
        ("mode", "apart", "mode must be one of 'separated', 'combined', got 'apart'"),
        ("supervision", "none", "supervision must be one of 'competing', 'semi', 'supervised', got 'none'"),
        ("loss", "hinge", "loss must be one of 'kl', 'frobenius', got 'hinge'"),
        ("init", "nndsvda", "init must be one of 'bcool', 'mean', 'random', got 'nndsvda'"),
        ("score", "best", "score must be one of 'stack', 'likelihood', 'share', 'ratio', 'thesis', got 'best'"),
        ("score", None, "score must be one of .*, got None"),
        ("solver", "sgd", "solver must be one of 'cd', 'mu', got 'sgd'"),
        ("background", "yes", "background must be one of True, False, got 'yes'"),
        ("dampen", "log", "dampen must be one of 'auto', True, False, got 'log'"),
        ("max_iter", 0, "max_iter must be a whole number of 1 or more, got 0"),
        ("tol", -1e-3, "tol must be a number of 0 or more, got -0.001"),
        ("tol", float("nan"), "tol must be a number of 0 or more, got nan"),
        ("background", False, "separated themes are told apart by their backgrounds; use background=True, or"),
        ("n_new_topics", 1, "n_new_topics needs unlabelled documents, which alone may use new topics"),
    ],
)
def test_a_setting_that_makes_no_sense_is_an_error(setting, value, message):
    with pytest.raises(InputError, match=message):
        ThemeNMF().set_params(**{setting: value}).fit(draw(), [name or "a" for name in Y])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None; NMF needs no labels"),
        ([None] * 12, "y names no label of any document; label some, or use NMF"),
        (np.full((12, 2), -1), "y names no label of any document; label some, or use NMF"),
        (["a"] * 5, "y must have labels for each of 12 documents, got 5"),
        (["a", ["b"], *[None] * 10], "y mixes lists of names with single names"),
    ],
)
def test_labels_that_cannot_be_used_are_errors(y, message):
    with pytest.raises(InputError, match=message):
        ThemeNMF().fit(draw(), y)


@pytest.mark.parametrize("method", ["transform", "predict", "predict_proba", "theme_scores", "new_topic_scores"])
def test_nothing_is_answered_before_fit(method):
    with pytest.raises(NotFittedError):
        getattr(ThemeNMF(), method)(draw())
    with pytest.raises(NotFittedError):
        ThemeNMF().score(draw(), Y)
    model = ThemeNMF(2).fit(draw(), Y)
    with pytest.raises(ValueError, match="is expecting 9 features"):
        getattr(model, method)(np.ones((2, 4)))


def test_lists_are_taken_as_matrices():
    X = draw()
    model = ThemeNMF(2).fit(X.astype(int).tolist(), Y)
    assert model.components_.tobytes() == ThemeNMF(2).fit(X, Y).components_.tobytes()
    for method in (model.transform, model.predict_proba, model.theme_scores, model.new_topic_scores):
        assert (method(X.tolist()) == method(X)).all()


@every_mode
@every_loss
@every_supervision
@every_solver
def test_documents_of_weight_zero_do_not_matter(mode, loss, supervision, solver):
    X = draw()
    weights = np.ones(12)
    weights[[1, 4, 7]] = 0
    used = weights > 0
    options = {"mode": mode, "loss": loss, "supervision": supervision, "solver": solver, "n_new_topics": 1}
    for y in (Y, [[] if name is None else ["a", name] for name in Y]):
        found = ThemeNMF(2, **options).fit(X, y, sample_weight=weights)
        expected = ThemeNMF(2, **options).fit(X[used], [name for name, uses in zip(y, used, strict=True) if uses])
        assert found.components_.tobytes() == expected.components_.tobytes()
        np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_new_topics_start_from_every_unlabelled_document_however_much_it_counts():
    labelled = Membership(sparse.csr_matrix([[3.0, 0, 0, 0]]), np.array([3.0, 0, 0, 0.5]))
    found = _with_new_theme(labelled, np.array([0.0, 2.0, 0.0, 1.0]))
    assert found.members.toarray().tolist() == [[0, 2.0, 0, 0.5]]
    assert found.weights.tolist() == [3.0, 2.0, 0.0, 0.5]
    assert found.groups[0].tolist() == [1, 3]


def test_unlabelled_documents_count_by_their_weights_for_new_topics():
    X, names = plant(120, n_themes=4)
    told = [None if name in ("ship", "tea") else name for name in names]
    options = {"mode": "combined", "supervision": "supervised", "background": False, "n_new_topics": 1}
    for heavy, places in [("ship", [4, 5]), ("tea", [6, 7])]:
        weights = np.where(names == heavy, 100.0, 1.0)
        model = ThemeNMF(2, **options).fit(X, told, sample_weight=weights)
        (shares,) = own_shares(model.new_topics_)
        assert shares[places].sum() > 0.8


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0] * 12, "finite numbers of 0 or more"),
        ([1.0] * 5, "one number for each of 12 documents"),
        ([0.0] * 12, "not every weight zero"),
        ([float(name is None) for name in Y], "every labelled document has a sample weight of zero"),
    ],
)
def test_weights_of_documents_that_make_no_sense_are_errors(weights, message):
    with pytest.raises(InputError, match=message):
        ThemeNMF().fit(draw(), Y, sample_weight=weights)


def test_new_topics_need_an_unlabelled_document_that_counts():
    with pytest.raises(InputError, match="n_new_topics needs unlabelled documents"):
        ThemeNMF(n_new_topics=1).fit(draw(), Y, sample_weight=[float(name is not None) for name in Y])


@every_mode
@pytest.mark.parametrize("kind", ["single", "lists", "matrix", "none"])
def test_a_model_comes_back_from_a_file_as_it_was(tmp_path, mode, kind):
    X = draw()
    lists = [[] if name is None else [name, "a"] for name in Y]
    y = {"single": Y, "lists": lists, "matrix": np.array([[int("a" in row), int("b" in row)] for row in lists])}
    for score in SCORES:
        model = ThemeNMF(2, mode=mode, score=score, n_new_topics=1).fit(X, y.get(kind))
        save(model, tmp_path / "model.npz")
        back = load(tmp_path / "model.npz")
        assert type(back) is ThemeNMF
        assert back.get_params() == model.get_params()
        assert back.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert back.transform(X).tobytes() == model.transform(X).tobytes()
        assert back.theme_scores(X).tobytes() == model.theme_scores(X).tobytes()
        assert np.array_equal(back.themes_, model.themes_)
        assert list(map(list, back.predict(X))) == list(map(list, model.predict(X)))
        assert all(
            (path == other).all() for path, other in zip(back.objective_paths_, model.objective_paths_, strict=True)
        )


@every_mode
@every_loss
def test_single_precision_stays_single_and_near(mode, loss):
    X, names = plant(90)
    for score in SCORES:
        options = {"mode": mode, "loss": loss, "score": score}
        found = ThemeNMF(2, **options).fit(X.astype(np.float32), names)
        assert found.components_.dtype == found.background_.dtype == np.float32
        assert found.transform(X.astype(np.float32)).dtype == np.float32
        assert (found.predict(X.astype(np.float32)) == ThemeNMF(2, **options).fit(X, names).predict(X)).mean() > 0.9
        assert_sound(found, X.astype(np.float32))


@every_mode
@every_loss
@every_solver
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, mode, loss, solver):
    X = sparse.csr_matrix(np.random.default_rng(0).poisson(0.7, (300, 150)).astype(float))
    y = [NAMES[document % 4] if document % 3 else None for document in range(300)]
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = ThemeNMF(2, mode=mode, loss=loss, solver=solver, n_new_topics=2, max_iter=4, tol=0.0).fit(X, y)
        results.add((model.components_.tobytes(), model.background_.tobytes(), model.predict_proba(X).tobytes()))
    assert len(results) == 1


def test_the_seed_says_what_is_left_to_chance():
    X = draw()

    def fit(seed, **options):
        return ThemeNMF(2, init="random", random_state=seed, **options).fit(X, Y).components_.tobytes()

    assert fit(0) == fit(0) != fit(1)
    assert fit(np.random.RandomState(3)) == fit(np.random.RandomState(3))
    assert fit(None) != fit(None)
    assert ThemeNMF(2).fit(X, Y).components_.tobytes() == ThemeNMF(2, random_state=0).fit(X, Y).components_.tobytes()


def test_the_order_of_documents_only_changes_what_is_drawn():
    X, names = plant(90)
    order = np.random.default_rng(0).permutation(90)
    straight = ThemeNMF(2, supervision="supervised", init="bcool").fit(X, names)
    shuffled = ThemeNMF(2, supervision="supervised", init="bcool").fit(X[order], names[order])
    np.testing.assert_array_equal(straight.predict(X), shuffled.predict(X))


def test_topics_are_named_after_themes_and_new_ones_numbered():
    X = draw()
    model = ThemeNMF(2, n_new_topics=2).fit(X, Y)
    names = ["a 1", "a 2", "b 1", "b 2", "c 1", "c 2", "new topic 1", "new topic 2"]
    assert model.get_feature_names_out().tolist() == names
    frame = model.set_output(transform="pandas").transform(X)
    assert frame.columns.tolist() == names
    assert frame.shape == (12, 8)


def test_what_topics_say_is_the_product_of_weights_and_topics():
    X = draw()
    model = ThemeNMF(2).fit(X, Y)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), model.transform(X) @ model.components_)
    np.testing.assert_allclose(ThemeNMF(2).fit_transform(X, Y), model.transform(X))


@every_score
def test_progress_is_told_after_each_fit(score):
    X, names = plant(90)
    told = []
    ThemeNMF(2, score=score).fit(X, hide(names, 60), progress=lambda *news: told.append(news))
    assert len(told) > 0
    assert told == [("fits", done, len(told)) for done in range(1, len(told) + 1)]


def test_fitting_leaves_its_arguments_alone():
    X, y, weights = sparse.csr_matrix(draw()), list(Y), np.linspace(0, 2, 12)
    before = X.copy(), list(y), weights.copy()
    ThemeNMF(2, n_new_topics=1).fit(X, y, sample_weight=weights)
    assert (before[0] != X).nnz == 0
    assert y == before[1]
    assert (weights == before[2]).all()


@every_score
@every_supervision
def test_only_the_ratios_of_weights_matter(score, supervision):
    X = draw()
    weights = np.where(np.arange(len(X)) % 2, 1.0, 3.0)
    expected = ThemeNMF(2, score=score, supervision=supervision).fit(X, Y, weights)
    for factor in (1 / len(X), 64.0):
        found = ThemeNMF(2, score=score, supervision=supervision).fit(X, Y, factor * weights)
        np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("unknown", [-1, np.nan])
def test_a_label_that_nothing_is_known_of_is_one_that_no_document_has(unknown):
    X, y = draw(), np.eye(3)[np.arange(12) % 3]
    found, expected = (ThemeNMF(2).fit(X, np.column_stack([y, np.full(12, told)])) for told in (unknown, 0))
    assert (found.predict_proba(X) == expected.predict_proba(X)).all()
    assert not found.predict(X)[:, 3].any()


def test_zeros_that_are_stored_are_no_words():
    model = ThemeNMF(2).fit(draw(), Y)
    stored = sparse.csr_matrix((np.zeros(4), [0, 1, 2, 3], [0, 4]), shape=(1, 9))
    expected = model.predict_proba(np.zeros((1, 9)))
    assert (model.predict_proba(stored) == expected).all()
    assert (model.term_evidence(stored).chances == expected[0]).all()


def test_scores_that_the_fit_was_not_for_are_refused():
    X = draw()
    model = ThemeNMF(2, score="likelihood").fit(X, Y)
    for _ in range(2):
        with pytest.raises(InputError, match="fitted for another score than 'stack'; fit it again"):
            model.set_params(score="stack").predict_proba(X)
        model.fit(X, Y).set_params(score="likelihood").fit(X, Y)


def test_terms_are_no_evidence_where_there_are_no_themes():
    X = draw()
    with pytest.raises(InputError, match="new topics but no themes"):
        ThemeNMF(1, n_new_topics=2).fit(X, None).term_evidence(X[:1])


def test_labels_from_an_iterator_are_read_once():
    X = draw()
    once = ThemeNMF(2, n_new_topics=1).fit(X, iter(Y))
    assert (once.subtopics_ == ThemeNMF(2, n_new_topics=1).fit(X, Y).subtopics_).all()
