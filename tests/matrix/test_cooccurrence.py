import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from naive.cooccurrence import draw_pairs, estimate_cooccurrence
from wayword import Cooccurrence, Vectorizer, context_cooccurrence, cooccurrence
from wayword.errors import FormatError, InputError

FORMS = ["dense", "sparse", "operator"]
counts = hnp.arrays(np.int64, st.tuples(st.integers(1, 7), st.integers(1, 6)), elements=st.integers(0, 4))


@pytest.mark.parametrize("form", FORMS)
@given(X=counts)
def test_every_form_equals_the_naive_estimate(form, X):
    Q = cooccurrence(X, form=form)
    expected = estimate_cooccurrence(X)
    np.testing.assert_allclose(draw_pairs(X), expected, atol=1e-12)
    np.testing.assert_allclose(Q.toarray(), expected, atol=1e-14)
    np.testing.assert_allclose(Q @ np.eye(X.shape[1]), expected, atol=1e-14)
    np.testing.assert_allclose(Q @ np.ones(X.shape[1]), expected.sum(axis=1), atol=1e-14)
    np.testing.assert_allclose(Q.rows([0, -1 % X.shape[1]]), expected[[0, -1]], atol=1e-14)
    assert Q.document_frequencies.tolist() == (X > 0).sum(axis=0).tolist()
    assert Q.n_documents == (X.sum(axis=1) >= 2).sum()


@pytest.mark.parametrize("form", FORMS)
@given(X=counts)
def test_the_estimate_is_a_distribution(form, X):
    Q = cooccurrence(X, form=form)
    total = Q.row_sums.sum()
    assert total == pytest.approx(1.0 if Q.n_documents else 0.0)
    normalized = Q.row_normalized()
    seen = Q.row_sums > 1e-12
    np.testing.assert_allclose(normalized[seen].sum(axis=1), 1.0)
    assert np.isfinite(normalized).all()


@pytest.mark.parametrize("left", FORMS)
@pytest.mark.parametrize("right", FORMS)
@given(X=counts, data=st.data())
def test_documents_can_be_added_and_taken_away(left, right, X, data):
    cut = data.draw(st.integers(1, len(X)))
    whole = cooccurrence(X, form=left)
    first = cooccurrence(X[:cut], form=right)
    if cut < len(X):
        rest = cooccurrence(X[cut:], form=left)
        joined = first + rest
        np.testing.assert_allclose(joined.toarray(), whole.toarray(), atol=1e-14)
        assert joined.n_documents == whole.n_documents
        np.testing.assert_allclose((whole - first).toarray(), rest.toarray(), atol=1e-12)
        assert (whole - first).document_frequencies.tolist() == rest.document_frequencies.tolist()
    nothing = whole - whole
    assert nothing.n_documents == 0
    assert np.abs(nothing.toarray()).max() < 1e-12


def test_nothing_is_left_of_a_term_whose_documents_are_gone():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, (40, 6))
    X[20:, 2] = 0
    for form in FORMS:
        rest = cooccurrence(X, form=form) - cooccurrence(X[:20], form=form)
        assert rest.document_frequencies[2] == 0
        assert (rest.row_normalized()[2] == 0).all()
        assert (rest.rows([2]) == 0).all()
        assert (rest.toarray() >= 0).all()


def test_rows_may_be_chosen_by_a_mask():
    Q = cooccurrence([[1, 2, 0], [0, 1, 1]])
    assert (Q.rows(np.array([True, False, True])) == Q.toarray()[[0, 2]]).all()


def test_it_is_an_array_and_read_only():
    Q = cooccurrence([[1, 2], [2, 1]])
    assert (np.asarray(Q) == Q.toarray()).all()
    with pytest.raises(ValueError, match="read-only"):
        Q.sums[0, 0] = 5


def test_progress_is_told_to_the_last_term():
    told = []
    cooccurrence(np.ones((2, 150)), progress=lambda *now: told.append(now))
    assert told == [("terms", 64, 150), ("terms", 128, 150), ("terms", 150, 150)]


def test_taking_away_strangers_is_an_error():
    with pytest.raises(InputError, match="had not been added"):
        cooccurrence([[2, 0]]) - cooccurrence([[0, 2]])


def test_another_vocabulary_is_an_error():
    with pytest.raises(InputError, match="one vocabulary"):
        cooccurrence([[1, 1]]) + cooccurrence([[1, 1, 1]])


def test_real_counts_equal_the_sparse_product(brown):
    X = Vectorizer(min_df=5).fit_transform(brown[:150])
    n = np.asarray(X.sum(axis=1)).ravel()
    scaled = sparse.diags(1 / np.sqrt(n * (n - 1))) @ X
    expected = (scaled.T @ scaled).toarray() - np.diag(np.asarray(X.T @ (1 / (n * (n - 1)))).ravel())
    np.testing.assert_allclose(cooccurrence(X).toarray(), expected / len(n), rtol=1e-12, atol=1e-18)


def test_float32_is_as_accurate_as_its_type(brown):
    X = Vectorizer(min_df=5).fit_transform(brown[:60])
    exact = cooccurrence(X).toarray()
    single = cooccurrence(X, dtype=np.float32).toarray()
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, exact, rtol=3e-7, atol=0)


