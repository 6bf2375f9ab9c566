"""``python -m benchmarks.anchor_quality``: chapter 3 of Nguyen's thesis, made again.

Topics of plain, regularised and rectified anchor words, of Gibbs sampling (tomotopy) and of variational Bayes
(scikit-learn): how well their top twenty words go together in the corpus itself, and how likely they find other
documents. `benchmarks.anchor_wikipedia` looks at the same topics in Wikipedia.

Messages of 20 Newsgroups come without their headers (all up to the first blank line), stop words out, as lemmas; papers
of NIPS as they are. Of the terms of ten documents or more the 4,000 most frequent are kept, and, as in the thesis, none
is left out for being common: its topics hold "write" and "article", which are in most messages. Two more ways to prepare
the messages show what that does: with headers, and without terms of more than a fifth of the messages.

70 % of documents are learnt from, 15 % choose, 15 % are reported on. As in the thesis, M is chosen with plain anchors,
and the strength of a penalty at that M; rectified anchors choose their own M. All are chosen twice: for coherence and
for likelihood. With few topics Beta is tried at every M, too, rectified and not, and all choose M and strength together.
Which strengths to try was laid out by a look at the 15 % to choose by. Each fit is measured on both parts and kept; the
tables read what was chosen on the one and say what it does on the other.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.anchors import as_words, import_peer
from benchmarks.figure import Line, draw_panels
from benchmarks.measure import REPOSITORY, find_corpus
from wayword import AnchorTopics, Cooccurrence, Vectorizer, cooccurrence, held_out_likelihood, npmi, read_corpus

CORPORA = ("20newsgroups", "nips")
# The messages prepared in other ways: tried with few topics only.
HEADED, UNCOMMON = "20newsgroups with headers", "20newsgroups without common words"
VARIANTS = (HEADED, UNCOMMON)
TOPICS = (20, 80, 40, 60)
THRESHOLDS = (1, 30, 100, 300, 1000)
# With more topics the lowest thresholds, which admit nearly every term, and the greatest strengths are not tried.
LEAST_OF_MANY, STRONGEST_OF_MANY = 100, 1.0
ALPHAS = (0.01, 0.03, 0.1, 0.3)
ANCHORS: dict[str, dict[str, Any]] = {
    "anchor": {"recover": "kl", "rectify": False},
    "anchor-L2": {"recover": "kl", "rectify": False, "regularizer": "l2"},
    "anchor-Beta": {"recover": "kl", "rectify": False, "regularizer": "beta"},
    "rectified": {"recover": "l2", "rectify": True},
    "rectified L2": {"recover": "l2", "rectify": True, "regularizer": "l2"},
    # As Wayword has it unless told otherwise: rectified, with the default strength.
    "rectified Beta": {"recover": "kl", "rectify": True, "regularizer": "beta"},
}
STRENGTHS = {"anchor-L2": (0.1, 1.0), "anchor-Beta": (0.1, 0.3, 1.0, 3.0, 10.0)}
# Strengths that are tried at every M.
FREE_STRENGTHS = {"rectified L2": STRENGTHS["anchor-L2"]}
# What is tried of Beta at every M, its default, and what else where M and strength are chosen together.
MILD, DEFAULT, STRONG = (0.1, 0.3, 1.0), 0.3, 3.0
MODELS = (*ANCHORS, "Gibbs LDA", "variational LDA")
CRITERIA = ("npmi_dev", "likelihood_dev")
TOP_WORDS, SHOWN_WORDS = 20, 10
# The figure of Beta: how many rounds it has room for, at which M, and from which strength on.
ROUNDS, DRAWN_THRESHOLD, DRAWN_STRENGTH = 20, 300, 1.0
GIBBS_ITERATIONS, VARIATIONAL_PASSES = 200, 5
N_TERMS, FEWEST_DOCUMENTS, COMMON_SHARE = 4_000, 10, 0.2
# Topics are printed, and sensitivity to M measured, at this number of topics.
SMALL = 20

Row = TypeVar("Row")


class Ledger(Generic[Row]):
    """Rows kept in a file as they are made, so that a long run can go on where it stopped."""

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = [kind(**json.loads(line)) for line in lines]

    def add(self, row: Row) -> None:
        """Keep a row."""
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(vars(row)) + "\n")

    def find(self, **wanted: Any) -> list[Row]:
        """Return the rows with given values."""
        return [row for row in self.rows if all(getattr(row, name) == value for name, value in wanted.items())]


@dataclass(frozen=True)
class Fit:
    """One model, with one setting, measured on both parts.

    Attributes
    ----------
    corpus, n_topics, model, min_df, strength, seed
        What was fitted; LDA has no `min_df`, and only penalties have a strength. A seed parts the documents, too.
    npmi_dev, npmi_test : float
        Mean coherence of topics in the documents learnt from and those of a part.
    likelihood_dev, likelihood_test, alpha : float
        Held-out likelihood per token (a variational bound), at the alpha that is best for the first part.
    seconds : float
        Time to fit, pairs counted before.
    moves : list of float
        How far shares moved in each round of Beta.
    topics : list of str
        Anchors and top words, where there are few topics.
    """

    corpus: str
    n_topics: int
    model: str
    min_df: int
    strength: float
    seed: int
    npmi_dev: float
    npmi_test: float
    likelihood_dev: float
    likelihood_test: float
    alpha: float
    seconds: float
    moves: list[float] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Counts:
    """Counted documents."""

    name: str
    words: np.ndarray
    X: sparse.csr_matrix

    def split(self, seed: int) -> Data:
        """Return the documents in three parts."""
        order = np.random.RandomState(seed).permutation(self.X.shape[0])
        parts = np.split(order, [int(0.7 * len(order)), int(0.85 * len(order))])
        train, dev, test = (self.X[part] for part in parts)
        return Data(self.name, self.words, train, dev, test)


@dataclass(frozen=True)
class Data:
    """Counted documents to learn from, to choose by and to report on."""

    name: str
    words: np.ndarray
    train: sparse.csr_matrix
    dev: sparse.csr_matrix
    test: sparse.csr_matrix

    @cached_property
    def pairs(self) -> Cooccurrence:
        """What occurs together in the documents to learn from."""
        return cooccurrence(self.train)

    @cached_property
    def with_dev(self) -> sparse.csc_matrix:
        """The documents to learn from and to choose by."""
        return sparse.csc_matrix(sparse.vstack([self.train, self.dev]))

    @cached_property
    def with_test(self) -> sparse.csc_matrix:
        """The documents to learn from and to report on."""
        return sparse.csc_matrix(sparse.vstack([self.train, self.test]))


def count_newsgroups(name: str) -> tuple[sparse.csr_matrix, Vectorizer]:
    """Return the counts of messages, prepared as the name says, and what counts other texts alike."""
    texts = [document.text for document in read_corpus(find_corpus("20newsgroups"))]
    if name != HEADED:
        texts = [text.partition("\n\n")[2] for text in texts]
    most = COMMON_SHARE if name == UNCOMMON else 1.0
    vectorizer = Vectorizer(min_df=FEWEST_DOCUMENTS, max_df=most, max_terms=N_TERMS)
    return vectorizer.fit_transform(texts), vectorizer


def count_nips() -> tuple[sparse.csr_matrix, Vectorizer]:
    """Return the counts of papers, which come as bags of words, and what counts texts alike."""
    folder = find_corpus("20newsgroups").parent
    words = np.array((folder / "uci_nips_freq20.vocab.txt").read_text(encoding="utf-8").split(), dtype=object)
    rows, columns, counts = np.loadtxt(folder / "uci_nips_freq20.docword.txt.gz", skiprows=3, dtype=int).T
    X = sparse.csr_matrix((counts.astype(float), (rows - 1, columns - 1)), shape=(rows.max(), len(words)))
    enough = np.bincount(X.indices, minlength=len(words)) >= FEWEST_DOCUMENTS
    counts = np.where(enough, np.asarray(X.sum(axis=0)).ravel(), 0.0)
    kept = np.sort(np.argsort(-counts, kind="stable")[:N_TERMS])
    vectorizer = Vectorizer(language="none", lemmatize=False, stop_words=None, min_length=1, vocabulary=words[kept])
    return sparse.csr_matrix(X[:, kept]), vectorizer.fit([""])


def read_counts(name: str) -> tuple[Counts, Vectorizer]:
    """Return the counts of a corpus, without documents that hold no term, and what counts texts alike."""
    X, vectorizer = count_nips() if name == "nips" else count_newsgroups(name)
    return Counts(name, vectorizer.get_feature_names_out(), X[np.diff(X.indptr) > 0]), vectorizer


@dataclass(frozen=True)
class Setting:
    """A model and what is chosen for it."""

    model: str
    min_df: int = 0
    strength: float = 0.0


@dataclass(frozen=True)
class Found:
    """Topics, what is known of how they were found, and the seconds it took."""

    topics: np.ndarray
    seconds: float = 0.0
    anchors: list[Any] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)


def fit_anchors(data: Data, n_topics: int, setting: Setting, seed: int) -> Found:
    """Return topics of anchor words."""
    chosen = dict(ANCHORS[setting.model])
    if setting.strength:
        chosen["strength"] = setting.strength
    model = AnchorTopics(n_topics, min_df=setting.min_df, random_state=seed, **chosen).fit(data.pairs)
    return Found(model.components_, anchors=model.anchors_, moves=model.moves_.round(4).tolist())


def read_topics(model: Any, words: np.ndarray) -> np.ndarray:
    """Return the topics of a model of tomotopy, with a column for every word."""
    columns = {word: column for column, word in enumerate(words)}
    topics = np.zeros((model.k, len(words)))
    topics[:, [columns[word] for word in model.used_vocabs]] = [model.get_topic_word_dist(k) for k in range(model.k)]
    return topics


def fit_gibbs(data: Data, n_topics: int, seed: int) -> Found:
    """Return topics by collapsed Gibbs sampling."""
    model = import_peer("tomotopy").LDAModel(k=n_topics, seed=seed)
    for text in as_words(data.train, data.words):
        model.add_doc(text)
    model.train(GIBBS_ITERATIONS, workers=1)
    return Found(read_topics(model, data.words))


def fit_variational(data: Data, n_topics: int, seed: int) -> Found:
    """Return topics by variational Bayes, online: a pass over the documents takes many steps."""
    model = LatentDirichletAllocation(
        n_topics, max_iter=VARIATIONAL_PASSES, learning_method="online", batch_size=256, random_state=seed
    )
    return Found(model.fit(data.train).components_)


def fit_model(data: Data, n_topics: int, setting: Setting, seed: int) -> Found:
    """Return the topics of a model, rows summing to one, and the seconds."""
    start = time.perf_counter()
    if setting.model in ANCHORS:
        found = fit_anchors(data, n_topics, setting, seed)
    else:
        found = (fit_gibbs if setting.model == "Gibbs LDA" else fit_variational)(data, n_topics, seed)
    taken = time.perf_counter() - start
    topics = found.topics / found.topics.sum(axis=1, keepdims=True)
    return Found(topics, taken, found.anchors, found.moves)


def top_columns(topics: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the most likely terms of each topic."""
    return np.argsort(-topics, axis=1, kind="stable")[:, :n]


