import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from corpus.strategies import corpora
from wayword import Corpus, Document
from wayword.corpus.corpus import BagOfWords, Skipped, concatenate
from wayword.errors import CorpusError, DuplicateIdError, InputError


@pytest.fixture
def hotels():
    return Corpus(
        ["The room was clean.", "Slow check-in.", "Kind staff."],
        ids=["hotel-1", "hotel-2", "inn-3"],
        labels=[["room"], None, ["staff", "service"]],
        metadata={"stars": [4, 2, 5]},
    )


@given(corpora())
def test_documents_and_columns_say_the_same(corpus):
    assert [document.id for document in corpus] == list(corpus.ids)
    assert [document.text for document in corpus] == list(corpus.texts)
    assert [document.labels for document in corpus] == list(corpus.labels)
    assert [document.metadata["source"] for document in corpus] == list(corpus.metadata["source"])
    assert Corpus.from_documents(corpus) == corpus


@given(corpora(), st.slices(6))
def test_slice_is_the_corpus_of_those_documents(corpus, key):
    assert isinstance(corpus[key], Corpus)
    assert list(corpus[key]) == list(corpus)[key]
    assert corpus[key].metadata.keys() == corpus.metadata.keys()


@given(corpora(), st.integers(1, 5))
def test_slices_joined_again_are_the_corpus(corpus, cut):
    assert concatenate([corpus[:cut], corpus[cut:]]) == corpus


@given(corpora(), st.randoms())
def test_select_gives_documents_in_the_order_asked_for(corpus, random):
    ids = random.sample(corpus.ids, k=random.randint(0, len(corpus)))
    selected = corpus.select(ids)
    assert list(selected.ids) == ids
    assert all(selected.document(id) == corpus.document(id) for id in ids)


def test_ids_are_numbers_from_zero_by_default():
    assert Corpus(["a", "b"]).ids == ("0", "1")


def test_index_counts_from_the_end_when_negative(hotels):
    assert hotels[-1] == hotels.document("inn-3")
    with pytest.raises(IndexError):
        hotels[3]


def test_document_has_its_row(hotels):
    assert hotels[2] == Document("inn-3", "Kind staff.", ("staff", "service"), {"stars": 5})


def test_repeated_label_counts_once():
    assert Corpus(["a"], labels=[["x", "y", "x"]]).labels == (("x", "y"),)


def test_single_label_may_be_a_plain_string():
    assert Corpus(["a", "b"], labels=["x", None]).labels == (("x",), ())


def test_label_names_are_distinct_and_sorted(hotels):
    assert hotels.label_names == ("room", "service", "staff")


def test_metadata_that_a_document_lacks_is_none():
    corpus = Corpus.from_documents([Document("1", "a", (), {"x": 1}), Document("2", "b", (), {"y": 2})])
    assert dict(corpus.metadata) == {"x": (1, None), "y": (None, 2)}


@pytest.mark.parametrize("name", ["ids", "texts", "labels", "metadata", "bags", "skipped", "label_names"])
def test_attributes_cannot_be_changed(hotels, name):
    before = getattr(hotels, name)
    with pytest.raises(AttributeError, match=f"read-only.*{name}"):
        setattr(hotels, name, ("changed",))
    assert getattr(hotels, name) is before


@pytest.mark.parametrize("name", ["ids", "texts", "labels", "metadata"])
def test_attributes_cannot_be_deleted(hotels, name):
    with pytest.raises(AttributeError):
        delattr(hotels, name)


def test_metadata_cannot_be_changed(hotels):
    with pytest.raises(TypeError):
        hotels.metadata["stars"] = (1, 1, 1)
    with pytest.raises(TypeError):
        hotels[0].metadata["stars"] = 1


def test_documents_cannot_be_changed(hotels):
    with pytest.raises(AttributeError):
        hotels[0].text = "changed"


def test_changing_what_a_corpus_was_made_of_does_not_change_it():
    texts, labels, column = ["a"], [["x"]], [1]
    corpus = Corpus(texts, labels=labels, metadata={"n": column})
    texts[0], labels[0][0], column[0] = "b", "y", 2
    assert corpus == Corpus(["a"], labels=[["x"]], metadata={"n": [1]})


