import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils import estimator_checks

from naive.words import count_terms, find_words
from wayword import Corpus, Vectorizer, Vocabulary, read_corpus
from wayword.corpus import tokens as tokens_module
from wayword.corpus.tokens import WORDS
from wayword.errors import DroppedDocumentsWarning, InputError

PLAIN = {"lemmatize": False, "stop_words": None, "min_length": 1}
SKLEARN_PATTERN = r"(?u)\b\w\w+\b"
LIKE_SKLEARN = {**PLAIN, "token_pattern": SKLEARN_PATTERN}

texts_with_words = st.lists(st.text("abcé ABÉ1_.,'\n", max_size=50), min_size=1, max_size=8)


def assert_same(ours, X, theirs, Y):
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert X.shape == Y.shape
    assert (X != Y).nnz == 0


# The checks that look at no data; the others have no texts to offer, for any text estimator.
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_set_params,
        estimator_checks.check_valid_tag_types,
    ],
)
def test_scikit_learn_contract(check):
    check("Vectorizer", Vectorizer())


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_df": 3},
        {"min_df": 0.02, "max_df": 0.5},
        {"max_df": 40},
        {"ngrams": (1, 2), "min_df": 2},
        {"ngrams": (2, 3), "min_df": 3},
        {"ngrams": (1, 3), "min_df": 4, "max_df": 0.3},
    ],
    ids=str,
)
def test_counts_equal_count_vectorizer_on_brown(brown, settings):
    settings = dict(settings)
    theirs = CountVectorizer(ngram_range=settings.get("ngrams", (1, 1)), **_frequencies(settings))
    ours = Vectorizer(**LIKE_SKLEARN, **settings)
    X = ours.fit_transform(brown[:120])
    assert_same(ours, X, theirs, theirs.fit_transform(brown[:120].texts))
    # Transforming the training documents finds the same counts by another way.
    assert (ours.transform(brown[:120]) != X).nnz == 0
    assert (ours.transform(brown[120:160]) != theirs.transform(brown[120:160].texts)).nnz == 0


def _frequencies(settings):
    return {name: settings[name] for name in ("min_df", "max_df") if name in settings}


def test_tfidf_equals_tfidf_vectorizer_on_brown(brown):
    theirs = TfidfVectorizer(min_df=2, norm=None)
    ours = Vectorizer(**LIKE_SKLEARN, min_df=2, weighting="tfidf")
    assert_same(ours, ours.fit_transform(brown[:100]), theirs, theirs.fit_transform(brown[:100].texts))


def test_rows_of_length_one_equal_tfidf_vectorizer_on_brown(brown):
    theirs = TfidfVectorizer(min_df=2).fit_transform(brown[:100].texts)
    ours = Vectorizer(**LIKE_SKLEARN, min_df=2, weighting="tfidf", norm="l2").fit_transform(brown[:100])
    # Squares are summed in another order, which moves the last bit.
    assert abs(ours - theirs).max() < 1e-14


@given(texts_with_words, st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 2), (3, 3)]))
def test_counts_equal_count_vectorizer_on_any_text(texts, ngrams):
    theirs = CountVectorizer(ngram_range=ngrams)
    ours = Vectorizer(**LIKE_SKLEARN, ngrams=ngrams)
    try:
        Y = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError, match="no terms left"):
            ours.fit_transform(texts)
        return
    assert_same(ours, ours.fit_transform(texts), theirs, Y)


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=25), min_size=1, max_size=7),
    st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 3)]),
    st.integers(1, 3),
    st.integers(1, 12) | st.none(),
)
def test_pruned_counting_keeps_the_terms_that_counting_everything_would(documents, ngrams, min_df, max_terms):
    terms, rows = count_terms(documents, ngrams=ngrams, low=min_df, max_terms=max_terms)
    ours = Vectorizer(**PLAIN, token_pattern=r"\w+", ngrams=ngrams, min_df=min_df, max_terms=max_terms)
    texts = [" ".join(words) for words in documents]
    if not terms:
        with pytest.raises(InputError, match=r"max_df|no terms left"):
            ours.fit(texts)
        return
    X = ours.fit_transform(texts)
    assert list(ours.vocabulary_) == terms
    assert X.toarray().tolist() == rows
    assert (ours.transform(texts) != X).nnz == 0
    assert ours.vocabulary_.term_frequencies.tolist() == X.sum(axis=0).astype(int).tolist()[0]
    assert ours.vocabulary_.document_frequencies.tolist() == (X > 0).sum(axis=0).tolist()[0]


