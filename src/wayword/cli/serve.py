"""``wayword serve``: the workbench in a browser."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from wayword.cli.console import note, progress
from wayword.cli.projects import ProjectArgument


def serve(
    project: ProjectArgument,
    host: Annotated[str, typer.Option(help="The address to listen on; others than this machine need the token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int | None,
        typer.Option(help="The port to listen on, 0 for any; by default 8000 or the next free one.", min=0, max=65535),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="What annotators must tell; made up where one is needed and none is given.")
    ] = None,
    open: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = False,
    annotator: Annotated[str, typer.Option(help="Who labels; by default the page asks.")] = "",
    allow_host: Annotated[
        list[str], typer.Option("--allow-host", help="Another name that browsers use, as behind a proxy; repeat.")
    ] = [],  # noqa: B006 - typer copies defaults
) -> None:
    """Open a project in a browser: label, steer topics, see how good they are."""
    from wayword.guidance.fields import check_name
    from wayword.server.running import address_of, bind, is_loopback, make_server, names_of
    from wayword.server.sessions import check_token
    from wayword.workbench.project import Project

    if annotator:
        annotator = check_name(annotator, "the name of an annotator")
    if token is not None:
        check_token(token)
    elif not is_loopback(host):
        token = secrets.token_urlsafe(24)
    with bind(host, port) as bound:
        with progress() as told:
            found = Project.open(project, progress=told)
        with found:
            hosts = (*names_of(host), *allow_host)
            server = make_server(found, hosts=hosts, token=token, annotator=annotator)
            address = address_of(host, bound, token)
            print(f"Wayword workbench: {address}", flush=True)
            note("Press Ctrl+C to stop; all that was said to be saved is on disk.")
            if open:
                typer.launch(address)
            server.run(sockets=[bound])