def test_corpus_is_not_hashable_and_differs_from_other_things(hotels):
    assert hotels != list(hotels)
    assert hotels != hotels[:2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(hotels)


def test_repr_counts_documents_and_labels(hotels):
    assert repr(hotels) == "<Corpus of 3 documents, 3 labels>"


def test_duplicate_ids_are_refused_and_counted():
    with pytest.raises(DuplicateIdError, match=r"'x' stands for 3 documents; ids must be unique"):
        Corpus(["a", "b", "c", "d"], ids=["x", "y", "x", "x"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"ids": ["only"]}, r"column 'ids' has 1 values for 2 texts; give one for each"),
        ({"labels": [None] * 3}, r"column 'labels' has 3 values for 2 texts"),
        ({"metadata": {"stars": [1]}}, r"column 'stars' has 1 values for 2 texts"),
        ({"ids": ["a", 1]}, r"ids must be strings, got int 1"),
        ({"labels": [["a"], [1]]}, r"labels must be strings, got int 1"),
        ({"labels": [["a"], 1]}, r"labels must be strings.* 1"),
        ({"labels": [["a"], [["b"]]]}, r"labels must be strings, got list"),
    ],
)
def test_column_of_wrong_length_or_kind_is_refused(columns, message):
    with pytest.raises(InputError, match=message):
        Corpus(["a", "b"], **columns)


def test_one_string_in_place_of_texts_is_refused():
    with pytest.raises(InputError, match="got one string"):
        Corpus("abc")


def test_pickled_corpus_comes_back_the_same(brown):
    for corpus in (brown[:5], Corpus(["a"], metadata={"x": [1]}, skipped=[Skipped("line 2", "broken")])):
        again = pickle.loads(pickle.dumps(corpus))
        assert again == corpus
        assert again.skipped == corpus.skipped
        assert pickle.loads(pickle.dumps(corpus[0])) == corpus[0]


def test_new_attributes_are_refused():
    with pytest.raises(AttributeError, match="read-only: cannot set 'lables'"):
        Corpus(["a"]).lables = [["x"]]


def test_bags_must_fit_the_texts():
    bags = BagOfWords(("a", "b"), sparse.csr_matrix((3, 2)))
    with pytest.raises(InputError, match="do not fit 1 texts"):
        Corpus(["a"], bags=bags)


def test_unknown_split_lists_those_there_are():
    with pytest.raises(InputError, match=r"no document is of the split 'trian'.*'test', 'train'"):
        Corpus(["a", "b"], metadata={"split": ["train", "test"]}).split("trian")


def test_text_that_is_no_string_is_refused():
    with pytest.raises(InputError, match="texts must be strings, got NoneType None"):
        Corpus(["a", None])


def test_unknown_id_offers_near_matches(hotels):
    with pytest.raises(CorpusError, match=r"no document has the id 'hotel-3'; did you mean .*'hotel-1'") as caught:
        hotels.select(["hotel-1", "hotel-3"])
    assert "'hotel-2'" in str(caught.value)
    with pytest.raises(CorpusError, match="did you mean 'inn-3'"):
        hotels.document("inn-33")


def test_unknown_id_unlike_all_others_offers_nothing(hotels):
    with pytest.raises(CorpusError, match=r"no document has the id 'zzz'$"):
        hotels.document("zzz")


def test_select_refuses_one_string(hotels):
    with pytest.raises(InputError, match=r"takes a list of ids.*select\(\['hotel-1'\]\)"):
        hotels.select("hotel-1")


def test_bags_follow_slices_and_selections():
    counts = sparse.csr_matrix(np.arange(6.0).reshape(3, 2))
    corpus = Corpus(["", "", ""], bags=BagOfWords(("a", "b"), counts))
    assert corpus[1:].bags.counts.toarray().tolist() == [[2, 3], [4, 5]]
    assert corpus.select(["2", "0"]).bags.counts.toarray().tolist() == [[4, 5], [0, 1]]
    assert corpus[:0].bags.counts.shape == (0, 2)
    again = concatenate([corpus[:1], corpus[1:]])
    assert again.bags.counts.toarray().tolist() == counts.toarray().tolist()
    assert again.bags.terms == ("a", "b")


def test_joined_corpora_fill_columns_that_one_lacks_and_keep_what_was_skipped():
    one = Corpus(["a"], ids=["1"], metadata={"x": [1]}, skipped=[Skipped("line 2", "broken")])
    two = Corpus(["b"], ids=["2"], metadata={"y": [2]}, skipped=[Skipped("line 9", "broken")])
    both = concatenate([one, two])
    assert dict(both.metadata) == {"x": (1, None), "y": (None, 2)}
    assert [row.place for row in both.skipped] == ["line 2", "line 9"]


def test_joined_corpora_must_not_share_ids():
    with pytest.raises(DuplicateIdError, match="'0' stands for 2 documents"):
        concatenate([Corpus(["a"]), Corpus(["b"])])
