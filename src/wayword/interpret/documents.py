"""Why a document belongs to a theme: words with their weights and subtopics, and the sentences that hold them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from wayword.corpus.sentences import split_sentences
from wayword.corpus.tokens import read_tokens
from wayword.errors import InputError, shorten
from wayword.interpret.terms import top_terms
from wayword.interpret.themes import find_background, find_shown, rank_shown
from wayword.matrix.vectorizer import Vectorizer
from wayword.models.inputs import check_whole
from wayword.models.theme_evidence import TermEvidence
from wayword.models.theme_scores import share_of_topics as share_of_topics
from wayword.models.theme_scores import subtopic_scores as subtopic_scores
from wayword.models.theme_scores import theme_scores as theme_scores
from wayword.models.themes import ThemeNMF

_TERMS_OF_SUBTOPIC = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A term of a document, and how much it speaks for a theme: rather than for the others, if one theme applies.

    Attributes
    ----------
    term : str
    weight : float
        Above zero for the theme, below against it.
    subtopic : int
        The subtopic of the theme, from 1 on, that explains the term best.
    """

    term: str
    weight: float
    subtopic: int


@dataclass(frozen=True, slots=True)
class Subtopic:
    """A subtopic of a theme, and how much of what the words say for the theme comes from it.

    Attributes
    ----------
    terms : tuple of str
        What the subtopic is about, whatever the document.
    weight : float
    """

    terms: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text, and what its words add up to.

    Attributes
    ----------
    text : str
    weight : float
    """

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class ThemeReason:
    """What speaks for a theme of a document: rather than for the others, if every document has one label.

    The weights of the words and `rest` sum to the weights of the subtopics.

    Attributes
    ----------
    theme : str
        The theme.
    chance : float
        As `predict_proba` says.
    score : float
        As `theme_scores` says.
    subtopics : tuple of Subtopic
        How much of what all words say comes from each subtopic.
    words : tuple of Word
        The words that speak most for or against it, the heaviest first.
    rest : float
        What all other words add.
    offset : float
        What the theme has whatever the words.
    correction : float
        What the themes of the document say for it or against it.
    """

    theme: str
    chance: float
    score: float
    subtopics: tuple[Subtopic, ...]
    words: tuple[Word, ...]
    rest: float
    offset: float
    correction: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document belongs where it does.

    Attributes
    ----------
    themes : tuple of ThemeReason
        The likeliest themes, first the likeliest. None has words where the model knows no word of the document.
    sentences : tuple of Sentence
        The sentences of a text that speak most for the likeliest theme, the heaviest first.
    unknown : tuple of str
        The words of a text, each once, that the model does not know; words that it leaves out on purpose, as stop
        words, are not among them.
    """

    themes: tuple[ThemeReason, ...]
    sentences: tuple[Sentence, ...] = ()
    unknown: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return asdict(self)


def _name_subtopics(
    model: ThemeNMF, theme: int, terms: Sequence[str], shown: np.ndarray
) -> tuple[tuple[str, ...], ...]:
    """Return the best terms of each subtopic of a theme, of those that are shown."""
    scores = rank_shown(model.subtopics_[theme], find_background(model, theme), shown, aggregate=None)
    return tuple(tuple(term for term, _ in row) for row in top_terms(scores, terms, _TERMS_OF_SUBTOPIC))


def _give_reason(
    model: ThemeNMF,
    evidence: TermEvidence,
    theme: int,
    terms: Sequence[str],
    names: tuple[tuple[str, ...], ...],
    n_words: int,
) -> ThemeReason:
    weights, responsibilities = evidence.weights[theme], evidence.responsibilities[theme]
    order = np.argsort(-np.abs(weights), kind="stable")[:n_words]
    best = responsibilities.argmax(axis=0) + 1
    totals = (responsibilities @ weights).tolist()
    return ThemeReason(
        str(model.themes_[theme]),
        float(evidence.chances[theme]),
        float(evidence.scores[theme]),
        tuple(map(Subtopic, names, totals)),
        tuple(Word(str(terms[int(evidence.columns[k])]), float(weights[k]), int(best[k])) for k in order),
        float(weights.sum() - weights[order].sum()),
        float(evidence.offsets[theme]),
        float(evidence.corrections[theme]),
    )


def _check(model: ThemeNMF, n_themes: int, n_words: int) -> None:
    check_is_fitted(model)
    check_whole("n_themes", n_themes)
    check_whole("n_words", n_words)
    if not len(model.themes_):
        raise InputError("the model has new topics but no themes, so there is nothing to explain")


