import numpy as np
import pytest
from scipy import sparse

from wayword.active.asking import measure_doubt, score_questions
from wayword.active.guesses import Spreading
from wayword.active.space import DocumentSpace


def make_spreading(edges, n_documents):
    nearness = np.zeros((n_documents, n_documents))
    for one, other in edges:
        nearness[one, other] = nearness[other, one] = 1.0
    features = np.ones((n_documents, 1), dtype=np.float32)
    return Spreading(DocumentSpace(np.ones(1), np.ones((1, 1)), (), features, sparse.csr_matrix(nearness)))


# A star of five documents around 0, a pair, and one on its own.
STAR = [(0, 1), (0, 2), (0, 3), (0, 4), (5, 6)]


def test_a_tie_is_open_and_a_labelled_document_is_not():
    chances = np.array([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]])
    doubt = measure_doubt(chances, np.array([False, False, True]))
    np.testing.assert_allclose(doubt, [1.0, 0.2, 0.0])


def test_an_answer_in_the_midst_of_doubt_is_asked_for_first():
    doubt = np.array([0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 0.1, 1.0])
    scores = score_questions(make_spreading(STAR, 8), doubt, n_labelled=2, n_labels=2)
    assert scores[0] > 2 * scores[5]
    assert scores[7] == 0.0  # nobody would learn from it


def test_a_dense_place_counts_in_a_large_corpus_and_hardly_in_a_small_one():
    # Two rings, one of them with a chord from each document to each: all as open, all with neighbours as open.
    def prefer(n_others):
        edges = [(k, (k + 1) % 5) for k in range(5)]
        edges += [(5 + k, 5 + other) for k in range(5) for other in range(k)]
        spreading = make_spreading(edges, 10 + n_others)
        scores = score_questions(spreading, np.ones(10 + n_others), n_labelled=2, n_labels=2)
        return scores[5] / scores[0]

    assert 1.0 < prefer(0) < 1.01
    assert prefer(2_000) > 1.05


def test_where_nothing_is_open_nothing_is_asked():
    doubt = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    scores = score_questions(make_spreading(STAR, 8), doubt, n_labelled=2, n_labels=2)
    assert (scores[2:] == 0.0).all()
    assert (scores[:2] > 0.0).all()


def test_own_doubt_counts_for_more_the_more_labels_there_are():
    spreading = make_spreading([(0, 1), (2, 3)], 4)
    doubt = np.array([0.1, 0.5, 0.5, 0.5])
    few, many = (score_questions(spreading, doubt, n_labelled=n, n_labels=2) for n in (2, 2_000))
    assert many[0] / many[2] < few[0] / few[2] < 1.0


@pytest.mark.parametrize("n_documents", [1, 2])
def test_documents_without_neighbours_can_be_scored(n_documents):
    spreading = make_spreading([], n_documents)
    np.testing.assert_array_equal(score_questions(spreading, np.ones(n_documents), n_labelled=1, n_labels=1), 0.0)
