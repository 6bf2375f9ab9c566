import json
from itertools import permutations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.strategies import as_json_lines, as_table, corpora, names, write
from wayword import Corpus, read_corpus
from wayword.errors import CorpusError, DroppedDocumentsWarning

SEPARATORS = [";", "|", ", ", "::", " "]
MARKS = {"0", "1", "true", "false", "True", "False", "TRUE", "FALSE"}
plain = names(st.characters(categories=["L", "N"]))


def read(*labels, **options):
    """Read one document for each value of labels, from JSON-like records."""
    return read_corpus([{"text": "t", "labels": value} for value in labels], **options).labels


def read_cells(tmp_path, *cells, **options):
    path = tmp_path / "cells.csv"
    pd.DataFrame({"text": ["t"] * len(cells), "labels": cells}).to_csv(path, index=False)
    return read_corpus(path, **options).labels


@given(st.lists(names(), min_size=1, max_size=5))
def test_text_is_one_label(labels):
    assert read(*labels) == tuple((label,) for label in labels)


@given(st.lists(st.lists(names(), unique=True, max_size=3), min_size=1, max_size=5))
def test_list_is_its_labels(labels):
    assert read(*labels) == tuple(map(tuple, labels))


@pytest.mark.parametrize("separator", SEPARATORS)
@given(labels=st.lists(st.lists(plain, unique=True, max_size=3), min_size=1, max_size=5))
def test_separated_text_is_several_labels(separator, labels):
    assert read(*map(separator.join, labels), label_separator=separator) == tuple(map(tuple, labels))


@given(st.lists(st.lists(names(), unique=True, max_size=3), min_size=1, max_size=5))
def test_json_list_as_text_is_its_labels(labels):
    assert read(*map(json.dumps, labels)) == tuple(map(tuple, labels))


@given(corpora(st.characters(categories=["L"])))
def test_labels_read_the_same_as_list_and_as_separated_text(folder, corpus):
    as_list = read_corpus(write(folder / "list.jsonl", as_json_lines(corpus)))
    separated = write(folder / "separated.csv", as_table(corpus, label_separator=" | "))
    assert read_corpus(separated, label_separator="|") == as_list == corpus


@pytest.mark.parametrize(
    ("value", "label"), [(5, "5"), (5.0, "5"), (2.5, "2.5"), (True, "True"), (0, "0"), (-3, "-3"), ("007", "007")]
)
def test_number_is_a_label(value, label):
    assert read(value, value) == ((label,), (label,))
    assert read([value]) == ((label,),)


@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan"), []])
def test_nothing_is_no_label(nothing):
    assert read(nothing, nothing) == ((), ())


@pytest.mark.parametrize("others", [["a"], "a", 5])
def test_missing_label_is_of_every_kind(others):
    assert len(read(None, others, float("nan"), others, "", others)) == 6


def test_repeated_label_counts_once():
    assert read(["a", "b", "a"]) == (("a", "b"),)
    assert read("a;b; a", label_separator=";") == (("a", "b"),)


def test_spaces_around_labels_are_not_part_of_them():
    assert read(" a ; b;;", label_separator=";") == (("a", "b"),)
    assert read([" a", "b "]) == (("a", "b"),)


def test_text_that_only_looks_like_a_list_is_one_label():
    assert read("[draft", "[a] b") == (("[draft",), ("[a] b",))


def test_default_column_that_is_not_there_means_no_labels():
    assert read_corpus([{"text": "t"}]).labels == ((),)


def test_labels_may_be_left_unread():
    corpus = read_corpus([{"text": "t", "labels": "a"}], labels=None)
    assert corpus.labels == ((),)
    assert corpus.metadata["labels"] == ("a",)


# Several columns


@given(st.lists(st.tuples(names(), names()).filter(lambda row: not MARKS & {*row}), min_size=1, max_size=4))
def test_several_columns_hold_a_label_each(rows):
    corpus = read_corpus([{"text": "t", "one": one, "two": two} for one, two in rows], labels=["one", "two"])
    assert corpus.labels == tuple(tuple(dict.fromkeys(row)) for row in rows)


@pytest.mark.parametrize(
    ("yes", "no"), [(1, 0), (True, False), ("1", "0"), ("true", "false"), ("True", "False"), (1.0, 0.0)]
)
def test_columns_of_marks_give_their_names(yes, no):
    rows = [{"text": "t", "clean": yes, "loud": no}, {"text": "t", "clean": no, "loud": no}]
    rows += [{"text": "t", "clean": yes, "loud": yes}]
    assert read_corpus(rows, labels=["clean", "loud"]).labels == (("clean",), (), ("clean", "loud"))


