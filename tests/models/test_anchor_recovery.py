from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import anchors as naive
from wayword import AnchorTopics, Cooccurrence, cooccurrence
from wayword.models.anchor_recovery import (
    FREE,
    Penalty,
    correlations_of,
    recover_by_divergence,
    recover_by_inversion,
    recover_by_squares,
    recover_with_dirichlet,
    topics_of,
)
from wayword.models.anchor_words import assign_categories, prior_mean
from wayword.models.word_space import WordSpace, make_sketch

SETTLED = 1e-3  # nats: the largest gap that recovery by divergence leaves under a penalty of logarithms
EXACT = 1e-14  # and without one
EVEN = 1e-10  # how much of the corners is spread evenly there
NEARLY = 1e-5  # how far the twin may be from its best
# Documents, terms, topics.
sizes = st.tuples(st.integers(20, 40), st.integers(5, 9), st.integers(1, 4))
seeds = st.integers(0, 2**32 - 1)
strengths = st.sampled_from([0.01, 0.3, 5.0])
few = settings(max_examples=20)
some = settings(max_examples=8)


def draw(size, seed, *, labels=0):
    """Return points of random documents, and those of some of them, or of several together, as corners."""
    n_documents, n_terms, n_topics = size
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.2 * rng.random((n_documents, n_terms))).astype(float)
    X[0] += 1
    space = WordSpace(cooccurrence(X), rng.random((n_terms, labels)) if labels else None)
    order = rng.permutation(n_terms).tolist()
    return space, space.corners([[term] for term in order[: n_topics - 1]] + [order[n_topics - 1 : n_topics + 1]])


def even(space, corners):
    """Return corners as recovery by divergence sees them: no term is impossible."""
    return (1 - EVEN) * corners + EVEN * space.mean_point


def points_of(space):
    return space.rows(np.arange(space.n_terms))


def nearby(shares, seed, n=5):
    """Return shares a little or a lot off, row by row."""
    rng = np.random.default_rng(seed)
    for off in rng.uniform(0.001, 1.0, n):
        yield (1 - off) * shares + off * rng.dirichlet(np.ones(shares.shape[1]), size=len(shares))


def assert_shares(shares, space, corners):
    assert shares.shape == (space.n_terms, len(corners))
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)


@few
@given(sizes, seeds, st.sampled_from([0.0, 0.01, 0.3, 5.0]), st.integers(0, 2))
def test_squares_are_those_of_the_twin(size, seed, strength, labels):
    space, corners = draw(size, seed, labels=labels)
    mean = np.random.default_rng(seed).random((space.n_terms, len(corners)))
    found = recover_by_squares(space, corners, penalty=Penalty(strength, mean))
    assert_shares(found.shares, space, corners)
    assert found.gap <= EXACT
    for q, c, mu in zip(points_of(space), found.shares, mean, strict=True):
        best = naive.square_shares(q, corners, mu, strength)
        lowest = naive.square_objective(q, corners, best, mu, strength)
        assert naive.square_objective(q, corners, c, mu, strength) <= lowest + 1e-9


@few
@given(sizes, seeds, strengths)
def test_no_other_shares_have_a_lower_objective_of_squares(size, seed, strength):
    space, corners = draw(size, seed)
    mean = np.random.default_rng(seed).random((space.n_terms, len(corners)))
    found = recover_by_squares(space, corners, penalty=Penalty(strength, mean)).shares
    for others in nearby(found, seed):
        for q, c, other, mu in zip(points_of(space), found, others, mean, strict=True):
            lowest = naive.square_objective(q, corners, c, mu, strength)
            assert naive.square_objective(q, corners, other, mu, strength) >= lowest - 1e-9


@some
@given(sizes, seeds, st.integers(0, 2))
def test_divergences_are_within_the_gap_of_the_twin(size, seed, labels):
    space, corners = draw(size, seed, labels=labels)
    found = recover_by_divergence(space, corners)
    assert_shares(found.shares, space, corners)
    assert found.gap <= EXACT
    U = even(space, corners)
    for q, c in zip(points_of(space), found.shares, strict=True):
        lowest = naive.divergence(q, U, naive.divergence_shares(q, U))
        assert naive.divergence(q, U, c) <= lowest + NEARLY


