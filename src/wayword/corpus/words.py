"""What becomes of a token: nothing, a term, or several.

Decided once for each distinct token: contractions are written out, short words and stop words go, the rest is
reduced to lemmas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from wayword.errors import InputError

NO_LANGUAGE = "none"
# Languages that write nouns with a capital, without which their lemmas are wrong: Haus, but hausen.
CASED_LANGUAGES = frozenset({"de", "lb"})
# Languages whose stop words are listed under another code.
_LISTED_UNDER = {"english": "en", "hbs": "hr", "nb": "no", "nn": "no"}
_LEMMAS_REMEMBERED = 2**18
APOSTROPHES = "'’ʼ＇"

# Words that the general English list holds, and that people who code answers, reviews or reports look for.
_ENGLISH_CONTENT = frozenset(
    """
    act added area areas best better big bill billion book bottom buy case cases cause causes changes click computer
    copy cry date describe described detail effect empty face faces fact facts fire fix free general good goods great
    greater greatest group grouped grouping groups help high home homepage importance important index information
    interest interested interesting interests invention join keys large length line long low man member members
    men microsoft mill million mine miss mug name netscape new novel number numbers old older oldest open opened
    opening opens order ordered ordering orders page pages please point points poorly problem problems proud quickly
    recent research ring room rooms run section serious seriously shell significant site small sorry state states
    stop system test text thank thanks tip title today trillion useful value web webpage website welcome width
    words work worked working works world year years young younger youngest
    """.split()
)
# Pieces that the token pattern leaves of contractions.
_ENGLISH_PIECES = frozenset(
    "ain aren couldn didn doesn don hadn hasn haven isn ll mustn re shan shouldn ve wasn weren won wouldn".split()
)

_IRREGULAR = {
    "ain't": ("is", "not"),
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "let's": ("let", "us"),
    "shan't": ("shall", "not"),
    "won't": ("will", "not"),
    "y'all": ("you", "all"),
}
_ENDINGS = (("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'m", "am"), ("'d", "would"))
_IS = frozenset("he here how it she that there this what when where who why".split())

_EMOTICONS = {
    "smile": (":)", ":-)", "=)", ":]", ":-]", "(:", "(-:", ":^)", "^_^", "^^"),
    "laugh": (":D", ":-D", "=D", "xD", "XD", "X-D"),
    "frown": (":(", ":-(", "=(", ":[", ":-["),
    "cry": (":'(", ":'-(", ";_;", "T_T"),
    "wink": (";)", ";-)", ";]", ";D"),
    "kiss": (":*", ":-*"),
    "surprise": (":o", ":-o", ":O", ":-O", "o_O", "O_o"),
    "playful": (":P", ":-P", ":p", ":-p", "=P"),
    "doubt": (":/", ":-/", ":\\", ":-\\"),
    "love": ("<3",),
    "heartbreak": ("</3",),
}
_WORD_OF = {emoticon: word for word, emoticons in _EMOTICONS.items() for emoticon in emoticons}
# Standing alone, so that neither "http://" nor "(1:)" is one; the longest first.
_EMOTICON = re.compile(
    r"(?<!\S)(?:" + "|".join(map(re.escape, sorted(_WORD_OF, key=len, reverse=True))) + r")(?=[\s.,!?]|$)"
)


def replace_emoticons(text: str) -> str:
    """Return `text` with emoticons written as words: ``:)`` becomes ``smile``."""
    return _EMOTICON.sub(lambda match: _WORD_OF[match.group()], text)


def expand_contraction(token: str) -> tuple[str, ...]:
    """Return the words of an English token: ``isn't`` gives ``is``, ``not``.

    A possessive ``'s`` is taken off; any other apostrophe separates words.
    """
    for apostrophe in APOSTROPHES[1:]:
        token = token.replace(apostrophe, "'")
    if token.lower() in _IRREGULAR:
        first, *rest = _IRREGULAR[token.lower()]
        return (first.capitalize() if token[0].isupper() else first, *rest)
    if "'" not in token.strip("'"):
        return (token.strip("'"),) if token.strip("'") else ()
    for ending, word in _ENDINGS:
        if token.lower().endswith(ending) and len(token) > len(ending):
            return (*expand_contraction(token[: -len(ending)]), word)
    if token.lower().endswith("'s"):
        stem = token[:-2].strip("'")
        return (stem, "is") if stem.lower() in _IS else expand_contraction(stem)
    return tuple(part for part in token.split("'") if part)


@cache
def lemma_languages() -> tuple[str, ...]:
    """Return the codes of the languages that lemmas exist for."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return tuple(sorted(SUPPORTED_LANGUAGES))


