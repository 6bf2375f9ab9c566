"""What comes into a project from files, and what goes out: labels, documents, remarks, and the journal itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wayword.corpus.corpus import Corpus
from wayword.errors import FormatError, InputError
from wayword.guidance.actions import Act, Adjudicate, Comment, Entry, Flag, Import
from wayword.guidance.journal import Journal
from wayword.guidance.state import Guidance
from wayword.workbench.documents import Sight
from wayword.workbench.exchange import ExchangeFile, ExportRow, guess_format
from wayword.workbench.overview import make_label_id

_SHOWN = 20
_AT_ONCE = 20_000
_NAMED, _HEAD = 3, 65_536


@dataclass(slots=True)
class Arrival:
    """What a file brings, as acts.

    Attributes
    ----------
    acts : list of Act
        What is said; acts name those in whose name they speak.
    n_labelled : int
        Documents about whose labels something new is said.
    new_labels : list of str
        Names of labels that are new.
    unknown : list of str
        Ids that no document has.
    several : bool
        Whether a document has several labels.
    """

    acts: list[Act] = field(default_factory=list)
    n_labelled: int = 0
    new_labels: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    several: bool = False


def fresh_documents(file: ExchangeFile, known: Mapping[str, int]) -> Corpus | None:
    """Return the documents that are new; rows of labels alone may come with an empty text."""
    if file.documents is None:
        return None
    texts = zip(file.documents.ids, file.documents.texts, strict=True)
    fresh = [id for id, text in texts if id not in known and text.strip()]
    return file.documents.select(fresh) if fresh else None


def warn_of_texts(file: ExchangeFile, corpus: Corpus, known: Mapping[str, int]) -> list[str]:
    """Return a warning of documents that are there with another text, which stays."""
    if file.documents is None:
        return []
    came = zip(file.documents.ids, file.documents.texts, strict=True)
    other = [id for id, text in came if id in known and text.strip() and text != corpus.texts[known[id]]]
    if not other:
        return []
    named = ", ".join(other[:_NAMED])
    return [f"{len(other):,} documents are here with another text, which stays as it is: {named}"]


def _said_by(file: ExchangeFile, annotator: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return what each annotator says: names of labels by document."""
    said: dict[str, dict[str, tuple[str, ...]]] = {}
    for document, by_annotator in file.annotators.items():
        for who, names in by_annotator.items():
            if names:
                said.setdefault(who, {})[document] = names
    for document, names in file.labels.items():
        # What annotators say is what is settled; names come without one only where none is known.
        if names and not file.annotators.get(document):
            said.setdefault(annotator, {})[document] = names
    return said


