import gzip
import io
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from corpus.strategies import WRITERS, as_columns, as_json_lines, as_record, as_table, corpora, names, write
from wayword import Corpus, read_corpus

ONE = Corpus(["text"], ids=["1"], labels=[["a"]], metadata={"source": ["here"]})
# For properties that run once for each of several formats.
few = settings(max_examples=15)
LATIN = st.characters(codec="latin-1", exclude_characters="\r\n")


def _arrow(columns):
    kinds = {"id": pa.string(), "text": pa.string(), "labels": pa.list_(pa.string()), "source": pa.string()}
    return pa.table(columns, schema=pa.schema(kinds))


def _polars(columns):
    return pl.DataFrame(columns, schema_overrides={"labels": pl.List(pl.String)})


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("name", WRITERS)
@few
@given(corpus=corpora())
def test_written_corpus_reads_back_the_same(folder, name, suffix, corpus):
    assert read_corpus(write(folder / (name + suffix), WRITERS[name](corpus))) == corpus


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", WRITERS)
@few
@given(corpus=corpora())
def test_byte_order_mark_tells_the_encoding(folder, name, encoding, corpus):
    assert read_corpus(write(folder / name, WRITERS[name](corpus), encoding)) == corpus


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8", "UTF8", "cp037"])
@pytest.mark.parametrize("name", WRITERS)
@few
@given(corpus=corpora(LATIN))
def test_declared_encoding_is_used(folder, name, encoding, corpus):
    path = write(folder / name, WRITERS[name](corpus), encoding)
    assert read_corpus(path, encoding=encoding) == corpus


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le"])
def test_byte_order_mark_wins_over_a_declared_encoding(tmp_path, encoding):
    path = write(tmp_path / "corpus.jsonl", as_json_lines(ONE), "utf-8-sig")
    assert read_corpus(path, encoding=encoding) == ONE


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("quotes", [{"quotechar": '"'}, {"quotechar": "'"}], ids=["double", "single"])
@few
@given(corpus=corpora())
def test_dialect_is_sniffed(folder, delimiter, quotes, corpus):
    # With every field quoted, the header tells the quote character.
    table = as_table(corpus, delimiter, quoting=1, **quotes)
    assert read_corpus(write(folder / "corpus.csv", table)) == corpus


@pytest.mark.parametrize("text", ["'Tis the season", "'Great' hotel near the sea", "'quoted'", "'=1+1"])
@pytest.mark.parametrize("place", [1, 3, 200])
def test_an_apostrophe_that_opens_a_field_is_no_quote(tmp_path, text, place):
    texts = [f"plain text {number}" for number in range(201)]
    texts[place] = text
    lines = ["id,text,labels", *(f"{number},{each},a" for number, each in enumerate(texts))]
    assert read_corpus(write(tmp_path / "corpus.csv", "\n".join(lines))).texts == tuple(texts)


def test_single_quotes_around_texts_alone_are_sniffed(tmp_path):
    table = "id,text,labels\n1,'one, two',a\n2,'it''s three',b\n3,'say \"four\"',b\n"
    assert read_corpus(write(tmp_path / "corpus.csv", table)).texts == ("one, two", "it's three", 'say "four"')
    plain = "id,text,labels\n1,'one',a\n2,'two',b\n"
    assert read_corpus(write(tmp_path / "plain.csv", plain)).texts == ("one", "two")


@given(corpora())
def test_backslash_escapes_are_sniffed(folder, corpus):
    told = Corpus(['say \\ "this"', *corpus.texts], ids=["first!", *corpus.ids], labels=[["x"], *corpus.labels])
    table = as_table(
        Corpus(told.texts, ids=told.ids, labels=told.labels, metadata={"source": told.ids}),
        doublequote=False,
        escapechar="\\",
        quoting=1,
    )
    read = read_corpus(write(folder / "corpus.csv", table))
    assert (read.ids, read.texts, read.labels) == (told.ids, told.texts, told.labels)


@given(corpora(), st.sampled_from("^~#:"))
def test_unusual_delimiter_may_be_named(folder, corpus, delimiter):
    path = write(folder / "corpus.csv", as_table(corpus, delimiter))
    assert read_corpus(path, delimiter=delimiter) == corpus


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_sniffing_survives_a_sample_that_ends_inside_a_long_quoted_text(tmp_path, delimiter):
    corpus = Corpus(
        [f'Chapter {k}, "verse"; one\n' * 400 for k in range(20)],
        labels=[["a", "b"]] * 20,
        metadata={"source": ["it's"] * 20},
    )
    assert read_corpus(write(tmp_path / "long.csv", as_table(corpus, delimiter))) == corpus


