import csv
import io
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wayword.corpus.readers import read_corpus
from wayword.errors import InputError
from wayword.workbench.exchange import FORMATS, SUFFIXES, ExportRow, guess_format, read_exchange, write_exchange
from wayword.workbench.exchange.excel import LONGEST_CELL, escape, pieces, unescape
from wayword.workbench.exchange.rows import agreed
from wayword.workbench.exchange.safety import mark, unmark
from workbench.exchanges import AWKWARD, rows, texts, texts_of

WRITTEN = [format for format in FORMATS if format != "journal"]
HARD = [
    ExportRow(f"id {place} {text[:3].strip()}".replace("\0", "") or "x", text, {"note": text, "status": "shut"})
    for place, text in enumerate(AWKWARD)
]


def settled(row, format):
    """What comes back as settled: Label Studio has no way to say that agreement is not enough."""
    return row.labels or (agreed(row.annotators) or () if format == "label-studio" else ())


@pytest.mark.parametrize("format", WRITTEN)
@given(given_rows=rows())
@example(given_rows=HARD)
def test_ids_texts_labels_annotators_comments_and_flags_come_back(format, given_rows):
    came = read_exchange(write_exchange(given_rows, format), name=f"file{SUFFIXES[format]}", format=format)
    assert texts_of(came) == {row.id: row.text for row in given_rows}
    assert came.labels == {row.id: names for row in given_rows if (names := settled(row, format))}
    assert came.annotators == {row.id: dict(row.annotators) for row in given_rows if row.annotators}
    assert came.comments == {row.id: row.comments for row in given_rows if row.comments}
    assert came.flagged == tuple(row.id for row in given_rows if row.flagged)
    assert came.warnings == []


@pytest.mark.parametrize("format", WRITTEN)
@given(given_rows=rows())
def test_metadata_comes_back_under_its_own_names(format, given_rows):
    came = read_exchange(write_exchange(given_rows, format), format=format)
    assert came.documents is not None
    for row, document in zip(given_rows, came.documents, strict=True):
        # An empty cell of a workbook is no cell.
        blank = format == "xlsx"
        assert {name: value or ("" if blank else value) for name, value in document.metadata.items()} == row.metadata


@pytest.mark.parametrize("format", ["jsonl", "parquet", "xlsx", "label-studio", "doccano", "prodigy"])
def test_numbers_and_switches_of_metadata_stay_what_they_are(format):
    metadata = {"stars": 4, "price": -7.25, "again": True, "none": None}
    row = ExportRow("a", "A clean room", metadata)
    came = read_exchange(write_exchange([row], format), format=format)
    assert came.documents is not None
    assert dict(came.documents[0].metadata) == metadata


@pytest.mark.parametrize("format", WRITTEN)
def test_metadata_of_any_kind_is_written(format):
    from datetime import date

    metadata = {"day": date(2026, 1, 31), "list": [1, {"a": math.nan}], "big": 10**30, "broken \ud800": "half \udfff"}
    came = read_exchange(write_exchange([ExportRow("a", "half \ud83d", metadata)], format), format=format)
    assert texts_of(came) == {"a": "half \ufffd"}
    assert came.documents is not None
    assert came.documents[0].metadata["day"] == "2026-01-31"


@given(texts)
@example("'=x")
def test_a_mark_is_taken_away_exactly(text):
    assert unmark(mark(text)) == text
    assert not mark(text).startswith(tuple("=+-@\t\r\n＝＋－＠"))


@given(texts | st.from_regex(r"[_x0-9A-F\x00-\x0f]{0,12}"))
def test_what_xml_cannot_hold_is_spelt_and_read_again(text):
    assert unescape(escape(text)) == text