def describe_topics(found: Found, words: np.ndarray) -> list[str]:
    """Return the top words of each topic behind its anchor."""
    names = [f"{words[anchor]}: " for anchor in found.anchors] or [""] * len(found.topics)
    tops = top_columns(found.topics, SHOWN_WORDS)
    return [name + " ".join(words[top]) for name, top in zip(names, tops, strict=True)]


def measure_fit(data: Data, n_topics: int, setting: Setting, seed: int) -> Fit:
    """Fit a model, and measure its topics on both parts."""
    found = fit_model(data, n_topics, setting, seed)
    tops = top_columns(found.topics, TOP_WORDS).tolist()
    dev, test = (float(npmi(tops, X).mean()) for X in (data.with_dev, data.with_test))
    on_dev = {alpha: held_out_likelihood(data.dev, found.topics, method="bound", alpha=alpha) for alpha in ALPHAS}
    alpha = max(ALPHAS, key=lambda each: on_dev[each])
    on_test = held_out_likelihood(data.test, found.topics, method="bound", alpha=alpha)
    return Fit(
        data.name,
        n_topics,
        setting.model,
        setting.min_df,
        setting.strength,
        seed,
        npmi_dev=dev,
        npmi_test=test,
        likelihood_dev=on_dev[alpha],
        likelihood_test=on_test,
        alpha=alpha,
        seconds=round(found.seconds, 2),
        moves=found.moves,
        topics=describe_topics(found, data.words) if n_topics == SMALL else [],
    )


