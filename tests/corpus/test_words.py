import pytest
import simplemma
import stopwordsiso
from hypothesis import example, given
from hypothesis import strategies as st

from wayword.corpus import words
from wayword.corpus.words import (
    APOSTROPHES,
    NO_LANGUAGE,
    WordRules,
    check_language,
    expand_contraction,
    find_stop_words,
    lemma_languages,
    lemmatizer,
    replace_emoticons,
)
from wayword.errors import InputError

tokens = st.text("abcnstredlmv'’", min_size=1, max_size=12)


# Contractions


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("it's", "it is"),
        ("isn't", "is not"),
        ("can't", "can not"),
        ("cannot", "can not"),
        ("won't", "will not"),
        ("shan't", "shall not"),
        ("ain't", "is not"),
        ("let's", "let us"),
        ("they're", "they are"),
        ("i've", "i have"),
        ("we'll", "we will"),
        ("i'm", "i am"),
        ("she'd", "she would"),
        ("wouldn't've", "would not have"),
        ("won't've", "will not have"),
        ("who's", "who is"),
        ("hotel's", "hotel"),
        ("o'clock", "o clock"),
        ("rock'n'roll", "rock n roll"),
        ("hotels'", "hotels"),
        ("room", "room"),
    ],
)
def test_contraction_is_written_out(token, expected):
    assert expand_contraction(token) == tuple(expected.split())


@given(tokens, st.sampled_from(APOSTROPHES))
def test_every_apostrophe_means_the_same(token, apostrophe):
    plain = token.replace("’", "'")
    assert expand_contraction(plain.replace("'", apostrophe)) == expand_contraction(plain)


@given(tokens)
@example("'s")
@example("n't")
@example("'")
def test_no_word_of_a_contraction_is_empty_or_has_an_apostrophe(token):
    for word in expand_contraction(token):
        assert word
        assert not set(word) & set(APOSTROPHES)


@given(st.text("abcdefghij", min_size=1))
def test_token_without_apostrophe_stays(token):
    assert expand_contraction(token) == (token,)


@given(tokens)
def test_written_out_words_stay_as_they_are(token):
    for word in expand_contraction(token):
        assert expand_contraction(word) == (word,)


# Emoticons

EMOTICONS = [(emoticon, word) for word, emoticons in words._EMOTICONS.items() for emoticon in emoticons]


@pytest.mark.parametrize(("emoticon", "word"), EMOTICONS)
def test_emoticon_that_stands_alone_becomes_its_word(emoticon, word):
    assert replace_emoticons(emoticon) == word
    assert replace_emoticons(f"nice room {emoticon} thanks") == f"nice room {word} thanks"
    assert replace_emoticons(f"nice {emoticon}!") == f"nice {word}!"


def test_emoticons_of_the_issue():
    assert replace_emoticons("Lovely :) but loud :(") == "Lovely smile but loud frown"


@pytest.mark.parametrize(
    "text", ["http://example.org", "(see note 1:)", "at 10:30", "C:/Users", "f(x)=D", "a:b", "XDR", "1<3 and 4"]
)
def test_other_signs_are_left_alone(text):
    assert replace_emoticons(text) == text


@given(st.text())
def test_replacing_twice_changes_nothing_more(text):
    once = replace_emoticons(text)
    assert replace_emoticons(once) == once


# Languages


def test_lemmas_exist_for_some_fifty_languages():
    languages = lemma_languages()
    assert len(languages) >= 48
    assert {"en", "de", "fr", "es", "tr"} <= set(languages)
    assert list(languages) == sorted(languages)


def test_known_language_is_returned_and_unknown_one_lists_the_known():
    assert check_language("de") == "de"
    assert check_language(NO_LANGUAGE) == NO_LANGUAGE
    with pytest.raises(InputError, match=r"unknown language 'xx'; known are .*\ben\b.*'none'"):
        check_language("xx")


@pytest.mark.parametrize(
    ("language", "token", "term"),
    [("en", "rooms", "room"), ("en", "went", "go"), ("de", "Häuser", "haus"), ("fr", "chevaux", "cheval")],
)
def test_term_is_the_lemma_in_lower_case(language, token, term):
    assert WordRules(lemmatizer(language), frozenset(), 0).terms(token) == (term,)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12))
