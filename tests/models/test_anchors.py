import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from naive import anchors as naive
from wayword import (
    AnchorTopics,
    Cooccurrence,
    Vectorizer,
    Vocabulary,
    cooccurrence,
    demo_corpus,
    held_out_likelihood,
    infer_topics,
)
from wayword.errors import InputError, UnknownTermError, WaywordWarning
from wayword.models import anchor_ground as ground_module
from wayword.models import anchor_recovery as recovery_module
from wayword.models import anchors as anchors_module
from wayword.models.anchor_ground import candidates_of
from wayword.testing import planted_topics

METHODS = ["cd", "em", "oneshot", "vb", "gibbs"]
KINDS = {
    "l2": {},
    "kl": {"recover": "kl"},
    "inverse": {"recover": "inverse"},
    "hull": {"find": "hull"},
    "squares": {"regularizer": "l2"},
    "kl squares": {"recover": "kl", "regularizer": "l2"},
    "beta": {"recover": "kl", "regularizer": "beta"},
}
every_kind = pytest.mark.parametrize("kind", list(KINDS))
every_method = pytest.mark.parametrize("method", METHODS)
every_rectify = pytest.mark.parametrize("rectify", [True, False])
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=12)
N_TERMS, N_TOPICS = 30, 4
TERMS = [f"word{column:02}" for column in range(N_TERMS)]


def draw(seed=0, n_documents=300, length=30, n_terms=N_TERMS):
    """Return counts of documents of planted topics, of which the first terms are anchors."""
    A, _ = naive.plant_topics(N_TOPICS, n_terms, seed)
    return naive.draw_documents(A, n_documents, length, seed)[0]


def make(n_components=N_TOPICS, **options):
    return AnchorTopics(n_components, **options)


def rows_of(X):
    return cooccurrence(X).row_normalized()


def sure(shares):
    """Return how sure topics are of their terms."""
    return float(np.square(shares).sum(axis=1).mean())


def assert_sound(model, X, n_topics=N_TOPICS):
    """What was learnt is finite, of the right shape, and sums to one."""
    n_terms = X.shape[1]
    assert model.n_components_ == len(model.anchors_) == n_topics
    assert model.components_.shape == (n_topics, n_terms)
    assert model.term_topics_.shape == (n_terms, n_topics)
    assert model.topic_correlation_.shape == (n_topics, n_topics)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.term_topics_.sum(axis=1), 1.0, rtol=1e-9)
    assert (model.term_topics_ >= 0).all()
    assert model.topic_shares_.sum() == pytest.approx(1.0)
    assert model.topic_correlation_.sum() == pytest.approx(1.0, rel=1e-6)
    np.testing.assert_allclose(model.topic_correlation_, model.topic_correlation_.T, atol=1e-12)
    assert (model.components_ >= 0).all()
    assert (model.topic_correlation_ >= 0).all()
    shares = model.transform(X)
    assert shares.shape == (X.shape[0], n_topics)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)


@few
@given(seeds, st.sampled_from(sorted(KINDS)), st.booleans(), st.integers(1, 5))
def test_what_is_learnt_is_sound(seed, kind, rectify, n_topics):
    X = draw(seed, n_documents=80, n_terms=12)
    model = AnchorTopics(n_topics, rectify=rectify, **KINDS[kind]).fit(X)
    assert_sound(model, X, n_topics)
    assert set(model.anchors_) <= set(model.candidates_.tolist())
    assert len(set(model.anchors_)) == n_topics
    if KINDS[kind].get("regularizer") != "beta" and model.recover != "inverse":
        assert model.gap_ <= model.tol


@few
@given(seeds, st.integers(1, 4))
def test_topics_are_those_of_the_equations(seed, n_topics):
    X = draw(seed, n_documents=80, n_terms=12)
    model = AnchorTopics(n_topics, rectify=False, projection=None).fit(X)
    rows = rows_of(X)
    found = naive.find_anchors(rows[model.candidates_], n_topics, clean=True)
    assert model.anchors_ == model.candidates_[found].tolist()
    shares = np.array([naive.square_shares(q, rows[model.anchors_]) for q in rows])
    np.testing.assert_allclose(model.term_topics_, shares, atol=1e-4)
    np.testing.assert_allclose(model.components_.T, naive.topics_by_bayes(shares, cooccurrence(X).toarray()), atol=1e-5)


@few
@given(seeds)
def test_rectified_topics_are_those_of_the_rectified_matrix(seed):
    X = draw(seed, n_terms=13)
    Q = naive.rectify(cooccurrence(X).toarray(), N_TOPICS, 15)
    rectified = make(rectify=False).fit(Cooccurrence(Q, 1, (X > 0).sum(axis=0)))
    model = make(min_df=1).fit(X)
    assert model.anchors_ == rectified.anchors_
    np.testing.assert_allclose(model.term_topics_, rectified.term_topics_, atol=1e-5)
    # How often terms occur is not rectified.
    sums = cooccurrence(X).row_sums
    joint = model.term_topics_.T * sums
    np.testing.assert_allclose(model.components_, joint / joint.sum(axis=1, keepdims=True), atol=1e-9)


@few
@given(seeds, st.booleans())
def test_order_of_documents_and_length_of_the_corpus_do_not_matter(seed, rectify):
    X = draw(seed, n_documents=60, n_terms=12)
    expected = make(rectify=rectify, min_df=1).fit(X).components_
    for same in (X[np.random.default_rng(seed).permutation(len(X))], np.vstack([X, X]), np.vstack([X, 0 * X])):
        np.testing.assert_allclose(make(rectify=rectify, min_df=1).fit(same).components_, expected, atol=1e-6)


@few
@given(seeds, st.sampled_from(sorted(KINDS)))
def test_permuting_terms_permutes_topics(seed, kind):
    X = draw(seed, n_documents=60, n_terms=12)
    order = np.random.default_rng(seed).permutation(12)
    options = {"rectify": False, "projection": None, **KINDS[kind]}
    plain, permuted = make(**options).fit(X), make(**options).fit(X[:, order])
    assert order[permuted.anchors_].tolist() == plain.anchors_
    np.testing.assert_allclose(permuted.components_, plain.components_[:, order], atol=1e-3)


@pytest.mark.parametrize("form", ["dense", "sparse", "operator"])
@every_rectify
@pytest.mark.parametrize("kind", ["l2", "kl", "inverse"])
def test_every_form_of_cooccurrence_gives_what_the_documents_give(kind, rectify, form):
    X = draw(n_terms=N_TOPICS + 10)  # few enough that rectifying is exact
    expected = make(rectify=rectify, **KINDS[kind]).fit(X)
    found = make(rectify=rectify, **KINDS[kind]).fit(cooccurrence(X, form=form))
    assert found.anchors_ == expected.anchors_
    assert found.candidates_.tolist() == expected.candidates_.tolist()
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-9)
    np.testing.assert_allclose(found.topic_correlation_, expected.topic_correlation_, atol=1e-9)
    np.testing.assert_allclose(found.transform(X), expected.transform(X), atol=1e-6)


