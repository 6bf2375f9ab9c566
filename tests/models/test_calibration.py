import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit, log_softmax, logit, softmax

from models.planted import hide, plant
from wayword import ThemeNMF
from wayword.evaluation.calibration import expected_calibration_error
from wayword.models.calibration import (
    USUAL_BEND,
    USUAL_SCALE,
    USUAL_WEIGHT,
    Curves,
    HeldOut,
    bend_gaps,
    choose_weight,
    combine,
    correct,
    count_folds,
    even_out,
    find_silence,
    find_wordless_rates,
    fit_confusions,
    fit_curves,
    fit_scale,
    fit_scale_and_bend,
    fit_stretch,
    hold_out,
    leave_out,
    split_finely,
)
from wayword.models.labels import read_labels

some_labels = st.lists(st.lists(st.sampled_from("abcdef"), max_size=2, unique=True), min_size=1, max_size=80)


def draw_scores(n_documents, n_themes=4, seed=0):
    return 3.0 * np.random.default_rng(seed).normal(size=(n_documents, n_themes))


def draw_labels(chances, seed=1):
    """Return one label for each document, drawn with these chances, as an indicator."""
    ends = chances.cumsum(axis=1)
    drawn = np.random.default_rng(seed).random((len(chances), 1)) * ends[:, -1:]
    return np.arange(chances.shape[1]) == (drawn > ends).sum(axis=1)[:, None]


def surprise(scores, indicator):
    return -log_softmax(scores, axis=1)[indicator].mean()


@given(some_labels, st.integers(0, 2**31 - 1))
def test_every_label_keeps_a_document_and_parts_are_disjoint(lists, seed):
    labels = read_labels([[*row] for row in lists], len(lists))
    parts = hold_out(labels, seed)
    held = np.concatenate(parts) if parts else np.zeros(0, dtype=int)
    assert len(set(held.tolist())) == len(held)
    assert labels.labelled[held].all()
    assert len(held) == 0 or len(held) >= 10
    for part in parts:
        assert len(part)
        assert labels.without(part).indicator.any(axis=0).all()
    again = hold_out(labels, seed)
    assert [part.tolist() for part in parts] == [part.tolist() for part in again]