def best_fit(fits: list[Fit], criterion: str) -> Fit:
    """Return the fit that is best on the part to choose by."""
    return max(fits, key=lambda fit: getattr(fit, criterion))


def find_thresholds(data: Data, n_topics: int) -> list[int]:
    """Return what to try for M: what leaves enough candidates; not the lowest with many topics."""
    least = 1 if n_topics == SMALL else LEAST_OF_MANY
    frequencies = data.pairs.document_frequencies
    return [each for each in THRESHOLDS if each >= least and (frequencies >= each).sum() >= n_topics]


def plan(ledger: Ledger[Fit], data: Data, n_topics: int, seed: int) -> Iterator[Setting]:
    """Yield what to fit; what is chosen with plain anchors is read once they are measured."""
    thresholds = find_thresholds(data, n_topics)
    strongest = np.inf if n_topics == SMALL else STRONGEST_OF_MANY
    for model in ("anchor", "rectified", "rectified Beta"):
        yield from (Setting(model, threshold) for threshold in thresholds)
    for model, strengths in FREE_STRENGTHS.items():
        yield from (Setting(model, threshold, strength) for threshold in thresholds for strength in strengths)
    where = {"corpus": data.name, "n_topics": n_topics, "seed": seed}
    if plain := ledger.find(model="anchor", **where):
        for threshold in sorted({best_fit(plain, criterion).min_df for criterion in CRITERIA}):
            for model, strengths in STRENGTHS.items():
                yield from (Setting(model, threshold, strength) for strength in strengths if strength <= strongest)
    if n_topics == SMALL:
        for strength in (*MILD, STRONG):
            yield from (Setting("anchor-Beta", threshold, strength) for threshold in thresholds)
            if strength != DEFAULT:  # which has been there as the model without one
                yield from (Setting("rectified Beta", threshold, strength) for threshold in thresholds)
    yield Setting("Gibbs LDA")
    yield Setting("variational LDA")