@some
@given(sizes, seeds, strengths)
def test_divergences_with_squares_are_within_the_gap_of_the_twin(size, seed, strength):
    space, corners = draw(size, seed)
    mean = np.random.default_rng(seed).random((space.n_terms, len(corners)))
    found = recover_by_divergence(space, corners, penalty=Penalty(strength, mean))
    assert_shares(found.shares, space, corners)
    assert found.gap <= EXACT
    U = even(space, corners)
    for q, c, mu in zip(points_of(space), found.shares, mean, strict=True):
        lowest = naive.l2_objective(q, U, naive.l2_shares(q, U, mu, strength), mu, strength)
        assert naive.l2_objective(q, U, c, mu, strength) <= lowest + NEARLY


@few
@given(sizes, seeds, st.sampled_from([0.0, 0.01, 0.3, 5.0]))
def test_no_other_shares_have_a_lower_divergence_by_more_than_the_gap(size, seed, strength):
    space, corners = draw(size, seed)
    found = recover_by_divergence(space, corners, penalty=Penalty(strength)).shares
    U = even(space, corners)
    for others in nearby(found, seed):
        for q, c, other in zip(points_of(space), found, others, strict=True):
            lowest = naive.l2_objective(q, U, c, 0.0, strength)
            assert naive.l2_objective(q, U, other, 0.0, strength) >= lowest - 1e-9


@few
@given(sizes, seeds, st.sampled_from([0.0, 0.3]), st.integers(0, 2))
def test_divergences_end_at_the_same_shares_from_any_start(size, seed, strength, labels):
    space, corners = draw(size, seed, labels=labels)
    rng = np.random.default_rng(seed)
    penalty = Penalty(strength, rng.random((space.n_terms, len(corners))))
    plain = recover_by_divergence(space, corners, penalty=penalty).shares
    for start in (np.full_like(plain, 1 / len(corners)), rng.dirichlet(np.ones(len(corners)), size=space.n_terms)):
        shares = recover_by_divergence(space, corners, penalty=penalty, start=start).shares
        np.testing.assert_allclose(shares @ even(space, corners), plain @ even(space, corners), atol=1e-6)


@pytest.mark.parametrize("settled", [1e-1, 1e-2, 1e-5, 1e-9])
def test_divergences_settle_as_far_as_is_asked_for_and_looser_is_not_as_near(settled):
    space, corners = draw((40, 9, 4), 0)
    found = recover_by_divergence(space, corners, settled=settled)
    assert found.gap <= settled
    exact = recover_by_divergence(space, corners, settled=0.0)
    assert exact.gap <= 1e-13
    for q, c, best in zip(points_of(space), found.shares, exact.shares, strict=True):
        lowest = naive.divergence(q, even(space, corners), best)
        assert lowest - 1e-12 <= naive.divergence(q, even(space, corners), c) <= lowest + settled


@few
@given(seeds, st.integers(1, 5))
def test_divergences_recover_separable_topics_from_an_even_start(seed, n_topics):
    A, R = naive.plant_topics(n_topics, 20, seed)
    space = WordSpace(Cooccurrence(A @ R @ A.T, 1, np.ones(20)))
    anchors = [(topic,) for topic in range(n_topics)]
    corners = space.corners(anchors)
    found = recover_by_divergence(space, corners, start=np.full((20, n_topics), 1 / n_topics)).shares
    topics = topics_of(found, space.frequencies, anchors)
    np.testing.assert_allclose(topics.T, A, atol=1e-6)
    np.testing.assert_allclose(correlations_of(topics, space.frequencies @ found, corners), R, atol=1e-6)


