"""Anchor words against their peers, and what they cost.

The whole way from counts to topics is timed against the package ``anchor-topic``, used as documented, and against the
paper in plain NumPy: both take minutes, so they are measured once, ours `repeats` times. All three get the same counts
and candidates, and solve for shares by least squares: ours until no term is further from its best mixture than a
millionth of an anchor's squared length, ``anchor-topic`` to its own limit, which is looser here, and plain NumPy, all
terms at once, to our limit. Supervised anchors are timed, one thread each, against supervised and
labelled LDA of ``tomotopy``, 200 iterations; what is timed starts at counted documents and ends at the answers for the
test documents. ``python -m benchmarks.anchors --cost`` draws training time by the number of documents, in seconds of the
processor, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from benchmarks.figure import Line, draw_panels
from benchmarks.measure import REPOSITORY, Result, find_corpus, run_python, seconds
from wayword import AnchorTopics, Cooccurrence, SupervisedAnchors, Vectorizer, cooccurrence, read_corpus

N_TERMS = 7_000
CANDIDATE_SHARE = 0.005
GAP = 1e-6
# How far from the best mixture anchor-topic stops: its default, in squared distance.
PEER_GAP = 2e-7
# More than it needs: most terms take 3,000, the last ones some ten thousand.
PLAIN_STEPS = 200_000
PROJECTION = 1_000
LDA_ITERATIONS = 200
SUPERVISED_TARGETS = {20: 10.0, 80: 20.0}
FEWEST_WORDS, FEWEST_DOCUMENTS = 30, 50
# Names that NumPy 2 has not got and anchor-topic, of 2018, uses.
_OLD_NAMES = {"int": int, "float": float, "bool": bool}
_TINY = np.finfo(np.float64).tiny


def import_peer(name: str) -> Any:
    """Return a package that only benchmarks need."""
    try:
        return import_module(name)
    except ImportError:
        raise SystemExit(f"this benchmark needs {name}; `make bench` installs it") from None


@contextmanager
def old_numpy() -> Iterator[None]:
    """Give NumPy back the names that it had in 2018, for as long as anchor-topic runs; it also mutes warnings."""
    missing = [name for name in _OLD_NAMES if name not in vars(np)]
    for name in missing:
        setattr(np, name, _OLD_NAMES[name])
    try:
        with np.errstate():
            yield
    finally:
        for name in missing:
            delattr(np, name)


# The whole way to topics.


def count_newsgroups() -> sparse.csr_matrix:
    """Return the counts of the most frequent terms of 20 Newsgroups."""
    return Vectorizer(max_terms=N_TERMS).fit_transform(read_corpus(find_corpus("20newsgroups")))


def least_documents(X: sparse.csr_matrix) -> int:
    """Return in how many documents a candidate must occur."""
    return int(CANDIDATE_SHARE * X.shape[0])


def fit_ours(X: sparse.csr_matrix, n_topics: int) -> AnchorTopics:
    """Return topics to the promised gap."""
    model = AnchorTopics(n_topics, recover="l2", rectify=False, tol=GAP, min_df=least_documents(X)).fit(X)
    if model.gap_ > GAP:
        raise AssertionError(f"stopped at a gap of {model.gap_}")
    return model


def count_plain_pairs(X: sparse.csr_matrix) -> np.ndarray:
    """Return the co-occurrence matrix as the paper's supplement has it."""
    lengths = np.asarray(X.sum(axis=1)).ravel()
    X, lengths = X[lengths >= 2], lengths[lengths >= 2]
    weights = 1.0 / (lengths * (lengths - 1.0))
    scaled = sparse.diags(np.sqrt(weights)) @ X
    pairs = (scaled.T @ scaled).toarray()
    pairs[np.diag_indices_from(pairs)] -= X.T @ weights
    return pairs / X.shape[0]


def find_plain_anchors(points: np.ndarray, candidates: np.ndarray, n_topics: int) -> np.ndarray:
    """Return the farthest points, one after the other, after a random projection."""
    projection = np.random.RandomState(0).standard_normal((points.shape[1], PROJECTION)) / math.sqrt(PROJECTION)
    rest = points[candidates] @ projection
    found = [int(np.square(rest).sum(axis=1).argmax())]
    rest = rest - rest[found[0]]
    while len(found) < n_topics:
        squares = np.square(rest).sum(axis=1)
        found.append(int(squares.argmax()))
        direction = rest[found[-1]] / math.sqrt(squares[found[-1]])
        rest = rest - np.outer(rest @ direction, direction)
    return candidates[found]


