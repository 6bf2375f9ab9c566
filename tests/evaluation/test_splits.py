from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wayword import Corpus, split_documents
from wayword.errors import InputError

shares = st.floats(0.01, 0.99)
seeds = st.integers(0, 20)
single = st.lists(st.sampled_from([*"abcdef", None]), min_size=2, max_size=20)
several = st.lists(st.lists(st.sampled_from("abcdef"), max_size=3, unique=True), min_size=2, max_size=20)


def count(labels, positions):
    return Counter(name for position in positions for name in labels[position])


def split(labels, share, seed):
    """Split documents, of which one at least may be tested on."""
    totals = count(labels, range(len(labels)))
    assume(any(all(totals[name] > 1 for name in names) for names in labels))
    return split_documents(labels, share, random_state=seed)


def wrapped(names):
    return [[name] if name else [] for name in names]


@given(several, shares, seeds)
def test_each_document_is_on_one_side_in_order_and_no_side_is_empty(labels, share, seed):
    train, test = split(labels, share, seed)
    assert sorted([*train, *test]) == list(range(len(labels)))
    assert train.tolist() == sorted(train)
    assert test.tolist() == sorted(test)
    assert len(train) > 0
    assert len(test) > 0


@given(single.map(wrapped), shares, seeds)
def test_every_label_of_two_documents_is_on_both_sides(labels, share, seed):
    train, test = (count(labels, side) for side in split(labels, share, seed))
    for name, total in (train + test).items():
        assert train[name]
        assert test[name] or total == 1


@given(several, shares, seeds)
def test_label_of_one_document_is_to_learn_from(labels, share, seed):
    train, test = (count(labels, side) for side in split(labels, share, seed))
    assert all(train[name] for name, total in (train + test).items() if total == 1)


@given(several, shares, seeds)
def test_label_is_on_one_side_only_where_its_documents_are_needed_there(labels, share, seed):
    sides = split(labels, share, seed)
    counts = [count(labels, side) for side in sides]
    totals = counts[0] + counts[1]
    for name in totals:
        full = 0 if counts[0][name] else 1
        if counts[1 - full][name]:
            continue
        for position in sides[full]:
            if name in labels[position]:
                assert any(counts[full][other] == 1 for other in labels[position])


def is_spread(labels, train):
    counts = [count(labels, side) for side in (train, set(range(len(labels))) - set(train))]
    return all(counts[0][name] and counts[1][name] for name, total in (counts[0] + counts[1]).items() if total > 1)


def can_be_spread(labels):
    documents = range(len(labels))
    return any(is_spread(labels, train) for size in documents[1:] for train in combinations(documents, size))


def test_documents_are_exchanged_where_that_alone_brings_a_label_to_both_sides():
    labels = [["l2"], ["l3", "l1", "l2"], ["l0"], ["l3", "l1", "l0"], ["l3"]]
    assert all(is_spread(labels, split_documents(labels, 0.5, random_state=seed)[0]) for seed in range(12))
    rng = np.random.default_rng(0)
    for seed in range(200):
        drawn = [rng.choice([*"abcde"], rng.integers(1, 4), replace=False).tolist() for _ in range(8)]
        totals = count(drawn, range(8))
        if min(totals.values()) > 1 and can_be_spread(drawn):
            assert is_spread(drawn, split_documents(drawn, 0.4, random_state=seed)[0])


@given(st.integers(2, 200), shares, seeds)
def test_sizes_are_the_rounded_share_where_labels_do_not_ask_for_others(n, share, seed):
    train, test = split_documents([None] * n, share, random_state=seed)
    assert len(train) == min(max(round(share * n), 1), n - 1)
    assert len(test) == n - len(train)


def test_sizes_stay_where_labels_are_moved():
    labels = ["rare", "rare", *["often"] * 98]
    for seed in range(20):
        train, test = split_documents(labels, 0.1, random_state=seed)
        assert (len(train), len(test)) == (10, 90)
        assert np.isin([0, 1], train).sum() == 1


def test_label_of_one_document_makes_way_for_another_with_its_label():
    for seed in range(10):
        train, test = split_documents([["a", "b"], ["b"]], 0.5, random_state=seed)
        assert (train.tolist(), test.tolist()) == ([0], [1])


def test_many_labels_of_one_document_take_more_than_the_share():
    train, test = split_documents([*"abcdef", "g", "g"], 0.2)
    assert len(train) == 7
    assert len(test) == 1


@given(several, shares, seeds)
def test_same_seed_gives_the_same_and_a_matrix_the_same_as_lists(labels, share, seed):
    train, test = split(labels, share, seed)
    again = split_documents(labels, share, random_state=seed)
    assert (train.tolist(), test.tolist()) == (again[0].tolist(), again[1].tolist())
    matrix = [[int(name in names) for name in "abcdef"] for names in labels]
    of_matrix = split_documents(np.array(matrix), share, random_state=seed)
    assert (train.tolist(), test.tolist()) == (of_matrix[0].tolist(), of_matrix[1].tolist())


def test_other_seed_gives_another_division():
    sides = {tuple(split_documents(["a", "b"] * 50, 0.5, random_state=seed)[0]) for seed in range(5)}
    assert len(sides) == 5


@given(several, st.sampled_from([0.25, 0.5, 0.75]), seeds)
def test_division_is_that_of_a_corpus_where_every_label_has_two_documents(labels, share, seed):
    labels = labels * 2
    corpus = Corpus(["text"] * len(labels), labels=labels)
    sides = split_documents(labels, share, random_state=seed)
    for part, positions in zip(corpus.split(share, random_state=seed), sides, strict=True):
        assert list(part.ids) == [corpus.ids[position] for position in positions]


def test_names_may_come_from_a_generator_and_be_numbers():
    train, test = split_documents((number % 3 for number in range(12)), 0.5)
    assert {position % 3 for position in train} == {position % 3 for position in test} == {0, 1, 2}


@pytest.mark.parametrize("share", [0, 1, 0.0, 1.0, -0.5, 1.5, float("nan"), "0.5", None, True])
def test_share_outside_0_and_1_is_an_error(share):
    with pytest.raises(InputError, match="train_share must lie between 0 and 1, got"):
        split_documents(["a", "a"], share)


@pytest.mark.parametrize("y", [[], ["a"], [["a", "b"]]])
def test_less_than_two_documents_are_an_error(y):
    with pytest.raises(InputError, match="2 documents or more"):
        split_documents(y, 0.5)


@pytest.mark.parametrize("y", [None, "aabb"])
def test_what_is_no_list_of_labels_is_an_error(y):
    with pytest.raises(InputError, match="y must be the labels of documents, got"):
        split_documents(y, 0.5)


def test_nothing_left_to_test_on_is_an_error():
    with pytest.raises(InputError, match="none is left to test on"):
        split_documents(["a", "b", "c"], 0.5)