@pytest.mark.parametrize("method", ["transform", "fit_transform"])
def test_what_occurs_together_is_not_taken_for_documents(method):
    X = draw()
    model = make().fit(X)
    with pytest.raises(InputError, match=r"X must be the counts of documents, got a Cooccurrence.*AnchorTopics\.fit"):
        getattr(model, method)(cooccurrence(X))


def test_single_precision_gives_nearly_the_same():
    X = draw()
    expected = make(rectify=False).fit(X)
    for form in (X.astype(np.float32), cooccurrence(X, dtype=np.float32)):
        found = make(rectify=False).fit(form)
        assert found.anchors_ == expected.anchors_
        np.testing.assert_allclose(found.components_, expected.components_, atol=1e-5)


@pytest.mark.parametrize("kind", ["l2", "kl", "beta"])
def test_the_same_bits_on_every_run_and_for_any_number_of_threads(monkeypatch, kind):
    X = sparse.csr_matrix(draw(n_documents=100, n_terms=520))
    results = set()
    for threads in ("1", "1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        model = make(projection=200, **KINDS[kind]).fit(X)
        learnt = [model.components_, model.term_topics_, model.topic_correlation_, model.transform(X)]
        learnt.append(model.refit([3, (0, 1)]).components_)
        results.add(tuple(array.tobytes() for array in learnt))
    assert len(results) == 1


def test_every_kind_of_matrix_is_taken():
    X = draw()
    expected = make().fit(X).components_
    for form in (X.astype(int), X.astype(int).tolist(), pd.DataFrame(X), sparse.csr_matrix(X), sparse.csc_array(X)):
        assert (make().fit(form).components_ == expected).all()


def test_fitting_leaves_its_arguments_alone():
    X, pairs = sparse.csr_matrix(draw()), cooccurrence(draw())
    before, sums = X.copy(), pairs.toarray()
    make(anchors=(given_anchors := [["word03", "word09"], 5]), terms=TERMS).fit(X)
    make(recover="kl").fit(pairs)
    assert (before != X).nnz == 0
    assert (pairs.toarray() == sums).all()
    assert given_anchors == [["word03", "word09"], 5]


@pytest.mark.filterwarnings("ignore:X holds fractions")
def test_weights_that_are_no_counts_are_taken_and_their_scale_does_not_matter():
    X = draw(length=60, n_terms=N_TOPICS + 10)
    weights = X / X.sum(axis=1, keepdims=True)
    model = make().fit(weights)
    assert_sound(model, weights)
    scale = np.random.default_rng(0).uniform(0.1, 9.0, (len(X), 1))
    np.testing.assert_allclose(make().fit(scale * weights).components_, model.components_, atol=1e-9)


@every_rectify
def test_topics_of_documents_drawn_from_planted_ones_are_found(rectify):
    A, _ = naive.plant_topics(N_TOPICS, N_TERMS, 0)
    X, W = naive.draw_documents(A, 2000, 60, 0)
    for kind in ("l2", "kl"):
        model = make(rectify=rectify, **KINDS[kind]).fit(X)
        order = naive.match_columns(model.components_.T, A)
        assert sorted(model.anchors_) == [0, 1, 2, 3]
        assert np.abs(model.components_[order].T - A).sum(axis=0).max() < 0.1
        assert np.abs(model.transform(X)[:, order] - W).mean() < 0.1
        assert np.abs(model.topic_correlation_[np.ix_(order, order)] - W.T @ W / len(W)).max() < 0.03


def test_a_projection_finds_the_same_anchors_and_its_seed_hardly_matters():
    A, R = naive.plant_topics(N_TOPICS, 300, 0)
    pairs = Cooccurrence(A @ R @ A.T, 1, np.full(300, 9))
    for seed in range(3):
        assert sorted(make(projection=60, random_state=seed).fit(pairs).anchors_) == [0, 1, 2, 3]
    assert sorted(make(projection=None).fit(pairs).anchors_) == [0, 1, 2, 3]


def test_candidates_are_terms_of_enough_documents():
    X = draw()
    frequencies = (X > 0).sum(axis=0)
    least = int(np.sort(frequencies)[-10])
    model = make(min_df=least).fit(X)
    assert model.candidates_.tolist() == np.flatnonzero(frequencies >= least).tolist()
    assert set(model.anchors_) <= set(model.candidates_.tolist())


@given(st.lists(st.integers(0, 300), min_size=1, max_size=60), st.integers(300, 3000), st.integers(1, 4))
def test_by_default_candidates_are_common_enough_but_enough_of_them(frequencies, n_documents, n_topics):
    frequencies = np.array(frequencies)
    found = candidates_of(frequencies, "auto", n_documents, n_topics)
    enough = min(ground_module._CANDIDATES_A_TOPIC * n_topics, int((frequencies > 0).sum()))
    common = frequencies >= max(ground_module._AUTO_LEAST, round(ground_module._AUTO_SHARE * n_documents))
    assert len(found) >= max(enough, common.sum())
    assert (frequencies[found] > 0).all()
    # All that are as common as the rarest of them; and without those of them, too few.
    if len(found):
        rarest = frequencies[found].min()
        assert found.tolist() == np.flatnonzero(frequencies >= rarest).tolist()
        assert common[found].all() or (frequencies > rarest).sum() < enough


# Of one word only, a document says nothing about what occurs together.
def test_a_term_of_one_word_documents_only_is_no_anchor():
    X = np.pad(draw(), ((0, 40), (0, 1)))
    X[300:, N_TERMS] = 1
    for rectify in (True, False):
        expected = make(rectify=rectify, min_df=3).fit(draw())
        assert make(rectify=rectify, min_df=3).fit(X).anchors_ == expected.anchors_
        with pytest.raises(InputError):
            make(rectify=rectify, anchors=[N_TERMS]).fit(X)


def test_terms_that_never_occur_get_nothing_and_documents_of_them_even_shares():
    X = np.pad(draw(), ((0, 0), (0, 2)))
    for kind in KINDS:
        model = make(**KINDS[kind]).fit(X)
        assert_sound(model, X)
        assert np.abs(model.components_[:, N_TERMS:]).max() < 1e-12
        found = model.transform(np.eye(N_TERMS + 2)[[N_TERMS]])
        np.testing.assert_allclose(found, 1 / N_TOPICS)


@every_method
def test_every_method_gives_documents_of_unseen_terms_even_shares(method):
    X = np.pad(draw(), ((0, 0), (0, 2)))
    found = make().fit(X).transform(np.eye(N_TERMS + 2)[[N_TERMS]], method=method)
    np.testing.assert_allclose(found, 1 / N_TOPICS)


@every_method
def test_shares_of_documents_sum_to_one_and_of_empty_ones_are_even(method):
    X = draw(n_documents=60, n_terms=12)
    X[3] = 0
    for kind in KINDS:
        model = make(inference=method, **KINDS[kind]).fit(X)
        shares = model.transform(X)
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_allclose(shares[3], 1 / N_TOPICS)
        assert (model.transform(X, method=method) == shares).all()
        assert (model.transform(sparse.csr_matrix(X)) == shares).all()


@every_method
def test_shares_of_documents_are_those_of_infer_topics(method):
    X = draw()
    model = make(inference=method, alpha=0.5, random_state=3).fit(X)
    by_term = {"term_topics": model.term_topics_} if method == "oneshot" else {}
    expected = infer_topics(X, model.components_, method=method, alpha=0.5, random_state=3, **by_term)
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-9)
    np.testing.assert_allclose(clone(model).fit_transform(X), expected, atol=1e-9)


