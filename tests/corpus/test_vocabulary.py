import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wayword import Vocabulary
from wayword.corpus.vocabulary import documents_meant
from wayword.errors import FormatError, InputError, UnknownTermError

TERMS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), unique=True, max_size=8)


@st.composite
def vocabularies(draw, terms=TERMS):
    """Return a vocabulary with frequencies that documents could have."""
    drawn = draw(terms)
    n_documents = draw(st.integers(1, 20))
    df = [draw(st.integers(1, n_documents)) for _ in drawn]
    tf = [count + draw(st.integers(0, 30)) for count in df]
    return Vocabulary(drawn, document_frequencies=df, term_frequencies=tf, n_documents=n_documents)


LETTERS = st.lists(st.text("abc", min_size=1, max_size=2), unique=True, max_size=10)


# Terms and columns


@given(TERMS)
def test_column_and_term_are_inverse(terms):
    vocabulary = Vocabulary(terms)
    assert list(vocabulary) == list(vocabulary.terms) == terms
    assert [vocabulary.column(term) for term in terms] == list(range(len(terms)))
    assert [vocabulary[column] for column in range(len(vocabulary))] == terms
    assert vocabulary.columns(terms).tolist() == list(range(len(terms)))
    assert all(term in vocabulary for term in terms)


def test_slice_gives_the_terms_of_those_columns():
    assert Vocabulary(["a", "b", "c"])[1:] == ("b", "c")


def test_columns_are_whole_numbers_even_when_there_are_none():
    assert Vocabulary(["a"]).columns([]).dtype == np.int64


@given(TERMS.filter(bool))
def test_term_cannot_stand_for_two_columns(terms):
    with pytest.raises(InputError, match="stands for two columns; terms must be unique"):
        Vocabulary([*terms, terms[0]])


@pytest.mark.parametrize("term", [1, None, b"bytes", ("a", "b")])
def test_term_must_be_a_string(term):
    with pytest.raises(InputError, match="terms must be strings"):
        Vocabulary(["room", term])


@pytest.mark.parametrize("name", ["document_frequencies", "term_frequencies"])
@pytest.mark.parametrize("values", [[1], [1, 2, 3], [[1, 2]]])
def test_frequencies_need_one_value_for_each_term(name, values):
    with pytest.raises(InputError, match=f"{name} must have one value for each of 2 terms"):
        Vocabulary(["a", "b"], **{name: values})


def test_vocabulary_is_read_only():
    given_frequencies = np.array([1, 2])
    vocabulary = Vocabulary(["a", "b"], document_frequencies=given_frequencies, n_documents=2)
    given_frequencies[0] = 9
    assert vocabulary.document_frequencies.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        vocabulary.document_frequencies[0] = 9
    for name in ("terms", "document_frequencies", "term_frequencies", "n_documents"):
        with pytest.raises(AttributeError):
            setattr(vocabulary, name, None)


def test_repr_shows_a_few_terms():
    assert repr(Vocabulary([*"abcdef"])) == "<Vocabulary of 6 terms: a, b, c, d, e, ...>"


def test_vocabularies_with_other_frequencies_differ():
    assert Vocabulary(["a"]) == Vocabulary(["a"])
    assert Vocabulary(["a"]) != Vocabulary(["a"], document_frequencies=[1])
    assert Vocabulary(["a", "b"]) != Vocabulary(["b", "a"])
    assert Vocabulary(["a"]) != ["a"]


# Near matches

HOTEL = Vocabulary(["breakfast", "room", "rooms", "staff", "street", "stuff"])


def test_unknown_term_offers_near_matches():
    with pytest.raises(
        UnknownTermError, match=r"no term 'breakfest' in the vocabulary; did you mean 'breakfast'\?"
    ) as caught:
        HOTEL.column("breakfest")
    assert caught.value.word == "breakfest"
    assert caught.value.suggestions == ("breakfast",)
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, InputError)


def test_unknown_term_of_several_is_named():
    with pytest.raises(UnknownTermError, match=r"no term 'pool' in the vocabulary$"):
        HOTEL.columns(["room", "pool", "staff"])


def test_near_matches_are_the_nearest_first_and_no_more_than_asked_for():
    assert HOTEL.near("stafff")[0] == "staff"
    assert set(HOTEL.near("room")) == {"room", "rooms"}
    assert HOTEL.near("room")[0] == "room"
    assert len(HOTEL.near("staf", n=1)) == 1


@given(vocabularies().filter(len), st.data())
def test_term_is_nearest_to_itself(vocabulary, data):
    term = data.draw(st.sampled_from(vocabulary.terms))
    assert vocabulary.near(term)[0] == term


@given(TERMS, st.text(max_size=10), st.integers(1, 5))
def test_near_matches_are_terms(terms, word, n):
    near = Vocabulary(terms).near(word, n)
    assert set(near) <= set(terms)
    assert len(near) <= n


# Pruning


def prune_slowly(vocabulary, low, high, max_terms, keep, drop):
    """Say in plain words what pruning means: the terms that stay, in order."""
    rows = list(zip(vocabulary.terms, vocabulary.document_frequencies, vocabulary.term_frequencies, strict=True))
    staying = [row for row in rows if (low <= row[1] <= high or row[0] in keep) and row[0] not in drop]
    first = sorted(staying, key=lambda row: (row[0] not in keep, -row[2] if row[0] not in keep else 0, row[0]))
    chosen = {row[0] for row in first[:max_terms]}
    return [term for term in vocabulary.terms if term in chosen]