def _label_ids(guidance: Guidance, names: Iterator[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return ids of labels by name, and names by id of those that are new."""
    ids = {record.name: record.id for record in guidance.live_labels()}
    new: dict[str, str] = {}
    for name in dict.fromkeys(names):
        if name not in ids:
            ids[name] = make_label_id(name, {*guidance.label_set, *new})
            new[ids[name]] = name
    return ids, new


def _says_already(guidance: Guidance, annotator: str, document: str, labels: tuple[str, ...]) -> bool:
    said = guidance.labels.get(document, {}).get(annotator)
    return said is not None and set(said.labels) == set(labels)


def read_arrival(
    file: ExchangeFile, guidance: Guidance, known: Mapping[str, int], *, source: str, annotator: str
) -> Arrival:
    """Return what a file brings that is not there yet.

    Parameters
    ----------
    file : ExchangeFile
        What was read.
    guidance : Guidance
        What is known.
    known : mapping of str to int
        The documents that are there.
    source : str
        What the file is called.
    annotator : str
        Whose labels, flags and remarks are that come without a name.
    """
    arrival = Arrival()
    there = set(known)
    said = _said_by(file, annotator)
    mentioned = dict.fromkeys(
        [*file.labels, *(d for told in said.values() for d in told), *file.comments, *file.flagged]
    )
    arrival.unknown = [document for document in mentioned if document not in there][:_SHOWN]
    decided = _decisions(file, there)
    every = [name for told in said.values() for document, names in told.items() if document in there for name in names]
    every += [name for names in decided.values() for name in names]
    ids, new = _label_ids(guidance, iter(every))
    changed: set[str] = set()
    for who, told in sorted(said.items()):
        rows = {d: tuple(ids[name] for name in dict.fromkeys(names)) for d, names in told.items() if d in there}
        rows = {d: labels for d, labels in rows.items() if not _says_already(guidance, who, d, labels)}
        arrival.several |= any(len(labels) > 1 for labels in rows.values())
        changed.update(rows)
        arrival.acts += _import_acts(rows, new, source, "" if who == annotator else who)
    used = {label for act in arrival.acts if isinstance(act, Import) for _, labels in act.labels for label in labels}
    for document, names in decided.items():
        labels = tuple(ids[name] for name in names)
        if set(labels) <= used | set(guidance.label_set) and set(guidance.resolve(document).labels) != set(labels):
            arrival.acts.append(Adjudicate((document,), labels))
    arrival.n_labelled = len(changed)
    arrival.new_labels = [name for id, name in new.items() if id in used]
    arrival.acts += _remark_acts(file, guidance, there, annotator)
    return arrival


def _decisions(file: ExchangeFile, there: set[str]) -> dict[str, tuple[str, ...]]:
    """Return labels that are settled though somebody says something else: what was decided."""
    return {
        document: names
        for document, names in file.labels.items()
        if names
        and document in there
        and any(set(said) != set(names) for said in file.annotators.get(document, {}).values())
    }


def _import_acts(
    rows: Mapping[str, tuple[str, ...]], new: Mapping[str, str], source: str, speaker: str
) -> Iterator[Act]:
    """Give acts that take over labels; each names all new labels that it uses, as any may be undone alone."""
    items = list(rows.items())
    for start in range(0, len(items), _AT_ONCE):
        piece = items[start : start + _AT_ONCE]
        used = dict.fromkeys(label for _, labels in piece for label in labels if label in new)
        yield Import(source, tuple(piece), tuple((label, new[label]) for label in used), speaker)


def _remark_acts(file: ExchangeFile, guidance: Guidance, there: set[str], annotator: str) -> Iterator[Act]:
    """Give acts for flags and comments that are new."""
    flagged = tuple(d for d in file.flagged if d in there and d not in guidance.flags)
    if flagged:
        yield Flag(flagged)
    for document, remarks in file.comments.items():
        known = {(remark.annotator, remark.text) for remark in guidance.comments.get(document, ())}
        for who, text in remarks:
            if document in there and (who or annotator, text) not in known and text.strip():
                yield Comment(document, text, "" if who == annotator else who)


# Out


def _unique_names(ids: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """Return names, with the id where two are the same."""
    return [name if names.count(name) == 1 else f"{name} ({id})" for id, name in zip(ids, names, strict=True)]


def list_rows(sight: Sight, annotator: str | None = None) -> Iterator[ExportRow]:
    """Give every document as it goes out; none is left out, and shares sum to one.

    Parameters
    ----------
    sight : Sight
        What is known.
    annotator : str, optional
        Whose labels to give in place of those that are settled.
    """
    state, guidance, names = sight.state, sight.guidance, sight.names
    labels = [names[label] for label in state.labels]
    topics = _unique_names(state.ids, state.names)
    shares, label_shares = state.document_shares, state.share_labels()
    best, chances = state.guesses

    def called(ids: list[str]) -> tuple[str, ...]:
        return tuple(names[id] for id in ids)

    for row, document in enumerate(state.ground.corpus):
        spoken = guidance.labels.get(document.id, {})
        said = {who: called(sight.labels_now(told.labels)) for who, told in sorted(spoken.items())}
        said = {who: told for who, told in said.items() if told}
        found = sight.resolutions.get(document.id)
        settled = called(list(found.labels)) if found else ()
        yield ExportRow(
            id=document.id,
            text=document.text,
            metadata=document.metadata,
            labels=settled if annotator is None else said.get(annotator, ()),
            status=sight.status(document.id),
            annotators=said if annotator is None else {who: told for who, told in said.items() if who == annotator},
            guess=labels[int(best[row])] if best[row] >= 0 else "",
            chance=float(chances[row]) if best[row] >= 0 else None,
            label_shares=dict(zip(labels, _even(label_shares[row]), strict=True)),
            topic_shares=dict(zip(topics, _even(shares[row]), strict=True)),
            flagged=document.id in guidance.flags,
            comments=tuple((remark.annotator, remark.text) for remark in guidance.comments.get(document.id, ())),
        )


def _even(shares: np.ndarray) -> list[float]:
    """Return shares that sum to one, if they are any."""
    total = float(shares.sum())
    return (shares / total).tolist() if total > 0 else shares.tolist()


# The journal


def write_journal(journal: Journal) -> bytes:
    """Return all acts, one for each line."""
    return b"".join(json.dumps(entry.to_dict(), ensure_ascii=False).encode() + b"\n" for entry in journal)


def is_journal(source: str | Path | bytes, format: str | None, name: str = "") -> bool:
    """Whether a file is a journal: as was said, else as it looks."""
    if format is not None:
        return format == "journal"
    if isinstance(source, bytes):
        return guess_format(name, source[:_HEAD]) == "journal"
    try:
        with Path(source).open("rb") as file:
            return guess_format(name or Path(source).name, file.read(_HEAD)) == "journal"
    except OSError:
        return False  # reading it says why


def read_journal(source: str | Path | bytes) -> list[Entry]:
    """Return the acts of a journal that `write_journal` wrote."""
    name = "the journal" if isinstance(source, bytes) else str(source)
    try:
        lines = (source if isinstance(source, bytes) else Path(source).read_bytes()).splitlines()
    except OSError as error:
        raise FormatError(f"{name}: cannot be read: {error.strerror or error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(Entry.from_dict(json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{name}, line {number}: no act of a journal: {error}") from None
    if not found:
        raise InputError(f"{name} holds no act; expected a journal, one act for each line")
    return found
