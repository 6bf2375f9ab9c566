"""``wayword act``: do to a project what its page does, one act at a time."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import MISSING, asdict, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from wayword.cli.console import note, print_json, progress
from wayword.cli.projects import AnnotatorOption, ProjectArgument, default_annotator, say_effect
from wayword.errors import InputError, shorten
from wayword.guidance import fields as kinds
from wayword.guidance.actions import ACTS, Act, AddLabel, PromoteTopic, Redo, Undo

if TYPE_CHECKING:
    from wayword.workbench.project import Project
    from wayword.workbench.views import ActView

_SWITCHES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
# Acts whose new label gets an id of its name where none is given.
_NAMING = (AddLabel, PromoteTopic)
_MOST_SHOWN = 1_000
_WIDTH = 74


def _read_json(value: str, expected: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        raise InputError(f"expected {expected}, got {shorten(value)}") from None


def split_list(value: str) -> list[Any]:
    """Return the items between commas, or those of a JSON list, for items that hold commas themselves."""
    if value.lstrip().startswith("["):
        return _read_json(value, 'items between commas, or a JSON list such as \'["a, b", "c"]\'')
    return [item for part in value.split(",") if (item := part.strip())]


def read_table(value: str) -> dict[str, Any]:
    """Return a table that is written as a JSON object."""
    return _read_json(value, 'a JSON object such as \'{"r1": ["room"]}\'')


def read_switch(value: str) -> bool:
    """Return what yes or no means."""
    if value.lower() not in _SWITCHES:
        raise InputError(f"expected yes or no, got {shorten(value)}")
    return _SWITCHES[value.lower()]


def read_share(value: str) -> float:
    """Return a number."""
    try:
        return float(value)
    except ValueError:
        raise InputError(f"expected a number from 0 to 1, got {shorten(value)}") from None


# How a value is written, by the kind of field; others are texts or items.
_WRITTEN: dict[Any, str] = {
    kinds.Id: "ID",
    kinds.Name: "NAME",
    kinds.Term: "TERM",
    kinds.Documents: "ID,...",
    kinds.Ids: "ID,...",
    kinds.TwoOrMoreIds: "ID,ID,...",
    kinds.TwoOrMoreNames: "NAME,NAME,...",
    kinds.Terms: "TERM,...",
}
_READERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    str: ("TEXT", str),
    bool: ("yes|no", read_switch),
    float: ("0..1", read_share),
    "list": ("ITEM,...", split_list),
    "table": ("JSON", read_table),
}


def _way_of(hint: Any) -> tuple[str, Callable[[str], Any]]:
    """Return how the value of a field is written, and what reads it, by the type of the field."""
    kind = get_args(hint)[0]
    if items := get_args(kind):
        kind = "table" if get_args(items[0]) else "list"
    written, read = _READERS[kind]
    return _WRITTEN.get(hint, written), read


def command_of(act: type[Act]) -> str:
    """Return the name of a kind of acts on the command line: merge-topics for `MergeTopics`."""
    return act.kind.replace("_", "-")


def find_act(name: str) -> type[Act]:
    """Return the kind of acts of a name."""
    known = {command_of(act): act for act in ACTS.values()}
    name = name.replace("_", "-")
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(known)}"
    raise InputError(f"no act is called {shorten(name)}; {hint}")


def _ways_of(act: type[Act]) -> dict[str, tuple[str, Callable[[str], Any]]]:
    hints = get_type_hints(act, include_extras=True)
    return {field.name: _way_of(hints[field.name]) for field in fields(act)}  # type: ignore[arg-type]


def _needed(act: type[Act]) -> list[str]:
    given = [field.name for field in fields(act) if field.default is MISSING]  # type: ignore[arg-type]
    return [name for name in given if not (name == "label" and act in _NAMING)]


def show_fields(act: type[Act]) -> str:
    """Return how the fields of an act are written; those between brackets may be left out."""
    shown = {name: f"{name}={way}" for name, (way, _) in _ways_of(act).items()}
    return " ".join(text if name in _needed(act) else f"({text})" for name, text in shown.items())


def read_fields(act: type[Act], given: list[str]) -> dict[str, Any]:
    """Return the values of fields that are given as FIELD=VALUE."""
    ways, values, called = _ways_of(act), {}, command_of(act)
    takes = f"it takes {show_fields(act) or 'no fields'}"
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{called}: expected FIELD=VALUE, got {shorten(text)}; {takes}")
        if name not in ways:
            near = "".join(f"did you mean {known!r}? " for known in get_close_matches(name, ways, n=1))
            raise InputError(f"{called}: there is no field {shorten(name)}; {near}{takes}")
        if name in values:
            raise InputError(f"{called}: the field {name!r} is given twice; {takes}")
        try:
            values[name] = ways[name][1](value)
        except InputError as error:
            raise InputError(f"{called}: {name}: {error}") from None
    if missing := [name for name in _needed(act) if name not in values]:
        raise InputError(f"{called}: the field {missing[0]!r} is missing; {takes}")
    return values


def perform(project: Project, act: type[Act], values: dict[str, Any], annotator: str) -> ActView:
    """Make an act and apply it; undo and redo concern whole steps, as on the page."""
    if act is Undo:
        return project.undo(annotator)
    if act is Redo:
        return project.redo(annotator)
    if act in _NAMING and "label" not in values:
        values = values | {"label": project.make_label_id(values["name"])}
    try:
        made = act(**values)
    except InputError as error:
        # The command line knows acts by names with hyphens.
        raise InputError(str(error).replace(act.kind, command_of(act), 1)) from None
    return project.apply(made, annotator=annotator)


def list_acts() -> str:
    """Return all acts with their fields and what they mean, for the help."""
    parts: list[str] = []
    for act in ACTS.values():
        said = (act.__doc__ or "").partition("\n")[0].replace("`", "")
        lines = textwrap.wrap(said, _WIDTH, initial_indent="    ", subsequent_indent="    ")
        parts += [f"{command_of(act)} {show_fields(act)}".rstrip(), *lines]
    # \b keeps the lines of a paragraph as they are.
    return "\n".join(["\b", *parts])


HELP = f"""Do one thing to a project that its page can do: label, flag, ban a term, merge topics, and so on.

'wayword show PROJECT labels', 'topics' and 'documents' list the ids that fields ask for.
Items of a list stand between commas. Fields between brackets may be left out.
Every act can be taken back with 'wayword undo'. The acts and their fields are:

{list_acts()}
"""


def act(
    project: ProjectArgument,
    kind: Annotated[str, typer.Argument(help="What to do, such as ban-term; listed above.", metavar="KIND")],
    given: Annotated[
        list[str], typer.Argument(help="About what: fields of the act, such as term=room.", metavar="FIELD=VALUE")
    ] = [],  # noqa: B006 - typer copies defaults
    annotator: AnnotatorOption = "",
    json: Annotated[bool, typer.Option("--json", help="Print what became of it as JSON.")] = False,
) -> None:
    """Do one thing to a project that its page can do."""
    from wayword.workbench.project import Project

    found = find_act(kind)
    values = read_fields(found, given)
    who = annotator or default_annotator()
    with progress() as told:
        opened = Project.open(project, progress=told)
    with opened:
        before = opened.view().n_acts
        done = perform(opened, found, values, who)
        kept = opened.journal(offset=before, limit=_MOST_SHOWN, newest_first=False)
    if json:
        print_json(asdict(done))
        return
    for entry in kept:
        if entry.annotator == who:
            effect = say_effect(entry)
            note(f"act {entry.number}: {entry.text}" + (f"; {effect}" if effect else ""))
