"""What can be asked of a project over HTTP: each route reads its request, calls one verb, and shows the view.

Verbs wait for disks and locks, so routes are plain functions, which run in a pool of 40 threads: fewer than a store has
connections. Uploads and streams of events are coroutines; a stream takes no thread.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from wayword.errors import InputError
from wayword.guidance.actions import Act
from wayword.guidance.fields import LONGEST_ID, LONGEST_NAME
from wayword.server.bodies import ActsBody, MoveBody, SessionBody, UndoBody
from wayword.server.errors import ErrorView, Refused
from wayword.server.events import EventStream, Streams
from wayword.server.sessions import Sessions, SessionView
from wayword.workbench.project import Project
from wayword.workbench.views import (
    ActView,
    AgreementView,
    DisagreementView,
    DocumentPage,
    DocumentView,
    EntryView,
    ImportView,
    JobView,
    LabelView,
    MovesView,
    OverviewView,
    ProjectView,
    QualityView,
    QuestionView,
    TopicView,
)

_REASONS = {
    400: "What was asked makes no sense",
    401: "There is no session",
    403: "The name of the server, the page that asks, or the token is a foreign one",
    404: "There is no such thing",
    409: "The project may not be written",
    413: "The body is too large",
    422: "The request does not parse",
    501: "An optional package is missing",
    503: "The project cannot be reached just now",
    507: "The disk is full",
}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorView, "description": reason} for status, reason in _REASONS.items()
}
_NAMELESS = "an upload"
_MEDIA_TYPES = {
    "csv": ("csv", "text/csv; charset=utf-8"),
    "jsonl": ("jsonl", "application/x-ndjson"),
    "parquet": ("parquet", "application/vnd.apache.parquet"),
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "label-studio": ("label-studio.json", "application/json"),
    "doccano": ("doccano.jsonl", "application/x-ndjson"),
    "prodigy": ("prodigy.jsonl", "application/x-ndjson"),
    "journal": ("journal.jsonl", "application/x-ndjson"),
}
Figure = Literal["sunburst", "topic_map", "learning_curve", "confusion", "evolution"]
Format = Literal["csv", "jsonl", "parquet", "xlsx", "label-studio", "doccano", "prodigy", "journal"]


def _project(request: Request) -> Project:
    return request.app.state.project


def _sessions(request: Request) -> Sessions:
    return request.app.state.sessions


def _annotator(request: Request) -> str:
    return _sessions(request).require(request)


Open = Annotated[Project, Depends(_project)]
Signed = Annotated[Sessions, Depends(_sessions)]
Annotator = Annotated[str, Depends(_annotator)]
Purity = Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)]
Chance = Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)]
Name = Annotated[str, Query(max_length=LONGEST_ID)]
Offset = Annotated[int, Query(ge=0, le=2**53)]
Number = Annotated[int, Query(ge=0, le=2**53)]


@contextmanager
def _naming() -> Iterator[None]:
    """Let what the address names, and is not there, be not found rather than wrong."""
    try:
        yield
    except InputError as error:
        raise Refused(404, str(error)) from None


sessions = APIRouter(prefix="/api/session", responses={status: ERRORS[status] for status in (400, 403, 422)})
api = APIRouter(prefix="/api", dependencies=[Depends(_annotator)], responses=ERRORS)


@sessions.get("")
def show_session(request: Request, response: Response, signed: Signed, project: Open) -> SessionView:
    """Say who labels; where the server was started for one annotator, a session begins."""
    name = signed.read(request)
    if not name and (name := signed.suggest()):
        project.add_annotator(name)
        signed.begin(name, request, response)
    return SessionView(name, signed.needs_token)


@sessions.post("")
def begin_session(
    body: SessionBody, request: Request, response: Response, signed: Signed, project: Open
) -> SessionView:
    """Begin to label under a name."""
    name = signed.check(body.name, body.token)
    project.add_annotator(name)
    signed.begin(name, request, response)
    return SessionView(name, signed.needs_token)


@sessions.delete("")
def end_session(request: Request, response: Response, signed: Signed) -> SessionView:
    """End the session."""
    signed.end(request, response)
    return SessionView("", signed.needs_token)


@api.get("/project")
def show_project(project: Open) -> ProjectView:
    """Return the project in numbers."""
    return project.view()


@api.get("/labels")
def list_labels(project: Open) -> list[LabelView]:
    """Return all labels."""
    return project.labels()


@api.get("/question")
def ask(project: Open, annotator: Annotator) -> QuestionView:
    """Return the next document for this annotator, and why."""
    return project.question(annotator)


@api.get("/overview")
def show_overview(project: Open, purity: Purity = None) -> OverviewView:
    """Return themes, new topics, background terms and unexplained documents."""
    return project.overview(purity)


@api.get("/topics")
def list_topics(project: Open, purity: Purity = None) -> list[TopicView]:
    """Return all topics."""
    return project.topics(purity)


@api.get("/topics/moves")
def list_moves(project: Open, since: Number) -> MovesView:
    """Return how topics have changed since an act."""
    return project.moves(since)


@api.get("/document")
def show_document(project: Open, annotator: Annotator, id: Name) -> DocumentView:
    """Return one document, whole."""
    with _naming():
        return project.document(id, annotator)


@api.get("/documents")
def list_documents(
    project: Open,
    query: Annotated[str, Query(max_length=10_000)] = "",
    label: Name = "",
    guess: Name = "",
    topic: Name = "",
    status: Name = "",
    annotator: Name = "",
    least_chance: Chance = None,
    most_chance: Chance = None,
    flagged: bool | None = None,
    sort: Literal["order", "chance", "-chance", "relevance", "doubt"] = "order",
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
) -> DocumentPage:
    """Return documents that hold some words and pass all filters."""
    return project.documents(
        query=query,
        label=label,
        guess=guess,
        topic=topic,
        status=status,
        annotator=annotator,
        least_chance=least_chance,
        most_chance=most_chance,
        flagged=flagged,
        sort=sort,
        offset=offset,
        limit=limit,
    )


@api.get("/terms")
def complete_term(
    project: Open,
    prefix: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> list[str]:
    """Return terms that begin so, the most frequent first."""
    return project.complete(prefix, limit)


@api.get("/quality")
def show_quality(project: Open) -> QualityView | None:
    """Return how good guesses and topics were when they were last measured; null if never."""
    return project.quality()


@api.post("/quality")
def measure_quality(project: Open) -> JobView:
    """Measure anew, in the background."""
    return project.measure()


@api.get("/agreement")
def show_agreement(project: Open) -> AgreementView:
    """Return how far annotators agree."""
    return project.agreement()


@api.get("/disagreements")
def list_disagreements(project: Open) -> list[DisagreementView]:
    """Return documents about which annotators disagree."""
    return project.disagreements()


@api.get("/journal")
def list_journal(
    project: Open, offset: Offset = 0, limit: Annotated[int, Query(ge=1, le=1_000)] = 100
) -> list[EntryView]:
    """Return acts, the newest first."""
    return project.journal(offset=offset, limit=limit)


@api.get("/figures/{name}")
def draw(project: Open, name: Figure, dark: bool = False, since: Number = 0, topic: Name = "") -> dict[str, Any]:
    """Return a figure as plotly draws it."""
    return project.figure(name, dark=dark, since=since, topic=topic)


@api.get("/jobs")
def list_jobs(project: Open) -> list[JobView]:
    """Return work in the background."""
    return project.jobs()


@api.post("/jobs/{id}/cancel")
def cancel_job(project: Open, id: str) -> list[JobView]:
    """Stop a job."""
    with _naming():
        project.cancel(id)
    return project.jobs()


@api.post("/fit")
def fit(project: Open) -> JobView:
    """Fit themes anew, in the background."""
    return project.fit()


@api.post("/acts")
def act(project: Open, annotator: Annotator, body: ActsBody) -> ActView:
    """Apply acts, all or none; they are on disk when the answer comes."""
    acts = [Act.from_dict(act) for act in body.acts]
    return project.apply(acts, annotator=annotator, act_ids=body.act_ids)


@api.post("/undo")
def undo(project: Open, annotator: Annotator, body: UndoBody | None = None) -> ActView:
    """Take back this annotator's last step that is in force."""
    asked = body or UndoBody()
    return project.undo(annotator, act_id=asked.act_id, number=asked.number)


