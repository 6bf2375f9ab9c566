"""Every kind of bad input: which error, and that its message names the file, the place and the way out."""

import csv
import gc
import gzip
import io
import json
import random
import sys
import tracemalloc
import warnings

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from corpus.strategies import write
from wayword import read_corpus
from wayword.errors import (
    CorpusError,
    DroppedDocumentsWarning,
    DuplicateIdError,
    EncodingError,
    InputError,
    LimitError,
    MissingColumnError,
    WaywordError,
)

LATIN = "café".encode("latin-1")
# Each format's rows 1 and 3 are good; row 2 takes what a test puts there.
SMALL = {
    "a.jsonl": (b'{"id": "1", "text": "one"}\n', b'{"id": "3", "text": "three"}\n', 2),
    "a.csv": (b"id,text\n1,one\n", b"3,three\n", 3),
    "a.tsv": (b"id\ttext\n1\tone\n", b"3\tthree\n", 3),
}


def refuse(error, source, *words, place="", **options):
    """Read `source`, which must fail with exactly `error`, and find the words in its message."""
    with pytest.raises(CorpusError) as caught:
        read_corpus(source, **options)
    assert type(caught.value) is error, f"{type(caught.value).__name__}: {caught.value}"
    assert caught.value.place == place
    message = str(caught.value)
    assert str(source) in message or not hasattr(source, "exists")
    assert place in message
    for word in words:
        assert word in message
    return caught.value


def keep_good(source, *, places, **options):
    """Read `source` with errors="skip"; return the corpus after checking what was reported."""
    with pytest.warns(DroppedDocumentsWarning) as caught:
        corpus = read_corpus(source, errors="skip", **options)
    assert [row.place for row in corpus.skipped] == places
    message = str(caught[0].message)
    assert len(caught) == 1
    assert f"left out {len(places):,} bad rows, kept {len(corpus):,} documents" in message
    assert f"{places[0]}: {corpus.skipped[0].problem}" in message
    return corpus


def sandwich(tmp_path, name, row):
    before, after, line = SMALL[name]
    return write(tmp_path / name, before + row + after), f"line {line}"


# What is not there


def test_missing_file_is_named(tmp_path):
    refuse(CorpusError, tmp_path / "nowhere.jsonl", "no such file or folder")


@pytest.mark.parametrize("text", ["The room was clean. " * 500, "The room\0was clean."])
def test_text_in_place_of_a_path_is_no_such_file(text):
    with pytest.raises(CorpusError, match="no such file or folder"):
        read_corpus(text)


def test_unknown_suffix_asks_for_the_format(tmp_path):
    refuse(CorpusError, write(tmp_path / "corpus.docx", "x"), "say format= one of", "jsonl", "parquet")


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "uci"])
def test_folder_in_place_of_a_file_cannot_be_opened(tmp_path, format):
    with pytest.raises(CorpusError, match=str(tmp_path)):
        read_corpus(tmp_path, format=format)


@pytest.mark.parametrize("source", [5, b"bytes", {"text": ["a"]}, None, 2.5])
def test_source_of_unknown_kind_is_refused(source):
    with pytest.raises(InputError, match=f"read from a path.*got {type(source).__name__}"):
        read_corpus(source)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"errors": "ignore"}, "errors must be 'raise' or 'skip', got 'ignore'"),
        ({"format": "xml"}, "format must be one of jsonl.*got 'xml'"),
        ({"text": []}, "text"),
        ({"text": 5}, "text must name a column"),
        ({"max_field": 10**30}, "max_field must be from 1 to"),
        ({"max_field": 0}, "max_field"),
        ({"delimiter": "||"}, "delimiter"),
    ],
)
def test_bad_option_is_refused(tmp_path, options, message):
    path = write(tmp_path / "a.csv", "id||text\n1||one\n")
    with pytest.raises(InputError, match=message):
        read_corpus(path, **options)


def test_open_file_is_refused(tmp_path):
    with write(tmp_path / "a.csv", "id,text\n1,one\n").open() as file, pytest.raises(InputError, match="from a path"):
        read_corpus(file)


def test_half_a_character_is_named_by_its_line(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "fine"}\n{"text": "cut \\ud83d"}\n')
    with pytest.raises(CorpusError, match=r"line 2: half a character, U\+D83D, in 'text'"):
        read_corpus(path)