@given(
    vocabularies(LETTERS),
    st.integers(0, 20),
    st.floats(0, 1),
    st.none() | st.integers(1, 10),
    st.sets(st.sampled_from(["a", "b", "ab", "zz"])),
    st.sets(st.sampled_from(["a", "c", "bc"])),
)
def test_pruning_keeps_what_it_says(vocabulary, min_df, max_df, max_terms, keep, drop):
    pruned, columns = vocabulary.prune(min_df=min_df, max_df=max_df, max_terms=max_terms, keep=keep, drop=drop)
    high = max_df * vocabulary.n_documents
    assert list(pruned) == prune_slowly(vocabulary, min_df, high, max_terms, keep, drop)
    assert [vocabulary[column] for column in columns] == list(pruned)
    assert pruned.document_frequencies.tolist() == vocabulary.document_frequencies[columns].tolist()
    assert pruned.term_frequencies.tolist() == vocabulary.term_frequencies[columns].tolist()
    assert pruned.n_documents == vocabulary.n_documents


@given(vocabularies(LETTERS))
def test_pruning_by_nothing_changes_nothing(vocabulary):
    pruned, columns = vocabulary.prune()
    assert pruned == vocabulary
    assert columns.tolist() == list(range(len(vocabulary)))


@given(vocabularies(LETTERS), st.integers(1, 20))
def test_a_share_and_its_number_of_documents_prune_alike(vocabulary, count):
    count = min(count, vocabulary.n_documents)
    by_count, _ = vocabulary.prune(min_df=count)
    by_share, _ = vocabulary.prune(min_df=count / vocabulary.n_documents)
    assert by_count == by_share


def test_whole_number_one_is_a_document_and_one_point_zero_is_all():
    assert documents_meant(1, 50, "min_df") == 1
    assert documents_meant(1.0, 50, "max_df") == 50
    assert documents_meant(np.int64(3), 50, "min_df") == 3
    assert documents_meant(np.float32(0.5), 50, "min_df") == 25


@pytest.mark.parametrize("frequency", [-1, 1.5, -0.1, True, "2", None, float("nan")])
def test_frequency_that_makes_no_sense_is_refused(frequency):
    with pytest.raises(InputError, match="min_df must be"):
        documents_meant(frequency, 50, "min_df")


@pytest.mark.parametrize("max_terms", [0, -3])
def test_number_of_terms_must_be_one_or_more(max_terms):
    vocabulary = Vocabulary(["a"], document_frequencies=[1], term_frequencies=[1], n_documents=1)
    with pytest.raises(InputError, match=f"max_terms must be 1 or more, got {max_terms}"):
        vocabulary.prune(max_terms=max_terms)


def test_pruning_needs_frequencies():
    with pytest.raises(InputError, match="without document frequencies"):
        Vocabulary(["a"]).prune(min_df=1)
    with pytest.raises(InputError, match="term frequencies"):
        Vocabulary(["a"], document_frequencies=[1], n_documents=1).prune(max_terms=1)


# Saving


@given(vocabularies() | TERMS.map(Vocabulary))
def test_saved_vocabulary_loads_the_same(folder, vocabulary):
    vocabulary.save(folder / "vocabulary.json")
    assert Vocabulary.load(str(folder / "vocabulary.json")) == vocabulary


def test_term_that_is_no_valid_unicode_survives_saving(tmp_path):
    vocabulary = Vocabulary(["half \ud83d of an emoji"])
    vocabulary.save(tmp_path / "vocabulary.json")
    assert Vocabulary.load(tmp_path / "vocabulary.json") == vocabulary


def test_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"nowhere\.json: cannot be read as a vocabulary"):
        Vocabulary.load(tmp_path / "nowhere.json")


def test_terms_to_keep_stay_even_if_there_are_more_of_them_than_room():
    vocabulary = Vocabulary("abc", document_frequencies=[3, 2, 1], term_frequencies=[3, 2, 1], n_documents=3)
    smaller, _ = vocabulary.prune(max_terms=1, keep=["b", "c"])
    assert list(smaller) == ["b", "c"]


GOOD = {
    "format": "wayword-vocabulary",
    "version": 1,
    "terms": ["a", "b"],
    "document_frequencies": [1, 2],
    "term_frequencies": [3, 4],
    "n_documents": 2,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a Wayword vocabulary; expected a file written by Vocabulary.save"),
        ({"version": 99}, "version 99 of the format, this Wayword reads 1; upgrade"),
        ({"terms": None}, "damaged vocabulary"),
        ({"terms": ["a", "a"]}, "damaged vocabulary"),
        ({"terms": ["a", 5]}, "damaged vocabulary"),
        ({"terms": ["a", ["b"]]}, "damaged vocabulary"),
        ({"terms": "ab"}, "damaged vocabulary"),
        ({"document_frequencies": [1]}, "damaged vocabulary"),
        ({"document_frequencies": ["x", "y"]}, "damaged vocabulary"),
        ({"document_frequencies": [1, 10**30]}, "damaged vocabulary"),
        ({"document_frequencies": [1, 2.5]}, "damaged vocabulary"),
        ({"n_documents": "two"}, "damaged vocabulary"),
    ],
)
def test_damaged_file_is_named(tmp_path, change, message):
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps(GOOD))
    assert len(Vocabulary.load(path)) == 2
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(FormatError, match=message) as caught:
        Vocabulary.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["terms", "document_frequencies", "term_frequencies", "n_documents"])
def test_file_that_lacks_a_part_is_damaged(tmp_path, name):
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps({key: value for key, value in GOOD.items() if key != name}))
    with pytest.raises(FormatError, match=f"damaged vocabulary.*{name}"):
        Vocabulary.load(path)


@given(
    st.binary(max_size=50)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps).map(str.encode)
)
@example(b"[" * 100_000)
@example(b"\xff\xfe")
def test_foreign_file_is_refused(folder, data):
    path = folder / "foreign.json"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"foreign\.json"):
        Vocabulary.load(path)
