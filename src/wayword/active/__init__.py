"""What to ask a person next, and why."""

from wayword.active.evolution import TopicChange, TopicEvolution, compare_topics
from wayword.active.guesses import Answers
from wayword.active.learner import ActiveLearner, Reasons, choose_labels
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
from wayword.active.stopping import Gain, estimate_gain, learning_curve
from wayword.active.strategies import STRATEGIES, QueryState, score_documents
from wayword.active.suspects import Suspect, find_suspects
from wayword.active.topics import LiveTopics, TopicSet

__all__ = [
    "STRATEGIES",
    "ActiveLearner",
    "Answers",
    "DocumentSpace",
    "Gain",
    "LiveTopics",
    "QueryState",
    "Question",
    "Reasons",
    "Simulation",
    "Suspect",
    "TopicChange",
    "TopicEvolution",
    "TopicSet",
    "alto",
    "alto_ent",
    "alto_ent_rep",
    "alto_rep",
    "ask",
    "build_space",
    "choose_labels",
    "cold_start",
    "compare_topics",
    "count_votes",
    "density",
    "density_weighted",
    "entropy",
    "estimate_gain",
    "find_suspects",
    "give_reasons",
    "jensen_shannon",
    "largest_share",
    "learning_curve",
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
