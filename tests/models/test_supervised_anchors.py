import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from naive import anchors as naive
from wayword import AnchorTopics, SupervisedAnchors, Vectorizer, cooccurrence, load, save
from wayword.errors import InputError, UnknownTermError
from wayword.models import label_planes
from wayword.models.label_columns import label_columns, spread_of, spread_of_words
from wayword.models.labels import read_labels
from wayword.models.supervised_anchors import cut_into_bins
from wayword.models.word_space import WordSpace
from wayword.testing import planted_topics

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=12)
N_TERMS, N_TOPICS = 14, 3
TERMS = [f"word{column:02}" for column in range(N_TERMS)]
NAMES = np.array(["corn", "oil", "ship"])
LEVELS = np.array([1.25, 2.5, 4.75])


def draw(seed=0, n_documents=90, length=25, n_terms=N_TERMS):
    """Return counts of documents of planted topics, and each one's main topic."""
    A, _ = naive.plant_topics(N_TOPICS, n_terms, seed)
    X, W = naive.draw_documents(A, n_documents, length, seed)
    return X, W.argmax(axis=1)


def hide(y, every=3):
    """Return labels of which every third document has none."""
    return [None if place % every == 0 else value for place, value in enumerate(y)]


def forms_of(topics):
    """Return the same labels in every form, some of them unknown."""
    known = hide(topics)
    matrix = np.array([[-1] * 3 if k is None else np.eye(3, dtype=int)[k] for k in known])
    return {
        "names": [None if k is None else NAMES[k] for k in known],
        "codes": [-1 if k is None else int(k) for k in known],
        "lists": [[] if k is None else [NAMES[k]] for k in known],
        "matrix": matrix,
        "sparse": sparse.csr_matrix(matrix),
        "frame": pd.DataFrame(matrix, columns=NAMES),
        "numbers": [np.nan if k is None else LEVELS[k] for k in known],
    }


FORMS = list(forms_of([0]))
every_form = pytest.mark.parametrize("form", FORMS)


def make(n_components=N_TOPICS, **options):
    return SupervisedAnchors(n_components, **options)


def chances_of(X, y, pseudo_counts=0.0):
    return label_columns(sparse.csr_matrix(X), read_labels(y, len(y)), pseudo_counts)


def assert_sound(model, X):
    """What was learnt and what is answered is finite, of the right shape, and sums to one."""
    n_labels, n_topics = len(model.classes_), model.n_components_
    assert model.label_topics_.shape == (n_topics, n_labels)
    assert ((model.label_topics_ >= 0) & (model.label_topics_ <= 1 + 1e-9)).all()
    assert model.term_weights_.shape == (X.shape[1], n_labels)
    assert model.topic_weights_.shape == (n_topics, n_labels)
    assert model.offsets_.shape == (n_labels,)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.term_topics_.sum(axis=1), 1.0, rtol=1e-9)
    chances = model.predict_proba(X)
    assert chances.shape == (X.shape[0], n_labels)
    assert ((chances >= 0) & (chances <= 1 + 1e-12)).all()
    if model.label_kind_ == "single":
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_allclose(model.label_topics_.sum(axis=1), 1.0, rtol=1e-9)
    assert len(model.predict(X)) == X.shape[0]
    np.testing.assert_allclose(model.transform(X).sum(axis=1), 1.0, rtol=1e-9)
    assert model.features(X).shape[0] == X.shape[0]


@few
@given(seeds)
def test_chances_of_labels_are_those_of_equation_4_1(seed):
    X, topics = draw(seed, n_documents=20, length=6)
    y = forms_of(topics)["names"]
    expected = naive.label_chances(X, y, sorted({name for name in y if name is not None}))
    np.testing.assert_allclose(chances_of(X, y), expected, rtol=1e-12)
    lists = chances_of(X, [[] if name is None else [name] for name in y])
    # Where a document may have several labels, what does not apply has columns too.
    np.testing.assert_allclose(lists, np.hstack([expected, 1 - expected]), rtol=1e-12, atol=1e-12)


@few
@given(seeds, st.floats(0.1, 1000.0))
def test_pseudo_counts_draw_chances_to_those_of_all_documents(seed, pseudo_counts):
    X, topics = draw(seed, n_documents=20, length=6)
    y = NAMES[topics]
    everywhere = np.array([(y == name).mean() for name in sorted(set(y))])
    holding = (X > 0).sum(axis=0)[:, None]
    expected = (holding * chances_of(X, y) + pseudo_counts * everywhere) / (holding + pseudo_counts)
    np.testing.assert_allclose(chances_of(X, y, pseudo_counts), expected, rtol=1e-9)
    np.testing.assert_allclose(chances_of(X, y, 1e12), np.tile(everywhere, (N_TERMS, 1)), rtol=1e-6)


def test_an_entry_that_is_unknown_counts_for_no_term():
    X = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])
    matrix = np.array([[1, -1], [0, 1], [-1, 0]])
    # The first term: one of two documents has the first label, one of one the second.
    np.testing.assert_allclose(chances_of(X, matrix), [[0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.5]])