@given(corpora())
def test_parquet_reads_back_the_same(folder, corpus):
    path = folder / "corpus.parquet"
    parquet.write_table(_arrow(as_columns(corpus)), path)
    assert read_corpus(path) == corpus


def test_gzipped_parquet_reads_back_the_same(tmp_path):
    file = io.BytesIO()
    parquet.write_table(pa.table(as_columns(ONE)), file)
    assert read_corpus(write(tmp_path / "corpus.parquet.gz", file.getvalue())) == ONE


@pytest.mark.parametrize(
    "make_frame",
    [pd.DataFrame, _polars, lambda columns: _polars(columns).lazy(), _arrow],
    ids=["pandas", "polars", "polars-lazy", "pyarrow"],
)
@few
@given(corpus=corpora())
@example(corpus=Corpus(["a", "b"], ids=["x", "y"], metadata={"source": ["s", "t"]}))
def test_frame_reads_back_the_same(make_frame, corpus):
    assert read_corpus(make_frame(as_columns(corpus))) == corpus


def test_whole_numbers_in_a_frame_with_gaps_keep_their_names():
    frame = pd.DataFrame({"id": [1.0, 2.0], "text": ["a", None], "labels": [7.0, None], "n": [1, pd.NA]})
    corpus = read_corpus(frame)
    assert corpus.ids == ("1", "2")
    assert corpus.texts == ("a", "")
    assert corpus.labels == (("7",), ())
    assert corpus.metadata["n"] == (1, None)


def test_series_is_a_list_of_texts():
    assert read_corpus(pd.Series(["a", "b"])) == read_corpus(pl.Series(["a", "b"])) == Corpus(["a", "b"])


@given(st.lists(st.text(), min_size=1, max_size=8))
def test_list_of_strings_is_a_corpus_of_those_texts(texts):
    assert read_corpus(texts).texts == tuple(text if text.strip() else "" for text in texts)


@given(corpora())
def test_list_of_mappings_reads_back_the_same(corpus):
    records = list(map(as_record, corpus))
    assert read_corpus(records) == corpus
    assert read_corpus(record for record in records) == corpus


@given(st.dictionaries(names(st.characters(categories=["L", "N"])), st.text(max_size=30), min_size=1, max_size=6))
def test_folder_holds_a_document_a_file(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("folder")
    texts = {f"{name}-{k}.txt": text for k, (name, text) in enumerate(sorted(texts.items()))}
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    corpus = read_corpus(folder)
    assert dict(zip(corpus.ids, corpus.texts, strict=True)) == {
        name: text if text.strip() else "" for name, text in texts.items()
    }


@pytest.fixture
def shelves(tmp_path):
    for name, text in {
        "top.txt": "nowhere",
        "crime/a.txt": "murder",
        "love/b.txt": "kiss",
        "love/old/c.txt": "sigh",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, text)
    write(tmp_path / "love" / "d.txt.gz", "packed")
    write(tmp_path / "love" / "notes.md", "not a text")
    return tmp_path


def test_sub_folder_is_the_label_on_request(shelves):
    corpus = read_corpus(shelves, labels="folder")
    assert dict(zip(corpus.ids, corpus.labels, strict=True)) == {
        "crime/a.txt": ("crime",),
        "love/b.txt": ("love",),
        "love/d.txt.gz": ("love",),
        "love/old/c.txt": ("love/old",),
        "top.txt": (),
    }
    assert corpus.document("love/d.txt.gz").text == "packed"


def test_sub_folder_is_metadata_otherwise(shelves):
    corpus = read_corpus(shelves)
    assert set(corpus.labels) == {()}
    assert corpus.document("love/b.txt").metadata == {"folder": "love"}


def test_files_of_a_folder_are_chosen_by_pattern(shelves):
    assert read_corpus(shelves, files="love/*.txt").ids == ("love/b.txt", "love/d.txt.gz")
    assert read_corpus(shelves, files="**/*.md").texts == ("not a text",)


def test_folder_is_read_in_sorted_order(shelves):
    ids = read_corpus(shelves).ids
    assert list(ids) == sorted(ids)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "A.JSONL", "a.jsonl.gz"])
def test_name_tells_json_lines(tmp_path, name):
    assert read_corpus(write(tmp_path / name, as_json_lines(ONE))) == ONE


def test_format_may_be_named_where_the_name_does_not_tell(tmp_path):
    assert read_corpus(write(tmp_path / "export.dat", as_json_lines(ONE)), format="jsonl") == ONE
    assert read_corpus(write(tmp_path / "table.dat", as_table(ONE, "\t")), format="tsv") == ONE


