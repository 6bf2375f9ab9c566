"""``wayword show``: what the page of a project shows, printed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from wayword.cli.console import format_share, note, output, print_json, print_table, printable, progress
from wayword.cli.jobs import run_job
from wayword.cli.options import JsonOption
from wayword.cli.projects import AnnotatorOption, ProjectArgument, default_annotator
from wayword.cli.quality import list_names, print_people, print_quality

if TYPE_CHECKING:
    from wayword.workbench.project import Project
    from wayword.workbench.views import DocumentLine, DocumentPage, DocumentView, OverviewView, TermView, TopicView

app = typer.Typer(no_args_is_help=True, invoke_without_command=True)

_WORDS = 8
_SHARES = 6
PurityOption = Annotated[
    float | None,
    typer.Option(
        help="Rank words by how frequent (0) or specific (1) they are; by default as set on the page.",
        min=0.0,
        max=1.0,
        metavar="0..1",
    ),
]


@app.callback()
def show(context: typer.Context, project: ProjectArgument) -> None:
    """Print what the page of a project shows, such as 'wayword show PROJECT topics'; its overview by default."""
    context.obj = project
    if context.invoked_subcommand is None:
        overview(context)


@contextmanager
def _open(context: typer.Context) -> Iterator[Project]:
    """Give the project, with guesses and topics that follow the newest act."""
    from wayword.workbench.project import Project

    with progress() as told:
        project = Project.open(context.obj, progress=told)
    with project:
        project.refresh()
        yield project


def _names(project: Project) -> dict[str, str]:
    return {label.id: label.name for label in project.labels()}


def _list_words(terms: list[TermView]) -> str:
    return ", ".join(term.term for term in terms[:_WORDS])


def _show_number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _mark(topic: TopicView) -> str:
    """Return what a person has said about a topic."""
    marks = [mark for mark, there in (("pinned", topic.pinned), ("frozen", topic.frozen)) if there]
    return ", ".join([*marks, *(f"without {term}" for term in topic.forbidden)])


def _print_topics(title: str, topics: list[TopicView], names: dict[str, str]) -> None:
    rows = []
    for topic in topics:
        words = _list_words(topic.terms)
        # A topic that nobody has named is called by its first words.
        name = "" if words.startswith(topic.name) else topic.name
        label, anchors = names.get(topic.label, ""), " + ".join(topic.anchors)
        rows.append((topic.id, name, format_share(topic.share), label, anchors, words, _mark(topic)))
    print_table(title, ("id", "name", "share", "label", "anchors", "words", ""), rows, numbers=(2,))


def _print_lines(title: str, lines: list[DocumentLine], names: dict[str, str]) -> None:
    rows = []
    for line in lines:
        guess = f"{names.get(line.guess, line.guess)} {format_share(line.chance)}" if line.chance is not None else ""
        status = f"{line.status}, flagged" if line.flagged else line.status
        rows.append((line.id, list_names(line.labels, names), guess, status, " ".join(line.excerpt.split())))
    print_table(title, ("id", "labels", "guess", "status", "text"), rows)


@app.command()
def overview(
    context: typer.Context,
    purity: PurityOption = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Fit themes first, for background and unexplained documents.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Print themes, new topics, what is common to all, and documents that no theme explains."""
    with _open(context) as project:
        if fresh:
            with progress() as told:
                run_job(project, project.fit, told)
        view, names = project.overview(purity), _names(project)
    if json:
        print_json(asdict(view))
    else:
        _print_overview(view, names)


def _print_overview(view: OverviewView, names: dict[str, str]) -> None:
    rows = [
        (
            theme.label.name,
            format_share(theme.label.share),
            theme.label.n_documents,
            _show_number(theme.coherence),
            _list_words(theme.terms),
        )
        for theme in view.themes
    ]
    print_table("themes", ("label", "share", "labelled", "coherence", "words"), rows, numbers=(1, 2, 3))
    if view.new_topics:
        _print_topics("new topics", view.new_topics, names)
    if view.fitted_at < 0:
        note("background and unexplained documents are not known yet; --fresh fits them, once two labels are used")
        return
    print_table("background: what is common to all themes", ("",), [[", ".join(term.term for term in view.background)]])
    _print_lines("documents that no theme explains", view.residual, names)


@app.command()
def topics(context: typer.Context, purity: PurityOption = None, json: JsonOption = False) -> None:
    """Print the topics, the largest first, and the terms that are banned."""
    with _open(context) as project:
        found, names, banned = project.topics(purity), _names(project), project.view().banned
    if json:
        print_json([asdict(topic) for topic in found])
        return
    _print_topics("topics", found, names)
    if banned:
        print_table("terms that are kept out of every topic", ("",), [[", ".join(banned)]])


