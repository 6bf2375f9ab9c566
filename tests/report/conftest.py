"""A small labelled corpus, and models of it."""

from __future__ import annotations

import pytest
from sklearn.pipeline import Pipeline, make_pipeline

from wayword import Corpus, ThemeNMF, Vectorizer

_ROOM = "clean room|large bed in a clean room|soft bed, large room|the room was quiet|clean bath beside the bed"
_STAFF = "friendly staff|helpful staff at the desk|the desk staff were rude|slow desk|friendly desk, helpful people"
_FOOD = "cold breakfast|fresh bread and coffee|weak coffee at breakfast|cold eggs|good bread, fresh coffee, breakfast"


def make_stays() -> Corpus:
    """Return thirty labelled documents of three labels."""
    rows = [
        (f"{label}-{turn}-{place}", f"{text} {filler}", label)
        for turn, filler in enumerate(("in the morning", "on the second night"))
        for label, texts in (("room", _ROOM), ("staff", _STAFF), ("food", _FOOD))
        for place, text in enumerate(texts.split("|"))
    ]
    ids, texts, labels = zip(*rows, strict=True)
    return Corpus(texts, ids=ids, labels=labels)


@pytest.fixture(scope="session")
def stays() -> Corpus:
    return make_stays()


@pytest.fixture(scope="session")
def themes(stays: Corpus) -> Pipeline:
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform(stays)
    return make_pipeline(vectorizer, ThemeNMF(2).fit(X, [document.labels[0] for document in stays]))