def test_zeros_that_are_stored_are_no_words():
    X, topics = draw()
    stored = sparse.csr_matrix((X.ravel(), np.tile(np.arange(N_TERMS), len(X)), np.arange(0, X.size + 1, N_TERMS)))
    expected = make().fit(X, NAMES[topics])
    found = make().fit(stored, NAMES[topics])
    assert found.anchors_ == expected.anchors_
    np.testing.assert_allclose(found.label_topics_, expected.label_topics_, atol=1e-9)
    np.testing.assert_allclose(found.predict_proba(stored), expected.predict_proba(X), atol=1e-6)


@few
@given(seeds)
def test_spreads_are_those_of_all_points(seed):
    space = WordSpace(cooccurrence(draw(seed)[0]))
    rows = space.rows(np.arange(N_TERMS))
    centred = rows - space.frequencies @ rows
    expected = np.sqrt(sum(p * (row @ row) for p, row in zip(space.frequencies, centred, strict=True)))
    assert spread_of(rows, space.frequencies) == pytest.approx(expected)
    assert spread_of_words(space) == pytest.approx(expected)


@few
@given(seeds, st.sampled_from([0.0, 0.5, 4.0]))
def test_labels_spread_terms_as_far_as_is_asked_for(seed, label_weight):
    X, topics = draw(seed)
    space = make(label_weight=label_weight).fit(X, NAMES[topics])._space
    assert spread_of(space.labels, space.frequencies) == pytest.approx(label_weight * spread_of_words(space))


@few
@given(seeds, st.sampled_from(["l2", "kl"]), st.booleans())
def test_without_weight_labels_change_nothing_about_the_topics(seed, recover, rectify):
    X, topics = draw(seed)
    options = {"recover": recover, "rectify": rectify}
    plain = AnchorTopics(N_TOPICS, **options).fit(X)
    model = make(label_weight=0.0, **options).fit(X, NAMES[topics])
    assert model.anchors_ == plain.anchors_
    near = 1e-9 if recover == "l2" else 1e-3  # divergences are summed in single precision
    np.testing.assert_allclose(model.components_, plain.components_, atol=near)
    np.testing.assert_allclose(model.topic_correlation_, plain.topic_correlation_, atol=near)


@few
@given(seeds)
def test_anchors_are_those_of_the_points_with_labels(seed):
    X, topics = draw(seed)
    y = NAMES[topics]
    model = make(rectify=False, projection=None, pseudo_counts=0.0, min_df=1).fit(X, y)
    names = sorted(set(y))
    chances = naive.label_chances(X, y, names)
    rows = cooccurrence(X).row_normalized()
    scale = 4.0 * spread_of(rows, cooccurrence(X).row_sums) / spread_of(chances, cooccurrence(X).row_sums)
    points = np.hstack([rows, scale * chances])
    held = np.flatnonzero(X.sum(axis=0))
    assert model.anchors_ == held[naive.find_anchors(points[held], N_TOPICS, clean=True)].tolist()
    corners = points[model.anchors_]
    for q, c in zip(points, model.term_topics_, strict=True):
        lowest = naive.square_objective(q, corners, naive.square_shares(q, corners), 0.0, 0.0)
        assert naive.square_objective(q, corners, c, 0.0, 0.0) <= lowest + 1e-9
    np.testing.assert_allclose(model.label_topics_, chances[model.anchors_], atol=1e-9)


@few
@given(seeds, st.sampled_from(FORMS), st.sampled_from(["l2", "kl"]), st.booleans())
def test_what_is_learnt_is_sound(seed, form, recover, rectify):
    X, topics = draw(seed)
    model = make(recover=recover, rectify=rectify).fit(X, forms_of(topics)[form])
    assert_sound(model, X)


@every_form
def test_labels_of_planted_topics_are_predicted_in_the_kind_they_were_given(form):
    X, topics = draw(n_documents=400, length=50)
    y = forms_of(topics)[form]
    model = make().fit(X[:300], y[:300])
    answers = model.predict(X[300:])
    if form in ("names", "codes"):
        assert isinstance(answers, np.ndarray)
        assert (answers == (NAMES if form == "names" else np.arange(3))[topics[300:]]).mean() > 0.85
    elif form == "lists":
        assert np.mean([row == [NAMES[k]] for row, k in zip(answers, topics[300:], strict=True)]) > 0.75
    elif form == "numbers":
        assert r2_score(LEVELS[topics[300:]], answers) > 0.6
    else:
        assert answers.shape == (100, 3)
        assert (answers == np.eye(3, dtype=int)[topics[300:]]).all(axis=1).mean() > 0.75
    if form == "frame":
        assert model.classes_.tolist() == NAMES.tolist()


