"""Acts in words, for the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wayword.guidance import actions as acts
from wayword.guidance.state import Guidance
from wayword.workbench.ledger import Ledger
from wayword.workbench.views import EntryView

_SHOWN = 3


def _list(items: Iterable[str]) -> str:
    """Return the first items, and how many more there are."""
    items = list(items)
    more = f" and {len(items) - _SHOWN:,} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more


class _Names:
    """Names of labels and topics as they are now."""

    def __init__(self, guidance: Guidance) -> None:
        self._guidance = guidance

    def label(self, id: str) -> str:
        record = self._guidance.label_set.get(id)
        return record.name if record else id

    def labels(self, ids: Iterable[str]) -> str:
        return _list(self.label(id) for id in ids)

    def topic(self, id: str) -> str:
        return self._guidance.topic_names.get(id, id)


def _switch(on: bool, yes: str, no: str) -> str:
    return yes if on else no


def _of(speaker: str) -> str:
    """Return in whose name something is said, if in that of somebody else."""
    return f" in the name of {speaker}" if speaker else ""


_WORDS: dict[type[acts.Act], Callable[[Any, _Names], str]] = {
    acts.Label: lambda act, names: f"labelled {_list(act.documents)} as {names.labels(act.labels)}",
    acts.Unlabel: lambda act, _: f"took back the labels of {_list(act.documents)}",
    acts.Adjudicate: lambda act, names: f"decided that {_list(act.documents)} is {names.labels(act.labels)}",
    acts.Skip: lambda act, _: f"passed over {_list(act.documents)}",
    acts.Flag: lambda act, _: f"{_switch(act.flagged, 'flagged', 'took the flag off')} {_list(act.documents)}",
    acts.Comment: lambda act, _: f"wrote about {act.document}{_of(act.speaker)}: {act.text}",
    acts.AddLabel: lambda act, _: f"added the label {act.name}",
    acts.RenameLabel: lambda act, _: f"called the label {act.label} {act.name}",
    acts.MergeLabels: lambda act, names: f"merged {names.labels(act.labels)} into {names.label(act.into)}",
    acts.SplitLabel: lambda act, names: f"divided the label {names.label(act.label)} into {_list(act.names)}",
    acts.DeleteLabel: lambda act, names: f"deleted the label {names.label(act.label)}",
    acts.SetAnchors: lambda act, names: (
        f"let the topic {names.topic(act.topic)} be about {' + '.join(act.terms)}"
        if act.terms
        else f"let the topic {names.topic(act.topic)} be about what the machine finds"
    ),
    acts.AddAnchor: lambda act, names: f"added the anchor {act.term} to the topic {names.topic(act.topic)}",
    acts.RemoveAnchor: lambda act, names: f"took the anchor {act.term} from the topic {names.topic(act.topic)}",
    acts.RenameTopic: lambda act, _: f"called the topic {act.topic} {act.name}",
    acts.MergeTopics: lambda act, names: (
        f"merged the topics {_list(map(names.topic, act.topics))} into {names.topic(act.into)}"
    ),
    acts.SplitTopic: lambda act, names: f"divided the topic {names.topic(act.topic)} into {_list(act.into)}",
    acts.FreezeTopic: lambda act, names: f"{_switch(act.frozen, 'froze', 'thawed')} the topic {names.topic(act.topic)}",
    acts.BanTerm: lambda act, _: f"{_switch(act.banned, 'banned', 'allowed')} the term {act.term}",
    acts.ForbidTerm: lambda act, names: (
        f"{_switch(act.forbidden, 'forbade', 'allowed')} the term {act.term} in the topic {names.topic(act.topic)}"
    ),
    acts.PromoteTopic: lambda act, names: f"made the topic {names.topic(act.topic)} the label {act.name}",
    acts.SetPurity: lambda act, _: f"set the purity to {act.purity:g}",
    acts.Import: lambda act, _: (
        f"took over the labels of {len(act.labels):,} documents from {act.source}{_of(act.speaker)}"
    ),
    acts.Undo: lambda *_: "took back an act",
    acts.Redo: lambda *_: "put back an act",
}


def say(act: acts.Act, guidance: Guidance, target: int | None = None) -> str:
    """Return an act in words.

    Parameters
    ----------
    act : Act
        The act.
    guidance : Guidance
        Where names of labels and topics are looked up.
    target : int, optional
        The number of the act that an undo took back or a redo put back.
    """
    words = _WORDS[type(act)](act, _Names(guidance))
    return words if target is None else f"{words}, number {target}"


def list_entries(ledger: Ledger, *, offset: int, limit: int, newest_first: bool) -> list[EntryView]:
    """Return acts in words, with what became of each."""
    journal, guidance, total = ledger.journal, ledger.guidance, len(ledger)
    places = range(total - offset, 0, -1) if newest_first else range(1 + offset, total + 1)
    views = []
    for number in places[:limit]:
        entry, outcome = journal.entry(number), journal.outcome(number)
        text = say(entry.act, guidance, outcome.target)
        when = entry.when.isoformat()
        views.append(EntryView(number, when, entry.annotator, entry.act.kind, text, outcome.in_force, outcome.reason))
    return views
