import csv
import gzip
import io
import json
import sys
import zipfile
from contextlib import suppress

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword.errors import (
    CorpusError,
    DuplicateIdError,
    InputError,
    LimitError,
    MissingColumnError,
    MissingExtraError,
    WaywordError,
)
from wayword.workbench.exchange import FORMATS, ExportRow, read_exchange, safety, write_exchange, write_exchange_to
from workbench.exchanges import AWKWARD, entry_of, texts_of, with_entries, workbook

FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]
SHEET = "xl/worksheets/sheet1.xml"
ROWS = [["id", "text", "labels"], ["a", "A clean room", "room"], ["b", "Friendly staff", None]]
BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'


def armed(text):
    return ExportRow(text, text, {text: text}, (text.strip(),), annotators={text: (text.strip(),)}, guess=text)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_csv_file_begins_like_a_formula(text):
    cells = [
        cell
        for row in csv.reader(io.StringIO(write_exchange([armed(text)], "csv").decode("utf-8-sig")))
        for cell in row
    ]
    assert f"'{text}" in cells
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r\n＝"))]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_workbook_is_a_formula(text):
    book = openpyxl.load_workbook(io.BytesIO(write_exchange([armed(text)], "xlsx")))
    cells = [cell for row in book.worksheets[0].iter_rows() for cell in row if isinstance(cell.value, str)]
    assert {cell.data_type for cell in cells} == {"s"}
    begins = [cell for cell in cells if cell.value.startswith(tuple("=+-@\t\n＝"))]
    assert begins or text == "\r=1"
    assert all(cell.quotePrefix for cell in begins)


def test_formulas_are_read_as_the_values_they_had():
    data = workbook([["id", "text"], ["a", "=1+1"]])
    sheet = entry_of(data, SHEET).replace(b"<v></v>", b"<v>2</v>").replace(b"<v />", b"<v>2</v>")
    assert b"<f>" in sheet
    assert texts_of(read_exchange(with_entries(data, {SHEET: sheet}), name="x.xlsx")) == {"a": "2"}


def test_a_workbook_that_declares_entities_is_refused():
    data = workbook(ROWS)
    sheet = entry_of(data, SHEET)
    body = sheet[sheet.index(b"<worksheet") :]
    with pytest.raises(CorpusError, match=r"book\.xlsx: 'xl/worksheets/sheet1.xml' declares types or entities"):
        read_exchange(with_entries(data, {SHEET: BOMB + body}), name="book.xlsx")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_entities_are_found_in_any_encoding_and_under_any_name(encoding):
    text = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
    data = with_entries(workbook(ROWS), {"xl/media/image1.png": text.encode(encoding)})
    with pytest.raises(CorpusError, match="declares types or entities"):
        read_exchange(data, name="book.xlsx")


def test_an_archive_that_unpacks_to_far_more_than_it_is_is_refused():
    data = with_entries(workbook(ROWS), {"xl/media/zeros.bin": bytes(20_000_000)})
    assert len(data) < 100_000
    with pytest.raises(LimitError, match=r"zeros.bin' unpacks to more than 200 times"):
        read_exchange(data, name="book.xlsx")


def test_an_archive_that_unpacks_beyond_the_limit_is_refused():
    with pytest.raises(LimitError, match=r"unpacks to .* bytes, at most 40,000"):
        read_exchange(with_entries(workbook(ROWS), {"xl/big.bin": bytes(50_000)}), name="book.xlsx", max_bytes=10_000)


def test_an_entry_that_lies_about_its_size_is_refused():
    data = bytearray(with_entries(workbook(ROWS), {"xl/extra.xml": b"<x>" + b"a" * 5_000 + b"</x>"}))
    # The size unpacked stands 24 bytes into the entry's record in the directory at the end.
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(b"xl/extra.xml"))
    data[place + 24 : place + 28] = (100).to_bytes(4, "little")
    with pytest.raises(CorpusError, match=r"damaged|not well-formed"):
        read_exchange(bytes(data), name="book.xlsx")


def test_an_archive_of_too_many_entries_is_refused():
    entries = {f"xl/part{number}.bin": b"" for number in range(safety.MOST_ENTRIES)}
    with pytest.raises(LimitError, match="entries, at most 2,000"):
        read_exchange(with_entries(workbook(ROWS), entries), name="book.xlsx")


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "C:/x", "xl\\..\\x"])
def test_names_that_point_out_of_the_archive_are_refused(name):
    with pytest.raises(CorpusError, match="points out of the archive"):
        read_exchange(with_entries(workbook(ROWS), {name: b"x"}), name="book.xlsx")


