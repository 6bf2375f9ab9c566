import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from naive import active as naive
from wayword import TopicDiscovery, Vectorizer
from wayword.active import STRATEGIES, QueryState, ask, cold_start, give_reasons, score_documents, select
from wayword.active.reasons import _PARTS
from wayword.errors import InputError

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 15)
dampings = st.floats(0, 1)
LABELS, TOPICS = ("tea", "rice", "oil"), ("leaf", "grain")


def rows_of(questions):
    return [question.row for question in questions]


def draw(seed, *, zero_rows=0.1):
    """Return scores, candidates and topic weights; scores all differ."""
    rng = np.random.default_rng(seed)
    n_documents, n_topics = int(rng.integers(1, 15)), int(rng.integers(1, 5))
    theta = rng.gamma(0.5, 3.0, size=(n_documents, n_topics)) * (rng.random((n_documents, 1)) >= zero_rows)
    return rng.random(n_documents) + 0.01, rng.random(n_documents) < 0.7, theta


def draw_state(seed, *, multilabel=False):
    rng = np.random.default_rng(seed)
    _, candidates, theta = draw(seed)
    shape = (3, len(theta), int(rng.integers(1, 5)))
    chances = rng.random(shape) if multilabel else rng.dirichlet(np.ones(shape[2]), size=shape[:2])
    return QueryState(~candidates, chances[0], theta, chances, multilabel=multilabel, seed=seed)


def tea_state(chances, **settings):
    """Return a state with one unlabelled document and no label anywhere, with names."""
    return QueryState(np.zeros(1, bool), np.atleast_2d(chances), labels=LABELS[: len(chances)], **settings)


def reason(chances, strategy, **settings):
    (found,) = give_reasons(tea_state(chances, **settings), strategy, 0)
    return found


@given(seeds, sizes, dampings)
def test_a_batch_is_that_of_the_naive_twin(seed, n, damping):
    scores, candidates, theta = draw(seed)
    found = select(scores, candidates, n=n, vectors=theta, damping=damping)
    expected = naive.choose(scores.tolist(), candidates.tolist(), n, theta.tolist(), damping)
    # Documents that are copies, or nearly, weigh next to nothing, and rounding may order them otherwise.
    similarity = naive.similarities(theta.tolist()) - np.eye(len(theta))
    if damping < 1 - 1e-6 or similarity.max(initial=0) < 1 - 1e-6:
        assert rows_of(found) == expected
    assert [question.score for question in found] == [scores[row] for row in rows_of(found)]


@given(seeds, sizes)
def test_a_batch_by_cosines_is_that_by_the_matrix_of_similarities(seed, n):
    scores, candidates, theta = draw(seed)
    similarity = np.minimum(naive.similarities(theta.tolist()), 1.0)
    for matrix in (similarity, sparse.csr_matrix(similarity)):
        found = select(scores, candidates, n=n, similarity=matrix, damping=0.9)
        assert found == select(scores, candidates, n=n, vectors=theta, damping=0.9)


@given(seeds)
def test_a_batch_of_one_is_the_best_candidate(seed):
    scores, candidates, theta = draw(seed)
    found = select(scores, candidates, vectors=theta)
    assert rows_of(found) == ([int(np.where(candidates, scores, -1).argmax())] if candidates.any() else [])


@given(seeds, sizes)
def test_without_damping_a_batch_is_the_best_candidates_in_order(seed, n):
    scores, candidates, theta = draw(seed)
    best = [int(row) for row in np.argsort(-scores) if candidates[row]][:n]
    assert rows_of(select(scores, candidates, n=n)) == best
    assert rows_of(select(scores, candidates, n=n, vectors=theta, damping=0)) == best


@given(seeds, sizes, st.booleans())
def test_labelled_documents_are_never_asked_about_nor_any_twice(seed, n, multilabel):
    state = draw_state(seed, multilabel=multilabel)
    for strategy in STRATEGIES:
        rows = rows_of(ask(state, strategy, n=n, candidates=np.ones(len(state.labelled), bool)))
        assert len(set(rows)) == len(rows) == min(n, (~state.labelled).sum())
        assert not state.labelled[rows].any()


@given(seeds, sizes, seeds)
def test_permuted_documents_give_the_same_batch(seed, n, other):
    scores, candidates, theta = draw(seed, zero_rows=0)
    order = np.random.default_rng(other).permutation(len(scores))
    found = select(scores[order], candidates[order], n=n, vectors=theta[order], damping=0.9)
    expected = select(scores, candidates, n=n, vectors=theta, damping=0.9)
    assert [order[row] for row in rows_of(found)] == rows_of(expected)


