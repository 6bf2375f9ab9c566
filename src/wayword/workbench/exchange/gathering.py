"""Gather documents and what is said of them, whatever the format, and check all that comes in.

Some formats spread a document over several lines, one for each annotator; so documents are looked up by id, and a
line may add to one that is there. Every error names the place.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from wayword.corpus.corpus import Corpus, Document
from wayword.corpus.records import is_missing
from wayword.errors import CorpusError, DuplicateIdError, InputError, shorten
from wayword.guidance.fields import LONGEST_TEXT, check_id, check_name
from wayword.workbench.exchange.rows import Comments, ExchangeFile, Names, agreed

_DEEPEST = 50
_FINGERPRINT = 16


@dataclass(slots=True)
class Item:
    """A document while it is gathered."""

    place: str
    text: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    labels: Names | None = None
    """None as long as nothing says what is settled."""
    annotators: dict[str, Names] = field(default_factory=dict)
    comments: dict[tuple[str, str], None] = field(default_factory=dict)
    flagged: bool = False


def as_name(value: Any) -> str:
    """Return what an id, a label or an annotator is called: 5.0, as spreadsheets hold whole numbers, reads 5."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _listed(value: str, separator: str | None) -> list[Any]:
    """Return the names of a text: a JSON list, names between separators, or one name."""
    if value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            return parsed
    return list(value.split(separator)) if separator else [value]


