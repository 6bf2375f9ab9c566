from hypothesis import given
from hypothesis import strategies as st

from wayword.store.packing import pack_text, unpack_text
from wayword.store.queries import cut_excerpt, read_query, split_words, to_fts5, to_pattern, to_tsquery

texts = st.text(st.characters() | st.sampled_from('moon "*-\0\ud800'), max_size=60)


@given(texts)
def test_a_query_reaches_databases_as_words_in_quotes_alone(query):
    phrases = read_query(query, 10)
    words = [word for phrase in phrases for word in phrase.words]
    assert all(word.isalnum() for word in words)
    assert to_fts5(phrases).count('"') == 2 * len(phrases)
    assert to_tsquery(phrases).count("'") == 2 * len(words)


@given(texts)
def test_every_word_of_a_text_finds_it(text):
    for word in split_words(text):
        assert to_pattern(read_query(word, 1)).search(text.lower())


@given(texts, texts)
def test_an_excerpt_is_a_short_line_of_the_text(text, query):
    phrases = read_query(query, 1)
    if phrases:
        shown = cut_excerpt(text * 20, to_pattern(phrases))
        assert len(shown) <= 164
        assert shown.strip("… ") in " ".join((text * 20).split())


@given(texts)
def test_any_text_comes_back_from_what_databases_can_hold(text):
    safe, exact = pack_text(text)
    safe.encode()
    assert "\0" not in safe
    assert unpack_text(safe, exact) == text
    assert (exact is None) == (safe == text)
