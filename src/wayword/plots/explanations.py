"""A document with its words coloured: blue for those that speak for a theme, orange for those against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from wayword.errors import InputError, shorten
from wayword.interpret.documents import Explanation, ThemeReason
from wayword.matrix.vectorizer import Vectorizer
from wayword.models.inputs import check_whole
from wayword.plots.inputs import as_scored
from wayword.plots.look import BLUE, ORANGE, SIDE, Mode, rgba, start
from wayword.plots.text import explain, reads_from_right, show, text_width

_WIDTH, _SIZE, _LINE, _SPACE, _PAD = 780, 15, 30, 5.0, 2
_LETTERS = 40
_FAINTEST, _STRONGEST = 0.12, 0.6


@dataclass(frozen=True, slots=True)
class _Placed:
    """A word, its weight, and where its start is: pixels from the side that reading starts at, and the line."""

    word: str
    weight: float
    start: float
    line: int


def _find_reason(explanation: Explanation, theme: str | None) -> ThemeReason:
    if not explanation.themes:
        raise InputError("the explanation has no theme, so it has no words to show")
    if theme is None:
        return explanation.themes[0]
    found = [reason for reason in explanation.themes if reason.theme == theme]
    if not found:
        names = ", ".join(repr(reason.theme) for reason in explanation.themes)
        raise InputError(f"theme must be one that is explained: {names}; got {shorten(theme)}")
    return found[0]


def _split_terms(text: str, vectorizer: Vectorizer | None) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pieces of a text between spaces, each with the terms that it becomes."""
    pieces = text.split()
    if vectorizer is None:
        return [(piece, (piece.strip(".,;:!?\"'()[]«»“”‘’").casefold(),)) for piece in pieces]
    tokenizer, rules = vectorizer.build_tokenizer(), vectorizer.build_rules()
    return [
        (piece, tuple(term for token in tokenizer.split(tokenizer.prepare(piece)) for term in rules.terms(token)))
        for piece in pieces
    ]


def _weigh_text(text: str, weights: Mapping[str, float], vectorizer: Vectorizer | None) -> list[tuple[str, float]]:
    """Return the words of a text in order, each with what its terms weigh, those of several words too."""
    pieces = _split_terms(text, vectorizer)
    terms = [(place, term) for place, (_, found) in enumerate(pieces) for term in found]
    totals = [0.0] * len(pieces)
    for length in range(1, 1 + max((len(term.split()) for term in weights), default=1)):
        for first in range(len(terms) - length + 1):
            run = terms[first : first + length]
            weight = weights.get(" ".join(term for _, term in run), 0.0)
            for place in {place for place, _ in run}:
                totals[place] += weight
    return [(piece, total) for (piece, _), total in zip(pieces, totals, strict=True)]


def _flow(words: list[tuple[str, float]]) -> list[_Placed]:
    """Return words set line after line, none beyond the width."""
    placed, start_, line = [], 0.0, 0
    for word, weight in words:
        width = text_width(word[:_LETTERS], _SIZE) + 2 * _PAD
        if start_ and start_ + width > _WIDTH:
            start_, line = 0.0, line + 1
        placed.append(_Placed(word, weight, start_, line))
        start_ += width + _SPACE
    return placed


def _colour(weight: float, heaviest: float) -> str:
    if not weight:
        return "rgba(0,0,0,0)"
    alpha = _FAINTEST + (_STRONGEST - _FAINTEST) * abs(weight) / heaviest
    return rgba(BLUE if weight > 0 else ORANGE, alpha)


def _say(placed: _Placed, about: str) -> str:
    if not placed.weight:
        return explain(placed.word, "says nothing either way")
    side = "for" if placed.weight > 0 else "against"
    return explain(placed.word, f"speaks {side} {about}", f"weight {placed.weight:+.3g}")