@given(seeds, sizes)
def test_scales_of_scores_and_of_documents_change_no_batch(seed, n):
    scores, candidates, theta = draw(seed)
    scales = np.exp2(np.arange(len(theta)) % 7)[:, None]
    expected = rows_of(select(scores, candidates, n=n, vectors=theta))
    # Powers of two, so that not even the last bit changes.
    assert rows_of(select(8 * scores, candidates, n=n, vectors=scales * theta)) == expected


@given(seeds, sizes)
def test_a_longer_batch_begins_with_the_shorter_one(seed, n):
    scores, candidates, theta = draw(seed)
    longer = select(scores, candidates, n=n + 3, vectors=theta)
    assert longer[:n] == select(scores, candidates, n=n, vectors=theta)


def test_of_equal_scores_the_first_rows_are_taken():
    assert rows_of(select([0.5, 0.7, 0.7, 0.7], [True, False, True, True], n=3)) == [2, 3, 0]


def test_copies_of_a_chosen_document_come_last_the_best_of_them_first():
    # Thirds have a cosine with themselves that is not one exactly.
    theta = [[1 / 3, 1 / 3, 1 / 3]] * 3 + [[1.0, 0.0, 0.0]]
    assert rows_of(select([0.7, 0.8, 0.9, 0.1], [True] * 4, n=4, vectors=theta)) == [2, 3, 1, 0]


def test_opposite_vectors_are_not_more_than_unlike():
    vectors = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]
    assert rows_of(select([0.9, 0.5, 0.6], [True] * 3, n=2, vectors=vectors)) == [0, 2]


def test_who_was_passed_over_for_being_alike_is_counted():
    theta = [[1.0, 0.0]] * 3 + [[0.0, 1.0]]
    first, second = select([0.9, 0.8, 0.7, 0.1], [True] * 4, n=2, vectors=theta, explain=lambda row: [f"row {row}"])
    assert first.reasons == ("row 0",)
    said = "chosen before 2 documents that score higher but resemble one already in the batch"
    assert second.reasons == ("row 3", said)


def test_ids_are_those_given_and_else_rows():
    assert select([0.1, 0.2], [True, True], ids=["a", "b"])[0].id == "b"
    assert select([0.1, 0.2], [True, True])[0].id == 1
    assert cold_start([[1.0], [2.0]], [True, False], ids=["a", "b"])[0].id == "b"


def test_nothing_is_asked_when_every_document_is_labelled_or_there_is_none():
    for n_documents in (0, 3):
        state = QueryState(
            np.ones(n_documents, bool),
            np.ones((n_documents, 1)),
            np.ones((n_documents, 2)),
            np.ones((2, n_documents, 1)),
        )
        assert cold_start(state.theta, state.labelled, 2) == []
        for strategy in STRATEGIES:
            assert ask(state, strategy, n=2) == []


def test_an_empty_document_is_asked_about_last():
    theta, labelled = np.array([[0.0, 0.0], [0.0, 0.0], [0.2, 0.8], [0.6, 0.4]]), np.array([False, True, False, True])
    state = QueryState(labelled, np.full((4, 2), 0.5), theta)
    for strategy in ("density", "alto", "alto_ent_rep"):
        assert rows_of(ask(state, strategy, n=4)) == [2, 0]
    assert "none of its words belongs to a topic" in ask(state, "alto", n=2)[1].reasons
    last = cold_start(theta, labelled, 4)[-1]
    assert (last.row, last.score, last.reasons) == (0, 0.0, ("none of its words belongs to a topic",))


@given(seeds, sizes)
def test_a_cold_start_is_that_of_the_naive_twin(seed, n):
    _, candidates, theta = draw(seed)
    assert rows_of(cold_start(theta, ~candidates, n)) == naive.cold_start(theta.tolist(), (~candidates).tolist(), n)


@given(seeds, sizes)
def test_a_cold_start_of_several_is_one_after_the_other(seed, n):
    _, candidates, theta = draw(seed)
    labelled, found = ~candidates, []
    for _ in range(min(n, candidates.sum())):
        found += cold_start(theta, labelled)
        labelled[found[-1].row] = True
    assert found == cold_start(theta, ~candidates, n)


@given(seeds, sizes)
def test_a_cold_start_asks_about_every_topic_before_it_asks_again(seed, n):
    *_, theta = draw(seed, zero_rows=0)
    main = theta.argmax(axis=1)
    asked = main[rows_of(cold_start(theta, np.zeros(len(theta), bool), n))]
    n_main = len(set(main))
    assert len(set(asked[:n_main])) == min(n, n_main)


