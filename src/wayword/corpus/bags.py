"""Bag-of-words pairs in the UCI format: a ``docword`` file of triples and a ``vocab`` file of words.

The docword file starts with three lines, the numbers of documents, words and triples; each line after them is
``document word count``, both counted from 1, sorted by document. There is no text, so a document's text is its
words in vocabulary order, each as often as it was counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from wayword.corpus.corpus import BagOfWords, Corpus, Skipped
from wayword.corpus.files import Limits, find_stray_byte, open_bytes, open_text, read_lines, wrong_encoding
from wayword.errors import CorpusError
from wayword.progress import Progress, ignore

_BYTES_AT_ONCE = 2**23


def find_vocabulary(docword: Path) -> Path:
    """Return the vocab file that stands beside a docword file."""
    names = [docword.name.replace("docword", "vocab")]
    names += [names[0].removesuffix(".gz"), names[0] + ".gz"]
    for name in names:
        if (docword.parent / name).is_file():
            return docword.parent / name
    raise CorpusError(
        f"no vocabulary beside it: expected {names[0]!r}; give both files as (docword, vocab)",
        source=str(docword),
    )


def _read_words(path: Path, limits: Limits, encoding: str | None) -> tuple[str, ...]:
    with open_bytes(path, limits) as file, open_text(file, path, encoding) as text:
        return tuple(_check_word(number, line, path) for number, line in read_lines(text, limits, str(path)))


def _check_word(number: int, line: str | CorpusError, path: Path) -> str:
    if isinstance(line, CorpusError):
        raise line
    stray = find_stray_byte(line)
    if stray is not None:
        raise wrong_encoding(str(path), f"line {number}", "utf-8", f"byte 0x{stray:02x}")
    return line.strip()


def _parse_whole_lines(block: bytes) -> np.ndarray | None:
    """Return the triples of a block of lines, or None if some line is not three whole numbers."""
    try:
        values = np.array(block.split(), dtype=np.int64)
    except (ValueError, OverflowError):
        return None
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    return values.reshape(-1, 3) if len(values) == 3 * lines else None


class _Triples:
    """The triples of one docword file, checked, a block at a time."""

    def __init__(self, path: Path, n_words: int, skip: bool) -> None:
        self._path = path
        self._n_words = n_words
        self._skip = skip
        self._line = 4
        self._last_document = 1
        self.skipped: list[Skipped] = []

    def check(self, block: bytes, n_documents: int) -> np.ndarray:
        """Return the good triples of a block of whole lines."""
        triples = _parse_whole_lines(block)
        if triples is None or not self._all_good(triples, n_documents):
            triples = np.array(list(self._good_lines(block, n_documents)), dtype=np.int64).reshape(-1, 3)
        self._line += block.count(b"\n")
        if len(triples):
            self._last_document = int(triples[-1, 0])
        return triples

    def _all_good(self, triples: np.ndarray, n_documents: int) -> bool:
        documents, words, counts = triples.T
        sorted_ = np.all(np.diff(documents, prepend=self._last_document) >= 0)
        in_range = documents.max(initial=1) <= n_documents and words.max(initial=1) <= self._n_words
        return bool(sorted_ and in_range and words.min(initial=1) >= 1 and counts.min(initial=0) >= 0)

    def _good_lines(self, block: bytes, n_documents: int) -> Iterator[tuple[int, ...]]:
        last = self._last_document
        for number, line in enumerate(block.splitlines(), self._line):
            problem = self._problem(line, n_documents, last)
            if problem is None:
                triple = tuple(map(int, line.split()))
                last = triple[0]
                yield triple
            elif self._skip:
                self.skipped.append(Skipped(f"line {number}", problem))
            else:
                raise CorpusError(problem, source=str(self._path), place=f"line {number}")

    def _problem(self, line: bytes, n_documents: int, last: int) -> str | None:
        try:
            document, word, count = map(int, line.split())
        except ValueError:
            return f"expected 'document word count', got {line[:60]!r}"
        if not last <= document <= n_documents:
            return f"expected a document from {last} to {n_documents}, got {document}; lines are sorted by document"
        if not 1 <= word <= self._n_words:
            return f"expected a word from 1 to {self._n_words}, got {word}"
        return None if count >= 0 else f"expected a count of 0 or more, got {count}"


def _read_header(lines: list[bytes], words: tuple[str, ...], source: str) -> int:
    """Return the number of documents that the first three lines announce."""
    try:
        n_documents, n_words, _ = (int(line) for line in lines)
    except ValueError:
        raise CorpusError(
            f"expected three lines with the numbers of documents, words and triples, got {b''.join(lines)[:60]!r}",
            source=source,
        ) from None
    if n_words != len(words):
        raise CorpusError(
            f"announces {n_words:,} words, the vocabulary has {len(words):,}; the two files do not belong together",
            source=source,
        )
    return n_documents


def _as_corpus(triples: np.ndarray, first: int, last: int, words: tuple[str, ...]) -> Corpus:
    """Make a corpus of documents `first` to `last` of the file."""
    rows, columns, counts = triples.T
    matrix = sparse.csr_matrix(
        (counts.astype(np.float64), (rows - first, columns - 1)), shape=(last - first + 1, len(words))
    )
    matrix.sum_duplicates()
    texts = []
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        row = zip(matrix.indices[start:end].tolist(), matrix.data[start:end].astype(int).tolist(), strict=True)
        texts.append(" ".join(" ".join([words[column]] * count) for column, count in row if count))
    ids = map(str, range(first, last + 1))
    return Corpus(texts, ids=ids, bags=BagOfWords(words, matrix))


def read_bags(
    docword: Path,
    vocabulary: Path | None,
    limits: Limits,
    *,
    encoding: str | None = None,
    skip: bool = False,
    progress: Progress = ignore,
) -> Iterator[Corpus]:
    """Yield the documents of a UCI pair, some at a time; skipped lines come with the last corpus."""
    words = _read_words(vocabulary or find_vocabulary(docword), limits, encoding)
    triples = _Triples(docword, len(words), skip)
    with open_bytes(docword, limits) as file:
        n_documents = _read_header([file.bytes.readline(100) for _ in range(3)], words, str(docword))
        waiting = np.empty((0, 3), dtype=np.int64)
        first = 1
        while block := file.bytes.read(_BYTES_AT_ONCE):
            block += file.bytes.readline(200)
            waiting = np.concatenate([waiting, triples.check(block, n_documents)])
            # The last document of a block may go on in the next.
            last = int(waiting[-1, 0]) - 1 if len(waiting) else 0
            if last >= first:
                cut = int(np.searchsorted(waiting[:, 0], last, side="right"))
                yield _as_corpus(waiting[:cut], first, last, words)
                waiting, first = waiting[cut:], last + 1
            progress("bytes", file.position(), file.size)
        if n_documents >= first:
            corpus = _as_corpus(waiting, first, n_documents, words)
            yield Corpus(corpus.texts, ids=corpus.ids, bags=corpus.bags, skipped=triples.skipped)
