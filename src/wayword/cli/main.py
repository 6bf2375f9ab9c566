"""The ``wayword`` command.

Errors are one line on standard error: exit code 2 for bad use, 1 for work that failed. ``--debug`` shows the whole
traceback.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from typing import Annotated, Any

import typer

from wayword import __version__
from wayword.cli import (
    acts,
    anchors,
    corpus,
    demo,
    discover,
    exchange,
    explain,
    label,
    projects,
    report,
    select,
    serve,
    show,
    simulate,
    themes,
)
from wayword.cli.console import note, printable, settings
from wayword.errors import InputError, MissingColumnError, WaywordError, WaywordWarning

BAD_USE = 2
FAILED = 1
INTERRUPTED = 130
_ANYWHERE = ("--quiet", "-q", "--debug")

app = typer.Typer(
    name="wayword",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# Commands stand in the help by what they are about, in the order in which one meets them.
_START, _MODELS, _PROJECTS = "To begin with", "Corpora and models", "Projects: label documents and steer topics"
app.command(rich_help_panel=_START)(demo.demo)
app.add_typer(corpus.app, name="corpus", rich_help_panel=_MODELS)
for command in (
    discover.discover,
    anchors.anchors,
    select.select,
    themes.fit,
    themes.themes,
    themes.predict,
    explain.explain,
    report.report,
    simulate.simulate,
):
    app.command(rich_help_panel=_MODELS)(command)
for command in (projects.new, serve.serve, label.label):
    app.command(rich_help_panel=_PROJECTS)(command)
app.command(help=acts.HELP, rich_help_panel=_PROJECTS)(acts.act)
app.add_typer(show.app, name="show", rich_help_panel=_PROJECTS)
app.command(name="import", rich_help_panel=_PROJECTS)(exchange.import_)
for command in (exchange.export, projects.journal, projects.undo):
    app.command(rich_help_panel=_PROJECTS)(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wayword {__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[  # noqa: ARG001 - its callback acts
        bool, typer.Option("--version", help="Show the version and leave.", callback=_show_version, is_eager=True)
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress and no notes.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")] = False,
) -> None:
    """Topic modelling that a person steers.

    A project is made with 'wayword new PROJECT CORPUS' and opened in a browser with 'wayword serve PROJECT'.
    'wayword COMMAND --help' says more about each command.
    """
    settings.quiet = quiet
    settings.debug = debug


def _options_first(arguments: list[str]) -> list[str]:
    """Move options of every command to the front, so that they may stand anywhere."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    front = [argument for argument in arguments[:end] if argument in _ANYWHERE]
    return front + [argument for argument in arguments[:end] if argument not in _ANYWHERE] + arguments[end:]


def _comes_from_parser(error: BaseException) -> bool:
    # The parser inside typer keeps its base class to itself, and where it lives has changed.
    return hasattr(error, "format_message")


def _exit_code(error: BaseException) -> int:
    bad_use = isinstance(error, (InputError, MissingColumnError)) or _comes_from_parser(error)
    return BAD_USE if bad_use else FAILED


def _one_line(error: Any) -> str:
    text = error.format_message() if _comes_from_parser(error) else str(error)
    return printable(" ".join(text.split())) or type(error).__name__


def _show_warning(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, WaywordWarning) or settings.debug:
        note(f"wayword: {message}")


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = _options_first(sys.argv[1:] if arguments is None else arguments)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", WaywordWarning)
            warnings.showwarning = _show_warning
            return app(arguments, prog_name="wayword", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        print("wayword: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; nothing may be flushed to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            return BAD_USE  # the help was its message
        if settings.debug:
            traceback.print_exc()
        known = isinstance(error, (WaywordError, OSError, MemoryError)) or _comes_from_parser(error)
        hint = "" if known else f" ({type(error).__name__}: a fault in Wayword; --debug shows where)"
        print(f"wayword: {_one_line(error)}{hint}", file=sys.stderr)
        return _exit_code(error)
