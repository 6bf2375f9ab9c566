import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from models.planted import (
    MODES,
    N_COMMON,
    NAMES,
    SCORES,
    SUPERVISIONS,
    Y,
    assert_sound,
    draw,
    every_loss,
    every_mode,
    every_score,
    every_solver,
    few,
    plant,
    seeds,
)
from wayword import ThemeNMF, Vectorizer
from wayword.models.folding import fold_in


def weights_by_hand(model, X):
    """Return weights of subtopics and background of each theme, each document folded into each theme alone."""
    X = sparse.csr_matrix(np.log1p(X) if model.score != "thesis" else X)
    if model.mode == "separated":
        pairs = zip(model.subtopics_, model.background_, strict=True)
        return [fold_in(X, np.vstack([theme, background]), model.loss) for theme, background in pairs]
    parts = [model.components_] if model.background_ is None else [model.components_, model.background_]
    W = fold_in(X, np.vstack(parts), model.loss)
    last = W[:, -1:] if model.background else np.zeros((len(W), 1))
    n_subtopics = model.n_subtopics
    places = range(0, n_subtopics * len(model.themes_), n_subtopics)
    return [np.hstack([W[:, place : place + n_subtopics], last]) for place in places]


@every_mode
@every_loss
@pytest.mark.parametrize("score", ["stack", "thesis"])
def test_theme_scores_are_equation_5_1(mode, loss, score):
    X = draw()
    model = ThemeNMF(2, mode=mode, loss=loss, score=score).fit(X, Y)
    other = draw(7, seed=1)
    expected = []
    for W in weights_by_hand(model, other):
        ratios = [[w / (w + row[-1]) if w + row[-1] > 0 else 0.0 for w in row[:-1]] for row in W]
        expected.append([max(row) for row in ratios])
    np.testing.assert_allclose(model.theme_scores(other), np.transpose(expected), rtol=1e-9, atol=1e-12)
    weights = [W[:, :-1] for W in weights_by_hand(model, other)]
    np.testing.assert_allclose(model.transform(other), np.hstack(weights), rtol=1e-9, atol=1e-12)
    backgrounds = np.column_stack([W[:, -1] for W in weights_by_hand(model, other)])
    np.testing.assert_allclose(model.background_weights(other), backgrounds, rtol=1e-9, atol=1e-12)
    if score == "thesis":
        shares = model.theme_scores(other) / model.theme_scores(other).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(other), shares)


@every_loss
def test_without_a_background_the_score_is_the_share_of_the_best_subtopic(loss):
    X = draw()
    model = ThemeNMF(2, mode="combined", background=False, loss=loss).fit(X, Y)
    W = model.transform(X)
    shares = W / np.maximum(W.sum(axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(model.theme_scores(X), shares.reshape(12, 3, 2).max(axis=2), rtol=1e-9)


def test_the_thesis_keeps_the_scale_of_topics_and_other_scores_make_them_sum_to_one():
    X = draw()
    for score in SCORES:
        model = ThemeNMF(2, score=score, n_new_topics=1).fit(X, Y)
        sums = np.concatenate([model.components_.sum(axis=1), model.background_.sum(axis=1)])
        assert np.allclose(sums[sums > 0], 1.0) == (score != "thesis")


@every_mode
@every_score
@few
@given(seed=seeds, n_themes=st.integers(1, 4))
def test_chances_of_single_labels_sum_to_one_in_the_order_of_themes(mode, score, seed, n_themes):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (10, 6)).astype(float)
    y = [*NAMES[:n_themes], *rng.choice(np.append(NAMES[:n_themes], None), 10 - n_themes)]
    model = ThemeNMF(2, mode=mode, score=score, max_iter=10).fit(X, y)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert model.themes_.tolist() == model.classes_.tolist() == sorted(NAMES[:n_themes])
    assert (model.predict(X) == model.themes_[chances.argmax(axis=1)]).all()
    assert_sound(model, X)


@few
@given(seed=seeds)
def test_of_several_labels_those_with_even_chances_or_better_apply(seed):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (10, 6)).astype(float)
    y = [["corn"], ["oil", "ship"], ["ship"], [], *([name for name in NAMES if rng.random() < 0.4] for _ in range(6))]
    model = ThemeNMF(2, max_iter=10).fit(X, y)
    chances = model.predict_proba(X)
    assert ((chances > 0) & (chances < 1)).all()
    assert model.predict(X) == [model.themes_[row >= 0.5].tolist() for row in chances]
    assert_sound(model, X)


