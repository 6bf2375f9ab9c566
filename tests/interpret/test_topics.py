import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from wayword import NMF, TopicDiscovery, describe_topics
from wayword.errors import InputError
from wayword.interpret.topics import typical_documents

TERMS = ["apple", "pear", "ship", "sail"]
X = np.array([[4, 2, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 2, 40], [0, 0, 0, 0], [0, 1, 0, 0]])


def test_topics_come_with_terms_shares_and_typical_documents():
    fruit, sea = sorted(describe_topics(TopicDiscovery(2).fit(X), TERMS, X, n_terms=2), key=lambda topic: topic.share)
    assert [term for term, _ in fruit.terms] == ["apple", "pear"]
    assert {term for term, _ in sea.terms} == {"ship", "sail"}
    assert fruit.documents[0] == 0
    assert sea.documents[0] == 3
    assert fruit.share + sea.share == pytest.approx(1.0)
    assert fruit.to_dict()["terms"] == dict(fruit.terms)


def test_raw_terms_are_those_that_are_most_likely():
    model = TopicDiscovery(2).fit(X)
    found = describe_topics(model, TERMS, raw=True)
    for topic, row in zip(found, model.components_, strict=True):
        assert [score for _, score in topic.terms] == sorted(row, reverse=True)


def test_a_model_that_does_not_know_shares_takes_them_from_documents():
    model = NMF(2).fit(X)
    assert all(np.isnan(topic.share) for topic in describe_topics(model, TERMS))
    assert sum(topic.share for topic in describe_topics(model, TERMS, X)) == pytest.approx(1.0)


def test_without_documents_none_are_typical():
    assert [topic.documents for topic in describe_topics(NMF(2).fit(X), TERMS)] == [[], []]
    assert [topic.documents for topic in describe_topics(NMF(2).fit(X), TERMS, X, n_documents=0)] == [[], []]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_typical_documents_hold_something_of_the_topic_and_come_in_order(seed, n_documents):
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.3, size=(8, 3)) * (rng.random((8, 3)) < 0.5)
    lengths = rng.integers(0, 50, 8).astype(float)
    for topic, rows in enumerate(typical_documents(weights, lengths, n_documents)):
        assert len(rows) <= n_documents
        assert (weights[rows, topic] > 0).all()
        shares = weights[rows, topic] / weights[rows].sum(axis=1) * lengths[rows] / (lengths[rows] + 20)
        assert (np.diff(shares) <= 1e-12).all()


def test_of_two_pure_documents_the_longer_is_more_typical():
    assert typical_documents(np.array([[1.0], [1.0]]), np.array([3.0, 60.0]), 1) == [[1]]


def test_bad_use_is_named():
    with pytest.raises(NotFittedError):
        describe_topics(NMF(2), TERMS)
    with pytest.raises(InputError, match="terms must name each of 4 columns"):
        describe_topics(NMF(2).fit(X), TERMS[:2])
    with pytest.raises(InputError, match="n_documents"):
        describe_topics(NMF(2).fit(X), TERMS, X, n_documents=-1)
