"""Counting terms against scikit-learn's CountVectorizer with the same lemmas, on the same terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.measure import Result, compare, find_corpus
from wayword import Corpus, Vectorizer, read_corpus
from wayword.corpus.tokens import WORDS
from wayword.corpus.words import lemmatizer


def same_tokenizer(vectorizer: Vectorizer, *, cached: bool) -> Callable[[str], list[str]]:
    """Return a tokenizer for scikit-learn that makes the same words; a careful user would cache the lemmas."""
    terms = vectorizer.build_rules().terms
    if cached:
        terms = cache(terms)
    find = re.compile(WORDS).findall
    return lambda text: [term for token in find(text) for term in terms(token)]


def peer(ours: Vectorizer, *, cached: bool) -> CountVectorizer:
    """Return scikit-learn's vectorizer for the same terms, with no lemma known yet."""
    return CountVectorizer(
        tokenizer=same_tokenizer(ours, cached=cached),
        token_pattern=None,
        ngram_range=ours.ngrams,
        max_features=ours.max_terms,
    )


def forget_lemmas() -> None:
    """Start from no lemma remembered but with the dictionary loaded, as both sides would."""
    lemmatizer.cache_clear()
    lemmatizer("en")("words")


def check_same_terms(ours: Vectorizer, theirs: CountVectorizer, corpus: Corpus) -> None:
    """Raise if the two do not count the same; equally frequent terms at the border may differ."""
    X, Y = ours.fit_transform(corpus), theirs.fit_transform(corpus.texts)
    frequencies = [np.sort(np.asarray(matrix.sum(axis=0)).ravel()) for matrix in (X, Y)]
    if X.shape != Y.shape or (frequencies[0] != frequencies[1]).any():
        raise AssertionError("the two vectorizers do not count the same terms")


def run(repeats: int) -> Iterator[Result]:
    for name in ("20newsgroups", "reuters"):
        corpus = read_corpus(find_corpus(name))
        size = f"{name}, {len(corpus):,} documents"
        for ngrams, max_terms, what in (((1, 1), None, "words"), ((1, 3), 10_000, "(1, 3)-grams, 10,000 terms")):
            ours = Vectorizer(ngrams=ngrams, max_terms=max_terms)
            check_same_terms(ours, peer(ours, cached=True), corpus)
            for cached in (False, True):
                yield compare(
                    f"count {what} of {size}: CountVectorizer{', lemmas cached' if cached else ''}",
                    lambda ours=ours, corpus=corpus: forget_lemmas() or ours.fit_transform(corpus),
                    lambda ours=ours, corpus=corpus, cached=cached: (
                        forget_lemmas() or peer(ours, cached=cached).fit_transform(corpus.texts)
                    ),
                    target=3.0,
                    repeats=repeats,
                    warm_up=False,
                )
