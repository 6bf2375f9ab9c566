import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corpus.strategies import write
from wayword import read_corpus
from wayword.corpus import bags
from wayword.errors import CorpusError, DroppedDocumentsWarning, EncodingError, LimitError

WORDS = ["apple", "Bär", "c++", "dog's"]
counts = hnp.arrays(np.int64, st.tuples(st.integers(1, 8), st.just(len(WORDS))), elements=st.integers(0, 3))


def write_pair(folder, triples, n_documents=3, words=WORDS, n_words=None, announced=None):
    """Write a docword file of these lines, and its vocab file; return the path of the first."""
    lines = [n_documents, len(words) if n_words is None else n_words]
    lines += [len(triples) if announced is None else announced, *triples]
    write(folder / "small.vocab.txt", "".join(f"{word}\n" for word in words))
    return write(folder / "small.docword.txt", "".join(f"{line}\n" for line in lines))


def as_triples(matrix):
    return [f"{row + 1} {column + 1} {matrix[row, column]}" for row, column in zip(*matrix.nonzero(), strict=True)]


@pytest.mark.parametrize("size", [1, 7, 2**20])
@given(matrix=counts)
def test_written_counts_read_back_the_same(folder, size, matrix):
    """However the file is cut into blocks, and whether documents without words are in the middle or at the end."""
    path = write_pair(folder, as_triples(matrix), len(matrix))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bags, "_BYTES_AT_ONCE", size)
        corpus = read_corpus(path)
        streamed = list(read_corpus(path, stream=True))
    assert corpus.bags.counts.toarray().tolist() == matrix.tolist()
    assert corpus.bags.terms == tuple(WORDS)
    assert corpus.ids == tuple(str(k + 1) for k in range(len(matrix)))
    assert streamed == list(corpus)


@given(counts)
def test_text_holds_each_word_as_often_as_counted(folder, matrix):
    corpus = read_corpus(write_pair(folder, as_triples(matrix), len(matrix)))
    for text, row in zip(corpus.texts, matrix, strict=True):
        assert [text.split().count(word) for word in WORDS] == row.tolist()
        assert len(text.split()) == row.sum()


def test_pair_of_paths_needs_no_special_names(tmp_path):
    path = write_pair(tmp_path, ["1 1 2"])
    docword = path.rename(tmp_path / "counts.dat")
    vocab = (tmp_path / "small.vocab.txt").rename(tmp_path / "words.dat")
    by_path = read_corpus((docword, vocab))
    assert by_path.texts == ("apple apple", "", "")
    assert read_corpus((str(docword), str(vocab))) == by_path


def test_gzipped_pair_is_found_and_read(tmp_path):
    path = write_pair(tmp_path, ["1 2 1"])
    packed = write(tmp_path / "packed.docword.txt.gz", path.read_bytes())
    write(tmp_path / "packed.vocab.txt.gz", (tmp_path / "small.vocab.txt").read_bytes())
    assert read_corpus(packed).texts == read_corpus(path).texts == ("Bär", "", "")


def test_same_word_twice_in_a_document_adds_up(tmp_path):
    assert read_corpus(write_pair(tmp_path, ["1 1 2", "1 1 3"])).bags.counts[0, 0] == 5


def test_progress_ends_at_the_size_of_the_file(tmp_path):
    path = write_pair(tmp_path, ["1 1 2", "2 1 1"])
    calls = []
    read_corpus(path, progress=lambda unit, done, total: calls.append((unit, done, total)))
    assert calls[-1] == ("bytes", path.stat().st_size, path.stat().st_size)


# Bad input


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("2 1", "expected 'document word count', got b'2 1'"),
        ("2 1 1 1", "expected 'document word count'"),
        ("2 x 1", "expected 'document word count', got b'2 x 1'"),
        ("2 1.5 1", "expected 'document word count'"),
        ("4 1 1", "expected a document from 1 to 3, got 4"),
        ("0 1 1", "expected a document from 1 to 3, got 0"),
        ("2 5 1", "expected a word from 1 to 4, got 5"),
        ("2 0 1", "expected a word from 1 to 4, got 0"),
        ("2 1 -1", "got -1"),
        ("2 1 99999999999999999999", "count"),
    ],
)
def test_broken_line_is_named(tmp_path, line, problem):
    path = write_pair(tmp_path, ["1 1 1", line, "3 1 1"])
    with pytest.raises(CorpusError) as caught:
        read_corpus(path)
    assert (caught.value.source, caught.value.place) == (str(path), "line 5")
    assert problem in str(caught.value)
    with pytest.warns(DroppedDocumentsWarning, match="left out 1 bad rows, kept 3 documents") as warned:
        corpus = read_corpus(path, errors="skip")
    assert [row.place for row in corpus.skipped] == ["line 5"]
    assert corpus.texts == ("apple", "", "apple")
    assert len(warned) == 1


def test_documents_out_of_order_are_named(tmp_path):
    path = write_pair(tmp_path, ["2 1 1", "1 1 1"])
    with pytest.raises(CorpusError, match=r"line 5: expected a document from 2 to 3, got 1; lines are sorted"):
        read_corpus(path)