class Gathering:
    """Documents by id, in the order in which they first came.

    Parameters
    ----------
    source : str
        What errors call the file.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._items: dict[str, Item] = {}
        self._warnings: dict[str, None] = {}
        self._counts: Counter[str] = Counter()

    def fail(self, problem: str, place: str) -> NoReturn:
        """Raise an error that names the place."""
        raise CorpusError(problem, source=self.source, place=place)

    def warn(self, message: str) -> None:
        """Say once that something was left out or guessed."""
        self._warnings[message] = None

    def count(self, message: str) -> None:
        """Say how often something was left out; ``{n}`` in the message stands for the number."""
        self._counts[message] += 1

    def add(
        self,
        id: Any,
        place: str,
        *,
        text: Any = None,
        metadata: Mapping[str, Any] | None = None,
        again: bool = False,
        strip: bool = False,
    ) -> Item:
        """Return the document of an id; it is added if it is new, and may have come before only if `again`.

        A document without an id is known by a fingerprint of its text.
        """
        text = None if text is None else self._check_text(text, place)
        if is_missing(id):
            known = self._fingerprint(text, place, again)
        else:
            name = as_name(id)
            known = self._check_id(id, name.strip() if strip else name, place)
        item = self._items.get(known)
        if item is None:
            item = self._items[known] = Item(place)
        elif not again or (None not in (text, item.text) and text != item.text):
            differs = " with another text" if again else ""
            raise DuplicateIdError(
                f"id {shorten(known)} stands already at {item.place}{differs}; give each document an id of its own",
                source=self.source,
                place=place,
            )
        item.text = item.text if text is None else text
        for name, value in (metadata or {}).items():
            item.metadata.setdefault(self._sound(name, place), self._clean(value, place))
        return item

    def names(self, value: Any, place: str, separator: str | None = None) -> Names:
        """Return the label names that a value means, checked; none for nothing and for not-a-number."""
        if is_missing(value):
            return ()
        parts = _listed(value, separator) if isinstance(value, str) else value
        if not isinstance(parts, list | tuple):
            parts = [parts]
        return tuple(dict.fromkeys(self.name(part, place) for part in parts if not is_missing(part)))

    def name(self, value: Any, place: str, what: str = "a label") -> str:
        """Return the name of a label or an annotator, checked."""
        if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
            hint = "; spans of text cannot be taken over" if isinstance(value, list | tuple) else ""
            self.fail(f"{what} must be a name or a number, got {type(value).__name__} {shorten(value)}{hint}", place)
        try:
            return check_name(as_name(value), what)
        except InputError as error:
            self.fail(str(error), place)

    def person(self, value: Any, place: str) -> str:
        """Return what an annotator is called, exactly."""
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            self.fail(f"an annotator must be a name, got {type(value).__name__} {shorten(value)}", place)
        return self._check_id(value, as_name(value), place)

    def remarks(self, value: Any, place: str) -> Comments:
        """Return comments: texts, pairs or objects with an annotator and a text, or a JSON list of these."""
        if is_missing(value):
            return ()
        found = _listed(value, None) if isinstance(value, str) else value
        found = found if isinstance(found, list | tuple) else [found]
        return tuple(self._remark(part, place) for part in found if not is_missing(part))

    def _remark(self, value: Any, place: str) -> tuple[str, str]:
        if isinstance(value, Mapping):
            value = (value.get("annotator") or "", value.get("text") or "")
        annotator, text = value if isinstance(value, list | tuple) and len(value) == 2 else ("", value)
        if not isinstance(annotator, str) or not isinstance(text, str) or not text or text.isspace():
            self.fail(f"a comment must be text, got {shorten(value)}", place)
        if len(text) > LONGEST_TEXT:
            self.fail(f"a comment may have {LONGEST_TEXT:,} characters, got {len(text):,}; shorten it", place)
        return self._sound(annotator, place), self._sound(text, place)

    def finish(self, warnings: Iterable[str] = ()) -> ExchangeFile:
        """Return all that was gathered."""
        items = self._items
        if not items:
            raise CorpusError("no documents and no labels; the file is empty", source=self.source)
        told = [item for item in items.items() if item[1].text is not None]
        documents = [Document(id, item.text or "", (), item.metadata) for id, item in told]
        counted = [message.format(n=f"{times:,}") for message, times in self._counts.items()]
        settled = {id: agreed(item.annotators) if item.labels is None else item.labels for id, item in items.items()}
        return ExchangeFile(
            Corpus.from_documents(documents) if documents else None,
            {id: names for id, names in settled.items() if names},
            {id: dict(item.annotators) for id, item in items.items() if item.annotators},
            {id: tuple(item.comments) for id, item in items.items() if item.comments},
            tuple(id for id, item in items.items() if item.flagged),
            [*warnings, *self._warnings, *counted],
        )

    def _fingerprint(self, text: str | None, place: str, again: bool) -> str:
        if text is None:
            self.fail("neither an id nor a text; give the document one of them", place)
        self.count("{n} rows have no id; their documents are known by a fingerprint of their text")
        known = hashlib.sha256(text.encode()).hexdigest()[:_FINGERPRINT]
        if again or known not in self._items:
            return known
        return next(name for k in range(2, len(self._items) + 3) if (name := f"{known}-{k}") not in self._items)

    def _check_id(self, given: Any, name: str, place: str) -> str:
        if not isinstance(given, str | int | float) or isinstance(given, bool):
            self.fail(f"an id must be text or a number, got {type(given).__name__} {shorten(given)}", place)
        try:
            return check_id(name, "an id")
        except InputError as error:
            self.fail(str(error), place)

    def _check_text(self, value: Any, place: str) -> str:
        if isinstance(value, list | tuple | dict | bytes):
            self.fail(f"a text was expected, got {type(value).__name__} {shorten(value)}", place)
        if isinstance(value, float):
            return "" if math.isnan(value) else as_name(value)
        return self._sound(str(value), place)

    def _sound(self, text: str, place: str) -> str:
        """Return a text that can be written again; half of a surrogate pair, which JSON can spell, cannot."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            self.fail(f"half a character, U+{ord(text[error.start]):04X}; the text was cut there", place)
        return text

    def _clean(self, value: Any, place: str, depth: int = 0) -> Any:
        """Return a value of metadata as JSON can hold it."""
        if depth > _DEEPEST:
            self.fail(f"metadata is nested more than {_DEEPEST} levels deep; flatten it", place)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, Mapping):
            return {self._sound(str(key), place): self._clean(part, place, depth + 1) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._clean(part, place, depth + 1) for part in value]
        return self._sound(value.isoformat() if hasattr(value, "isoformat") else str(value), place)