def test_a_cold_start_takes_the_middle_document_of_the_largest_topic():
    theta = [[0.3, 0.7], [1.0, 0.0], [0.8, 0.2], [0.55, 0.45]]
    questions = cold_start(theta, [False] * 4, 3, topics=TOPICS)
    assert rows_of(questions) == [2, 0, 3]
    assert questions[0].reasons == (
        "its topic, leaf, is 66 % of what is unlabelled and has no labelled document yet",
        "typical of the 3 documents of that topic",
    )
    assert questions[1].reasons == ("its topic, grain, is 38 % of what is unlabelled and has no labelled document yet",)
    assert "leaf, is 78 % of what is unlabelled and has only 1 labelled or asked about" in questions[2].reasons[0]
    assert questions[0].score == pytest.approx(2.65 / 4)


def test_a_cold_start_passes_over_those_that_may_not_be_asked():
    theta = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert rows_of(cold_start(theta, [False] * 3, 5, candidates=[False, True, True])) == [1, 2]


def test_without_any_label_a_strategy_is_a_cold_start_unless_it_is_random():
    state = draw_state(3)
    cold = QueryState(np.zeros(len(state.labelled), bool), state.probabilities, state.theta, seed=1)
    expected = cold_start(cold.theta, cold.labelled, 3)
    assert ask(cold, "margin", n=3) == expected
    assert ask(QueryState(cold.labelled, theta=cold.theta), "alto", n=3) == expected
    drawn = ask(cold, "random", n=3)
    assert rows_of(drawn) == np.argsort(-score_documents(cold, "random"))[:3].tolist()
    assert drawn[0].reasons == ("drawn at random",)


@given(seeds, sizes)
def test_skipped_documents_are_not_asked_about(seed, n):
    state = draw_state(seed)
    may_ask = np.random.default_rng(seed).random(len(state.labelled)) < 0.5
    for strategy in ("random", "margin"):
        rows = rows_of(ask(state, strategy, n=n, candidates=may_ask))
        assert may_ask[rows].all()
        assert len(rows) == min(n, (may_ask & ~state.labelled).sum())


@given(seeds, st.booleans())
def test_every_strategy_has_reasons_for_every_document(seed, multilabel):
    state = draw_state(seed, multilabel=multilabel)
    for strategy in STRATEGIES:
        for row in range(len(state.labelled)):
            reasons = give_reasons(state, strategy, row)
            assert reasons
            assert all(reasons)
    assert set(_PARTS) == set(STRATEGIES)


@pytest.mark.parametrize(
    ("chances", "verdict"),
    [
        ([0.46, 0.48, 0.06], "rice and tea, are 48 % and 46 %: almost a tie"),
        ([0.5, 0.35, 0.15], "tea and rice, are 50 % and 35 %: close"),
        ([0.999, 0.001, 0.0], "tea and rice, are over 99 % and under 1 %: tea leads"),
        ([0.0, 0.0, 1.0], "oil and tea, are 100 % and 0 %: oil leads"),
    ],
)
def test_the_reason_of_margin_names_the_two_likeliest_labels(chances, verdict):
    assert reason(chances, "margin") == f"the two likeliest labels, {verdict}"


def test_reasons_of_uncertainty_name_the_likeliest_label():
    chances = [0.25, 0.5, 0.25]
    assert reason(chances, "entropy") == "as open as 2.8 equally likely labels; the likeliest is rice, 50 %"
    assert reason(chances, "least_confidence") == "the likeliest label, rice, is 50 %"
    assert reason([0.4, 0.3, 0.3], "least_confidence") == "the likeliest label, tea, is only 40 %"


@pytest.mark.parametrize("strategy", ["entropy", "margin", "least_confidence"])
def test_reasons_say_when_there_is_nothing_to_compare(strategy):
    assert reason([1.0], strategy) == "only one label, tea, is known so far"
    assert reason([0.0, 0.0], strategy) == "nothing speaks for any label"
    assert reason([0.9, 0.4, 0.55], strategy, multilabel=True) == (
        "the least certain labels are oil (55 %) and rice (40 %)"
    )
    assert reason([0.9], strategy, multilabel=True) == "the least certain label is tea (90 %)"


@pytest.mark.parametrize(
    ("members", "multilabel", "votes", "chances"),
    [
        (
            [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4]],
            False,
            "models disagree: 2 for tea, 1 for rice",
            ("tea", "30 %", "90 %"),
        ),
        ([[0.1, 0.9], [0.3, 0.7]], False, "models agree: 2 for rice", ("tea", "10 %", "30 %")),
        ([[0.9, 0.1], [0.0, 0.0]], False, "models agree: 1 for tea", ("tea", "0 %", "90 %")),
        ([[0.9, 0.6], [0.8, 0.2]], True, "1 of 2 models give it rice", ("rice", "20 %", "60 %")),
    ],
)
def test_reasons_of_a_committee_count_votes_and_say_how_far_models_are_apart(members, multilabel, votes, chances):
    committee = np.array(members)[:, None]
    state = QueryState(np.zeros(1, bool), committee=committee, labels=LABELS[:2], multilabel=multilabel)
    assert give_reasons(state, "vote_entropy", 0) == (votes,)
    assert give_reasons(state, "jensen_shannon", 0) == ("models put {} between {} and {}".format(*chances),)


