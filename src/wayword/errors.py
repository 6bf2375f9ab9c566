"""Every exception and warning Wayword raises.

A message says what was expected, what came, and what to do::

    WaywordError
    ├── InputError (ValueError)          an argument of the wrong kind, shape or range
    │   └── UnknownTermError (KeyError)  a word the vocabulary does not hold; offers near matches
    ├── CorpusError (ValueError)         a corpus that cannot be read; names file and place
    │   ├── MissingColumnError           a column that is not there; lists those that are
    │   ├── DuplicateIdError             two documents with one id
    │   ├── EncodingError                bytes that are not text in the expected encoding
    │   └── LimitError                   a file that unpacks, or a field that grows, beyond the limit
    ├── FormatError (ValueError)         a saved file that is foreign, damaged or too new
    ├── MissingExtraError (ImportError)  an optional package that is not installed
    └── StoreError                       a project that cannot be read or written
        ├── NotAProjectError             a file or database that is no project, or is not there
        ├── NewerProjectError            a project written by a newer version
        ├── ReadOnlyError                a project that may not be written
        ├── DiskFullError                no room left; nothing was changed
        └── LockedError                  another program keeps the project locked

    WaywordWarning (UserWarning)
    └── DroppedDocumentsWarning          documents or rows left out on request, with the reason
"""

from __future__ import annotations

import reprlib

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = 80


def shorten(value: object) -> str:
    """Return a value as a message shows it: on one line, and short however long it is."""
    return _brief.repr(value)


class WaywordError(Exception):
    """Base of every error that Wayword raises on purpose."""


class InputError(WaywordError, ValueError):
    """An argument has the wrong kind, shape or range."""


class UnknownTermError(InputError, KeyError):
    """A word is not in the vocabulary.

    Attributes
    ----------
    word : str
        The word that was looked up.
    suggestions : tuple of str
        Terms of the vocabulary that are spelled nearly the same.
    """

    def __init__(self, word: str, suggestions: tuple[str, ...] = ()) -> None:
        self.word = word
        self.suggestions = suggestions
        hint = f"; did you mean {', '.join(map(repr, suggestions))}?" if suggestions else ""
        super().__init__(f"no term {word!r} in the vocabulary{hint}")

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class CorpusError(WaywordError, ValueError):
    """A corpus cannot be read.

    Attributes
    ----------
    source : str
        The file, folder or object being read.
    place : str
        Where in it, for example ``"line 12"``; empty when the whole source is at fault.
    problem : str
        What was expected, what came, what to do.
    fatal : bool
        Whether the whole source is at fault, so that no row can be skipped to mend it.
    """

    def __init__(self, problem: str, *, source: str = "", place: str = "", fatal: bool = False) -> None:
        self.problem = problem
        self.fatal = fatal
        self.source = source
        self.place = place
        where = ", ".join(part for part in (source, place) if part)
        super().__init__(f"{where}: {problem}" if where else problem)


class MissingColumnError(CorpusError):
    """A named column does not exist in the source."""


class DuplicateIdError(CorpusError):
    """Two documents carry the same id."""


class EncodingError(CorpusError):
    """The bytes of a file are not text in the expected encoding."""


class LimitError(CorpusError):
    """A file unpacks, or a field grows, beyond the limit set for it."""


class FormatError(WaywordError, ValueError):
    """A saved file is foreign, damaged or made by a newer version."""


class MissingExtraError(WaywordError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package}; install it with: pip install 'wayword[{extra}]'")


class StoreError(WaywordError):
    """A project cannot be read or written."""


class NotAProjectError(StoreError):
    """A file or database that is no project, or that is not there."""


class NewerProjectError(StoreError):
    """A project that a newer version of Wayword has written."""


class ReadOnlyError(StoreError):
    """A project that may be read but not written."""


class DiskFullError(StoreError):
    """There is no room left where the project is kept."""


class LockedError(StoreError):
    """Another program has kept the project to itself for too long."""


class WaywordWarning(UserWarning):
    """Base of every warning that Wayword gives."""


class DroppedDocumentsWarning(WaywordWarning):
    """Documents or rows were left out on request; the message counts them."""