def test_lemma_is_that_of_simplemma(token):
    assert lemmatizer("en")(token) == simplemma.lemmatize(token, "en")


@given(st.text(min_size=1).filter(lambda token: not token.isalpha()))
def test_token_with_a_digit_or_a_sign_is_its_own_lemma(token):
    assert lemmatizer("en")(token) == token


@given(st.text())
def test_without_a_language_every_token_is_its_own_lemma(token):
    assert lemmatizer(NO_LANGUAGE)(token) == token


# Stop words


@pytest.mark.parametrize("setting", [None, "none"])
def test_no_stop_words_on_request(setting):
    assert find_stop_words(setting, "en") == frozenset()


def test_language_list_is_the_default_and_can_be_named():
    assert find_stop_words("auto", "de") == find_stop_words("de", "en") == frozenset(stopwordsiso.stopwords("de"))
    assert find_stop_words("auto", "en") == find_stop_words("en", "de") == find_stop_words("english", "de")


@pytest.mark.parametrize(("language", "listed"), [("nb", "no"), ("nn", "no"), ("hbs", "hr")])
def test_language_listed_under_another_code_has_its_stop_words(language, listed):
    assert find_stop_words("auto", language) == find_stop_words(listed, "en") != frozenset()


def test_own_list_is_used_as_it_is():
    assert find_stop_words(["room", "Hotel"], "en") == {"room", "Hotel"}


def test_english_list_keeps_words_that_people_look_for():
    stop_words = find_stop_words("auto", "en")
    assert {"the", "and", "is", "not", "don", "ve"} <= stop_words
    assert not {"room", "system", "help", "work", "problem", "world"} & stop_words


def test_language_without_a_list_has_no_stop_words():
    assert not stopwordsiso.has_lang("cy")
    assert find_stop_words("auto", "cy") == find_stop_words("auto", NO_LANGUAGE) == frozenset()


def test_unknown_list_names_those_there_are():
    with pytest.raises(InputError, match=r"no stop words for 'klingon'; there are lists for .*\ben\b"):
        find_stop_words("klingon", "en")


# Rules

RULES = WordRules(lemmatizer("en"), frozenset(["the", "room"]), 3, contractions=True)


def test_rules_apply_to_the_words_of_a_contraction():
    assert RULES.terms("dogs") == ("dog",)
    assert RULES.terms("isn't") == ("not",)
    assert RULES.terms("hotels'") == ("hotel",)


@pytest.mark.parametrize("token", ["the", "room", "rooms", "at", "x"])
def test_stop_words_and_short_words_go_before_and_after_the_lemma(token):
    assert RULES.terms(token) == ()


@pytest.mark.parametrize("token", ["room", "rooms", "the", "at"])
def test_kept_word_stays_whatever_the_rules_say(token):
    rules = WordRules(RULES.lemmatize, RULES.stop_words, 3, contractions=True, keep=frozenset([token]))
    assert rules.terms(token) == (token,)


def test_lemma_that_is_kept_stays():
    rules = WordRules(RULES.lemmatize, RULES.stop_words, 3, contractions=True, keep=frozenset(["room"]))
    assert rules.terms("rooms") == ("room",)


@pytest.mark.parametrize("token", ["Room", "ROOMS"])
def test_case_goes_unless_it_is_to_stay(token):
    assert WordRules(lemmatizer("en"), frozenset(), 3).terms(token) == ("room",)
    assert WordRules(None, frozenset(["room", "rooms"]), 3, lowercase=False).terms(token) == (token,)


def test_dropped_term_goes_before_and_after_the_lemma():
    rules = WordRules(lemmatizer("en"), frozenset(), 3, drop=frozenset(["room"]))
    assert rules.terms("room") == rules.terms("rooms") == ()
    assert rules.terms("roomy") != ()


@given(st.text("abcdrstuoem'", min_size=1, max_size=10), st.integers(0, 6))
def test_no_term_is_short_or_a_stop_word(token, min_length):
    for term in WordRules(lemmatizer("en"), frozenset(["the", "room"]), min_length, contractions=True).terms(token):
        assert len(term) >= min_length
        assert term not in ("the", "room")


@given(st.text(min_size=1))
def test_rules_that_ask_for_nothing_change_nothing(token):
    assert WordRules(None, frozenset(), 0, lowercase=False).terms(token) == (token,)
