"""What commands show: tables, JSON, progress bars, errors of one line."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wayword.progress import ignore

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Work shorter than this shows no bar.
_PATIENCE = 1.0
_DOING = {
    "bytes": "reading",
    "files": "reading files",
    "rows": "reading rows",
    "blocks": "counting",
    "terms": "counting pairs",
    "modules": "reading modules",
    "documents": "splitting text",
    "words": "looking up words",
    "fits": "fitting",
    "sweeps": "finding topics",
    "labels": "labelling",
}
_FILE_WIDTH = 160
# What a terminal would obey rather than show: control characters, and marks that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass
class Settings:
    """What the user asked for on any command."""

    quiet: bool = False
    debug: bool = False


settings = Settings()


def output() -> Console:
    """Return the console that results go to; a file gets wide lines, so that nothing is folded."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _FILE_WIDTH, highlight=False)


def note(message: str) -> None:
    """Tell the user something that is not a result."""
    if not settings.quiet:
        print(printable(message), file=sys.stderr)


def printable(text: str) -> str:
    """Return a text as a terminal can show it: what it would obey is spelled out."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def print_json(value: Any) -> None:
    """Print a result for a program to read."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()
) -> None:
    """Print a table; the columns whose positions are in `numbers` are set to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD if any(columns) else box.SIMPLE,
        show_header=any(columns),
    )
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position in numbers else "left", overflow="fold")
    for row in rows:
        # A text is shown as it stands; a string could hold markup.
        table.add_row(*(Text(printable(format_value(value))) for value in row))
    console = output()
    console.print(Text(printable(title), style="bold"))
    console.print(table)


def format_value(value: object) -> str:
    """Return a value as a reader expects it: 10,788 and 54.0 %."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


def format_share(share: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.1f} %"


class Bars:
    """Progress bars that appear once the work has lasted a second, one for each thing that is counted."""

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._tasks: dict[str, Any] = {}
        self._shown: Progress | None = None
        self._begun = time.monotonic()

    def __call__(self, unit: str, done: int, total: int | None) -> None:
        """Show how much is done; what has no known end has no bar."""
        if total is None:
            return
        started = self._started.setdefault(unit, time.monotonic())
        if time.monotonic() - self._begun < _PATIENCE:
            return
        if self._shown is None:
            self._shown = self._show()
        if unit not in self._tasks:
            self._tasks[unit] = self._shown.add_task(_DOING.get(unit, unit), total=total, rate="")
        rate = format_rate(done, time.monotonic() - started, unit)
        self._shown.update(self._tasks[unit], completed=done, total=total, rate=rate)

    def _show(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        shown = Progress(*columns, console=Console(stderr=True), transient=True)
        shown.start()
        return shown

    def close(self) -> None:
        """Take the bars away."""
        if self._shown is not None:
            self._shown.stop()


def format_rate(done: int, seconds: float, unit: str) -> str:
    """Return a rate as a reader expects it: 12.5 MB/s, 4,100 documents/s."""
    rate = done / max(seconds, 1e-9)
    return f"{rate / 1e6:.1f} MB/s" if unit == "bytes" else f"{rate:,.0f} {unit}/s"


@contextmanager
def progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Give what long work reports its progress to; silent where nobody would see it."""
    if settings.quiet or not sys.stderr.isatty():
        yield ignore
        return
    bars = Bars()
    try:
        yield bars
    finally:
        bars.close()
