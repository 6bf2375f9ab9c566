"""``wayword explain``: why a text belongs to a theme."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wayword.cli.console import format_share, output, print_json, print_table, printable
from wayword.cli.options import JsonOption
from wayword.cli.themes import ModelArgument, read_themes
from wayword.errors import InputError

if TYPE_CHECKING:
    from wayword.interpret.documents import Explanation, ThemeReason, Word

# Characters of a sentence that are printed; texts without full stops are one sentence.
_LONGEST_SENTENCE = 400
_UNKNOWN_SHOWN = 10


def format_weight(weight: float) -> str:
    """Return a weight with its sign; what rounds to nothing has none of its own."""
    return f"{round(weight, 2) + 0.0:+.2f}"


def format_words(words: tuple[Word, ...]) -> str:
    """Return words with their weights in one line."""
    return ", ".join(f"{word.term} {format_weight(word.weight)}" for word in words)


def read_text(text: str | None, file: Path | None) -> str:
    """Return what was written, on the command line or in a file."""
    if (text is None) == (file is None):
        raise typer.BadParameter("give a text or --file, one of both")
    try:
        if file is not None:
            return file.read_bytes().decode("utf-8-sig")
        assert text is not None
        text.encode()  # bytes that are no text come as halves of characters
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        where = f"{file or 'the text'}: not UTF-8 from place {error.start + 1:,} on"
        raise InputError(f"{where}; convert it to UTF-8 first") from None
    return text


def explain(
    model: ModelArgument,
    text: Annotated[str | None, typer.Argument(help="The text to explain.", show_default=False)] = None,
    file: Annotated[
        Path | None, typer.Option(help="Read the text from this file instead.", exists=True, dir_okay=False)
    ] = None,
    themes: Annotated[int, typer.Option(help="How many themes to explain, the likeliest first.", min=1)] = 3,
    words: Annotated[int, typer.Option(help="How many words of each theme.", min=1)] = 10,
    sentences: Annotated[int, typer.Option(help="How many sentences of the text.", min=0)] = 3,
    json: JsonOption = False,
) -> None:
    """Say why a text belongs to a theme: its subtopics, words and sentences."""
    from sklearn.pipeline import make_pipeline

    from wayword.interpret.documents import explain_text

    written = read_text(text, file)
    pipeline = make_pipeline(*read_themes(model))
    found = explain_text(pipeline, written, n_themes=themes, n_words=words, n_sentences=sentences)
    if json:
        print_json(found.to_dict())
    elif found.themes[0].words:
        print_explanation(found)
    else:
        print_prior(found, "the text has no word that the model knows" if written.strip() else "the text is empty")


def _shorten(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[: _LONGEST_SENTENCE - 1]}…"


def print_prior(found: Explanation, why: str) -> None:
    """Print the chances that themes have whatever the words."""
    rows = [(reason.theme, format_share(reason.chance)) for reason in found.themes]
    print_table(f"{why}; before any word, themes have these chances", ("theme", "chance"), rows, numbers=(1,))


def print_explanation(found: Explanation) -> None:
    """Print what speaks for each theme, then the sentences that speak for the likeliest."""
    for reason in found.themes:
        _print_reason(reason)
    if found.sentences:
        rows = [(format_weight(one.weight), _shorten(" ".join(one.text.split()))) for one in found.sentences]
        title = f"sentences, by how much they speak for {found.themes[0].theme}"
        print_table(title, ("weight", "sentence"), rows, numbers=(0,))
    if found.unknown:
        more = f" and {len(found.unknown) - _UNKNOWN_SHOWN:,} more" if len(found.unknown) > _UNKNOWN_SHOWN else ""
        words = ", ".join(found.unknown[:_UNKNOWN_SHOWN])
        output().print(printable(f"words that the model does not know: {words}{more}"), markup=False, emoji=False)


def _print_reason(reason: ThemeReason) -> None:
    """Print the subtopics of a theme, with the words that each explains best."""
    rows = [
        (
            f"{place}: {', '.join(subtopic.terms)}",
            format_weight(subtopic.weight),
            format_words(tuple(word for word in reason.words if word.subtopic == place)),
        )
        for place, subtopic in enumerate(reason.subtopics, 1)
    ]
    rows.append(("whatever the words", format_weight(reason.offset), ""))
    if reason.correction:
        rows.append(("what other themes say", format_weight(reason.correction), ""))
    title = f"{reason.theme}: chance {format_share(reason.chance)}, score {reason.score:.2f}"
    print_table(title, ("subtopic", "weight", "words of the text"), rows, numbers=(1,))
