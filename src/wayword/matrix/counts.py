"""Token streams to counts of terms, where a term may be a word or several words in a row.

Two jobs. `choose_vocabulary` finds the terms worth a column: it counts words, then pairs, then triples, and at each
step goes on only from what can still be chosen, because an n-gram is never more frequent than the n-grams inside
it. `NgramIndex` finds the columns of documents once the terms are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy import sparse

from wayword.corpus.tokens import Block, Spool, TokenStream
from wayword.corpus.vocabulary import Vocabulary, choose_terms
from wayword.corpus.words import WordRules
from wayword.kernels.counts import (
    count_rows,
    join_neighbours,
    replace_tokens,
    update_frequencies,
    update_numbering,
)
from wayword.kernels.threads import map_in_order
from wayword.progress import Progress, ignore

BETWEEN_WORDS = " "
_WORDS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class WordStream:
    """Documents as numbers of words, after `WordRules` had their say."""

    blocks: list[Block]
    words: list[str]
    spool: Spool

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return sum(block.n_documents for block in self.blocks)

    def keep_documents(self, kept: np.ndarray) -> WordStream:
        """Return the documents for which `kept` is true."""
        blocks = []
        first = 0
        for block in self.blocks:
            chosen = kept[first : first + block.n_documents]
            first += block.n_documents
            lengths = np.diff(block.starts)
            tokens = block.tokens[np.repeat(chosen, lengths)]
            starts = np.concatenate([[0], np.cumsum(lengths[chosen])])
            blocks.append(Block(self.spool.keep(tokens), starts))
        return WordStream(blocks, self.words, self.spool)

    def lengths(self) -> np.ndarray:
        """Return the number of words of each document."""
        parts = [np.diff(block.starts) for block in self.blocks]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def apply_rules(
    stream: TokenStream, rules: WordRules, *, keep_places: bool = False, progress: Progress = ignore
) -> WordStream:
    """Return the words that the tokens become; each distinct token is looked at once.

    With `keep_places`, a token that becomes nothing leaves a -1, so that distances in the text stay as they were.
    """
    numbers: dict[str, int] = {}
    targets: list[int] = []
    pointer = [0]
    for done, token in enumerate(stream.distinct):
        if done % _WORDS_AT_ONCE == 0:
            progress("words", done, len(stream.distinct))
        terms = [numbers.setdefault(term, len(numbers)) for term in rules.terms(token)]
        targets += terms or [-1] * keep_places
        pointer.append(len(targets))
    pointer_array = np.array(pointer, dtype=np.int64)
    target_array = np.array(targets, dtype=np.int32)

    def replace(block: Block) -> Block:
        return Block(*replace_tokens(block.tokens, block.starts, pointer_array, target_array))

    blocks = [Block(stream.spool.keep(block.tokens), block.starts) for block in map_in_order(replace, stream.blocks)]
    return WordStream(blocks, list(numbers), stream.spool)


@dataclass(frozen=True, slots=True)
class Level:
    """All n-grams of one length that were counted.

    Attributes
    ----------
    term_frequencies, document_frequencies : int64 arrays of shape (n_ngrams,)
    head : int array of shape (n_ngrams,) or None
        Number, one level below, of the n-gram without its last word; ``None`` for words.
    tail : int array of shape (n_ngrams,)
        Number of the last word.
    numbers : list of int32 array
        For each block and place, the number of the n-gram that starts there, or -1.
    """

    term_frequencies: np.ndarray
    document_frequencies: np.ndarray
    head: np.ndarray | None
    tail: np.ndarray
    numbers: list[np.ndarray]


def _frequencies(numbers: Sequence[np.ndarray], blocks: Sequence[Block], size: int) -> tuple[np.ndarray, np.ndarray]:
    term_frequencies = np.zeros(size, dtype=np.int64)
    document_frequencies = np.zeros(size, dtype=np.int64)
    last_document = np.full(size, -1, dtype=np.int64)
    first = 0
    for block, block_numbers in zip(blocks, numbers, strict=True):
        update_frequencies(block_numbers, block.starts, first, term_frequencies, document_frequencies, last_document)
        first += block.n_documents
    return term_frequencies, document_frequencies


def _count_words(stream: WordStream) -> Level:
    numbers = [block.tokens for block in stream.blocks]
    frequencies = _frequencies(numbers, stream.blocks, len(stream.words))
    return Level(*frequencies, None, np.arange(len(stream.words)), numbers)


class _KeyNumbering:
    """Numbers for keys, in a hash table that grows."""

    def __init__(self) -> None:
        self._slots = np.full(2**12, -1, dtype=np.int32)
        self._known = np.empty(2**11, dtype=np.int64)
        self._n_known = 0

    @property
    def known(self) -> np.ndarray:
        return self._known[: self._n_known]

    def translate(self, keys: np.ndarray) -> np.ndarray:
        self._make_room(self._n_known + len(keys))
        numbers, self._n_known = update_numbering(keys, self._slots, self._known, self._n_known)
        return numbers

    def _make_room(self, needed: int) -> None:
        if needed <= len(self._known):
            return
        size = 1 << (needed - 1).bit_length()
        before = self.known
        self._known = np.empty(size, dtype=np.int64)
        self._slots = np.full(2 * size, -1, dtype=np.int32)
        update_numbering(before, self._slots, self._known, 0)


def _count_longer(
    stream: WordStream, words: Level, shorter: Level, eligible: np.ndarray, width: int, progress: Progress
) -> Level:
    """Count the n-grams of ``width + 1`` words made of eligible n-grams of `width` words."""
    # One more for -1, no n-gram, which picks the last.
    compact = np.append(np.where(eligible, np.cumsum(eligible) - 1, -1), -1)
    original = np.flatnonzero(eligible)
    numbering = _KeyNumbering()
    radix = len(words.tail)
    numbers = []
    for done, (block, left, right) in enumerate(zip(stream.blocks, shorter.numbers, words.numbers, strict=True)):
        progress("blocks", done, len(stream.blocks))
        keys = join_neighbours(compact[left], right, block.starts, width, radix, True)
        numbers.append(stream.spool.keep(numbering.translate(keys)))
    head, tail = np.divmod(numbering.known, radix)
    frequencies = _frequencies(numbers, stream.blocks, len(tail))
    return Level(*frequencies, original[head], tail, numbers)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which terms get a column.

    Attributes
    ----------
    ngrams : pair of int
        Fewest and most words of a term.
    low, high : float
        Fewest and most documents of a term.
    max_terms : int or None
        How many of the most frequent terms to keep.
    keep, drop : frozenset of str
        Terms to keep, and to leave out, whatever their frequency.
    """

    ngrams: tuple[int, int]
    low: float
    high: float
    max_terms: int | None
    keep: frozenset[str]
    drop: frozenset[str]