@few
@given(sizes, seeds, st.sampled_from([0.1, 1.0, 10.0]))
def test_the_penalty_of_a_dirichlet_prior_has_the_slopes_of_equation_a7(size, seed, strength):
    space, corners = draw(size, seed)
    rng = np.random.default_rng(seed)
    C, T = rng.dirichlet(np.full(len(corners), 5.0), size=space.n_terms), space.frequencies
    TC = T @ C
    penalty = Penalty(log_weight=strength / space.n_terms, costs=strength * T[:, None] / TC)
    x = rng.uniform(0.1, 50.0)  # only xi x matters
    a, b = naive.beta_parameters(x, space.n_terms)
    for i, slopes in enumerate(penalty.slopes(C)):
        np.testing.assert_allclose(slopes, -strength / x * naive.log_beta_slopes(C[i], T[i], TC, a, b), rtol=1e-9)


@few
@given(sizes, seeds)
def test_equation_a7_is_the_derivative_of_the_beta_prior(size, seed):
    space, corners = draw(size, seed)
    C, T = np.random.default_rng(seed).dirichlet(np.full(len(corners) + 1, 5.0), size=space.n_terms), space.frequencies
    a, b = naive.beta_parameters(3.0, space.n_terms)
    if not (T > 1e-3).all():
        T = np.full_like(T, 1 / len(T))
    slopes = naive.log_beta_slopes(C[0], T[0], T @ C, a, b)
    for k, slope in enumerate(slopes):
        up, down = C.copy(), C.copy()
        up[0, k] += 1e-6
        down[0, k] -= 1e-6
        change = naive.log_beta(T, up, 0, a, b) - naive.log_beta(T, down, 0, a, b)
        assert change / 2e-6 == pytest.approx(slope, rel=1e-4, abs=1e-4)


@few
@given(sizes, seeds, strengths, strengths, st.booleans())
def test_the_slopes_of_a_penalty_are_those_of_its_value(size, seed, square, log_weight, costly):
    space, corners = draw(size, seed)
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(len(corners), 5.0), size=space.n_terms) + 0.01
    costs = rng.random(shares.shape) if costly else None
    penalty = Penalty(square, rng.random(shares.shape), log_weight, costs)
    for k in range(len(corners)):
        step = 1e-6 * np.eye(len(corners))[k]
        change = penalty.value(shares + step) - penalty.value(shares - step)
        np.testing.assert_allclose(change / 2e-6, penalty.slopes(shares)[:, k], rtol=1e-4, atol=1e-4)
    rows = slice(1, 3)
    assert (penalty.of(rows).slopes(shares[rows]) == penalty.slopes(shares)[rows]).all()


@some
@given(sizes, seeds, st.sampled_from([0.1, 1.0, 10.0]))
def test_rounds_of_a_dirichlet_prior_end_where_the_twin_has_its_optimum(size, seed, strength):
    space, corners = draw(size, seed)
    start = recover_by_divergence(space, corners).shares
    found = recover_with_dirichlet(space, corners, strength, start)
    assert_shares(found.shares, space, corners)
    assert found.moves[-1] <= 0.1
    # The masses of the last round but one hardly differ from the last ones.
    U, T, TC = even(space, corners), space.frequencies, space.frequencies @ found.shares
    for q, c, share in zip(points_of(space), found.shares, T, strict=True):
        lowest = naive.beta_objective(q, U, naive.beta_shares(q, U, share, TC, strength), share, TC, strength)
        assert naive.beta_objective(q, U, c, share, TC, strength) <= lowest + 2 * SETTLED + 0.05 * strength * share


@some
@given(sizes, seeds, st.sampled_from([0.1, 1.0]))
def test_one_round_of_a_dirichlet_prior_is_that_of_the_twin(size, seed, strength):
    space, corners = draw(size, seed)
    start = recover_by_squares(space, corners).shares
    T, TC = space.frequencies, space.frequencies @ start
    TC = np.maximum(TC, 1e-3)
    penalty = Penalty(log_weight=strength / space.n_terms, costs=strength * T[:, None] / TC)
    found = recover_by_divergence(space, corners, penalty=penalty, start=start).shares
    U = even(space, corners)
    for q, c, share in zip(points_of(space), found, T, strict=True):
        lowest = naive.beta_objective(q, U, naive.beta_shares(q, U, share, TC, strength), share, TC, strength)
        assert naive.beta_objective(q, U, c, share, TC, strength) <= lowest + 2 * SETTLED


