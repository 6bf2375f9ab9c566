"""Text to integer tokens.

Documents are cut into blocks of a few megabytes. A block's text becomes an array of integers, one for each token,
and a list of the distinct tokens it holds; the lists of all blocks are then joined into one table. Nobody after this
module looks at text, and what is decided about a token is decided once, not once for each occurrence.

Common patterns (runs of letters, of word characters, of a character class) are split by a compiled scan that uses
all cores; other patterns and a caller's own tokenizer run in Python.
"""

from __future__ import annotations

import re
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from wayword.corpus.corpus import BagOfWords, Corpus, Document
from wayword.corpus.streaming import StreamedCorpus
from wayword.corpus.words import APOSTROPHES, expand_contraction, replace_emoticons
from wayword.errors import InputError, shorten
from wayword.kernels.threads import map_in_order
from wayword.progress import Progress, ignore

# A run of letters and digits with at least one letter: words, but not numbers.
WORDS = r"[^\W_]*[^\W\d_][^\W_]*"
_CHARACTERS_AT_ONCE = 2**21
_LAST_CODE_POINT = 0x10FFFF
_FIRST_CAPACITY = 2**16
_LONGEST_TEXT = 2**31
_RUN = re.compile(r"(?:\(\?u\))?(?:\\b)?(?P<kind>\\w|\[[^\[\]]+\])(?P<again>(?:(?P=kind))*)\+(?:\\b)?")
_CONTRACTION = re.compile(rf"\w+(?:[{APOSTROPHES}]\w+)+")


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of word that the compiled scan can find: runs of characters.

    Attributes
    ----------
    character : str
        Pattern of one character of a run.
    needed : str
        Pattern of a character that a run must hold at least once.
    min_run : int
        Fewest characters of a run.
    """

    character: str
    needed: str
    min_run: int

    @classmethod
    def of(cls, pattern: str) -> Shape | None:
        """Return the shape that matches exactly what `pattern` does, if there is one."""
        if pattern == WORDS:
            return cls(r"[^\W_]", r"[^\W\d_]", 1)
        match = _RUN.fullmatch(pattern)
        if match is None or (r"\b" in pattern and match["kind"] != r"\w"):
            return None
        return cls(match["kind"], match["kind"], 1 + len(match["again"]) // len(match["kind"]))


@cache
def character_classes(shape: Shape, joiners: str = "") -> np.ndarray:
    """Return the class of every code point under `shape`, as the scan wants it."""
    from wayword.kernels.words import ENOUGH, JOINER, WORD

    everything = "".join(map(chr, range(_LAST_CODE_POINT + 1)))
    classes = np.zeros(len(everything), dtype=np.uint8)
    for pattern, bit in ((shape.character, WORD), (shape.needed, ENOUGH)):
        for match in re.finditer(f"(?:{pattern})+", everything):
            classes[match.start() : match.end()] |= bit
    classes[[ord(joiner) for joiner in joiners]] |= JOINER
    return classes


class Spool:
    """Where arrays are kept: in memory, or in a temporary file that the system pages in and out."""

    def __init__(self, on_disk: bool = False) -> None:
        self._file: Any = None
        if on_disk:
            self._file = tempfile.TemporaryFile(prefix="wayword-")  # noqa: SIM115 - lives as long as the spool
            weakref.finalize(self, self._file.close)

    def keep(self, array: np.ndarray) -> np.ndarray:
        """Return an array with the same numbers that may live on disk."""
        if self._file is None or not array.size:
            return array
        start = self._file.seek(0, 2)
        array.tofile(self._file)
        self._file.flush()
        return np.asarray(np.memmap(self._file, array.dtype, "r+", offset=start, shape=array.shape))


@dataclass(frozen=True, slots=True)
class Block:
    """Tokens of consecutive documents.

    Attributes
    ----------
    tokens : int array
        Numbers of the tokens, document after document.
    starts : int64 array of shape (n_documents + 1,)
        Where each document starts in `tokens`.
    """

    tokens: np.ndarray
    starts: np.ndarray

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class TokenStream:
    """All documents as integers.

    Attributes
    ----------
    blocks : list of Block
        The tokens, some documents at a time.
    distinct : list of str
        The token that each number stands for.
    ids : list of str or None
        Ids of the documents, where the source has them.
    ordered : bool
        Whether tokens stand in the order of the text; not so for bags of words.
    spool : Spool
        Where arrays of this size are kept.
    """

    blocks: list[Block]
    distinct: list[str]
    ids: list[str] | None
    ordered: bool
    spool: Spool

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return sum(block.n_documents for block in self.blocks)


@dataclass(frozen=True)
class Tokenizer:
    """How text is split.

    Attributes
    ----------
    pattern : str
        Regular expression of a token; its one group, if it has one, is the token.
    function : callable or None
        Splits a text itself; the pattern is then not used.
    lowercase : bool
        Whether text is put in lower case first.
    contractions : bool
        Whether ``isn't`` stays in one piece, to be written out by `WordRules`.
    emoticons : bool
        Whether emoticons are written as words first.
    """

    pattern: str = WORDS
    function: Callable[[str], Iterable[str]] | None = None
    lowercase: bool = True
    contractions: bool = False
    emoticons: bool = False

    def prepare(self, text: str) -> str:
        """Return the text that is to be split."""
        if self.emoticons:
            text = replace_emoticons(text)
        return text.lower() if self.lowercase else text

    @property
    def shape(self) -> Shape | None:
        """What the compiled scan looks for, if it can."""
        return Shape.of(self.pattern) if self.function is None else None

    def split(self, text: str) -> list[str]:
        """Return the tokens of one prepared text, in Python."""
        if self.contractions:
            text = _CONTRACTION.sub(lambda match: " ".join(expand_contraction(match.group())), text)
        return list(self.function(text) if self.function else re.findall(self.pattern, text))

    def check(self) -> None:
        """Raise if the pattern is not one."""
        try:
            groups = re.compile(self.pattern).groups
        except re.error as error:
            raise InputError(f"token_pattern {self.pattern!r} is not a regular expression: {error}") from None
        if groups > 1:
            raise InputError(f"token_pattern {self.pattern!r} has {groups} groups; use at most one")


def iterate_texts(documents: Any) -> Iterator[tuple[Sequence[str], Sequence[str] | None, BagOfWords | None]]:
    """Yield texts, ids and bags of any source of documents, some at a time."""
    if isinstance(documents, Corpus):
        yield documents.texts, documents.ids, documents.bags
    elif isinstance(documents, StreamedCorpus):
        for batch in documents.batches():
            yield batch.texts, batch.ids, batch.bags
    elif isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
        kind = type(documents).__name__
        raise InputError(f"expected a corpus or a list of texts, got one {kind}; for one text write [text]")
    else:
        yield _check_texts(documents), None, None


def _check_texts(texts: Iterable[Any]) -> list[str]:
    texts = [text.text if isinstance(text, Document) else text for text in texts]
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"document {position} must be a string, got {type(text).__name__} {shorten(text)}; "
                "put an empty string for a missing text"
            )
    return texts


def _cut(sources: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Regroup texts into lists of about the same number of characters."""
    block: list[str] = []
    size = 0
    for text in chain.from_iterable(sources):
        block.append(text)
        size += len(text)
        if size >= _CHARACTERS_AT_ONCE:
            yield block
            block, size = [], 0
    if block:
        yield block


