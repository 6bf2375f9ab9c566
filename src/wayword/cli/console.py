"""What commands show: tables, JSON, progress bars, errors of one line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# Work shorter than this shows no bar.
_PATIENCE = 1.0
_FILE_WIDTH = 160


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
        print(message, file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a result for a program to read."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()
) -> None:
    """Print a table; the columns whose positions are in `numbers` are set to the right."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD if any(columns) else box.SIMPLE,
        show_header=any(columns),
    )
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(format_value(value)) for value in row))
    console = output()
    console.print(f"[bold]{escape(title)}[/bold]")
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


class Bar:
    """A progress bar that appears once the work has lasted a second."""

    def __init__(self, what: str, unit: str) -> None:
        self._what = what
        self._unit = unit
        self._started = time.monotonic()
        self._shown: Progress | None = None
        self._task: Any = None

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show how much is done."""
        if self._shown is None:
            if time.monotonic() - self._started < _PATIENCE:
                return
            self._show(total)
        if self._shown is not None:
            self._shown.update(self._task, completed=done, total=total, rate=self._rate(done))

    def _rate(self, done: int) -> str:
        rate = done / max(time.monotonic() - self._started, 1e-9)
        return f"{rate / 1e6:.1f} MB/s" if self._unit == "B" else f"{rate:,.0f} {self._unit}/s"

    def _show(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self._shown.start()
        self._task = self._shown.add_task(self._what, total=total, rate="")

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()


@contextmanager
def progress(what: str, unit: str) -> Iterator[Callable[..., None] | None]:
    """Give a function to report progress to, or ``None`` where nobody would see it."""
    if settings.quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Bar(what, unit)
    try:
        yield bar
    finally:
        bar.close()
