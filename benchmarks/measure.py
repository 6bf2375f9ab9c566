"""Time two ways of doing the same thing, turn by turn, and keep the ratio of the medians."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Result:
    """One claim, measured.

    Attributes
    ----------
    claim : str
        What is claimed, with corpus and size.
    ours, theirs : float
        Median seconds, or another unit.
    unit : str
        Unit of both.
    ratio : float
        How many times better ours is.
    target : float or None
        The least ratio promised.
    repeats : int
        How often each was measured.
    """

    claim: str
    ours: float
    theirs: float
    unit: str
    ratio: float
    target: float | None
    repeats: int

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return self.target is None or self.ratio >= self.target


def find_corpus(name: str) -> Path:
    """Return the path of a real corpus: in WAYWORD_DATA, else beside the repository."""
    folder = Path(os.environ.get("WAYWORD_DATA") or REPOSITORY.parent / "shared" / "data")
    path = folder / f"{name}.jsonl.gz"
    if not path.exists():
        raise SystemExit(f"benchmarks need the corpus {path.name}; set WAYWORD_DATA to the folder that holds it")
    return path


def seconds(task: Callable[[], Any]) -> float:
    """Return how long a task takes; its result is thrown away before the clock of the next starts."""
    started = time.perf_counter()
    result = task()
    taken = time.perf_counter() - started
    del result
    return taken


def compare(
    claim: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *,
    target: float | None = None,
    repeats: int = 5,
    warm_up: bool = True,
) -> Result:
    """Measure both in turn, `repeats` times each."""
    if warm_up:
        ours()
    times = [(seconds(ours), seconds(theirs)) for _ in range(repeats)]
    mine = statistics.median(first for first, _ in times)
    other = statistics.median(second for _, second in times)
    return Result(claim, mine, other, "s", other / mine, target, repeats)


def run_python(code: str) -> str:
    """Run code in a new interpreter and return what it prints."""
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=REPOSITORY
    ).stdout


def save_results(results: list[Result], path: Path) -> None:
    """Write results to a JSON file."""
    path.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n", encoding="utf-8")