def test_documents_of_several_planted_themes_get_several_labels():
    X, names = plant(200)
    both = np.array([X[first] + X[second] for first, second in product(range(20), range(20, 40))])[::5]
    lists = [sorted({names[first], names[second]}) for first, second in product(range(20), range(20, 40))][::5]
    y = [[name] for name in names[40:]] + lists[:40]
    model = ThemeNMF(2).fit(np.vstack([X[40:], both[:40]]), y)
    assert model.score(both[40:], lists[40:]) > 0.9
    assert model.score(X[:40], [[name] for name in names[:40]]) > 0.9


@every_mode
def test_a_document_alone_gets_the_answer_it_gets_among_others(mode):
    X = draw()
    for score in SCORES:
        model = ThemeNMF(2, mode=mode, score=score).fit(X, Y)
        together = model.predict_proba(X)
        for row in range(len(X)):
            np.testing.assert_allclose(model.predict_proba(X[[row]])[0], together[row], rtol=1e-12)


def test_every_form_of_single_labels_gives_the_same_themes():
    X = draw()
    codes = {"a": 3, "b": 5, "c": 8}
    forms = [
        np.array(Y, dtype=object),
        pd.Series(Y),
        [float("nan") if name is None else name for name in Y],
        [codes.get(name, -1) for name in Y],
        np.array([codes.get(name, np.nan) for name in Y]),
    ]
    expected = ThemeNMF(2).fit(X, Y)
    for form in forms:
        found = ThemeNMF(2).fit(X, form)
        assert found.components_.tobytes() == expected.components_.tobytes()
        assert (found.predict_proba(X) == expected.predict_proba(X)).all()
        assert len(found.predict(X)) == 12
    assert ThemeNMF(2).fit(X, forms[3]).themes_.tolist() == [3, 5, 8]


def test_every_form_of_several_labels_gives_the_same_themes():
    X = draw()
    lists = [["a"], ["b", "c"], [], ["a", "b"], [], ["b"], ["c"], ["c"], ["a", "c"], [], ["a"], ["b"]]
    matrix = np.array([[int(name in row) for name in "abc"] for row in lists])
    unknown = np.where(matrix.any(axis=1, keepdims=True), matrix, -1)
    forms = [
        [row or None for row in lists],
        matrix,
        matrix.tolist(),
        unknown,
        np.where(unknown == -1, np.nan, unknown),
        sparse.csr_matrix(matrix),
        pd.DataFrame(matrix, columns=list("abc")),
    ]
    expected = ThemeNMF(2).fit(X, lists)
    for form in forms:
        found = ThemeNMF(2).fit(X, form)
        assert found.components_.tobytes() == expected.components_.tobytes()
        assert (found.predict_proba(X) == expected.predict_proba(X)).all()
    assert expected.predict(X) == [
        np.array(list("abc"))[row == 1].tolist() for row in ThemeNMF(2).fit(X, matrix).predict(X)
    ]


@every_mode
@every_loss
def test_a_theme_that_no_document_has_is_a_theme_still(mode, loss):
    X = draw()
    y = np.array([[1, 0, 0], [0, 0, 1], [-1, -1, -1], [0, 0, 0]] * 3)
    for score, supervision in product(SCORES, SUPERVISIONS):
        model = ThemeNMF(2, mode=mode, loss=loss, score=score, supervision=supervision).fit(X, y)
        assert model.themes_.tolist() == [0, 1, 2]
        assert model.predict(X).shape == (12, 3)
        assert_sound(model, X)


@every_mode
@every_loss
@every_solver
def test_one_label_one_document_and_one_theme_of_all_are_enough(mode, loss, solver):
    X = draw()
    for n_documents, y in [(12, ["a"] + [None] * 11), (12, ["a"] * 12), (1, ["a"]), (2, ["a", "b"])]:
        for score in SCORES:
            model = ThemeNMF(mode=mode, loss=loss, solver=solver, score=score).fit(X[:n_documents], y)
            assert_sound(model, X)
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


@every_mode
@every_loss
def test_a_theme_of_one_document_and_one_of_every_document(mode, loss):
    X, names = plant(60)
    lists = [[name, "all"] for name in names]
    lists[0].append("one")
    model = ThemeNMF(2, mode=mode, loss=loss).fit(X, lists)
    assert_sound(model, X)
    predicted = model.predict(X)
    assert np.mean([("all" in row) for row in predicted]) > 0.9
    assert "one" in predicted[0]


@every_mode
@every_loss
def test_semi_without_unlabelled_documents_is_supervised(mode, loss):
    X = draw()
    y = [name or "c" for name in Y]
    results = {
        ThemeNMF(2, mode=mode, loss=loss, supervision=supervision).fit(X, y).predict_proba(X).tobytes()
        for supervision in SUPERVISIONS
    }
    assert len(results) == 1