def test_gzip_is_told_by_its_bytes_not_by_its_name(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(gzip.compress(as_json_lines(ONE).encode()))
    assert read_corpus(path) == ONE
    path = tmp_path / "plain.jsonl.gz"
    path.write_text(as_json_lines(ONE))
    assert read_corpus(path) == ONE


def test_path_may_be_a_string(tmp_path):
    assert read_corpus(str(write(tmp_path / "corpus.jsonl", as_json_lines(ONE)))) == ONE


@pytest.mark.parametrize("name", WRITERS)
def test_blank_lines_are_no_documents(tmp_path, name):
    written = WRITERS[name](ONE)
    assert read_corpus(write(tmp_path / name, written + "\n\n")) == ONE


def test_last_line_needs_no_line_end(tmp_path):
    assert read_corpus(write(tmp_path / "corpus.jsonl", as_json_lines(ONE).rstrip("\n"))) == ONE
    assert read_corpus(write(tmp_path / "corpus.csv", as_table(ONE).rstrip("\r\n"))) == ONE


def test_several_text_columns_are_joined_a_line_each(tmp_path):
    path = write(tmp_path / "corpus.csv", "title,body,text\r\nHead,Body,no\r\n,Only body,no\r\n")
    corpus = read_corpus(path, text=["title", "body"])
    assert corpus.texts == ("Head\nBody", "Only body")
    assert corpus.metadata["text"] == ("no", "no")


def test_columns_may_have_other_names(tmp_path):
    path = write(tmp_path / "corpus.tsv", "key\tanswer\ttheme\n7\tYes.\tconsent\n")
    corpus = read_corpus(path, text="answer", id="key", labels="theme")
    assert corpus == Corpus(["Yes."], ids=["7"], labels=[["consent"]])


def test_rows_are_numbered_without_an_id_column(tmp_path):
    path = write(tmp_path / "corpus.csv", "text\na\nb\n")
    assert read_corpus(path).ids == ("0", "1")


def test_rows_are_numbered_on_request(tmp_path):
    path = write(tmp_path / "corpus.csv", "id,text\nx,a\nx,b\n")
    corpus = read_corpus(path, id=None)
    assert corpus.ids == ("0", "1")
    assert corpus.metadata["id"] == ("x", "x")


def test_empty_text_is_a_document(tmp_path):
    path = write(tmp_path / "corpus.jsonl", '{"text": ""}\n{"text": null}\n{"text": "a"}\n')
    assert read_corpus(path).texts == ("", "", "a")


def test_number_in_the_text_column_is_its_text(tmp_path):
    assert read_corpus(write(tmp_path / "corpus.jsonl", '{"text": 12}\n')).texts == ("12",)


@pytest.mark.parametrize("count", [1023, 1024, 1025, 2500])
def test_large_files_keep_every_column(tmp_path, count):
    """More documents than one batch holds."""
    lines = (
        json.dumps({"id": f"d{k}", "text": f"t{k}", "labels": [f"l{k}"], "one": k, "two": -k}) for k in range(count)
    )
    corpus = read_corpus(write(tmp_path / "corpus.jsonl", "\n".join(lines)))
    assert corpus == Corpus(
        [f"t{k}" for k in range(count)],
        ids=[f"d{k}" for k in range(count)],
        labels=[[f"l{k}"] for k in range(count)],
        metadata={"one": range(count), "two": range(0, -count, -1)},
    )


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.csv.gz"])
def test_progress_grows_to_at_most_the_size_of_the_file(tmp_path, name):
    corpus = Corpus([f"text {k}" for k in range(5000)], metadata={"source": ["s"] * 5000})
    path = write(tmp_path / name, WRITERS[name.removesuffix(".gz")](corpus))
    calls = []
    read_corpus(path, progress=lambda unit, done, total: calls.append((unit, done, total)))
    assert len(calls) >= 4
    assert calls == sorted(calls)
    assert all(unit == "bytes" and 0 < done <= total == path.stat().st_size for unit, done, total in calls)


@pytest.mark.data
def test_reuters_is_read_whole(reuters):
    assert len(reuters) == 10788
    assert len(reuters.label_names) == 90
    assert reuters.document("training/1").labels == ("cocoa",)
    assert reuters.skipped == ()


@pytest.mark.data
def test_reuters_survives_every_format(reuters, tmp_path):
    some = reuters[:1500]
    corpus = Corpus(some.texts, ids=some.ids, labels=some.labels, metadata={"source": some.metadata["split"]})
    for name, written in WRITERS.items():
        assert read_corpus(write(tmp_path / f"{name}.gz", written(corpus))) == corpus
    parquet.write_table(pa.table(as_columns(corpus)), tmp_path / "corpus.parquet")
    assert read_corpus(tmp_path / "corpus.parquet") == corpus
    assert read_corpus(pd.DataFrame(as_columns(corpus))) == corpus
