"""``python -m benchmarks.active_evolution``: what one answer does to topics, after Figure 5.9 of Nguyen (2019).

Documents of Reuters with one of its ten most frequent labels are asked about; the first answer after the tenth that
gives a topic another anchor is shown: all topics as text, and one with another anchor as a picture in docs/images.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.active import N_LABELS, N_START, Data, read_data
from benchmarks.figures_seeds import write_figure
from benchmarks.measure import REPOSITORY
from wayword.active import ActiveLearner, LiveTopics, TopicChange, TopicEvolution, TopicSet
from wayword.active.simulation import draw_start
from wayword.evaluation.coherence import npmi
from wayword.evaluation.term_lists import top_columns
from wayword.plots import topic_evolution

CORPUS, SEED, FIRST_SHOWN, N_TERMS = "reuters", 9201, 10, 10
N_TOPICS = 20


def say(change: TopicChange) -> str:
    """Return a topic in one line: anchors, terms that stayed, that went and that came."""
    then, now = (" ".join(anchor) or "nothing" for anchor in (change.before, change.after))
    anchor = now if then == now else f"{then} => {now}"
    gone = f" - {', '.join(change.went)}" if change.went else ""
    new = f" + {', '.join(change.came)}" if change.came else ""
    return f"{anchor}: {', '.join(change.stayed)}{gone}{new}"


def list_terms(topics: TopicSet, anchor: tuple[str, ...], terms: list[str]) -> list[str]:
    """Return the best terms of the topic with an anchor."""
    place = [tuple(terms[column] for column in columns) for columns in topics.anchors].index(anchor)
    return [terms[column] for column in top_columns(topics.components[[place]], N_TERMS)[0]]


def find_change(data: Data) -> tuple[TopicEvolution, int, str, tuple[float, float]]:
    """Ask until an answer replaces an anchor; return what changed, after how many labels, the answer and coherences."""
    learner = ActiveLearner(data.pool, topics=LiveTopics(data.pool, n_topics=N_TOPICS))
    for row in draw_start(np.array(data.y), N_START, np.random.RandomState(SEED)):
        learner.label(int(row), data.y[row])
    while learner.n_labelled < N_LABELS:
        row = learner.next()[0].row
        learner.label(row, data.y[row])
        found = learner.topics_before_after(data.terms, n_terms=N_TERMS)
        if learner.n_labelled > FIRST_SHOWN and found.came:
            coherences = [
                float(npmi(top_columns(topics.components, N_TERMS), data.test).mean())
                for topics in (found.before, found.after)
            ]
            return found, learner.n_labelled, data.y[row], (coherences[0], coherences[1])
    raise SystemExit(f"no anchor was replaced by {N_LABELS} labels")


def main() -> None:
    data = read_data(CORPUS)
    found, n_labelled, label, (before, after) = find_change(data)
    print(f"answer {n_labelled}: {label}; coherence {before:.4f} => {after:.4f}")
    for change in sorted(found.changes, key=lambda change: -len(change.came)):
        print(f"- {say(change)}")
    replaced = [change for change in found.changes if change.before and change.after and change.before != change.after]
    shown = max(replaced, key=lambda change: len(change.stayed))
    figure = topic_evolution(
        list_terms(found.before, shown.before, data.terms),
        list_terms(found.after, shown.after, data.terms),
        states=(f"anchor: {' '.join(shown.before)}", f"anchor: {' '.join(shown.after)}"),
        title=f"A topic of Reuters before and after a document is labelled {label}",
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "active-evolution.html"
        write_figure(figure, page)
        shutil.copy(page.with_suffix(".png"), REPOSITORY / "docs" / "images")


if __name__ == "__main__":
    main()