@every_mode
@every_loss
def test_supervised_themes_do_not_look_at_unlabelled_documents(mode, loss):
    X = draw()
    told = [name is not None for name in Y]
    strange = np.where(np.array(told)[:, None], X, 50 * draw(seed=7))
    options = {"mode": mode, "loss": loss, "supervision": "supervised"}
    expected = ThemeNMF(2, **options).fit(X[told], [name for name in Y if name])
    found = ThemeNMF(2, **options).fit(strange, Y)
    assert found.components_.tobytes() == expected.components_.tobytes()
    assert (found.predict_proba(X) == expected.predict_proba(X)).all()


def test_score_is_a_setting_and_a_method():
    X, names = plant(90)
    model = ThemeNMF(2, score="thesis")
    assert model.score == "thesis"
    assert model.get_params()["score"] == "thesis"
    assert type(model.get_params()["score"]) is str
    assert clone(model).score == "thesis"
    assert model.set_params(score="share").score == "share"
    assert "score='share'" in repr(model)
    assert "score=" not in repr(ThemeNMF())
    model.fit(X[:60], names[:60])
    right = model.predict(X[60:]) == names[60:]
    assert model.score(X[60:], names[60:]) == right.mean()
    weights = np.arange(30.0)
    assert model.score(X[60:], names[60:], sample_weight=weights) == pytest.approx(np.average(right, weights=weights))
    copied = pickle.loads(pickle.dumps(model))
    assert copied.score == "share"
    assert copied.score(X, names) == model.score(X, names)


def test_cross_validation_and_search_take_score_as_both():
    X, names = plant(90)
    scores = cross_val_score(ThemeNMF(2, score="share"), X, names, cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.9
    search = GridSearchCV(ThemeNMF(2), {"score": SCORES, "mode": MODES}, cv=2).fit(X, names)
    assert search.best_params_["score"] in SCORES
    assert search.best_estimator_.score == search.best_params_["score"]
    assert search.score(X, names) > 0.95
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_themes_end_a_pipeline_from_texts():
    texts = ["corn maize", "maize corn field", "oil barrel", "barrel oil well", "corn field", "oil well"]
    y = ["corn", "corn", "oil", "oil", None, None]
    model = make_pipeline(Vectorizer(), ThemeNMF(1)).fit(texts, y)
    assert model.predict(["maize field", "oil well"]).tolist() == ["corn", "oil"]
    assert model.score(texts, y) == 1.0


def test_where_there_may_be_several_labels_a_text_of_common_words_is_not_given_most():
    X, names = plant(400, n_themes=4)
    model = ThemeNMF(2).fit(X, [[name] for name in names])
    short = np.eye(X.shape[1])[:N_COMMON]
    chances = model.predict_proba(short)
    assert (
        model.predict_proba(X).argmax(axis=1) == [model.themes_.tolist().index(name) for name in names]
    ).mean() > 0.95
    assert np.abs(chances.sum(axis=1) - 1.0).mean() < 0.35
    assert max(map(len, model.predict(short))) <= 2


def test_where_there_may_be_several_labels_a_text_without_words_has_the_rates_of_labels():
    X, names = plant(60)
    y = [[name, "all"] for name in names]
    chances = ThemeNMF(1).fit(X, y).predict_proba(np.zeros((1, X.shape[1])))[0]
    assert chances[0] == pytest.approx(60.5 / 61, rel=1e-12)
    np.testing.assert_allclose(chances[1:], [(np.sum(names == name) + 0.5) / 61 for name in sorted(set(names))])


def test_labels_that_are_mostly_unknown_are_as_likely_as_among_the_known():
    X, names = plant(400, n_themes=2)
    rng = np.random.default_rng(0)
    truth = np.column_stack([names == name for name in sorted(set(names))] + [rng.random(400) < 0.5]).astype(int)
    truth[:, 2] |= truth[:, 0]
    told = truth.astype(float)
    told[rng.random(400) < 0.8, 2] = np.nan
    chances = ThemeNMF(2).fit(X, told).predict_proba(X)[:, 2]
    assert abs(chances.mean() - truth[:, 2].mean()) < 0.15


def test_rare_documents_by_weight_make_rare_labels():
    X, names = plant(60)
    weights = np.where(names == "corn", 1e-6, 1.0)
    empty = np.zeros((1, X.shape[1]))
    assert ThemeNMF(1).fit(X, names, sample_weight=weights).predict_proba(empty)[0, 0] < 1e-5


def test_documents_without_any_label_are_told_from_others_where_they_are_known():
    X, names = plant(240, common=0.4)
    truth = (names[:, None] == ["corn", "oil"]).astype(int)  # nothing applies to what is shipped
    told = truth[:180].copy()
    told[::6] = -1
    found = ThemeNMF(2).fit(X[:180], told).predict(X[180:])
    assert (found == truth[180:]).all(axis=1).mean() > 0.9
    assert found[names[180:] == "ship"].any(axis=1).mean() < 0.2
