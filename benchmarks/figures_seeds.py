"""``python -m benchmarks.figures_seeds FOLDER``: published figures, drawn again.

Suyunu (2020), Figures 8.4 to 8.6: the top five terms of two themes at purity 0 and 1, with one subtopic and with three,
here for the Brown corpus, Reuters and the demo corpus. The other paper's Figure 3: the tree of topics as rings, of a
factorisation and of one that is told labels, where yellow topics say most about them, here for 20 Newsgroups.

Every figure becomes a page and, where chromium is installed, a picture.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import find_corpus
from wayword import NMF, Corpus, SemiSupervisedNMF, ThemeNMF, Vectorizer, demo_corpus, read_corpus
from wayword.hierarchy import TopicTree, build_tree
from wayword.interpret.terms import theme_terms, top_terms
from wayword.models.theme_scores import normalise_rows
from wayword.plots import Node, sunburst, theme_cards

N_TERMS = 5
N_TOPICS = 40
WIDTH = 1000
# Two labels of each corpus, as different from each other as universalism and hedonism.
THEMES = {
    "brown": ("religion", "government"),
    "reuters": ("crude", "grain"),
    "demo": ("scipy.signal", "scipy.stats"),
}


@dataclass(frozen=True)
class Fitted:
    """Themes of a corpus, and the terms they are made of."""

    model: ThemeNMF
    terms: list[str]


def _read(name: str) -> Corpus:
    if name == "demo":
        return demo_corpus()
    corpus = read_corpus(find_corpus(name))
    return corpus.split("train") if name == "reuters" else corpus


def _fit(corpus: Corpus, n_subtopics: int) -> Fitted:
    vectorizer = Vectorizer(min_df=3, max_terms=5000)
    X = vectorizer.fit_transform(corpus)
    # Terms are all that is shown, so nothing is learnt about chances.
    model = ThemeNMF(n_subtopics, score="likelihood").fit(X, [list(labels) for labels in corpus.labels])
    return Fitted(model, list(vectorizer.vocabulary_))


def _panels(fitted: Fitted, theme: str, purity: float) -> list[list[tuple[str, float]]]:
    """Return the terms of each subtopic and, if there are several, of their largest and summed scores."""
    model = fitted.model
    assert model.background_ is not None
    place = [str(name) for name in model.themes_].index(theme)
    weights = (model.subtopics_[place], model.background_[place])
    found = list(theme_terms(*weights, purity_ratio=purity, aggregate=None))
    if len(found) > 1:
        found += [theme_terms(*weights, purity_ratio=purity, aggregate=how) for how in ("max", "sum")]
    return [top_terms(scores, fitted.terms, N_TERMS)[0] for scores in found]


def _draw_themes(fitted: Fitted, name: str, purity: float) -> Any:
    n_subtopics = fitted.model.n_subtopics
    panels = {theme: _panels(fitted, theme, purity) for theme in THEMES[name]}
    title = f"{name}: themes of {n_subtopics} subtopic{'' if n_subtopics == 1 else 's'}, purity {purity:g}"
    figure = theme_cards(panels, n_terms=N_TERMS, purity_ratio=purity, title=title)
    together = {f"subtopic {n_subtopics + 1}": "max of subtopics", f"subtopic {n_subtopics + 2}": "sum of subtopics"}
    figure.for_each_annotation(lambda note: note.update(text=together.get(note.text, note.text)))
    return figure


def draw_thesis(name: str) -> Iterator[tuple[str, Any]]:
    """Yield Figures 8.4 (one subtopic), 8.5 (three, purity 0) and 8.6 (three, purity 1) for a corpus."""
    corpus = _read(name)
    for n_subtopics in (1, 3):
        fitted = _fit(corpus, n_subtopics)
        for purity in (0.0, 1.0):
            yield f"{name}-{n_subtopics}-purity-{purity:g}", _draw_themes(fitted, name, purity)


def _without_headers(corpus: Corpus) -> list[str]:
    """Return what people wrote themselves: no headers, and no lines that quote others."""
    bodies = (text.partition("\n\n")[2] for text in corpus.texts)
    return ["\n".join(line for line in body.split("\n") if not line.startswith((">", "|", ":"))) for body in bodies]


def _best_threshold(tree: TopicTree) -> float:
    """Return the similarity at which most groups of two topics or more are apart."""

    def count_groups(height: float) -> int:
        return int((np.bincount(tree.cut(height=height)) > 1).sum())

    return max(sorted(tree.heights[tree.n_topics :].tolist()), key=count_groups)


def _super_topics(components: np.ndarray, shares: np.ndarray, terms: list[str]) -> list[Node]:
    """Return topics below the components of the graph of those more similar than a threshold, as in the paper."""
    tree = build_tree(components, method="single", weights=shares, terms=terms, n_terms=2)
    groups = tree.cut(height=_best_threshold(tree))
    sums = np.array([(shares[:, None] * components)[groups == group].sum(axis=0) for group in range(groups.max() + 1)])
    nodes = [Node("root", None, "all topics", 0.0)]
    nodes += [
        Node(("super-topic", group), "root", " ".join(term for term, _ in best), 0.0)
        for group, best in enumerate(top_terms(sums, terms, 3))
        if (groups == group).sum() > 1
    ]
    for topic, best in enumerate(top_terms(components, terms, 10)):
        alone = (groups == groups[topic]).sum() == 1
        words = [term for term, _ in best]
        above = "root" if alone else ("super-topic", int(groups[topic]))
        nodes.append(Node(topic, above, " ".join(words[:2]), float(shares[topic]), ", ".join(words)))
    return nodes


def draw_rings() -> Iterator[tuple[str, Any]]:
    """Yield Figure 3: topics of 20 Newsgroups and the super-topics they form, without labels and with them."""
    corpus = read_corpus(find_corpus("20newsgroups")).split("train")
    vectorizer = Vectorizer(min_df=10, max_df=0.1, max_terms=5000, weighting="tfidf", norm="l2")
    X = vectorizer.fit_transform(_without_headers(corpus))
    terms = list(vectorizer.vocabulary_)
    plain = NMF(N_TOPICS, loss="frobenius").fit(X)
    yield "newsgroups-nmf", _draw_tree(plain, X, terms, "NMF")
    told = SemiSupervisedNMF(N_TOPICS).fit(X, [document.labels[0] for document in corpus])
    importance = dict(enumerate(told.topic_importance_.tolist()))
    yield "newsgroups-ssnmf", _draw_tree(told, X, terms, "SSNMF", color="importance", importance=importance)


def _draw_tree(model: Any, X: Any, terms: list[str], name: str, **how: Any) -> Any:
    weights = model.transform(X).sum(axis=0)
    nodes = _super_topics(normalise_rows(model.components_), weights / weights.sum(), terms)
    return sunburst(nodes, title=f"20 Newsgroups: topics of {name} and the super-topics they form", **how)


def take_picture(page: Path, width: int, height: int) -> None:
    """Save a picture of a page beside it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": width, "height": height})
        tab.goto(page.resolve().as_uri(), timeout=300_000)
        tab.wait_for_timeout(500)
        tab.screenshot(path=page.with_suffix(".png"))
        browser.close()


def write_figure(figure: Any, page: Path) -> None:
    """Write a figure as a page and, where chromium is installed, as a picture."""
    figure.update_layout(width=WIDTH)
    figure.write_html(page, include_plotlyjs=True, config={"displayModeBar": False})
    if shutil.which("chromium"):
        take_picture(page, WIDTH + 16, int(figure.layout.height) + 16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where pages and pictures go")
    parser.add_argument("--only", nargs="*", choices=[*THEMES, "newsgroups"], default=[*THEMES, "newsgroups"])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        for stem, figure in draw_rings() if name == "newsgroups" else draw_thesis(name):
            write_figure(figure, options.folder / f"{stem}.html")
            print(options.folder / f"{stem}.html")


if __name__ == "__main__":
    main()
