import numpy as np
import pytest

from active.test_guesses import plant
from wayword.active import STRATEGIES, build_space, simulate
from wayword.active.simulation import draw_start
from wayword.errors import InputError

X, TRUTH = plant(80)
X_TEST, TRUTH_TEST = plant(60, seed=1)
SETTINGS = {"X_test": X_TEST, "y_test": TRUTH_TEST, "n_labels": 8, "n_topics": 3}
SPACE = build_space(X)


@pytest.mark.parametrize("strategy", ["auto", *STRATEGIES])
def test_every_strategy_learns_planted_labels(strategy):
    found = simulate(X, TRUTH, strategy=strategy, n_start=3, every=2, space=SPACE, min_df=1, **SETTINGS)
    assert found.n_labels.tolist() == [3, 5, 7, 8]
    assert len(set(found.asked.tolist())) == 8
    for values in (found.accuracy, found.macro_f1, found.log_rank_accuracy, found.seconds):
        assert values.shape == (4,)
        assert np.isfinite(values).all()
        assert (values >= 0).all()
    assert found.accuracy[-1] > 0.6
    assert np.isfinite(found.npmi).all()


def test_the_same_seed_gives_the_same_run():
    runs = [simulate(X, TRUTH, space=SPACE, random_state=5, **SETTINGS) for _ in range(2)]
    assert runs[0].asked.tolist() == runs[1].asked.tolist()
    assert runs[0].accuracy.tolist() == runs[1].accuracy.tolist()
    other = simulate(X, TRUTH, space=SPACE, random_state=6, **SETTINGS)
    assert other.asked.tolist() != runs[0].asked.tolist()


def test_words_instead_of_topics():
    found = simulate(X, TRUTH, strategy="margin", features="tfidf", **SETTINGS)
    assert found.accuracy[-1] > 0.6
    assert np.isnan(found.npmi).all()


def test_batches_and_progress():
    told = []
    found = simulate(X, TRUTH, batch=2, space=SPACE, progress=lambda *what: told.append(what), **SETTINGS)
    assert found.n_labels.tolist() == [5, 7, 8]
    assert told[-1] == ("labels", 8, 8)


def test_a_pool_can_be_labelled_to_the_last_document():
    found = simulate(X[:12], TRUTH[:12], X_test=X_TEST, y_test=TRUTH_TEST, n_labels=50)
    assert found.n_labels[-1] == 12


def test_the_first_documents_have_different_labels_as_far_as_there_are():
    y = np.array(["a"] * 20 + ["b", "c"])
    found = draw_start(y, 5, np.random.RandomState(0))
    assert len(set(found)) == 5
    assert set(y[found]) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "best"}, "strategy must be one of 'auto'"),
        ({"n_labels": 0}, "n_labels must be a whole number"),
        ({"features": "words"}, "features must be one of"),
        ({"y_test": TRUTH_TEST[:3]}, "expected a label for each of 80 and 60 documents"),
    ],
)
def test_bad_settings_are_named(change, message):
    with pytest.raises(InputError, match=message):
        simulate(X, TRUTH, **(SETTINGS | change))


def test_one_label_only_is_an_error():
    with pytest.raises(InputError, match="all the same"):
        simulate(X, ["a"] * 80, **SETTINGS)