def recover_plainly(gram: np.ndarray, products: np.ndarray, gap: float, steps: int) -> tuple[np.ndarray, int]:
    """Return shares by exponentiated gradient, and how many terms are left above the gap.

    All terms step at once, each with its own step size, doubled when a step helps and halved when not; those that have
    settled rest.
    """
    shares = np.full(products.shape, 1.0 / len(gram))
    sizes, left = np.ones(len(products)), np.arange(len(products))
    for _ in range(steps):
        here, wanted = shares[left], products[left]
        mixed = here @ gram
        slopes = 2.0 * (mixed - wanted)
        going = (here * (slopes - slopes.min(axis=1, keepdims=True))).sum(axis=1) > gap
        left, here, wanted, mixed, slopes = left[going], here[going], wanted[going], mixed[going], slopes[going]
        if not len(left):
            break
        logs = np.log(np.maximum(here, _TINY)) - sizes[left, None] * slopes
        there = np.exp(logs - logs.max(axis=1, keepdims=True))
        there /= there.sum(axis=1, keepdims=True)
        change = (there * (there @ gram - 2.0 * wanted)).sum(axis=1) - (here * (mixed - 2.0 * wanted)).sum(axis=1)
        better = change <= 1e-4 * ((there - here) * slopes).sum(axis=1)
        shares[left[better]] = there[better]
        sizes[left] *= np.where(better, 2.0, 0.5)
    return shares, len(left)


@dataclass(frozen=True)
class PlainTopics:
    """What plain NumPy found: topics, terms above the gap, and the mean squared length of the anchors' points."""

    topics: np.ndarray
    unsettled: int
    length: float


def fit_plainly(X: sparse.csr_matrix, n_topics: int, steps: int = PLAIN_STEPS) -> PlainTopics:
    """Return topics as the paper has them."""
    pairs = count_plain_pairs(X)
    frequencies = pairs.sum(axis=1)
    points = pairs / np.maximum(frequencies, _TINY)[:, None]
    candidates = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= least_documents(X))
    corners = points[find_plain_anchors(points, candidates, n_topics)]
    gram = corners @ corners.T
    length = float(np.diag(gram).mean())
    # The gap of half a squared distance, as ours is, is half that of a squared distance.
    shares, unsettled = recover_plainly(gram, points @ corners.T, 2.0 * GAP * length, steps)
    topics = shares.T * frequencies
    return PlainTopics(topics / topics.sum(axis=1, keepdims=True), unsettled, length)


def time_ours(task: Callable[[], Any], repeats: int) -> float:
    """Return the median seconds of a task, the first time, which compiles, aside."""
    task()
    return statistics.median(seconds(task) for _ in range(repeats))


def compare_pipelines(X: sparse.csr_matrix, n_topics: int, repeats: int) -> Iterator[Result]:
    """Time counting pairs, finding anchors and recovering topics, three ways."""
    mine = time_ours(lambda: fit_ours(X, n_topics), repeats)
    size = f"20newsgroups ({X.shape[0]:,} x {X.shape[1]:,}, {n_topics} topics)"
    found: list[PlainTopics] = []
    plain = seconds(lambda: found.append(fit_plainly(X, n_topics)))
    if 2.0 * GAP * found[0].length > PEER_GAP:
        raise AssertionError("our gap is wider than anchor-topic's")
    by_document = X.T.tocsc()
    with old_numpy():
        peer = import_peer("anchor_topic.topics")
        theirs = seconds(lambda: peer.model_topics(by_document, n_topics, CANDIDATE_SHARE))
    claim = f"counts of {size} to anchor topics at a gap of {GAP:g}, against anchor-topic"
    yield Result(claim, mine, theirs, "s", theirs / mine, 20.0, repeats)
    if found[0].unsettled:
        raise AssertionError(f"{found[0].unsettled} terms have not settled in plain NumPy; raise PLAIN_STEPS")
    claim = f"counts of {size} to anchor topics at a gap of {GAP:g}, against the paper in NumPy"
    yield Result(claim, mine, plain, "s", plain / mine, 20.0, repeats)


