"""``wayword new``, ``wayword journal`` and ``wayword undo``: make a project, read what was done, take it back."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import Annotated, Any

import typer

from wayword.cli.console import note, print_json, print_table, progress
from wayword.cli.options import JsonOption, PathArgument, reads_corpus
from wayword.errors import InputError

ProjectArgument = Annotated[
    str, typer.Argument(help="A project: the path of its file, or postgresql://USER@HOST/DATABASE.", metavar="PROJECT")
]


def default_annotator() -> str:
    """Return the name of whoever is logged in."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "me"


AnnotatorOption = Annotated[
    str,
    typer.Option(
        "--as", "--annotator", "-a", help="Who you are; by default your name on this machine.", show_default=False
    ),
]


@reads_corpus
def new(
    project: ProjectArgument,
    corpus: PathArgument,
    reading: dict[str, Any],
    name: Annotated[str, typer.Option(help="What the project is called; the name of its file by default.")] = "",
    language: Annotated[str, typer.Option(help="Language of the texts, such as en, or none.")] = "en",
    topics: Annotated[int, typer.Option(help="How many topics to show.", min=1)] = 20,
    max_terms: Annotated[int, typer.Option(help="How many of the most frequent terms to keep.", min=2)] = 7000,
    min_df: Annotated[
        int | None, typer.Option(help="In how many documents a term must occur.", min=1, show_default=False)
    ] = None,
    multilabel: Annotated[
        bool | None,
        typer.Option(help="Whether a document may have several labels; by default if one has.", show_default=False),
    ] = None,
    double_coding: Annotated[
        float, typer.Option(help="The share of documents that two people label.", min=0.0, max=1.0)
    ] = 0.0,
    annotator: Annotated[str, typer.Option(help="Whose the labels of the corpus are.")] = "import",
) -> None:
    """Make a project of a corpus: count its terms, lay it out, and keep all that in one file."""
    from wayword.corpus.readers import read_corpus
    from wayword.workbench.project import Project

    with progress() as told:
        documents = read_corpus(corpus, progress=told, **reading)
        made = Project.create(
            project,
            documents,
            name=name,
            language=language,
            n_topics=topics,
            max_terms=max_terms,
            min_df=min_df,
            multilabel=multilabel,
            double_coding=double_coding,
            annotator=annotator,
            progress=told,
        )
    with made:
        view = made.view()
    note(
        f"made {project}: {view.n_documents:,} documents, {view.n_terms:,} terms, {view.n_labelled:,} with labels; "
        f"next: wayword serve {project}"
    )


def journal(
    project: ProjectArgument,
    limit: Annotated[int, typer.Option(help="How many acts to list.", min=1)] = 20,
    offset: Annotated[int, typer.Option(help="How many to leave out first.", min=0)] = 0,
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="Begin with the first act.")] = False,
    json: JsonOption = False,
) -> None:
    """List what was done in a project, by whom, and what counts."""
    from wayword.store.urls import open_store
    from wayword.workbench.ledger import Ledger
    from wayword.workbench.words import list_entries

    store = open_store(project)
    try:
        entries = list_entries(Ledger(store), offset=offset, limit=limit, newest_first=not oldest_first)
    finally:
        store.close()
    if json:
        print_json([asdict(entry) for entry in entries])
        return
    rows = [
        (entry.number, entry.when[:16].replace("T", " "), entry.annotator, entry.text, say_effect(entry))
        for entry in entries
    ]
    print_table(project, ("act", "when (UTC)", "who", "what", ""), rows, numbers=(0,))


def say_effect(entry: Any) -> str:
    """Return what became of an act, if anything is to be said."""
    if entry.reason:
        return f"without effect: {entry.reason}"
    return "" if entry.in_force or entry.kind in ("undo", "redo") else "taken back"


def undo(
    project: ProjectArgument,
    annotator: AnnotatorOption = "",
    times: Annotated[int, typer.Option(help="How many steps.", min=1)] = 1,
    redo: Annotated[bool, typer.Option("--redo", help="Put back what an undo took back instead.")] = False,
) -> None:
    """Take back the last things that you did in a project."""
    from wayword.store.urls import open_store
    from wayword.workbench.ledger import Ledger
    from wayword.workbench.words import say

    who = annotator or default_annotator()
    store = open_store(project)
    try:
        ledger = Ledger(store)
        for _ in range(times):
            done = ledger.redo(who) if redo else ledger.undo(who)
            if not done:
                raise InputError(f"{who!r} has nothing to {'put back' if redo else 'take back'} in {project}")
            for number in done:
                text = say(ledger.journal.entry(number).act, ledger.guidance)
                note(f"{'put back' if redo else 'took back'} act {number}: {text}")
    finally:
        store.close()