@given(st.integers(0, 3000), st.integers(1, 3), st.integers(0, 2**31 - 1))
def test_each_trial_leaves_out_documents_of_its_own_and_sees_those_of_the_next(n_unlabelled, n_trials, seed):
    unlabelled = np.arange(7, 7 + n_unlabelled)
    parts = leave_out(unlabelled, n_trials, seed)
    left = np.concatenate(parts)
    assert len(parts) == n_trials + 1
    assert len(np.unique(left)) == len(left)
    assert np.isin(left, unlabelled).all()
    assert {len(part) for part in parts} == {min(n_unlabelled // 10, 500) if len(left) else 0}
    assert len(left) > 0 or n_trials * (n_unlabelled // 10) < 10


def test_too_few_documents_are_not_held_out():
    assert hold_out(read_labels([*"ab"] * 4 + [None] * 90, 98), 0) == []
    assert hold_out(read_labels([str(place) for place in range(90)], 90), 0) == []
    assert hold_out(read_labels([*"ab"] * 6, 12), 0) != []


def test_a_few_documents_are_all_held_out_in_turns():
    parts = hold_out(read_labels([*"abc"] * 100, 300), 0)
    assert len(parts) == 3
    assert np.sort(np.concatenate(parts)).tolist() == list(range(300))


def test_of_many_documents_some_are_held_out_once():
    parts = hold_out(read_labels([*"abcd"] * 1000, 4000), 0)
    assert [len(part) for part in parts] == [500]
    assert [len(part) for part in hold_out(read_labels([*"abcd"] * 1000, 4000), 0, 1000)] == [1000]
    assert [len(part) for part in hold_out(read_labels([*"abcd"] * 1000, 4000), 0, 1500)] == [1334, 1333, 1333]


def test_small_corpora_are_held_out_in_more_parts():
    assert [count_folds(n) for n in (0, 500, 2000, 2500, 5000, 100_000)] == [5, 5, 5, 4, 3, 3]
    parts = hold_out(read_labels([*"abc"] * 100, 300), 0, most_folds=10)
    assert [len(part) for part in parts] == [30] * 10
    assert len(np.unique(np.concatenate(parts))) == 300
    assert len(hold_out(read_labels([*"abcd"] * 1000, 4000), 0, most_folds=10)) == 1


def test_another_seed_holds_out_other_documents():
    labels = read_labels([*"abcd"] * 1000, 4000)
    assert set(hold_out(labels, 0)[0].tolist()) != set(hold_out(labels, 1)[0].tolist())


def test_evidence_is_combined_by_its_weights():
    evidence = np.random.default_rng(0).normal(size=(2, 3, 4))
    np.testing.assert_allclose(combine(evidence, 0.5), evidence[0] + 0.5 * evidence[1])


def test_a_document_said_twice_is_a_little_surer_and_no_more():
    counts = sparse.csr_matrix(np.array([[1.0, 3.0], [2.0, 6.0], [100.0, 300.0], [200.0, 600.0]]))
    sums = np.array([[4.0], [8.0], [400.0], [800.0]])  # log ratios of one a word
    short, twice, long, longer = even_out(sums / np.sqrt(sums), counts).ravel()
    assert (short, twice) == pytest.approx((4 / 12, 8 / 16))
    assert longer == pytest.approx(long, rel=0.02)
    assert even_out(np.ones((1, 3)), sparse.csr_matrix((1, 2))).tolist() == [[0.0, 0.0, 0.0]]


def test_what_is_fitted_often_is_tried_on_few_documents_at_once():
    folds = [np.arange(0, 90, 3), np.arange(1, 90, 3), np.arange(2, 90, 3)]
    parts = split_finely(folds, 90)
    assert np.concatenate(parts).tolist() == np.concatenate(folds).tolist()
    assert {len(part) for part in parts} <= {7, 8, 9}
    assert len(split_finely([np.arange(500)], 5000)) == 1


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.3])
def test_a_planted_scale_is_found(scale):
    scores = draw_scores(5000)
    found = fit_scale(scores, draw_labels(softmax(scale * scores, axis=1)), 0.5)
    assert found == pytest.approx(scale, rel=0.08)


def test_with_few_documents_the_scale_stays_near_the_usual_one():
    scores = draw_scores(3)
    right = np.arange(4) == scores.argmax(axis=1)[:, None]
    assert 0.5 < fit_scale(scores, right, 0.5) < 2.0 * 0.5
    assert 0.5 * 0.5 < fit_scale(-scores, right, 0.5) < 0.5


def test_likeliest_labels_apply_as_often_as_their_chances_say_whatever_the_shape_of_scores():
    scores = draw_scores(5000)
    labels = draw_labels(0.8 * softmax(scores, axis=1) + 0.05)  # a fifth of all labels come from nowhere
    chances = softmax(fit_scale(scores, labels) * scores, axis=1)
    right = labels[np.arange(len(labels)), chances.argmax(axis=1)]
    assert chances.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.02)


def test_other_labels_of_a_document_do_not_change_the_scale():
    scores = draw_scores(200)
    first = np.arange(4) == scores.argmax(axis=1)[:, None]
    both = first | (np.arange(4) == np.argsort(-scores, axis=1)[:, [1]])
    assert fit_scale(scores, both, 0.5) == fit_scale(scores, first, 0.5)


def test_one_label_alone_has_nothing_to_scale():
    assert fit_scale(np.ones((5, 1)), np.ones((5, 1), dtype=bool)) == USUAL_SCALE