def test_two_entries_of_one_name_are_refused():
    file = io.BytesIO(workbook(ROWS))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(SHEET, b"<worksheet/>")
    with pytest.raises(CorpusError, match=r"two entries .* one name"):
        read_exchange(file.getvalue(), name="book.xlsx")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'<row r="2"', b'<row r="9999999999"', "more than 1,048,576 rows"),
        (b'r="A2"', b'r="XFE2"', "more than 16,384 columns"),
    ],
)
def test_a_sheet_beyond_the_limits_is_refused(old, new, said):
    data = workbook(ROWS)
    sheet = entry_of(data, SHEET)
    assert old in sheet
    with pytest.raises(LimitError, match=said):
        read_exchange(with_entries(data, {SHEET: sheet.replace(old, new)}), name="book.xlsx")


def test_macros_links_and_further_sheets_are_left_alone_and_told():
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.create_sheet("more")
    file = io.BytesIO()
    book.save(file)
    extra = {"xl/vbaProject.bin": b"\xcc\x61", "xl/externalLinks/externalLink1.xml": b"<externalLink/>"}
    came = read_exchange(with_entries(file.getvalue(), extra), name="book.xlsm")
    assert texts_of(came) == {"a": "A clean room", "b": "Friendly staff"}
    assert [warning.split(";")[0] for warning in came.warnings] == [
        "the workbook has macros",
        "the workbook links to other files",
        "only the first sheet, 'Sheet', was read",
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 and no more", "a damaged Excel file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old .xls file or one with a password"),
        (b"<html>", "not an Excel workbook"),
        (workbook([["id", "text"], ["a", "x"]])[:3000], "damaged"),
        (with_entries(workbook(ROWS), {SHEET: b"<worksheet><broken"}), "not well-formed"),
        (with_entries(workbook(ROWS), {SHEET: b'<worksheet xmlns="x"/>'}), "empty"),
        (with_entries(workbook(ROWS), {"xl/workbook.xml": b"<x/>"}), "no sheet with cells"),
        (with_entries(workbook(ROWS), {"[Content_Types].xml": b"<x/>"}), "not a readable Excel file"),
        (workbook([["id", "id"], ["a", "b"]]), "two columns have one name"),
        (workbook([["id", None], ["a", "b"]]), "row 2: a cell stands in a column without a name"),
        (workbook([]), "empty"),
    ],
)
def test_what_is_no_workbook_is_told_in_one_error(data, said):
    with pytest.raises(CorpusError, match=said):
        read_exchange(data, name="book.xlsx", format="xlsx")


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(200) + b"PAR1", b"text"])
def test_what_is_no_parquet_file_is_told_in_one_error(data):
    with pytest.raises(CorpusError, match="Parquet"):
        read_exchange(data, name="x.parquet", format="parquet")


@pytest.mark.parametrize(
    ("package", "format", "extra"),
    [("pyarrow", "parquet", "parquet"), ("openpyxl", "xlsx", "excel"), ("defusedxml", "xlsx", "excel")],
)
def test_a_missing_package_names_its_extra(package, format, extra, monkeypatch):
    data = write_exchange([ExportRow("a", "x")], format)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package}.*wayword\[{extra}\]"):
        read_exchange(data, name=f"x.{format}")
    if package != "defusedxml":
        with pytest.raises(MissingExtraError, match=rf"{package}.*wayword\[{extra}\]"):
            write_exchange([ExportRow("a", "x")], format)


@pytest.mark.parametrize("format", ["csv", "jsonl", "xlsx", "parquet", "label-studio"])
def test_a_file_above_the_limit_is_refused(format):
    data = write_exchange([ExportRow("a", "x" * 2_000)], format)
    with pytest.raises(LimitError, match=r"the file: .* bytes, at most 1,000"):
        read_exchange(data, format=format, max_bytes=1_000)


@pytest.mark.parametrize("name", ["x.csv.gz", "x.jsonl.gz"])
def test_a_packed_file_that_grows_above_the_limit_is_refused(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"id,text\n" + b"a,x\n" * 500_000))
    with pytest.raises(LimitError, match="at most 1,000,000 are read"):
        read_exchange(path, max_bytes=1_000_000)


