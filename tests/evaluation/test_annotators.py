import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import annotators as naive
from wayword.errors import InputError
from wayword.evaluation import annotators
from wayword.evaluation.annotators import (
    agreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)

numbers = st.integers(1, 4)
label_sets = st.frozensets(st.sampled_from("abc"), max_size=3)


def said(answers):
    return st.dictionaries(st.integers(0, 9), st.dictionaries(st.sampled_from("xyzw"), answers, max_size=4), max_size=8)


def documents_of(labellings):
    return [list(document.values()) for document in labellings.values()]


# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = {unit: dict(zip("ABCD", answers, strict=True)) for unit, answers in enumerate(zip(*OBSERVERS, strict=True))}
# The example of Fleiss (1971) as it is mostly quoted: ten subjects, fourteen raters, five categories.
SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


@pytest.mark.parametrize(("distance", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(distance, published):
    assert krippendorff_alpha(UNITS, distance=distance) == pytest.approx(published, abs=5e-4)


def test_fleiss_kappa_of_the_published_example():
    assert fleiss_kappa(SUBJECTS) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_of_counts_is_that_of_the_answers():
    by_name = {
        row: dict(enumerate(label for label, count in enumerate(counts) for _ in range(count)))
        for row, counts in enumerate(SUBJECTS)
    }
    assert fleiss_kappa(by_name) == pytest.approx(fleiss_kappa(SUBJECTS), abs=1e-12)


def test_cohen_kappa_of_fifty_grants():
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)


@given(said(numbers), st.sampled_from(["nominal", "interval", "ordinal"]))
def test_alpha_of_numbers_is_that_of_the_naive_twin(labellings, distance):
    documents = documents_of(labellings)
    apart = naive.ordinal(documents) if distance == "ordinal" else getattr(naive, distance)
    expected = naive.alpha(documents, apart)
    assert krippendorff_alpha(labellings, distance=distance) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@given(said(label_sets), st.sampled_from(["nominal", "masi", "jaccard"]))
def test_alpha_of_sets_is_that_of_the_naive_twin(labellings, distance):
    expected = naive.alpha(documents_of(labellings), getattr(naive, distance))
    assert krippendorff_alpha(labellings, distance=distance) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@given(said(numbers))
def test_fleiss_kappa_and_percent_are_those_of_the_naive_twins(labellings):
    documents = documents_of(labellings)
    assert percent_agreement(labellings) == pytest.approx(naive.percent(documents), nan_ok=True)
    assert fleiss_kappa(labellings) == pytest.approx(naive.fleiss(documents), nan_ok=True, abs=1e-12)


@given(st.lists(st.tuples(numbers, numbers), max_size=9), st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_kappa_is_that_of_the_naive_twin(pairs, weights):
    first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    apart = {None: naive.nominal, "linear": lambda a, b: abs(a - b), "quadratic": naive.interval}[weights]
    expected = naive.cohen(first, second, apart)
    assert cohen_kappa(first, second, weights=weights) == pytest.approx(expected, nan_ok=True, abs=1e-12)


@given(said(numbers), st.permutations("xyzw"))
def test_names_of_annotators_and_the_order_of_documents_make_no_difference(labellings, names):
    renamed = dict(zip("xyzw", names, strict=True))
    other = {
        document: {renamed[who]: answer for who, answer in answers.items()}
        for document, answers in reversed(labellings.items())
    }
    for measure in (krippendorff_alpha, fleiss_kappa, percent_agreement):
        assert measure(other) == pytest.approx(measure(labellings), nan_ok=True, abs=1e-12)


@given(said(numbers), st.sampled_from(["krippendorff", "fleiss", "percent"]), st.sampled_from(["nominal", "ordinal"]))
def test_an_interval_is_one_and_is_the_same_each_time(labellings, measure, distance):
    found = agreement(labellings, measure, distance=distance, n_samples=50)
    again = agreement(labellings, measure, distance=distance, n_samples=50)
    assert repr(found) == repr(again)
    assert found.n_documents == sum(len(answers) > 1 for answers in labellings.values())
    if not math.isnan(found.low):
        assert found.low <= found.high <= 1 + 1e-12
    if found.n_documents < 2:
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_samples_are_measured_as_documents_that_were_drawn_again():
    measure, n_documents = annotators._sum_alpha(UNITS, "ordinal")
    rng = np.random.default_rng(0)
    pairable = [unit for unit, answers in UNITS.items() if sum(a is not None for a in answers.values()) > 1]
    assert n_documents == len(pairable)
    weights = rng.multinomial(n_documents, np.full(n_documents, 1 / n_documents), size=5)
    for sample, found in zip(weights, measure(weights * 1.0), strict=True):
        drawn = np.repeat(pairable, sample)
        expected = krippendorff_alpha({row: UNITS[unit] for row, unit in enumerate(drawn)}, distance="ordinal")
        assert found == pytest.approx(expected)


def draw_labellings(rng, n_documents):
    """Return answers of two people, one of whom errs in one document of five, between two labels."""
    truth, wrong = rng.integers(2, size=n_documents), rng.random(n_documents) < 0.2
    return {row: {"ann": int(a), "bob": int(a ^ b)} for row, (a, b) in enumerate(zip(truth, wrong, strict=True))}


@pytest.mark.parametrize("measure", ["krippendorff", "cohen", "fleiss"])
def test_intervals_hold_the_agreement_of_all_documents_nearly_as_often_as_they_say(measure):
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(100):
        found = agreement(draw_labellings(rng, 100), measure, n_samples=200)
        held += found.low <= 0.6 <= found.high
    assert 88 <= held <= 99


@pytest.mark.parametrize(
    "labellings",
    [
        {},
        {"d1": {}},
        {"d1": {"ann": "oil"}, "d2": {"ann": "tea"}},
        {"d1": {"ann": "oil"}, "d2": {"bob": "tea"}},
        {"d1": {"ann": "oil", "bob": None}, "d2": {"ann": float("nan"), "bob": "tea"}},
    ],
    ids=["nothing", "nobody", "one annotator", "no overlap", "missing"],
)
def test_where_no_two_have_labelled_a_document_nothing_can_be_said(labellings):
    for measure in ("krippendorff", "fleiss", "percent", "cohen"):
        found = agreement(labellings, measure)
        assert found.n_documents == 0
        assert math.isnan(found.value)
        assert math.isnan(found.low)
        assert math.isnan(found.high)


def test_one_label_that_everybody_always_gives_is_full_agreement_that_chance_would_bring_too():
    labellings = {document: {"ann": "oil", "bob": "oil", "eve": "oil"} for document in range(7)}
    assert percent_agreement(labellings) == 1
    assert math.isnan(krippendorff_alpha(labellings))
    assert math.isnan(krippendorff_alpha(labellings, distance="masi"))
    assert math.isnan(fleiss_kappa(labellings))
    assert math.isnan(cohen_kappa(["oil"] * 7, ["oil"] * 7))
    assert math.isnan(agreement(labellings).low)


def test_a_label_and_the_set_of_it_are_the_same_answer():
    assert percent_agreement({"d1": {"ann": "oil", "bob": ["oil"]}, "d2": {"ann": {"tea", "oil"}, "bob": "oil"}}) == 0.5


def test_cohen_kappa_of_mappings_is_of_documents_that_both_have_labelled():
    first, second = {"d1": "oil", "d2": "tea", "d3": "tea"}, {"d2": "tea", "d1": "oil", "d4": "oil"}
    assert cohen_kappa(first, second) == 1
    assert agreement({d: {"ann": first.get(d), "bob": second.get(d)} for d in ("d1", "d2", "d3", "d4")}, "cohen") == (
        annotators.Agreement(1.0, 1.0, 1.0, 2)
    )


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: krippendorff_alpha([["oil"]]), "labellings must map each document"),
        (lambda: krippendorff_alpha({"d1": ["oil", "tea"]}), "labellings must map each document"),
        (lambda: krippendorff_alpha({}, distance="ratio"), "distance must be one of"),
        (lambda: krippendorff_alpha({"d": {"a": "x", "b": "y"}}, distance="interval"), "labels that are numbers"),
        (lambda: krippendorff_alpha({"d": {"a": {1, 2}, "b": 1}}, distance="ordinal"), "labels that are numbers"),
        (lambda: krippendorff_alpha({"d": {"a": [["x"]], "b": "y"}}), "a label must be a name"),
        (lambda: cohen_kappa(["a"], ["a", "b"]), "lists of the same length"),
        (lambda: cohen_kappa(["a"], {"d": "a"}), "lists of the same length"),
        (lambda: cohen_kappa(["a"], ["b"], weights="cubic"), "weights must be one of"),
        (lambda: fleiss_kappa([[0.5, 1.5]]), "whole numbers of answers"),
        (lambda: fleiss_kappa("oil"), "whole numbers of answers"),
        (lambda: agreement({"d": dict.fromkeys("abc", "x")}, "cohen"), "of two annotators, got 3"),
        (lambda: agreement({}, "scott"), "measure must be one of"),
    ],
)
def test_bad_input_is_an_error(act, message):
    with pytest.raises(InputError, match=message):
        act()
