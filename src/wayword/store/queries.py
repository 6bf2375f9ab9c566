"""Search queries and excerpts, the same for every back end.

A query is read here into words alone, so that nothing a person types can reach a database as syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wayword.errors import InputError

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r'"([^"]*)"|(\S+)')
_EXCERPT = 160
_MOST_PARTS = 50
MOST_HITS = 1_000
# PostgreSQL cannot index more than a megabyte of words of one document.
SEARCHED_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that follow each other; with `prefix` the last one stands for all that begin so."""

    words: tuple[str, ...]
    prefix: bool = False


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def read_query(query: str, limit: int = 1) -> list[Phrase]:
    """Return what must occur; nothing if the query holds no word."""
    if not isinstance(query, str):
        raise InputError(f"a query must be text, got {type(query).__name__}")
    if not 1 <= limit <= MOST_HITS:
        raise InputError(f"limit must be from 1 to {MOST_HITS:,}, got {limit}")
    phrases = []
    for quoted, plain in _PART.findall(query.encode(errors="replace").decode()):
        words = tuple(split_words(quoted or plain))
        if words:
            phrases.append(Phrase(words, plain.endswith("*")))
    return phrases[:_MOST_PARTS]


def to_fts5(phrases: list[Phrase]) -> str:
    """Return a query of SQLite's full-text search; words hold letters and digits only, so quotes are safe."""
    return " AND ".join(f'"{" ".join(p.words)}"{" *" if p.prefix else ""}' for p in phrases)


def to_tsquery(phrases: list[Phrase]) -> str:
    """Return a query of PostgreSQL's full-text search."""
    return " & ".join(
        "(" + " <-> ".join(f"'{word}'" for word in p.words) + (":*" if p.prefix else "") + ")" for p in phrases
    )


def to_pattern(phrases: list[Phrase]) -> re.Pattern[str]:
    """Return what finds the first of some phrases in a text."""
    ways = (
        r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, p.words)) + ("" if p.prefix else r"(?![^\W_])") for p in phrases
    )
    return re.compile("|".join(ways), re.IGNORECASE)


def cut_excerpt(text: str, pattern: re.Pattern[str]) -> str:
    """Return a text around the first match, on one line."""
    found = pattern.search(text)
    start = max(0, (found.start() if found else 0) - _EXCERPT // 3)
    end = start + _EXCERPT
    inside = " ".join(text[start:end].split())
    return ("… " if start else "") + inside + (" …" if end < len(text) else "")


def make_cutter(query: str) -> Callable[[str], str]:
    """Return a function that cuts the excerpts of texts that a query has found."""
    pattern = to_pattern(read_query(query))
    return lambda text: cut_excerpt(text, pattern)
