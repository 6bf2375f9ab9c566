import threading

import pytest

from wayword.errors import InputError
from wayword.kernels.threads import map_in_order, thread_count


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_results_come_in_order_for_any_number_of_threads(threads):
    assert list(map_in_order(lambda k: k * k, range(100), threads=threads)) == [k * k for k in range(100)]


def test_few_pieces_are_taken_ahead_of_the_results():
    left = iter(range(1000))
    results = map_in_order(lambda k: k, left, threads=2)
    assert next(results) == 0
    assert next(left) <= 6
    results.close()


def test_an_error_in_a_piece_reaches_the_caller_and_ends_the_threads():
    def fail(k):
        if k == 3:
            raise ValueError("piece 3")
        return k

    with pytest.raises(ValueError, match="piece 3"):
        list(map_in_order(fail, range(10), threads=2))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("wayword")]


def test_thread_count_follows_the_environment(monkeypatch):
    monkeypatch.setenv("WAYWORD_THREADS", "3")
    assert thread_count() == 3


@pytest.mark.parametrize("wanted", ["0", "-1", "many", "1.5", ""])
def test_a_wrong_number_of_threads_is_an_error(monkeypatch, wanted):
    monkeypatch.setenv("WAYWORD_THREADS", wanted)
    with pytest.raises(InputError, match="WAYWORD_THREADS"):
        thread_count()
