"""Texts as they are shown: which pieces are terms, where they stand, and what can be sent to a browser.

Places are counted in UTF-16 units, as browsers count them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wayword.corpus.sentences import split_sentences
from wayword.corpus.vocabulary import Vocabulary
from wayword.corpus.words import WordRules
from wayword.matrix.vectorizer import Vectorizer

# Of longer texts the beginning is shown, and sentences are looked for in a part of that.
LONGEST_SHOWN, _LONGEST_SENTENCES = 100_000, 20_000
_EXCERPT = 240
_MOST_TOKENS = 50_000
# What no encoding of a page can carry, or what a text of a page may not hold.
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")


def make_showable(text: str) -> str:
    """Return a text of the same length that can be sent: halves of characters and NUL become a mark."""
    return _UNSHOWABLE.sub("\ufffd", text)


def cut_excerpt(text: str, longest: int = _EXCERPT) -> str:
    """Return the beginning of a text on one line."""
    words = make_showable(" ".join(text[: 4 * longest].split()))
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def count_units(text: str) -> Callable[[int], int]:
    """Return a function from places in a text to places in UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return lambda place: place
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    before = np.concatenate([[0], np.cumsum(points > 0xFFFF)])
    return lambda place: place + int(before[place])


@dataclass(frozen=True, slots=True)
class Spot:
    """A piece of a text that is a term: from where to where, and its column."""

    start: int
    end: int
    column: int


class Reader:
    """Finds the terms of a text where they stand.

    Parameters
    ----------
    vectorizer : Vectorizer
        What counts terms.
    """

    def __init__(self, vectorizer: Vectorizer) -> None:
        tokenizer = vectorizer.build_tokenizer()
        self._pattern = re.compile(tokenizer.pattern)
        self._lowercase = tokenizer.lowercase
        self._rules: WordRules = vectorizer.build_rules()
        self._vocabulary: Vocabulary = vectorizer.vocabulary_
        self._language = vectorizer.language
        self._columns: dict[str, int] = {}

    def spots(self, text: str) -> list[Spot]:
        """Return the pieces of a text that are terms, in order."""
        found = []
        for match in self._pattern.finditer(text):
            column = self._column(match[0])
            if column >= 0:
                found.append(Spot(match.start(), match.end(), column))
        return found

    def sentences(self, text: str) -> list[tuple[int, int]]:
        """Return where the sentences of a text begin and end."""
        found, place = [], 0
        for sentence in split_sentences(text[:_LONGEST_SENTENCES], self._language):
            written = sentence.strip()
            start = text.find(written, place) if written else -1
            if start >= 0:
                place = start + len(written)
                found.append((start, place))
        return found

    def _column(self, token: str) -> int:
        """Return the column of the term that a token becomes, -1 if there is none."""
        if token not in self._columns:
            if len(self._columns) >= _MOST_TOKENS:
                self._columns = {}
            terms: Sequence[str] = self._rules.terms(token.lower() if self._lowercase else token)
            known = [term for term in terms if term in self._vocabulary]
            self._columns[token] = self._vocabulary.column(known[0]) if known else -1
        return self._columns[token]