def _give_reasons(
    model: ThemeNMF,
    evidence: TermEvidence,
    terms: Sequence[str],
    n_themes: int,
    n_words: int,
    hide: Collection[str] = (),
) -> tuple[ThemeReason, ...]:
    """Return what speaks for the likeliest themes; subtopics are named by words that need not be hidden."""
    order, shown = np.argsort(-evidence.chances, kind="stable")[:n_themes], find_shown(terms, hide)
    return tuple(
        _give_reason(model, evidence, theme, terms, _name_subtopics(model, theme, terms, shown), n_words)
        for theme in order.tolist()
    )


def explain_document(
    model: ThemeNMF, X: Any, terms: Sequence[str], *, n_themes: int = 3, n_words: int = 10
) -> Explanation:
    """Explain the themes of one document.

    Parameters
    ----------
    model : ThemeNMF
        A fitted model.
    X : matrix of shape (1, n_terms)
        The counts of the document.
    terms : sequence of str
        The term of each column, for example a `Vocabulary`.
    n_themes, n_words : int
        How many themes, and how many words of each.

    Returns
    -------
    Explanation
        Without sentences, which counts do not have.
    """
    _check(model, n_themes, n_words)
    if len(terms) != model.n_features_in_:
        raise InputError(f"terms must name the {model.n_features_in_} columns of the model, got {len(terms)}")
    return Explanation(_give_reasons(model, model.term_evidence(X), terms, n_themes, n_words))


def _find_steps(pipeline: Any) -> tuple[Vectorizer, ThemeNMF]:
    """Return the vectorizer and the themes of a pipeline."""
    steps = [step for _, step in pipeline.steps] if isinstance(pipeline, Pipeline) else []
    if len(steps) != 2 or not isinstance(steps[0], Vectorizer) or not isinstance(steps[1], ThemeNMF):
        raise InputError(f"expected a pipeline of a Vectorizer and a ThemeNMF, got {shorten(pipeline)}")
    return steps[0], steps[1]


def _find_unknown(vectorizer: Vectorizer, text: str) -> tuple[str, ...]:
    """Return the words of a text that no term holds."""
    rules = vectorizer.build_rules()
    tokens = read_tokens([text], vectorizer.build_tokenizer()).distinct
    words = dict.fromkeys(word for token in tokens for word in rules.terms(token))
    known = {part for term in vectorizer.vocabulary_ for part in (term, *term.split())}
    return tuple(word for word in words if word not in known)


def _rank_sentences(vectorizer: Vectorizer, text: str, evidence: TermEvidence, theme: int) -> tuple[Sentence, ...]:
    """Return the sentences of a text, those whose words speak most for a theme first."""
    sentences = [sentence.strip() for sentence in split_sentences(text, vectorizer.language) if sentence.strip()]
    if not sentences:
        return ()
    # Of what a term says, a sentence has the share of the term's occurrences that it holds, however terms are weighted.
    counter = copy(vectorizer).set_params(weighting="tf", norm=None)
    weights = np.zeros(len(vectorizer.vocabulary_))
    weights[evidence.columns] = evidence.weights[theme]
    weights /= np.maximum(counter.transform([text]).toarray()[0], 1.0)
    totals = counter.transform(sentences) @ weights
    order = np.argsort(-totals, kind="stable").tolist()
    return tuple(Sentence(sentences[place], float(totals[place])) for place in order)


def explain_text(
    pipeline: Any, text: str, *, n_themes: int = 3, n_words: int = 10, n_sentences: int = 3
) -> Explanation:
    """Explain the themes of a text: its words and its sentences.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted ``make_pipeline(Vectorizer(...), ThemeNMF(...))``.
    text : str
        The text; it is explained however short it is.
    n_themes, n_words, n_sentences : int
        How many themes, how many words of each, and how many sentences.

    Returns
    -------
    Explanation
    """
    vectorizer, model = _find_steps(pipeline)
    _check(model, n_themes, n_words)
    check_whole("n_sentences", n_sentences, least=0)
    vectorizer = copy(vectorizer).set_params(min_tokens=0)
    evidence = model.term_evidence(vectorizer.transform([text]))
    return Explanation(
        _give_reasons(model, evidence, vectorizer.vocabulary_, n_themes, n_words, vectorizer.counted_stop_words()),
        _rank_sentences(vectorizer, text, evidence, int(evidence.chances.argmax()))[:n_sentences],
        _find_unknown(vectorizer, text),
    )