class _Numbering:
    """Numbers for tokens, in order of first occurrence."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def translate(self, distinct: Iterable[str]) -> np.ndarray:
        numbers = self.numbers
        return np.array([numbers.setdefault(token, len(numbers)) for token in distinct], dtype=np.int32)


def _scan_block(
    texts: Sequence[str], tokenizer: Tokenizer, classes: np.ndarray, min_run: int
) -> tuple[Block, list[str]]:
    """Return the tokens of some documents, numbered within the block, and the distinct ones."""
    from wayword.kernels.words import scan_words

    encoded = [tokenizer.prepare(text).encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    # A bytearray, because a read-only array would compile the scan a second time.
    text = bytearray().join(encoded)
    if len(text) >= _LONGEST_TEXT:
        raise InputError(f"a text of {len(text):,} bytes is too long for one document; cut it into several")
    codes = np.frombuffer(text, dtype=np.uint8)
    capacity = _FIRST_CAPACITY
    words, starts, first, length, fits = scan_words(codes, ends, classes, min_run, capacity)
    while not fits:
        capacity *= 4
        words, starts, first, length, fits = scan_words(codes, ends, classes, min_run, capacity)
    places = zip(first.tolist(), length.tolist(), strict=True)
    distinct = [text[at : at + size].decode("utf-8", "surrogatepass") for at, size in places]
    return Block(words, starts), distinct


def _scan(
    sources: Iterable[Sequence[str]], tokenizer: Tokenizer, shape: Shape, numbering: _Numbering
) -> Iterator[Block]:
    classes = character_classes(shape, APOSTROPHES if tokenizer.contractions else "")
    blocks = map_in_order(lambda texts: _scan_block(texts, tokenizer, classes, shape.min_run), _cut(sources))
    for block, distinct in blocks:
        yield Block(numbering.translate(distinct)[block.tokens], block.starts)


def _split(sources: Iterable[Sequence[str]], tokenizer: Tokenizer, numbering: _Numbering) -> Iterator[Block]:
    for texts in _cut(sources):
        split = [tokenizer.split(tokenizer.prepare(text)) for text in texts]
        starts = np.zeros(len(split) + 1, dtype=np.int64)
        np.cumsum([len(tokens) for tokens in split], out=starts[1:])
        yield Block(numbering.translate(chain.from_iterable(split)), starts)


def _repeat(bag: BagOfWords, numbering: _Numbering) -> Block:
    """Return a bag of words as tokens, each as often as it was counted."""
    numbers = numbering.translate(bag.terms)
    counts = bag.counts.data.astype(np.int64)
    totals = np.concatenate([[0], np.cumsum(counts)])
    return Block(np.repeat(numbers[bag.counts.indices], counts), totals[bag.counts.indptr])


def read_tokens(documents: Any, tokenizer: Tokenizer, *, progress: Progress = ignore) -> TokenStream:
    """Return the tokens of all documents.

    Parameters
    ----------
    documents : Corpus, StreamedCorpus or iterable of str
        What was written.
    tokenizer : Tokenizer
        How to split it.
    progress : callable
        Told how many documents are split.
    """
    tokenizer.check()
    spool = Spool(on_disk=isinstance(documents, StreamedCorpus))
    numbering = _Numbering()
    ids: list[str] = []
    bags: list[Block] = []

    def keep(block: Block) -> Block:
        return Block(spool.keep(block.tokens), block.starts)

    def texts() -> Iterator[Sequence[str]]:
        for batch, batch_ids, bag in iterate_texts(documents):
            ids.extend(batch_ids or ())
            if bag is None:
                yield batch
            else:
                bags.append(keep(_repeat(bag, numbering)))

    shape = tokenizer.shape
    found = _scan(texts(), tokenizer, shape, numbering) if shape else _split(texts(), tokenizer, numbering)
    blocks: list[Block] = []
    n_documents, total = 0, len(documents) if isinstance(documents, Sized) else None
    for block in found:
        blocks.append(keep(block))
        n_documents += block.n_documents
        progress("documents", n_documents, total)
    return TokenStream(blocks + bags, list(numbering.numbers), ids or None, not bags, spool)