def test_id_after_a_first_row_without_one_is_refused(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "one"}\n{"text": "two", "id": "b"}\n')
    with pytest.raises(CorpusError, match="line 2: has an id in 'id', but the first row has none"):
        read_corpus(path)


def test_compression_in_capitals_is_known(tmp_path):
    path = tmp_path / "A.JSONL.GZ"
    path.write_bytes(gzip.compress(b'{"text": "one"}'))
    assert read_corpus(path).texts == ("one",)


def test_absolute_pattern_of_files_is_refused(tmp_path):
    write(tmp_path / "a.txt", "text")
    for pattern in ("/etc/*.txt", ""):
        with pytest.raises(WaywordError, match="files"):
            read_corpus(tmp_path, files=pattern)


# Columns


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,body,stars\n1,one,5\n"),
        ("a.tsv", "id\tbody\tstars\n1\tone\t5\n"),
    ],
)
@pytest.mark.parametrize(
    ("options", "missing"),
    [({}, "text"), ({"text": "Body"}, "Body"), ({"text": "body", "labels": ["stars", "topic"]}, "topic")],
)
def test_missing_column_of_a_table_lists_the_columns(tmp_path, name, content, options, missing):
    path = write(tmp_path / name, content)
    refuse(MissingColumnError, path, f"no column '{missing}'", "the columns are 'id', 'body', 'stars'", **options)


def test_missing_column_of_a_table_is_not_skipped(tmp_path):
    path = write(tmp_path / "a.csv", "id,body\n1,one\n")
    refuse(MissingColumnError, path, "'id', 'body'", errors="skip")


def test_missing_text_in_json_lines_names_the_line_and_the_columns(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "one"}\n{"id": "2", "body": "two"}\n')
    refuse(MissingColumnError, path, "no column 'text'", "'id', 'body'", place="line 2", id=None)
    assert keep_good(path, places=["line 2"], id=None).texts == ("one",)


@pytest.mark.parametrize("name", ["id", "labels"])
def test_named_column_that_no_json_line_has_is_missing(tmp_path, name):
    path = write(tmp_path / "a.jsonl", '{"text": "one", "stars": 5}\n')
    with pytest.raises(MissingColumnError, match="no column 'nope'; the columns are 'text', 'stars'") as caught:
        read_corpus(path, **{name: "nope"})
    assert str(path) in str(caught.value)


def test_column_missing_from_every_line_is_reported_even_when_skipping(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"body": "one"}\n{"body": "two"}\n')
    refuse(MissingColumnError, path, "no column 'text'", "'body'", errors="skip")


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"id": ["1"], "body": ["b"]}), pa.table({"id": ["1"], "body": ["b"]})],
    ids=["pandas", "arrow"],
)
def test_missing_column_of_a_frame_lists_the_columns(frame):
    with pytest.raises(MissingColumnError, match="no column 'text'; the columns are 'id', 'body'"):
        read_corpus(frame)


def test_missing_column_of_a_parquet_file_lists_the_columns(tmp_path):
    parquet.write_table(pa.table({"id": ["1"], "body": ["b"]}), tmp_path / "a.parquet")
    refuse(MissingColumnError, tmp_path / "a.parquet", "no column 'text'", "'id', 'body'")


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = write(tmp_path / "a.csv", "id,text,text\n1,one,eins\n")
    refuse(CorpusError, path, "two columns are called 'text'; rename one", place="line 1")


def test_two_columns_of_one_name_in_a_frame_are_refused():
    with pytest.raises(CorpusError, match="text"):
        read_corpus(pd.DataFrame([["a", "b"]], columns=["text", "text"]))


# Ids


@pytest.mark.parametrize(
    ("name", "content", "first", "second"),
    [
        (
            "a.jsonl",
            '{"id": 7, "text": "a"}\n\n{"id": "7", "text": "b"}\n{"id": "8", "text": "c"}\n',
            "line 1",
            "line 3",
        ),
        ("a.csv", 'id,text\n7,"a\nb"\n7,c\n8,d\n', "line 2", "line 4"),
        ("a.tsv", "id\ttext\n7\ta\n7\tb\n8\tc\n", "line 2", "line 3"),
    ],
)
def test_duplicate_id_names_both_places(tmp_path, name, content, first, second):
    path = write(tmp_path / name, content)
    refuse(DuplicateIdError, path, f"id '7' stands already at {first}", "id=None numbers the rows", place=second)
    assert keep_good(path, places=[second]).ids == ("7", "8")


