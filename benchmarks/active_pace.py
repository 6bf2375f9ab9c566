"""``python -m benchmarks.active_pace``: from an answer to refreshed topics and the next question, 20 Newsgroups.

Five random documents of different labels, then one question at a time up to 200, on one core. The time holds `label`,
guesses for all documents, topics and `next`. Prints the median and 95th percentile in milliseconds for each of several
runs; nothing else should run meanwhile.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from benchmarks.active import N_LABELS, N_START, Data, read_data
from wayword.active import ActiveLearner, DocumentSpace, LiveTopics, build_space
from wayword.active.simulation import draw_start

N_TOPICS = 40


def measure(data: Data, space: DocumentSpace, topics: LiveTopics, seed: int) -> list[float]:
    """Return the seconds that each answer took."""
    learner = ActiveLearner(data.pool, space=space, topics=topics)
    for row in draw_start(np.array(data.y), N_START, np.random.RandomState(seed)):
        learner.label(int(row), data.y[row])
    row, taken = learner.next()[0].row, []
    while learner.n_labelled < N_LABELS:
        start = time.perf_counter()
        learner.label(row, data.y[row])
        found = learner.topics_
        row = learner.next()[0].row
        taken.append(time.perf_counter() - start)
        assert len(found.anchors) == N_TOPICS
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    os.environ["WAYWORD_THREADS"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    data = read_data("20newsgroups")
    space, topics = build_space(data.pool), LiveTopics(data.pool, n_topics=N_TOPICS)
    for seed in range(runs):
        median, late = np.percentile(np.array(measure(data, space, topics, seed)) * 1000, [50, 95])
        print(
            f"run {seed + 1}, {data.pool.shape[0]:,} documents: median {median:.1f} ms, 95th percentile {late:.1f} ms"
        )


if __name__ == "__main__":
    main()