@given(st.text(st.sampled_from("a🙂\x00_x041\r"), max_size=40).map(lambda text: text * 2500))
def test_long_texts_are_divided_into_cells_that_fit(text):
    found = pieces(text)
    assert "".join(found) == text
    assert all(len(escape(piece).encode("utf-16-le")) // 2 <= LONGEST_CELL for piece in found)


def test_a_text_longer_than_a_cell_comes_back_whole():
    long = "".join(f"word{number} 🙂\r\n" for number in range(12_000))
    given_rows = [ExportRow("long", long), ExportRow("short", "A clean room"), ExportRow("none", "")]
    came = read_exchange(write_exchange(given_rows, "xlsx"), name="long.xlsx")
    assert texts_of(came) == {row.id: row.text for row in given_rows}


def test_a_long_comment_that_no_cell_holds_is_refused_for_excel():
    row = ExportRow("a", "x", comments=tuple(("ann", f"{number} " + "x" * 9_000) for number in range(4)))
    with pytest.raises(InputError, match=r"comments.*32,767.*jsonl"):
        write_exchange([row], "xlsx")


@given(given_rows=rows())
def test_shares_are_written_for_every_document_and_sum_to_one(given_rows):
    table = list(csv.DictReader(io.StringIO(write_exchange(given_rows, "csv").decode("utf-8-sig"), newline="")))
    lines = [json.loads(line) for line in write_exchange(given_rows, "jsonl").splitlines()]
    assert len(table) == len(lines) == len(given_rows)
    for row, cells, line in zip(given_rows, table, lines, strict=True):
        for prefix, wanted in (("share: ", row.label_shares), ("topic: ", row.topic_shares)):
            found = [float(value) for name, value in cells.items() if name.startswith(prefix) and value]
            assert math.isclose(sum(found), 1) if wanted else not found
        assert line["label_shares"] == row.label_shares
        assert line["topic_shares"] == row.topic_shares


def test_a_table_has_the_guess_its_chance_and_a_column_for_each_share():
    given_rows = [
        ExportRow("a", "x", guess="room", chance=0.75, label_shares={"room": 0.75, "staff": 0.25}),
        ExportRow("b", "y", guess="staff", chance=1.0, label_shares={"staff": 1.0}),
    ]
    first, second = csv.DictReader(io.StringIO(write_exchange(given_rows, "csv").decode("utf-8-sig"), newline=""))
    assert (first["guess"], first["chance"], first["share: room"], first["share: staff"]) == (
        "room", "0.75", "0.75", "0.25",
    )  # fmt: skip
    assert (second["share: room"], second["share: staff"]) == ("0.0", "1.0")


@pytest.mark.parametrize("format", WRITTEN)
def test_rows_may_come_only_once(format):
    given_rows = [ExportRow("a", "x", labels=("room",)), ExportRow("b", "y")]
    assert write_exchange(iter(given_rows), format) == write_exchange(given_rows, format) or format == "xlsx"
    assert read_exchange(write_exchange(iter(given_rows), format), format=format).labels == {"a": ("room",)}


@pytest.mark.parametrize("format", WRITTEN)
def test_a_file_that_wayword_wrote_is_known_by_its_look(format):
    data = write_exchange([ExportRow("a", "x, y", labels=("room",), annotators={"ann": ("room",)})], format)
    assert guess_format(f"file{SUFFIXES[format]}", data) == format
    assert guess_format("", data) == format


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_an_export_is_a_corpus(format, tmp_path):
    given_rows = [ExportRow("a", "A clean room", labels=("room", "bed")), ExportRow("b", "Friendly staff")]
    path = tmp_path / f"out{SUFFIXES[format]}"
    path.write_bytes(write_exchange(given_rows, format))
    corpus = read_corpus(path)
    assert (corpus.ids, corpus.texts, corpus.labels) == (
        ("a", "b"), ("A clean room", "Friendly staff"), (("room", "bed"), ()),
    )  # fmt: skip


def test_the_journal_belongs_to_the_project():
    with pytest.raises(InputError, match="project itself"):
        write_exchange([], "journal")
    with pytest.raises(InputError, match="project itself"):
        read_exchange(b'{"act_id": "1", "kind": "undo"}', name="journal.jsonl")


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(InputError, match=r"label-studio.*'tex'"):
        write_exchange([], "tex")