def test_labels_teach_more_than_topics_alone():
    # What is good and bad is said of every topic, in words that no topic has to itself.
    X, _ = draw(n_documents=300, length=40)
    good = np.random.default_rng(0).random(300) < 0.5
    X = np.hstack([X, 2.0 * good[:, None], 2.0 * ~good[:, None]])
    y = np.where(good, "good", "bad")
    told = y[:200].tolist()
    model = make(5).fit(X[:200], told)
    telling = {N_TERMS, N_TERMS + 1} & set(model.anchors_)
    assert telling
    assert np.ptp(model.label_topics_, axis=0).min() > 0.4
    for anchor in telling:
        found = model.label_topics_[model.anchors_.index(anchor)].argmax()
        assert model.classes_[found] == ("good" if anchor == N_TERMS else "bad")
    assert model.score(X[200:], y[200:]) > 0.95


def test_a_few_labels_are_enough_and_the_other_documents_still_tell_what_occurs_together():
    X, topics = draw(n_documents=400, length=50)
    told = [NAMES[k] if place < 30 else None for place, k in enumerate(topics)]
    model = make(pseudo_counts=2.0).fit(X, told)
    assert model.score(X[30:], NAMES[topics[30:]]) > 0.75
    alone = make(label_weight=0.0).fit(X, told)
    np.testing.assert_allclose(alone.components_, AnchorTopics(N_TOPICS).fit(X).components_, atol=1e-6)


@pytest.mark.parametrize("form", ["names", "lists", "matrix"])
def test_a_label_seen_once_is_a_label(form):
    X, _ = draw()
    names = ["ship", *(["corn", "oil"] * 45)][:90]
    y = {
        "names": names,
        "lists": [[name] for name in names],
        "matrix": np.array([[name == other for other in NAMES] for name in names], dtype=int),
    }[form]
    model = make().fit(X, y)
    assert len(model.classes_) == 3
    assert_sound(model, X)


@pytest.mark.parametrize("n_labelled", [1, 40, 90])
@pytest.mark.parametrize("form", ["names", "lists"])
def test_one_label_is_enough(form, n_labelled):
    X, _ = draw()
    labels = ["corn"] * n_labelled + [None] * (90 - n_labelled)
    model = make().fit(X, labels if form == "names" else [[name] if name else [] for name in labels])
    assert_sound(model, X)
    # A label that tells no terms apart changes no topic.
    assert model.anchors_ == AnchorTopics(N_TOPICS).fit(X).anchors_
    assert list(model.predict(X)) == (["corn"] * 90 if form == "names" else [["corn"]] * 90)


def test_labels_that_tell_no_terms_apart_change_no_topic():
    X, _ = draw()
    y = ["corn"] * 90 + ["oil"] * 90
    plain = AnchorTopics(N_TOPICS).fit(np.vstack([X, X]))
    model = make().fit(np.vstack([X, X]), y)
    assert model.anchors_ == plain.anchors_
    np.testing.assert_allclose(model.components_, plain.components_, atol=1e-6)


def test_a_label_that_nothing_is_told_about_is_not_taken_to_apply():
    X, topics = draw()
    y = np.column_stack([topics == 0, topics == 1, np.full(90, -1)]).astype(int)
    model = make().fit(X, y)
    assert_sound(model, X)
    assert (model.predict_proba(X)[:, 2] <= 0.5).all()


def test_entries_that_are_unknown_teach_nothing():
    X, topics = draw(n_documents=200, length=50)
    y = np.eye(3, dtype=int)[topics]
    hidden = y.copy()
    hidden[np.random.default_rng(0).random(y.shape) < 0.3] = -1
    model = make().fit(X, hidden)
    assert_sound(model, X)
    assert (model.predict(X) == y).mean() > 0.85
    assert model.score(X, hidden) >= model.score(X, y)


@few
@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=1, max_size=40), st.integers(2, 6))
def test_numbers_are_cut_into_bins_in_order(values, n_bins):
    values = np.array([*values, 0.5])
    bins, means = cut_into_bins(values, n_bins)
    assert len(means) <= n_bins
    assert (np.diff(means) > 0).all()
    assert [place is None for place in bins] == np.isnan(values).tolist()
    known = [(value, place) for value, place in zip(values, bins, strict=True) if place is not None]
    assert {place for _, place in known} == set(range(len(means)))
    ordered = [place for _, place in sorted(known)]
    assert ordered == sorted(ordered)
    for place, mean in enumerate(means):
        assert mean == pytest.approx(np.mean([value for value, other in known if other == place]))


def test_bins_hold_about_the_same_number_of_documents():
    bins, means = cut_into_bins(np.random.default_rng(0).standard_normal(100), 4)
    assert np.bincount(bins).tolist() == [25, 25, 25, 25]
    assert len(means) == 4


def test_stars_have_a_bin_each_however_they_are_spread():
    stars = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], [20, 20, 40, 50, 70])
    bins, means = cut_into_bins(stars, 5)
    assert means.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert bins == (stars - 1).astype(int).tolist()


