"""The app: routes, page and guard over one project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

from wayword import __version__
from wayword.server.bodies import ViewResponse
from wayword.server.errors import answer_errors
from wayword.server.events import Streams
from wayword.server.files import Files, send_plotly
from wayword.server.routes import api, sessions
from wayword.server.security import LOOPBACK, Guard
from wayword.server.sessions import Sessions
from wayword.workbench.project import Project

STATIC = Path(__file__).parent / "static"
MAX_UPLOAD = 200 * 2**20
_ABOUT = "A project of Wayword. Begin a session first: POST /api/session with a name, and with the token where one is needed."


def _make_pages() -> APIRouter:
    """Return routes of the page itself and of the script that draws figures."""
    pages = APIRouter(include_in_schema=False)
    page = Files(directory=STATIC)

    @pages.api_route("/", methods=["GET", "HEAD"])
    async def show_page(request: Request) -> Response:
        return await page.get_response("index.html", request.scope)

    pages.add_api_route("/plotly.js", send_plotly, methods=["GET", "HEAD"])
    return pages


def create_app(
    project: Project,
    *,
    token: str | None = None,
    hosts: Sequence[str] = LOOPBACK,
    max_upload: int = MAX_UPLOAD,
    annotator: str = "",
) -> FastAPI:
    """Make an app over an open project.

    Parameters
    ----------
    project : Project
        What it shows; whoever opened it closes it.
    token : str or None
        What must be told to begin a session. None only where nobody else can reach the server.
    hosts : sequence of str
        The names by which browsers may call the server, with a port or for any; ``0.0.0.0`` stands for every
        address in numbers.
    max_upload : int
        The most bytes of a file that is brought in.
    annotator : str
        Who labels where nobody has said so; only without a token.

    Returns
    -------
    FastAPI
        An ASGI app.
    """
    app = FastAPI(
        title="Wayword",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        default_response_class=ViewResponse,
    )
    app.state.project = project
    app.state.sessions = Sessions(token, annotator)
    app.state.streams = Streams(project)
    app.include_router(sessions)
    app.include_router(api)
    app.include_router(_make_pages())
    app.mount("/static", Files(directory=STATIC))
    answer_errors(app, project.url)
    app.add_middleware(Guard, hosts=tuple(hosts), max_upload=max_upload)
    return app
