from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive.words import find_words
from wayword.corpus.tokens import WORDS, Shape, character_classes
from wayword.kernels.words import scan_words

texts = st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("aàbB19_-'’ \n"), max_size=40), max_size=6)


def scan(documents, pattern, capacity=2**10, joiners=""):
    shape = Shape.of(pattern)
    encoded = [text.lower().encode() for text in documents]
    text = bytearray().join(encoded)
    ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
    codes = np.frombuffer(text, dtype=np.uint8)
    words, starts, first, length, fits = scan_words(
        codes, ends, character_classes(shape, joiners), shape.min_run, capacity
    )
    assert fits
    distinct = [text[at : at + size].decode() for at, size in zip(first, length, strict=True)]
    assert len(set(distinct)) == len(distinct)
    return [[distinct[word] for word in words[a:b]] for a, b in pairwise(starts)]


@given(texts, st.sampled_from([WORDS, r"\w+", r"(?u)\b\w\w+\b", r"[a-z]+", r"[^\W\d_]+", r"\w\w\w+"]))
def test_scan_finds_the_same_words_as_the_regular_expression(documents, pattern):
    assert scan(documents, pattern) == [find_words(text, pattern) for text in documents]


def test_an_apostrophe_joins_two_letters_only():
    documents = ["it's 'quoted' dogs' rock'n'roll o''clock", "'"]
    found = scan(documents, WORDS, joiners="'")
    assert found == [["it's", "quoted", "dogs", "rock'n'roll", "o", "clock"], []]


def test_a_full_table_is_reported_not_overrun():
    text = np.frombuffer(bytearray(b"a b c d e"), dtype=np.uint8)
    *_, fits = scan_words(text, np.array([9]), character_classes(Shape.of(r"\w+")), 1, 4)
    assert not fits


def test_a_word_that_ends_with_its_document_does_not_run_into_the_next():
    assert scan(["ab", "cd"], r"\w+") == [["ab"], ["cd"]]
