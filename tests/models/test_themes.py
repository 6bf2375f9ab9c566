from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from models.planted import (
    N_COMMON,
    NAMES,
    STARTS,
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
from wayword import NMF, ThemeNMF, TopicSupervisedNMF, Vectorizer, log_rank_accuracy, split_documents
from wayword.models.theme_blocks import Descent, Membership
from wayword.models.theme_fits import Plan, fit_themes


@every_mode
@every_supervision
@every_loss
def test_planted_themes_are_found_and_held_out_documents_predicted(mode, supervision, loss):
    X, names = plant()
    model = ThemeNMF(2, mode=mode, supervision=supervision, loss=loss).fit(X[:120], hide(names[:120], 60))
    assert (model.predict(X[120:]) == names[120:]).mean() > 0.95
    assert model.score(X[120:], names[120:]) == (model.predict(X[120:]) == names[120:]).mean()
    # The background collects what is common to all documents.
    background = model.background_ / model.background_.sum(axis=1, keepdims=True)
    assert background[:, :N_COMMON].sum(axis=1).min() > 0.5
    if mode == "separated":
        assert (np.sort(np.argsort(-background, axis=1)[:, :N_COMMON], axis=1) == np.arange(N_COMMON)).all()
    if (mode, supervision) == ("separated", "semi"):
        return  # unlabelled documents may use any theme there, and pull it to theirs
    for theme, shares in enumerate(own_shares(model.subtopics_)):
        planted = shares[:, 2 * theme : 2 * theme + 2]
        assert (np.sort(planted.argmax(axis=1)) == [0, 1]).all()
        assert planted.max(axis=1).min() > 0.85


@every_mode
@every_loss
@every_solver
@pytest.mark.parametrize("init", STARTS)
def test_planted_subtopics_are_found_from_every_start(mode, loss, solver, init):
    X, names = plant(150)
    model = ThemeNMF(2, mode=mode, supervision="supervised", loss=loss, solver=solver, init=init).fit(X, names)
    shares = own_shares(model.subtopics_)
    assert min(shares[theme, :, 2 * theme : 2 * theme + 2].sum(axis=1).min() for theme in range(3)) > 0.85


@every_score
@every_mode
def test_every_score_predicts_planted_themes(score, mode):
    X, names = plant()
    model = ThemeNMF(2, mode=mode, score=score).fit(X[:120], hide(names[:120], 60))
    # With one background for all, the ratio compares what was never meant to be compared.
    assert model.score(X[120:], names[120:]) > (0.7 if (score, mode) == ("ratio", "combined") else 0.95)


def test_unlabelled_documents_that_compete_help_where_labels_are_few():
    gains = []
    for seed in range(4):
        X, names = plant(300, length=15, common=0.7, seed=seed)
        told = hide(names[:200], 9)
        competing, supervised = (
            ThemeNMF(2, supervision=supervision, score="likelihood").fit(X[:200], told).score(X[200:], names[200:])
            for supervision in ("competing", "supervised")
        )
        gains.append(competing - supervised)
    assert np.mean(gains) > 0.03


@every_mode
@every_loss
@every_supervision
def test_new_topics_find_a_planted_theme_that_nobody_labelled(mode, loss, supervision):
    X, names = plant(240, n_themes=4)
    told = [None if name == "tea" or document % 2 else name for document, name in enumerate(names)]
    model = ThemeNMF(2, mode=mode, loss=loss, supervision=supervision, n_new_topics=8).fit(X, told)
    assert model.themes_.tolist() == ["corn", "oil", "ship"]
    shares = own_shares(model.new_topics_)
    assert (shares[:, 6:].sum(axis=1) > 0.6).any()
    best = shares[:, 6:].sum(axis=1).argmax()
    scores = model.new_topic_scores(X)
    assert scores.shape == (240, 8)
    assert scores[names == "tea", best].mean() > 1.25 * scores[names != "tea", best].mean()


@every_mode
@every_loss
@every_solver
@every_supervision
def test_labelled_documents_use_no_new_topics(mode, loss, solver, supervision):
    # The last terms are in labelled documents only; what they say cannot be in a new topic.
    X = draw(12, 14)
    unlabelled = [document for document, name in enumerate(Y) if name is None]
    X[np.ix_(unlabelled, range(10, 14))] = 0
    model = ThemeNMF(2, mode=mode, loss=loss, solver=solver, supervision=supervision, n_new_topics=2).fit(X, Y)
    assert (model.new_topics_[:, 10:] <= 1e-12 * model.new_topics_.max()).all()
    assert (model.subtopics_[:, :, 10:].sum(axis=(0, 1)) > 0).all()


@every_loss
def test_step_one_is_factorisation_without_labels(loss):
    X, _ = plant(90)
    model = ThemeNMF(mode="combined", background=False, n_new_topics=7, loss=loss, dampen=False).fit(X, None)
    plain = NMF(7, loss=loss).fit(X)
    (path,) = model.objective_paths_
    assert path[-1] == pytest.approx(plain.objective_path_[-1], rel=0.05)
    assert_sound(model, X)
    assert model.predict(X) == [[]] * 90


@every_loss
def test_step_two_is_supervision(loss):
    X, names = plant(90)
    told = hide(names, 60)
    settings_of_step = {"mode": "combined", "background": False, "supervision": "semi", "dampen": False}
    model = ThemeNMF(1, **settings_of_step, loss=loss, tol=1e-5, max_iter=500).fit(X, told)
    supervised = TopicSupervisedNMF(loss=loss, label_weight=None, tol=1e-5, max_iter=500).fit(X, told)
    assert model.objective_paths_[0][-1] == pytest.approx(supervised.objective_path_[-1], rel=0.01)
    np.testing.assert_allclose(
        model.components_ / model.components_.sum(axis=1, keepdims=True),
        supervised.components_ / supervised.components_.sum(axis=1, keepdims=True),
        atol=0.01,
    )


@every_loss
def test_subtopics_background_and_separation_each_explain_more(loss):
    X, names = plant(120)
    options = {"loss": loss, "supervision": "supervised", "dampen": False, "score": "share"}
    steps = [
        {"n_subtopics": 1, "mode": "combined", "background": False},
        {"n_subtopics": 2, "mode": "combined", "background": False},
        {"n_subtopics": 2, "mode": "combined"},
    ]
    ends = []
    for step in steps:
        model = ThemeNMF(**step, **options).fit(X[:90], names[:90])
        assert_sound(model, X)
        assert model.score(X[90:], names[90:]) > 0.95
        ends.append(model.objective_paths_[0][-1])
    assert ends == sorted(ends, reverse=True)
    assert ends[2] < 0.9 * ends[0]
    separated = ThemeNMF(2, mode="separated", **options).fit(X[:90], names[:90])
    assert len(separated.objective_paths_) == 3
    assert separated.score(X[90:], names[90:]) > 0.95


@every_mode
@every_loss
@every_score
def test_without_any_label_there_are_new_topics_alone(mode, loss, score):
    X, _ = plant(90)
    for y in (None, [None] * 90, np.full((90, 2), -1)):
        model = ThemeNMF(mode=mode, loss=loss, score=score, n_new_topics=6).fit(X, y)
        assert_sound(model, X)
        assert model.themes_.tolist() == []
        assert model.predict(X) == [[]] * 90
        assert model.get_feature_names_out().tolist() == [f"new topic {place}" for place in range(1, 7)]
    shares = own_shares(model.new_topics_)
    assert len(np.unique(shares.argmax(axis=1))) >= 4


def measure(corpus, n_terms, train_share, **options):
    """Return the log rank accuracy of held-out documents, and that of the most frequent themes for all alike."""
    X = Vectorizer(max_terms=n_terms).fit_transform(corpus.texts)
    train, test = split_documents(corpus.labels, train_share)
    told = [corpus.labels[document] for document in train] + [[] for _ in test]
    model = ThemeNMF(**options).fit(X[np.concatenate([train, test])], told)
    known = set(model.themes_)
    truth = [[name for name in corpus.labels[document] if name in known] for document in test]
    themes = model.themes_.tolist()
    by_frequency = log_rank_accuracy(truth, np.tile(model.class_prior_, (len(test), 1)), themes=themes)
    return log_rank_accuracy(truth, model.predict_proba(X[test]), themes=themes), by_frequency


AS_IN_THE_THESIS = {"score": "thesis", "solver": "mu", "supervision": "supervised"}


@pytest.mark.data
def test_labels_of_reuters_are_ranked_well(reuters):
    some = reuters[:800]
    accuracy, by_frequency = measure(some, 1500, 0.2)
    assert accuracy > 0.88
    assert accuracy > by_frequency + 0.1
    for options in ({"score": "thesis"}, AS_IN_THE_THESIS):
        assert accuracy > measure(some, 1500, 0.2, **options)[0] + 0.05


@pytest.mark.data
def test_categories_of_brown_are_ranked_well(brown):
    accuracy, by_frequency = measure(brown, 1500, 0.3)
    assert accuracy > 0.68
    assert accuracy > by_frequency + 0.2
    assert accuracy > measure(brown, 1500, 0.3, score="thesis")[0]
    assert accuracy > measure(brown, 1500, 0.3, **AS_IN_THE_THESIS)[0] + 0.02


@pytest.mark.parametrize("mode", ["separated", "combined"])
def test_by_multiplicative_updates_subtopics_keep_to_the_terms_of_their_own_documents(mode):
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (30, 12)).astype(float)
    X[:6, 6:], X[6:12, :6] = 0.0, 0.0  # what is labelled holds half of the terms each
    names = ["left"] * 6 + ["right"] * 6 + [None] * 18
    model = ThemeNMF(2, mode=mode, supervision="semi", score="thesis", solver="mu").fit(X, names)
    assert not model.subtopics_[0][:, 6:].any()
    assert not model.subtopics_[1][:, :6].any()


@every_mode
def test_new_topics_go_on_from_where_they_are(mode):
    X, names = plant(240, n_themes=4)
    X, told = sparse.csr_matrix(X), np.array([name != "tea" for name in names])
    indicator = np.column_stack([(names == name) & told for name in NAMES[:3]])
    membership = Membership(sparse.csr_matrix(indicator.T.astype(float)), told.astype(float), indicator)
    plan = Plan(mode, "kl", 2, 3, True, "bcool", Descent(max_iter=60, tol=0.0), 0)
    before = fit_themes(X, membership, 1.0 - told, plan)
    short = replace(plan, descent=Descent(max_iter=3, tol=0.0))
    gone_on, fresh = (fit_themes(X, membership, 1.0 - told, short, start) for start in (before, None))
    assert gone_on.paths[-1][-1] < fresh.paths[-1][-1]
    assert gone_on.paths[-1][-1] < 1.02 * before.paths[-1][-1]


def test_iterations_of_all_rounds_count():
    X, names = plant()
    competing, supervised = (
        ThemeNMF(2, supervision=supervision).fit(X, hide(names, 30)) for supervision in ("competing", "supervised")
    )
    assert competing.n_iter_ > supervised.n_iter_ >= max(map(len, supervised.objective_paths_)) - 1