def _least_frequency(levels: Sequence[Level], choice: Choice) -> int:
    """Return a term frequency below which no term can be chosen any more."""
    if choice.max_terms is None:
        return 0
    frequencies = np.concatenate(
        [
            level.term_frequencies[
                (level.document_frequencies >= choice.low) & (level.document_frequencies <= choice.high)
            ]
            for level in levels[choice.ngrams[0] - 1 :]
        ]
        or [np.zeros(0, dtype=np.int64)]
    )
    # Terms that are dropped by name may be among the most frequent.
    rank = choice.max_terms + len(choice.drop)
    return 0 if len(frequencies) < rank else int(np.partition(frequencies, -rank)[-rank])


def _kept_places(level: Level, levels: Sequence[Level], words: Sequence[str], keep: frozenset[str]) -> np.ndarray:
    """Return which n-grams of a level are part of a term to keep."""
    parts = {
        tuple(term.split(BETWEEN_WORDS)[start : start + len(levels)])
        for term in keep
        for start in range(len(term.split(BETWEEN_WORDS)) - len(levels) + 1)
    }
    found = np.zeros(len(level.tail), dtype=bool)
    numbers = {word: number for number, word in enumerate(words)} if parts else {}
    for part in parts:
        if all(word in numbers for word in part):
            found |= _is_ngram(levels, [numbers[word] for word in part])
    return found


def _is_ngram(levels: Sequence[Level], words: Sequence[int]) -> np.ndarray:
    """Return a mask of the last level's n-grams that consist of these words."""
    mask = levels[0].tail == words[0]
    for level, word in zip(levels[1:], words[1:], strict=True):
        mask = (level.tail == word) & mask[level.head]
    return mask