def test_a_method_of_transform_that_does_not_exist_is_an_error():
    model = make().fit(draw())
    with pytest.raises(InputError, match="method must be one of 'cd', 'em', 'oneshot', 'vb', 'gibbs', got 'svi'"):
        model.transform(draw(), method="svi")
    with pytest.raises(InputError, match="gibbs"):
        model.transform(draw() / 2, method="gibbs")


@pytest.mark.parametrize("kind", ["squares", "kl squares", "beta"])
def test_a_strength_of_zero_is_no_regularizer(kind):
    X = draw()
    found = make(strength=0.0, **KINDS[kind]).fit(X)
    plain = make(recover=found.recover).fit(X)
    np.testing.assert_allclose(found.term_topics_, plain.term_topics_, atol=1e-6)
    assert found.anchors_ == plain.anchors_


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_squares_spread_shares_the_more_the_stronger(recover):
    X = draw(length=10)
    spreads = [
        sure(make(recover=recover, regularizer="l2", strength=strength).fit(X).term_topics_)
        for strength in (0.0, 0.1, 1.0, 100.0)
    ]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[-1] == pytest.approx(1 / N_TOPICS, rel=0.05)
    default = make(recover=recover, regularizer="l2").fit(X).term_topics_
    assert (default == make(recover=recover, regularizer="l2", strength=0.1).fit(X).term_topics_).all()


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_an_array_is_the_mean_that_shares_are_drawn_to(recover):
    X = draw()
    prior = np.random.default_rng(0).dirichlet(np.ones(N_TOPICS), size=N_TERMS)
    plain, weak, strong = (make(recover=recover, prior=prior, strength=s).fit(X) for s in (0.0, 0.5, 1e6))
    np.testing.assert_allclose(strong.term_topics_, prior, atol=1e-3)
    assert np.linalg.norm(weak.term_topics_ - prior) < np.linalg.norm(plain.term_topics_ - prior)
    assert strong.categories_ is None
    assert (make(recover=recover, prior=prior.tolist(), strength=1e6).fit(X).components_ == strong.components_).all()


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_words_of_a_category_move_to_the_topic_it_occurs_with(recover):
    X = draw()
    plain = make(recover=recover, anchors=[0, 1, 2, 3], terms=TERMS).fit(X)
    # One word is in both lists, and one in no document.
    lexicon = {"first": ["word00", "word10", "word11"], "second": ["word01", "word11", "word12", "xyzzy"]}
    model = make(recover=recover, anchors=[0, 1, 2, 3], terms=TERMS, prior=lexicon, strength=1.0).fit(X)
    assert sorted(map(str, model.categories_)) == ["None", "None", "first", "second"]
    tied = {name: np.flatnonzero(np.array(model.categories_) == name) for name in lexicon}
    for word, names in {10: ["first"], 12: ["second"], 11: ["first", "second"]}.items():
        topics = np.concatenate([tied[name] for name in names])
        mean = np.zeros(N_TOPICS)
        mean[topics] = 1 / len(topics)
        before, after = plain.term_topics_[word], model.term_topics_[word]
        assert np.linalg.norm(after - mean) < np.linalg.norm(before - mean)
    without = {name: [word for word in words if word != "xyzzy"] for name, words in lexicon.items()}
    assert (clone(model).set_params(prior=without).fit(X).components_ == model.components_).all()


def test_a_category_goes_to_the_anchor_it_occurs_with_most():
    X = draw(length=60)
    lexicon = {f"of {anchor}": [anchor] for anchor in (3, 1, 0, 2)}
    model = make(rectify=False, anchors=[0, 1, 2, 3], prior=lexicon).fit(X)
    assert model.categories_ == ["of 0", "of 1", "of 2", "of 3"]
    Q, names = cooccurrence(X).toarray(), ["a", "b", "c"]
    lists = [[5, 6], [7, 8, 9], [10]]
    expected = naive.assign_lexicon(Q, [0, 1, 2, 3], lists)
    model = make(rectify=False, anchors=[0, 1, 2, 3], prior=dict(zip(names, lists, strict=True))).fit(X)
    assert model.categories_ == [None if category is None else names[category] for category in expected]


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_one_list_for_many_topics_draws_its_words_together(recover):
    planted = planted_topics(8, 600, common=0.6, random_state=3)
    words = [f"t2w{place}" for place in range(1, 6)]
    columns = [list(planted.terms).index(word) for word in words]
    plain = AnchorTopics(8, recover=recover, terms=planted.terms).fit(planted.X)
    before = plain.term_topics_[columns]
    for strength in (0.1, 1.0):
        model = clone(plain).set_params(prior={"two": words}, strength=strength).fit(planted.X)
        assert model.categories_.count("two") == 1
        assert model.categories_.count(None) == 7
        topic = model.categories_.index("two")
        assert topic == before.sum(axis=0).argmax()
        after = model.term_topics_[columns, topic]
        assert (after > before[:, topic] - 1e-12).all()
        assert after.sum() > before[:, topic].sum()


def test_a_word_counts_once_for_its_category():
    X = draw(length=60)
    once = make(rectify=False, prior={"first": [5], "second": [6]}).fit(X)
    again = make(rectify=False, prior={"first": [5] * 9, "second": [6]}).fit(X)
    assert again.categories_ == once.categories_
    assert (again.components_ == once.components_).all()


def test_a_category_without_a_word_that_documents_hold_goes_to_no_anchor():
    X = np.pad(draw(), ((0, 0), (0, 1)))  # the last term is in no document
    terms = [*TERMS, "unheard"]
    known = {"first": ["word05", "word06"], "second": ["word07", "unheard"]}
    lexicon = {"foreign": ["xyzzy"], **known, "unheard": ["unheard"], "empty": []}
    expected = make(prior=known, terms=terms).fit(X)
    model = make(prior=lexicon, terms=terms).fit(X)
    assert set(model.categories_) == {"first", "second", None}
    assert model.categories_ == expected.categories_
    assert (model.components_ == expected.components_).all()
    with pytest.raises(InputError, match="no word of the lexicon is a term of the documents"):
        make(prior={"unheard": ["unheard"]}, terms=terms).fit(X)


