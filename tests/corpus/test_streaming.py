import gc
import json
import tracemalloc

import pandas as pd
import pytest
from hypothesis import given, settings

from corpus.strategies import WRITERS, as_columns, as_record, corpora, write
from wayword import Corpus, StreamedCorpus, read_corpus
from wayword.errors import CorpusError, DroppedDocumentsWarning, DuplicateIdError, MissingColumnError


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=20)
@given(corpus=corpora())
def test_streamed_file_holds_the_same_documents(folder, name, corpus):
    streamed = read_corpus(write(folder / f"{name}.gz", WRITERS[name](corpus)), stream=True)
    assert isinstance(streamed, StreamedCorpus)
    assert list(streamed) == list(corpus)


@pytest.mark.parametrize("make", [pd.DataFrame, lambda columns: pd.DataFrame(columns).to_dict("records")])
@settings(max_examples=20)
@given(corpus=corpora())
def test_streamed_frame_and_list_hold_the_same_documents(make, corpus):
    assert list(read_corpus(make(as_columns(corpus)), stream=True)) == list(corpus)


@given(corpora())
def test_streamed_corpus_can_be_read_again(corpus):
    streamed = read_corpus(list(map(as_record, corpus)), stream=True)
    assert list(streamed) == list(streamed) == list(corpus)
    assert streamed.info() == streamed.info() == corpus.info()


def test_two_passes_at_once_do_not_disturb_each_other():
    streamed = read_corpus([f"text {k}" for k in range(3000)], stream=True)
    assert all(one == other for one, other in zip(streamed, streamed, strict=True))


def test_batches_are_small_corpora_in_order(tmp_path):
    path = write(tmp_path / "a.jsonl", "".join(f'{{"text": "t{k}"}}\n' for k in range(5000)))
    batches = list(read_corpus(path, stream=True).batches())
    assert all(isinstance(batch, Corpus) and 0 < len(batch) <= 2000 for batch in batches)
    assert [text for batch in batches for text in batch.texts] == [f"t{k}" for k in range(5000)]
    assert [id for batch in batches for id in batch.ids] == list(map(str, range(5000)))


def test_opening_reads_nothing_but_asks_whether_it_is_there(tmp_path):
    with pytest.raises(CorpusError, match="no such file"):
        read_corpus(tmp_path / "later.jsonl", stream=True)
    streamed = read_corpus(write(tmp_path / "later.jsonl", "broken"), stream=True)
    write(tmp_path / "later.jsonl", '{"text": "now"}\n')
    assert [document.text for document in streamed] == ["now"]


def test_repr_names_the_source(tmp_path):
    write(tmp_path / "a.jsonl", '{"text": "one"}')
    assert repr(read_corpus(tmp_path / "a.jsonl", stream=True)) == f"<StreamedCorpus of {tmp_path / 'a.jsonl'}>"


def peak_of_a_pass(path, count):
    """Return the most memory that one pass over `count` documents of a thousand characters takes."""
    texts = ["word " * 200 + str(k) for k in range(count)]
    write(path, "\n".join(["text", *texts] if ".csv" in path.name else [json.dumps({"text": text}) for text in texts]))
    tracemalloc.start()
    try:
        assert sum(len(batch) for batch in read_corpus(path, stream=True).batches()) == count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.jsonl.gz"])
def test_memory_does_not_grow_with_the_texts(tmp_path, name):
    few, many = peak_of_a_pass(tmp_path / name, 3000), peak_of_a_pass(tmp_path / name, 9000)
    assert many - few < 6000 * 1000 / 4


def test_pass_that_is_left_early_closes_the_file(tmp_path):
    for name in ("a.jsonl", "a.csv"):
        content = '{"text": "t"}\n' * 5000 if name == "a.jsonl" else "text\n" + "t\n" * 5000
        documents = iter(read_corpus(write(tmp_path / name, content), stream=True))
        assert next(documents).text == "t"
        # A file left open, or closed twice, would be a warning, and warnings are errors here.
        del documents
        gc.collect()


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('{"text": "a"}\nbroken\n', CorpusError),
        ('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n', DuplicateIdError),
        ('{"body": "a"}\n', MissingColumnError),
        ("", CorpusError),
    ],
)
def test_bad_input_is_refused_while_streaming(tmp_path, content, error):
    path = write(tmp_path / "a.jsonl", content)
    with pytest.raises(error, match=str(path)):
        list(read_corpus(path, stream=True))


def test_duplicate_id_in_another_batch_is_found(tmp_path):
    lines = [json.dumps({"id": k % 4000, "text": "t"}) for k in range(4001)]
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    with pytest.raises(DuplicateIdError, match="line 4001: id '0' stands already at line 1"):
        list(read_corpus(path, stream=True))


def test_skipped_rows_come_with_the_batches_of_each_pass(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"text": "a"}\nbroken\n{"text": "c"}\n')
    streamed = read_corpus(path, stream=True, errors="skip")
    for _ in range(2):
        with pytest.warns(DroppedDocumentsWarning, match="left out 1 bad rows, kept 2 documents") as caught:
            batches = list(streamed.batches())
        assert [row.place for batch in batches for row in batch.skipped] == ["line 2"]
        assert len(caught) == 1


def test_nothing_left_after_skipping_is_an_error_while_streaming(tmp_path):
    path = write(tmp_path / "a.jsonl", "broken\n")
    with pytest.raises(CorpusError, match="no documents; line 1"):
        list(read_corpus(path, stream=True, errors="skip"))


@pytest.mark.data
def test_streamed_reuters_is_reuters(reuters, data_path):
    streamed = read_corpus(data_path("reuters.jsonl.gz"), stream=True)
    assert list(streamed) == list(reuters)
    assert streamed.info() == reuters.info()