@few
@given(sizes, seeds)
def test_a_strength_of_zero_is_no_penalty(size, seed):
    space, corners = draw(size, seed)
    mean = np.random.default_rng(seed).random((space.n_terms, len(corners)))
    for recover in (recover_by_squares, recover_by_divergence):
        free, none = (recover(space, corners, penalty=penalty).shares for penalty in (FREE, Penalty(0.0, mean)))
        assert (none == free).all()
    free, none = (recover_by_divergence(space, corners).shares, recover_by_squares(space, corners).shares)
    np.testing.assert_allclose(recover_with_dirichlet(space, corners, 0.0, none).shares, free, atol=1e-6)


@few
@given(sizes, seeds)
def test_a_huge_strength_draws_shares_to_the_mean(size, seed):
    space, corners = draw(size, seed)
    mean = np.random.default_rng(seed).dirichlet(np.ones(len(corners)), size=space.n_terms)
    for recover in (recover_by_squares, recover_by_divergence):
        np.testing.assert_allclose(recover(space, corners, penalty=Penalty(1e7, mean)).shares, mean, atol=1e-3)
        # The point of the simplex that is nearest to zero.
        even_shares = recover(space, corners, penalty=Penalty(1e7)).shares
        np.testing.assert_allclose(even_shares, 1 / len(corners), atol=1e-3)


@few
@given(sizes, seeds)
def test_a_start_changes_nothing_but_the_time(size, seed):
    space, corners = draw(size, seed)
    start = np.random.default_rng(seed).dirichlet(np.ones(len(corners)), size=space.n_terms)
    before = start.copy()
    penalty = Penalty(0.1)
    plain, warm = (recover_by_squares(space, corners, penalty=penalty, start=from_) for from_ in (None, start))
    np.testing.assert_allclose(warm.shares, plain.shares, atol=1e-5)
    recover_by_divergence(space, corners, start=start)
    assert (start == before).all()


