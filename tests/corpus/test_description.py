import json
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.strategies import corpora
from wayword import Corpus, CorpusInfo, read_corpus
from wayword.corpus.description import UNKNOWN, guess_language
from wayword.errors import DroppedDocumentsWarning

SPOKEN = {
    "en": "This is the house that we have seen, and there was nobody who could tell us why it should be there.",
    "de": "Das ist das Haus, das wir gesehen haben, und es gab niemanden, der uns sagen konnte, warum es dort war.",
    "fr": "C'est la maison que nous avons vue, et il n'y avait personne qui pouvait nous dire pourquoi elle était là.",
    "es": "Esta es la casa que hemos visto, y no había nadie que nos pudiera decir por qué estaba allí.",
    "tr": "Bu bizim gördüğümüz ev ve neden orada olduğunu bize söyleyebilecek hiç kimse yoktu ama çok güzeldi.",
}


@given(corpora())
def test_counts_are_those_of_the_documents(corpus):
    info = corpus.info()
    assert isinstance(info, CorpusInfo)
    assert info.documents == len(corpus)
    assert info.labels == len(corpus.label_names)
    assert info.label_counts == Counter(chain.from_iterable(corpus.labels))
    assert info.labels_per_document == Counter(map(len, corpus.labels))
    assert info.duplicates == len(corpus) - len(set(corpus.texts))
    assert info.metadata == ("source",)
    assert info.skipped == 0


@given(st.lists(st.text("ab \n", max_size=30), min_size=1, max_size=9))
def test_lengths_are_those_of_the_words_between_spaces(texts):
    lengths = sorted(len(text.split()) for text in texts)
    info = Corpus(texts).info()
    assert info.lengths.total == sum(lengths)
    assert info.lengths.mean == pytest.approx(np.mean(lengths))
    assert (info.lengths.min, info.lengths.max) == (lengths[0], lengths[-1])
    assert info.lengths.min <= info.lengths.q25 <= info.lengths.median <= info.lengths.q75 <= info.lengths.max
    assert info.lengths.median == lengths[(len(lengths) - 1) // 2]
    assert info.empty == lengths.count(0)


def test_labels_are_sorted_by_frequency_then_name():
    info = Corpus(["t"] * 4, labels=[["b", "c"], ["c", "a"], ["c"], None]).info()
    assert list(info.label_counts.items()) == [("c", 3), ("a", 1), ("b", 1)]
    assert list(info.labels_per_document.items()) == [(0, 1), (1, 1), (2, 2)]


def test_text_that_repeats_counts_as_duplicate_from_its_second_time_on():
    assert Corpus(["a", "b", "a", "a", "A"]).info().duplicates == 2


def test_empty_corpus_is_described():
    info = Corpus([]).info()
    assert (info.documents, info.lengths.total, info.languages) == (0, 0, {})


def test_rows_left_out_are_counted():
    with pytest.warns(DroppedDocumentsWarning):
        corpus = read_corpus(["a", None, "b", 5], errors="skip")
    assert corpus.info().skipped == 2


@given(corpora())
def test_description_is_plain_data(corpus):
    plain = json.loads(json.dumps(corpus.info().to_dict()))
    assert plain["documents"] == len(corpus)
    assert plain["lengths"]["total"] == corpus.info().lengths.total


@pytest.mark.parametrize("language", SPOKEN)
def test_language_is_guessed_from_a_sentence(language):
    assert guess_language(SPOKEN[language]) == language
    assert guess_language(f"{SPOKEN[language]}\n" * 30) == language


@pytest.mark.parametrize("text", ["", "   ", "12345 67890", "xqzt vvrk plmw", "?!... --"])
def test_text_without_known_words_is_of_no_language(text):
    assert guess_language(text) == UNKNOWN


@given(st.text())
def test_any_text_has_a_language_or_none(text):
    guess = guess_language(text)
    assert guess == UNKNOWN or (len(guess) == 2 and guess.islower())


def test_shares_of_languages_add_up_and_leave_empty_texts_out():
    info = Corpus([SPOKEN["en"], SPOKEN["en"] + "!", SPOKEN["de"], "", "xqzt"]).info()
    assert info.languages == {"en": 0.5, "de": 0.25, UNKNOWN: 0.25}


@pytest.mark.data
def test_reuters_is_described_as_published(reuters):
    info = reuters.info()
    assert (info.documents, info.labels, info.duplicates, info.empty) == (10788, 90, 113, 0)
    assert info.metadata == ("split",)
    assert info.labels_per_document == {
        1: 9160,
        2: 1173,
        3: 255,
        4: 91,
        5: 52,
        6: 27,
        7: 9,
        8: 7,
        9: 5,
        10: 3,
        11: 2,
        12: 1,
        14: 2,
        15: 1,
    }
    assert list(info.label_counts.items())[:3] == [("earn", 3964), ("acq", 2369), ("money-fx", 717)]
    assert info.lengths.total == sum(len(text.split()) for text in reuters.texts)
    assert info.languages["en"] > 0.97


@pytest.mark.data
def test_brown_is_english_with_one_label_each(brown):
    info = brown.info()
    assert (info.documents, info.labels) == (500, 15)
    assert info.labels_per_document == {1: 500}
    assert info.languages == {"en": 1.0}


def test_languages_are_looked_at_all_over_the_corpus():
    english, german = "this is the way that we do it", "das ist nicht die Art und Weise"
    languages = Corpus([english] * 1000 + [german] * 5000).info().languages
    assert languages["de"] == pytest.approx(5 / 6, abs=0.01)
