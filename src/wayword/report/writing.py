"""Write the report of a model to a file."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

from wayword.corpus.corpus import Corpus
from wayword.corpus.files import replace_file
from wayword.corpus.readers import read_corpus
from wayword.errors import InputError, shorten
from wayword.models.persistence import load
from wayword.progress import Progress, ignore
from wayword.report.gather import gather_report
from wayword.report.page import render_report


def _check_path(path: Path, sources: list[Path]) -> None:
    """Raise unless a report may be written there: never over what it is made from."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, such as {path / 'report.html'}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")
    if any(path.resolve() == source.resolve() for source in sources):
        raise InputError(f"{path} is what the report is made from; name another file")


def _read_corpus(corpus: Any, progress: Progress) -> Corpus | None:
    if corpus is None or isinstance(corpus, Corpus):
        return corpus
    if not isinstance(corpus, str | Path):
        raise InputError(f"corpus must be a Corpus or the path of one, got {shorten(corpus)}; read_corpus makes one")
    return read_corpus(corpus, progress=progress)


def write_report(
    model: Any,
    path: str | Path,
    *,
    corpus: Corpus | str | Path | None = None,
    title: str | None = None,
    date: datetime.date | None = None,
    counts: Any = None,
    progress: Progress = ignore,
) -> Path:
    """Write a page about a model: what its themes or topics are, how good it is, and how it was made.

    The page is one file that needs no network: style, script and figures are inside. The same model, corpus, title and
    date give the same bytes.

    Parameters
    ----------
    model : estimator, Pipeline, str or Path
        A fitted model that knows its terms, a pipeline of a `Vectorizer` and a model, or the file that one of these
        was saved to.
    path : str or Path
        The page. It is replaced if it exists, when all is written; the model or corpus is never replaced.
    corpus : Corpus, str or Path, optional
        Documents to describe, to quote and to measure on. Without them the page says what the model knows.
    title : str, optional
        What the page is called.
    date : date, optional
        The day it says it was made; by default that of the environment variable ``SOURCE_DATE_EPOCH``, else today.
    counts : matrix of shape (n_documents, n_terms), optional
        Counts of the corpus by the pipeline's vectorizer, where they are known already.
    progress : callable
        As for `Vectorizer.transform`.

    Returns
    -------
    Path
        The page.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.pipeline import make_pipeline
    >>> from wayword import NMF, Vectorizer
    >>> from wayword.report import write_report
    >>> texts = ["Clean room", "A large, clean room", "Friendly staff", "The staff were friendly"]
    >>> model = make_pipeline(Vectorizer(), NMF(2)).fit(texts)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, Path(folder) / "stays.html", title="Stays").name
    'stays.html'
    """
    path = Path(path)
    _check_path(path, [Path(source) for source in (model, corpus) if isinstance(source, str | Path)])
    found = load(model) if isinstance(model, str | Path) else model
    read = _read_corpus(corpus, progress)
    report = gather_report(found, read, title=title, date=date, counts=counts, progress=progress)
    page = render_report(report)
    with replace_file(path) as file:
        file.write(page.encode("utf-8", "replace"))
    return path
