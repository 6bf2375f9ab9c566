"""Describe a corpus in one pass: how many documents, labels, words, languages and duplicates.

Languages are guessed from stop words: a word speaks for each language on whose list it stands, and counts less the
more lists it stands on. That needs no dictionary to be loaded and is right for all but very short texts.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from wayword.corpus.corpus import Corpus, Document
from wayword.corpus.streaming import StreamedCorpus

_WORD = re.compile(r"[^\W\d_]+")
_WORDS_LOOKED_AT = 200
_LANGUAGE_SAMPLE = 2000
# Below this share of words that speak for a language, none is named.
_LEAST_EVIDENCE = 0.05
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long the documents are, in words between spaces."""

    total: int
    mean: float
    min: int
    q25: int
    median: int
    q75: int
    max: int


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What a corpus holds.

    Attributes
    ----------
    documents : int
        Number of documents.
    labels : int
        Number of distinct labels.
    label_counts : mapping of str to int
        Documents of each label, most frequent first.
    labels_per_document : mapping of int to int
        How many documents have 0, 1, 2, ... labels.
    lengths : Lengths
        Distribution of document lengths.
    empty : int
        Documents without a word.
    duplicates : int
        Documents whose text repeats that of an earlier one.
    languages : mapping of str to float
        Share of the documents looked at that seem to be in each language, by ISO 639-1 code.
    metadata : tuple of str
        Names of further columns.
    skipped : int
        Rows left out while reading.
    """

    documents: int
    labels: int
    label_counts: Mapping[str, int]
    labels_per_document: Mapping[int, int]
    lengths: Lengths
    empty: int
    duplicates: int
    languages: Mapping[str, float]
    metadata: tuple[str, ...]
    skipped: int

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain dictionaries, lists and numbers."""
        return asdict(self)


@cache
def _stop_word_evidence() -> dict[str, tuple[tuple[str, float], ...]]:
    """Return, for each stop word of any language, the languages it speaks for and how loudly."""
    import stopwordsiso

    languages: dict[str, list[str]] = {}
    for language in sorted(stopwordsiso.langs()):
        for word in stopwordsiso.stopwords(language):
            languages.setdefault(word, []).append(language)
    return {word: tuple((language, 1 / len(spoken)) for language in spoken) for word, spoken in languages.items()}


def guess_language(text: str) -> str:
    """Return the ISO 639-1 code of the language a text seems to be in, or ``"unknown"``."""
    words = _WORD.findall(text[: 20 * _WORDS_LOOKED_AT].lower())[:_WORDS_LOOKED_AT]
    evidence = _stop_word_evidence()
    scores: dict[str, float] = {}
    for word in words:
        for language, weight in evidence.get(word, ()):
            scores[language] = scores.get(language, 0.0) + weight
    if not scores:
        return UNKNOWN
    language, score = min(scores.items(), key=lambda item: (-item[1], item[0]))
    return language if score >= _LEAST_EVIDENCE * len(words) else UNKNOWN


class _Description:
    """What has been seen of a corpus so far."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.empty = 0
        self.label_counts: Counter[str] = Counter()
        self.labels_per_document: Counter[int] = Counter()
        self.languages: dict[int, str] = {}
        self._every = 1
        # Digests, not texts: a streamed corpus must not be kept in memory.
        self.texts: set[bytes] = set()
        self.metadata: dict[str, None] = {}

    def add(self, document: Document) -> None:
        length = len(document.text.split())
        self.lengths.append(length)
        self.empty += length == 0
        self.label_counts.update(document.labels)
        self.labels_per_document[len(document.labels)] += 1
        self.texts.add(hashlib.blake2b(document.text.encode("utf-8", "surrogatepass"), digest_size=12).digest())
        self.metadata.update(dict.fromkeys(document.metadata))
        if length and len(self.lengths) % self._every == 0:
            self._guess(document.text)

    def _guess(self, text: str) -> None:
        """Note the language of every n-th document; n doubles when they become too many."""
        self.languages[len(self.lengths)] = guess_language(text)
        if len(self.languages) > _LANGUAGE_SAMPLE:
            self._every *= 2
            self.languages = {k: language for k, language in self.languages.items() if k % self._every == 0}


def _summarise(lengths: list[int]) -> Lengths:
    if not lengths:
        return Lengths(0, 0.0, 0, 0, 0, 0, 0)
    low, q25, median, q75, high = np.percentile(lengths, [0, 25, 50, 75, 100], method="lower").astype(int).tolist()
    return Lengths(sum(lengths), sum(lengths) / len(lengths), low, q25, median, q75, high)


def describe(corpus: Corpus | StreamedCorpus) -> CorpusInfo:
    """Return what a corpus holds, from one pass over it."""
    batches: Iterable[Corpus] = corpus.batches() if isinstance(corpus, StreamedCorpus) else (corpus,)
    seen = _Description()
    skipped = 0
    for batch in batches:
        skipped += len(batch.skipped)
        for document in batch:
            seen.add(document)
    n = len(seen.lengths)
    languages = Counter(seen.languages.values())
    return CorpusInfo(
        documents=n,
        labels=len(seen.label_counts),
        label_counts=dict(sorted(seen.label_counts.items(), key=lambda item: (-item[1], item[0]))),
        labels_per_document=dict(sorted(seen.labels_per_document.items())),
        lengths=_summarise(seen.lengths),
        empty=seen.empty,
        duplicates=n - len(seen.texts),
        languages={language: count / languages.total() for language, count in languages.most_common()},
        metadata=tuple(seen.metadata),
        skipped=skipped,
    )