def test_only_word_lists_leave_categories():
    X = draw()
    model = make(prior={"a": ["word05"], "b": ["word06"]}, terms=TERMS).fit(X)
    assert model.categories_ is not None
    assert model.refit([7, 8]).categories_ is not None
    assert model.set_params(prior=None).fit(X).categories_ is None


@pytest.fixture(scope="module")
def demo():
    vectorizer = Vectorizer(max_terms=250)
    return vectorizer.fit_transform(demo_corpus().texts[::4]), vectorizer.vocabulary_


def test_a_dirichlet_prior_settles_in_ten_rounds_or_so_and_flattens_topics(demo):
    X, vocabulary = demo
    options = {"recover": "kl", "terms": vocabulary}
    plain = AnchorTopics(8, **options).fit(X)
    assert plain.moves_.size == 0
    largest = [plain.components_.max(axis=1).mean()]
    for strength in (1.0, 5.0):
        model = AnchorTopics(8, regularizer="beta", strength=strength, **options).fit(X)
        assert model.anchor_words_ == plain.anchor_words_
        assert model.moves_[-1] <= 0.1
        assert (model.moves_[:-1] > 0.1).all()
        assert len(model.moves_) <= 15
        assert (model.term_topics_ > 0).all()
        largest.append(model.components_.max(axis=1).mean())
    assert largest[0] > largest[1] > largest[2]


def test_a_dirichlet_prior_goes_by_divergence_whatever_is_asked_for():
    X = draw()
    for strength in (None, 2.0):
        l2, kl = (make(recover=recover, regularizer="beta", strength=strength).fit(X) for recover in ("l2", "kl"))
        assert (l2.components_ == kl.components_).all()


@pytest.mark.parametrize(("n_topics", "strength"), [(3, 0.3), (30, 0.2)])
def test_a_dirichlet_prior_counts_less_for_many_topics(n_topics, strength):
    X = np.random.default_rng(0).poisson(0.4, (300, 60))
    default, told, other = (
        AnchorTopics(n_topics, regularizer="beta", strength=each, rectify=False, min_df=1).fit(X).components_
        for each in (None, strength, 2 * strength)
    )
    assert (default == told).all()
    assert (default != other).any()


def test_words_of_a_real_corpus_gather_around_their_anchor(demo):
    X, vocabulary = demo
    model = AnchorTopics(anchors=["matrix", ("random", "distribution")], terms=vocabulary, n_components=6).fit(X)
    assert model.anchor_words_[:2] == ["matrix", ("random", "distribution")]
    tops = [[vocabulary[column] for column in row.argsort()[::-1][:10]] for row in model.components_[:2]]
    assert "matrix" in tops[0]
    assert {"probability", "distribution"} & set(tops[1])
    assert_sound(model, X, 6)


