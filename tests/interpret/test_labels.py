import pytest

from wayword import Vectorizer
from wayword.errors import InputError
from wayword.interpret.labels import label_terms

TEXTS = ["goal match team", "goal team win", "vote law party", "law court vote", "match law"]
LABELS = [("sport",), ("sport",), ("politics",), ("politics", "justice"), ()]


def test_terms_of_a_label_are_frequent_in_it_and_rare_outside():
    vectorizer = Vectorizer(lemmatize=False, stop_words=None)
    found = label_terms(vectorizer.fit_transform(TEXTS), LABELS, vectorizer.vocabulary_, n_terms=2)
    assert list(found) == ["justice", "politics", "sport"]
    assert {term for term, _ in found["sport"]} == {"goal", "team"}
    assert found["politics"][0][0] == "vote"
    assert found["justice"][0][0] == "court"


def test_scores_fall():
    vectorizer = Vectorizer(lemmatize=False, stop_words=None)
    found = label_terms(vectorizer.fit_transform(TEXTS), LABELS, vectorizer.vocabulary_)
    for terms in found.values():
        scores = [score for _, score in terms]
        assert scores == sorted(scores, reverse=True)
        assert min(scores) > 0


def test_a_wrong_number_of_labels_is_an_error():
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform(TEXTS)
    with pytest.raises(InputError, match="do not fit 1 labelled documents"):
        label_terms(X, LABELS[:1], vectorizer.vocabulary_)
