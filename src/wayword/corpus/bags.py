"""Bag-of-words pairs in the UCI format: a ``docword`` file of triples and a ``vocab`` file of words.

The docword file starts with three lines, the numbers of documents, words and triples; each line after them is
``document word count``, both counted from 1, sorted by document. There is no text, so a document's text is its
words in vocabulary order, each as often as it was counted.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

from wayword.corpus.corpus import BagOfWords, Corpus, Skipped
from wayword.corpus.files import Limits, check_decoded, open_bytes, open_text, read_lines
from wayword.errors import CorpusError, shorten
from wayword.progress import Progress, ignore

_BYTES_AT_ONCE = 2**23
_HEADER_LINES = 3
# Documents without a word for each triple, beyond which a file is not believed.
_MOST_EMPTY = 1000


def find_vocabulary(docword: Path) -> Path:
    """Return the vocab file that stands beside a docword file."""
    if "docword" not in docword.name:
        raise CorpusError(
            "no telling where its vocabulary is; give both files as (docword, vocab)", source=str(docword)
        )
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
        words = tuple(_check_word(number, line, path) for number, line in read_lines(text, limits, str(path)))
    if len(set(words)) < len(words):
        twice, times = Counter(words).most_common(1)[0]
        raise CorpusError(f"the word {shorten(twice)} stands {times} times; words must be unique", source=str(path))
    return words


def _check_word(number: int, line: str | CorpusError, path: Path) -> str:
    if isinstance(line, CorpusError):
        raise line
    wrong = check_decoded(line, str(path), f"line {number}")
    if wrong is not None:
        raise wrong
    return line.strip()


def _parse_whole_lines(block: bytes) -> np.ndarray | None:
    """Return the triples of a block of lines, or None if some line is not three whole numbers."""
    try:
        triples = np.loadtxt(io.BytesIO(block), dtype=np.int64, ndmin=2, comments=None)
    except (ValueError, OverflowError):
        return None
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    return triples if triples.shape == (lines, 3) else None


class _Triples:
    """The triples of one docword file, checked, a block at a time."""

    def __init__(self, path: Path, words: tuple[str, ...], limits: Limits, skip: bool) -> None:
        self._path = path
        self._n_words = len(words)
        # Written out as text, a word must not fill memory.
        self._most = limits.max_field // (1 + max(map(len, words), default=0))
        self._skip = skip
        self._last_document = 1
        self.lines = 0
        self.skipped: list[Skipped] = []

    def check(self, block: bytes, n_documents: int) -> np.ndarray:
        """Return the good triples of a block of whole lines."""
        triples = _parse_whole_lines(block)
        if triples is None or not self._all_good(triples, n_documents):
            triples = np.array(list(self._good_lines(block, n_documents)), dtype=np.int64).reshape(-1, 3)
        self.lines += len(block.splitlines())
        if len(triples):
            self._last_document = int(triples[-1, 0])
        return triples

    def _all_good(self, triples: np.ndarray, n_documents: int) -> bool:
        documents, words, counts = triples.T
        sorted_ = np.all(np.diff(documents, prepend=self._last_document) >= 0)
        low = words.min(initial=1) >= 1 and counts.min(initial=0) >= 0
        high = words.max(initial=1) <= self._n_words and counts.max(initial=0) <= self._most
        return bool(sorted_ and documents.max(initial=1) <= n_documents and low and high)

    def _good_lines(self, block: bytes, n_documents: int) -> Iterator[tuple[int, ...]]:
        last = self._last_document
        for number, line in enumerate(block.splitlines(), self.lines + 1 + _HEADER_LINES):
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
            return f"expected 'document word count', got {shorten(line)}"
        if not last <= document <= n_documents:
            return f"expected a document from {last} to {n_documents}, got {document}; lines are sorted by document"
        if not 1 <= word <= self._n_words:
            return f"expected a word from 1 to {self._n_words}, got {word}"
        if count < 0:
            return f"expected a count of 0 or more, got {count}"
        return None if count <= self._most else f"expected a count of {self._most:,} or less, got {count}"

    def finish(self, announced: int) -> None:
        """Raise, or note, that there were not as many lines as announced."""
        if self.lines != announced:
            problem = f"announces {announced:,} triples, has {self.lines:,}; was it cut off?"
            if not self._skip:
                raise CorpusError(problem, source=str(self._path))
            self.skipped.append(Skipped("end of file", problem))


def _read_header(lines: list[bytes], words: tuple[str, ...], source: str) -> tuple[int, int]:
    """Return the numbers of documents and of triples that the first three lines announce."""
    try:
        n_documents, n_words, n_triples = (int(line) for line in lines)
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
    if n_documents > _MOST_EMPTY * (n_triples + 1):
        raise CorpusError(f"announces {n_documents:,} documents for {n_triples:,} triples", source=source)
    return n_documents, n_triples


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
) -> Generator[Corpus, None, None]:
    """Yield the documents of a UCI pair, some at a time; skipped lines come with the last corpus."""
    words = _read_words(vocabulary or find_vocabulary(docword), limits, encoding)
    triples = _Triples(docword, words, limits, skip)
    with open_bytes(docword, limits) as file:
        head = [file.bytes.readline(100) for _ in range(_HEADER_LINES)]
        n_documents, n_triples = _read_header(head, words, str(docword))
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
        triples.finish(n_triples)
        if n_documents >= first:
            corpus = _as_corpus(waiting, first, n_documents, words)
            yield Corpus(corpus.texts, ids=corpus.ids, bags=corpus.bags, skipped=triples.skipped)