def test_columns_of_marks_with_gaps_give_their_names():
    frame = pd.DataFrame({"text": ["t", "t", "t"], "clean": [1, None, 0], "loud": [0, 1, 1]})
    assert frame["clean"].dtype == float
    assert read_corpus(frame, labels=["clean", "loud"]).labels == (("clean",), ("loud",), ("loud",))


def test_one_column_of_numbers_holds_names_not_marks():
    assert read(1, 0) == (("1",), ("0",))


def test_columns_of_labels_are_not_metadata():
    corpus = read_corpus([{"text": "t", "one": "a", "two": "b", "three": "c"}], labels=["one", "two"])
    assert dict(corpus.metadata) == {"three": ("c",)}


# Mixed kinds

LABELS = {"text": "a", "number": 5, "list": ["a"]}


@pytest.mark.parametrize(("first", "second"), list(permutations(LABELS, 2)))
def test_labels_of_mixed_kinds_are_refused(tmp_path, first, second):
    values = [LABELS[first], None, LABELS[second]]
    content = "".join(json.dumps({"text": "t", "labels": value}) + "\n" for value in values)
    path = write(tmp_path / "a.jsonl", content)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line 3: labels of mixed kinds in 'labels'")
    assert f"{first} before" in message
    assert f"the {second} {LABELS[second]!r}" in message


@pytest.mark.parametrize(
    "value", [[["a"]], ["a", ["b"]], ["a", 1], [1, "a"], {"a": 1}, [{"a": 1}], [None, "a"]], ids=repr
)
def test_list_of_other_things_than_names_is_refused(tmp_path, value):
    path = write(tmp_path / "a.jsonl", json.dumps({"text": "t", "labels": value}))
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 1: labels in 'labels' must be a name, a number or a list"):
        read_corpus(path)


@pytest.mark.parametrize("cell", ['[["a"], "b"]', '["a", 1]', '[{"a": 1}]', '["a", null]'])
def test_list_of_other_things_than_names_is_refused_in_a_cell(tmp_path, cell):
    with pytest.raises(CorpusError, match=r"cells\.csv, line 2: labels in 'labels' must be"):
        read_cells(tmp_path, cell)


@pytest.mark.parametrize("depth", [10, 1000, 100_000])
def test_deeply_nested_list_in_a_cell_is_refused(tmp_path, depth):
    with pytest.raises(CorpusError, match=r"cells\.csv, line 2"):
        read_cells(tmp_path, "[" * depth + '"a"' + "]" * depth)


def test_cell_of_a_number_is_a_name_like_others(tmp_path):
    assert read_cells(tmp_path, "a", "5", '["b", "c"]') == (("a",), ("5",), ("b", "c"))


@pytest.mark.parametrize("bad", [[["a"]], {"a": 1}, ["a", 1], 5])
def test_bad_labels_in_one_row_do_not_spoil_the_others(bad):
    rows = [{"text": "t", "labels": value} for value in (["a"], bad, ["b"])]
    with pytest.warns(DroppedDocumentsWarning, match="left out 1 bad rows, kept 2 documents"):
        corpus = read_corpus(rows, errors="skip")
    assert corpus == Corpus(["t", "t"], ids=["0", "2"], labels=[["a"], ["b"]])


@pytest.mark.parametrize("bad", [[["a"]], {"a": 1}, ["a", 1]])
def test_bad_labels_in_the_first_row_do_not_spoil_the_others(bad):
    rows = [{"text": "t", "labels": value} for value in (bad, ["a"], ["b"])]
    with pytest.warns(DroppedDocumentsWarning, match="left out 1 bad rows, kept 2 documents"):
        corpus = read_corpus(rows, errors="skip")
    assert corpus == Corpus(["t", "t"], ids=["1", "2"], labels=[["a"], ["b"]])


@pytest.mark.data
def test_reuters_labels_read_the_same_from_separated_text(reuters, tmp_path):
    some = reuters[:2000]
    corpus = Corpus(some.texts, ids=some.ids, labels=some.labels, metadata={"source": some.metadata["split"]})
    path = write(tmp_path / "reuters.csv", as_table(corpus, label_separator=";"))
    assert read_corpus(path, label_separator=";") == corpus