def check_language(language: str) -> str:
    """Return `language`, or raise with the list of those there are."""
    if language != NO_LANGUAGE and language not in lemma_languages():
        known = ", ".join(lemma_languages())
        raise InputError(f"unknown language {language!r}; known are {known}, and 'none' for no language")
    return language


@cache
def lemmatizer(language: str) -> Callable[[str], str]:
    """Return the function that gives the lemma of a token of `language`."""
    if language == NO_LANGUAGE:
        return str
    from simplemma import Lemmatizer

    # Each fit asks once about each distinct token, the next fit about much the same ones again.
    lemmatize = Lemmatizer(cache_max_size=_LEMMAS_REMEMBERED).lemmatize
    # A token with a digit or a sign in it is a name or a code, and has no lemma.
    return lambda token: lemmatize(token, language) if token.isalpha() else token


def find_stop_words(stop_words: str | Iterable[str] | None, language: str) -> frozenset[str]:
    """Return the stop words that a setting means.

    Parameters
    ----------
    stop_words : "auto", language code, iterable of str or None
        ``"auto"`` is the list of `language`; ``None`` or ``"none"`` is no list.
    language : str
        Language of the text.
    """
    if stop_words is None:
        return frozenset()
    if not isinstance(stop_words, str):
        return frozenset(stop_words)
    if stop_words == NO_LANGUAGE:
        return frozenset()
    import stopwordsiso

    language = language if stop_words == "auto" else stop_words
    language = _LISTED_UNDER.get(language, language)
    if stop_words != "auto" and not stopwordsiso.has_lang(language):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise InputError(f"no stop words for {stop_words!r}; there are lists for {known}")
    if not stopwordsiso.has_lang(language):
        return frozenset()
    words = frozenset(stopwordsiso.stopwords(language))
    return words - _ENGLISH_CONTENT | _ENGLISH_PIECES if language == "en" else words


def match_lemmas(stop_words: frozenset[str], lemmatize: Callable[[str], str], *, own: bool) -> frozenset[str]:
    """Return stop words under which all forms of a word fare alike.

    Of a language's list, words whose lemma is not on it are taken off: it holds *results*, but not *result*. To
    somebody's own list, the lemmas of its words are added.
    """
    if own:
        return stop_words | {lemmatize(word).lower() for word in stop_words}
    return frozenset(word for word in stop_words if lemmatize(word).lower() in stop_words)


@dataclass(frozen=True)
class WordRules:
    """What becomes of a token.

    Attributes
    ----------
    lemmatize : callable or None
        Gives the lemma of a token; ``None`` to leave tokens as they are.
    stop_words : frozenset of str
        Words to leave out; looked up before and after the lemma is taken.
    min_length : int
        Fewest characters of a token and of its lemma.
    lowercase : bool
        Whether terms are put in lower case.
    contractions : bool
        Whether to write contractions out.
    keep, drop : frozenset of str
        Words to keep, and terms to leave out, whatever the other rules say.
    is_word : callable or None
        Tells whether a part of a contraction is a word; all are, with ``None``.
    """

    lemmatize: Callable[[str], str] | None
    stop_words: frozenset[str]
    min_length: int
    lowercase: bool = True
    contractions: bool = False
    keep: frozenset[str] = frozenset()
    drop: frozenset[str] = frozenset()
    is_word: Callable[[str], object] | None = None

    def terms(self, token: str) -> tuple[str, ...]:
        """Return the terms that a token becomes."""
        parts = (token,)
        if self.contractions:
            parts = expand_contraction(token)
            if self.is_word is not None and parts != (token,):
                parts = tuple(part for part in parts if self.is_word(part))
        return tuple(term for part in parts if (term := self._term(part)) is not None)

    def _term(self, token: str) -> str | None:
        word = self._fold(token)
        if word in self.keep:
            return word
        if self._is_left_out(word):
            return None
        if self.lemmatize is None:
            return word
        lemma = self._fold(self.lemmatize(token))
        return None if self._is_left_out(lemma) and lemma not in self.keep else lemma

    def _fold(self, word: str) -> str:
        return word.lower() if self.lowercase else word

    def _is_left_out(self, word: str) -> bool:
        return len(word) < self.min_length or word in self.stop_words or word in self.drop
