"""Trees of topics: built, cut, named and written."""

from wayword.hierarchy.agreement import dendrogram_purity, triplet_agreement
from wayword.hierarchy.build import build_tree
from wayword.hierarchy.naming import node_terms
from wayword.hierarchy.tree import TopicNode, TopicTree
from wayword.hierarchy.writing import format_tree

__all__ = [
    "TopicNode",
    "TopicTree",
    "build_tree",
    "dendrogram_purity",
    "format_tree",
    "node_terms",
    "triplet_agreement",
]