def test_duplicate_id_is_found_far_apart(tmp_path):
    lines = [json.dumps({"id": k, "text": "t"}) for k in range(3000)]
    path = write(tmp_path / "a.jsonl", "\n".join([*lines, lines[0]]))
    refuse(DuplicateIdError, path, "id '0' stands already at line 1", place="line 3001")


def test_duplicate_id_in_a_frame_names_both_rows():
    with pytest.raises(DuplicateIdError, match=r"row 2: id 'x' stands already at row 0"):
        read_corpus(pd.DataFrame({"id": ["x", "y", "x"], "text": ["a", "b", "c"]}))


@pytest.mark.parametrize("id", ['""', '"  "', "null", "[1]", '{"a": 1}', "NaN"])
def test_id_that_is_none_is_refused(tmp_path, id):
    path, place = sandwich(tmp_path, "a.jsonl", f'{{"id": {id}, "text": "two"}}\n'.encode())
    refuse(CorpusError, path, "column 'id' must hold an id, got", place=place)
    assert keep_good(path, places=[place]).ids == ("1", "3")


HOSTILE = [
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE documents; --",
    "a\0b",
    "new\nline",
    "\x1b[31mred",
    "\u202eright to left",
    "{0.__class__}",
    "%s%n",
    "x" * 100_000,
    "-1",
    "nan",
]


def test_hostile_ids_are_kept_as_they_are(tmp_path):
    path = write(tmp_path / "a.jsonl", "".join(json.dumps({"id": id, "text": "t"}) + "\n" for id in HOSTILE))
    corpus = read_corpus(path)
    assert corpus.ids == tuple(HOSTILE)
    assert [corpus.document(id).id for id in HOSTILE] == HOSTILE


@pytest.mark.parametrize("id", HOSTILE)
def test_message_about_a_hostile_id_is_one_short_printable_line(tmp_path, id):
    path = write(tmp_path / "a.jsonl", "".join(json.dumps({"id": id, "text": "t"}) + "\n" for _ in range(2)))
    message = str(refuse(DuplicateIdError, path, "line 1", place="line 2"))
    assert message.isprintable()
    assert len(message) < 1000


@pytest.mark.parametrize(
    "value", [["x"] * 100_000, "[" + "x" * 100_000, {"k": "x" * 100_000}], ids=["list", "text", "object"]
)
def test_message_about_a_huge_value_is_short(value):
    with pytest.raises(CorpusError) as caught:
        read_corpus([{"id": "1", "text": "a", "labels": 5}, {"id": "2", "text": "b", "labels": value}])
    assert len(str(caught.value)) < 1000


# Nothing to read


@pytest.mark.parametrize("content", ["", "\n\n \n"], ids=["no bytes", "blank lines"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.jsonl.gz", "a.csv.gz"])
@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_empty_file_is_called_empty(tmp_path, name, content, errors):
    refuse(CorpusError, write(tmp_path / name, content), "empty", errors=errors)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_table_with_only_a_header_has_no_documents(tmp_path, name):
    delimiter = "\t" if name.endswith("tsv") else ","
    refuse(CorpusError, write(tmp_path / name, delimiter.join(["id", "text"]) + "\n"), "no documents")


@pytest.mark.parametrize("source", [[], (), pd.DataFrame({"text": []}), pa.table({"text": pa.array([], pa.string())})])
def test_empty_source_is_called_empty(source):
    with pytest.raises(CorpusError, match=r"no documents.*empty"):
        read_corpus(source)


def test_empty_parquet_file_is_not_readable(tmp_path):
    refuse(CorpusError, write(tmp_path / "a.parquet", b""), "Parquet")


def test_folder_without_texts_says_what_it_holds(tmp_path):
    write(tmp_path / "a.md", "x")
    write(tmp_path / "b.PDF", "x")
    refuse(CorpusError, tmp_path, "no file fits files='**/*.txt'", ".PDF, .md")


def test_folder_without_files_says_so(tmp_path):
    refuse(CorpusError, tmp_path, "no files at all")


@pytest.mark.parametrize("name", SMALL)
def test_nothing_left_after_skipping_is_an_error_with_the_reasons(tmp_path, name):
    header = b"" if name == "a.jsonl" else SMALL[name][0].splitlines()[0] + b"\n"
    path = write(tmp_path / name, header + b"broken\nbroken\n")
    refuse(CorpusError, path, "no documents", f"line {1 + bool(header)}: expected", errors="skip")


# Broken rows


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{'id': 1}", ["one JSON object on the line", "{'id': 1}"]),
        ('{"id": "2", "text": "cut o', ["cut o"]),
        ('{"id": "2"} trailing', ["Extra data"]),
        ("plain text", ["'plain text'"]),
        ('["a list"]', ["expected a JSON object, got a list"]),
        ('"a string"', ["expected a JSON object, got a str"]),
        ("null", ["expected a JSON object"]),
        ("[" * 100_000, ["one JSON object on the line"]),
        ('{"id": "2", "text": "two", "n": ' + "9" * 10_000 + "}", ["one JSON object on the line"]),
        ('{"id": "2", "text": "a\0b"}', ["control character"]),
        ('{"id": "2", "text": ["a", "list"]}', ["column 'text' must hold text, got list"]),
        ('{"id": "2", "text": {"a": 1}}', ["column 'text' must hold text, got dict"]),
    ],
    ids=range(12),
)
def test_broken_json_line_is_named(tmp_path, line, words):
    path, place = sandwich(tmp_path, "a.jsonl", line.encode() + b"\n")
    refuse(CorpusError, path, *words, place=place)
    assert keep_good(path, places=[place]).texts == ("one", "three")


