import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import Corpus, read_corpus
from wayword.corpus import tokens as tokens_module
from wayword.corpus.tokens import WORDS, Shape, Spool, Tokenizer, read_tokens
from wayword.errors import InputError


def spelled(stream):
    return [
        [stream.distinct[token] for token in block.tokens[a:b]]
        for block in stream.blocks
        for a, b in zip(block.starts[:-1], block.starts[1:], strict=True)
    ]


@given(st.lists(st.text(max_size=60), max_size=8))
def test_compiled_and_python_splitting_agree(texts):
    compiled = read_tokens(texts, Tokenizer())
    in_python = read_tokens(texts, Tokenizer(function=re.compile(WORDS).findall))
    assert spelled(compiled) == spelled(in_python)


@pytest.mark.parametrize(
    ("pattern", "compiled"),
    [
        (WORDS, True),
        (r"(?u)\b\w\w+\b", True),
        (r"\w+", True),
        (r"[a-zA-Z]+", True),
        (r"\b[a-z]+\b", False),
        (r"\w{2,}", False),
        (r"(\w+)'", False),
    ],
)
def test_runs_of_characters_are_split_by_the_compiled_scan(pattern, compiled):
    assert (Shape.of(pattern) is not None) == compiled


def test_small_blocks_give_the_same_tokens(monkeypatch):
    texts = [f"word{k} and word{k % 7} again" for k in range(200)]
    whole = spelled(read_tokens(texts, Tokenizer()))
    monkeypatch.setattr(tokens_module, "_CHARACTERS_AT_ONCE", 50)
    monkeypatch.setattr(tokens_module, "_FIRST_CAPACITY", 2)
    assert spelled(read_tokens(texts, Tokenizer())) == whole


def test_token_ids_do_not_depend_on_the_number_of_threads(monkeypatch, brown):
    monkeypatch.setattr(tokens_module, "_CHARACTERS_AT_ONCE", 2**16)
    streams = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("WAYWORD_THREADS", threads)
        streams.append(read_tokens(brown[:60], Tokenizer()))
    assert streams[0].distinct == streams[1].distinct == streams[2].distinct
    for blocks in zip(*(stream.blocks for stream in streams), strict=True):
        assert len({block.tokens.tobytes() for block in blocks}) == 1


def test_lone_surrogates_survive():
    assert spelled(read_tokens(["a\ud800b caf\u00e9"], Tokenizer())) == [["a", "b", "caf\u00e9"]]


def test_contractions_stay_in_one_piece_on_request():
    assert spelled(read_tokens(["It’s fine, isn't it?"], Tokenizer(contractions=True))) == [
        ["it’s", "fine", "isn't", "it"]
    ]


def test_own_tokenizer_gets_lower_case_text_and_written_out_contractions():
    tokenizer = Tokenizer(function=str.split, contractions=True)
    assert spelled(read_tokens(["We Don't Know"], tokenizer)) == [["we", "do", "not", "know"]]


def test_a_pattern_with_one_group_gives_the_group():
    assert spelled(read_tokens(["#one two #three"], Tokenizer(pattern=r"#(\w+)"))) == [["one", "three"]]


@pytest.mark.parametrize("pattern", ["(", "[z-a]+", r"(\w)(\w)"])
def test_a_wrong_pattern_is_an_error(pattern):
    with pytest.raises(InputError, match="token_pattern"):
        read_tokens(["a"], Tokenizer(pattern=pattern))


@pytest.mark.parametrize(("wrong", "said"), [("one text", "one str"), (b"bytes", "one bytes"), (7, "one int")])
def test_one_text_in_place_of_a_list_is_an_error(wrong, said):
    with pytest.raises(InputError, match=said):
        read_tokens(wrong, Tokenizer())


@pytest.mark.parametrize("wrong", [None, float("nan"), b"bytes", 3])
def test_a_document_that_is_no_string_is_named(wrong):
    with pytest.raises(InputError, match="document 1 must be a string"):
        read_tokens(["fine", wrong], Tokenizer())


def test_bags_of_words_become_tokens_without_order(data_path):
    corpus = read_corpus(data_path("associated_press.docword.txt.gz"))
    stream = read_tokens(corpus, Tokenizer())
    assert not stream.ordered
    assert sum(len(block.tokens) for block in stream.blocks) == 435_838


def test_progress_counts_documents():
    seen = []
    read_tokens(Corpus(["a b", "c"]), Tokenizer(), progress=lambda *told: seen.append(told))
    assert seen == [("documents", 2, 2)]


def test_a_spool_on_disk_gives_the_numbers_back():
    spool = Spool(on_disk=True)
    arrays = [np.arange(n, dtype=np.int32) for n in (0, 5, 1000)]
    for array, kept in zip(arrays, [spool.keep(array) for array in arrays], strict=True):
        assert kept.tolist() == array.tolist()
        assert type(kept) is np.ndarray
