"""Topics of three news stories, with and without labels, after Table 2 of MacMillan and Wilson.

    python examples/supervised_topics.py reuters.jsonl.gz

A share of all documents is labelled, but never the three shown. Each topic is printed by its strongest terms and the
share of the document that it explains; a topic of a label is named by it.
"""

from __future__ import annotations

import argparse
import textwrap

import numpy as np

from wayword import NMF, Corpus, TopicSupervisedNMF, Vectorizer, read_corpus

STORIES = {"test/14913": "yen, dollar", "test/14885": "sugar", "test/14854": "industrial production"}
RATES = (0.2, 0.5, 0.8)
LEAST_CHARACTERS = 250
LEAST_SHARE = 0.15


def label_some(corpus: Corpus, rate: float, shown: list[int]) -> list[list[str]]:
    """Return labels of a share of the documents, drawn at random; the others have none."""
    chosen = np.random.default_rng(0).permutation(len(corpus))[: round(rate * len(corpus))]
    told = set(chosen.tolist()).difference(shown)
    return [list(document.labels) if place in told else [] for place, document in enumerate(corpus)]


def describe(weights: np.ndarray, components: np.ndarray, names: list[str] | None, terms: np.ndarray) -> str:
    """Return the topics that explain a good part of a document, the strongest first."""
    shares = weights / max(weights.sum(), np.finfo(float).tiny)
    parts = []
    for topic in np.argsort(-shares, kind="stable"):
        if shares[topic] < LEAST_SHARE:
            break
        strongest = ", ".join(terms[np.argsort(-components[topic], kind="stable")[:3]])
        name = f"{names[topic]}: " if names else ""
        parts.append(f"{name}{strongest} ({shares[topic]:.2f})")
    return "; ".join(parts) or "no topic stands out"


def main() -> None:
    """Fit the models and print what they say about the stories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="the Reuters corpus, as JSON lines with id, text and labels")
    corpus = read_corpus(parser.parse_args().corpus)
    corpus = Corpus.from_documents([document for document in corpus if len(document.text) >= LEAST_CHARACTERS])
    places = {document.id: place for place, document in enumerate(corpus)}
    shown = [places[story] for story in STORIES]
    vectorizer = Vectorizer(max_terms=2000, weighting="tfidf", norm="l2")
    X = vectorizer.fit_transform(corpus)
    terms = vectorizer.get_feature_names_out()
    found = {}
    for rate in RATES:
        model = TopicSupervisedNMF().fit(X, label_some(corpus, rate, shown))
        found[f"{rate:.0%} labelled"] = (model.transform(X[shown]), model.components_, model.topic_names_)
    plain = NMF(90, loss="frobenius").fit(X)
    found["no labels"] = (plain.transform(X[shown]), plain.components_, None)
    for row, (story, subject) in enumerate(STORIES.items()):
        document = corpus[places[story]]
        print(f"\n{subject} ({story}; labels: {', '.join(document.labels)})")
        print(
            textwrap.fill(
                " ".join(document.text.split())[:240] + " ...", 100, initial_indent="  ", subsequent_indent="  "
            )
        )
        for how, (weights, components, names) in found.items():
            print(f"  {how:>12}  {describe(weights[row], components, names, terms)}")


if __name__ == "__main__":
    main()