@pytest.mark.parametrize(
    ("encoding", "warned"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("cp1252", "Windows-1252"),
        ("latin-1", "Windows-1252"),
    ],
)
@pytest.mark.parametrize("format", ["csv", "jsonl", "label-studio"])
def test_text_in_other_encodings_is_read_and_a_guess_is_told(encoding, warned, format):
    text = "Ein schönes Zimmer in Genève"
    made = {
        "csv": f"id,text,labels\na,{text},räume\n",
        "jsonl": json.dumps({"id": "a", "text": text, "labels": ["räume"]}, ensure_ascii=False),
        "label-studio": json.dumps(
            [{"data": {"id": "a", "text": text}, "annotations": [{"result": [{"value": {"choices": ["räume"]}}]}]}],
            ensure_ascii=False,
        ),
    }[format]
    came = read_exchange(made.encode(encoding), name="x", format=format)
    assert texts_of(came) == {"a": text}
    assert came.labels == {"a": ("räume",)}
    assert len(came.warnings) == bool(warned)
    assert all(warned in warning for warning in came.warnings)


def test_bytes_that_windows_does_not_know_are_latin_1():
    came = read_exchange(b"id,text\na,\x81 caf\xe9\n", name="x.csv")
    assert texts_of(came) == {"a": "\x81 café"}
    assert "read as Latin-1" in came.warnings[0]


@pytest.mark.parametrize(
    ("name", "data"),
    [("x.csv", b"\xef\xbb\xbfid,text\na,\xff\n"), ("x.jsonl", b'\xef\xbb\xbf{"id": "a", "text": "\xff"}')],
)
def test_a_file_with_a_mark_and_broken_text_is_told(name, data):
    with pytest.raises(CorpusError, match=f"{name}.*not utf-8"):
        read_exchange(data, name=name)


def test_nul_bytes_are_text():
    assert texts_of(read_exchange(b"id,text\na,x\x00y\n", name="x.csv")) == {"a": "x\0y"}
    assert texts_of(read_exchange(b'{"id": "a", "text": "x\\u0000y"}', name="x.jsonl")) == {"a": "x\0y"}


def test_a_very_long_line_is_refused(monkeypatch):
    from wayword.corpus.files import Limits
    from wayword.workbench.exchange import sources

    monkeypatch.setattr(sources, "DEFAULT_LIMITS", Limits(max_field=1_000))
    data = b'{"id": "a", "text": "x"}\n' + json.dumps({"id": "b", "text": "x" * 2_000}).encode()
    with pytest.raises(LimitError, match="line 2: a line of more than 1,000 characters"):
        read_exchange(data, name="x.jsonl")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"id": "a", "text": "x"}\n\n{"id": "b", "text": \n', r"line 3: expected JSON"),
        (b'{"id": "a", "text": "x"}\n[1]\n', "line 2: expected a JSON object, got list"),
        (b'[{"id": "a", "text": "x"},\n{"id": "b",\n"text" "x"}]', "line 3: expected JSON"),
        (b'[{"id": "a", "text": "x"},\n{"id": "b"}', "line 2.*cut off"),
        (b'[{"id": "a", "text": "x"}\n', "cut off"),
        (b'[{"id": "a", "text": "x"} {"id": "b", "text": "x"}]', "cut off"),
        (b'[' * 100_000, "nested too deep"),
        (b'{"id": "a", "text": "x", "m": ' + b'[' * 100_000 + b"]" * 100_000 + b"}", "line 1: .*nested too deep"),
        (b'{"id": "a", "text": "x", "m": ' + b'[' * 60 + b"]" * 60 + b"}", "line 1: .*50 levels deep"),
        (b'{"id": "a", "text": "x", "n": ' + b"1" * 5_000 + b"}", "line 1: expected JSON"),
        (b'{"id": "a", "text": "half \\ud800"}', "line 1: half a character, U\\+D800"),
        (b'{"id": "a", "text": "x", "m": {"deep": ["\\ud800"]}}', "line 1: half a character"),
        (b'{"id": "a", "text": ["x"]}', "line 1: a text was expected, got list"),
        (b'{"id": ["a"], "text": "x"}', "line 1: an id must be text or a number, got list"),
        (b'{"id": true, "text": "x"}', "line 1: an id must be text or a number, got bool"),
        (b'{"id": "' + b"a" * 501 + b'", "text": "x"}', "line 1: an id may have 500 characters"),
        (b'{"id": "a\\u0000", "text": "x"}', "line 1: an id must be plain text"),
        (b'{"id": "a", "labels": [{"a": 1}]}', "line 1: a label must be a name or a number, got dict"),
        (b'{"id": "a", "labels": [[0, 9, "LOC"]]}', "line 1: .*spans of text cannot"),
        (b'{"id": "a", "labels": ["two\\nlines"]}', "line 1: a label must stand on one line"),
        (b'{"id": "a", "labels": ["' + b"x" * 300 + b'"]}', "line 1: a label may have 200"),
        (b'{"labels": ["a"]}', "no column 'text' and no column 'id'"),
        (b'{"id": null, "labels": ["a"]}', "line 1: neither an id nor a text"),
        (b"", "no documents and no labels"),
    ],
)  # fmt: skip
def test_bad_lines_are_told_with_their_number(data, said):
    with pytest.raises(CorpusError, match=said) as told:
        read_exchange(data, name="x.jsonl", format="jsonl")
    assert len(str(told.value)) < 400


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"id,text\na,x\nb,y\na,z\n", "x.csv"),
        (b'{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n\n{"id": "a", "text": "z"}', "x.jsonl"),
        (b'[{"data": {"id": "a", "text": "x"}},\n\n{"data": {"id": "a", "text": "z"}}]', "x.json"),
        (b'{"text": "x", "meta": {"id": 1}, "accept": []}\n{"text": "z", "meta": {"id": 1}, "accept": []}', "p"),
    ],
)
def test_an_id_that_comes_twice_is_told_with_both_lines(data, name):
    format = "prodigy" if name == "p" else "label-studio" if name == "x.json" else None
    with pytest.raises(DuplicateIdError, match=r"line [234]: id '\w' stands already at line [12]"):
        read_exchange(data, name=name, format=format)


