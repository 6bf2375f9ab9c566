import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword.corpus.sentences import split_sentences
from wayword.corpus.words import NO_LANGUAGE, lemma_languages

nouns = st.sampled_from(["room", "staff", "pool", "street", "view", "train"])


def test_marks_end_sentences():
    text = "The room was clean. Was it? Yes! We left."
    assert split_sentences(text) == ["The room was clean.", "Was it?", "Yes!", "We left."]


def test_blank_line_ends_a_sentence():
    assert split_sentences("Cosmic Hotel\n\nThe room was clean") == ["Cosmic Hotel", "The room was clean"]


def test_abbreviation_ends_none():
    assert split_sentences("Dr. Smith came at noon. He left.") == ["Dr. Smith came at noon.", "He left."]


def test_abbreviations_are_those_of_the_language():
    text = "Wir sahen z.B. Berlin und Wien. Dann fuhren wir heim."
    assert split_sentences(text, "de") == ["Wir sahen z.B. Berlin und Wien.", "Dann fuhren wir heim."]


@pytest.mark.parametrize("text", ["", "  \n\n "])
def test_text_without_words_has_no_sentences(text):
    assert split_sentences(text) == []


@given(st.lists(st.tuples(nouns, nouns), min_size=1, max_size=8))
def test_plain_sentences_are_found_again(pairs):
    sentences = [f"The {one} is near the {other}." for one, other in pairs]
    assert split_sentences(" ".join(sentences)) == sentences


@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_no_character_but_space_is_lost(text):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("language", [NO_LANGUAGE, *lemma_languages()])
def test_every_language_is_split(language):
    assert split_sentences("Aaa bbb ccc. Ddd eee fff.", language) == ["Aaa bbb ccc.", "Ddd eee fff."]
