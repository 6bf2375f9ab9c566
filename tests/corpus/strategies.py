"""Corpora that hypothesis makes, and the ways to write one down."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from wayword import Corpus, Document

COLUMNS = ("id", "text", "labels", "source")
# What a table may hold and a reader must not trip over.
_AWKWARD = st.sampled_from(
    [
        'He said "no", twice.',
        "a,b;c\td|e",
        "two\nlines",
        "old\rmac\r\nand windows",
        "it's; 'quoted'",
        "back\\slash \\",
        "=1+1",
        "[not json",
        "naïve café, 東京, 🙂",
        "line\u2028separator\u0085next",
        '"',
        "NaN",
        "null",
    ]
)


def texts(alphabet: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[str]:
    """Return texts that are not blank; a blank one reads as a missing text."""
    if alphabet is None:
        made = st.text(st.characters(codec="utf-8"), max_size=40) | _AWKWARD
    else:
        made = st.text(alphabet, max_size=40)
    return made.filter(str.strip)


def names(alphabet: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[str]:
    """Return ids and labels: no spaces around, and not a list written as text."""
    stripped = texts(alphabet).map(str.strip)
    return stripped.filter(lambda name: not name.startswith("["))


@st.composite
def corpora(draw: st.DrawFn, alphabet: st.SearchStrategy[str] | None = None) -> Corpus:
    """Return a corpus of a few documents with ids, texts, any number of labels and one further column."""
    ids = draw(st.lists(names(alphabet), min_size=1, max_size=6, unique=True))
    n = len(ids)
    return Corpus(
        draw(st.lists(texts(alphabet), min_size=n, max_size=n)),
        ids=ids,
        labels=draw(st.lists(st.lists(names(alphabet), max_size=3, unique=True), min_size=n, max_size=n)),
        metadata={"source": draw(st.lists(texts(alphabet), min_size=n, max_size=n))},
    )


def as_record(document: Document) -> dict[str, Any]:
    return {"id": document.id, "text": document.text, "labels": list(document.labels), **document.metadata}


def as_json_lines(corpus: Corpus) -> str:
    return "".join(json.dumps(as_record(document), ensure_ascii=False) + "\n" for document in corpus)


def as_table(corpus: Corpus, delimiter: str = ",", label_separator: str | None = None, **options: Any) -> str:
    """Return delimited text; labels are a JSON list, or stand between `label_separator`."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, **options)
    writer.writerow(COLUMNS)
    for document in corpus:
        joined = json.dumps(document.labels) if label_separator is None else label_separator.join(document.labels)
        writer.writerow([document.id, document.text, joined, document.metadata["source"]])
    return file.getvalue()


def as_columns(corpus: Corpus) -> dict[str, list[Any]]:
    return {
        "id": list(corpus.ids),
        "text": list(corpus.texts),
        "labels": [list(names) for names in corpus.labels],
        "source": list(corpus.metadata["source"]),
    }


def write(path: Path, content: str | bytes, encoding: str = "utf-8") -> Path:
    """Write `content` to `path`, gzipped if its name says so, and return the path."""
    data = content.encode(encoding) if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data, compresslevel=1) if path.suffix == ".gz" else data)
    return path


# One writer for each line-based format, by the name of a file of that format.
WRITERS: dict[str, Callable[[Corpus], str]] = {
    "corpus.jsonl": as_json_lines,
    "corpus.csv": as_table,
    "corpus.tsv": lambda corpus: as_table(corpus, "\t"),
}