def to_choose_from(fits: list[Fit], model: str, criterion: str) -> list[Fit]:
    """Return the fits of a model among which a criterion chooses; penalties are chosen at the M of plain anchors."""
    of_model = [fit for fit in fits if fit.model == model]
    if model in STRENGTHS:
        threshold = best_fit([fit for fit in fits if fit.model == "anchor"], criterion).min_df
        return [fit for fit in of_model if fit.min_df == threshold]
    return [fit for fit in of_model if not fit.strength or model in FREE_STRENGTHS]


def measure(
    ledger: Ledger[Fit], corpora: Sequence[str], topics: Sequence[int], seeds: int, models: Sequence[str]
) -> None:
    """Fit everything that the file has not got yet, and keep it there."""
    for corpus in corpora:
        counts, _ = read_counts(corpus)
        print(f"{corpus}: {counts.X.shape[0]:,} documents, {len(counts.words):,} terms", flush=True)
        for seed in range(seeds):
            data = counts.split(seed)
            for n_topics in topics if corpus in CORPORA else (SMALL,):
                for setting in plan(ledger, data, n_topics, seed):
                    where = {"corpus": corpus, "n_topics": n_topics, "seed": seed}
                    if setting.model not in models or ledger.find(**where, **asdict(setting)):
                        continue
                    ledger.add(measure_fit(data, n_topics, setting, seed))
                    show(ledger.rows[-1])


def show(fit: Fit) -> None:
    """Print a fit as it is made; what it does on the part to report on waits for the tables."""
    print(
        f"{fit.corpus} {fit.n_topics} {fit.model} M={fit.min_df} strength={fit.strength:g} seed={fit.seed}: "
        f"NPMI {fit.npmi_dev:.3f}, likelihood {fit.likelihood_dev:.3f} at alpha {fit.alpha:g}, {fit.seconds:.1f} s",
        flush=True,
    )


def chosen_fits(ledger: Ledger[Fit], corpus: str, n_topics: int, model: str, criterion: str) -> list[Fit]:
    """Return what is chosen for each seed, where all of it has been measured."""
    found = []
    for seed in sorted({fit.seed for fit in ledger.find(corpus=corpus, n_topics=n_topics, model=model)}):
        fits = to_choose_from(ledger.find(corpus=corpus, n_topics=n_topics, seed=seed), model, criterion)
        found += [best_fit(fits, criterion)] if fits else []
    return found


