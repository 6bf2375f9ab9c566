import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from naive.anchors import label_chances
from wayword import AnchorTopics, SupervisedAnchors
from wayword.active import LiveTopics
from wayword.errors import FormatError, InputError
from wayword.testing import planted_topics

PLANTED = planted_topics(5, 400, random_state=3)
X, TERMS = PLANTED.X, list(PLANTED.terms)
TRUTH = np.eye(5)[PLANTED.labels]
LIVE = LiveTopics(X, n_topics=5)


def column(term):
    return TERMS.index(term)


def soft(seed, n_labels=5):
    """Return chances that are right mostly."""
    noise = np.random.default_rng(seed).dirichlet(np.ones(n_labels), size=X.shape[0])
    return 0.7 * TRUTH[:, :n_labels] + 0.3 * noise


def same(first, second):
    assert first.anchors == second.anchors
    for name in ("components", "term_topics", "shares", "label_chances"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_planted_topics_are_found_without_a_label():
    found = LIVE.refresh()
    alike = found.components @ PLANTED.topics.T
    assert sorted(alike.argmax(axis=1)) == [0, 1, 2, 3, 4]
    assert found.label_chances.shape == (5, 0)
    np.testing.assert_allclose(found.components.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.term_topics.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.shares.sum(), 1.0)


def test_counts_in_single_precision_give_the_same_shares_but_for_rounding():
    found = LIVE.refresh()
    light = found.document_shares(X.astype(np.float32))
    assert light.dtype == np.float64
    np.testing.assert_allclose(light, found.document_shares(X), atol=1e-6)
    np.testing.assert_allclose(light.sum(axis=1), 1.0, rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_what_is_found_does_not_depend_on_what_was_asked_for_before(seed, other):
    fresh, used = LiveTopics(X, n_topics=5), LIVE
    used.refresh(soft(other), anchors=[(column("t2w0"), column("t2w1"))], n_topics=7)
    same(used.refresh(soft(seed)), fresh.refresh(soft(seed)))


def test_anchors_are_those_of_a_whole_run_with_the_same_labels():
    y = [f"l{topic}" if row % 9 == 0 else None for row, topic in enumerate(PLANTED.labels)]
    hard = np.where(np.array([name is not None for name in y])[:, None], TRUTH, np.nan)
    whole = SupervisedAnchors(8, rectify=False, projection=None, pseudo_counts=3.0).fit(X, y)
    live = LiveTopics(X, n_topics=8, rectify=False, label_weight=4.0, pseudo_counts=3.0).refresh(hard)
    assert [anchor[0] for anchor in live.anchors] == whole.anchors_
    # Label columns are in single precision here.
    np.testing.assert_allclose(live.components, whole.components_, atol=1e-5)
    np.testing.assert_allclose(live.label_chances, whole.label_topics_, atol=1e-5)


def test_without_labels_topics_are_those_of_anchor_words():
    whole = AnchorTopics(5, projection=None, terms=TERMS).fit(X)
    live = LIVE.refresh()
    assert [anchor[0] for anchor in live.anchors] == whole.anchors_
    np.testing.assert_allclose(live.components, whole.components_, atol=1e-6)


def test_label_columns_are_shares_of_labelled_documents():
    y = [f"l{topic}" if row % 9 == 0 else None for row, topic in enumerate(PLANTED.labels)]
    names = sorted({name for name in y if name})
    hard = np.where(np.array([name is not None for name in y])[:, None], TRUTH, np.nan)
    live = LiveTopics(X, n_topics=5, rectify=False, pseudo_counts=0.0).refresh(hard)
    slow = label_chances(X.toarray(), y, names)[[anchor[0] for anchor in live.anchors]]
    np.testing.assert_allclose(live.label_chances, slow, atol=1e-6)


def test_labels_that_words_do_not_tell_apart_change_nothing():
    even = np.full((X.shape[0], 2), 0.5)
    np.testing.assert_array_equal(LIVE.refresh(even).components, LIVE.refresh().components)


def test_labels_part_topics_that_documents_alone_would_not():
    """One label is half of a topic, told by one word: with labels, this word gets a topic of its own."""
    word = column("t0w3")
    holds = (X[:, [word]].toarray().ravel() > 0).astype(float)
    chances = np.column_stack([holds, 1.0 - holds])
    live = LiveTopics(X, n_topics=6, min_df=5, label_weight=10.0)
    assert (word,) in live.refresh(chances).anchors
    assert (word,) not in live.refresh().anchors


def test_given_anchors_come_first_and_are_not_found_again():
    pair = (column("t1w0"), column("t1w1"))
    found = LIVE.refresh(soft(1), anchors=[pair, (column("t4w0"),)])
    assert found.anchors[:2] == (pair, (column("t4w0"),))
    assert len(found.anchors) == 5
    others = {term for anchor in found.anchors[2:] for term in anchor}
    assert not others & {*pair, column("t4w0")}


def test_two_topics_with_the_same_anchor_are_the_same_every_time():
    twice = [(column("t1w0"),), (column("t1w0"),)]
    first = LIVE.refresh(soft(1), anchors=twice)
    LIVE.refresh(soft(2))
    same(first, LIVE.refresh(soft(1), anchors=twice))
    assert np.isfinite(first.components).all()


def test_a_banned_term_has_no_weight_in_any_topic_and_is_no_anchor():
    anchor = LIVE.refresh(soft(1)).anchors[0][0]
    found = LIVE.refresh(soft(1), banned=[anchor])
    assert not found.components[:, anchor].any()
    assert not found.term_topics[anchor].any()
    assert all(anchor not in terms for terms in found.anchors)
    np.testing.assert_allclose(found.components.sum(axis=1), 1.0)


def test_a_forbidden_term_leaves_one_topic_only():
    pinned, term = [(column("t1w0"),), (column("t2w0"),)], column("common0")
    before = LIVE.refresh(anchors=pinned)
    found = LIVE.refresh(anchors=pinned, forbidden={0: [term]})
    assert before.components[0, term] > 0
    assert found.components[0, term] == 0
    assert found.term_topics[term].sum() == pytest.approx(1.0)


def test_shares_of_documents_sum_to_one_even_without_words():
    found = LIVE.refresh()
    shares = found.document_shares(sparse.csr_matrix(np.vstack([X[:3].toarray(), np.zeros(X.shape[1])])))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares[3], found.shares)
    alike = found.components @ PLANTED.topics.T
    guessed = alike.argmax(axis=1)[found.document_shares(X).argmax(axis=1)]
    assert np.mean(guessed == PLANTED.labels) > 0.95


def test_more_topics_than_can_be_told_apart_become_fewer():
    found = LiveTopics([[2, 1], [1, 2], [3, 1]], n_topics=9, min_df=1).refresh()
    assert 1 <= len(found.anchors) <= 2
    assert np.isfinite(found.components).all()


def test_of_very_many_terms_the_frequent_ones_count(monkeypatch):
    monkeypatch.setattr("wayword.active.topics._MOST_TERMS", 20)
    live = LiveTopics(X, n_topics=4)
    found = live.refresh(soft(1))
    assert found.components.shape == (4, X.shape[1])
    assert len(live.columns) == 20
    assert not np.delete(found.components, live.columns, axis=1).any()
    with pytest.raises(InputError, match="20 most frequent"):
        live.refresh(anchors=[(int(np.setdiff1d(np.arange(X.shape[1]), live.columns)[0]),)])


def test_several_labels_for_each_document_are_chances_of_their_own():
    both = np.column_stack([TRUTH[:, 0] + TRUTH[:, 1], TRUTH[:, 0]])
    found = LIVE.refresh(both, anchors=[(column(f"t{topic}w0"),) for topic in range(5)])
    # Words in common are in documents of all topics, so that no chance is quite one or zero.
    first, second = found.label_chances.T
    assert min(first[:2]) > 1.5 * max(first[2:])
    assert second[0] > 1.5 * max(second[1:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"X": np.zeros((3, 4))}, "no document holds any term"),
        ({"X": np.eye(4)}, "two words or more"),
        ({"X": X, "n_topics": 0}, "n_topics"),
        ({"X": [1, 2]}, "matrix"),
    ],
)
def test_what_cannot_be_used_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        LiveTopics(**given)