def test_a_committee_without_opinions_or_differences_says_so():
    state = QueryState(np.zeros(1, bool), committee=np.zeros((2, 1, 2)))
    assert give_reasons(state, "vote_entropy", 0) == ("no model has an opinion",)
    assert give_reasons(state, "jensen_shannon", 0) == ("all models put label 1 at 0 %",)


def test_reasons_of_topics_name_them_and_say_whether_one_is_labelled():
    theta = [[3.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    state = QueryState(np.array([False, True, False, False]), np.full((4, 2), 0.5), theta, topics=TOPICS)
    uncertain = "as open as 2.0 equally likely labels; the likeliest is label 1, 50 %"
    assert give_reasons(state, "alto", 0) == (uncertain, "75 % of it is one topic, leaf")
    assert give_reasons(state, "alto", 3)[1:] == (
        "100 % of it is one topic, grain",
        "its topic, grain, has no labelled document yet",
    )
    assert give_reasons(state, "alto_ent", 2)[1] == "as mixed as 2.0 topics of equal parts"
    assert give_reasons(state, "alto_rep", 2)[2] == "more like the whole corpus than 75 % of documents"
    assert give_reasons(state, "density", 3)[1] == "more like the whole corpus than 0 % of documents"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"scores": [0.5, -1.0]}, "scores must hold finite numbers of 0 or more, got -1"),
        ({"scores": [0.5, np.nan]}, "scores must hold finite numbers of 0 or more, got nan"),
        ({"candidates": [True]}, r"candidates must say true or false of each of 2 documents, got bool of shape \(1,\)"),
        ({"candidates": [0, 1]}, "candidates must say true or false of each of 2 documents, got int64"),
        ({"n": 0}, "n must be a whole number of 1 or more, got 0"),
        ({"damping": 1.5}, "damping must be a number from 0 to 1, got 1.5"),
        ({"ids": ["a"]}, "ids must name each of 2 documents, got 1"),
        ({"vectors": [[1.0]]}, r"vectors must be finite numbers of shape \(n_documents=2, n_features\), got \(1, 1\)"),
        ({"vectors": [[np.inf], [1.0]]}, "vectors must be finite numbers"),
        ({"vectors": [["a"], ["b"]]}, "vectors must be a dense array of numbers, got list"),
        ({"similarity": np.eye(3)}, r"similarity must be a matrix of 2 by 2 documents, got \(3, 3\)"),
        ({"similarity": 2 * np.eye(2)}, "similarity must hold numbers from 0 to 1; divide by the largest"),
        ({"similarity": np.eye(2), "vectors": np.eye(2)}, "got both vectors and similarity"),
    ],
)
def test_wrong_selections_are_errors(settings, said):
    with pytest.raises(InputError, match=said):
        select(**{"scores": [0.5, 0.1], "candidates": [True, True], "n": 2, **settings})


def test_wrong_cold_starts_and_reasons_are_errors():
    with pytest.raises(InputError, match="labelled must say true or false of each of 1 documents"):
        cold_start([[1.0]], [False, False])
    with pytest.raises(InputError, match=r"theta must have the shape \(n_documents, n_topics=2\), got \(1, 1\)"):
        cold_start([[1.0]], [False], topics=TOPICS)
    state = tea_state([0.5, 0.5])
    with pytest.raises(InputError, match="row must be one of 1 documents, counted from 0, got 1"):
        give_reasons(state, "margin", 1)
    with pytest.raises(InputError, match=r"strategy must be one of .* got 'best'"):
        give_reasons(state, "best", 0)


@pytest.mark.data
def test_a_cold_start_meets_more_labels_of_real_documents_than_chance_does(reuters):
    kept = [document for document in reuters if len(document.labels) == 1][:3000]
    labels = np.array([document.labels[0] for document in kept])
    X = Vectorizer(min_df=5).fit_transform([document.text for document in kept])
    theta = TopicDiscovery(20).fit(X).transform(X)
    found = set(labels[rows_of(cold_start(theta, np.zeros(len(kept), bool), 20))])
    drawn = [len(set(np.random.default_rng(seed).permutation(labels)[:20])) for seed in range(20)]
    assert len(found) > np.quantile(drawn, 0.9)
