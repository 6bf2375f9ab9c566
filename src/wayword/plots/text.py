"""Text as a figure shows it: letter for letter, and short enough.

Plotly reads a little markup in every text: tags, entities, ``$formulas$`` and ``%{variables}``. What people wrote goes
through this module first, so that it is shown and never read.
"""

from __future__ import annotations

import re
import unicodedata
from textwrap import wrap

_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"})
_FROM_THE_RIGHT = {"R", "AL"}
# Marks that turn what follows around; one left open would turn the rest of the figure's text.
_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_BROKEN = {"Cc", "Cs"}
# A word or a piece of one up to a mark, with what follows it.
_PARTS = re.compile(r"[^\s./_-]*[./_-]+\s*|[^\s./_-]+\s*")
_ISOLATE, _END = "\u2068", "\u2069"


def _clean(text: object) -> str:
    """Return a text on one line, without characters that have no form."""
    characters = (character for character in str(text) if unicodedata.bidirectional(character) not in _TURNS)
    visible = (" " if unicodedata.category(character) in _BROKEN else character for character in characters)
    return " ".join("".join(visible).split())


def reads_from_right(text: str) -> bool:
    """Whether a text has letters that are read from right to left."""
    return any(unicodedata.bidirectional(character) in _FROM_THE_RIGHT for character in text)


def _escape(text: str) -> str:
    escaped = text.translate(_MARKUP).replace("%{", "%&#123;")
    return f"{_ISOLATE}{escaped}{_END}" if reads_from_right(text) else escaped


def show(text: object, most: int | None = None) -> str:
    """Return a text that plotly shows letter for letter, cut to the most characters."""
    clean = _clean(text)
    if most is not None and len(clean) > most:
        clean = clean[: most - 1].rstrip() + "…"
    return _escape(clean)


def show_lines(text: object, width: int = 60, most: int = 8) -> str:
    """Return a text broken into lines of a width, the most of them."""
    lines = wrap(_clean(text), width)
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1] + " …"]
    return "<br>".join(map(_escape, lines))


def show_label(text: object, width: int, most: int) -> str:
    """Return a text in a few short lines, broken between words or after marks within them, never within a word."""
    lines = [""]
    for part in _PARTS.findall(_clean(text)):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    lines = [line.strip() for line in lines]
    if len(lines) > most:
        lines = [*lines[: most - 1], lines[most - 1] + "…"]
    cut = (line if len(line) <= width + 2 else line[: width + 1] + "…" for line in lines)
    return "<br>".join(map(_escape, cut))


def explain(name: object, *sentences: str) -> str:
    """Return a hover text: a name in bold, and below it sentences that are markup already."""
    return "<br>".join([f"<b>{show_lines(name)}</b>", *filter(None, sentences)])


def percent(share: float) -> str:
    """Return a share as people write it."""
    return f"{share:.0%}" if share >= 0.1 or share == 0 else f"{share:.2%}" if share < 0.01 else f"{share:.1%}"


# Widths of letters in a wide face, in thousandths of its size; those of other faces are a little less.
_WIDTHS = {
    character: width
    for width, characters in {
        280: "ijlIJ'’",
        320: " .,",
        360: "f-:;/\\|",
        400: "rt()[]{}!",
        530: 'cszL?"“”_*',
        600: "aekovxyTYPF",
        700: "ABCEKRSVXZ",
        780: "DGHNOQU&",
        840: "w<>=+~^#",
        1000: "mMW@%—…",
    }.items()
    for character in characters
}
_USUAL = 636


def _letter_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1000
    return _WIDTHS.get(character, 720 if character.isupper() else _USUAL)


def text_width(text: str, size: float) -> float:
    """Return about how many pixels a text takes in a font of a size; rather too many than too few."""
    return size * sum(map(_letter_width, text)) / 1000
