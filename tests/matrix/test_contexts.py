import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.words import count_windows
from wayword import Corpus, Vectorizer, context_cooccurrence, read_corpus
from wayword.errors import InputError

PLAIN = {"lemmatize": False, "stop_words": None, "min_length": 1}
LECTURE = ["I like deep learning.", "I like NLP.", "I enjoy flying."]
# The lecture notes' Figure 4, where the full stop is a word too.
FIGURE_4 = {
    ("i", "like"): 2,
    ("i", "enjoy"): 1,
    ("like", "deep"): 1,
    ("like", "nlp"): 1,
    ("enjoy", "flying"): 1,
    ("deep", "learning"): 1,
    ("learning", "."): 1,
    ("nlp", "."): 1,
    ("flying", "."): 1,
}


def entries(pairs, vectorizer):
    dense = pairs.sums if isinstance(pairs.sums, np.ndarray) else pairs.sums.toarray()
    terms = list(vectorizer.vocabulary_)
    return {(a, b): int(dense[i, j]) for i, a in enumerate(terms) for j, b in enumerate(terms) if dense[i, j]}


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_neighbours_of_the_lecture_notes(form):
    vectorizer = Vectorizer(**PLAIN, token_pattern=r"\w+|\.").fit(LECTURE)
    pairs = context_cooccurrence(LECTURE, vectorizer, within="window", window=2, form=form)
    assert entries(pairs, vectorizer) == FIGURE_4 | {(b, a): n for (a, b), n in FIGURE_4.items()}


def test_sentences_that_hold_both_terms():
    texts = ["I like cats. Cats like me! Dogs do not.", "Mr. Smith likes dogs."]
    vectorizer = Vectorizer(**PLAIN).fit(texts)
    pairs = context_cooccurrence(texts, vectorizer)
    found = entries(pairs, vectorizer)
    assert pairs.n_documents == 4
    assert found["cats", "like"] == 2
    assert ("dogs", "like") not in found
    assert found["mr", "dogs"] == 1
    assert pairs.document_frequencies[vectorizer.vocabulary_.column("dogs")] == 2


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=15), min_size=1, max_size=5), st.integers(2, 6))
def test_windows_equal_the_naive_count(documents, width):
    texts = [" ".join(words) for words in documents]
    vectorizer = Vectorizer(**PLAIN, drop=["d"])
    try:
        vectorizer.fit(texts)
    except InputError:
        return
    terms = list(vectorizer.vocabulary_)
    numbers = [[terms.index(word) if word in terms else -1 for word in words] for words in documents]
    windows = count_windows(numbers, width)
    expected = np.zeros((len(terms), len(terms)))
    for window in windows:
        for i in window:
            for j in window - {i}:
                expected[i, j] += 1
    pairs = context_cooccurrence(texts, vectorizer, within="window", window=width)
    assert pairs.sums.tolist() == expected.tolist()
    assert pairs.n_documents == len(windows)


def test_a_streamed_corpus_gives_the_same_counts(data_path):
    path = data_path("brown.jsonl.gz")
    corpus = read_corpus(path)
    vectorizer = Vectorizer(max_terms=200).fit(corpus)
    for within in ("sentence", "window"):
        whole = context_cooccurrence(corpus, vectorizer, within=within)
        streamed = context_cooccurrence(read_corpus(path, stream=True), vectorizer, within=within)
        assert whole.sums.tolist() == streamed.sums.tolist()
        assert whole.n_documents == streamed.n_documents


def test_long_documents_are_cut_between_not_within(monkeypatch, brown):
    from wayword.matrix import contexts

    vectorizer = Vectorizer(max_terms=100).fit(brown[:20])
    whole = context_cooccurrence(brown[:20], vectorizer, within="window")
    monkeypatch.setattr(contexts, "_PLACES_AT_ONCE", 1000)
    assert context_cooccurrence(brown[:20], vectorizer, within="window").sums.tolist() == whole.sums.tolist()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"within": "page"}, "within must be"), ({"within": "window", "window": 1}, "2 words or more")],
)
def test_wrong_contexts_are_errors(options, said):
    vectorizer = Vectorizer().fit(["good room"])
    with pytest.raises(InputError, match=said):
        context_cooccurrence(["good room"], vectorizer, **options)


def test_a_bag_of_words_has_no_sentences(data_path):
    corpus = read_corpus(data_path("associated_press.docword.txt.gz"))
    with pytest.raises(InputError, match="keeps no sentences"):
        context_cooccurrence(corpus, Vectorizer(max_terms=50).fit(corpus))


def test_windows_need_single_words():
    vectorizer = Vectorizer(ngrams=(1, 2)).fit(["good room"])
    with pytest.raises(InputError, match="ngrams"):
        context_cooccurrence(Corpus(["good room"]), vectorizer, within="window")