def test_documents_of_one_word_say_nothing():
    assert cooccurrence([[1, 0], [0, 1], [0, 0], [1, 1]]).n_documents == 1


def test_row_normalized_of_some_terms():
    Q = cooccurrence([[1, 2, 0], [0, 1, 1]])
    np.testing.assert_allclose(Q.row_normalized([2, 0]), Q.row_normalized()[[2, 0]])


def test_the_form_is_chosen_by_size():
    assert cooccurrence(sparse.eye(3) * 2).form == "dense"
    assert cooccurrence(sparse.csr_matrix(([2.0], ([0], [0])), shape=(1, 50_000))).form == "operator"


def test_a_dense_one_cannot_become_an_operator():
    with pytest.raises(InputError, match="no longer has its documents"):
        cooccurrence([[1, 1]], form="dense").to("operator")


@pytest.mark.parametrize("form", FORMS)
def test_saved_and_loaded_is_the_same(tmp_path, form):
    Q = cooccurrence([[1, 2, 0], [0, 1, 3]], form=form)
    Q.save(tmp_path / "q.npz")
    loaded = Cooccurrence.load(tmp_path / "q.npz")
    assert loaded.form == form
    assert loaded.n_documents == 2
    assert loaded.document_frequencies.tolist() == Q.document_frequencies.tolist()
    assert loaded.toarray().tobytes() == Q.toarray().tobytes()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([[1.0, np.nan]], "finite"),
        ([[1.0, np.inf]], "finite"),
        ([[1.0, -1.0]], "0 or more"),
        ([[0.5, 1.5]], "whole counts"),
        (np.zeros((0, 3)), "documents by terms"),
        ([1, 2, 3], "documents by terms"),
        (["a text"], "count texts with a Vectorizer first"),
        (np.zeros((3, 0)), "documents by terms"),
        ([[2.0**31, 1.0]], "below"),
    ],
)
def test_anything_but_counts_is_an_error(wrong, said):
    with pytest.raises(InputError, match=said):
        cooccurrence(wrong)


def test_a_type_that_is_no_float_is_an_error():
    with pytest.raises(InputError, match="dtype must be"):
        cooccurrence([[1, 1]], dtype=int)


def test_counts_of_other_things_do_not_mix():
    texts = ["clean room", "clean room"]
    vectorizer = Vectorizer()
    X = vectorizer.fit_transform(texts)
    with pytest.raises(InputError, match="counts of documents with counts of sentences"):
        cooccurrence(X) + context_cooccurrence(texts, vectorizer)


def test_an_unknown_form_is_an_error():
    with pytest.raises(InputError, match="form must be one of"):
        cooccurrence([[1, 1]], form="cubic")


def test_the_input_is_left_alone():
    X = sparse.csr_matrix((np.array([1.0, 1.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    before = X.data.copy(), X.indices.copy()
    cooccurrence(X)
    assert (X.data == before[0]).all()
    assert (X.indices == before[1]).all()


@pytest.mark.parametrize("damage", ["text", "empty", "cut", "foreign", "pickle", "newer"])
def test_a_wrong_file_is_a_clear_error(tmp_path, damage):
    path = tmp_path / "q.npz"
    cooccurrence([[1, 2]]).save(path)
    if damage == "text":
        path.write_text("hello")
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif damage == "foreign":
        np.savez(path, a=np.zeros(3))
    elif damage == "pickle":
        np.savez(path, header=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    else:
        np.savez(path, header=np.array('{"format": "wayword-cooccurrence", "version": 99}'))
    with pytest.raises(FormatError, match=r"q\.npz"):
        Cooccurrence.load(path)


@pytest.mark.parametrize(
    ("sums", "frequencies", "message"),
    [
        (np.ones((4, 5)), np.ones(4), r"a row and a column for each term, got an array of shape \(4, 5\)"),
        (np.ones(4), np.ones(4), "a row and a column for each term"),
        (np.full((4, 4), np.nan), np.ones(4), "finite numbers"),
        (np.full((4, 4), np.inf), np.ones(4), "finite numbers"),
        (np.full((4, 4), "a"), np.ones(4), "sums must hold numbers"),
        (np.eye(4) - 0.1, np.ones(4), r"sums must hold numbers of 0 or more, got -0\.1"),
        (sparse.csr_matrix(-np.eye(4)), np.ones(4), "sums must hold numbers of 0 or more, got -1"),
        (np.triu(np.ones((4, 4))), np.ones(4), "not symmetric"),
        (sparse.csr_matrix(np.triu(np.ones((4, 4)))), np.ones(4), "not symmetric"),
        (np.ones((4, 4)), np.ones(3), r"a number for each of 4 terms, got an array of shape \(3,\)"),
    ],
)
def test_sums_that_cannot_be_are_refused(sums, frequencies, message):
    with pytest.raises(InputError, match=message):
        Cooccurrence(sums, 3, frequencies)


def test_sums_of_whole_numbers_are_taken_and_stay_the_callers_own():
    sums = np.eye(3, dtype=int)
    assert Cooccurrence(sums, 2, np.ones(3)).toarray().tolist() == [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]
    own = np.eye(3)
    kept = Cooccurrence(own, 1, np.ones(3))
    own[0, 0] = 2.0
    with pytest.raises(ValueError, match="read-only"):
        kept.sums[0, 0] = 3.0