def test_bent_gaps_are_those_of_the_formula_and_keep_the_order():
    scores = draw_scores(20)
    np.testing.assert_array_equal(bend_gaps(scores, 1.0), scores)
    for bend in (0.3, 0.999, 1.5):
        bent = bend_gaps(scores, bend)
        for row, old in zip(bent, scores, strict=True):
            assert row.tolist() == pytest.approx([-((1.0 + max(old) - each) ** bend - 1.0) / bend for each in old])
        np.testing.assert_array_equal(np.argsort(bent, axis=1), np.argsort(scores, axis=1))
    np.testing.assert_allclose(bend_gaps(scores, 1.0 - 1e-9), scores - scores.max(axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("bend", [0.4, 0.7, 1.3])
def test_planted_bends_are_found_and_chances_mean_what_they_say(bend):
    scores = 4.0 * draw_scores(5000)
    labels = draw_labels(softmax(bend_gaps(1.5 * scores, bend), axis=1))
    scale, found = fit_scale_and_bend(scores, labels, 1.0)
    assert found == pytest.approx(bend, abs=0.12)
    bent = softmax(bend_gaps(scale * scores, found), axis=1)
    straight = softmax(fit_scale(scores, labels, 1.0) * scores, axis=1)
    errors = [expected_calibration_error(labels.astype(int), chances) for chances in (bent, straight)]
    assert errors[0] < min(0.02, errors[1])


def test_scales_and_bends_allow_for_what_is_added_to_scores():
    scores, prior = 4.0 * draw_scores(5000), np.log([0.7, 0.15, 0.1, 0.05])
    unsaid = np.random.default_rng(3).random((5000, 1)) * prior
    labels = draw_labels(softmax(bend_gaps(0.1 * scores + unsaid, 0.8), axis=1))
    scale, bend = fit_scale_and_bend(scores, labels, 1.0, unsaid=unsaid)
    assert (scale, bend) == (pytest.approx(0.1, rel=0.15), pytest.approx(0.8, abs=0.2))
    deaf = fit_scale_and_bend(scores, labels, 1.0)
    errors = [
        expected_calibration_error(labels.astype(int), softmax(bend_gaps(found[0] * scores + unsaid, found[1]), axis=1))
        for found in ((scale, bend), deaf)
    ]
    assert errors[0] < min(0.015, errors[1] - 0.005)


def test_labels_are_not_named_by_their_frequency_because_nobody_would_be_surprised():
    scores = draw_scores(400, 20)
    labels, unsaid = draw_labels(softmax(0.7 * scores, axis=1)), 0.1 * np.log(np.arange(1, 21) / 210)
    assert fit_scale_and_bend(scores, labels, 1.0, unsaid=unsaid)[0] > 0.5


def test_with_few_documents_gaps_are_bent_about_as_usual():
    scores = draw_scores(3)
    right = np.arange(4) == scores.argmax(axis=1)[:, None]
    for said in (scores, -scores):
        assert fit_scale_and_bend(said, right, 0.5)[1] == pytest.approx(USUAL_BEND, abs=0.2)
    assert fit_scale_and_bend(np.ones((5, 1)), np.ones((5, 1), dtype=bool)) == (USUAL_SCALE, 1.0)


NEIGHBOURS = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) == 1


def test_neighbours_on_a_scale_are_learnt_and_make_held_out_labels_likelier():
    scores = draw_scores(3000, 5)
    labels = draw_labels(softmax(correct(scores, 1.5 * NEIGHBOURS), axis=1))
    found = fit_confusions(scores[:1500], labels[:1500])
    held = scores[1500:], labels[1500:]
    assert surprise(correct(held[0], found), held[1]) < surprise(*held) - 0.02
    rest = ~NEIGHBOURS & ~np.eye(5, dtype=bool)
    assert found[NEIGHBOURS].mean() > found[rest].mean() + 0.5


def test_without_confusions_to_learn_hardly_any_are_learnt():
    scores = draw_scores(3000)
    labels = draw_labels(softmax(scores, axis=1))
    found = fit_confusions(scores, labels)
    assert abs(surprise(correct(scores, found), labels) - surprise(scores, labels)) < 0.01


def test_confusions_are_learnt_from_ten_held_out_documents_a_theme_on():
    scores = draw_scores(40)
    labels = draw_labels(softmax(scores, axis=1))
    assert not fit_confusions(scores[:39], labels[:39]).any()
    assert fit_confusions(scores, labels).any()


def test_no_confusions_change_no_score():
    scores = draw_scores(7)
    assert (correct(scores, np.zeros((4, 4))) == scores).all()


def test_the_chance_of_a_theme_rises_with_its_share_and_its_distance():
    scores, curves = np.zeros((30, 3)), Curves(1.4, 0.8, np.array([0.2, 0.7, -0.3]))
    scores[:, 1] = np.linspace(-6, 6, 30)
    chances = curves.chances(scores, np.zeros((30, 3)))
    assert (np.diff(chances[:, 1]) > 0).all()
    assert (np.diff(chances[:, [0, 2]], axis=0) < 0).all()
    assert (chances[:, 0] > chances[:, 2]).all()
    farther = curves.chances(scores, np.eye(3)[np.zeros(30, dtype=int)])
    assert (farther[:, 0] > chances[:, 0]).all()
    assert (farther[:, 1:] == chances[:, 1:]).all()


def hold(scores, distances, labels, known=None):
    counts = np.ones(scores.shape) if known is None else known.astype(float)
    return HeldOut(scores, distances, labels.astype(float), counts)


def draw_several(n_documents):
    """Return scores, distances, offsets and the labels of curves with a slope of 1.5 and a pull of 2."""
    scores, offsets = draw_scores(n_documents, 3), np.array([1.5, 0.5, 0.0])
    distances = np.random.default_rng(5).normal(size=scores.shape)
    chances = expit(1.5 * log_softmax(scores, axis=1) + 2.0 * distances + offsets)
    return scores, distances, offsets, np.random.default_rng(2).random(chances.shape) < chances


def test_planted_curves_are_found_with_an_offset_for_each_theme():
    scores, distances, offsets, labels = draw_several(4000)
    found = fit_curves(hold(scores, distances, labels))
    assert found.slope == pytest.approx(1.5, rel=0.1)
    assert found.pull == pytest.approx(2.0, rel=0.1)
    np.testing.assert_allclose(found.offsets, offsets, atol=0.15)


def test_what_is_not_known_changes_no_curve():
    scores, distances, _, labels = draw_several(400)
    known = np.random.default_rng(3).random(labels.shape) < 0.5
    one, other = (fit_curves(hold(scores, distances, truth, known)) for truth in (labels, labels & known))
    assert (one.slope, one.pull, one.offsets.tolist()) == (other.slope, other.pull, other.offsets.tolist())


def test_documents_without_words_are_given_the_rates_of_themes():
    n_themes = 4
    scores = 12.0 * np.eye(n_themes)[np.arange(400) % n_themes]  # each clearly of one theme
    distances, labels = scores / 6.0 - 1.0, scores > 0
    held = hold(scores, distances, labels)
    silent, rates = np.zeros(n_themes), np.full(n_themes, 0.25)
    told = fit_curves(held.with_silent(silent, silent, rates))
    untold = fit_curves(held)
    chances = [curves.chances(silent[None], silent[None])[0, 0] for curves in (told, untold)]
    assert abs(chances[0] - 0.25) < 0.1 < abs(chances[1] - 0.25)


def test_with_few_documents_the_offsets_of_themes_stay_together():
    scores = draw_scores(12, 3)
    labels = np.random.default_rng(0).random(scores.shape) < 0.5
    labels[:, 0] = True
    offsets = fit_curves(hold(scores, np.zeros_like(scores), labels)).offsets
    assert offsets[0] == offsets.max()
    assert np.ptp(offsets) < 2.0


def test_a_model_of_few_labelled_documents_keeps_the_usual_calibration():
    X, names = plant(length=8, common=0.8)  # themes that are hard to tell apart
    told = hide(names, 7)
    few = ThemeNMF(1).fit(X, told).stack_
    assert (few["weight"], few["scale"], few["bend"]) == (USUAL_WEIGHT, USUAL_SCALE, USUAL_BEND)
    assert not few["confusions"].any()
    many = ThemeNMF(1).fit(X, names).stack_
    assert many["scale"] != pytest.approx(USUAL_SCALE)
    assert many["confusions"].any()
    lists = ThemeNMF(1).fit(X, [[name] for name in names]).stack_
    assert not lists["confusions"].any()
    assert lists["bend"] == 1.0
    assert len(set(lists["offsets"].tolist())) == 3


def draw_evidence(n_documents, strengths):
    """Evidence of two kinds that speaks for the right theme of each document, more or less."""
    rng = np.random.RandomState(4)
    truth = np.eye(4, dtype=bool)[rng.randint(4, size=n_documents)]
    return np.stack([strength * truth + rng.standard_normal(truth.shape) for strength in strengths]), truth


def test_useless_likelihoods_make_distances_count_for_more():
    evidence, truth = draw_evidence(400, (0.0, 1.0))
    assert choose_weight(evidence * np.array([20.0, 1.0])[:, None, None], truth) > USUAL_WEIGHT


def test_useless_distances_make_them_count_for_less():
    assert choose_weight(*draw_evidence(400, (2.0, 0.0))) < USUAL_WEIGHT


def test_the_fewer_documents_are_held_out_the_nearer_the_weight_stays_to_the_usual_one():
    evidence, truth = draw_evidence(800, (2.0, 0.0))
    weights = [choose_weight(evidence[:, :few], truth[:few]) for few in (10, 20, 50, 200, 800)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.7 * USUAL_WEIGHT
    assert weights[-1] == pytest.approx(0.125, rel=0.1)


def test_fewer_documents_than_labels_change_no_weight():
    assert choose_weight(*draw_evidence(3, (0.0, 0.5))) == USUAL_WEIGHT
    assert choose_weight(*draw_evidence(4, (0.0, 0.5))) != USUAL_WEIGHT


def test_evidence_that_any_weight_ranks_alike_has_about_the_usual_weight():
    truth = np.eye(3, dtype=bool)[np.arange(90) % 3]
    assert choose_weight(np.stack([1.0 * truth, 1.0 * truth]), truth) == pytest.approx(USUAL_WEIGHT, rel=0.2)


def test_what_a_document_does_not_say_falls_with_its_length():
    silence = find_silence(sparse.csr_matrix([[0.0, 0.0], [1.0, 0.0], [4.0, 4.0], [400.0, 392.0]])).ravel()
    assert silence.tolist() == pytest.approx([1.0, 8 / 9, 0.5, 0.01])


def clone_without_prior(model):
    """Return the same model as versions that did not keep a prior had it."""
    plain = copy.deepcopy(model)
    del plain.stack_["prior"]
    return plain


@pytest.mark.parametrize("kind", [str, lambda name: [name]])
def test_the_less_a_document_says_the_more_it_counts_how_often_labels_are_given(kind):
    X, names = plant(length=30, common=0.5)
    often = np.array([name == names[0] or place % 4 == 0 for place, name in enumerate(names)])
    model = ThemeNMF(1).fit(X[often], [kind(name) for name in np.array(names)[often].tolist()])
    usual = model.themes_.tolist().index(names[0])
    documents = np.outer([1, 3, 10, 30], X.mean(axis=0) / X.mean(axis=0).sum())  # of what is common to all
    chances = model.predict_proba(documents)[:, usual]
    unsaid = clone_without_prior(model).predict_proba(documents)[:, usual]
    gains = logit(chances) - logit(unsaid)
    assert (gains > 0).all()
    assert gains.tolist() == sorted(gains, reverse=True)


def sureness(evidence, weight, scale):
    return softmax(scale * combine(evidence, weight), axis=1).max(axis=1).mean()


def test_likelihoods_of_new_documents_are_stretched_until_one_is_as_sure_of_them():
    seen, _ = draw_evidence(2000, (2.0, 1.0))
    unseen = seen * np.array([0.4, 1.0])[:, None, None]
    found = fit_stretch(seen, unseen, 0.5, 3.0)
    assert 2.2 < found < 2.5  # 2.5 less what may be chance
    stretched = unseen * np.array([found, 1.0])[:, None, None]
    gap = sureness(seen, 0.5, 3.0) - sureness(stretched, 0.5, 3.0)
    assert 0.0 < gap < 0.01


def test_few_documents_stretch_likelihoods_less():
    seen, _ = draw_evidence(2000, (2.0, 1.0))
    unseen = seen * np.array([0.4, 1.0])[:, None, None]
    stretches = [fit_stretch(seen[:, :few], unseen[:, :few], 0.5, 3.0) for few in (15, 100, 2000)]
    assert stretches == sorted(stretches)
    assert stretches[0] < 2.0


def test_nothing_is_stretched_where_one_is_as_sure_anyway_or_nothing_is_known():
    evidence, _ = draw_evidence(50, (2.0, 1.0))
    assert fit_stretch(evidence, evidence, 0.5, 3.0) == 1.0
    assert fit_stretch(evidence, 2.0 * evidence, 0.5, 3.0) == 1.0
    assert fit_stretch(evidence[:, :0], evidence, 0.5, 3.0) == 1.0
    assert fit_stretch(evidence, evidence[:, :0], 0.5, 3.0) == 1.0
    assert fit_stretch(evidence[:, :, :1], evidence[:, :, :1], 0.5, 3.0) == 1.0


def test_a_stretch_has_an_end():
    evidence, _ = draw_evidence(50, (2.0, 1.0))
    assert fit_stretch(evidence, 0.0 * evidence, 0.5, 3.0) == 16.0


def test_what_may_be_chance_stretches_nothing():
    evidence, _ = draw_evidence(400, (2.0, 1.0))
    seen, unseen = evidence[:, :200], evidence[:, 200:] * np.array([0.99, 1.0])[:, None, None]
    assert fit_stretch(seen, unseen, 512.0, 0.01) == 1.0


def plant_with_rare_words(n_documents=400, n_rare=4000):
    """Planted themes that are hard to tell apart, and in each document words that hardly any other has."""
    X, names = plant(n_documents, length=12, common=0.7)
    rare = np.random.default_rng(5).random((n_documents, n_rare)) < 25 / n_rare
    return sparse.csr_matrix(np.hstack([X, rare])), names


def test_a_model_is_as_sure_of_new_documents_as_of_those_it_was_fitted_with():
    X, names = plant_with_rare_words()
    model = ThemeNMF(1).fit(X[:200], hide(names[:200], 40))
    seen, new = (model.predict_proba(part).max(axis=1).mean() for part in (X[40:200], X[200:]))
    assert model.stack_["stretch"] > 1.0
    assert new == pytest.approx(seen, abs=0.03)
    model.stack_["stretch"] = 1.0
    assert model.predict_proba(X[200:]).max(axis=1).mean() < seen - 0.06


def test_nothing_is_stretched_where_themes_learn_from_labelled_documents_alone():
    X, names = plant_with_rare_words()
    for model, told in ((ThemeNMF(1), names), (ThemeNMF(1, supervision="supervised"), hide(names, 100))):
        model.fit(X, told)
        assert model.stack_["stretch"] == 1.0
        assert len(model.seen_) == 0


def test_documents_without_words_have_labels_as_often_as_others_but_for_what_labelled_ones_say():
    X = sparse.csr_matrix(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    labels = read_labels(["a", "b", "b", "a", None], 5)
    usual = np.array([0.5, 0.5])
    found = find_wordless_rates(X, labels, np.array([1.0, 2.0, 1.0, 1.0, 9.0]), usual)
    np.testing.assert_allclose(found, (5.0 * usual + [0.0, 3.0]) / 8.0)
    several = read_labels(np.array([[1, 0], [0, 1], [-1, 1], [1, 1], [-1, -1]]), 5)
    found = find_wordless_rates(X, several, np.ones(5), usual)
    np.testing.assert_allclose(found, [2.5 / 6.0, 4.5 / 7.0])
    np.testing.assert_allclose(find_wordless_rates(X[[0, 3]], labels.of(np.array([0, 3])), np.ones(2), usual), usual)


@pytest.mark.parametrize("several", [False, True])
def test_labels_of_documents_without_words_are_learnt(several):
    X, names = plant(60)
    X, names = np.vstack([X, np.zeros((30, X.shape[1]))]), [*names, *names[:1].repeat(30)]
    y = [[name] for name in names] if several else names
    model = ThemeNMF(2).fit(X, y)
    chances = model.predict_proba(np.zeros((1, X.shape[1])))[0]
    assert model.themes_[chances.argmax()] == names[0]
    assert chances.max() > 0.8
    evidence = model.term_evidence(np.zeros((1, X.shape[1])))
    assert len(evidence.columns) == 0
    np.testing.assert_allclose(evidence.chances, chances)
