import numpy as np
import pytest
from scipy import sparse
from scipy.special import logit, softmax
from sklearn.exceptions import NotFittedError

from models.planted import N_COMMON, every_mode, every_score, hide, plant
from wayword import ThemeNMF
from wayword.errors import InputError
from wayword.models.theme_evidence import explain_likelihoods
from wayword.models.theme_inference import mix_themes

X, NAMES = plant()
N_LEARNT = 120


def totals(evidence):
    return evidence.weights.sum(axis=1) + evidence.offsets + evidence.corrections


@every_mode
@pytest.mark.parametrize("score", ["stack", "likelihood"])
@pytest.mark.parametrize("n_labelled", [8, N_LEARNT])
def test_weights_offsets_and_corrections_sum_to_what_chances_come_from(mode, score, n_labelled):
    model = ThemeNMF(2, mode=mode, score=score).fit(X[:N_LEARNT], hide(NAMES[:N_LEARNT], n_labelled))
    for row in X[N_LEARNT : N_LEARNT + 20]:
        evidence = model.term_evidence([row])
        np.testing.assert_allclose(softmax(totals(evidence)), model.predict_proba([row])[0], atol=1e-9)
        np.testing.assert_allclose(totals(evidence).sum(), 0.0, atol=1e-9)


def test_themes_that_speak_for_each_other_correct_what_words_say():
    model = ThemeNMF(2).fit(X[:N_LEARNT], NAMES[:N_LEARNT])
    model.stack_["confusions"] = np.random.default_rng(0).normal(size=(3, 3))
    evidence = model.term_evidence(X[N_LEARNT : N_LEARNT + 1])
    assert np.abs(evidence.corrections).max() > 0.1
    np.testing.assert_allclose(softmax(totals(evidence)), evidence.chances, atol=1e-9)


def test_with_several_labels_they_sum_to_log_odds():
    model = ThemeNMF(2).fit(X[:N_LEARNT], [[name] for name in NAMES[:N_LEARNT]])
    for row in X[N_LEARNT : N_LEARNT + 20]:
        evidence = model.term_evidence([row])
        np.testing.assert_allclose(totals(evidence), logit(evidence.chances), atol=1e-6)