def write_row(name: str, cells: list[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def write_head(name: str, columns: list[str]) -> list[str]:
    return ["", write_row(name, columns), f"|---|{'--:|' * len(columns)}"]


def write_results(ledger: Ledger[Fit], corpus: str) -> list[str]:
    """Return what the chosen fits do on the part to report on, means over seeds."""
    measures = {
        "NPMI, own documents": ("npmi_test", "npmi_dev"),
        "likelihood per token": ("likelihood_test", "likelihood_dev"),
    }
    topics = sorted({fit.n_topics for fit in ledger.find(corpus=corpus)})
    lines = []
    for title, (measured, criterion) in measures.items():
        lines += write_head(f"{corpus}: {title}", [f"K = {n_topics}" for n_topics in topics])
        for model in MODELS:
            found = [chosen_fits(ledger, corpus, n_topics, model, criterion) for n_topics in topics]
            values = [[getattr(fit, measured) for fit in fits] for fits in found]
            lines.append(write_row(model, [f"{statistics.fmean(each):.3f}" if each else "" for each in values]))
    return lines


def write_choice(fit: Fit) -> str:
    return f"{fit.min_df or '-'}, {fit.strength or '-'}, {fit.alpha:g}, {fit.seconds:.0f} s"


def write_choices(ledger: Ledger[Fit], corpus: str) -> list[str]:
    """Return M, strength, alpha and seconds of what was chosen with the first seed."""
    topics = sorted({fit.n_topics for fit in ledger.find(corpus=corpus)})
    lines = write_head(f"{corpus}: M, strength, alpha, seconds", [f"K = {n_topics}" for n_topics in topics])
    for criterion, name in zip(CRITERIA, ("NPMI", "likelihood"), strict=True):
        for model in MODELS:
            found = [chosen_fits(ledger, corpus, n_topics, model, criterion)[:1] for n_topics in topics]
            cells = [" ".join(write_choice(fit) for fit in fits) for fits in found]
            lines.append(write_row(f"{model}, for {name}", cells))
    return lines


def by_threshold(ledger: Ledger[Fit], corpus: str, model: str, strengths: Sequence[float]) -> list[dict[int, float]]:
    """Return the coherence at each M of each split; of several strengths, of the one chosen at that M."""
    fits = [fit for fit in ledger.find(corpus=corpus, n_topics=SMALL, model=model) if fit.strength in strengths]
    found = []
    for seed in sorted({fit.seed for fit in fits}):
        of_split = [fit for fit in fits if fit.seed == seed]
        thresholds = sorted({fit.min_df for fit in of_split})
        tried = {each: [fit for fit in of_split if fit.min_df == each] for each in thresholds}
        if all(len(each) == len(strengths) for each in tried.values()):
            found.append({each: best_fit(tried[each], CRITERIA[0]).npmi_test for each in thresholds})
    return found


def write_sensitivity(ledger: Ledger[Fit], corpus: str) -> list[str]:
    """Return the coherence at each M, its mean, and how far it ranges, means over splits.

    The last column is what a blind choice of M costs: the mean below what plain anchors have at the best M.
    """
    columns = [*(f"{each}" for each in THRESHOLDS), "mean", "range", "cost of a blind choice"]
    lines = write_head(f"{corpus}: NPMI by M, K = {SMALL}", columns)
    plain = by_threshold(ledger, corpus, "anchor", (0.0,))
    rows = {
        "anchor": plain,
        f"anchor-Beta, strength {DEFAULT:g}": by_threshold(ledger, corpus, "anchor-Beta", (DEFAULT,)),
        "anchor-Beta, strength chosen at each M": by_threshold(ledger, corpus, "anchor-Beta", MILD),
        "rectified": by_threshold(ledger, corpus, "rectified", (0.0,)),
        "rectified Beta": by_threshold(ledger, corpus, "rectified Beta", (0.0,)),
    }
    for name, splits in rows.items():
        if [set(split) for split in splits] != [set(split) for split in plain]:  # not all measured yet
            continue
        cells = [[split[each] for split in splits if each in split] for each in THRESHOLDS]
        means = [statistics.fmean(split.values()) for split in splits]
        ranges = [max(split.values()) - min(split.values()) for split in splits]
        costs = [max(best.values()) - mean for best, mean in zip(plain, means, strict=True)]
        written = [f"{statistics.fmean(each):.3f}" if each else "" for each in (*cells, means, ranges, costs)]
        lines.append(write_row(f"{name}, {len(splits)} splits", written))
    return lines


def write_together(ledger: Ledger[Fit], corpus: str) -> list[str]:
    """Return the coherence of what is chosen where every model chooses M and strength together, means over splits."""
    if corpus in VARIANTS:
        return []
    strengths = {"anchor-Beta": (*MILD, STRONG), "rectified Beta": (0.0, *MILD, STRONG)}
    chosen: dict[str, list[Fit]] = {}
    for model in ("anchor", "anchor-Beta", "rectified", "rectified Beta"):
        fits = ledger.find(corpus=corpus, n_topics=SMALL, model=model)
        splits: dict[int, list[Fit]] = {}
        for fit in fits:
            if fit.strength in strengths.get(model, (0.0,)):
                splits.setdefault(fit.seed, []).append(fit)
        chosen[model] = [best_fit(splits[seed], CRITERIA[0]) for seed in sorted(splits)]
    title = f"{corpus}: NPMI, M and strength chosen together, K = {SMALL}"
    lines = write_head(title, ["mean", "above anchor", "splits"])
    for model, fits in chosen.items():
        rises = [fit.npmi_test - plain.npmi_test for fit, plain in zip(fits, chosen["anchor"], strict=True)]
        error = statistics.stdev(rises) / len(rises) ** 0.5
        mean = statistics.fmean(fit.npmi_test for fit in fits)
        cells = [f"{mean:.3f}", f"{statistics.fmean(rises):+.3f} ± {error:.3f}"]
        lines.append(write_row(model, [*cells, ", ".join(f"{fit.npmi_test:.3f}" for fit in fits)]))
    return lines


def draw_moves(ledger: Ledger[Fit]) -> str:
    """Return a figure of how far shares moved in each round of Beta, from the second on, for each strength.

    The first round leads from the start, the shares of least squares, to those of least divergence.
    """
    panels = []
    for corpus in CORPORA:
        where = {"corpus": corpus, "n_topics": SMALL, "model": "anchor-Beta", "min_df": DRAWN_THRESHOLD, "seed": 0}
        lines = [Line("0.1: the end", [(0.0, 0.1, 0.0), (1.0, 0.1, 0.0)], dashed=True)]
        fits = [fit for fit in ledger.find(**where) if fit.strength >= DRAWN_STRENGTH]
        for fit in sorted(fits, key=lambda fit: fit.strength):
            points = [(place / ROUNDS, move, 0.0) for place, move in enumerate(fit.moves, 1) if 1 < place <= ROUNDS]
            lines.append(Line(f"strength {fit.strength:g}", points))
        panels.append((f"moves, {corpus}", lines))
    figure = draw_panels(panels, "round")
    # Charts have shares of one along the bottom; here they are shares of the rounds.
    for share in (1.0, 0.75, 0.5, 0.25, 0.0):
        figure = figure.replace(f">{share:.0%}<", f">{share * ROUNDS:g}<")
    return figure


def write_topics(ledger: Ledger[Fit], corpus: str) -> list[str]:
    """Return the topics of what was chosen for coherence."""
    lines = []
    for model in MODELS:
        for fit in chosen_fits(ledger, corpus, SMALL, model, CRITERIA[0])[:1]:
            lines += ["", f"{corpus}, {model}:", "", *(f"- {topic}" for topic in fit.topics)]
    return lines


def write_tables(ledger: Ledger[Fit]) -> str:
    """Return everything in Markdown."""
    lines = []
    for corpus in (*CORPORA, *VARIANTS):
        if ledger.find(corpus=corpus):
            for write in (write_results, write_choices, write_sensitivity, write_together, write_topics):
                lines += write(ledger, corpus)
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anchor_quality", description=__doc__)
    parser.add_argument("--corpora", nargs="+", default=(*CORPORA, *VARIANTS), choices=(*CORPORA, *VARIANTS))
    parser.add_argument("--topics", nargs="+", type=int, default=TOPICS)
    parser.add_argument("--models", nargs="+", default=MODELS, choices=MODELS)
    parser.add_argument("--seeds", type=int, default=1, help="how many splits, each with a seed of its own")
    parser.add_argument("--tables", action="store_true", help="print what has been measured, and measure nothing")
    path = REPOSITORY / "benchmarks" / "results" / "anchor_quality.jsonl"
    parser.add_argument("--ledger", type=Path, default=path, help="where results are kept")
    parser.add_argument("--figure", type=Path, help="where to draw the rounds of Beta")
    arguments = parser.parse_args()
    ledger = Ledger(arguments.ledger, Fit)
    if not arguments.tables:
        measure(ledger, arguments.corpora, arguments.topics, arguments.seeds, arguments.models)
    print(write_tables(ledger))
    if arguments.figure:
        arguments.figure.write_text(draw_moves(ledger), encoding="utf-8")


if __name__ == "__main__":
    main()