def _spell(levels: Sequence[Level], n: int, numbers: np.ndarray, words: Sequence[str]) -> list[str]:
    """Return the n-grams of `n` words with these numbers, spelled out."""
    level = levels[n - 1]
    last: list[int] = level.tail[numbers].tolist()
    tails = [words[word] for word in last]
    if level.head is None:
        return tails
    heads = _spell(levels, n - 1, level.head[numbers], words)
    return [head + BETWEEN_WORDS + tail for head, tail in zip(heads, tails, strict=True)]


def _count_levels(stream: WordStream, choice: Choice, progress: Progress) -> list[Level]:
    """Count words, pairs, triples, ... as far as they can still be chosen."""
    levels = [_count_words(stream)]
    for width in range(1, choice.ngrams[1]):
        shorter = levels[-1]
        eligible = shorter.term_frequencies >= _least_frequency(levels, choice)
        eligible &= shorter.document_frequencies >= choice.low
        eligible |= _kept_places(shorter, levels, stream.words, choice.keep)
        levels.append(_count_longer(stream, levels[0], shorter, eligible, width, progress))
    return levels


@dataclass(frozen=True, slots=True)
class Chosen:
    """A vocabulary, and the counts it was chosen by.

    Attributes
    ----------
    vocabulary : Vocabulary
        The terms, in alphabetical order.
    """

    vocabulary: Vocabulary
    _stream: WordStream
    _levels: list[Level]
    _columns: list[np.ndarray]

    def count(self) -> sparse.csr_matrix:
        """Return the counts of the terms in each document as float64; every place is numbered already."""

        def count_block(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            numbers = [level.numbers[k] for level in self._levels]
            columns = np.stack([known[n] for known, n in zip(self._columns, numbers, strict=True)])
            return count_rows(columns, self._stream.blocks[k].starts, len(self.vocabulary))

        return stack_rows(map_in_order(count_block, range(len(self._stream.blocks))), len(self.vocabulary))


def _candidates(levels: Sequence[Level], words: Sequence[str], choice: Choice) -> list[np.ndarray]:
    """Return, for each level, the numbers of the n-grams that are frequent enough or to be kept."""
    least = _least_frequency(levels, choice)
    found = []
    for n, level in enumerate(levels, 1):
        frequent = level.term_frequencies >= max(least, 1)
        frequent |= _kept_places(level, levels[:n], words, choice.keep) & (level.term_frequencies > 0)
        found.append(np.flatnonzero(frequent) if n >= choice.ngrams[0] else np.zeros(0, dtype=np.int64))
    return found


def choose_vocabulary(stream: WordStream, choice: Choice, *, progress: Progress = ignore) -> Chosen:
    """Choose the terms that get a column."""
    levels = _count_levels(stream, choice, progress)
    candidates = _candidates(levels, stream.words, choice)
    pairs = list(zip(levels, candidates, strict=True))
    document_frequencies = np.concatenate([level.document_frequencies[numbers] for level, numbers in pairs])
    term_frequencies = np.concatenate([level.term_frequencies[numbers] for level, numbers in pairs])
    spelled = [_spell(levels, n, numbers, stream.words) for n, numbers in enumerate(candidates, 1)]
    terms = list(chain.from_iterable(spelled))
    chosen = choose_terms(
        terms,
        document_frequencies,
        term_frequencies,
        low=choice.low,
        high=choice.high,
        max_terms=choice.max_terms,
        keep=choice.keep,
        drop=choice.drop,
    )
    chosen = np.array(sorted(chosen.tolist(), key=terms.__getitem__), dtype=np.int64)
    vocabulary = Vocabulary(
        [terms[k] for k in chosen],
        document_frequencies=document_frequencies[chosen],
        term_frequencies=term_frequencies[chosen],
        n_documents=stream.n_documents,
    )
    return Chosen(vocabulary, stream, levels, _columns_by_level(levels, candidates, chosen))


def _columns_by_level(
    levels: Sequence[Level], candidates: Sequence[np.ndarray], chosen: np.ndarray
) -> list[np.ndarray]:
    """Return, for each level, the column of each n-gram, or -1; one more -1 stands for no n-gram."""
    column_of = np.full(sum(map(len, candidates)), -1, dtype=np.int32)
    column_of[chosen] = np.arange(len(chosen), dtype=np.int32)
    columns = []
    first = 0
    for level, numbers in zip(levels, candidates, strict=True):
        of_level = np.full(len(level.tail) + 1, -1, dtype=np.int32)
        of_level[numbers] = column_of[first : first + len(numbers)]
        first += len(numbers)
        columns.append(of_level)
    return columns


class NgramIndex:
    """Finds the columns of the terms that documents hold.

    Parameters
    ----------
    terms : sequence of str
        The term of each column.
    max_words : int
        Most words of a term; with 1, terms are taken whole even if they hold spaces.
    """

    def __init__(self, terms: Sequence[str], max_words: int) -> None:
        self._n_columns = len(terms)
        self._max_words = max_words
        spelled = [tuple(term.split(BETWEEN_WORDS)) if max_words > 1 else (term,) for term in terms]
        known = dict.fromkeys(word for words in spelled for word in words)
        self._words = {word: number for number, word in enumerate(known)}
        self._keys: list[np.ndarray] = []
        self._columns: list[np.ndarray] = [self._columns_of_words(spelled)]
        prefixes = {(word,): number for word, number in self._words.items()}
        for n in range(2, max_words + 1):
            prefixes = self._add_level(spelled, prefixes, n)

    def _columns_of_words(self, spelled: Sequence[tuple[str, ...]]) -> np.ndarray:
        columns = np.full(len(self._words), -1, dtype=np.int32)
        for column, words in enumerate(spelled):
            if len(words) == 1:
                columns[self._words[words[0]]] = column
        return columns

    def _add_level(
        self, spelled: Sequence[tuple[str, ...]], shorter: dict[tuple[str, ...], int], n: int
    ) -> dict[tuple[str, ...], int]:
        """Index the terms of `n` words and the beginnings of longer ones; return the number of each."""
        radix = len(self._words)
        column_of = {words: column for column, words in enumerate(spelled)}
        beginnings = {words[:n] for words in spelled if len(words) >= n}
        key_of = {words: shorter[words[:-1]] * radix + self._words[words[-1]] for words in beginnings}
        ordered = sorted(key_of, key=key_of.__getitem__)
        self._keys.append(np.array([key_of[words] for words in ordered], dtype=np.int64))
        self._columns.append(np.array([column_of.get(words, -1) for words in ordered], dtype=np.int32))
        return {words: number for number, words in enumerate(ordered)}

    def _columns_of(self, numbers: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Return the column at each place for terms of 1, 2, ... words."""
        columns = np.full((self._max_words, len(numbers)), -1, dtype=np.int32)
        found = numbers.astype(np.int64)
        for n in range(1, self._max_words + 1):
            if n > 1:
                keys = join_neighbours(found, numbers, starts, n - 1, len(self._words), False)
                found = _find(self._keys[n - 2], keys)
            there = found >= 0
            columns[n - 1, there] = self._columns[n - 1][found[there]]
        return columns

    def count(self, stream: WordStream) -> sparse.csr_matrix:
        """Return the counts of the terms in each document as float64."""
        number_of = np.array([self._words.get(word, -1) for word in stream.words], dtype=np.int32)

        def count_block(block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            columns = self._columns_of(number_of[block.tokens], block.starts)
            return count_rows(columns, block.starts, self._n_columns)

        return stack_rows(map_in_order(count_block, stream.blocks), self._n_columns)


def _find(known: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return the position of each key in the sorted `known`, or -1."""
    found = np.full(len(keys), -1, dtype=np.int64)
    asked = np.flatnonzero(keys >= 0)
    if len(known) and len(asked):
        places = np.minimum(np.searchsorted(known, keys[asked]), len(known) - 1)
        hit = known[places] == keys[asked]
        found[asked[hit]] = places[hit]
    return found


def stack_rows(parts: Iterable[tuple[np.ndarray, np.ndarray, np.ndarray]], n_columns: int) -> sparse.csr_matrix:
    """Join the rows of several blocks into one matrix."""
    parts = list(parts)
    offsets = np.cumsum([0, *(len(indices) for _, indices, _ in parts)])
    indptr = [np.zeros(1, dtype=np.int64), *(p[0][1:] + offset for p, offset in zip(parts, offsets, strict=False))]
    indices = [np.zeros(0, dtype=np.int32), *(part[1] for part in parts)]
    counts = [np.zeros(0, dtype=np.int32), *(part[2] for part in parts)]
    rows = np.concatenate(indptr)
    matrix = sparse.csr_matrix(
        (np.concatenate(counts).astype(np.float64), np.concatenate(indices), rows),
        shape=(len(rows) - 1, n_columns),
    )
    matrix.has_canonical_format = True
    return matrix
