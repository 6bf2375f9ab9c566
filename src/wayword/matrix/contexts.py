"""Terms that occur in one sentence, or within a few words of each other.

Entry (i, j) counts the sentences, or windows, that hold both terms; the diagonal is zero. How many hold each term is
in ``document_frequencies``, so both parts of a pointwise mutual information are at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.sentences import split_sentences
from wayword.corpus.tokens import Block, iterate_texts, read_tokens
from wayword.errors import InputError
from wayword.kernels.counts import count_rows, spread_windows
from wayword.matrix.cooccurrence import Cooccurrence, Form, choose_form, fill_lower, sum_pairs
from wayword.matrix.counts import NgramIndex, apply_rules, stack_rows
from wayword.matrix.vectorizer import Vectorizer

_TEXTS_AT_ONCE = 1024
_PLACES_AT_ONCE = 2**22


def _sentence_rows(documents: Any, vectorizer: Vectorizer) -> Iterator[sparse.csr_matrix]:
    """Yield counts of the terms of sentences, some documents at a time."""
    index = NgramIndex(vectorizer.vocabulary_.terms, vectorizer.ngrams[1])
    tokenizer, rules = vectorizer.build_tokenizer(), vectorizer.build_rules()
    for texts, _, bag in iterate_texts(documents):
        if bag is not None:
            raise InputError("a bag of words keeps no sentences; count whole documents with cooccurrence")
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            batch = texts[first : first + _TEXTS_AT_ONCE]
            sentences = list(chain.from_iterable(split_sentences(text, vectorizer.language) for text in batch))
            yield index.count(apply_rules(read_tokens(sentences, tokenizer), rules))


def _cut_block(block: Block, most: int) -> Iterator[Block]:
    """Cut a block into runs of documents of about `most` places each."""
    first = 0
    while first < block.n_documents:
        start = block.starts[first]
        last = max(first + 1, int(np.searchsorted(block.starts, start + most, side="right")) - 1)
        yield Block(block.tokens[start : block.starts[last]], block.starts[first : last + 1] - start)
        first = last


def _window_rows(documents: Any, vectorizer: Vectorizer, width: int) -> Iterator[sparse.csr_matrix]:
    """Yield counts of the terms of sliding windows, some at a time."""
    tokens = read_tokens(documents, vectorizer.build_tokenizer())
    if not tokens.ordered or vectorizer.ngrams[1] > 1:
        raise InputError("windows need the order of single words: text, and a vectorizer with ngrams=(1, 1)")
    words = apply_rules(tokens, vectorizer.build_rules(), keep_places=True)
    n_terms = len(vectorizer.vocabulary_)
    columns = {term: column for column, term in enumerate(vectorizer.vocabulary_)}
    # One more -1 for places without a word.
    column_of = np.array([*(columns.get(word, -1) for word in words.words), -1], dtype=np.int32)
    for block in words.blocks:
        for part in _cut_block(block, max(1, _PLACES_AT_ONCE // width)):
            numbers, starts = spread_windows(column_of[part.tokens], part.starts, width)
            yield stack_rows([count_rows(numbers[None, :], starts, n_terms)], n_terms)


class _PairSums:
    """Counts of pairs so far, dense or sparse."""

    def __init__(self, n_terms: int, form: Form) -> None:
        self._dense = np.zeros((n_terms, n_terms)) if form == "dense" else None
        self._sparse: sparse.csr_matrix = sparse.csr_matrix((n_terms, n_terms))

    def add(self, rows: sparse.csr_matrix) -> None:
        if self._dense is None:
            self._sparse = sparse.csr_matrix(self._sparse + rows.T @ rows)
        else:
            sum_pairs(rows, np.ones(rows.shape[0]), self._dense, add=True)

    def without_diagonal(self) -> np.ndarray | sparse.csr_matrix:
        if self._dense is None:
            sums = sparse.csr_matrix(self._sparse - sparse.diags(self._sparse.diagonal()))
            sums.eliminate_zeros()
            return sums
        fill_lower(self._dense)
        np.fill_diagonal(self._dense, 0.0)
        return self._dense


def context_cooccurrence(
    documents: Any,
    vectorizer: Vectorizer,
    *,
    within: Literal["sentence", "window"] = "sentence",
    window: int = 10,
    form: Literal["auto", "dense", "sparse"] = "auto",
) -> Cooccurrence:
    """Count the sentences, or windows of words, that hold two terms.

    Parameters
    ----------
    documents : Corpus, StreamedCorpus or iterable of str
        What was written.
    vectorizer : Vectorizer
        A fitted one, whose terms are counted.
    within : {"sentence", "window"}
        What a context is: a sentence, or a window that slides over the words of a document, one by one. Words that
        are no terms take up a place in a window.
    window : int
        Number of words of a window; with 2, pairs of neighbours are counted.
    form : {"auto", "dense", "sparse"}
        The whole matrix or its non-zeros; ``"auto"`` is the whole up to 2 GiB.

    Returns
    -------
    Cooccurrence
        Its ``sums`` are the counts, with a zero diagonal, and its documents are the contexts.

    Examples
    --------
    >>> from wayword import Vectorizer, context_cooccurrence
    >>> texts = ["I like deep learning.", "I like NLP.", "I enjoy flying."]
    >>> vectorizer = Vectorizer(lemmatize=False, stop_words=None, min_length=1).fit(texts)
    >>> pairs = context_cooccurrence(texts, vectorizer, within="window", window=2)
    >>> int(pairs.sums[vectorizer.vocabulary_.column("i"), vectorizer.vocabulary_.column("like")])
    2
    """
    if within not in ("sentence", "window"):
        raise InputError(f"within must be 'sentence' or 'window', got {within!r}")
    if window < 2:
        raise InputError(f"a window holds 2 words or more, got {window}")
    check_is_fitted(vectorizer)
    n_terms = len(vectorizer.vocabulary_)
    chosen = choose_form(form, n_terms)
    sums = _PairSums(n_terms, "sparse" if chosen == "operator" else chosen)
    frequencies = np.zeros(n_terms, dtype=np.int64)
    n_contexts = 0
    found = (
        _sentence_rows(documents, vectorizer) if within == "sentence" else _window_rows(documents, vectorizer, window)
    )
    for rows in found:
        rows.data[:] = 1.0
        sums.add(rows)
        frequencies += np.bincount(rows.indices, minlength=n_terms)
        n_contexts += rows.shape[0]
    unit = "sentences" if within == "sentence" else f"windows of {window} words"
    return Cooccurrence(sums.without_diagonal(), n_contexts, frequencies, unit)
