"""``wayword fit``, ``wayword themes`` and ``wayword predict``: from a labelled corpus to themes and back to labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import note, print_json, print_table, progress
from wayword.cli.options import (
    JsonOption,
    PathArgument,
    check_output,
    parse_frequency,
    parse_ngrams,
    parse_subtopics,
    reads_corpus,
)
from wayword.cli.predictions import (
    check_ending,
    list_predictions,
    print_accuracy,
    print_predictions,
    write_predictions,
)
from wayword.errors import InputError

if TYPE_CHECKING:
    from wayword.corpus.corpus import Corpus
    from wayword.interpret.themes import Terms, ThemesInfo
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.themes import ThemeNMF

_ENDING = ".wayword"
# What labels choose from where neither option says how to count: all words, unless another is better beyond doubt. Stop
# words say nothing of subjects, but much of opinions, and then short ones do, too.
_NGRAMS = {"words": (1, 1), "pairs": (1, 2)}
_KEPT: dict[str, Any] = {"stop_words": None, "min_length": 2}
# How many terms are counted at the most where pairs are chosen from, unless it is said.
_MOST_CHOSEN_FROM = 50_000

ModelArgument = Annotated[Path, typer.Argument(help="A model that 'wayword fit --themes' has saved.", exists=True)]


def model_name(path: Path) -> Path:
    """Return the name that a corpus gives its model: reviews.jsonl.gz gives reviews.wayword, in the working folder."""
    name = path.resolve().name
    name = name[:-3] if name.lower().endswith(".gz") else name
    return Path((name if path.is_dir() else Path(name).stem) + _ENDING)


def read_themes(path: Path) -> tuple[Vectorizer, ThemeNMF]:
    """Return what counts terms and what knows themes, of a file."""
    from sklearn.pipeline import Pipeline

    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.persistence import load
    from wayword.models.themes import ThemeNMF

    found = load(path)
    steps = list(found) if isinstance(found, Pipeline) else [found]
    if [type(step) for step in steps] != [Vectorizer, ThemeNMF]:
        kinds = " and ".join(type(step).__name__ for step in steps)
        raise InputError(
            f"{path}: expected a Vectorizer and a ThemeNMF, got {kinds}; make a model with 'wayword fit --themes'"
        )
    return steps[0], steps[1]


def labels_of(corpus: Corpus, source: Path) -> list[Any]:
    """Return a label for each document, or a list of labels where any document has several."""
    if not corpus.label_names:
        raise InputError(
            f"{source}: no document has a label; name the column that holds them with --labels, or label some documents"
        )
    if any(len(labels) > 1 for labels in corpus.labels):
        return [list(labels) for labels in corpus.labels]
    return [labels[0] if labels else None for labels in corpus.labels]


def print_themes(info: ThemesInfo, *, backgrounds: bool = False) -> None:
    """Print themes with their subtopics in words, then new topics."""

    def row(name: str, part: str, terms: Terms) -> tuple[str, str, str]:
        return name, part, ", ".join(term for term, _ in terms)

    rows = []
    for theme in info.themes:
        rows.append(row(theme.name, "", theme.terms))
        rows += [row("", f"subtopic {place}", terms) for place, terms in enumerate(theme.subtopics, 1)]
        if backgrounds and theme.background:
            rows.append(row("", "background", theme.background))
    if backgrounds and info.background:
        rows.append(row("(all)", "background", info.background))
    if rows:
        print_table("themes", ("theme", "", "terms"), rows)
    if info.new_topics:
        found = [(f"new topic {place}", terms) for place, terms in enumerate(info.new_topics, 1)]
        if backgrounds and info.new_background:
            found.append(("background", info.new_background))
        print_table("new topics", ("", "terms"), [row(name, "", terms)[::2] for name, terms in found])


def _name_ngrams(pair: tuple[int, int]) -> str:
    fewest, most = pair
    if most == 1:
        return "words"
    return f"terms of up to {most} words" if fewest == 1 else f"terms of {fewest} to {most} words"


def _list_ways(ngrams: str, stop_words: str, max_terms: int | None, counting: dict[str, Any]) -> dict[str, Vectorizer]:
    """Return the ways to count terms that two options leave open, the one to prefer first."""
    from wayword.corpus.words import check_language, find_stop_words
    from wayword.matrix.vectorizer import Vectorizer

    if stop_words not in ("auto", "keep", "drop"):
        raise InputError(f"--stop-words must be 'auto', 'keep' or 'drop', got '{stop_words}'")
    language = check_language(counting["language"])
    if stop_words == "auto" and not find_stop_words("auto", language):
        stop_words = "keep"
    chosen = ngrams == "auto"
    pairs = _NGRAMS if chosen else {_name_ngrams(pair): pair for pair in [parse_ngrams(ngrams)]}
    most = _MOST_CHOSEN_FROM if chosen and max_terms is None else max_terms
    ways: dict[str, Vectorizer] = {}
    if stop_words != "drop":
        ways |= {name: Vectorizer(ngrams=pair, max_terms=most, **_KEPT, **counting) for name, pair in pairs.items()}
    if stop_words != "keep":
        # Pairs of what is left do no better than words, and those of all words are there already.
        some = list(pairs.items())[: 1 if stop_words == "auto" else None]
        ways |= {f"{name} without stop words": Vectorizer(ngrams=p, max_terms=most, **counting) for name, p in some}
    return ways


def _count_by(ways: dict[str, Vectorizer], corpus: Corpus, report: Any) -> dict[str, Any]:
    """Return the counts of all ways that leave any term."""
    counts, errors = {}, []
    for name, vectorizer in ways.items():
        try:
            counts[name] = vectorizer.fit_transform(corpus, progress=report)
        except InputError as error:
            errors.append(error)
    if not counts:
        raise errors[0]
    return counts


def _count(
    corpus: Corpus, labels: list[Any] | None, ways: dict[str, Vectorizer], report: Any
) -> tuple[Vectorizer, Any, str]:
    """Return what counts terms, the counts, and why these, if they were chosen by the labels."""
    from wayword.evaluation.features import select_terms

    counts = _count_by(ways, corpus, report)
    best, reason = next(iter(counts)), ""
    if len(counts) > 1:
        found = select_terms(counts, labels)
        best, reason = found.best, found.reason
    return ways[best], counts[best], reason


@reads_corpus
def fit(
    path: PathArgument,
    reading: dict[str, Any],
    themes: Annotated[bool, typer.Option("--themes", help="Fit themes: labels with subtopics. Must be given.")] = False,
    out: Annotated[Path | None, typer.Option(help="The file of the model; CORPUS.wayword by default.")] = None,
    subtopics: Annotated[
        str, typer.Option(help="Subtopics of each theme, or 'auto' for as many as predict unseen words best.")
    ] = "3",
    new_topics: Annotated[int, typer.Option(help="Topics to find that no label names.", min=0)] = 0,
    mode: Annotated[str, typer.Option(help="Fit themes 'separated' or 'combined'.")] = "separated",
    supervision: Annotated[
        str, typer.Option(help="What unlabelled documents do: 'competing', 'semi' or 'supervised'.")
    ] = "competing",
    score: Annotated[str, typer.Option(help="By what to predict: a setting of ThemeNMF.")] = "stack",
    ngrams: Annotated[
        str, typer.Option(help="Words of a term: 2 for up to two, 1,3, or 'auto' for one or two as labels tell.")
    ] = "auto",
    stop_words: Annotated[
        str, typer.Option(help="Whether to 'keep' stop words or 'drop' them; 'auto' for what labels tell.")
    ] = "auto",
    max_terms: Annotated[
        int | None, typer.Option("--max-terms", "--terms", help="Most terms; 50,000 where labels choose them.", min=1)
    ] = None,
    min_df: Annotated[str, typer.Option(help="Fewest documents of a term, or a share such as 0.01.")] = "2",
    language: Annotated[str, typer.Option(help="Code of the language, or 'none'.")] = "en",
    seed: Annotated[int, typer.Option(help="Seed of what is drawn at random.", min=0)] = 0,
) -> None:
    """Fit a model to a corpus of which some documents are labelled, and save it."""
    from sklearn.pipeline import make_pipeline

    from wayword.corpus.readers import read_corpus
    from wayword.evaluation.subtopics import select_subtopics
    from wayword.interpret.themes import describe_themes
    from wayword.models.persistence import save
    from wayword.models.themes import ThemeNMF

    if not themes:
        raise InputError(
            "say what kind of model to fit: --themes for documents of which some are labelled; "
            "'wayword discover' and 'wayword anchors' find topics without labels"
        )
    out = check_output(model_name(path) if out is None else out, path)
    number = parse_subtopics(subtopics)
    counting = {"language": language, "min_df": parse_frequency(min_df)}
    ways = _list_ways(ngrams, stop_words, max_terms, counting)
    choices: dict[str, Any] = {"mode": mode, "supervision": supervision, "score": score}
    with progress() as report:
        corpus = read_corpus(path, progress=report, **reading)
        labels = None if new_topics and not corpus.label_names else labels_of(corpus, path)
        if labels is None:
            # Nothing is there to choose by, and nothing but subjects to be found, of which stop words say nothing.
            ngrams, stop_words = {"auto": "1"}.get(ngrams, ngrams), {"auto": "drop"}.get(stop_words, stop_words)
            ways = _list_ways(ngrams, stop_words, max_terms, counting)
        vectorizer, X, *reasons = _count(corpus, labels, ways, report)
        if number is None:
            selected = select_subtopics(X, labels, random_state=seed, progress=report)
            number = selected.best
            reasons.append(selected.reason)
        model = ThemeNMF(number, n_new_topics=new_topics, random_state=seed, **choices)
        model.fit(X, labels, progress=report)
    for reason in filter(None, reasons):
        note(reason)
    save(make_pipeline(vectorizer, model), out)
    print_themes(describe_themes(model, vectorizer.vocabulary_, hide=vectorizer.counted_stop_words()))
    note(f"saved the model to {out}")


def themes(
    model: ModelArgument,
    words: Annotated[int, typer.Option(help="How many terms to list of each.", min=1)] = 8,
    purity: Annotated[
        float | None,
        typer.Option(
            help="0 lists the most frequent terms; up to 1, those that the background has less of. By default terms "
            "that it has as much of are left out.",
            show_default=False,
        ),
    ] = None,
    aggregate: Annotated[
        str, typer.Option(help="A term's score in a theme: the 'max' or the 'sum' of its subtopics.")
    ] = "max",
    json: JsonOption = False,
) -> None:
    """Show the themes of a model in words: subtopics, backgrounds and new topics."""
    from wayword.interpret.themes import describe_themes

    vectorizer, found = read_themes(model)
    scores: dict[str, Any] = {"purity_ratio": purity, "aggregate": aggregate, "hide": vectorizer.counted_stop_words()}
    info = describe_themes(found, vectorizer.vocabulary_, n_terms=words, **scores)
    if json:
        print_json(info.to_dict())
    else:
        print_themes(info, backgrounds=True)


@reads_corpus
def predict(
    model: ModelArgument,
    path: PathArgument,
    reading: dict[str, Any],
    out: Annotated[Path | None, typer.Option(help="Write all to this .csv or .jsonl file instead of a table.")] = None,
    top: Annotated[int, typer.Option(help="How many themes of each document a table lists.", min=1)] = 3,
) -> None:
    """Say which labels the documents of a corpus have, and how likely each theme is."""
    from wayword.corpus.readers import read_corpus

    if out is not None:
        check_ending(check_output(out, path, model))
    vectorizer, themes = read_themes(model)
    if not len(themes.classes_):
        raise InputError(f"{model}: there are new topics but no themes, so there is nothing to predict")
    vectorizer.set_params(min_tokens=0)  # every document gets a row, however short it is
    with progress() as report:
        corpus = read_corpus(path, progress=report, **reading)
        chances = themes.predict_proba(vectorizer.transform(corpus, progress=report))
    found = list_predictions(themes, corpus.ids, chances)
    if out is None:
        print_predictions(found, top)
    else:
        write_predictions(found, out)
    print_accuracy(corpus.labels, [str(name) for name in themes.classes_], chances)
