from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from naive import ranking as naive
from wayword import RankMatch, log_rank_accuracy, match_by_genetic_algorithm, match_by_log_rank
from wayword.errors import InputError
from wayword.evaluation import genetic
from wayword.evaluation.ranking import log_rank_accuracies, log_ranks

NAMES = list("abcdefghijklmnopqrst")


@st.composite
def rankings(draw, most_topics=5, extra_topics=0):
    """Labels of documents as sets of numbers, of which some document has one, and scores with many ties."""
    n_labels = draw(st.integers(1, most_topics - extra_topics))
    n_topics = n_labels + draw(st.integers(0, extra_topics))
    numbers = st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 1.0, 2.0, np.inf])
    n_documents = draw(st.integers(1, 5))
    row = st.lists(numbers, min_size=n_topics, max_size=n_topics)
    scores = draw(st.lists(row, min_size=n_documents, max_size=n_documents))
    labels = st.sets(st.integers(0, n_labels - 1))
    y = draw(st.lists(labels, min_size=n_documents, max_size=n_documents).filter(any))
    return y, np.array(scores), n_labels


def as_matrix(y, n_labels):
    return np.array([[int(label in labels) for label in range(n_labels)] for labels in y])


def as_lists(y):
    return [[NAMES[label] for label in labels] for labels in y]


def themes_of(scores):
    return NAMES[: scores.shape[1]]


