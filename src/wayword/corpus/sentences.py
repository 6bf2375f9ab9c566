"""Sentences of a text."""

from __future__ import annotations

from wayword.corpus.words import NO_LANGUAGE


def split_sentences(text: str, language: str = "en") -> list[str]:
    """Return the sentences of a text; a blank line ends one too."""
    import simplemma

    # The rules for marks and capitals are the same everywhere; languages only add abbreviations.
    return list(simplemma.split_sentences(text, lang="en" if language == NO_LANGUAGE else language))