def test_not_a_number_is_no_label_no_id_and_no_text():
    data = b'{"id": "a", "text": "x", "labels": NaN, "stars": NaN, "far": Infinity, "deep": [-Infinity, 1e999]}'
    came = read_exchange(data, name="x.jsonl")
    assert came.labels == {}
    assert came.documents is not None
    assert dict(came.documents[0].metadata) == {"stars": None, "far": None, "deep": [None, None]}


def test_numbers_are_names():
    came = read_exchange(b'{"id": 7, "text": "x", "labels": [5, 2.0, "b"]}', name="x.jsonl")
    assert came.labels == {"7": ("5", "2", "b")}


def test_a_failed_export_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    def rows():
        yield ExportRow("a", "x")
        raise OSError("the disk is full")

    for format in ("jsonl", "csv", "xlsx", "parquet", "prodigy"):
        with pytest.raises(OSError, match="full"):
            write_exchange_to(path, rows(), format)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_whole_export_takes_the_place_of_the_old_file(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    rows = [ExportRow(f"d{place}", text) for place, text in enumerate(AWKWARD)]
    write_exchange_to(path, iter(rows), "jsonl")
    assert texts_of(read_exchange(path)) == {row.id: row.text for row in rows}


def test_what_cannot_be_a_file_or_a_row_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="path or bytes, got int"):
        read_exchange(5)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="must be ExportRow, got str"):
        write_exchange(["a"], "csv")  # pyright: ignore[reportArgumentType]
    with pytest.raises(CorpusError, match="cannot be opened"):
        read_exchange(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="cannot tell the format"):
        read_exchange(b"what is this", name="x.doc")
    with pytest.raises(MissingColumnError, match="no column 'text' and no column 'id'; the columns are 'a', 'b'"):
        read_exchange(b"a,b\n1,2\n", name="x.csv")


WHOLE = ExportRow("a", "A clean room", {"n": 1}, ("room",), annotators={"ann": ("room",)}, comments=(("ann", "x"),))
SAMPLES = {format: write_exchange([WHOLE], format) for format in FORMATS if format != "journal"}


@pytest.mark.parametrize("format", SAMPLES)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_and_never_break_anything(format, data):
    damaged = bytearray(SAMPLES[format])
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), max_size=8)):
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.just(len(damaged)) | st.integers(0, len(damaged)))
    with suppress(WaywordError):
        assert read_exchange(bytes(damaged[:cut]), format=format).warnings is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["id", "text", "data", "label", "labels", "annotations", "result", "completed_by", "value", "choices", "meta"]
KEYS += ["accept", "options", "answer", "_annotator_id", "Comments", "comments", "annotators", "status", "metadata"]
KEYS += ["flagged", "predictions", "spans", "annotator", "annotation_id", "lead_time", "type", "ground_truth"]


@pytest.mark.parametrize("format", ["jsonl", "label-studio", "doccano", "prodigy"])
@given(
    record=st.recursive(
        st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8),
        lambda inner: st.dictionaries(st.sampled_from(KEYS), inner | st.lists(inner, max_size=2), max_size=6),
        max_leaves=6,
    )
)
def test_odd_values_under_known_keys_are_read_or_refused(format, record):
    whole = {"id": "a", "text": "x"} | record
    with suppress(WaywordError):
        came = read_exchange(json.dumps(whole).encode(), format=format)
        assert came.documents is not None or came.labels is not None
