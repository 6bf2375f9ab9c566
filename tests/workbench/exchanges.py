"""Rows that hypothesis makes, and small files that other programs would write."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from hypothesis import strategies as st

from wayword.guidance.fields import check_name
from wayword.workbench.exchange import ExchangeFile, ExportRow

# What a cell, a line or a tag may trip over.
AWKWARD = [
    "=1+1",
    "'=1+1",
    "''=1+1",
    "'tis",
    "-5",
    "+49 30",
    "@home",
    "\tindented",
    "\rreturn",
    "'\n",
    "＝SUM(A1)",
    'He said "no", twice; a,b|c',
    "two\nlines\r\nand\rmore",
    "back\\slash \\",
    'back\\"slash',
    "[not json",
    '["a", "b"]',
    "{}",
    "naïve café, 東京, 🙂",
    "line\u2028separator\u0085next",
    "nought \x00 and bell \x07",
    "_x0041_x0042_",
    "_x0041\x07_x005F_",
    "NaN",
    "null",
    "#N/A",
    "TRUE",
    "007",
    " blanks ",
    " ",
    "",
    "<script>alert(1)</script>&amp;",
    "\ufffe\uffff",
]
texts = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(AWKWARD)


def _as_id(text: str) -> str:
    text = text.replace("\0", "")
    return text if text.strip() else f"{text}x"


def _as_name(text: str) -> str:
    printable = "".join(character for character in text if character.isprintable())
    return check_name(printable if printable.strip() else "x", "a name")


ids = texts.map(_as_id)
names = texts.map(_as_name) | st.sampled_from(["room", "staff", "-neg", "=eq", "[x", "5", "a;b", "'-", "NaN"])
labels = st.lists(names, max_size=3, unique=True).map(tuple)
said = st.lists(names, min_size=1, max_size=3, unique=True).map(tuple)
comments = st.lists(st.tuples(ids, texts.map(lambda text: text if text.strip() else "x")), max_size=2, unique=True).map(
    tuple
)


def _shares(drawn: list[tuple[str, int]]) -> dict[str, float]:
    total = sum(weight for _, weight in drawn)
    return {name: weight / total for name, weight in drawn}


shares = st.lists(st.tuples(names, st.integers(1, 9)), max_size=3, unique_by=lambda pair: pair[0]).map(_shares)


@st.composite
def rows(draw: st.DrawFn) -> list[ExportRow]:
    """Return documents with every kind of trouble, and labels in every state."""
    found = draw(st.lists(ids, min_size=1, max_size=5, unique=True))
    columns = draw(st.lists(ids, max_size=2, unique=True) | st.just(["status", "id", "metadata: x", "labels by y"]))
    annotators = draw(st.lists(ids, max_size=3, unique=True))
    return [
        ExportRow(
            id,
            draw(texts),
            {name: draw(texts) for name in columns},
            draw(labels),
            draw(st.sampled_from(["open", "single", "agreed", "adjudicated", "disagreement", "skipped"])),
            {name: draw(said) for name in annotators if draw(st.booleans())},
            draw(st.just("") | names),
            draw(st.none() | st.floats(0, 1)),
            draw(shares),
            draw(shares),
            draw(st.booleans()),
            draw(comments),
        )
        for id in found
    ]


def texts_of(came: ExchangeFile) -> dict[str, str]:
    assert came.documents is not None
    return dict(zip(came.documents.ids, came.documents.texts, strict=True))


def workbook(rows_: list[list[Any]], **entries: bytes) -> bytes:
    """Return an Excel file of one sheet; `entries`, with __ for / and _dot_ for ., are added to its archive."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows_:
        sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return with_entries(
        file.getvalue(), {name.replace("__", "/").replace("_dot_", "."): e for name, e in entries.items()}
    )


def with_entries(data: bytes, entries: dict[str, bytes]) -> bytes:
    """Return an archive in which entries are added or replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename not in entries:
                new.writestr(entry.filename, old.read(entry))
        for name, content in entries.items():
            new.writestr(name, content)
    return file.getvalue()


def entry_of(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name)