def test_pruned_trigrams_equal_the_naive_count_on_reuters(reuters):
    documents = [find_words(text, WORDS) for text in reuters.texts[:400]]
    terms, _ = count_terms(documents, ngrams=(1, 3), max_terms=500)
    ours = Vectorizer(**PLAIN, ngrams=(1, 3), max_terms=500).fit(reuters[:400])
    assert list(ours.vocabulary_) == terms


def test_streaming_gives_the_same_matrix_and_vocabulary(data_path, monkeypatch):
    path = data_path("brown.jsonl.gz")
    monkeypatch.setattr(tokens_module, "_CHARACTERS_AT_ONCE", 2**18)
    for settings in ({}, {"ngrams": (1, 2), "max_terms": 300}, {"min_tokens": 900}):
        in_memory, streamed = Vectorizer(**settings), Vectorizer(**settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedDocumentsWarning)
            X = in_memory.fit_transform(read_corpus(path))
            Y = streamed.fit_transform(read_corpus(path, stream=True))
        assert in_memory.vocabulary_ == streamed.vocabulary_
        assert (X != Y).nnz == 0
        assert in_memory.dropped_ == streamed.dropped_


def test_the_matrix_is_the_same_bits_for_any_number_of_threads(brown, monkeypatch):
    monkeypatch.setattr(tokens_module, "_CHARACTERS_AT_ONCE", 2**16)
    results = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        X = Vectorizer(ngrams=(1, 2), max_terms=2000, weighting="tfidf", norm="l2").fit_transform(brown[:80])
        results.append((X.data.tobytes(), X.indices.tobytes(), X.indptr.tobytes()))
    assert results[0] == results[1] == results[2]


def test_lemmas_and_stop_words_are_the_default():
    vectorizer = Vectorizer().fit(["The rooms were cleaned", "a clean room and two mice"])
    assert list(vectorizer.vocabulary_) == ["clean", "mouse", "room"]


def test_language_none_leaves_words_as_they_are():
    vectorizer = Vectorizer(language="none").fit(["the rooms"])
    assert list(vectorizer.vocabulary_) == ["rooms", "the"]


def test_other_languages_have_lemmas_and_stop_words():
    vectorizer = Vectorizer(language="de").fit(["Die Häuser und ein Haus: die Autos waren alt"])
    assert list(vectorizer.vocabulary_) == ["alt", "auto", "haus"]


def test_norwegian_and_serbo_croatian_find_their_stop_words():
    assert "ikke" not in Vectorizer(language="nb").fit(["ikke huset"]).vocabulary_
    assert "nije" not in Vectorizer(language="hbs").fit(["nije grad"]).vocabulary_


def test_without_lower_case_words_keep_their_capitals():
    assert list(Vectorizer(lowercase=False, lemmatize=False).fit(["Room view"]).vocabulary_) == ["Room", "view"]


def test_dropping_one_form_of_a_word_drops_the_word():
    assert list(Vectorizer(drop=["rooms"]).fit(["room rooms view"]).vocabulary_) == ["view"]


