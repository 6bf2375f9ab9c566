"""``wayword demo``: the main job on the built-in corpus."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wayword.cli.console import format_share, note, output, print_json, print_table, progress
from wayword.cli.corpus import print_info, vocabulary_rows
from wayword.cli.demo_project import FILE, make_demo_project
from wayword.cli.explain import format_weight, format_words
from wayword.cli.options import JsonOption, check_output
from wayword.cli.serve import serve as serve_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wayword.corpus.corpus import Document
    from wayword.interpret.documents import Explanation
    from wayword.interpret.themes import ThemesInfo

_LABELS_SHOWN = 15
_TERMS_SHOWN = 6
_THEMES_SHOWN = 8
_TERMS_OF_SUBTOPIC = 5
# The document that is explained, or the first where some version does not have it.
_EXPLAINED = "numpy.convolve"
_REPORT = Path("wayword-demo-report.html")
_TITLE = "What numpy, scipy and scikit-learn say about themselves"


def place_report(wanted: Path | None) -> Path:
    """Return where the report goes: as asked, else to the working folder, else to that of temporary files."""
    if wanted is not None:
        return check_output(wanted).resolve()
    folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path(tempfile.gettempdir())
    return folder / _REPORT


def demo(
    serve: Annotated[bool, typer.Option(help="Serve the workbench at the end, until it is stopped.")] = True,
    max_terms: Annotated[int, typer.Option(help="How many terms to count.", min=1)] = 5000,
    report: Annotated[
        Path | None, typer.Option(help="The file of the report; wayword-demo-report.html by default.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show Wayword at work on the built-in corpus: docstrings of numpy, scipy and scikit-learn."""
    from sklearn.pipeline import make_pipeline

    from wayword.corpus.demo import demo_corpus
    from wayword.interpret.documents import explain_text
    from wayword.interpret.labels import label_terms
    from wayword.interpret.themes import describe_themes
    from wayword.matrix.cooccurrence import cooccurrence
    from wayword.matrix.vectorizer import Vectorizer
    from wayword.models.themes import ThemeNMF
    from wayword.report.writing import write_report

    page = place_report(report)
    note("Reading the docstrings of numpy, scipy and scikit-learn ...")
    vectorizer, model, times = Vectorizer(min_df=3, max_terms=max_terms), ThemeNMF(), [time.perf_counter()]
    with progress() as told:
        corpus = demo_corpus(progress=told)
        times.append(time.perf_counter())
        counts = vectorizer.fit_transform(corpus, progress=told)
        times.append(time.perf_counter())
        pairs = cooccurrence(counts, progress=told)
        times.append(time.perf_counter())
        note("Fitting themes; the very first time, this compiles them for half a minute ...")
        model.fit(counts, [document.labels[0] for document in corpus], progress=told)
        times.append(time.perf_counter())
    pipeline = make_pipeline(vectorizer, model)
    note("Writing the report ...")
    write_report(pipeline, page, corpus=corpus, counts=counts, title=_TITLE)
    times.append(time.perf_counter())
    steps = ("reading", "counting", "co-occurrence", "themes", "report")
    seconds = {step: end - start for step, start, end in zip(steps, times[:-1], times[1:], strict=True)}
    frequent = vocabulary_rows(vectorizer.vocabulary_, 12)
    specific = label_terms(counts, corpus.labels, vectorizer.vocabulary_, n_terms=_TERMS_SHOWN)
    themes = describe_themes(model, vectorizer.vocabulary_, n_terms=_TERMS_OF_SUBTOPIC)
    document = next((document for document in corpus if document.id == _EXPLAINED), corpus[0])
    found = explain_text(pipeline, document.text, n_themes=2, n_words=8, n_sentences=1)
    if json:
        explained = {"id": document.id, **found.to_dict()}
        print_json(
            _as_json(corpus, frequent, specific, themes, seconds) | {"explained": explained, "report": str(page)}
        )
        return
    info = corpus.info()
    print_info("the demo corpus", info)
    print_table("most frequent terms", ("",), [[", ".join(f"{row['term']} {row['count']:,}" for row in frequent)]])
    _print_labels(info.label_counts, specific)
    _print_subtopics(list(info.label_counts)[:_THEMES_SHOWN], themes)
    _print_reason(document, found)
    output().print(
        f"{counts.shape[0]:,} documents by {counts.shape[1]:,} terms, {counts.nnz:,} counts; "
        f"{pairs.n_terms:,} by {pairs.n_terms:,} co-occurrences.\n"
        + ", ".join(f"{what} {taken:.2f} s" for what, taken in seconds.items())
    )
    # A path is shown as it stands, on one line, so that it can be clicked or copied.
    output().print(f"The whole report: {page}", markup=False, soft_wrap=True)
    if serve:
        project = page.with_name(FILE.name)
        make_demo_project(project, corpus)
        serve_project(str(project))


def _print_labels(label_counts: Mapping[str, int], specific: Any) -> None:
    """Print the largest labels and the terms that tell them from others."""
    print_table(
        f"the {_LABELS_SHOWN} largest labels and their most specific terms",
        ("label", "documents", "terms"),
        [
            (label, documents, ", ".join(term for term, _ in specific[label]))
            for label, documents in list(label_counts.items())[:_LABELS_SHOWN]
        ],
        numbers=(1,),
    )


def _print_subtopics(names: Iterable[str], info: ThemesInfo) -> None:
    """Print some themes, a line each: the terms of one subtopic, then of the next."""
    themes = {theme.name: theme for theme in info.themes}
    rows = [
        (name, *(", ".join(term for term, _ in terms) for terms in themes[name].subtopics))
        for name in names
        if name in themes
    ]
    columns = ("theme", *(f"subtopic {place}" for place in range(1, len(rows[0]))))
    print_table("what is in the largest labels: themes with subtopics that nobody labelled", columns, rows)


def _print_reason(document: Document, found: Explanation) -> None:
    """Print what speaks for the likeliest theme of a document."""
    reason = found.themes[0]
    best = max(reason.subtopics, key=lambda subtopic: subtopic.weight)
    rows = [
        ("text", document.text.strip().split("\n")[0]),
        ("label", ", ".join(document.labels)),
        ("likeliest themes", ", ".join(f"{theme.theme} {format_share(theme.chance)}" for theme in found.themes)),
        ("subtopic", f"{', '.join(best.terms)} {format_weight(best.weight)}"),
        ("words", format_words(reason.words)),
        *(("sentence", " ".join(sentence.text.split())) for sentence in found.sentences),
    ]
    print_table(f"what makes {document.id} look like {reason.theme}", ("", ""), rows)


def _as_json(
    corpus: Any, frequent: Any, specific: Any, themes: ThemesInfo, seconds: dict[str, float]
) -> dict[str, Any]:
    return {
        "corpus": corpus.info().to_dict(),
        "frequent_terms": frequent,
        "specific_terms": {label: dict(terms) for label, terms in specific.items()},
        "themes": themes.to_dict()["themes"],
        "seconds": seconds,
    }
