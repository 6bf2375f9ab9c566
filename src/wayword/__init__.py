"""Topic modelling that a person steers.

Names are imported when first used, so that ``import wayword`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Agreement": "evaluation.annotators",
    "AnchorTopics": "models.anchors",
    "Completion": "models.completion",
    "Consensus": "evaluation.consensus",
    "Cooccurrence": "matrix.cooccurrence",
    "Corpus": "corpus.corpus",
    "CorpusInfo": "corpus.description",
    "DeepSemiNMF": "models.deep",
    "Document": "corpus.corpus",
    "NMF": "models.nmf",
    "Project": "workbench.project",
    "RankMatch": "evaluation.ranking",
    "Selection": "evaluation.selection",
    "SemiSupervisedNMF": "models.semi_supervised",
    "Stability": "evaluation.stability",
    "StreamedCorpus": "corpus.streaming",
    "SupervisedAnchors": "models.supervised_anchors",
    "SubtopicSelection": "evaluation.subtopics",
    "TermSelection": "evaluation.features",
    "ThemeNMF": "models.themes",
    "TopicDiscovery": "models.discovery",
    "TopicInfo": "interpret.topics",
    "TopicMatch": "evaluation.matching",
    "TopicNode": "hierarchy.tree",
    "TopicSupervisedNMF": "models.topic_supervised",
    "TopicTree": "hierarchy.tree",
    "Vectorizer": "matrix.vectorizer",
    "Vocabulary": "corpus.vocabulary",
    "agreement": "evaluation.annotators",
    "average_jaccard": "evaluation.stability",
    "build_tree": "hierarchy.build",
    "c_v": "evaluation.coherence",
    "cohen_kappa": "evaluation.annotators",
    "complete": "models.completion",
    "consensus_topics": "evaluation.consensus",
    "context_cooccurrence": "matrix.contexts",
    "cooccurrence": "matrix.cooccurrence",
    "demo_corpus": "corpus.demo",
    "dendrogram_purity": "hierarchy.agreement",
    "describe_themes": "interpret.themes",
    "describe_topics": "interpret.topics",
    "document_terms": "interpret.terms",
    "expected_calibration_error": "evaluation.calibration",
    "explain_document": "interpret.documents",
    "explain_text": "interpret.documents",
    "fleiss_kappa": "evaluation.annotators",
    "format_tree": "hierarchy.writing",
    "held_out_likelihood": "evaluation.likelihood",
    "infer_topics": "models.document_topics",
    "inverted_rbo": "evaluation.diversity",
    "krippendorff_alpha": "evaluation.annotators",
    "load": "models.persistence",
    "log_rank_accuracy": "evaluation.ranking",
    "match_by_genetic_algorithm": "evaluation.ranking",
    "match_by_log_rank": "evaluation.ranking",
    "match_topics": "evaluation.matching",
    "node_terms": "hierarchy.naming",
    "npmi": "evaluation.coherence",
    "percent_agreement": "evaluation.annotators",
    "read_corpus": "corpus.readers",
    "resolved_topics": "evaluation.matching",
    "save": "models.persistence",
    "select_k": "evaluation.selection",
    "select_subtopics": "evaluation.subtopics",
    "select_terms": "evaluation.features",
    "share_of_topics": "models.theme_scores",
    "split_documents": "evaluation.splits",
    "subtopic_scores": "models.theme_scores",
    "term_scores": "interpret.terms",
    "theme_scores": "models.theme_scores",
    "theme_terms": "interpret.terms",
    "top_columns": "evaluation.term_lists",
    "top_terms": "interpret.terms",
    "topic_coverage": "evaluation.matching",
    "topic_diversity": "evaluation.diversity",
    "topic_stability": "evaluation.stability",
    "triplet_agreement": "hierarchy.agreement",
    "umass": "evaluation.coherence",
    "weighted_jaccard": "evaluation.matching",
    "write_report": "report.writing",
}

# Packages with names of their own, such as `wayword.plots.sunburst`.
_PACKAGES = {"active", "hierarchy", "plots", "report", "testing"}

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus, Document
    from wayword.corpus.demo import demo_corpus
    from wayword.corpus.description import CorpusInfo
    from wayword.corpus.readers import read_corpus
    from wayword.corpus.streaming import StreamedCorpus
    from wayword.corpus.vocabulary import Vocabulary
    from wayword.evaluation.annotators import (
        Agreement,
        agreement,
        cohen_kappa,
        fleiss_kappa,
        krippendorff_alpha,
        percent_agreement,
    )
    from wayword.evaluation.calibration import expected_calibration_error
    from wayword.evaluation.coherence import c_v, npmi, umass
    from wayword.evaluation.consensus import Consensus, consensus_topics
    from wayword.evaluation.diversity import inverted_rbo, topic_diversity
    from wayword.evaluation.features import TermSelection, select_terms
    from wayword.evaluation.likelihood import held_out_likelihood
    from wayword.evaluation.matching import TopicMatch, match_topics, resolved_topics, topic_coverage, weighted_jaccard
    from wayword.evaluation.ranking import RankMatch, log_rank_accuracy, match_by_genetic_algorithm, match_by_log_rank
    from wayword.evaluation.selection import Selection, select_k
    from wayword.evaluation.splits import split_documents
    from wayword.evaluation.stability import Stability, average_jaccard, topic_stability
    from wayword.evaluation.subtopics import SubtopicSelection, select_subtopics
    from wayword.evaluation.term_lists import top_columns
    from wayword.hierarchy.agreement import dendrogram_purity, triplet_agreement
    from wayword.hierarchy.build import build_tree
    from wayword.hierarchy.naming import node_terms
    from wayword.hierarchy.tree import TopicNode, TopicTree
    from wayword.hierarchy.writing import format_tree
    from wayword.interpret.documents import explain_document, explain_text
    from wayword.interpret.terms import document_terms, term_scores, theme_terms, top_terms
    from wayword.interpret.themes import describe_themes
    from wayword.interpret.topics import TopicInfo, describe_topics
    from wayword.matrix.contexts import context_cooccurrence
    from wayword.matrix.cooccurrence import Cooccurrence, cooccurrence
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.anchors import AnchorTopics
    from wayword.models.completion import Completion, complete
    from wayword.models.deep import DeepSemiNMF
    from wayword.models.discovery import TopicDiscovery
    from wayword.models.document_topics import infer_topics
    from wayword.models.nmf import NMF
    from wayword.models.persistence import load, save
    from wayword.models.semi_supervised import SemiSupervisedNMF
    from wayword.models.supervised_anchors import SupervisedAnchors
    from wayword.models.theme_scores import share_of_topics, subtopic_scores, theme_scores
    from wayword.models.themes import ThemeNMF
    from wayword.models.topic_supervised import TopicSupervisedNMF
    from wayword.report.writing import write_report
    from wayword.workbench.project import Project

__all__ = [
    "NMF",
    "Agreement",
    "AnchorTopics",
    "Completion",
    "Consensus",
    "Cooccurrence",
    "Corpus",
    "CorpusInfo",
    "DeepSemiNMF",
    "Document",
    "Project",
    "RankMatch",
    "Selection",
    "SemiSupervisedNMF",
    "Stability",
    "StreamedCorpus",
    "SubtopicSelection",
    "SupervisedAnchors",
    "TermSelection",
    "ThemeNMF",
    "TopicDiscovery",
    "TopicInfo",
    "TopicMatch",
    "TopicNode",
    "TopicSupervisedNMF",
    "TopicTree",
    "Vectorizer",
    "Vocabulary",
    "__version__",
    "agreement",
    "average_jaccard",
    "build_tree",
    "c_v",
    "cohen_kappa",
    "complete",
    "consensus_topics",
    "context_cooccurrence",
    "cooccurrence",
    "demo_corpus",
    "dendrogram_purity",
    "describe_themes",
    "describe_topics",
    "document_terms",
    "expected_calibration_error",
    "explain_document",
    "explain_text",
    "fleiss_kappa",
    "format_tree",
    "held_out_likelihood",
    "infer_topics",
    "inverted_rbo",
    "krippendorff_alpha",
    "load",
    "log_rank_accuracy",
    "match_by_genetic_algorithm",
    "match_by_log_rank",
    "match_topics",
    "node_terms",
    "npmi",
    "percent_agreement",
    "read_corpus",
    "resolved_topics",
    "save",
    "select_k",
    "select_subtopics",
    "select_terms",
    "share_of_topics",
    "split_documents",
    "subtopic_scores",
    "term_scores",
    "theme_scores",
    "theme_terms",
    "top_columns",
    "top_terms",
    "topic_coverage",
    "topic_diversity",
    "topic_stability",
    "triplet_agreement",
    "umass",
    "weighted_jaccard",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"wayword.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'wayword' has no attribute {name!r}")
    value = getattr(import_module(f"wayword.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