@few
@given(sizes, seeds)
def test_inversion_is_that_of_the_lecture_notes(size, seed):
    n_documents, n_terms, n_topics = size
    A, R = naive.plant_topics(n_topics, n_terms + 4, seed)
    noise = np.random.default_rng(seed).random((n_terms + 4,) * 2) * 1e-5
    Q = A @ R @ A.T + noise + noise.T
    space = WordSpace(Cooccurrence(Q * n_documents, n_documents, np.ones(len(Q))))
    topics, correlations = recover_by_inversion(space, list(range(n_topics)))
    expected = naive.invert_block(Q, range(n_topics))
    np.testing.assert_allclose(topics.T, expected[0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(correlations, expected[1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(topics.sum(axis=1), 1.0, rtol=1e-6)


@few
@given(sizes, seeds)
def test_topics_follow_by_bayes_rule(size, seed):
    space, corners = draw(size, seed)
    shares = np.random.default_rng(seed).dirichlet(np.ones(len(corners)), size=space.n_terms)
    expected = naive.topics_by_bayes(shares, space.pairs.toarray())
    topics = topics_of(shares, space.frequencies, [])
    np.testing.assert_allclose(topics.T, expected, rtol=1e-9, atol=1e-15)


@few
@given(seeds, st.integers(1, 5))
def test_correlations_of_the_true_topics_are_the_true_ones(seed, n_topics):
    A, R = naive.plant_topics(n_topics, 20, seed)
    space = WordSpace(Cooccurrence(A @ R @ A.T, 1, np.ones(20)))
    corners = space.corners([(topic,) for topic in range(n_topics)])
    found = correlations_of(A.T, R.sum(axis=0), corners)
    np.testing.assert_allclose(found, R, atol=1e-9)
    assert found.sum() == pytest.approx(1.0)


@few
@given(sizes, seeds)
def test_points_are_rows_that_sum_to_one_and_several_terms_have_their_harmonic_mean(size, seed):
    space, _ = draw(size, seed)
    rows = points_of(space)
    np.testing.assert_allclose(rows, space.pairs.row_normalized(), rtol=1e-12)
    found = space.corners([[0], [1, 2], [0, 2, 3]])
    assert (found[0] == rows[0]).all()
    np.testing.assert_allclose(found[1], naive.harmonic_mean(rows[[1, 2]]), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found[2], naive.harmonic_mean(rows[[0, 2, 3]]), rtol=1e-6, atol=1e-12)


@few
@given(sizes, seeds, st.integers(0, 3), st.sampled_from(["dense", "sparse", "operator"]))
def test_products_are_those_of_all_points_in_every_form(size, seed, labels, form):
    space, corners = draw(size, seed, labels=labels)
    X = np.random.default_rng(seed).poisson(1.0, (size[0], size[1])).astype(float)
    X[0] += 1
    space = WordSpace(cooccurrence(X, form=form), space.labels)
    points = points_of(space)
    np.testing.assert_allclose(space.products(corners), points @ corners.T, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(space.mean_point, space.frequencies @ points, rtol=1e-9, atol=1e-12)
    squares = np.square(points[:, : space.n_terms]).sum(axis=1)
    np.testing.assert_allclose(space.word_squares, squares, rtol=1e-9, atol=1e-12)
    sketch = make_sketch(space.n_terms, 4, np.random.RandomState(0))
    projected = space.project_terms(np.arange(1, space.n_terms), sketch)
    assert projected.shape == (space.n_terms - 1, 4 + labels)
    np.testing.assert_allclose(projected[:, :4], points[1:, : space.n_terms] @ sketch.toarray(), rtol=1e-9, atol=1e-12)
    assert (projected[:, 4:] == points[1:, space.n_terms :]).all()


def test_a_sketch_keeps_distances_and_is_left_out_where_it_saves_nothing():
    points = np.random.default_rng(0).dirichlet(np.full(2000, 0.05), size=20)
    sketch = make_sketch(2000, 500, np.random.RandomState(0))
    before = np.linalg.norm(points[:10] - points[10:], axis=1)
    np.testing.assert_allclose(np.linalg.norm((points[:10] - points[10:]) @ sketch, axis=1), before, rtol=0.2)
    assert make_sketch(2000, None, np.random.RandomState(0)) is None
    assert make_sketch(2000, 2000, np.random.RandomState(0)) is None


@few
@given(seeds, st.integers(1, 5), st.integers(1, 6))
def test_categories_go_to_anchors_as_in_section_3_6(seed, n_anchors, n_categories):
    rng = np.random.default_rng(seed)
    Q = rng.random((12, 12))
    anchors = rng.permutation(12)[:n_anchors]
    categories = [np.flatnonzero(rng.random(12) < 0.3) for _ in range(n_categories)]
    categories[0] = np.arange(3)
    assigned = assign_categories(Q[anchors], categories)
    assert assigned == naive.assign_lexicon(Q, anchors, categories)
    given = [category for category in assigned if category is not None]
    assert len(given) == len(set(given)) == min(n_anchors, n_categories)
    expected = naive.lexicon_mean(assigned, categories, 12)
    np.testing.assert_allclose(prior_mean(assigned, categories, 12), expected, rtol=1e-12)


@pytest.mark.parametrize("n_topics", [1, 2, 5])
@pytest.mark.parametrize("rectify", [True, False])
@pytest.mark.parametrize(
    "settings", [{}, {"recover": "kl"}, {"recover": "inverse"}, {"find": "hull"}], ids=["l2", "kl", "inverse", "hull"]
)
def test_separable_topics_are_recovered_to_rounding(settings, rectify, n_topics):
    A, R = naive.plant_topics(n_topics, 20, n_topics)
    model = AnchorTopics(n_topics, rectify=rectify, **settings).fit(Cooccurrence(A @ R @ A.T, 1, np.full(20, 9)))
    order = naive.match_columns(model.components_.T, A)
    # Of one topic every term is an anchor.
    assert n_topics == 1 or np.argsort(order).tolist() == model.anchors_
    np.testing.assert_allclose(model.components_[order].T, A, atol=1e-6)
    np.testing.assert_allclose(model.topic_correlation_[np.ix_(order, order)], R, atol=1e-6)
    np.testing.assert_allclose(model.topic_shares_[order], R.sum(axis=0), atol=1e-6)


# Products of corners square what tells a rare topic from the others, so squares lose it to rounding first.
@pytest.mark.parametrize(("recover", "share"), [("l2", 1e-2), ("l2", 1e-3), ("kl", 1e-4), ("inverse", 1e-4)])
def test_separable_topics_are_recovered_where_one_has_few_words(recover, share):
    A, R = naive.plant_topics(5, 60, 0)
    R[0] *= share
    R[:, 0] *= share
    R /= R.sum()
    assert R[0].sum() < share
    space = Cooccurrence(A @ R @ A.T, 1, np.full(60, 9))
    model = AnchorTopics(5, anchors=list(range(5)), recover=recover, rectify=False).fit(space)
    np.testing.assert_allclose(model.components_.T, A, atol=1e-6)
    np.testing.assert_allclose(model.topic_correlation_, R, atol=1e-6)


@pytest.mark.parametrize("recover", ["l2", "kl", "inverse"])
def test_separable_topics_are_recovered_where_one_anchor_is_far_rarer_than_others(recover):
    A, R = naive.plant_topics(3, 30, 0)
    A[0] *= 1e-8
    A /= A.sum(axis=0)
    pairs = Cooccurrence(A @ R @ A.T, 1, np.full(30, 9))
    model = AnchorTopics(3, anchors=[0, 1, 2], recover=recover, rectify=False).fit(pairs)
    np.testing.assert_allclose(model.components_.T, A, atol=1e-6)
    np.testing.assert_allclose(model.topic_correlation_, R, atol=1e-6)


@pytest.mark.parametrize("rectify", [True, False])
def test_separable_topics_are_recovered_after_other_anchors_were_tried(rectify):
    A, R = naive.plant_topics(4, 20, 0)
    model = AnchorTopics(4, recover="kl", rectify=rectify).fit(Cooccurrence(A @ R @ A.T, 1, np.full(20, 9)))
    before = model.components_
    model.refit([9, 12, 2, 15]).refit([0, 1, 2, 3])
    np.testing.assert_allclose(model.components_.T, A, atol=1e-6)
    np.testing.assert_allclose(model.topic_correlation_, R, atol=1e-6)
    assert not np.array_equal(model.refit([9, 12, 2, 15]).components_, before)


@pytest.mark.parametrize("settings", [{}, {"find": "hull"}], ids=["fast", "hull"])
def test_of_several_anchors_of_a_topic_one_is_found(settings):
    A, R = naive.plant_topics(3, 25, 0, copies=3)
    model = AnchorTopics(3, rectify=False, **settings).fit(Cooccurrence(A @ R @ A.T, 1, np.full(25, 9)))
    assert sorted(anchor % 3 for anchor in model.anchors_) == [0, 1, 2]
    np.testing.assert_allclose(model.components_[naive.match_columns(model.components_.T, A)].T, A, atol=1e-6)


@cache
def sampled_errors(recover):
    """Return how far topics are from those planted, for ever more documents."""
    errors = np.zeros((2, 3))
    for seed in range(2):
        A, _ = naive.plant_topics(4, 40, seed)
        for place, pairs in enumerate(sampled_pairs(seed)):
            topics = AnchorTopics(4, recover=recover, rectify=False).fit(pairs).components_.T
            errors[seed, place] = np.abs(topics[:, naive.match_columns(topics, A)] - A).sum(axis=0).mean()
    return errors.mean(axis=0)


@cache
def sampled_pairs(seed):
    A, _ = naive.plant_topics(4, 40, seed)
    return [cooccurrence(naive.draw_documents(A, n, 50, seed)[0]) for n in (500, 5_000, 50_000)]


@pytest.mark.parametrize("recover", ["l2", "kl"])
def test_errors_fall_as_documents_grow(recover):
    few_documents, more, many = sampled_errors(recover)
    assert few_documents < 0.15
    assert more < 0.5 * few_documents
    assert many < 0.5 * more


def test_inversion_suffers_more_from_noise():
    assert (sampled_errors("inverse") > 1.03 * sampled_errors("l2")).all()
    assert (sampled_errors("inverse") > 1.03 * sampled_errors("kl")).all()
