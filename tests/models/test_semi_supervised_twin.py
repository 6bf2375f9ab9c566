import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive.factor import multiply_topics_squares, multiply_weights_squares
from naive.semi_supervised import energy, multiply_labels, multiply_topics, multiply_weights

sizes = st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(1, 4), st.integers(1, 3))
seeds = st.integers(0, 2**32 - 1)
strengths = st.sampled_from([0.0, 0.1, 1.0, 30.0])


def draw(size, seed):
    """Return terms, labels, which of these are known, and factors."""
    D, V, K, C = size
    rng = np.random.default_rng(seed)
    X, Y = rng.poisson(1.5, (D, V)).astype(float), (rng.random((D, C)) < 0.4).astype(float)
    L = (rng.random((D, C)) < 0.6).astype(float)
    return X, Y, L, rng.random((D, K)) + 0.1, rng.random((K, V)) + 0.1, rng.random((K, C)) + 0.1


@given(sizes, seeds, strengths)
def test_no_step_raises_the_energy(size, seed, strength):
    X, Y, L, W, H, B = draw(size, seed)
    levels = [energy(X, Y, L, W, H, B, strength)]
    for _ in range(5):
        H = multiply_topics(X, W, H)
        levels.append(energy(X, Y, L, W, H, B, strength))
        B = multiply_labels(Y, L, W, B)
        levels.append(energy(X, Y, L, W, H, B, strength))
        W = multiply_weights(X, Y, L, W, H, B, strength)
        levels.append(energy(X, Y, L, W, H, B, strength))
    assert (np.diff(levels) <= 1e-10 * levels[0]).all()
    assert all(np.isfinite(factor).all() and (factor >= 0).all() for factor in (W, H, B))


@given(sizes, seeds, strengths)
def test_labels_that_are_not_known_change_nothing(size, seed, strength):
    X, Y, L, W, H, B = draw(size, seed)
    other = np.where(L > 0, Y, 7.0)
    assert energy(X, Y, L, W, H, B, strength) == energy(X, other, L, W, H, B, strength)
    assert (multiply_weights(X, Y, L, W, H, B, strength) == multiply_weights(X, other, L, W, H, B, strength)).all()
    assert (multiply_labels(Y, L, W, B) == multiply_labels(other, L, W, B)).all()


@given(sizes, seeds)
def test_without_labels_the_steps_are_those_of_plain_factorisation(size, seed):
    X, Y, L, W, H, B = draw(size, seed)
    np.testing.assert_allclose(multiply_topics(X, W, H), multiply_topics_squares(X, W, H))
    np.testing.assert_allclose(multiply_weights(X, Y, L, W, H, B, 0.0), multiply_weights_squares(X, W, H))
    np.testing.assert_allclose(multiply_weights(X, Y, 0 * L, W, H, B, 1.0), multiply_weights_squares(X, W, H))


@given(sizes, seeds, strengths)
def test_the_steps_rest_where_the_energy_is_lowest(size, seed, strength):
    _, _, L, W, H, B = draw(size, seed)
    X, Y = W @ H, W @ B
    np.testing.assert_allclose(multiply_topics(X, W, H), H)
    np.testing.assert_allclose(multiply_labels(Y, L, W, B), B)
    np.testing.assert_allclose(multiply_weights(X, Y, L, W, H, B, strength), W)


@given(sizes, seeds, strengths)
def test_terms_and_known_labels_are_one_weighted_factorisation(size, seed, strength):
    X, Y, L, W, H, B = draw(size, seed)
    # Equation 17 of the second seed for terms and labels side by side: 0/1 weights times the strength are its E.
    both, topics = np.hstack([X, Y]), np.hstack([H, B])
    E = np.hstack([np.ones_like(X), strength * L])
    expected = multiply_weights_squares(both, W, topics, E=E)
    np.testing.assert_allclose(multiply_weights(X, Y, L, W, H, B, strength), expected)
