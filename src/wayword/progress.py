"""How long work tells how far it is.

Functions that may take long have a parameter `progress`: a callable that is told now and then what is being counted
(``"bytes"``, ``"documents"``, ``"words"``, ...), how many are done, and how many there are, or ``None`` if nobody
knows.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]


def ignore(unit: str, done: int, total: int | None) -> None:
    """Tell nobody; what `progress` is by default."""
