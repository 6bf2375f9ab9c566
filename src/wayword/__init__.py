"""Topic modelling that a person steers.

Names are imported when first used, so that ``import wayword`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Cooccurrence": "matrix.cooccurrence",
    "Corpus": "corpus.corpus",
    "CorpusInfo": "corpus.description",
    "Document": "corpus.corpus",
    "StreamedCorpus": "corpus.streaming",
    "Vectorizer": "matrix.vectorizer",
    "Vocabulary": "corpus.vocabulary",
    "context_cooccurrence": "matrix.contexts",
    "cooccurrence": "matrix.cooccurrence",
    "demo_corpus": "corpus.demo",
    "read_corpus": "corpus.readers",
}

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus, Document
    from wayword.corpus.demo import demo_corpus
    from wayword.corpus.description import CorpusInfo
    from wayword.corpus.readers import read_corpus
    from wayword.corpus.streaming import StreamedCorpus
    from wayword.corpus.vocabulary import Vocabulary
    from wayword.matrix.contexts import context_cooccurrence
    from wayword.matrix.cooccurrence import Cooccurrence, cooccurrence
    from wayword.matrix.vectorizer import Vectorizer

__all__ = [
    "Cooccurrence",
    "Corpus",
    "CorpusInfo",
    "Document",
    "StreamedCorpus",
    "Vectorizer",
    "Vocabulary",
    "__version__",
    "context_cooccurrence",
    "cooccurrence",
    "demo_corpus",
    "read_corpus",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayword' has no attribute {name!r}")
    value = getattr(import_module(f"wayword.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
