"""Peak memory of counting, in multiples of the text's size, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Result, find_corpus, run_python

_CODE = """
import os
from wayword import Vectorizer, read_corpus
path, stream, settings = {path!r}, {stream}, {settings}
Vectorizer(ngrams=(1, 3)).fit_transform(["load the kernels", "before the baseline"])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident()
corpus = read_corpus(path, stream=stream)
size = sum(len(document.text.encode()) for document in corpus)
Vectorizer(**settings).fit_transform(corpus)
# Not getrusage, whose peak a new process inherits from the one that started it.
with open("/proc/self/status") as file:
    peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
print(size, peak - before)
"""


def measure(name: str, settings: dict, *, stream: bool) -> tuple[float, float]:
    """Return the bytes of the text, and the bytes that reading and counting it added at the peak."""
    size, added = run_python(_CODE.format(path=str(find_corpus(name)), stream=stream, settings=settings)).split()
    return float(size), float(added)


def run(repeats: int) -> Iterator[Result]:  # noqa: ARG001 - memory does not vary
    for settings, what in (({}, "words"), ({"ngrams": (1, 3), "max_terms": 10_000}, "(1, 3)-grams")):
        for stream in (False, True):
            size, added = measure("20newsgroups", settings, stream=stream)
            how = "streamed from disk" if stream else "in memory, text included"
            yield Result(
                f"peak memory of counting {what} of 20newsgroups, {how}: 15 times the text",
                added / 2**20,
                15 * size / 2**20,
                "MiB",
                15 * size / added,
                1.0,
                1,
            )
