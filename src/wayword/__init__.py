"""Topic modelling that a person steers.

Names are imported when first used, so that ``import wayword`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Completion": "models.completion",
    "Cooccurrence": "matrix.cooccurrence",
    "Corpus": "corpus.corpus",
    "CorpusInfo": "corpus.description",
    "DeepSemiNMF": "models.deep",
    "Document": "corpus.corpus",
    "NMF": "models.nmf",
    "SemiSupervisedNMF": "models.semi_supervised",
    "StreamedCorpus": "corpus.streaming",
    "TopicMatch": "evaluation.matching",
    "TopicSupervisedNMF": "models.topic_supervised",
    "Vectorizer": "matrix.vectorizer",
    "Vocabulary": "corpus.vocabulary",
    "complete": "models.completion",
    "context_cooccurrence": "matrix.contexts",
    "cooccurrence": "matrix.cooccurrence",
    "demo_corpus": "corpus.demo",
    "load": "models.persistence",
    "match_topics": "evaluation.matching",
    "read_corpus": "corpus.readers",
    "resolved_topics": "evaluation.matching",
    "save": "models.persistence",
    "topic_coverage": "evaluation.matching",
    "weighted_jaccard": "evaluation.matching",
}

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus, Document
    from wayword.corpus.demo import demo_corpus
    from wayword.corpus.description import CorpusInfo
    from wayword.corpus.readers import read_corpus
    from wayword.corpus.streaming import StreamedCorpus
    from wayword.corpus.vocabulary import Vocabulary
    from wayword.evaluation.matching import TopicMatch, match_topics, resolved_topics, topic_coverage, weighted_jaccard
    from wayword.matrix.contexts import context_cooccurrence
    from wayword.matrix.cooccurrence import Cooccurrence, cooccurrence
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.completion import Completion, complete
    from wayword.models.deep import DeepSemiNMF
    from wayword.models.nmf import NMF
    from wayword.models.persistence import load, save
    from wayword.models.semi_supervised import SemiSupervisedNMF
    from wayword.models.topic_supervised import TopicSupervisedNMF

__all__ = [
    "NMF",
    "Completion",
    "Cooccurrence",
    "Corpus",
    "CorpusInfo",
    "DeepSemiNMF",
    "Document",
    "SemiSupervisedNMF",
    "StreamedCorpus",
    "TopicMatch",
    "TopicSupervisedNMF",
    "Vectorizer",
    "Vocabulary",
    "__version__",
    "complete",
    "context_cooccurrence",
    "cooccurrence",
    "demo_corpus",
    "load",
    "match_topics",
    "read_corpus",
    "resolved_topics",
    "save",
    "topic_coverage",
    "weighted_jaccard",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wayword' has no attribute {name!r}")
    value = getattr(import_module(f"wayword.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