@every_mode
@pytest.mark.parametrize(("score", "several"), [("stack", False), ("stack", True), ("likelihood", False)])
def test_words_that_no_learnt_document_holds_speak_for_no_theme(mode, score, several):
    # One theme of two documents, which is smoothed more than the others.
    kept = np.sort(np.r_[np.flatnonzero(NAMES[:N_LEARNT] != "corn"), np.flatnonzero(NAMES[:N_LEARNT] == "corn")[:2]])
    labels = [[name] for name in NAMES[kept]] if several else NAMES[kept]
    wider = np.hstack([X, np.zeros((len(X), 2))])
    model = ThemeNMF(2, mode=mode, score=score).fit(wider[kept], labels)
    for row in wider[N_LEARNT : N_LEARNT + 5]:
        more = row + np.r_[np.zeros(X.shape[1]), 3.0, 1.0]
        evidence = model.term_evidence([more])
        np.testing.assert_allclose(np.ptp(evidence.weights[:, -2:], axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(evidence.responsibilities.sum(axis=1), 1.0)
        if several:
            np.testing.assert_allclose(totals(evidence), logit(evidence.chances), atol=1e-6)
        else:
            np.testing.assert_allclose(softmax(totals(evidence)), model.predict_proba([more])[0], atol=1e-9)
            np.testing.assert_allclose(totals(evidence).sum(), 0.0, atol=1e-9)


def test_words_of_two_labels_that_both_apply_speak_for_their_own():
    both = X[:N_LEARNT].reshape(-1, 2, X.shape[1]).sum(axis=1)
    labels = [sorted(set(pair)) for pair in NAMES[:N_LEARNT].reshape(-1, 2)]
    model = ThemeNMF(2).fit(np.vstack([X[:N_LEARNT], both]), [*([name] for name in NAMES[:N_LEARNT]), *labels])
    first, second = (N_LEARNT + int(np.flatnonzero(NAMES[N_LEARNT:] == name)[0]) for name in ("corn", "oil"))
    evidence = model.term_evidence(X[[first]] + X[[second]])
    themes = [model.themes_.tolist().index(name) for name in ("corn", "oil")]
    assert evidence.chances[themes].min() > 0.5
    for theme, place in zip(themes, (first, second), strict=True):
        own = (X[place] > 0) & (np.arange(X.shape[1]) >= N_COMMON)
        weights = evidence.weights[theme]
        assert weights[own[evidence.columns]].sum() > np.abs(weights[~own[evidence.columns]]).sum() / 2
        assert weights.sum() > 0


def test_what_is_said_of_an_only_theme_sums_to_its_log_odds():
    model = ThemeNMF(2).fit(X[:N_LEARNT], [["corn"] if name == "corn" else [] for name in NAMES[:N_LEARNT]])
    evidence = model.term_evidence(X[N_LEARNT:][NAMES[N_LEARNT:] == "corn"][:1])
    np.testing.assert_allclose(totals(evidence), logit(evidence.chances), atol=1e-6)
    assert not evidence.corrections.any()


@every_score
@every_mode
def test_evidence_is_about_the_terms_of_the_document(score, mode):
    model = ThemeNMF(2, mode=mode, score=score).fit(X[:N_LEARNT], NAMES[:N_LEARNT])
    row = X[N_LEARNT]
    evidence = model.term_evidence(sparse.csr_matrix(row))
    n_terms = int((row > 0).sum())
    assert evidence.columns.tolist() == np.flatnonzero(row).tolist()
    assert evidence.counts.tolist() == row[row > 0].tolist()
    assert evidence.weights.shape == (3, n_terms)
    assert evidence.responsibilities.shape == (3, 2, n_terms)
    np.testing.assert_allclose(evidence.responsibilities.sum(axis=1), 1.0)
    assert (evidence.responsibilities >= 0).all()
    np.testing.assert_allclose(evidence.weights.sum(axis=0), 0.0, atol=1e-9)
    assert (evidence.chances == model.predict_proba([row])[0]).all()
    assert (evidence.scores == model.theme_scores([row])[0]).all()


@every_mode
def test_words_of_a_theme_speak_for_it_and_common_words_for_none(mode):
    model = ThemeNMF(2, mode=mode).fit(X[:N_LEARNT], NAMES[:N_LEARNT])
    for row, name in zip(X[N_LEARNT:], NAMES[N_LEARNT:], strict=True):
        evidence = model.term_evidence([row])
        weights, own = evidence.weights[model.themes_ == name][0], evidence.columns >= N_COMMON
        assert weights[own].sum() > 2 * np.abs(weights[~own]).sum()


def test_parts_of_likelihoods_sum_to_them():
    rng = np.random.default_rng(0)
    topics, backgrounds = rng.dirichlet(np.ones(9), (3, 2)), rng.dirichlet(np.ones(9), 3)
    counts = sparse.csr_matrix(rng.poisson(1.5, (1, 9)).astype(float))
    parts = explain_likelihoods(counts, topics, backgrounds)
    scores = mix_themes(counts, topics, backgrounds).scores
    np.testing.assert_allclose(parts.weights.sum(axis=1), scores[0], atol=1e-9)


def test_entries_of_zero_are_no_terms():
    model = ThemeNMF(2).fit(X[:N_LEARNT], NAMES[:N_LEARNT])
    row = sparse.csr_matrix(X[:1])
    with_zeros = sparse.csr_matrix((X[0], np.arange(X.shape[1]), [0, X.shape[1]]), shape=row.shape)
    assert (model.term_evidence(with_zeros).columns == model.term_evidence(row).columns).all()
    assert (model.term_evidence(with_zeros).weights == model.term_evidence(row).weights).all()


@every_score
def test_an_empty_document_has_no_terms_and_the_chances_of_any(score):
    model = ThemeNMF(2, score=score).fit(X[:N_LEARNT], NAMES[:N_LEARNT])
    empty = np.zeros((1, X.shape[1]))
    evidence = model.term_evidence(empty)
    assert evidence.weights.shape == (3, 0)
    assert evidence.responsibilities.shape == (3, 2, 0)
    assert (evidence.chances == model.predict_proba(empty)[0]).all()
    assert np.isfinite(evidence.offsets).all()


def test_evidence_takes_one_document_of_a_fitted_model():
    model = ThemeNMF(2)
    with pytest.raises(NotFittedError):
        model.term_evidence(X[:1])
    model.fit(X, NAMES)
    with pytest.raises(InputError, match="one document, got 2"):
        model.term_evidence(X[:2])
    with pytest.raises(ValueError, match="features"):
        model.term_evidence(X[:1, :-1])


def log_odds(chances, kind):
    if kind == "lists":
        return logit(chances)
    return np.log(chances) - np.log(chances).mean()


@pytest.mark.parametrize("kind", ["single", "lists"])
def test_a_document_without_words_is_explained_by_how_frequent_themes_are(kind):
    X, names = plant(length=8, common=0.8)
    model = ThemeNMF(1).fit(X, names if kind == "single" else [[name] for name in names])
    found = model.term_evidence(np.zeros((1, X.shape[1])))
    assert not found.corrections.any()
    np.testing.assert_allclose(found.offsets, log_odds(found.chances, kind), atol=1e-9)


def test_a_model_asked_for_a_score_it_was_not_fitted_for_says_so():
    X, names = plant()
    model = ThemeNMF(1, score="share").fit(X, names).set_params(score="stack")
    with pytest.raises(InputError, match="fitted for another score than 'stack'; fit it again"):
        model.predict_proba(X)