def _write(figure: go.Figure, placed: list[_Placed], about: str) -> None:
    from_right = sum(reads_from_right(word.word) for word in placed) * 2 > len(placed)
    heaviest = max(abs(word.weight) for word in placed) or 1.0
    figure.update_layout(
        annotations=[
            {
                "text": show(word.word, _LETTERS),
                "x": _WIDTH - word.start if from_right else word.start,
                "y": word.line,
                "xanchor": "right" if from_right else "left",
                "yanchor": "middle",
                "font": {"size": _SIZE},
                "showarrow": False,
                "bgcolor": _colour(word.weight, heaviest),
                "borderpad": _PAD,
                "hovertext": _say(word, about),
            }
            for word in placed
        ]
    )


def _read_words(
    words: Any, text: str | None, theme: str | None, vectorizer: Vectorizer | None
) -> tuple[list[tuple[str, float]], str]:
    """Return words in the order of reading with their weights, and what they speak for."""
    about = theme or "the theme"
    if isinstance(words, Explanation):
        reason = _find_reason(words, theme)
        about, words = reason.theme, {word.term: word.weight for word in reason.words}
    if not isinstance(words, Mapping):
        return as_scored("words", words), about
    weights = dict(as_scored("words", words.items()))
    return list(weights.items()) if text is None else _weigh_text(text, weights, vectorizer), about


def document_explanation(
    words: Explanation | Mapping[str, float] | Sequence[tuple[str, float]],
    *,
    text: str | None = None,
    vectorizer: Vectorizer | None = None,
    theme: str | None = None,
    n_words: int = 400,
    title: str = "What the words say",
    mode: Mode = "light",
) -> go.Figure:
    """Draw a document with each word coloured by how much it speaks for or against a theme.

    Parameters
    ----------
    words : list of (str, float), mapping of str to float, or Explanation
        The words in the order of reading with their weights, above zero for and below against; or the weights of
        terms, such as `explain_text` gives, whose words are shown heaviest first unless there is a text.
    text : str, optional
        The document, where `words` are weights of terms: it is shown as written.
    vectorizer : Vectorizer, optional
        How words of the text become terms. Without one, they are compared in small letters.
    theme : str, optional
        The theme that the weights are for; of an explanation the likeliest by default.
    n_words : int
        How many words at most; what follows is left out.
    title : str
        The title.
    mode : {"light", "dark"}
        What is behind the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        An annotation for each word. The figure has a fixed width, because words do not shrink with it.

    Examples
    --------
    >>> from wayword import plots
    >>> figure = plots.document_explanation([("A", 0), ("clean", 0.8), ("room", 1.2), ("late", -0.5)], theme="hotel")
    >>> [word.text for word in figure.layout.annotations]
    ['A', 'clean', 'room', 'late']
    """
    check_whole("n_words", n_words)
    weighed, about = _read_words(words, text, theme, vectorizer)
    weighed = [(word, weight) for word, weight in weighed if word.strip()]
    if not weighed:
        raise InputError("words must hold one word or more, got none")
    placed = _flow(weighed[:n_words])
    left = len(weighed) - len(placed)
    more = f" {left:,} more words are left out." if left else ""
    about_ = show(about, 40)
    n_lines = placed[-1].line + 1
    subtitle = f"Blue words speak for {about}, orange ones against; the deeper the colour, the more.{more}"
    figure = start(title, mode, subtitle=subtitle, height=n_lines * _LINE, margin={"b": 24}, width=_WIDTH + 2 * SIDE)
    # A trace that shows nothing: without one there are no axes to set words by.
    figure.add_scatter(x=[None], y=[None], showlegend=False, hoverinfo="skip")
    axis = {"visible": False, "fixedrange": True, "automargin": False}
    figure.update_layout(
        xaxis={**axis, "range": [0, _WIDTH]}, yaxis={**axis, "range": [n_lines - 0.5, -0.5]}, dragmode=False
    )
    _write(figure, placed, about_)
    return figure