@pytest.mark.parametrize(("n_least", "sizes"), [(170, [170, 30]), (130, [130, 30, 40]), (20, [40, 40, 40, 40, 40])])
def test_the_least_number_has_a_bin_of_its_own_where_it_is_frequent(n_least, sizes):
    bins, means = cut_into_bins(np.concatenate([np.zeros(n_least), np.arange(1.0, 201.0 - n_least)]), 5)
    assert np.bincount(bins).tolist() == sizes
    assert (means[0] == 0.0) == (n_least > 40)


def test_a_share_of_words_that_cannot_be_is_an_error_after_the_fit_too():
    X, topics = draw()
    model = make().fit(X, NAMES[topics]).set_params(lexical_mix=5.0)
    with pytest.raises(InputError, match=r"lexical_mix must be a number from 0 to 1, got 5\.0"):
        model.features(X)


def test_numbers_are_answered_by_numbers():
    X, topics = draw(n_documents=300, length=50)
    y = LEVELS[topics] + 0.2 * np.random.default_rng(0).standard_normal(300)
    model = make(n_bins=6).fit(X[:200], y[:200])
    answers = model.predict(X[200:])
    assert answers.dtype == np.float64
    assert ((answers >= y[:200].min()) & (answers <= y[:200].max())).all()
    assert model.score(X[200:], y[200:]) == pytest.approx(r2_score(y[200:], answers))
    assert model.score(X[200:], y[200:]) > 0.6
    weights = np.arange(100.0)
    assert model.score(X[200:], y[200:], weights) == pytest.approx(r2_score(y[200:], answers, sample_weight=weights))


def test_the_classes_of_numbers_are_the_means_of_their_bins():
    X, topics = draw()
    model = make().fit(X, LEVELS[topics])
    np.testing.assert_allclose(model.classes_, LEVELS)


def test_numbers_that_are_unknown_are_not_scored():
    X, topics = draw()
    model = make().fit(X, LEVELS[topics])
    known = np.arange(90) % 3 > 0
    found = model.score(X, np.where(known, LEVELS[topics], np.nan))
    assert found == pytest.approx(model.score(X[known], LEVELS[topics][known]))


def test_what_y_is_can_be_said():
    X, topics = draw()
    whole = (topics + 1).tolist()
    assert set(make().fit(X, whole).predict(X)) <= {1, 2, 3}
    numbers = make(response="numbers").fit(X, whole).predict(X)
    assert len(set(numbers.tolist())) > 3
    assert ((numbers >= 1) & (numbers <= 3)).all()
    with pytest.raises(InputError, match="labels must be names or whole numbers"):
        make(response="labels").fit(X, LEVELS[topics])
    assert set(make(response="labels").fit(X, NAMES[topics]).predict(X)) <= set(NAMES)


def test_names_that_look_like_numbers_are_names():
    X, topics = draw()
    y = np.array(["1.1", "1.2", "2.1"])[topics]
    assert set(make().fit(X, y).predict(X)) <= {"1.1", "1.2", "2.1"}


def test_equal_numbers_have_one_bin_and_one_answer():
    X, _ = draw()
    model = make(response="numbers", label_weight=0.0).fit(X, np.full(90, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0)


def test_numbers_may_come_as_a_frame_of_one_column():
    X, topics = draw()
    y = LEVELS[topics]
    expected = make().fit(X, y)
    for column in (pd.DataFrame({"stars": y}), y[:, None]):
        model = make().fit(X, column)
        assert (model.predict(X) == expected.predict(X)).all()
        assert model.score(X, column) == expected.score(X, y)
    whole = make(response="numbers").fit(X, pd.DataFrame({"stars": topics}))
    assert (whole.predict(X) == make(response="numbers").fit(X, topics).predict(X)).all()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full(89, 0.5), "y must have a number for each of 90 documents, got 89"),
        (["good"] * 90, "a numeric response must be one number for each document, got"),
        (np.full(90, np.nan), "a numeric response must be known of some document, got NaN"),
        (None, "a numeric response must be"),
        (np.full((90, 2), 0.5), "a numeric response must be finite numbers"),
    ],
)
def test_numbers_that_cannot_be_scored_are_errors(y, message):
    X, topics = draw()
    model = make().fit(X, LEVELS[topics])
    with pytest.raises(InputError, match=re.escape(message)):
        model.score(X, y)


def test_features_are_logarithms_of_shares_and_tf_idf_if_mixed_in():
    X, topics = draw()
    X[4] = 0
    model = make(alpha=0.2).fit(X, NAMES[topics])
    features = model.features(X)
    assert isinstance(features, np.ndarray)
    assert features.shape == (90, N_TOPICS)
    lengths = X.sum(axis=1, keepdims=True)
    shares = (lengths * model.transform(X) + 0.2) / (lengths + 0.2 * N_TOPICS)
    np.testing.assert_allclose(features, np.log(shares), rtol=1e-9)


