import random
from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayword import Corpus
from wayword.corpus.splitting import split_positions
from wayword.errors import InputError

shares = st.floats(0.05, 0.95)
seeds = st.integers(0, 2**32 - 1)
labellings = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=3, unique=True), min_size=1, max_size=16)


def count(labels, positions):
    return Counter(chain.from_iterable(labels[k] for k in positions))


@given(labellings, shares, seeds)
def test_each_document_is_on_one_side_in_order(labels, share, seed):
    chosen, rest = split_positions(labels, share, seed)
    assert sorted(chosen + rest) == list(range(len(labels)))
    assert chosen == sorted(chosen)
    assert rest == sorted(rest)


@given(labellings, shares, seeds)
def test_same_seed_gives_same_split(labels, share, seed):
    assert split_positions(labels, share, seed) == split_positions(labels, share, seed)


@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=1), min_size=1, max_size=20), shares, seeds)
def test_label_of_two_documents_is_on_both_sides_when_documents_have_one_label(labels, share, seed):
    sides = [count(labels, side) for side in split_positions(labels, share, seed)]
    assert all(sides[0][name] and sides[1][name] for name, total in (sides[0] + sides[1]).items() if total > 1)


@given(labellings, shares, seeds)
def test_no_move_of_one_document_would_bring_a_label_to_both_sides(labels, share, seed):
    """A label stays on one side only where every document of it holds another label in its place."""
    sides = split_positions(labels, share, seed)
    counts = [count(labels, side) for side in sides]
    totals = counts[0] + counts[1]
    for name, total in totals.items():
        full = 0 if counts[0][name] else 1
        if total < 2 or counts[1 - full][name]:
            continue
        for position in sides[full]:
            if name in labels[position]:
                assert any(totals[other] > 1 and counts[full][other] == 1 for other in labels[position])


def test_moves_go_on_until_none_helps():
    # Found among random labellings: one pass over the labels would leave a label on one side.
    choose = random.Random(19850)
    labels = [choose.sample("abcdefg", choose.randint(0, 3)) for _ in range(choose.randint(2, 14))]
    test_no_move_of_one_document_would_bring_a_label_to_both_sides.hypothesis.inner_test(
        labels, choose.uniform(0.05, 0.95), 19850
    )


def test_label_held_by_one_document_does_not_bind_it():
    labels = [("shared", "once"), ("shared", "alone")]
    for seed in range(20):
        chosen, rest = split_positions(labels, 0.9, seed)
        assert len(chosen) == len(rest) == 1


@given(labellings, shares, seeds)
def test_sizes_differ_from_the_share_by_at_most_one_document_a_label(labels, share, seed):
    chosen, _ = split_positions(labels, share, seed)
    assert abs(len(chosen) - round(share * len(labels))) <= len(set(chain.from_iterable(labels)))


def test_other_seed_gives_other_split():
    corpus = Corpus(["text"] * 200)
    assert corpus.split(0.5, random_state=1)[0].ids != corpus.split(0.5, random_state=2)[0].ids


def test_split_without_labels_has_the_exact_share():
    chosen, rest = Corpus(["text"] * 200).split(0.8)
    assert (len(chosen), len(rest)) == (160, 40)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5, 1, float("nan")])
def test_share_outside_zero_and_one_is_refused(share):
    with pytest.raises(InputError, match="between 0 and 1, got"):
        Corpus(["a", "b"]).split(share)


def test_name_gives_the_documents_of_the_metadata_column():
    corpus = Corpus(["a", "b", "c", "d"], metadata={"split": ["train", "test", "train", None]})
    assert corpus.split("train").ids == ("0", "2")
    assert corpus.split("test").ids == ("1",)
    assert corpus.split() == (corpus.split("train"), corpus.split("test"))


def test_name_without_the_column_says_what_to_do():
    with pytest.raises(InputError, match=r"no metadata column 'split'; give a share.*split\(0\.8\)"):
        Corpus(["a"]).split("train")


@pytest.mark.data
def test_reuters_has_the_published_split(reuters):
    train, test = reuters.split()
    assert (len(train), len(test)) == (7769, 3019)
    assert train == reuters.split("train")
    assert all(id.startswith("training/") for id in train.ids)
    assert train.label_names == test.label_names == reuters.label_names


@pytest.mark.data
def test_random_split_of_reuters_has_every_label_on_both_sides(reuters):
    totals = Counter(chain.from_iterable(reuters.labels))
    repeated = {name for name, total in totals.items() if total > 1}
    for share in (0.02, 0.5, 0.98):
        one, other = reuters.split(share, random_state=7)
        assert repeated <= set(one.label_names)
        assert repeated <= set(other.label_names)
        assert abs(len(one) - share * len(reuters)) < len(totals)


def test_share_is_kept_where_labels_allow():
    labels = [(f"label {k % 40}",) for k in range(2000)]
    for share in (0.1, 0.3, 0.8):
        assert len(split_positions(labels, share, 5)[0]) == round(2000 * share)
