"""What the fields of an act may hold: each check returns the cleaned value or says what was expected.

Acts come from pages, files and other programs, so kinds are strict: a number is no text, and one text is no list.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from wayword.errors import InputError, shorten

LONGEST_ID = 500
LONGEST_NAME = 200
LONGEST_TEXT = 10_000
MOST_DOCUMENTS = 100_000
MOST_NAMES = 1_000

Check = Callable[[Any, str], Any]
Pairs = tuple[tuple[str, Any], ...]


def _storable(text: str) -> bool:
    """Whether every store can keep a text: no NUL, no half of a character."""
    if text.isascii():
        return "\0" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check_text(value: Any, where: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text that is neither empty nor too long."""
    if type(value) is not str:
        raise InputError(f"{where} must be text, got {type(value).__name__} {shorten(value)}")
    if not value or value.isspace():
        raise InputError(f"{where} must not be empty; give at least one character")
    if len(value) > longest:
        raise InputError(f"{where} may have {longest:,} characters, got {len(value):,}; shorten it")
    if not _storable(value):
        raise InputError(f"{where} must be plain text, got {shorten(value)}; take out NUL and broken characters")
    return value


def check_id(value: Any, where: str) -> str:
    """Return what a document, a label, a topic, an annotator or an act is known by."""
    return check_text(value, where, LONGEST_ID)


def check_speaker(value: Any, where: str) -> str:
    """Return the name of an annotator, or nothing: whoever acts."""
    return value if value == "" else check_id(value, where)


def check_term(value: Any, where: str) -> str:
    """Return a term as the vocabulary spells it."""
    return check_text(value, where, LONGEST_NAME)


def check_name(value: Any, where: str) -> str:
    """Return a name on one line, without blanks around it, with each accented letter spelt in one way."""
    text = check_text(value, where, LONGEST_NAME).strip()
    if not text.isprintable():
        raise InputError(f"{where} must stand on one line, got {shorten(value)}; take out line breaks and tabs")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def check_switch(value: Any, where: str) -> bool:
    """Return true or false."""
    if type(value) is not bool:
        raise InputError(f"{where} must be true or false, got {type(value).__name__} {shorten(value)}")
    return value


def check_share(value: Any, where: str) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise InputError(f"{where} must be a number from 0 to 1, got {shorten(value)}")
    return float(value)


def several(check: Check, *, fewest: int = 1, most: int = MOST_NAMES) -> Check:
    """Return a check of lists without repeats whose every item passes `check`."""

    def check_list(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            hint = f"; write [{shorten(value)}]" if isinstance(value, str) else ""
            raise InputError(f"{where} must be a list, got {type(value).__name__} {shorten(value)}{hint}")
        if not fewest <= len(value) <= most:
            raise InputError(f"{where} must have {fewest} to {most:,} items, got {len(value):,}")
        items = tuple([check(item, where) for item in value])
        if len(items) > 1 and len(set(items)) < len(items):
            raise InputError(f"{where} must name each item once, got {shorten(list(items))}")
        return items

    return check_list


def pairs(key: Check, item: Check, *, fewest: int = 0, most: int = MOST_DOCUMENTS) -> Check:
    """Return a check of tables, given as a mapping or as pairs; they are kept as pairs, which cannot be changed."""

    def check_pairs(value: Any, where: str) -> Pairs:
        rows = list(value.items()) if isinstance(value, Mapping) else value
        if not isinstance(rows, list | tuple) or not all(
            isinstance(row, list | tuple) and len(row) == 2 for row in rows
        ):
            raise InputError(f"{where} must be a table of keys and values, got {type(value).__name__} {shorten(value)}")
        if not fewest <= len(rows) <= most:
            raise InputError(f"{where} must have {fewest} to {most:,} rows, got {len(rows):,}")
        cleaned = tuple([(key(name, f"{where}: a key"), item(row, f"{where}: a value")) for name, row in rows])
        if len(dict(cleaned)) < len(cleaned):
            raise InputError(f"{where} must have each key once")
        return cleaned

    return check_pairs


Id = Annotated[str, check_id]
Ids = Annotated[tuple[str, ...], several(check_id)]
TwoOrMoreIds = Annotated[tuple[str, ...], several(check_id, fewest=2)]
Documents = Annotated[tuple[str, ...], several(check_id, most=MOST_DOCUMENTS)]
Speaker = Annotated[str, check_speaker]
Name = Annotated[str, check_name]
TwoOrMoreNames = Annotated[tuple[str, ...], several(check_name, fewest=2)]
Term = Annotated[str, check_term]
Terms = Annotated[tuple[str, ...], several(check_term, fewest=0)]
Text = Annotated[str, check_text]
Switch = Annotated[bool, check_switch]
Share = Annotated[float, check_share]
NamesById = Annotated[tuple[tuple[str, str], ...], pairs(check_id, check_name, most=MOST_NAMES)]
LabelsByDocument = Annotated[tuple[tuple[str, tuple[str, ...]], ...], pairs(check_id, several(check_id), fewest=1)]