def test_features_mix_tf_idf_in_by_a_share_of_what_spreads_alike():
    X, topics = draw()
    X[4] = 0
    model = make(alpha=0.2).fit(X, NAMES[topics])
    logs = model.features(X)
    alone = model.set_params(lexical_mix=1.0).features(X).toarray()
    assert not alone[:, :N_TOPICS].any()
    words = alone[:, N_TOPICS:]
    assert ((words > 0) == (X > 0)).all()
    # Rows of tf-idf have length one on the mean, though terms count by what they tell.
    assert np.square(words).sum(axis=1).mean() == pytest.approx(1.0)
    spread = np.sqrt(np.square(logs - logs.mean(axis=0)).sum(axis=1).mean())
    for share in (0.0001, 0.25, 0.5, 0.9):
        mixed = model.set_params(lexical_mix=share).features(X)
        assert sparse.issparse(mixed)
        assert mixed.shape == (90, N_TOPICS + N_TERMS)
        factor = spread ** (1.0 - share) / np.hypot(share, 1.0 - share)
        against = logs - np.log(model.topic_shares_)
        expected = np.hstack([factor * (1.0 - share) * against / spread, factor * share * words])
        np.testing.assert_allclose(mixed.toarray(), expected, rtol=1e-9)


def test_topics_that_are_alike_in_all_documents_are_mixed_as_they_are():
    X, topics = draw()
    model = make(1, lexical_mix=0.5).fit(X, NAMES[topics])
    assert model.log_spread_ == 1.0
    assert np.isfinite(model.features(X).toarray()).all()


@every_form
def test_terms_count_by_what_they_tell_of_some_label(form):
    X, topics = draw(n_documents=600)
    telling = np.column_stack([topics == 1, np.arange(len(topics)) % 2 == 0])  # of a label, and of nothing
    model = make().fit(np.hstack([X, telling]), forms_of(topics)[form])
    assert model.preferences_.shape == (N_TERMS + 2,)
    assert (model.preferences_ >= 0).all()
    assert model.preferences_[-2] == model.preferences_.max()
    assert model.preferences_[-1] < 0.5 * model.preferences_[-2]


def test_terms_all_count_alike_where_there_is_nothing_to_tell_apart():
    X, _ = draw()
    assert (make().fit(X, ["corn"] * len(X)).preferences_ == 1.0).all()


def test_frames_are_taken_and_their_columns_are_names_of_terms():
    X, topics = draw()
    frame = pd.DataFrame(X, columns=TERMS)
    model = make(anchors=["word05"]).fit(frame, NAMES[topics])
    plain = make(anchors=[5]).fit(X, NAMES[topics])
    assert model.anchor_words_[0] == "word05"
    np.testing.assert_allclose(model.predict_proba(frame), plain.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(model.features(frame), plain.features(X), atol=1e-9)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_that_are_asked_of_transform_change_no_other_answer(kind):
    X, topics = draw()
    plain = make(lexical_mix=0.5).fit(X, NAMES[topics])
    model = make(lexical_mix=0.5).set_output(transform=kind).fit(X, NAMES[topics])
    assert list(model.transform(X).columns) == ["supervisedanchors0", "supervisedanchors1", "supervisedanchors2"]
    assert (model.predict_proba(X) == plain.predict_proba(X)).all()
    assert (model.features(X) != plain.features(X)).nnz == 0
    assert type(model.set_params(lexical_mix=0.0).features(X)) is np.ndarray


def test_sparse_and_dense_matrices_give_the_same():
    X, topics = draw()
    y = forms_of(topics)["names"]
    expected = make().fit(X, y)
    for form in (sparse.csr_matrix(X), sparse.csc_array(X), X.astype(int).tolist()):
        found = make().fit(form, y)
        assert (found.components_ == expected.components_).all()
        np.testing.assert_allclose(found.predict_proba(form), expected.predict_proba(X), atol=1e-9)


def test_fitting_leaves_its_arguments_alone():
    X, topics = draw()
    counts, y = sparse.csr_matrix(X), forms_of(topics)["names"]
    before = list(y)
    make(lexical_mix=0.5).fit(counts, y).features(counts)
    assert (counts.toarray() == X).all()
    assert y == before


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, recover):
    X, topics = draw(n_documents=150, n_terms=600)
    X, y = sparse.csr_matrix(X), forms_of(topics)["lists"]
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = make(recover=recover, projection=200).fit(X, y)
        results.add((tuple(model.anchors_), model.components_.tobytes(), model.predict_proba(X).tobytes()))
    assert len(results) == 1


def test_words_and_several_words_are_anchors_here_too():
    X, topics = draw()
    model = SupervisedAnchors(4, anchors=["word05", ("word06", "word07")], terms=TERMS).fit(X, NAMES[topics])
    assert model.anchor_words_[:2] == ["word05", ("word06", "word07")]
    assert_sound(model, X)
    with pytest.raises(UnknownTermError, match="did you mean"):
        model.refit(["wrd05"])