def test_stop_words_that_are_counted_are_listed_as_terms_have_them():
    vectorizer = Vectorizer(stop_words=None).fit(["The rooms were not clean"])
    listed = vectorizer.counted_stop_words()
    assert listed >= Vectorizer().build_rules().stop_words
    assert [term for term in vectorizer.vocabulary_ if term not in listed] == ["clean", "room"]
    german = Vectorizer(language="de", stop_words=None, lowercase=True).fit(["Drittes Haus"])
    assert [term for term in german.vocabulary_ if term not in german.counted_stop_words()] == ["haus"]


@pytest.mark.parametrize(
    "settings",
    [
        {"stop_words": "auto"},
        {"stop_words": ["room"]},
        {"vocabulary": ["not"]},
        {"language": "none"},
        {"keep": ["not"]},
    ],
)
def test_stop_words_that_were_asked_for_are_not_listed(settings):
    assert "not" not in Vectorizer(**({"stop_words": None} | settings)).counted_stop_words()


def test_counted_stop_words_of_an_unknown_language_are_an_error():
    with pytest.raises(InputError, match="unknown language 'zh'"):
        Vectorizer(language="zh", stop_words=None).counted_stop_words()


def test_own_stop_words_replace_the_list():
    assert list(Vectorizer(stop_words=["room"], lemmatize=False).fit(["the room"]).vocabulary_) == ["the"]


def test_contractions_and_emoticons_are_written_out():
    vectorizer = Vectorizer(**PLAIN, contractions=True, emoticons=True)
    vectorizer.fit(["It isn't good :( but we'll see ;)"])
    assert list(vectorizer.vocabulary_) == sorted(
        ["it", "is", "not", "good", "frown", "but", "we", "will", "see", "wink"]
    )


def test_keep_overrides_stop_words_length_and_frequency():
    texts = ["us tax act", "tax law", "tax law", "income tax"]
    vectorizer = Vectorizer(min_df=2, keep=["us", "income tax"], ngrams=(1, 2), max_terms=3)
    vectorizer.fit(texts)
    assert {"us", "income tax"} <= set(vectorizer.vocabulary_)
    assert len(vectorizer.vocabulary_) == 3


def test_dropped_terms_do_not_take_the_place_of_others():
    texts = ["alpha beta alpha beta gamma", "alpha beta gamma"]
    vectorizer = Vectorizer(**PLAIN, ngrams=(1, 2), drop=["alpha beta"], max_terms=3).fit(texts)
    assert "alpha beta" not in vectorizer.vocabulary_
    assert len(vectorizer.vocabulary_) == 3


def test_a_dropped_word_leaves_no_gap_in_bigrams():
    vectorizer = Vectorizer(**PLAIN, ngrams=(2, 2), drop=["very"]).fit(["very clean very room"])
    assert list(vectorizer.vocabulary_) == ["clean room"]


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [("tf", [2.0, 1.0]), ("binary", [1.0, 1.0]), ("log", [np.log(3), np.log(2)])],
)
def test_weightings(weighting, expected):
    X = Vectorizer(**PLAIN, weighting=weighting).fit_transform(["a a b"])
    assert X.toarray()[0] == pytest.approx(expected, rel=1e-15)