@pytest.mark.parametrize("strength", [1e-300, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("kind", ["squares", "kl squares", "beta"])
def test_any_strength_stays_sound(kind, strength):
    X = draw(n_documents=80, n_terms=12)
    assert_sound(make(strength=strength, **KINDS[kind]).fit(X), X)


@few
@given(seeds, st.sampled_from(["l2", "kl"]))
def test_several_words_stand_for_a_topic_together(seed, recover):
    X = draw(seed, n_terms=12)
    model = AnchorTopics(None, anchors=[(4, 5), 1, [6, 7, 8]], recover=recover, rectify=False).fit(X)
    assert model.anchors_ == [(4, 5), 1, (6, 7, 8)]
    assert model.n_components_ == 3
    rows = rows_of(X)
    corners = np.stack([naive.harmonic_mean(rows[[4, 5]]), rows[1], naive.harmonic_mean(rows[[6, 7, 8]])])
    for q, c in zip(rows, model.term_topics_, strict=True):
        if recover == "l2":
            lowest = naive.square_objective(q, corners, naive.square_shares(q, corners), 0.0, 0.0)
            assert naive.square_objective(q, corners, c, 0.0, 0.0) <= lowest + 1e-9
        else:
            even = (1 - 1e-10) * corners + 1e-10 * rows.mean(axis=0)
            assert naive.divergence(q, even, c) <= naive.divergence(q, even, np.full(3, 1 / 3)) + 1e-3


def test_a_word_twice_or_alone_in_a_tuple_is_that_word():
    X = draw()
    expected = AnchorTopics(None, anchors=[0, 5], terms=TERMS).fit(X)
    for given_anchors in ([(0,), [5, 5]], ["word00", ("word05", 5)], np.array([0, 5]), (np.int64(0), "word05")):
        found = AnchorTopics(None, anchors=given_anchors, terms=TERMS).fit(X)
        assert found.anchors_ == [0, 5]
        assert found.anchor_words_ == ["word00", "word05"]
        assert (found.components_ == expected.components_).all()


@few
@given(seeds)
def test_missing_anchors_are_found_beside_those_given(seed):
    X = draw(seed, n_terms=12)
    model = make(anchors=[5, (6, 7)], rectify=False, projection=None).fit(X)
    assert model.anchors_[:2] == [5, (6, 7)]
    rows = rows_of(X)
    candidates = np.setdiff1d(model.candidates_, [5])
    corners = [rows[5], naive.harmonic_mean(rows[[6, 7]])]
    found = naive.find_anchors(rows[candidates], 2, corners, clean=True)
    assert model.anchors_[2:] == candidates[found].tolist()


def test_an_anchor_may_be_rarer_than_candidates():
    X = draw()
    X[:, 9] = 0
    X[:2, 9] = 1
    model = make(anchors=[9], min_df=3).fit(X)
    assert model.anchors_[0] == 9
    assert 9 not in model.candidates_


def test_words_and_columns_are_the_same_anchors_however_terms_are_named():
    X = draw()
    expected = make(anchors=[7, (3, 9)]).fit(X)
    assert expected.anchor_words_ is None
    words = ["word07", ("word03", "word09")]
    named = [
        make(anchors=words, terms=terms).fit(X)
        for terms in (TERMS, tuple(TERMS), np.array(TERMS), Vocabulary(TERMS), pd.Index(TERMS))
    ]
    named.append(make(anchors=words).fit(pd.DataFrame(X, columns=TERMS)))
    named.append(make(anchors=words, terms=TERMS).fit(cooccurrence(X)))
    for model in named:
        assert model.anchors_ == expected.anchors_
        assert model.anchor_words_[:2] == words
        assert model.anchor_words_[2:] == [TERMS[column] for column in model.anchors_[2:]]
        np.testing.assert_allclose(model.components_, expected.components_, atol=1e-9)


def test_an_unknown_word_is_an_error_with_near_matches():
    for given_anchors in (["wrd07"], [("word01", "wrd07")]):
        with pytest.raises(
            UnknownTermError, match=r"no term 'wrd07' in the vocabulary; did you mean .*'word07'"
        ) as caught:
            make(anchors=given_anchors, terms=TERMS).fit(draw())
        assert "word07" in caught.value.suggestions
    model = make(terms=TERMS).fit(draw())
    with pytest.raises(UnknownTermError):
        model.refit(["wrd07"])


@few
@given(seeds, st.booleans(), st.sampled_from(["l2", "squares", "inverse"]))
def test_solving_again_is_a_fresh_fit_with_the_same_anchors(seed, rectify, kind):
    X = draw(seed, n_terms=12)
    options = {"rectify": rectify, **KINDS[kind]}
    first = make(**options).fit(X)
    second = [8, 2, 1, 5] if kind == "inverse" else [8, 2, (1, 4), 5]
    again, fresh = first.refit(second), make(anchors=second, **options).fit(X)
    assert again.anchors_ == fresh.anchors_
    for name in ("term_topics_", "components_", "topic_correlation_", "topic_shares_"):
        np.testing.assert_allclose(getattr(again, name), getattr(fresh, name), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("kind", ["kl", "kl squares", "beta"])
@every_rectify
def test_solving_again_by_divergence_does_not_depend_on_what_was_solved_before(kind, rectify):
    X = draw(n_terms=12)
    options = {"rectify": rectify, **KINDS[kind]}
    second = [8, 2, (1, 4), 5]
    again, fresh = make(**options).fit(X).refit([7, 9, 3, 1]).refit(second), make(anchors=second, **options).fit(X)
    for name in ("term_topics_", "components_", "topic_correlation_", "topic_shares_"):
        assert (getattr(again, name) == getattr(fresh, name)).all(), name


@pytest.mark.parametrize("kind", ["kl", "kl squares"])
def test_divergences_settle_to_the_tolerance_in_nats(kind):
    X = draw()
    gaps = [make(tol=tol, **KINDS[kind]).fit(X).gap_ for tol in (1e-2, 1e-6, 1e-14)]
    assert gaps == sorted(gaps, reverse=True)
    assert all(gap <= tol for gap, tol in zip(gaps, (1e-2, 1e-6, 1e-14), strict=True))


def test_solving_again_needs_no_documents(monkeypatch):
    model = make().fit(draw())
    monkeypatch.setattr(anchors_module, "count_pairs", lambda *_: pytest.fail("documents were counted again"))
    monkeypatch.setattr(ground_module, "rectify", lambda *_: pytest.fail("it was rectified again"))
    assert model.refit([7, 8]).anchors_[:2] == [7, 8]
    assert pickle.loads(pickle.dumps(model)).refit([9]).anchors_[0] == 9


def test_solving_again_keeps_what_is_not_said():
    X = draw()
    model = make(terms=TERMS).fit(X)
    anchors, components = model.anchors_, model.components_
    np.testing.assert_allclose(model.refit().components_, components, atol=1e-9)
    assert model.anchors_ == anchors
    assert model.refit(["word07"]).n_components_ == N_TOPICS
    assert model.anchor_words_[0] == "word07"
    assert model.refit([7, 8, 9, 10, 11]).n_components_ == 5
    assert model.refit([7], n_components=2).n_components_ == 2
    assert model.refit([], n_components=N_TOPICS).anchors_ == anchors
    assert model.get_params()["n_components"] == N_TOPICS
    assert model.get_params()["anchors"] is None


@every_rectify
def test_solving_again_may_ask_for_more_topics(rectify):
    X = draw()
    model = make(rectify=rectify).fit(X)
    anchors = model.anchors_
    assert model.refit(n_components=6).anchors_[:N_TOPICS] == anchors
    assert_sound(model, X, 6)


def test_solving_again_with_fewer_topics_than_anchors_is_an_error():
    model = make().fit(draw())
    with pytest.raises(InputError, match="3 anchors are too many for 2 topics; give fewer"):
        model.refit([1, 2, 3], n_components=2)
    with pytest.raises(InputError, match="two topics have the same anchor"):
        model.refit([1, 1])


def everything_of(model):
    """Return all that a model knows, settings apart; private names too."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") or name.startswith("_")}


def assert_unchanged(model, before):
    after = everything_of(model)
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] is not before[name]] == []


@every_rectify
def test_what_cannot_be_solved_again_leaves_the_model_as_it_was(rectify):
    X = draw()
    prior = np.full((N_TERMS, N_TOPICS), 0.25)
    model = make(prior=prior, rectify=rectify).fit(X)
    before, shares = everything_of(model), model.transform(X)
    with pytest.raises(InputError, match=re.escape(f"finite numbers of shape {(N_TERMS, 5)}")):
        model.refit(n_components=5)
    with pytest.raises(InputError, match="candidates"):
        model.refit(n_components=N_TERMS + 1)
    model.set_params(recover="inverse")
    with pytest.raises(InputError, match="no regularizer"):
        model.refit([5, 6])
    model.set_params(recover="l2", prior={"a": ["corn"]})
    with pytest.raises(InputError, match="the columns have no names"):
        model.refit([5, 6])
    assert_unchanged(model, before)
    assert (model.transform(X) == shares).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recover": "bogus"}, "recover must be one of 'kl', 'l2', 'inverse', got 'bogus'"),
        ({"find": "slow"}, "find must be one of 'fast', 'hull', got 'slow'"),
        ({"strength": -1.0}, "strength must be a number from 0 to 1e+09, got -1.0"),
        ({"regularizer": "beta", "prior": {"a": [1]}}, "a prior needs regularizer='l2', got 'beta'"),
        ({"projection": 1}, "projection must be a whole number of 2 or more, got 1"),
        ({"tol": -1.0}, "tol must be a number of 0 or more, got -1.0"),
    ],
)
def test_solving_again_checks_the_settings(options, message):
    model = make().fit(draw())
    before = everything_of(model)
    with pytest.raises(InputError, match=re.escape(message)):
        model.set_params(**options).refit()
    assert_unchanged(model, before)


@pytest.mark.parametrize("options", [{"recover": "kl"}, {"regularizer": "l2"}, {"prior": {"a": [5]}}], ids=str)
def test_solving_again_follows_how_topics_are_solved_for(options):
    X = draw()
    again = make().fit(X).set_params(**options).refit([8, 2, 1, 5])
    fresh = make(anchors=[8, 2, 1, 5], **options).fit(X)
    np.testing.assert_allclose(again.components_, fresh.components_, atol=1e-9)
    assert again.categories_ == fresh.categories_


def test_solving_again_keeps_what_was_said_of_candidates_and_noise():
    X = draw()
    model = make(min_df=3).fit(X).set_params(rectify=False, min_df=1000).refit([], n_components=5)
    fresh = make(5, min_df=3).fit(X)
    assert model.anchors_ == fresh.anchors_
    assert (model.components_ == fresh.components_).all()


@every_rectify
@pytest.mark.parametrize("kind", ["l2", "kl"])
@pytest.mark.parametrize("numbers", [(2,), (6,), (6, 2), (2, 7, N_TOPICS)], ids=str)
def test_another_number_of_topics_is_a_fresh_fit_of_as_many(kind, rectify, numbers):
    X = draw(n_documents=150, length=8)
    options = {"rectify": rectify, **KINDS[kind]}
    again = make(**options).fit(X)
    for number in numbers:
        again.refit([3], n_components=number)
    fresh = make(numbers[-1], anchors=[3], **options).fit(X)
    assert again.anchors_ == fresh.anchors_
    assert again.candidates_.tolist() == fresh.candidates_.tolist()
    for name in ("term_topics_", "components_", "topic_correlation_", "topic_shares_"):
        np.testing.assert_allclose(getattr(again, name), getattr(fresh, name), atol=1e-9, err_msg=name)


def test_fitting_again_forgets_the_names_of_the_columns_before():
    X = draw()
    model = make().fit(pd.DataFrame(X, columns=TERMS))
    assert model.fit(X).anchor_words_ is None
    model.fit(pd.DataFrame(X, columns=TERMS))
    assert model.fit(cooccurrence(X[:, :20])).anchor_words_ is None


def test_a_pipeline_takes_texts_and_a_clone_has_only_the_settings():
    fields, seas = "corn wheat corn harvest field", "ship harbour ship sailor sail"
    texts = [fields, seas, f"{fields} {fields}", f"{seas} {seas}", fields, seas]
    pipeline = make_pipeline(Vectorizer(), AnchorTopics(2, inference="vb"))
    shares = pipeline.fit_transform(texts)
    assert shares[0].argmax() == shares[2].argmax() != shares[1].argmax()
    np.testing.assert_allclose(pipeline.transform(["xyzzy"]), 0.5)
    copy = clone(pipeline)
    assert copy[-1].get_params() == pipeline[-1].get_params()
    assert not hasattr(copy[-1], "components_")
    assert (copy.fit_transform(texts) == shares).all()


def test_shares_come_as_a_frame_on_request():
    X = pd.DataFrame(draw(n_documents=20), columns=TERMS)
    model = make(2).set_output(transform="pandas").fit(X)
    frame = model.transform(X)
    assert frame.columns.tolist() == ["anchortopics0", "anchortopics1"] == model.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="feature names"):
        model.transform(X[TERMS[::-1]])


def test_progress_is_told():
    told = []
    make().fit(draw(), progress=lambda *news: told.append(news))
    assert {name for name, _, _ in told} == {"terms", "rounds"}
    assert told[-1][1] == told[-1][2]


def test_too_many_terms_to_rectify_are_a_warning_and_to_search_the_hull_of_an_error(monkeypatch):
    X = draw()
    monkeypatch.setattr(anchors_module, "_MOST_RECTIFIED", 20)
    with pytest.warns(WaywordWarning, match="30 terms are too many to rectify; going on without.*rectify=False"):
        model = make().fit(X)
    assert (model.components_ == make(rectify=False).fit(X).components_).all()
    monkeypatch.setattr(anchors_module, "_MOST_HULL", 20)
    with pytest.raises(
        InputError, match="find='hull' is for up to 20 candidates, got 30; raise min_df, or use find='fast'"
    ):
        make(find="hull", rectify=False).fit(X)


def test_a_hull_of_too_few_corners_is_an_error_that_says_so():
    A, R = naive.plant_topics(3, 20, 0)
    pairs = Cooccurrence(A @ R @ A.T, 1, np.full(20, 9))
    message = "the hull of 20 candidates has only 3 corners, too few for 4 anchors; lower n_components"
    with pytest.raises(InputError, match=message):
        AnchorTopics(4, find="hull", rectify=False).fit(pairs)


def test_one_topic_is_all_words():
    X = draw()
    for kind in KINDS.keys() - {"inverse"}:
        model = AnchorTopics(1, rectify=False, **KINDS[kind]).fit(X)
        assert (model.term_topics_ == 1).all()
        np.testing.assert_allclose(model.components_[0], cooccurrence(X).row_sums, atol=1e-9)
        np.testing.assert_allclose(model.topic_correlation_, 1.0)


@pytest.mark.parametrize(
    "options", [{"anchors": [0, 3, 1]}, {"n_components": 3, "anchors": [0, 3]}, {"n_components": 4}], ids=str
)
def test_anchors_whose_company_is_the_same_are_an_error(options):
    A, R = naive.plant_topics(3, 20, 0, copies=2)
    # Terms 0 and 3 are both anchors of the first topic.
    pairs = Cooccurrence(A @ R @ A.T, 1, np.full(20, 9))
    with pytest.raises(InputError, match=r"span|same|coincide"):
        AnchorTopics(**{"n_components": None, **options}, rectify=False).fit(pairs)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (-draw(), "Negative values"),
        (sparse.csr_matrix(-draw()), "Negative values"),
        (np.full((6, 5), np.nan), "NaN"),
        (np.full((6, 5), np.inf), "infinity"),
        (np.ones(6), "Expected 2D array"),
        (np.ones((6, 0)), "0 feature"),
        (np.ones((0, 5)), "0 sample"),
        (np.full((6, 5), "corn"), "could not convert string"),
    ],
)
def test_a_matrix_that_holds_no_counts_is_an_error(X, message):
    model = make()
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    model.fit(draw())
    with pytest.raises(ValueError, match=message):
        model.transform(X)


@pytest.mark.parametrize(
    "X", [np.eye(5), np.zeros((4, 5)), sparse.csr_matrix((4, 5))], ids=["short", "empty", "sparse"]
)
def test_documents_of_fewer_than_two_words_are_an_error(X):
    with pytest.raises(InputError, match=r"no document has two words or more.*give longer documents"):
        make(2).fit(X)
    with pytest.raises(InputError, match=r"no document has two words or more.*give longer documents"):
        make(2).fit(cooccurrence(X))


def test_counts_beyond_measure_are_an_error():
    with pytest.raises(InputError, match="counts must be below"):
        make(2).fit(np.full((3, 4), 1e10))


NAMED = {"terms": TERMS}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number of 1 or more, got 0"),
        ({"n_components": 2.0}, "n_components must be a whole number of 1 or more, got 2.0"),
        ({"n_components": "auto"}, "n_components must be a whole number of 1 or more, got 'auto'"),
        ({"n_components": None}, "n_components is None and no anchor was given; set one of the two"),
        ({"n_components": None, "anchors": []}, "n_components is None and no anchor was given; set one of the two"),
        ({"n_components": 2, "anchors": [0, 1, 2]}, "3 anchors were given for 2 topics; raise n_components"),
        (
            {"n_components": 31},
            "cannot find 31 anchors among 30 candidates; lower n_components, the number of topics, or min_df (now 'auto')",
        ),
        (
            {"min_df": 1000},
            "cannot find 3 anchors among 0 candidates; lower n_components, the number of topics, or min_df (now 1000)",
        ),
        ({"min_df": 0}, "min_df, where it is not 'auto', must be a whole number of 1 or more, got 0"),
        ({"min_df": 0.5}, "min_df, where it is not 'auto', must be a whole number of 1 or more, got 0.5"),
        ({"min_df": "foo"}, "min_df, where it is not 'auto', must be a whole number of 1 or more, got 'foo'"),
        ({"recover": "em"}, "recover must be one of 'kl', 'l2', 'inverse', got 'em'"),
        ({"find": "slow"}, "find must be one of 'fast', 'hull', got 'slow'"),
        ({"regularizer": "l1"}, "regularizer must be one of None, 'l2', 'beta', got 'l1'"),
        ({"rectify": "no"}, "rectify must be one of True, False, got 'no'"),
        ({"inference": "svi"}, "inference must be one of 'cd', 'em', 'oneshot', 'vb', 'gibbs', got 'svi'"),
        ({"strength": -1.0}, "strength must be a number from 0 to 1e+09, got -1.0"),
        ({"strength": float("nan")}, "strength must be a number from 0 to 1e+09, got nan"),
        ({"projection": 1}, "projection must be a whole number of 2 or more, got 1"),
        (
            {"projection": 2, "n_components": 4},
            "projection=2 leaves 2 dimensions, which are too few to tell 4 anchors apart; raise it",
        ),
        ({"alpha": 0}, "alpha must be a number"),
        ({"tol": -1e-3}, "tol must be a number of 0 or more, got -0.001"),
        ({"regularizer": "beta", "recover": "inverse"}, "no regularizer; use recover='l2' or 'kl'"),
        ({"regularizer": "beta", "recover": "kl", "prior": {"a": [1]}}, "a prior needs regularizer='l2', got 'beta'"),
        ({"recover": "inverse", "regularizer": "l2"}, "recover='inverse' knows anchors of one word only"),
        ({"recover": "inverse", "prior": {"a": [1]}}, "no regularizer; use recover='l2' or 'kl'"),
        ({"recover": "inverse", "anchors": [(0, 1)]}, "recover='inverse' knows anchors of one word only"),
        ({"anchors": "word01"}, "anchors must be a list, with one entry for each topic, got 'word01'"),
        ({"anchors": 3}, "anchors must be a list, with one entry for each topic, got 3"),
        ({"anchors": {3, 5}}, "anchors must be a list, with one entry for each topic, got {3, 5}"),
        ({"anchors": {3: 5}}, "anchors must be a list, with one entry for each topic, got {3: 5}"),
        ({"anchors": [{3, 5}]}, "an anchor of several words must be a list or tuple of them, got {3, 5}"),
        ({"anchors": [()]}, "an anchor must have one word or more, got none; leave it out to have one found"),
        ({"anchors": [1.5]}, "an anchor must be a word, a column, or several of these, got 1.5"),
        ({"anchors": [None]}, "an anchor must be a word, a column, or several of these, got None"),
        ({"anchors": [True]}, "an anchor must be a word, a column, or several of these, got True"),
        ({"anchors": [-1]}, "an anchor must be a column from 0 to 29, got -1"),
        ({"anchors": [(1, 30)]}, "an anchor must be a column from 0 to 29, got 30"),
        ({"anchors": ["word01"]}, "the anchor 'word01' is a word, but the columns have no names; give terms="),
        ({"anchors": [1, 1]}, "two topics have the same anchor (column 1); give each topic its own"),
        ({"anchors": [(1, 2), (2, 1)]}, "two topics have the same anchor (column 2, column 1)"),
        ({"anchors": ["word01", 1], **NAMED}, "two topics have the same anchor ('word01')"),
        ({"terms": ["corn"]}, "terms must name each of 30 columns, got 1 names"),
        ({"terms": ["corn"] * 30}, "term 'corn' stands for two columns"),
        ({"terms": 5}, "terms must"),
        ({"prior": {}}, "the lexicon given as prior has no words; give {category: [words]}"),
        ({"prior": {"a": [], "b": ()}}, "the lexicon given as prior has no words; give {category: [words]}"),
        ({"prior": {"a": "word01"}, **NAMED}, "category 'a' of the lexicon must have a list of words, got 'word01'"),
        ({"prior": {"a": 3}, **NAMED}, "category 'a' of the lexicon must have a list of words, got 3"),
        ({"prior": {"a": None, "b": ["word01"]}, **NAMED}, "category 'a' of the lexicon must have a list of words"),
        ({"prior": {"a": ["corn"]}, **NAMED}, "no word of the lexicon is a term of the documents; check case"),
        ({"prior": {"a": ["corn"]}}, "the columns have no names; give terms="),
        ({"prior": {"a": (word for word in TERMS)}, **NAMED}, "category 'a' of the lexicon must have a list of words"),
        ({"prior": {"a": [30]}}, "a word of category 'a' of the lexicon must be a column from 0 to 29, got 30"),
        ({"prior": {"a": [1.5]}}, "a word of category 'a' of the lexicon must be a word or a column, got 1.5"),
        ({"prior": np.ones((3, 3))}, "prior must be word lists, or finite numbers of shape (30, 3)"),
        ({"prior": np.full((30, 3), np.nan)}, "prior must be word lists, or finite numbers of shape (30, 3)"),
        ({"prior": "word01"}, "prior must be word lists, or finite numbers of shape (30, 3)"),
        ({"prior": [[1.0], [1.0, 2.0]]}, "prior must be word lists, or finite numbers of shape (30, 3)"),
    ],
)
def test_settings_that_make_no_sense_are_errors(options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        AnchorTopics(3).set_params(**options).fit(draw())


def test_an_anchor_that_no_document_holds_is_an_error():
    X = draw()
    X[:, 5] = 0
    with pytest.raises(
        InputError, match="the anchor column 5 occurs beside no other word in any document; choose another"
    ):
        make(anchors=[(4, 5)]).fit(X)
    with pytest.raises(
        InputError, match="the anchor 'word05' occurs beside no other word in any document; choose another"
    ):
        make(anchors=[5], terms=TERMS).fit(X)


@every_rectify
def test_more_topics_than_the_documents_have_are_an_error(rectify):
    A, R = naive.plant_topics(2, 20, 0)
    with pytest.raises(InputError, match="lies within the span of the 2 anchors before it; ask for fewer topics"):
        AnchorTopics(3, rectify=rectify).fit(Cooccurrence(A @ R @ A.T, 1, np.full(20, 9)))


def test_weights_that_are_no_counts_are_taken_as_they_are_with_a_warning(monkeypatch):
    X = draw() * 0.5
    with pytest.warns(
        WaywordWarning, match="X holds fractions rather than counts: products of weights are taken as they are"
    ):
        model = make().fit(X)
    rows = X / np.maximum(X.sum(axis=1, keepdims=True), 1e-300)
    Q = rows.T @ rows
    np.testing.assert_allclose(
        model._ground.pairs.toarray() / model._ground.pairs.toarray().sum(), Q / Q.sum(), atol=1e-12
    )
    monkeypatch.setattr("wayword.matrix.cooccurrence._MOST_DENSE_BYTES", 8)
    with pytest.warns(WaywordWarning, match="X holds fractions"):
        sparse_one = make().fit(X)
    assert sparse_one._ground.pairs.form == "sparse"
    np.testing.assert_allclose(sparse_one.components_, model.components_, atol=1e-6)


def test_nothing_is_answered_before_fit():
    for method, arguments in (("transform", (draw(),)), ("refit", ()), ("get_feature_names_out", ())):
        with pytest.raises(NotFittedError):
            getattr(make(), method)(*arguments)


def test_documents_of_another_number_of_terms_are_an_error():
    for fitted in (make().fit(draw()), make().fit(cooccurrence(draw()))):
        with pytest.raises(ValueError, match="is expecting 30 features"):
            fitted.transform(np.ones((2, 29)))


@pytest.mark.filterwarnings("ignore:noise leaves nothing")
@given(seeds)
def test_inversion_of_noisy_counts_gives_distributions(seed):
    X = draw(seed, n_documents=30, n_terms=12)
    model = AnchorTopics(4, recover="inverse", rectify=False).fit(X)
    assert_sound(model, X, 4)
    assert np.isfinite(held_out_likelihood(X, model.components_))


def test_a_topic_that_inversion_leaves_nothing_of_holds_its_anchor_and_says_so(monkeypatch):
    found = np.array([[-0.5, -0.1, -0.4], [0.6, -0.2, 0.6]]), np.array([[-1.0, 0.0], [0.0, 0.5]])
    monkeypatch.setattr(recovery_module, "recover_by_inversion", lambda space, anchors: found)
    with pytest.warns(WaywordWarning, match="noise leaves nothing of 1 topics"):
        topics, correlation = recovery_module.recover_distributions_by_inversion(None, [1, 2])
    np.testing.assert_allclose(topics, [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    np.testing.assert_allclose(correlation, [[0.0, 0.0], [0.0, 1.0]])


def test_names_that_are_given_go_before_those_of_a_frame():
    X = draw(0, n_documents=60, n_terms=6)
    frame = pd.DataFrame(X, columns=[f"c{place}" for place in range(6)])
    given = [f"word{place}" for place in range(6)]
    model = AnchorTopics(2, anchors=["word3"], terms=given).fit(frame)
    assert model.anchor_words_[0] == "word3"
    with pytest.raises(InputError, match="terms must name each of 6 columns, got 1 names"):
        AnchorTopics(2, terms=["a"]).fit(frame)


def test_fewer_topics_than_anchors_of_now_ask_for_anchors():
    model = AnchorTopics(4).fit(draw(0, n_documents=60, n_terms=8))
    with pytest.raises(InputError, match="4 anchors are too many for 2 topics; those of now are kept unless anchors="):
        model.refit(n_components=2)
    assert model.refit(anchors=model.anchors_[:2], n_components=2).n_components_ == 2


def test_a_word_in_bytes_is_no_anchor_of_several_columns():
    with pytest.raises(InputError, match="an anchor must be a word, a column, or several of these, got b'word'"):
        AnchorTopics(2, anchors=[b"word"]).fit(draw(0, n_documents=60, n_terms=200))


def test_topics_are_shown_by_what_they_have_beyond_all_documents():
    model = AnchorTopics(2, rectify=False).fit(
        np.array([[6, 4, 0, 0, 5], [5, 3, 0, 0, 5], [0, 0, 4, 4, 5], [0, 0, 3, 5, 5]])
    )
    shown, topics = model.display_components_, model.components_
    common = model.topic_shares_ @ topics
    for place, term in np.ndindex(topics.shape):
        likely, all_over = topics[place, term], common[term]
        beyond = likely * (likely - all_over) / (likely + all_over) if likely > all_over else 0.0
        assert shown[place, term] == pytest.approx(beyond, abs=1e-9)
    # The last term is as likely in both.
    assert (topics[:, 4] > 0.3).all()
    assert (shown[:, 4] < 0.02).all()


def test_a_single_topic_is_shown_as_it_is():
    model = AnchorTopics(1, rectify=False).fit(np.array([[4, 2, 1], [3, 2, 2]]))
    np.testing.assert_array_equal(model.display_components_, model.components_)


@pytest.mark.parametrize("regularizer", [None, "l2"])
@pytest.mark.parametrize("rectify", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_halves_of_a_corpus_that_share_no_word_are_solved_to_the_end(seed, rectify, regularizer):
    # Topics of the other half explain nothing of a word: what they would add is all rounding.
    halves = [planted_topics(3, 150, n_common=3, random_state=half).X for half in (seed, seed + 100)]
    X = sparse.block_diag(halves).tocsr()
    model = AnchorTopics(4, recover="kl", rectify=rectify, regularizer=regularizer).fit(X)
    assert model.gap_ <= 1e-12
    np.testing.assert_allclose(model.term_topics_.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.transform(X, method="oneshot").sum(axis=1), 1.0)


def test_a_topic_that_others_leave_nothing_to_holds_the_words_of_its_anchor_and_says_so():
    planted = planted_topics(4, 300, random_state=1)
    anchors = [("t0w0", "t0w1"), "t0w0", "t0w1"]
    model = AnchorTopics(3, anchors=anchors, terms=planted.terms)
    with pytest.warns(WaywordWarning, match=r"leave nothing to 1 of them.*'t0w0' \+ 't0w1'"):
        model.fit(planted.X)
    assert model.topic_shares_[0] == 0.0
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    assert {planted.terms[column] for column in np.flatnonzero(model.components_[0])} == {"t0w0", "t0w1"}
    np.testing.assert_allclose(model.transform(planted.X).sum(axis=1), 1.0)


def test_a_strength_of_nothing_is_warned_of():
    with pytest.warns(WaywordWarning, match="strength counts for nothing without a regularizer or a prior"):
        make(strength=0.5).fit(draw())
