"""Topics that know word lists, after Table 3.4 of Nguyen's thesis: anchors with an informed prior.

    python examples/word_lists.py

Every fifth message of 20 Newsgroups, and the word lists of Empath, both from the folder that WAYWORD_DATA names, else
from ``../shared/data`` beside the repository. Each topic is printed with its anchor and the list that it was given:
its top words without lists, then with them; words of the list are in capitals.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

import numpy as np

from wayword import AnchorTopics, Vectorizer, read_corpus

CORPUS, LISTS = "20newsgroups.jsonl.gz", "lexicon_empath.json"
EVERY, N_TERMS, N_TOPICS, N_WORDS = 5, 2000, 20, 10
# Least documents of a term and largest share of them: "write" and "article" are in most messages.
LEAST, MOST = 5, 0.2
STRENGTH = 0.3


def find_data(name: str) -> Path:
    """Return the path of a file of the data folder."""
    folder = Path(os.environ.get("WAYWORD_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    path = folder / name
    if not path.exists():
        raise SystemExit(f"this example needs {name}, not found in {folder}; set WAYWORD_DATA to the folder with it")
    return path


def read_bodies(path: Path) -> list[str]:
    """Return some messages, without the headers above the first blank line."""
    return [document.text.partition("\n\n")[2] for document in list(read_corpus(path))[::EVERY]]


def top_words(topic: np.ndarray, terms: np.ndarray, listed: Collection[str]) -> str:
    """Return the top words of a topic, those of its list in capitals."""
    words = terms[np.argsort(-topic, kind="stable")[:N_WORDS]]
    return " ".join(word.upper() if word in listed else word for word in words)


def main() -> None:
    """Find topics, solve for them again with word lists, and print both."""
    lists = json.loads(find_data(LISTS).read_text(encoding="utf-8"))
    vectorizer = Vectorizer(min_df=LEAST, max_df=MOST, max_terms=N_TERMS)
    X = vectorizer.fit_transform(read_bodies(find_data(CORPUS)))
    terms = vectorizer.get_feature_names_out()
    model = AnchorTopics(N_TOPICS, terms=terms).fit(X)
    alone = model.components_
    model.set_params(prior=lists, strength=STRENGTH).refit()
    for anchor, category, before, after in zip(
        model.anchor_words_ or [], model.categories_ or [], alone, model.components_, strict=True
    ):
        listed = lists[category]
        print(f"{anchor} ({category})")
        print(f"  without  {top_words(before, terms, listed)}")
        print(f"  with     {top_words(after, terms, listed)}")


if __name__ == "__main__":
    main()