def test_lines_that_are_too_short_and_too_long_do_not_make_up_for_each_other(tmp_path):
    path = write_pair(tmp_path, ["1 1", "1 1 2 1", "3 1 1"])
    with pytest.raises(CorpusError, match=r"line 4: expected 'document word count'"):
        read_corpus(path)


@pytest.mark.parametrize("size", [1, 2**20])
def test_broken_line_is_named_wherever_blocks_end(tmp_path, monkeypatch, size):
    monkeypatch.setattr(bags, "_BYTES_AT_ONCE", size)
    path = write_pair(tmp_path, [*(f"{k} 1 1" for k in range(1, 50)), "broken", "50 1 1"], n_documents=50)
    with pytest.raises(CorpusError, match="line 53: expected"):
        read_corpus(path)


def test_file_with_fewer_triples_than_announced_is_cut_off(tmp_path):
    path = write_pair(tmp_path, ["1 1 1", "2 1 1"], announced=3)
    with pytest.raises(CorpusError, match=r"small\.docword\.txt.* 3"):
        read_corpus(path)


def test_files_that_do_not_belong_together_are_refused(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"], n_words=7)
    with pytest.raises(CorpusError, match="announces 7 words, the vocabulary has 4; the two files do not belong"):
        read_corpus(path)


@pytest.mark.parametrize("head", ["", "3\n", "3\n4\n", "three\n4\n1\n", "3 4 1\n1 1 1\n", "\n\n\n"])
def test_header_that_is_not_three_numbers_is_refused(tmp_path, head):
    write_pair(tmp_path, [])
    path = write(tmp_path / "small.docword.txt", head)
    with pytest.raises(CorpusError, match=r"expected three lines with the numbers of documents, words and triples"):
        read_corpus(path)


def test_word_that_stands_twice_in_the_vocabulary_is_named(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"])
    (tmp_path / "small.vocab.txt").write_text("a\nb\na\nc\n")
    with pytest.raises(CorpusError, match=r"small\.vocab\.txt: the word 'a' stands 2 times"):
        read_corpus(path)


def test_docword_without_vocab_asks_for_both(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"])
    (tmp_path / "small.vocab.txt").unlink()
    with pytest.raises(CorpusError, match=r"expected 'small\.vocab\.txt'; give both files as \(docword, vocab\)"):
        read_corpus(path)


def test_docword_by_another_name_is_not_its_own_vocabulary(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"]).rename(tmp_path / "counts.txt")
    with pytest.raises(CorpusError, match=r"give both files as \(docword, vocab\)"):
        read_corpus(path, format="uci")


@pytest.mark.parametrize("kind", [str, lambda path: path], ids=["str", "Path"])
def test_pair_with_a_missing_file_is_not_taken_for_two_texts(tmp_path, kind):
    path = write_pair(tmp_path, ["1 1 1"])
    with pytest.raises(CorpusError, match="nowhere"):
        read_corpus((kind(path), kind(tmp_path / "nowhere.txt")), format="uci")


def test_vocab_in_another_encoding_is_named(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"])
    write(tmp_path / "small.vocab.txt", "\n".join(WORDS), "latin-1")
    with pytest.raises(EncodingError, match=r"small\.vocab\.txt, line 2: not utf-8 text.*encoding='latin-1'"):
        read_corpus(path)
    assert read_corpus(path, encoding="latin-1").bags.terms == tuple(WORDS)


def test_absurd_number_of_documents_is_refused(tmp_path):
    path = write_pair(tmp_path, ["1 1 1"], n_documents=10**13)
    with pytest.raises(CorpusError, match=r"small\.docword\.txt"):
        read_corpus(path)


def test_absurd_count_is_refused(tmp_path):
    path = write_pair(tmp_path, ["1 1 1", f"2 1 {10**13}"])
    with pytest.raises(CorpusError, match=r"small\.docword\.txt, line 5"):
        read_corpus(path)


def test_gzip_bomb_is_refused(tmp_path):
    write_pair(tmp_path, [])
    path = tmp_path / "small.docword.txt.gz"
    member = gzip.compress((b"1 1 1".ljust(127) + b"\n") * 2**13)
    path.write_bytes(gzip.compress(b"3\n4\n1\n") + member * 100)
    with pytest.raises(LimitError, match=r"more than 100 times its size.*max_ratio=None"):
        read_corpus(path)


# Real pairs


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "documents", "words", "pairs", "tokens"),
    [("associated_press", 2246, 10473, 302_031, 435_838), ("uci_nips_freq20", 1500, 7605, 709_477, 1_870_706)],
)
def test_published_pair_has_the_published_size(data_path, name, documents, words, pairs, tokens):
    corpus = read_corpus(data_path(f"{name}.docword.txt.gz"))
    assert len(corpus) == documents
    assert len(corpus.bags.terms) == words
    assert corpus.bags.counts.shape == (documents, words)
    assert corpus.bags.counts.nnz == pairs
    assert corpus.bags.counts.sum() == tokens
    assert sum(len(text.split()) for text in corpus.texts) == tokens


@pytest.mark.data
def test_published_pair_is_the_same_streamed(data_path):
    path = data_path("associated_press.docword.txt.gz")
    assert list(read_corpus(path, stream=True)) == list(read_corpus(path))
