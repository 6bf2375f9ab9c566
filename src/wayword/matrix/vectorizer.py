"""The way from text to counts as one scikit-learn transformer."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.tokens import WORDS, Tokenizer, TokenStream, read_tokens
from wayword.corpus.vocabulary import Frequency, Vocabulary, documents_meant
from wayword.corpus.words import (
    CASED_LANGUAGES,
    NO_LANGUAGE,
    WordRules,
    check_language,
    find_stop_words,
    lemmatizer,
    match_lemmas,
)
from wayword.errors import DroppedDocumentsWarning, InputError
from wayword.matrix.counts import (
    BETWEEN_WORDS,
    Choice,
    Chosen,
    NgramIndex,
    WordStream,
    apply_rules,
    choose_vocabulary,
)
from wayword.matrix.weighting import WEIGHTINGS, Weighting, inverse_document_frequencies, weight_counts
from wayword.progress import Progress, ignore

_SHOWN = 5
_LONGEST_NGRAM = 3


class Vectorizer(TransformerMixin, BaseEstimator):
    """Count the terms of documents.

    Parameters
    ----------
    language : str
        Language of the text, for lemmas and stop words: a code such as ``"en"``, or ``"none"``.
    lemmatize : bool
        Whether to reduce words to their lemmas: *rooms* and *room* count as one.
    stop_words : "auto", language code, iterable of str or None
        Words to leave out: the list of `language`, of another language, one's own, or none.
    ngrams : pair of int
        Fewest and most words of a term, up to (1, 3); terms are made after stop words are left out.
    min_length : int
        Fewest characters of a word.
    min_df, max_df : int or float
        Fewest and most documents that hold a term; a float is a share of the documents.
    max_terms : int or None
        How many of the most frequent terms to keep; of equally frequent ones, the first in the alphabet.
    keep, drop : iterable of str, optional
        Terms to keep, and to leave out, whatever the other settings say; the words of a phrase to keep must not be
        left out themselves.
    contractions : bool
        Whether to write English contractions out: *it's* becomes *it is*.
    emoticons : bool
        Whether to write emoticons as words: ``:)`` becomes *smile*.
    lowercase : bool
        Whether to put text in lower case first.
    token_pattern : str or None
        Regular expression of a word; by default letters and digits with at least one letter.
    tokenizer : callable or None
        Splits a text into words itself, for example for a script without spaces.
    weighting : {"tf", "binary", "log", "tfidf"}
        What to put for a count n: n, 1, log(1 + n), or n (log((1 + D) / (1 + df)) + 1).
    norm : {"l2"} or None
        Whether to scale rows to length one.
    min_tokens : int
        Documents of fewer words than this are left out of the matrix, with a warning that counts them;
        `kept_` and `dropped_` say which, and `find_short` tells beforehand.
    vocabulary : Vocabulary, iterable of str or None
        Terms to count, in place of those that occur.
    dtype : float32 or float64
        Type of the matrix.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The term of each column, and how often it occurred.
    idf_ : array of shape (n_terms,)
        Inverse document frequencies; only with ``weighting="tfidf"``.
    kept_ : int array
        Positions of the documents that `fit` counted.
    dropped_ : list
        Ids, or positions where there are no ids, of those it left out for `min_tokens`.

    Examples
    --------
    >>> from wayword import Vectorizer
    >>> vectorizer = Vectorizer()
    >>> X = vectorizer.fit_transform(["Two large rooms.", "A room with a view", "What a view!"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['large', 'room', 'view']
    >>> X.toarray()
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 1.]])
    """

    def __init__(
        self,
        *,
        language: str = "en",
        lemmatize: bool = True,
        stop_words: str | Iterable[str] | None = "auto",
        ngrams: tuple[int, int] = (1, 1),
        min_length: int = 3,
        min_df: Frequency = 1,
        max_df: Frequency = 1.0,
        max_terms: int | None = None,
        keep: Iterable[str] | None = None,
        drop: Iterable[str] | None = None,
        contractions: bool = False,
        emoticons: bool = False,
        lowercase: bool = True,
        token_pattern: str | None = None,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        weighting: Weighting = "tf",
        norm: Literal["l2"] | None = None,
        min_tokens: int = 0,
        vocabulary: Vocabulary | Iterable[str] | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.language = language
        self.lemmatize = lemmatize
        self.stop_words = stop_words
        self.ngrams = ngrams
        self.min_length = min_length
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.keep = keep
        self.drop = drop
        self.contractions = contractions
        self.emoticons = emoticons
        self.lowercase = lowercase
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.weighting = weighting
        self.norm = norm
        self.min_tokens = min_tokens
        self.vocabulary = vocabulary
        self.dtype = dtype

    def fit(self, raw_documents: Any, y: Any = None, *, progress: Progress = ignore) -> Vectorizer:
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : Corpus, StreamedCorpus or iterable of str
            What was written.
        y : ignored
        progress : callable
            Told ``("documents", done, total)`` while text is split, ``("words", done, total)`` while distinct
            words are looked up, and ``("blocks", done, total)`` while n-grams are counted.
        """
        self._fit_words(raw_documents, progress)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None, *, progress: Progress = ignore) -> sparse.csr_matrix:
        """Learn the vocabulary and return the matrix; the text is split once.

        Parameters
        ----------
        raw_documents : Corpus, StreamedCorpus or iterable of str
            What was written.
        y : ignored
        progress : callable
            Told ``("documents", done, total)`` while text is split, ``("words", done, total)`` while distinct
            words are looked up, and ``("blocks", done, total)`` while n-grams are counted.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
        """
        return self._weight(self._fit_words(raw_documents, progress)())

    def transform(self, raw_documents: Any, *, progress: Progress = ignore) -> sparse.csr_matrix:
        """Return the matrix of documents; words outside the vocabulary are not counted.

        Parameters
        ----------
        raw_documents : Corpus, StreamedCorpus or iterable of str
            What was written.
        progress : callable
            Told ``("documents", done, total)`` while text is split, ``("words", done, total)`` while distinct
            words are looked up, and ``("blocks", done, total)`` while n-grams are counted.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
        """
        check_is_fitted(self)
        return self._weight(self._index().count(self._read_words(raw_documents, progress)[0]))

    def find_short(self, raw_documents: Any) -> np.ndarray:
        """Return the positions of the documents that have fewer than `min_tokens` words."""
        self._check_settings()
        stream = apply_rules(read_tokens(raw_documents, self.build_tokenizer()), self.build_rules())
        return np.flatnonzero(stream.lengths() < self.min_tokens)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the term of each column."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.terms, dtype=object)

    def build_tokenizer(self) -> Tokenizer:
        """Return how text is split under these settings."""
        lowercase = self.lowercase and not (self._lemmatizes() and self.language in CASED_LANGUAGES)
        return Tokenizer(self.token_pattern or WORDS, self.tokenizer, lowercase, self.contractions, self.emoticons)

    def build_rules(self) -> WordRules:
        """Return what becomes of a token under these settings."""
        lemmatize = lemmatizer(self.language) if self._lemmatizes() else None
        drop = self._fold(self.drop)
        if lemmatize is not None:  # whoever names one form of a word means the word
            drop |= self._fold(map(lemmatize, drop))
        return WordRules(
            lemmatize,
            self._find_stop_words(self.stop_words),
            self.min_length,
            self.lowercase,
            self.contractions,
            frozenset(term for term in self._fold(self.keep) if BETWEEN_WORDS not in term),
            drop,
            re.compile(self.token_pattern or WORDS).fullmatch if self.tokenizer is None else None,
        )

    def counted_stop_words(self) -> frozenset[str]:
        """Return the stop words of the language, as terms have them, if they are counted for want of a list.

        They need not be shown where topics are. There are none if stop words are left out, one's own or those of a
        language, if the vocabulary was given, or if they are named in `keep`.
        """
        if self.stop_words is not None or self.vocabulary is not None:
            return frozenset()
        check_language(self.language)
        listed = self._find_stop_words("auto")
        if self._lemmatizes():
            listed |= self._fold(map(lemmatizer(self.language), listed))
        return listed - self._fold(self.keep)

    def _find_stop_words(self, setting: str | Iterable[str] | None) -> frozenset[str]:
        stop_words = self._fold(find_stop_words(setting, self.language))
        if not self._lemmatizes():
            return stop_words
        return match_lemmas(stop_words, lemmatizer(self.language), own=not isinstance(setting, str))

    def _fold(self, words: Iterable[str] | None) -> frozenset[str]:
        """Return words in the case that terms have."""
        words = () if words is None else words
        return frozenset(word.lower() if self.lowercase else word for word in words)

    def _lemmatizes(self) -> bool:
        return self.lemmatize and self.language != NO_LANGUAGE

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _fit_words(self, documents: Any, progress: Progress) -> Callable[[], sparse.csr_matrix]:
        """Learn the vocabulary; return what counts its terms in the documents just read."""
        self._check_settings()
        words, kept, ids = self._read_words(documents, progress)
        self.kept_ = np.flatnonzero(kept)
        self.dropped_ = [ids[k] if ids else k for k in np.flatnonzero(~kept).tolist()]
        if self.vocabulary is None:
            chosen = self._choose(words, progress)
            self.vocabulary_, count = chosen.vocabulary, chosen.count
        else:
            self.vocabulary_, count = self._count_given(words)
        if self.weighting == "tfidf":
            frequencies, n = self.vocabulary_.document_frequencies, self.vocabulary_.n_documents
            self.idf_ = inverse_document_frequencies(frequencies, n)
        return count

    def _count_given(self, words: WordStream) -> tuple[Vocabulary, Callable[[], sparse.csr_matrix]]:
        """Return the given vocabulary, with frequencies if it came without, and what counts its terms."""
        vocabulary = _as_vocabulary(self.vocabulary)
        counts = NgramIndex(vocabulary.terms, self.ngrams[1]).count(words)
        if not vocabulary.has_frequencies:
            vocabulary = Vocabulary(
                vocabulary.terms,
                document_frequencies=np.bincount(counts.indices, minlength=len(vocabulary)),
                term_frequencies=np.asarray(counts.sum(axis=0), dtype=np.int64).ravel(),
                n_documents=words.n_documents,
            )
        return vocabulary, lambda: counts

    def _choose(self, words: WordStream, progress: Progress) -> Chosen:
        n = words.n_documents
        low, high = documents_meant(self.min_df, n, "min_df"), documents_meant(self.max_df, n, "max_df")
        if n and high < low:
            documents = "the only document" if n == 1 else f"{n:,} documents"
            raise InputError(
                f"max_df {self.max_df} means fewer documents than min_df {self.min_df} of {documents}; lower min_df"
            )
        keep, drop = self._fold(self.keep), self._fold(self.drop)
        choice = Choice(_as_pair(self.ngrams), low, high, self.max_terms, keep, drop)
        chosen = choose_vocabulary(words, choice, progress=progress)
        if not len(chosen.vocabulary):
            raise InputError(
                f"no terms left of {len(words.words):,} distinct words in {n:,} documents; "
                "loosen stop_words, min_length, min_df or max_df, or check that the texts are not empty"
            )
        return chosen

    def _index(self) -> NgramIndex:
        return NgramIndex(self.vocabulary_.terms, self.ngrams[1])

    def _read_words(self, documents: Any, progress: Progress) -> tuple[WordStream, np.ndarray, list[str] | None]:
        """Return the words of the documents that are long enough, which these are, and the ids of all."""
        tokens = read_tokens(documents, self.build_tokenizer(), progress=progress)
        self._check_order(tokens)
        words = apply_rules(tokens, self.build_rules(), progress=progress)
        self._check_spaces(words)
        kept = words.lengths() >= self.min_tokens
        if not kept.all():
            self._warn_of_short(np.flatnonzero(~kept), len(kept), tokens.ids)
            words = words.keep_documents(kept)
        return words, kept, tokens.ids

    def _warn_of_short(self, short: np.ndarray, n: int, ids: list[str] | None) -> None:
        shown = ", ".join(repr(ids[k]) if ids else str(k) for k in short[:_SHOWN].tolist())
        more = ", ..." if len(short) > _SHOWN else ""
        warnings.warn(
            f"left out {len(short):,} of {n:,} documents with fewer than {self.min_tokens} words: {shown}{more}",
            DroppedDocumentsWarning,
            stacklevel=4,
        )

    def _check_order(self, tokens: TokenStream) -> None:
        if self.ngrams[1] > 1 and not tokens.ordered:
            raise InputError("a bag of words keeps no order, so there are no n-grams; use ngrams=(1, 1)")

    def _check_spaces(self, words: WordStream) -> None:
        spaced = next((word for word in words.words if BETWEEN_WORDS in word), None) if self.ngrams[1] > 1 else None
        if spaced is not None:
            raise InputError(f"the word {spaced!r} holds a space, which stands between the words of an n-gram")

    def _weight(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        weighted = weight_counts(counts, self.weighting, getattr(self, "idf_", None))
        if self.norm == "l2":
            weighted = normalize(weighted, norm="l2", copy=False)
        return weighted.astype(self.dtype, copy=False)

    def _check_settings(self) -> None:
        check_language(self.language)
        if self.weighting not in WEIGHTINGS:
            raise InputError(f"weighting must be one of {', '.join(WEIGHTINGS)}, got {self.weighting!r}")
        if self.norm not in (None, "l2"):
            raise InputError(f"norm must be 'l2' or None, got {self.norm!r}")
        if np.dtype(self.dtype) not in (np.float32, np.float64):
            raise InputError(f"dtype must be float32 or float64, got {self.dtype!r}")
        if self.contractions and self.language not in ("en", NO_LANGUAGE):
            raise InputError(f"contractions are written out for English only, not for {self.language!r}")
        for name in ("keep", "drop"):
            if isinstance(getattr(self, name), str):
                raise InputError(f"{name} takes a list of terms, got the string {getattr(self, name)!r}")
        for name in ("min_length", "min_tokens"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} must be 0 or more, got {getattr(self, name)}")
        low, high = _as_pair(self.ngrams)
        if not 1 <= low <= high <= _LONGEST_NGRAM:
            raise InputError(f"ngrams must be a pair from (1, 1) to (1, {_LONGEST_NGRAM}), got {self.ngrams!r}")


def _as_vocabulary(terms: Any) -> Vocabulary:
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise InputError(f"vocabulary takes a Vocabulary or a list of terms, got {type(terms).__name__}")
    return terms if isinstance(terms, Vocabulary) else Vocabulary(terms)


def _as_pair(ngrams: Any) -> tuple[int, int]:
    try:
        low, high = ngrams
        return int(low), int(high)
    except (TypeError, ValueError):
        raise InputError(f"ngrams must be a pair of whole numbers such as (1, 2), got {ngrams!r}") from None