@pytest.mark.parametrize("options", [{"regularizer": "l2"}, {"regularizer": "beta", "recover": "kl"}])
def test_shares_can_be_regularised(options):
    X, topics = draw()
    assert_sound(make(**options).fit(X, NAMES[topics]), X)


def test_word_lists_are_priors_here_too():
    X, topics = draw()
    lexicon = {"first": ["word05", "word06"], "second": ["word07"]}
    model = make(prior=lexicon, terms=TERMS).fit(X, NAMES[topics])
    assert {"first", "second"} <= set(model.categories_) <= {"first", "second", None}
    assert_sound(model, X)


@pytest.mark.parametrize("seed", range(3))
def test_solving_again_is_a_fresh_fit_of_the_topics(seed):
    X, topics = draw(seed)
    y = NAMES[topics]
    again, fresh = make().fit(X, y).refit([5, (6, 7), 8]), make(anchors=[5, (6, 7), 8]).fit(X, y)
    assert again.anchors_ == fresh.anchors_
    np.testing.assert_allclose(again.components_, fresh.components_, atol=1e-9)
    np.testing.assert_allclose(again.transform(X), fresh.transform(X), atol=1e-6)


@pytest.mark.parametrize("rectify", [True, False])
@pytest.mark.parametrize("numbers", [(2,), (5,), (5, 2), (2, 6, N_TOPICS)], ids=str)
def test_another_number_of_topics_is_a_fresh_fit_of_as_many(rectify, numbers):
    X, topics = draw(length=8)
    y = NAMES[topics]
    again, fresh = make(rectify=rectify).fit(X, y), make(numbers[-1], anchors=[3], rectify=rectify).fit(X, y)
    for number in numbers:
        again.refit([3], n_components=number)
    assert again.anchors_ == fresh.anchors_
    for name in ("term_topics_", "components_", "topic_correlation_", "topic_shares_", "label_topics_"):
        np.testing.assert_allclose(getattr(again, name), getattr(fresh, name), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("rectify", [True, False])
def test_what_cannot_be_solved_again_leaves_the_model_as_it_was(rectify):
    X, topics = draw()
    model = make(rectify=rectify, prior=np.full((N_TERMS, N_TOPICS), 1 / 3)).fit(X, NAMES[topics])
    before = dict(vars(model))
    with pytest.raises(InputError, match="prior must be word lists"):
        model.refit(n_components=5)
    assert [name for name, value in vars(model).items() if value is not before[name]] == []
    with pytest.raises(InputError, match="label_weight must be a number"):
        model.set_params(label_weight=-1.0).refit()


@pytest.mark.parametrize("form", ["names", "lists", "numbers"])
def test_solving_again_with_the_same_anchors_changes_no_prediction(form):
    X, topics = draw()
    model = make().fit(X, forms_of(topics)[form])
    expected, anchors = model.predict_proba(X), model.anchors_
    assert np.abs(model.topic_weights_).max() > 0
    np.testing.assert_allclose(model.refit().predict_proba(X), expected, atol=1e-6)
    # And others in between leave no trace.
    np.testing.assert_allclose(model.refit([5, 6]).refit(anchors).predict_proba(X), expected, atol=1e-6)


def test_solving_again_with_other_anchors_leaves_what_topics_add_on_the_mean():
    X, topics = draw()
    y = forms_of(topics)["names"]
    told = np.array([label is not None for label in y])
    model = make().fit(X, y)
    added = model.transform(X[told], method="oneshot").mean(axis=0) @ model.topic_weights_
    words = model.decision_function(X) - model.transform(X, method="oneshot") @ model.topic_weights_
    for _ in range(2):  # once, however often
        model.refit([5, 6, 7])
        np.testing.assert_allclose(model.decision_function(X), words + added, atol=1e-9)


def test_anchors_that_stay_keep_their_weights_in_any_order():
    X, topics = draw()
    model = make().fit(X, NAMES[topics])
    expected, weights, anchors = model.predict_proba(X), model.topic_weights_, model.anchors_
    np.testing.assert_allclose(model.refit(anchors[::-1]).predict_proba(X), expected, atol=1e-6)
    assert (model.topic_weights_ == weights[::-1]).all()
    model.refit([anchors[2], 5, anchors[0]])
    assert (model.topic_weights_ == [weights[2], np.zeros(3), weights[0]]).all()


def test_solving_again_tells_the_labels_of_the_new_topics():
    X, topics = draw()
    y = NAMES[topics]
    again, fresh = make().fit(X, y).refit([5, (6, 7), 8]), make(anchors=[5, (6, 7), 8]).fit(X, y)
    np.testing.assert_allclose(again.label_topics_, fresh.label_topics_, atol=1e-9)


def test_solving_again_with_more_topics_leaves_a_sound_model():
    X, topics = draw()
    assert_sound(make(rectify=False).fit(X, NAMES[topics]).refit([5, 6], n_components=4), X)


def test_solving_again_leaves_what_terms_say_of_labels():
    X, topics = draw()
    model = make(rectify=False).fit(X, NAMES[topics])
    words = model.term_weights_
    model.refit([5, 6], n_components=4)
    assert (model.term_weights_ == words).all()
    assert (model.topic_weights_[:2] == 0).all()
    assert model.topic_weights_.shape == (4, 3)
    assert model.score(X, NAMES[topics]) > 0.6
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_a_model_from_a_file_predicts_but_cannot_solve_again(tmp_path):
    X, topics = draw()
    model = make().fit(X, NAMES[topics])
    save(model, tmp_path / "model.npz")
    found = load(tmp_path / "model.npz")
    assert (found.predict(X) == model.predict(X)).all()
    with pytest.raises(InputError, match="a model read from a file has no co-occurrence to solve again with; fit it"):
        found.refit([5])
    assert found.fit(X, NAMES[topics]).refit([5]).anchors_[0] == 5


def test_a_pipeline_takes_texts_and_answers_labels():
    fields, seas = "corn wheat corn harvest field", "ship harbour ship sailor sail"
    texts = [fields, seas, f"{fields} {fields}", f"{seas} {seas}", fields, seas, fields]
    pipeline = make_pipeline(Vectorizer(), SupervisedAnchors(2))
    pipeline.fit(texts, ["land", "sea", "land", "sea", None, None, None])
    assert pipeline.predict(["a harvest of corn", "the sailor and the ship"]).tolist() == ["land", "sea"]
    copy = clone(pipeline)
    assert copy[-1].get_params() == pipeline[-1].get_params()
    assert not hasattr(copy[-1], "components_")


def test_documents_of_nothing_get_an_answer():
    X, topics = draw()
    model = make().fit(X, NAMES[topics])
    nothing = sparse.csr_matrix((2, N_TERMS))
    np.testing.assert_allclose(model.predict_proba(nothing).sum(axis=1), 1.0)
    assert set(model.predict(nothing)) <= set(NAMES)
    np.testing.assert_allclose(model.transform(nothing), 1 / N_TOPICS)


def test_two_labels_are_scored_by_every_measure_of_scikit_learn():
    X, topics = draw()
    y = np.where(topics == 0, "corn", "oil")
    for scoring in ("accuracy", "roc_auc", "average_precision", "neg_log_loss"):
        scores = cross_val_score(make(), X, y == "corn" if scoring == "average_precision" else y, cv=3, scoring=scoring)
        assert np.isfinite(scores).all()


def test_the_score_is_the_share_of_labelled_documents_whose_labels_are_found():
    X, topics = draw()
    y = NAMES[topics]
    model = make().fit(X, y)
    right = model.predict(X) == y
    assert model.score(X, y) == right.mean()
    assert model.score(X, hide(y)) == right[np.arange(90) % 3 > 0].mean()
    weights = np.arange(90.0)
    assert model.score(X, y, weights) == pytest.approx(np.average(right, weights=weights))
    with pytest.raises(InputError, match="no document of y has a label"):
        model.score(X, [None] * 90)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None; AnchorTopics needs no labels"),
        ([None] * 90, "y names no label of any document; label some, or use AnchorTopics"),
        ([-1] * 90, "y names no label of any document; label some, or use AnchorTopics"),
        ([[]] * 90, "y names no label of any document; label some, or use AnchorTopics"),
        (np.zeros((90, 2)), "y names no label of any document; label some, or use AnchorTopics"),
        (np.full((90, 2), -1), "y names no label of any document; label some, or use AnchorTopics"),
        (np.full(90, np.nan), "y names no label of any document; label some, or use AnchorTopics"),
        (["a"] * 89, "y must have labels for each of 90 documents, got 89"),
        (np.full(89, 0.5), "y must have labels for each of 90 documents, got 89"),
        (["a", 1] * 45, "labels must be of one kind, got int and str; use strings"),
        ([0.5, np.inf] * 45, "a numeric response must be finite numbers, or NaN where unknown"),
        (np.full((90, 2), 0.5), "a matrix of labels holds 0, 1, and -1 for unknown, got 0.5"),
    ],
)
def test_labels_that_cannot_be_used_are_errors(y, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make().fit(draw()[0], y)


def test_a_response_of_numbers_must_be_numbers():
    X, _ = draw()
    for y in (["a"] * 90, [[1.0]] * 90):
        with pytest.raises(InputError, match="a numeric response must be"):
            make(response="numbers").fit(X, y)
    with pytest.raises(InputError, match="a numeric response must be known of some document, got NaN"):
        make(response="numbers").fit(X, np.full(90, np.nan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_weight": -1}, "label_weight must be a number of 0 or more, got -1"),
        ({"label_weight": "auto"}, "label_weight must be a number of 0 or more, got 'auto'"),
        ({"pseudo_counts": -1}, "pseudo_counts must be a number of 0 or more, got -1"),
        ({"lexical_mix": 1.5}, "lexical_mix must be a number from 0 to 1, got 1.5"),
        ({"response": "ordinal"}, "response must be one of 'auto', 'labels', 'numbers', got 'ordinal'"),
        ({"n_bins": 1}, "n_bins must be a whole number of 2 or more, got 1"),
        ({"recover": "inverse"}, "recover='inverse' knows no label columns; use recover='l2' or 'kl'"),
        ({"n_components": None}, "n_components is None and no anchor was given; set one of the two"),
        ({"n_components": 15}, "cannot find 15 anchors among 14 candidates; lower n_components"),
        (
            {"min_df": 91},
            "cannot find 3 anchors among 0 candidates; lower n_components, the number of topics, or min_df (now 91)",
        ),
        ({"anchors": [99]}, "an anchor must be a column from 0 to 13, got 99"),
    ],
)
def test_settings_that_make_no_sense_are_errors(options, message):
    X, topics = draw()
    with pytest.raises(InputError, match=re.escape(message)):
        make().set_params(**options).fit(X, NAMES[topics])


@pytest.mark.parametrize(
    ("X", "message"),
    [(-np.ones((6, 5)), "Negative values"), (np.full((6, 5), np.nan), "NaN"), (np.ones(6), "2D array")],
)
def test_a_matrix_that_holds_no_counts_is_an_error(X, message):
    with pytest.raises(ValueError, match=message):
        make(2).fit(X, list("aabbab"))


def test_what_occurs_together_is_not_taken_for_documents():
    X, topics = draw()
    model = make().fit(X, NAMES[topics])
    with pytest.raises(InputError, match=r"X must be the counts of documents, got a Cooccurrence"):
        make().fit(cooccurrence(X), NAMES[topics[:N_TERMS]])
    for method in ("predict", "predict_proba", "decision_function", "features", "transform"):
        with pytest.raises(InputError, match=r"X must be the counts of documents, got a Cooccurrence"):
            getattr(model, method)(cooccurrence(X))


def test_documents_of_one_word_are_an_error():
    with pytest.raises(InputError, match=r"no document has two words or more.*give longer documents"):
        make(2).fit(np.eye(6), list("aabbab"))


def test_nothing_is_answered_before_fit():
    X, _ = draw()
    for method in ("predict", "predict_proba", "decision_function", "features", "transform"):
        with pytest.raises(NotFittedError):
            getattr(make(), method)(X)


def length_of(model):
    """Return how far the plane of the first label is from telling nothing."""
    return np.linalg.norm(model.term_weights_[:, 0])


def test_planes_follow_labels_closely_only_where_that_makes_documents_held_out_likelier(monkeypatch):
    rng = np.random.RandomState(0)
    X = rng.poisson(0.3, (400, 200)).astype(float)
    drawn, told = rng.randint(2, size=400), X[:, :100].sum(axis=1) > X[:, 100:].sum(axis=1)
    lengths = {}
    for costs in ((1.0,), (10.0,), (1.0, 10.0)):
        monkeypatch.setattr(label_planes, "_ERROR_COSTS", costs)
        lengths[costs] = [length_of(make(anchors=[0, 50, 150]).fit(X, y)) for y in (drawn, told)]
    # Labels that are drawn by lot have terms that seem to tell them apart, but not of other documents.
    assert lengths[1.0, 10.0] == [lengths[1.0,][0], lengths[10.0,][1]]
    assert lengths[1.0,][0] < lengths[10.0,][0]


@pytest.mark.parametrize("regularizer", [None, "l2", "beta"])
def test_a_label_of_one_document_of_one_word_that_no_other_holds_upsets_nothing(regularizer):
    X, topics = draw()
    alone = np.zeros((1, X.shape[1] + 1))
    alone[0, -1] = 1.0
    model = make(recover="kl", pseudo_counts=0.0, regularizer=regularizer)
    model.fit(np.vstack([np.pad(X, ((0, 0), (0, 1))), alone]), [*NAMES[topics], "alone"])
    assert model.gap_ < 0.01
    np.testing.assert_allclose(model.term_topics_.sum(axis=1), 1.0)


def test_labels_of_planted_topics_are_those_of_their_anchors():
    planted = planted_topics(4, 4000, common=0.6, n_common=10, mixing=0.1, random_state=1)
    lengths = np.asarray(planted.X.sum(axis=1)).ravel()
    words = np.stack([planted.weights.T @ (lengths * (planted.labels == label)) for label in range(4)], axis=1)
    truth = words / words.sum(axis=1, keepdims=True)
    model = SupervisedAnchors(4, pseudo_counts=0.0).fit(planted.X, planted.labels)
    order = [int(np.abs(planted.topics - topic).sum(axis=1).argmin()) for topic in model.components_]
    assert sorted(order) == [0, 1, 2, 3]
    np.testing.assert_allclose(model.label_topics_, truth[order], atol=0.05)
    both = model.refit([tuple(model.anchors_[:2]), *model.anchors_[2:]])
    np.testing.assert_allclose(both.label_topics_[0], truth[order][:2].mean(axis=0), atol=0.05)
