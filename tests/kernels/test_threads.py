import subprocess
import sys
import threading

import pytest
import threadpoolctl

from wayword.errors import InputError
from wayword.kernels.threads import map_in_order, one_blas_thread, thread_count


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


def blas_threads():
    return {library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"}


def test_linear_algebra_has_one_thread_until_the_last_who_needs_it_is_done():
    entered, done = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread():
            entered.set()
            done.wait()

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        other = threading.Thread(target=stay, daemon=True)
        with one_blas_thread():
            other.start()
            entered.wait()
        assert blas_threads() == {1}
        done.set()
        other.join()
        assert blas_threads() == {2}


def test_linear_algebra_that_is_loaded_later_has_one_thread_too():
    program = (
        "from wayword.kernels.threads import one_blas_thread\n"
        "import threadpoolctl\n"
        "with one_blas_thread():\n"
        "    import scipy.linalg\n"
        "    blas = [each for each in threadpoolctl.threadpool_info() if each['user_api'] == 'blas']\n"
        "print(sorted(each['num_threads'] for each in blas))\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(said.stdout.strip("[]\n").split(", ")) == {"1"}