def planted(n_topics, n_documents=300, seed=0):
    """Documents whose topic has the highest score, of topics in another order than the labels."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_topics), rng.integers(n_topics, size=n_documents)])
    order = rng.permutation(n_topics)
    scores = rng.random((len(labels), n_topics))
    scores[np.arange(len(labels)), order[labels]] += 1.0
    return labels.tolist(), scores, order


def noise(n_topics, n_documents=60, seed=1):
    """Documents whose scores say nothing about their labels."""
    rng = np.random.default_rng(seed)
    labels = [*range(n_topics), *rng.integers(n_topics, size=n_documents).tolist()]
    return labels, rng.random((len(labels), n_topics))


# The measure.


def test_second_of_20_ranks_is_the_first_example_of_the_seed():
    assert log_rank_accuracy(["b"], [range(20, 0, -1)], themes=NAMES) == pytest.approx(0.769, abs=5e-4)


def test_first_and_third_of_20_ranks_are_the_second_example_of_the_seed():
    assert log_rank_accuracy([["a", "c"]], [range(20, 0, -1)], themes=NAMES) == pytest.approx(0.923, abs=5e-4)


@given(rankings())
def test_accuracy_is_the_mean_of_equation_7_1_over_all_orders_of_equal_scores(ranking):
    y, scores, _ = ranking
    found = log_rank_accuracy(as_lists(y), scores, themes=themes_of(scores))
    assert found == pytest.approx(naive.accuracy(y, scores.tolist()), abs=1e-12)
    assert 0.0 <= found <= 1.0


@given(rankings())
def test_each_document_has_its_accuracy_and_those_without_a_label_have_none(ranking):
    y, scores, _ = ranking
    found = log_rank_accuracies(as_lists(y), scores, themes=themes_of(scores))
    for labels, row, accuracy in zip(y, scores.tolist(), found, strict=True):
        if labels:
            assert accuracy == pytest.approx(naive.accuracy([labels], [row]), abs=1e-12)
        else:
            assert np.isnan(accuracy)


@given(rankings())
def test_labels_above_all_else_give_1_and_below_all_else_the_least(ranking):
    y, scores, _ = ranking
    n_themes = scores.shape[1]
    best = np.array([[theme in labels for theme in range(n_themes)] for labels in y]) * 1.0
    assert log_rank_accuracy(as_lists(y), best, themes=themes_of(scores)) == pytest.approx(1.0, abs=1e-12)
    least = log_rank_accuracy(as_lists(y), -best, themes=themes_of(scores))
    assert least <= log_rank_accuracy(as_lists(y), scores, themes=themes_of(scores)) + 1e-12
    if n_themes > 1 and all(len(labels) <= 1 for labels in y):
        assert least == pytest.approx(0.0, abs=1e-12)


@given(rankings(), st.data())
def test_scores_that_rise_with_the_old_ones_change_nothing(ranking, data):
    y, scores, _ = ranking
    levels = np.unique(scores)
    increasing = st.lists(st.integers(-50, 50), min_size=len(levels), max_size=len(levels), unique=True).map(sorted)
    other = np.array([np.array(data.draw(increasing))[np.searchsorted(levels, row)] for row in scores])
    themes = themes_of(scores)
    assert log_rank_accuracy(as_lists(y), other, themes=themes) == log_rank_accuracy(as_lists(y), scores, themes=themes)


@given(rankings(), st.randoms(use_true_random=False))
def test_order_of_themes_changes_nothing(ranking, random):
    y, scores, _ = ranking
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    shuffled = log_rank_accuracy(as_lists(y), scores[:, order], themes=[NAMES[theme] for theme in order])
    assert shuffled == pytest.approx(log_rank_accuracy(as_lists(y), scores, themes=themes_of(scores)), abs=1e-12)


@given(rankings())
def test_names_lists_and_matrices_give_the_same(ranking):
    y, scores, n_labels = ranking
    expected = log_rank_accuracy(as_lists(y), scores, themes=themes_of(scores))
    if n_labels > 1:
        matrix = as_matrix(y, n_labels)
        assert log_rank_accuracy(matrix, scores) == expected
        assert log_rank_accuracy(sparse.csr_matrix(matrix), scores) == expected
        assert log_rank_accuracy(pd.DataFrame(matrix, columns=themes_of(scores)), scores) == expected
        assert log_rank_accuracy(np.where(matrix.any(axis=1, keepdims=True), matrix, -1), scores) == expected
    if all(len(labels) <= 1 for labels in y):
        names = [NAMES[min(labels)] if labels else None for labels in y]
        assert log_rank_accuracy(names, scores, themes=themes_of(scores)) == expected


@given(rankings())
def test_ranks_are_a_permutation_and_equal_scores_share_them(ranking):
    _, scores, _ = ranking
    ranks = log_ranks(scores)
    np.testing.assert_allclose(ranks.sum(axis=1), np.log(np.arange(1, scores.shape[1] + 1)).sum(), atol=1e-12)
    for row, of_row in zip(scores, ranks, strict=True):
        assert ((row[:, None] > row) == (of_row[:, None] < of_row)).all()


def test_ranks_count_from_the_highest_score():
    np.testing.assert_allclose(np.exp(log_ranks([[0.1, 0.5, -np.inf, np.inf]])), [[3, 2, 4, 1]])
    np.testing.assert_allclose(log_ranks([[1, 1, 0]]), [[np.log(2) / 2, np.log(2) / 2, np.log(3)]])
    assert log_ranks(np.empty((0, 3))).shape == (0, 3)


def test_columns_are_the_sorted_names_unless_themes_are_given():
    y, scores = ["tea", "rice"], [[0.1, 0.9], [0.9, 0.1]]
    assert log_rank_accuracy(y, scores) == 1.0
    assert log_rank_accuracy(y, scores, themes=["tea", "rice"]) == 0.0


def test_one_theme_is_always_first():
    assert log_rank_accuracy(["a", None], [[3.0], [1.0]]) == 1.0
    assert match_by_log_rank(["a", None], [[3.0], [1.0]]).accuracy == 1.0


def test_document_of_all_themes_is_right_in_any_order():
    assert log_rank_accuracy([["a", "b", "c"]], [[0.3, 0.1, 0.2]]) == pytest.approx(1.0)


def test_weights_count_documents_that_often():
    y, scores = ["a", "b", "b", None], np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    weighted = log_rank_accuracy(y, scores, themes=["a", "b", "c"], sample_weight=[0, 3, 1, 5])
    often = [1, 1, 1, 2, 3]
    assert weighted == pytest.approx(log_rank_accuracy([y[k] for k in often], scores[often], themes=["a", "b", "c"]))


def test_labels_of_a_matrix_count_where_they_are_known_to_apply():
    scores = [[0.9, 0.5, 0.1]]
    assert log_rank_accuracy([[1, -1, 0]], scores) == 1.0
    assert log_rank_accuracy([[-1, 1, 0]], scores) == pytest.approx(1 - np.log(2) / np.log(3))


@pytest.mark.parametrize(
    ("y", "scores", "themes", "said"),
    [
        (["a", "b"], [[1.0, np.nan], [0, 1]], None, "scores must not be NaN"),
        (["a", "b"], [1.0, 2.0], None, r"documents by themes, got shape \(2,\)"),
        (["a", "b"], [[], []], None, r"documents by themes, got shape \(2, 0\)"),
        (["a", "b"], [[1.0], [1.0, 2.0]], None, "scores must be a matrix of numbers"),
        (["a", "b"], [["x", "y"], ["z", "w"]], None, "scores must be a matrix of numbers"),
        (["a"], [[1.0, 2.0], [0, 1]], None, "labels for each of 2 documents, got 1"),
        (["a", "a"], [[1.0, 2.0], [0, 1]], None, "y has 1 labels but scores 2 columns; give themes"),
        ([[1, 0, 0], [0, 1, 0]], [[1.0, 2.0], [0, 1]], None, "y has 3 labels but scores 2 columns; give themes"),
        (["a", "b"], [[1.0, 2.0], [0, 1]], ["a"], "names of the 2 columns of scores"),
        (["a", "b"], [[1.0, 2.0], [0, 1]], "ab", "names of the 2 columns of scores"),
        (["a", "b"], [[1.0, 2.0], [0, 1]], ["a", "a"], "themes must differ"),
        (["a", "q"], [[1.0, 2.0], [0, 1]], ["a", "b"], r"among themes; these are not: \['q'\]"),
        ([None, None], [[1.0, 2.0], [0, 1]], ["a", "b"], "no document of y has a label"),
        ([[], None], [[1.0, 2.0], [0, 1]], None, "no document of y has a label"),
        ([[-1, -1], [-1, -1]], [[1.0, 2.0], [0, 1]], None, "no document of y has a label"),
        (None, [[1.0, 2.0], [0, 1]], None, "no document of y has a label"),
        ([], np.empty((0, 2)), ["a", "b"], "no document of y has a label"),
    ],
)
def test_wrong_labels_scores_and_themes_are_errors(y, scores, themes, said):
    with pytest.raises(InputError, match=said):
        log_rank_accuracy(y, scores, themes=themes)


@pytest.mark.parametrize(
    ("weights", "said"),
    [([0, 1], "0 for every document that has a label"), ([1], "one number for each"), ([1, -1], "0 or more")],
)
def test_wrong_weights_are_errors(weights, said):
    with pytest.raises(InputError, match=said):
        log_rank_accuracy(["a", None], [[1.0, 2.0], [0, 1]], themes=["a", "b"], sample_weight=weights)


# Matching.


@given(rankings(most_topics=6, extra_topics=2))
def test_no_other_matching_is_more_accurate(ranking):
    y, scores, n_labels = ranking
    y[0] |= set(range(n_labels))
    match = match_by_log_rank(as_lists(y), scores)
    assert match.labels.tolist() == NAMES[:n_labels]
    assert len(set(match.topics.tolist())) == n_labels
    assert match.accuracy == pytest.approx(naive.best_accuracy(y, scores.tolist(), n_labels), abs=1e-12)


@given(rankings(extra_topics=2), st.integers(0, 3))
def test_genetic_matching_is_one_to_one_and_no_better_than_the_exact(ranking, seed):
    y, scores, n_labels = ranking
    y[0] |= set(range(n_labels))
    settings = {"population": 4, "generations": 3, "random_state": seed}
    match = match_by_genetic_algorithm(as_lists(y), scores, **settings)
    assert len(set(match.topics.tolist())) == n_labels
    assert match.accuracy <= match_by_log_rank(as_lists(y), scores).accuracy + 1e-12


@given(rankings(extra_topics=2), st.booleans())
def test_accuracy_of_a_match_is_that_of_its_themes(ranking, exact):
    y, scores, n_labels = ranking
    y[0] |= set(range(n_labels))
    if exact:
        match = match_by_log_rank(as_lists(y), scores)
    else:
        match = match_by_genetic_algorithm(as_lists(y), scores, population=3, generations=2)
    assert log_rank_accuracy(as_lists(y), scores, themes=match.themes) == pytest.approx(match.accuracy, abs=1e-12)
    if scores.shape[1] == n_labels:
        sorted_scores = scores[:, match.topics]
        assert log_rank_accuracy(as_lists(y), sorted_scores, themes=match.labels) == pytest.approx(match.accuracy)


@pytest.mark.parametrize("n_topics", [2, 7, 30])
def test_both_ways_find_planted_topics(n_topics):
    labels, scores, order = planted(n_topics)
    assert match_by_log_rank(labels, scores).topics.tolist() == order.tolist()
    found = match_by_genetic_algorithm(labels, scores, population=10, generations=5)
    assert found.topics.tolist() == order.tolist()
    assert found.accuracy == pytest.approx(1.0)


def test_genetic_matching_is_nearly_exact_where_nothing_is_planted():
    labels, scores = noise(30)
    exact = match_by_log_rank(labels, scores).accuracy
    assert match_by_genetic_algorithm(labels, scores).accuracy > 0.97 * exact


def test_generations_alone_find_the_exact_matching_from_random_permutations(monkeypatch):
    def draw(gains, size, rng):
        return np.argsort(rng.random_sample((size, len(gains))), axis=1)

    monkeypatch.setattr(genetic, "make_greedily", draw)
    labels, scores = noise(6)
    exact = match_by_log_rank(labels, scores)
    assert match_by_genetic_algorithm(labels, scores, generations=0).accuracy < exact.accuracy
    found = match_by_genetic_algorithm(labels, scores, generations=100)
    assert found.topics.tolist() == exact.topics.tolist()


def test_unmatched_topics_have_no_name():
    match = match_by_log_rank(["tea", "rice"], [[0.1, 0.9, 0.0, 0.2], [0.1, 0.0, 0.2, 0.9]])
    assert match.themes == [None, "tea", None, "rice"]
    assert (match.n_topics, match.accuracy) == (4, 1.0)


def test_columns_of_a_matrix_are_matched_by_number():
    match = match_by_log_rank([[1, 0, 0], [0, 1, 0]], [[0.1, 0.9, 0.2], [0.9, 0.1, 0.2]])
    assert match.themes == [1, 0, 2]
    assert log_rank_accuracy([[0, 0, 1]], [[0.1, 0.2, 0.3]], themes=match.themes) == 1.0


def test_documents_without_a_label_do_not_matter():
    labels, scores, _ = planted(4, n_documents=10)
    alone = match_by_log_rank(labels, scores)
    others = np.random.default_rng(0).random((20, 4))
    together = match_by_log_rank([*labels, *[None] * 20], np.vstack([scores, others]))
    assert (together.topics == alone.topics).all()
    assert together.accuracy == alone.accuracy


def test_same_seed_gives_the_same_matching_and_others_differ():
    labels, scores = noise(30)

    def match(seed) -> RankMatch:
        return match_by_genetic_algorithm(labels, scores, population=5, generations=3, random_state=seed)

    assert (match(3).topics == match(3).topics).all()
    assert (match(np.random.RandomState(3)).topics == match(3).topics).all()
    assert len({tuple(match(seed).topics) for seed in range(4)}) > 1


def test_best_accuracy_never_falls_and_the_callback_can_stop():
    labels, scores = noise(15)
    heard = []

    def listen(generation, accuracy):
        heard.append((generation, accuracy))
        return generation == 40

    match = match_by_genetic_algorithm(labels, scores, population=8, callback=listen)
    assert [generation for generation, _ in heard] == list(range(1, 41))
    assert all(before <= after for (_, before), (_, after) in pairwise(heard))
    assert match.accuracy == pytest.approx(heard[-1][1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"population": 0}, "population must be a whole number of 1 or more"),
        ({"generations": -1}, "generations must be a whole number of 0 or more"),
        ({"generations": 2.5}, "generations must be a whole number"),
        ({"crossover": 1.1}, "crossover must be a number from 0 to 1"),
        ({"mutation": -0.1}, "mutation must be a number from 0 to 1"),
    ],
)
def test_wrong_settings_are_errors(settings, said):
    with pytest.raises(InputError, match=said):
        match_by_genetic_algorithm(["a", "b"], [[1.0, 0], [0, 1]], **settings)


@pytest.mark.parametrize("match", [match_by_log_rank, match_by_genetic_algorithm])
@pytest.mark.parametrize(
    ("y", "scores", "said"),
    [
        (["a", "b", "c"], [[1.0, 0], [0, 1], [0, 1]], "3 labels need as many topics or more, got 2"),
        ([None, None], [[1.0, 0], [0, 1]], "no document of y has a label"),
        (["a", "b"], [[np.nan, 0], [0, 1]], "scores must not be NaN"),
        (["a"], [[1.0, 0], [0, 1]], "labels for each of 2 documents, got 1"),
    ],
)
def test_what_cannot_be_matched_is_an_error(match, y, scores, said):
    with pytest.raises(InputError, match=said):
        match(y, scores)


# The steps of the genetic algorithm.

individuals = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.tuples(st.permutations(range(n)), st.permutations(range(n)), st.integers(0, n - 1), st.integers(0, n - 1)),
        min_size=1,
        max_size=5,
    )
)


@given(individuals)
def test_crossing_keeps_the_outside_and_puts_the_inside_in_the_order_of_the_other(drawn):
    first, second, a, b = (np.array(part) for part in zip(*drawn, strict=True))
    starts, ends = np.minimum(a, b), np.maximum(a, b) + 1
    expected = [naive.cross(*parts) for parts in zip(first.tolist(), second.tolist(), starts, ends, strict=True)]
    assert genetic.cross_at_two_points(first, second, starts, ends).tolist() == expected
    assert (genetic.cross_at_two_points(first, second, starts, starts) == first).all()


@given(individuals)
def test_shifting_puts_a_number_at_another_place(drawn):
    population, _, origins, targets = (np.array(part) for part in zip(*drawn, strict=True))
    expected = [naive.shift(*parts) for parts in zip(population.tolist(), origins, targets, strict=True)]
    assert genetic.shift_genes(population, origins, targets).tolist() == expected


def test_example_of_crossing_and_shifting():
    first, second = np.array([[0, 1, 2, 3, 4, 5]]), np.array([[5, 3, 4, 0, 2, 1]])
    assert genetic.cross_at_two_points(first, second, np.array([1]), np.array([5])).tolist() == [[0, 3, 4, 2, 1, 5]]
    assert genetic.shift_genes(first, np.array([4]), np.array([1])).tolist() == [[0, 4, 1, 2, 3, 5]]


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 5))
def test_individuals_made_greedily_are_permutations_that_no_free_topic_improves(n_topics, size, seed):
    gains = np.random.default_rng(seed).random((n_topics, n_topics))
    population = genetic.make_greedily(gains, size, np.random.RandomState(seed))
    assert (np.sort(population, axis=1) == np.arange(n_topics)).all()
    for individual in population:
        # Someone came first and took the best of all topics.
        assert any(gains[label].argmax() == topic for label, topic in enumerate(individual))


def test_labels_without_gain_take_what_is_left():
    gains = np.zeros((4, 4))
    gains[1, 0] = gains[3, 2] = 1.0
    population = genetic.make_greedily(gains, 20, np.random.RandomState(0))
    assert (genetic.measure_fitness(gains, population) == 2.0).all()


def test_parents_are_selected_by_the_rank_of_their_fitness():
    rng = np.random.RandomState(0)
    fitness = np.array([0.5, 0.1, 99.0, 0.2])
    drawn = np.concatenate([genetic.select_parents(fitness, rng).ravel() for _ in range(5000)])
    shares = np.bincount(drawn) / len(drawn)
    np.testing.assert_allclose(shares, np.array([3, 1, 4, 2]) / 10, atol=0.01)


def test_without_crossover_and_mutation_children_are_parents():
    gains = np.random.default_rng(0).random((5, 5))
    greedy = genetic.make_greedily(gains, 6, np.random.RandomState(0))
    found = genetic.evolve(
        gains, population=6, generations=10, crossover=0.0, mutation=0.0, rng=np.random.RandomState(0)
    )
    assert found.tolist() in greedy.tolist()
    assert genetic.measure_fitness(gains, found[None])[0] == genetic.measure_fitness(gains, greedy).max()


def test_a_frame_that_names_all_labels_is_read_by_its_names():
    scores = pd.DataFrame([[1, 2], [2, 1]], columns=["b", "a"])
    assert log_rank_accuracy(["a", "b"], scores) == 1.0
    assert log_rank_accuracy(["a", "b"], scores, themes=["a", "b"]) == 0.0
    assert log_rank_accuracy(["a", "b"], pd.DataFrame([[2, 1], [1, 2]])) == 1.0
