"""What to ask a person next, and why."""

from wayword.active.learner import ActiveLearner, Reasons
from wayword.active.reasons import give_reasons
from wayword.active.scores import (
    alto,
    alto_ent,
    alto_ent_rep,
    alto_rep,
    count_votes,
    density,
    density_weighted,
    entropy,
    jensen_shannon,
    largest_share,
    least_confidence,
    margin,
    mean_similarity,
    random_scores,
    topic_entropy,
    vote_entropy,
)
from wayword.active.select import Question, ask, cold_start, select
from wayword.active.simulation import Simulation, simulate
from wayword.active.space import DocumentSpace, build_space
from wayword.active.strategies import STRATEGIES, QueryState, score_documents
from wayword.active.topics import LiveTopics, TopicSet

__all__ = [
    "STRATEGIES",
    "ActiveLearner",
    "DocumentSpace",
    "LiveTopics",
    "QueryState",
    "Question",
    "Reasons",
    "Simulation",
    "TopicSet",
    "alto",
    "alto_ent",
    "alto_ent_rep",
    "alto_rep",
    "ask",
    "build_space",
    "cold_start",
    "count_votes",
    "density",
    "density_weighted",
    "entropy",
    "give_reasons",
    "jensen_shannon",
    "largest_share",
    "least_confidence",
    "margin",
    "mean_similarity",
    "random_scores",
    "score_documents",
    "select",
    "simulate",
    "topic_entropy",
    "vote_entropy",
]
