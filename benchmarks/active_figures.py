"""``python -m benchmarks.active_figures``: Figures 5.5 to 5.8 of Nguyen (2019) from what has been measured.

Lines are means over seeds, bars 95 % intervals of the mean. The figures go to docs/images/active-*.svg.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import t as student

from benchmarks.active import CORPORA, N_LABELS, Row
from benchmarks.anchor_quality import Ledger
from benchmarks.figure import Line, draw_panels
from benchmarks.measure import REPOSITORY

# What each figure shows: a measure, and strategies by the names of the thesis.
FIGURES = {
    "topics": (
        "accuracy",
        {
            "auto": "auto",
            "ALSUP-ENT": "alsup_ent:topics",
            "ALSUP": "alsup:topics",
            "ALTO-ENT": "alto_ent:topics",
            "ALTO": "alto:topics",
            "words alone": "entropy:tfidf",
        },
    ),
    "representative": (
        "accuracy",
        {
            "auto": "auto",
            "ALSUP-ENT-REP": "alsup_ent_rep:topics",
            "ALSUP-ENT": "alsup_ent:topics",
            "ALSUP-REP": "alsup_rep:topics",
            "ALSUP": "alsup:topics",
        },
    ),
    "static": (
        "accuracy",
        {
            "auto": "auto",
            "ALTO-ENT-REP": "alto_ent_rep:topics",
            "ALTO-ENT": "alto_ent:topics",
            "ALTO-REP": "alto_rep:topics",
            "ALTO": "alto:topics",
            "random": "random:topics",
        },
    ),
    "coherence": (
        "npmi",
        {"auto": "auto", "ALSUP-ENT-REP": "alsup_ent_rep:topics", "ALSUP": "alsup:topics", "ALTO": "alto:topics"},
    ),
}
# Points of a line, so that bars stay apart.
SHOWN = (5, 25, 50, 75, 100, 125, 150, 175, 200)


def interval(values: np.ndarray) -> float:
    """Return half of the 95 % interval of a mean."""
    if len(values) < 2:
        return 0.0
    return float(student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))


def make_line(rows: list[Row], name: str, measure: str) -> Line:
    points = []
    for n in SHOWN if rows else ():
        at = np.array([getattr(row, measure)[row.n_labels.index(n)] for row in rows if n in row.n_labels])
        points.append((n / N_LABELS, float(at.mean()), interval(at)))
    return Line(name, points)


def draw(ledger: Ledger[Row], measure: str, strategies: dict[str, str]) -> str:
    """Return one figure: a panel for each corpus."""
    panels = []
    for corpus in CORPORA:
        found = {name: ledger.find(corpus=corpus, strategy=strategy) for name, strategy in strategies.items()}
        # A strategy without runs keeps its place, and with it its colour.
        panels.append((corpus, [make_line(rows, name, measure) for name, rows in found.items()]))
    return draw_panels(panels, "labels", most=N_LABELS)


def main() -> None:
    ledger = Ledger(REPOSITORY / "benchmarks" / "results" / "active.jsonl", Row)
    for name, (measure, strategies) in FIGURES.items():
        path: Path = REPOSITORY / "docs" / "images" / f"active-{name}.svg"
        path.write_text(draw(ledger, measure, strategies))
        print(path)


if __name__ == "__main__":
    main()
