"""Corpora whose topics are known, to test models with."""

from wayword.testing.planted import PlantedCorpus, planted_topics, planted_tree

__all__ = ["PlantedCorpus", "planted_topics", "planted_tree"]