def test_tfidf_follows_its_formula():
    X = Vectorizer(**PLAIN, weighting="tfidf").fit_transform(["a a b", "b"])
    assert X.toarray()[0] == pytest.approx([2 * (np.log(3 / 2) + 1), np.log(3 / 3) + 1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighting", ["tf", "log", "tfidf"])
def test_dtype_is_kept(dtype, weighting):
    X = Vectorizer(dtype=dtype, weighting=weighting, norm="l2").fit_transform(["good room", "bad food"])
    assert X.dtype == dtype
    assert sparse.issparse(X)
    assert X.format == "csr"


def test_short_documents_are_dropped_and_reported():
    corpus = Corpus(["good food here", "food", "", "good service and food"], ids=["a", "b", "c", "d"])
    vectorizer = Vectorizer(min_tokens=2, lemmatize=False)
    with pytest.warns(DroppedDocumentsWarning, match="left out 2 of 4 documents.*'b', 'c'"):
        X = vectorizer.fit_transform(corpus)
    assert X.shape[0] == 2
    assert vectorizer.kept_.tolist() == [0, 3]
    assert vectorizer.dropped_ == ["b", "c"]
    assert vectorizer.find_short(corpus).tolist() == [1, 2]
    with pytest.warns(DroppedDocumentsWarning, match="left out 2 of 4"):
        assert (vectorizer.transform(corpus) != X).nnz == 0


def test_reuters_after_the_preprocessing_of_the_first_seed(reuters):
    vectorizer = Vectorizer(
        ngrams=(1, 3), max_terms=10_000, min_tokens=25, contractions=True, emoticons=True, stop_words="auto"
    )
    with pytest.warns(DroppedDocumentsWarning):
        X = vectorizer.fit_transform(reuters)
    # The thesis kept 8,159 of 10,788 with another word list and lemmatizer.
    assert 7_500 < X.shape[0] < 8_800
    assert X.shape[1] == 10_000


def test_empty_documents_are_empty_rows():
    X = Vectorizer().fit_transform(["clean room", "", "   ", "...!"])
    assert np.diff(X.indptr).tolist() == [2, 0, 0, 0]


def test_unknown_words_at_transform_are_not_counted():
    vectorizer = Vectorizer(lemmatize=False).fit(["clean room"])
    assert vectorizer.transform(["terrible smell", "room"]).toarray().tolist() == [[0, 0], [0, 1]]


def test_a_given_vocabulary_is_counted_in_its_order():
    terms = ["room", "good food", "food"]
    for vocabulary in (terms, Vocabulary(terms)):
        vectorizer = Vectorizer(**PLAIN, vocabulary=vocabulary, ngrams=(1, 2))
        X = vectorizer.fit_transform(["good food", "food room food"])
        assert X.toarray().tolist() == [[0, 1, 1], [1, 0, 2]]
        assert vectorizer.get_feature_names_out().tolist() == terms


def test_a_list_of_terms_gets_its_frequencies_from_the_documents():
    ours = Vectorizer(**LIKE_SKLEARN, vocabulary=["food", "room"], weighting="tfidf")
    theirs = TfidfVectorizer(vocabulary=["food", "room"], norm=None)
    texts = ["room food room", "room", "view"]
    assert_same(ours, ours.fit_transform(texts), theirs, theirs.fit_transform(texts))
    assert ours.vocabulary_.document_frequencies.tolist() == [1, 2]
    assert ours.vocabulary_.term_frequencies.tolist() == [1, 3]


def test_terms_may_be_named_in_any_case_and_as_arrays():
    settings = {"drop": np.array(["Rooms"]), "keep": np.array(["US"]), "stop_words": np.array(["The"])}
    assert list(Vectorizer(**settings).fit(["The us view of rooms, or"]).vocabulary_) == ["us", "view"]


def test_a_form_fares_like_its_lemma():
    vocabulary = Vectorizer().fit(["The results were higher, a result is high, we were pointing"]).vocabulary_
    assert vocabulary.term_frequencies[vocabulary["result"]] == 2
    assert vocabulary.term_frequencies[vocabulary["high"]] == 2
    assert list(Vectorizer(stop_words=["rooms"]).fit(["room rooms view"]).vocabulary_) == ["view"]


def test_a_phrase_to_keep_does_not_bring_stop_words_back():
    vectorizer = Vectorizer(ngrams=(1, 2), keep=["out of"]).fit(["milk ran out of the fridge"])
    assert not {"out", "of", "milk out"} & set(vectorizer.vocabulary_)


@pytest.mark.parametrize("pattern", [r"\w\w+", r"\w{2,}"])
def test_contractions_do_not_depend_on_how_the_pattern_is_written(pattern):
    vectorizer = Vectorizer(**PLAIN, token_pattern=pattern, contractions=True).fit(["I'm here in the 1990's"])
    assert list(vectorizer.vocabulary_) == ["1990", "am", "here", "in", "the"]


def test_what_is_left_of_a_contraction_must_be_a_word():
    assert list(Vectorizer(contractions=True).fit(["rock of the 1990's"]).vocabulary_) == ["rock"]


def test_contractions_in_capitals():
    vectorizer = Vectorizer(**PLAIN, lowercase=False, contractions=True).fit(["Can't WON'T It's"])
    assert list(vectorizer.vocabulary_) == ["Can", "It", "Will", "is", "not"]


def test_documents_may_stand_in_a_list(brown):
    assert (Vectorizer().fit_transform(list(brown[:3])) != Vectorizer().fit_transform(brown[:3])).nnz == 0


def test_a_bag_of_words_is_counted_as_it_is(data_path):
    corpus = read_corpus(data_path("uci_nips_freq20.docword.txt.gz"))
    X = Vectorizer(**PLAIN, language="none").fit_transform(corpus)
    assert X.shape == (1500, 7605)
    assert X.nnz == 709_477
    assert X.sum() == 1_870_706


def test_a_bag_of_words_has_no_ngrams(data_path):
    corpus = read_corpus(data_path("associated_press.docword.txt.gz"))
    with pytest.raises(InputError, match="keeps no order"):
        Vectorizer(ngrams=(1, 2)).fit(corpus)


def test_own_tokenizer_plugs_in():
    vectorizer = Vectorizer(language="none", stop_words=None, min_length=1, tokenizer=list)
    assert list(vectorizer.fit(["東京都"]).vocabulary_) == ["京", "東", "都"]


def test_works_in_a_pipeline_and_clones():
    pipeline = make_pipeline(Vectorizer(min_df=1), MaxAbsScaler())
    assert clone(pipeline).fit_transform(["good room", "good good food"]).max() == 1.0


def test_progress_is_reported():
    seen = []
    Vectorizer().fit_transform(["good room", "bad food"], progress=lambda *told: seen.append(told))
    assert seen == [("documents", 2, 2), ("words", 0, 4)]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"language": "xx"}, "unknown language 'xx'"),
        ({"stop_words": "klingon"}, "no stop words for 'klingon'"),
        ({"weighting": "bm25"}, "weighting must be one of"),
        ({"norm": "l7"}, "norm must be"),
        ({"dtype": np.int64}, "dtype must be"),
        ({"ngrams": (0, 1)}, "ngrams must be a pair"),
        ({"ngrams": (1, 4)}, "ngrams must be a pair"),
        ({"ngrams": 2}, "pair of whole numbers"),
        ({"min_df": -1}, "min_df must be"),
        ({"max_df": 1.5}, "max_df must be"),
        ({"min_df": "few"}, "min_df must be a number"),
        ({"min_df": 5}, "max_df"),
        ({"max_terms": 0}, "max_terms must be 1 or more"),
        ({"contractions": True, "language": "fr"}, "English only"),
        ({"token_pattern": "("}, "not a regular expression"),
        ({"tokenizer": lambda text: [text], "ngrams": (1, 2)}, "holds a space"),
        ({"keep": "room"}, "keep takes a list"),
        ({"drop": "room"}, "drop takes a list"),
        ({"min_length": -1}, "min_length must be 0 or more"),
        ({"min_tokens": -1}, "min_tokens must be 0 or more"),
        ({"vocabulary": "room"}, "vocabulary takes a Vocabulary or a list"),
        ({"vocabulary": 7}, "vocabulary takes a Vocabulary or a list"),
    ],
)
def test_wrong_settings_say_what_is_wrong(settings, said):
    with pytest.raises(InputError, match=said):
        Vectorizer(**settings).fit(["good room", "bad food"])


@pytest.mark.parametrize("texts", [[], ["", " "], ["the and of"]])
def test_nothing_to_count_is_an_error_that_says_what_to_do(texts):
    with pytest.raises(InputError, match=r"no terms left.*loosen"):
        Vectorizer().fit(texts)