def test_an_anchor_without_terms_is_refused():
    with pytest.raises(InputError, match="anchor must be columns"):
        LIVE.refresh(anchors=[()])


def test_kept_arrays_give_the_same_topics_at_once(monkeypatch):
    kept = LiveTopics(X, n_topics=5, arrays=LIVE.to_arrays())
    monkeypatch.setattr("wayword.active.topics.count_words", lambda *_: pytest.fail("counted again"))
    same(kept.refresh(soft(1)), LIVE.refresh(soft(1)))


def test_anchors_of_several_words_are_the_same_with_kept_arrays():
    pair = [(column("t1w0"), column("t1w1"))]
    kept = LiveTopics(X, n_topics=5, arrays=LIVE.to_arrays())
    same(kept.refresh(soft(1), anchors=pair), LIVE.refresh(soft(1), anchors=pair))
    kept.prepare()
    same(kept.refresh(soft(2), anchors=pair), LIVE.refresh(soft(2), anchors=pair))


def test_arrays_of_other_counts_are_refused():
    with pytest.raises(FormatError, match="not the arrays of"):
        LiveTopics(X[:, :20], n_topics=5, arrays=LIVE.to_arrays())


def test_an_anchor_is_all_of_its_topic_and_terms_that_are_the_same_are_too():
    """The last two terms always occur together: either could be the anchor, and the other lies on its corner."""
    rng = np.random.default_rng(0)
    twins = rng.integers(0, 3, size=(60, 1))
    counts = np.hstack([rng.integers(0, 3, size=(60, 6)), twins, twins])
    live, fresh = (LiveTopics(counts, n_topics=4, min_df=1) for _ in range(2))
    for seed in range(20):
        live.refresh(np.random.default_rng(seed).dirichlet([1, 1], size=60))
    chances = np.random.default_rng(99).dirichlet([1, 1], size=60)
    found = live.refresh(chances)
    same(found, fresh.refresh(chances))
    for topic, (anchor,) in enumerate(found.anchors):
        assert found.term_topics[anchor, topic] == 1.0