def test_places_count_lines_not_rows(tmp_path):
    path = write(tmp_path / "a.jsonl", '\n\n{"text": "a"}\n\nbroken\n')
    refuse(CorpusError, path, place="line 5")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("width", [1, 3, 4])
def test_ragged_row_is_named(tmp_path, name, width):
    delimiter = b"\t" if name == "a.tsv" else b","
    path, place = sandwich(tmp_path, name, delimiter.join([b"2"] * width) + b"\n")
    refuse(CorpusError, path, f"expected 2 fields as in the header, got {width}", "check quotes", place=place)
    assert keep_good(path, places=[place]).texts == ("one", "three")


def test_ragged_row_after_quoted_newlines_is_named_by_its_first_line(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"a\nb\nc"\n2,"d\ne",f\n3,g\n')
    refuse(CorpusError, path, "expected 2 fields", place="line 5")


def test_text_after_a_closing_quote_is_named(tmp_path):
    path, place = sandwich(tmp_path, "a.csv", b'2,"two" or so\n')
    refuse(CorpusError, path, "not a row of the table", place=place)
    assert keep_good(path, places=[place]).texts == ("one", "three")


def test_one_bad_row_does_not_change_how_the_others_are_read(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"one, quoted"\n2,"two" or so\n3,"three"\n')
    assert keep_good(path, places=["line 3"]).texts == ("one, quoted", "three")


def test_unclosed_quote_is_named_by_the_line_it_opens_on(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"one"\n2,"never closed\n3,three\n4,four\n')
    for errors in ("raise", "skip"):
        refuse(CorpusError, path, "never closed and swallows the 2 lines after it", place="line 3", errors=errors)


def test_unclosed_quote_on_the_last_line_is_one_bad_row(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"one"\n2,"never closed\n')
    refuse(CorpusError, path, place="line 3")
    assert keep_good(path, places=["line 3"]).texts == ("one",)


def test_id_that_the_first_row_lacks_stops_skipping_too(tmp_path):
    path = write(
        tmp_path / "a.jsonl", '{"text": "one"}\n' + "".join(f'{{"text": "x", "id": "{k}"}}\n' for k in range(9))
    )
    refuse(CorpusError, path, "the first row has none", place="line 2", errors="skip")


def test_unclosed_quote_in_a_long_file_is_named_by_the_line_it_opens_on(tmp_path):
    rows = [f'{k},"row {k}, quoted"\n' for k in range(3000)]
    rows[1500] = '1500,"row 1500, never closed\n'
    path = write(tmp_path / "a.csv", "id,text\n" + "".join(rows) + '9999,"x\n')
    refuse(CorpusError, path, place="line 1502")


@pytest.mark.parametrize("item", [None, 5, ["nested"], b"bytes", 2.5])
def test_item_of_a_list_that_is_no_text_is_named(item):
    source = ["one", item, "three"]
    kind = type(item).__name__
    with pytest.raises(CorpusError, match=rf"list, item 1: expected a string or a mapping, got {kind} ") as caught:
        read_corpus(source)
    assert caught.value.place == "item 1"
    corpus = keep_good(source, places=["item 1"])
    assert (corpus.ids, corpus.texts) == (("0", "2"), ("one", "three"))


# Encodings


def test_byte_that_a_single_byte_encoding_lacks_is_named_by_its_line(tmp_path):
    path = write(tmp_path / "a.jsonl", b'{"text": "one"}\n{"text": "\x81"}\n{"text": "three"}\n')
    refuse(EncodingError, path, "not cp1252 text (byte 0x81)", place="line 2", encoding="cp1252")
    assert keep_good(path, places=["line 2"], encoding="cp1252").texts == ("one", "three")


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("a.jsonl", b'{"id": "2", "text": "' + LATIN + b'"}\n'),
        ("a.csv", b"2," + LATIN + b"\n"),
        ("a.tsv", b"2\t" + LATIN + b"\n"),
    ],
)
@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF8", "ascii"])
def test_row_in_another_encoding_is_named(tmp_path, name, row, suffix, encoding):
    before, after, line = SMALL[name]
    path = write(tmp_path / (name + suffix), before + row + after)
    options = {"encoding": encoding, "place": f"line {line}"}
    refuse(EncodingError, path, "0xe9", "name the file's encoding, for example encoding='latin-1'", **options)
    assert keep_good(path, places=[f"line {line}"], encoding=encoding).texts == ("one", "three")
    assert read_corpus(path, encoding="latin-1").texts == ("one", "café", "three")


def test_header_in_another_encoding_is_named(tmp_path):
    path = write(tmp_path / "a.csv", LATIN + b",text\n1,one\n")
    refuse(EncodingError, path, "0xe9", "encoding='latin-1'", place="line 1")


def test_file_of_a_folder_in_another_encoding_is_named(tmp_path):
    write(tmp_path / "a.txt", "good")
    write(tmp_path / "b.txt", LATIN)
    with pytest.raises(EncodingError, match=r"b\.txt: not utf-8 text.*0xe9.*encoding='latin-1'"):
        read_corpus(tmp_path)
    assert keep_good(tmp_path, places=["b.txt"]).texts == ("good",)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_utf_16_that_ends_inside_a_character_is_refused(tmp_path, name, encoding):
    before, _, _ = SMALL[name]
    content = before.decode().encode(encoding)[:-1]
    path = write(tmp_path / name, content)
    refuse(EncodingError, path, f"not {encoding} text", place=f"before byte {len(content)}")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_utf_16_without_a_mark_is_refused(tmp_path, name):
    path = write(tmp_path / name, SMALL[name][0].decode(), "utf-16-le")
    with pytest.raises(CorpusError, match=str(path)):
        read_corpus(path)


@pytest.mark.parametrize("encoding", ["latin-99", "base64", "rot13", "utf-8\0"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_unknown_encoding_is_refused_by_name(tmp_path, name, encoding):
    path = write(tmp_path / name, SMALL[name][0])
    refuse(EncodingError, path, f"unknown encoding {encoding!r}", "such as 'latin-1'", encoding=encoding)


# Limits


def bomb(path, head=b"", row=b"", megabytes=200):
    """Write a gzip file that unpacks to rows of spaces, quickly: a member of 1 MB, again and again."""
    member = gzip.compress((row.ljust(2**14 - 1) + b"\n") * 64)
    path.write_bytes((gzip.compress(head) if head else b"") + member * megabytes)
    return path


@pytest.mark.parametrize(
    ("name", "row", "errors"), [("a.jsonl", b"", "skip"), ("a.csv", b"x,", "raise"), ("a.tsv", b"x\t", "skip")]
)
def test_gzip_bomb_is_refused_before_it_fills_memory(tmp_path, name, row, errors):
    path = bomb(tmp_path / f"{name}.gz", SMALL[name][0], row)
    assert path.stat().st_size < 2**19
    tracemalloc.start()
    try:
        refuse(LimitError, path, "more than 100 times its size", "max_ratio=None", errors=errors, id=None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**26


def test_gzip_bomb_without_a_line_end_is_refused(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(bytes(2**20)) * 200)
    with pytest.raises(LimitError, match=str(path)):
        read_corpus(path)


def test_gzip_bomb_is_refused_in_a_folder_and_as_parquet(tmp_path):
    path = bomb(tmp_path / "a.txt.gz")
    with pytest.raises(LimitError, match=str(path)):
        read_corpus(tmp_path, max_field=2**30)
    refuse(LimitError, bomb(tmp_path / "a.parquet.gz"), "max_ratio=None")


def test_trusted_file_may_unpack_to_any_size(tmp_path):
    path = bomb(tmp_path / "a.jsonl.gz", SMALL["a.jsonl"][0], megabytes=70)
    refuse(LimitError, path)
    assert read_corpus(path, max_ratio=None).texts == ("one",)
    assert read_corpus(path, max_ratio=2000).texts == ("one",)


def test_small_file_of_one_repeated_word_is_no_bomb(tmp_path):
    path = write(tmp_path / "a.jsonl.gz", json.dumps({"text": "word " * 400_000}))
    assert 100 * path.stat().st_size < 400_000 * 5
    assert len(read_corpus(path)) == 1


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-12], lambda data: data[: len(data) // 2], lambda data: data[:11]]
)
@pytest.mark.parametrize("name", SMALL)
def test_cut_off_gzip_is_refused(tmp_path, name, damage):
    noise = random.Random(0).randbytes(3000).hex().encode()
    before, after, _ = SMALL[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(damage(gzip.compress(before + after.replace(b"three", noise))))
    refuse(CorpusError, path, "damaged or cut off gzip file", "fetch it again")


def test_damaged_gzip_is_refused(tmp_path):
    data = bytearray(gzip.compress(SMALL["a.jsonl"][0] * 100))
    data[-6] ^= 0xFF
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(data)
    refuse(CorpusError, path, "damaged or cut off gzip file", id=None)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("a.jsonl", b'{"id": "2", "text": "%s"}\n'),
        ("a.csv", b'2,"%s"\n'),
        ("a.csv", b"2,%s\n"),
        ("a.tsv", b"2\t%s\n"),
    ],
)
def test_field_beyond_the_limit_is_named(tmp_path, name, row):
    path, place = sandwich(tmp_path, name, row % (b"x" * 5000))
    refuse(LimitError, path, "more than 1,000 characters", "larger max_field", place=place, max_field=1000)
    assert keep_good(path, places=[place], max_field=1000).texts == ("one", "three")
    assert len(read_corpus(path, max_field=10_000)) == 3


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_line_beyond_the_limit_ends_where_it_ends(tmp_path, name, end):
    before, after, line = SMALL[name]
    row = b'{"id": "2", "text": "%s"}\n' if name == "a.jsonl" else b"2,%s\n"
    path = write(tmp_path / name, (before + row % (b"x" * 5000) + after).replace(b"\n", end))
    assert keep_good(path, places=[f"line {line}"], max_field=1000).texts == ("one", "three")


def test_field_beyond_the_limit_is_named_in_a_parquet_file(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"id": ["1", "2", "3"], "text": ["one", "x" * 5000, "three"]}), path)
    refuse(LimitError, path, "more than 1,000 characters", "larger max_field", place="row 1", max_field=1000)


def test_file_of_a_folder_beyond_the_limit_is_named(tmp_path):
    write(tmp_path / "a.txt", "good")
    write(tmp_path / "b.txt", "x" * 5000)
    with pytest.raises(LimitError, match=r"b\.txt: longer than 1,000 characters.*larger max_field"):
        read_corpus(tmp_path, max_field=1000)
    assert keep_good(tmp_path, places=["b.txt"], max_field=1000).texts == ("good",)


def test_unclosed_quote_before_much_text_stops_at_the_limit(tmp_path):
    path = write(tmp_path / "a.csv", 'id,text\n1,"one"\n2,"never closed\n' + "3,three\n" * 5000)
    refuse(LimitError, path, "is a quote left open", place="line 3", max_field=1000)


def test_field_as_long_as_the_limit_is_read(tmp_path):
    path, _ = sandwich(tmp_path, "a.csv", b"2," + b"x" * 1000 + b"\n")
    assert len(read_corpus(path, max_field=1000)) == 3


def test_reading_leaves_the_limit_of_the_csv_module_alone(tmp_path):
    before = csv.field_size_limit()
    path, _ = sandwich(tmp_path, "a.csv", b"2," + b"x" * 200_000 + b"\n")
    assert len(read_corpus(path)) == 3
    with pytest.raises(LimitError):
        read_corpus(path, max_field=1000)
    assert csv.field_size_limit() == before


# Garbage


FILES = ["a.jsonl", "a.csv", "a.tsv", "a.parquet", "a.docword.txt", "a.jsonl.gz", "a.csv.gz", "a.parquet.gz"]


@pytest.mark.parametrize("name", FILES)
def test_binary_file_is_refused(tmp_path, name):
    write(tmp_path / "a.vocab.txt", "word\n")
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + random.Random(0).randbytes(5000)
    with pytest.raises(CorpusError, match=str(tmp_path / name)):
        read_corpus(write(tmp_path / name, picture))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("errors", ["raise", "skip"])
@settings(max_examples=20)
@given(data=st.binary(max_size=60) | st.text('[]{}":,\t\n\r\\\'"1a \0', max_size=60).map(str.encode))
def test_any_bytes_are_a_corpus_or_a_clear_error(folder, name, errors, data):
    write(folder / "a.vocab.txt", "word\n")
    header = b"text,labels\n" if ".csv" in name else b"text\tlabels\n" if ".tsv" in name else b""
    path = write(folder / name, header + data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedDocumentsWarning)
        try:
            said = repr(read_corpus(path, errors=errors))
        except CorpusError as error:
            said = str(error)
    assert said.startswith(("<Corpus of", str(path)))


@pytest.mark.parametrize("position", [4, 40, 200, -5, -60])
def test_damaged_parquet_file_is_refused(tmp_path, position):
    file = io.BytesIO()
    parquet.write_table(pa.table({"text": ["some text", "more text"]}), file, compression="none")
    data = bytearray(file.getvalue())
    data[position : position + 4] = b"\xff\xff\xff\xff"
    path = write(tmp_path / "a.parquet", bytes(data))
    refuse(CorpusError, path, "not a readable Parquet file")


@pytest.mark.parametrize(
    ("name", "row"), [("a.jsonl", b"broken\n"), ("a.csv", b"2\n"), ("a.tsv", b"2\n"), ("a.csv.gz", b"2\n")]
)
def test_error_closes_the_file_without_a_sound(tmp_path, monkeypatch, name, row):
    before, after, _ = SMALL[name.removesuffix(".gz")]
    path = write(tmp_path / name, before + row + after)
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with pytest.raises(CorpusError):
        read_corpus(path)
    gc.collect()
    assert [str(event.exc_value) for event in unraisable] == []


# Skipping


@given(st.lists(st.booleans(), min_size=1, max_size=12).filter(any))
def test_skipping_keeps_exactly_the_good_rows(folder, good):
    lines = [json.dumps({"id": f"d{k}", "text": f"t{k}"}) if fine else "broken" for k, fine in enumerate(good)]
    path = write(folder / "mixed.jsonl", "\n".join(lines))
    bad = [f"line {k + 1}" for k, fine in enumerate(good) if not fine]
    corpus = keep_good(path, places=bad) if bad else read_corpus(path, errors="skip")
    assert corpus.ids == tuple(f"d{k}" for k, fine in enumerate(good) if fine)
    assert [row.place for row in corpus.skipped] == bad


def test_skipped_rows_keep_their_numbers_as_ids_of_others(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "a"}\nbroken\n{"text": "c"}\n')
    assert keep_good(path, places=["line 2"]).ids == ("0", "2")


def test_warning_points_at_the_caller(tmp_path):
    path, _ = sandwich(tmp_path, "a.jsonl", b"broken\n")
    with pytest.warns(DroppedDocumentsWarning, match=str(path)) as caught:
        read_corpus(path, errors="skip")
    assert caught[0].filename == __file__


def test_warning_shows_a_few_of_many_bad_rows(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "a"}\n' + "broken\n" * 5000)
    with pytest.warns(DroppedDocumentsWarning, match="left out 5,000 bad rows, kept 1 documents") as caught:
        corpus = read_corpus(path, errors="skip")
    assert len(corpus.skipped) == 5000
    assert len(str(caught[0].message)) < 1000


def test_good_file_gives_no_warning_when_skipping(tmp_path):
    path, _ = sandwich(tmp_path, "a.jsonl", b"")
    assert read_corpus(path, errors="skip").skipped == ()