@app.command()
def labels(context: typer.Context, json: JsonOption = False) -> None:
    """Print the labels: how many documents have each, and what share of all is guessed to."""
    with _open(context) as project:
        found = project.labels()
    if json:
        print_json([asdict(label) for label in found])
        return
    rows = [(label.id, label.name, label.n_documents, format_share(label.share)) for label in found]
    print_table("labels", ("id", "label", "documents", "share, guessed"), rows, numbers=(2, 3))


@app.command()
def documents(
    context: typer.Context,
    words: Annotated[
        list[str], typer.Argument(help="Words to search for; all documents without any.", metavar="WORD")
    ] = [],  # noqa: B006 - typer copies defaults
    label: Annotated[str, typer.Option(help="Only with this label, by its id.")] = "",
    guess: Annotated[str, typer.Option(help="Only those whose likeliest theme is this label, by its id.")] = "",
    topic: Annotated[str, typer.Option(help="Only those of which a fifth or more is this topic, by its id.")] = "",
    status: Annotated[
        str, typer.Option(help="Only open, single, agreed, adjudicated, disagreement or skipped ones.")
    ] = "",
    annotator: Annotated[str, typer.Option(help="Only those that this person has labelled.")] = "",
    least_chance: Annotated[
        float | None, typer.Option(help="Least chance of the guess.", min=0.0, max=1.0, metavar="0..1")
    ] = None,
    most_chance: Annotated[
        float | None, typer.Option(help="Most chance of the guess.", min=0.0, max=1.0, metavar="0..1")
    ] = None,
    flagged: Annotated[
        bool | None, typer.Option("--flagged/--not-flagged", help="Only those that are flagged, or not.")
    ] = None,
    sort: Annotated[
        str, typer.Option(help="By order, chance, -chance, relevance or doubt; relevance where words are given.")
    ] = "",
    offset: Annotated[int, typer.Option(help="How many to leave out first.", min=0)] = 0,
    limit: Annotated[int, typer.Option(help="How many to list.", min=1, max=1000)] = 20,
    json: JsonOption = False,
) -> None:
    """Search documents and list those that pass all filters."""
    with _open(context) as project:
        page = project.documents(
            query=" ".join(words),
            label=label,
            guess=guess,
            topic=topic,
            status=status,
            annotator=annotator,
            least_chance=least_chance,
            most_chance=most_chance,
            flagged=flagged,
            sort=sort or ("relevance" if words or topic else "order"),
            offset=offset,
            limit=limit,
        )
        names = _names(project)
    if json:
        print_json(asdict(page))
    else:
        _print_lines(_count_page(page), page.lines, names)


def _count_page(page: DocumentPage) -> str:
    if not page.lines:
        return f"none of {page.total:,} documents"
    return f"documents {page.offset + 1:,} to {page.offset + len(page.lines):,} of {page.total:,}"


@app.command()
def document(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="The id of the document.", metavar="ID")],
    annotator: AnnotatorOption = "",
    json: JsonOption = False,
) -> None:
    """Print one document whole: what people say of it, what it is taken for, and its text."""
    with _open(context) as project:
        view, names = project.document(id, annotator or default_annotator()), _names(project)
    if json:
        print_json(asdict(view))
    else:
        _print_document(view, names)


def _print_document(view: DocumentView, names: dict[str, str]) -> None:
    rows: list[tuple[str, str]] = [("status", f"{view.status}, flagged" if view.flagged else view.status)]
    rows += [(f"labels of {said.annotator}", list_names(said.labels, names)) for said in view.labellings]
    rows += [(f"{remark.annotator} writes", remark.text) for remark in view.comments]
    rows += [(str(name), str(value)) for name, value in view.metadata.items()]
    for what, shares in (("themes", view.label_shares), ("topics", view.topic_shares)):
        rows += [(what, "; ".join(f"{share.name} {format_share(share.share)}" for share in shares[:_SHARES]))]
    rows += [("labelled neighbours", "; ".join(f"{near.id} {format_share(near.share)}" for near in view.neighbours))]
    print_table(view.id, ("", ""), [row for row in rows if row[1]])
    text = "\n".join(printable(line.expandtabs()) for line in view.text.split("\n"))
    output().print(text + (" …" if view.truncated else ""), markup=False, soft_wrap=True)


@app.command()
def quality(
    context: typer.Context,
    fresh: Annotated[bool, typer.Option("--fresh", help="Measure first; a few seconds.")] = False,
    json: JsonOption = False,
) -> None:
    """Print how good guesses and topics are, as measured last, and how far annotators agree."""
    with _open(context) as project:
        if fresh:
            with progress() as told:
                run_job(project, project.measure, told)
        found, agreement, disagreements = project.quality(), project.agreement(), project.disagreements()
        names, called = _names(project), {topic.id: topic.name for topic in project.topics()}
    if json:
        apart = [asdict(view) for view in disagreements]
        print_json({"quality": found and asdict(found), "agreement": asdict(agreement), "disagreements": apart})
        return
    if found is None:
        note("nothing is measured yet; --fresh measures")
    else:
        print_quality(found, names, called)
    print_people(agreement, disagreements, names)