@api.post("/redo")
def redo(project: Open, annotator: Annotator, body: MoveBody | None = None) -> ActView:
    """Put in force again what the last undo took back."""
    return project.redo(annotator, act_id=(body or MoveBody()).act_id)


_ANY_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


@api.post("/import", openapi_extra=_ANY_BODY)
async def bring_in(
    request: Request,
    project: Open,
    annotator: Annotator,
    format: Format | None = None,
    filename: Annotated[str, Query(max_length=LONGEST_NAME)] = "",
) -> ImportView:
    """Take over documents and labels from a file, which is the body as it is."""
    with tempfile.NamedTemporaryFile(prefix="wayword-import-") as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        await run_in_threadpool(file.flush)
        path = Path(file.name)
        return await run_in_threadpool(
            lambda: project.import_file(path, format=format, name=filename or _NAMELESS, annotator=annotator)
        )


def _send_file(write: Callable[[Path], None], name: str, media_type: str) -> FileResponse:
    """Return a file to save under a name, kept only until it is sent."""
    folder = tempfile.TemporaryDirectory(prefix="wayword-export-")
    try:
        path = Path(folder.name) / "file"
        write(path)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, media_type=media_type, filename=name, background=BackgroundTask(folder.cleanup))


_FILE: dict[str, Any] = {"response_class": FileResponse, "response_model": None}


@api.get("/export", **_FILE)
def export(project: Open, format: Format) -> FileResponse:
    """Return documents and labels, or the journal, as a file."""
    suffix, media_type = _MEDIA_TYPES[format]
    return _send_file(lambda path: project.export_to(path, format), f"wayword.{suffix}", media_type)


@api.get("/report", **_FILE)
def report(project: Open) -> FileResponse:
    """Return a page about the project that needs nothing else."""
    return _send_file(project.report, "wayword-report.html", "text/html; charset=utf-8")


@api.get("/events", response_class=EventStream, response_model=None)
async def listen(
    request: Request,
    after: Number = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=2**53)] = None,
) -> EventStream:
    """Tell what happens, as server-sent events: acts, topics, job, quality."""
    streams: Streams = request.app.state.streams
    told = streams.listen(after if last_event_id is None else last_event_id)
    # Proxies must pass on what comes as it comes.
    return EventStream(told, headers={"X-Accel-Buffering": "no"})