def compare_refits(X: sparse.csr_matrix, repeats: int) -> Result:
    """Time a change of one anchor to a pair of words."""
    model = fit_ours(X, 40)
    first, second, *others = model.anchors_
    before, after = [first, second, *others], [(first, second), second, *others]
    times = []
    for _ in range(repeats):
        model.refit(anchors=before)  # a refit starts from the shares of the one before
        times.append(seconds(lambda: model.refit(anchors=after)))
    mine = statistics.median(times)
    with old_numpy():
        peer = import_peer("anchor_topic.topics")
        pairs = cooccurrence(X).toarray()
        anchors = [[first, second], [second], *([other] for other in others)]
        theirs = seconds(lambda: peer.update_topics(pairs, anchors))
    claim = f"one of 40 anchors changed to two words, {X.shape[1]:,} terms, against anchor-topic's update_topics"
    return Result(claim, mine, theirs, "s", theirs / mine, None, repeats)


# Predicting labels.


@dataclass(frozen=True)
class Reviews:
    """Counted reviews, and whether each gives five stars.

    Attributes
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
    five : bool array
    words : array of str
        The term of each column.
    is_test : bool array
        The documents to try on, as the corpus has them or a fifth at random.
    vectorizer : Vectorizer
        What counts other texts alike.
    """

    X: sparse.csr_matrix
    five: np.ndarray
    words: np.ndarray
    is_test: np.ndarray
    vectorizer: Vectorizer


def read_reviews(corpus: str) -> Reviews:
    """Count reviews of 30 words or more as the thesis does: no stop words, terms of 50 documents or more.

    The few reviews without any such term are left out: tomotopy ends the whole process on an empty document.
    """
    documents = [each for each in read_corpus(find_corpus(corpus)) if len(each.text.split()) >= FEWEST_WORDS]
    vectorizer = Vectorizer(lemmatize=False, min_df=FEWEST_DOCUMENTS)
    X = vectorizer.fit_transform([document.text for document in documents])
    kept = np.flatnonzero(np.diff(X.indptr))
    X, documents = X[kept], [documents[place] for place in kept]
    five = np.array(["5" in document.labels for document in documents])
    is_test = np.array([document.metadata.get("split") == "test" for document in documents])
    if not is_test.any():
        is_test = np.random.RandomState(0).permutation(len(documents)) < len(documents) // 5
    return Reviews(X, five, vectorizer.get_feature_names_out(), is_test, vectorizer)


def as_words(X: sparse.csr_matrix, words: np.ndarray) -> list[list[str]]:
    """Return documents as tomotopy takes them: lists of words."""
    rows = (slice(*ends) for ends in zip(X.indptr[:-1], X.indptr[1:], strict=True))
    return [np.repeat(words[X.indices[row]], X.data[row].astype(int)).tolist() for row in rows]


def run_slda(model: Any, texts: list[list[str]], iterations: int) -> np.ndarray:
    """Train supervised LDA, and return which test documents it gives five stars."""
    model.train(iterations, workers=1)
    documents = [model.make_doc(text) for text in texts]
    model.infer(documents, workers=1)
    return np.array(model.estimate(documents)).ravel() > 0.5


def run_llda(model: Any, texts: list[list[str]], iterations: int) -> np.ndarray:
    """Train labelled LDA, and return which test documents have more of the five stars' topic than of the other."""
    model.train(iterations, workers=1)
    shares = np.array(model.infer([model.make_doc(text) for text in texts], workers=1)[0])
    labels = list(model.topic_label_dict)
    return shares[:, labels.index("five")] > shares[:, labels.index("rest")]


def make_slda(texts: list[list[str]], five: np.ndarray, n_topics: int, seed: int = 0) -> Any:
    """Return supervised LDA with documents to learn from."""
    model = import_peer("tomotopy").SLDAModel(k=n_topics, vars=["b"], seed=seed)
    for text, applies in zip(texts, five, strict=True):
        model.add_doc(text, y=[float(applies)])
    return model


def make_llda(texts: list[list[str]], five: np.ndarray, n_topics: int) -> Any:
    """Return labelled LDA with documents to learn from; topics beside those of the labels are shared."""
    model = import_peer("tomotopy").LLDAModel(k=n_topics, seed=0)
    for text, applies in zip(texts, five, strict=True):
        model.add_doc(text, labels=["five" if applies else "rest"])
    return model


def lexical_features(train: sparse.csr_matrix, test: sparse.csr_matrix) -> tuple[Any, Any]:
    """Return tf-idf of both."""
    transformer = TfidfTransformer(sublinear_tf=True).fit(train)
    return transformer.transform(train), transformer.transform(test)


def best_lexical_accuracy(features: tuple[Any, Any], y: np.ndarray, truth: np.ndarray) -> float:
    """Return the accuracy of logistic regression, of two costs of errors the one that does better on the test."""
    machines = (LogisticRegression(C=C, max_iter=1000).fit(features[0], y) for C in (1.0, 10.0))
    return max(float(machine.score(features[1], truth)) for machine in machines)


def measure_sides(corpus: str, n_topics: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Return the seconds and the accuracy of each way to predict five stars."""
    reviews = read_reviews(corpus)
    train, test = reviews.X[~reviews.is_test], reviews.X[reviews.is_test]
    five, truth = reviews.five[~reviews.is_test], reviews.five[reviews.is_test]
    answers: list[np.ndarray] = []

    def ours() -> None:
        answers.append(SupervisedAnchors(n_topics, rectify=False).fit(train, five.astype(int)).predict(test))

    # Before each of the others and at the end: what else a machine does comes and goes in seconds.
    ours()
    times = [seconds(ours) for _ in range(repeats)]
    accuracy = float((answers[-1] == truth).mean())
    found: dict[str, tuple[float, float]] = {}
    texts, tests = as_words(train, reviews.words), as_words(test, reviews.words)
    for name, make, run_model in (("SLDAModel", make_slda, run_slda), ("LLDAModel", make_llda, run_llda)):
        model = make(texts, five, n_topics)
        taken = seconds(lambda model=model, go=run_model: answers.append(go(model, tests, LDA_ITERATIONS)))
        found[name] = (taken, float((answers[-1] == truth).mean()))
        times += [seconds(ours) for _ in range(repeats)]
    found["ours"] = (statistics.median(times), accuracy)
    found["tf-idf"] = (math.nan, best_lexical_accuracy(lexical_features(train, test), five, truth))
    return found


_ONE_THREAD = """
import os
os.environ.update(WAYWORD_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import json
from benchmarks.anchors import measure_sides
print(json.dumps(measure_sides({!r}, {}, {})))
"""


def compare_supervised(corpus: str, n_topics: int, repeats: int) -> Iterator[Result]:
    """Time learning from labels and predicting, one thread each."""
    found = json.loads(run_python(_ONE_THREAD.format(corpus, n_topics, repeats)).splitlines()[-1])
    mine, accuracy = found["ours"]
    for name in ("SLDAModel", "LLDAModel"):
        theirs, other = found[name]
        claim = (
            f"five stars or not, {corpus}, {n_topics} topics, one thread: accuracy {accuracy:.3f} against {other:.3f} "
            f"of tomotopy's {name}, {LDA_ITERATIONS} iterations (tf-idf logistic regression {found['tf-idf'][1]:.3f})"
        )
        yield Result(claim, mine, theirs, "s", theirs / mine, SUPERVISED_TARGETS[n_topics], repeats)


def run(repeats: int) -> Iterator[Result]:
    X = count_newsgroups()
    for n_topics in (40, 100):
        yield from compare_pipelines(X, n_topics, repeats)
    yield compare_refits(X, repeats)
    for corpus in ("amazon", "tripadvisor"):
        for n_topics in SUPERVISED_TARGETS:
            yield from compare_supervised(corpus, n_topics, repeats)


# Training time by the number of documents.

COST_SIZES = (1_000, 10_000, 100_000, 250_000, 500_000, 750_000, 1_000_000)
COST_TERMS, COST_TOPICS, COST_WORDS, COST_BLOCK = 3_000, 20, 60, 50_000


def processor_seconds(task: Callable[[], Any]) -> float:
    """Return how long a processor works on a task."""
    started = time.process_time()
    task()
    return time.process_time() - started


def make_topics(rng: np.random.RandomState) -> np.ndarray:
    """Return topics with an anchor each: the first terms, one for each topic."""
    topics = rng.dirichlet(np.full(COST_TERMS, 0.05), COST_TOPICS)
    topics[:, :COST_TOPICS] = 0.02 * np.eye(COST_TOPICS)
    return topics / topics.sum(axis=1, keepdims=True)


def draw_documents(topics: np.ndarray, n: int, rng: np.random.RandomState) -> sparse.csr_matrix:
    """Return documents of sixty words, with a few topics each."""
    shares = rng.dirichlet(np.full(len(topics), 0.1), n)
    counts = np.array([rng.multinomial(COST_WORDS, row) for row in shares])
    sides = np.cumsum(topics, axis=1)
    rows, columns = [], []
    for topic, edges in enumerate(sides):
        rows.append(np.repeat(np.arange(n), counts[:, topic]))
        places = np.searchsorted(edges, rng.random_sample(len(rows[-1])) * edges[-1], side="right")
        columns.append(np.minimum(places, topics.shape[1] - 1))
    places = np.concatenate(rows), np.concatenate(columns)
    return sparse.csr_matrix((np.ones(len(places[0])), places), shape=(n, topics.shape[1]))


def count_in_blocks(sizes: tuple[int, ...]) -> Iterator[tuple[int, float, Cooccurrence]]:
    """Yield the pairs of more and more documents, with the seconds that counting took, drawing aside."""
    rng = np.random.RandomState(0)
    topics = make_topics(rng)
    cooccurrence(draw_documents(topics, 100, rng), form="dense")  # compiles
    pairs, spent, drawn = None, 0.0, 0
    for size in sizes:
        while drawn < size:
            X = draw_documents(topics, min(COST_BLOCK, size - drawn), rng)
            parts: list[Cooccurrence] = []
            spent += processor_seconds(lambda X=X, parts=parts: parts.append(cooccurrence(X, form="dense")))
            pairs = parts[0] if pairs is None else pairs + parts[0]
            drawn += X.shape[0]
        if pairs is not None:
            yield size, spent, pairs


def measure_cost(sizes: tuple[int, ...], repeats: int) -> list[Line]:
    """Return lines of seconds by the number of documents: counting pairs, and training from them."""
    settings = {"training": False, "training, rectified": True}
    points: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ("counting pairs", *settings)}
    for size, spent, pairs in count_in_blocks(sizes):
        points["counting pairs"].append((size / sizes[-1], spent, 0.0))
        for name, rectified in settings.items():
            fit = partial(AnchorTopics(COST_TOPICS, recover="l2", rectify=rectified).fit, pairs)
            fit()
            times = [processor_seconds(fit) for _ in range(repeats)]
            points[name].append((size / sizes[-1], statistics.median(times), statistics.pstdev(times)))
        print(f"{size:>9,}", *(f"{name} {found[-1][1]:.3f} s" for name, found in points.items()), flush=True)
    return [Line(name, found) for name, found in points.items()]


def main() -> None:
    """Draw what training costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anchors", description=__doc__)
    parser.add_argument("--cost", action="store_true", required=True, help="draw docs/images/anchor_cost.svg")
    parser.add_argument("--most", type=int, default=COST_SIZES[-1], help="how many documents at most")
    parser.add_argument("--repeats", type=int, default=3)
    path = REPOSITORY / "docs" / "images" / "anchor_cost.svg"
    parser.add_argument("--figure", type=Path, default=path, help="where to draw")
    path = REPOSITORY / "benchmarks" / "results" / "anchor_cost.json"
    parser.add_argument("--results", type=Path, default=path, help="where seconds are kept")
    arguments = parser.parse_args()
    sizes = tuple(size for size in COST_SIZES if size <= arguments.most)
    lines = measure_cost(sizes, arguments.repeats)
    found = {line.name: dict(zip(sizes, (round(each[1], 3) for each in line.points), strict=True)) for line in lines}
    arguments.results.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    panel = (f"seconds, {COST_TERMS:,} terms", lines)
    arguments.figure.write_text(draw_panels([panel], f"share of {sizes[-1]:,} documents"), encoding="utf-8")


if __name__ == "__main__":
    main()
