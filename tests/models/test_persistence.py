import json
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import decomposition
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline

from wayword import (
    NMF,
    AnchorTopics,
    SemiSupervisedNMF,
    SupervisedAnchors,
    ThemeNMF,
    TopicSupervisedNMF,
    Vectorizer,
    Vocabulary,
    cooccurrence,
    load,
    save,
)
from wayword.errors import FormatError, InputError
from wayword.matrix import archive

NAMES = ["corn", None, "oil", "corn", None, "ship"]
LISTS = [["corn"], [], ["oil", "ship"], ["corn"], None, ["ship"]]
MATRIX = np.array([[1, 0, 0], [-1, -1, -1], [0, 1, 1], [1, 0, -1], [0, 0, 0], [0, 0, 1]])
KINDS_OF_Y = {
    "names": NAMES,
    "numbers": [3, -1, 4, 3, -1, 7],
    "floats": np.array([3.0, np.nan, 4.0, 3.0, np.nan, 7.0]),
    "booleans": [True, None, False, True, None, False],
    "lists": LISTS,
    "matrix": MATRIX,
    "sparse": sparse.csr_matrix(MATRIX),
    "frame": pd.DataFrame(MATRIX, columns=["corn", "oil", "ship"]),
}
LEARNT_BY_ALL = {"components_", "n_components_", "objective_path_", "n_iter_", "converged_", "n_features_in_"}


def draw(dtype=np.float64):
    return (np.random.default_rng(0).poisson(2.0, (6, 5)) + 1).astype(dtype)


LEARNT_BY_ANCHORS = {"anchors_", "components_", "term_topics_", "topic_correlation_", "n_components_", "n_features_in_"}


def attributes(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def assert_same(found, expected, learnt=LEARNT_BY_ALL):
    """Every attribute is the same, in kind and in bits."""
    assert type(found) is type(expected)
    assert attributes(found).keys() == attributes(expected).keys() >= learnt
    for name, value in attributes(expected).items():
        other = getattr(found, name)
        if isinstance(value, np.ndarray):
            assert other.dtype == value.dtype
            assert other.shape == value.shape
            assert other.tolist() == value.tolist()
        else:
            assert other == value
            assert type(other) is type(value) or isinstance(value, np.generic)


def assert_same_answers(found, expected, X):
    assert found.transform(X).tobytes() == expected.transform(X).tobytes()
    assert found.inverse_transform(found.transform(X)).tobytes() == (
        expected.inverse_transform(expected.transform(X)).tobytes()
    )
    assert found.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    if hasattr(expected, "predict"):
        assert found.predict_proba(X).tobytes() == expected.predict_proba(X).tobytes()
        answers = found.predict(X), expected.predict(X)
        assert type(answers[0]) is type(answers[1])
        assert np.array_equal(*answers) if isinstance(answers[0], np.ndarray) else answers[0] == answers[1]


def keep(model, tmp_path):
    """Return a model as it comes back from a file."""
    save(model, tmp_path / "model.npz")
    return load(tmp_path / "model.npz")


def saved(tmp_path):
    path = tmp_path / "model.npz"
    save(NMF(2, max_iter=2).fit(draw()), path)
    return path


def rewrite(path, change):
    """Change the header of a file."""
    with np.load(path, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    header = json.loads(str(arrays.pop("header")))
    header = change(header) or header
    np.savez(path, header=np.array(json.dumps(header)), **arrays)


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_plain_model_comes_back_to_the_bit(tmp_path, loss, dtype):
    X = draw(dtype)
    model = NMF(3, loss=loss, alpha_W=0.1, l1_ratio=0.5, max_iter=7, random_state=5).fit(X)
    found = keep(model, tmp_path)
    assert found.get_params() == model.get_params()
    assert_same(found, model)
    assert_same_answers(found, model, X)
    assert found.score(X) == model.score(X)


@pytest.mark.parametrize("loss", ["kl", "frobenius"])
@pytest.mark.parametrize("fitted", [True, False])
def test_a_model_that_comes_back_goes_on_learning_the_same(tmp_path, loss, fitted):
    X = draw()
    model = NMF(2, loss=loss)
    model = model.fit(X) if fitted else model.partial_fit(X[:3])
    found = keep(model, tmp_path)
    assert found.partial_fit(X[3:]).components_.tobytes() == model.partial_fit(X[3:]).components_.tobytes()
    assert found.n_iter_ == model.n_iter_


@pytest.mark.parametrize("kind", list(KINDS_OF_Y))
@pytest.mark.parametrize(
    "model",
    [
        TopicSupervisedNMF(4, label_weight=2.5),
        TopicSupervisedNMF(loss="kl", solver="mu"),
        SemiSupervisedNMF(2),
        SemiSupervisedNMF(3, loss="kl", label_loss="kl", label_strength=0.5),
    ],
    ids=str,
)
def test_a_labelled_model_comes_back_to_the_bit_with_every_kind_of_labels(tmp_path, model, kind):
    X = draw()
    model.fit(X, KINDS_OF_Y[kind])
    found = keep(model, tmp_path)
    assert found.get_params() == model.get_params()
    assert_same(found, model)
    assert_same_answers(found, model, X)
    assert found.score(X, KINDS_OF_Y[kind]) == model.score(X, KINDS_OF_Y[kind])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"recover": "kl", "regularizer": "beta", "strength": 0.5, "rectify": False, "min_df": 1},
        {"terms": np.array(["corn", "oil", "ship", "sea", "été"], dtype=object)},
        {"anchors": ["oil", ("ship", "sea")], "terms": ["corn", "oil", "ship", "sea", "été"], "projection": None},
        {
            "prior": {"land": ["corn"], "water": ["sea", "ship"]},
            "terms": Vocabulary(["corn", "oil", "ship", "sea", "q"]),
        },
        {"prior": np.full((5, 2), 0.5), "regularizer": "l2", "find": "hull", "inference": "vb"},
    ],
    ids=lambda options: ", ".join(options) or "none",
)
@pytest.mark.parametrize("frame", [False, True])
def test_a_model_of_anchors_comes_back_to_the_bit_but_cannot_solve_again(tmp_path, options, frame):
    X = pd.DataFrame(draw(), columns=["corn", "oil", "ship", "sea", "été"]) if frame else draw()
    model = AnchorTopics(2, **options).fit(X)
    found = keep(model, tmp_path)
    assert repr(found.get_params()) == repr(model.get_params())
    assert_same(found, model, LEARNT_BY_ANCHORS)
    for method in ("cd", "oneshot", "vb"):
        assert found.transform(X, method=method).tobytes() == model.transform(X, method=method).tobytes()
    assert found.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    with pytest.raises(InputError, match="a model read from a file has no co-occurrence to solve again with; fit it"):
        found.refit([0])
    assert found.fit(X).components_.tobytes() == model.components_.tobytes()


def test_topics_by_inversion_come_back_though_no_gap_was_measured(tmp_path):
    model = AnchorTopics(2, recover="inverse").fit(draw())
    found = keep(model, tmp_path)
    assert found.components_.tobytes() == model.components_.tobytes()
    assert np.isnan(found.gap_)


@pytest.mark.parametrize("kind", [*KINDS_OF_Y, "fractions"])
def test_a_model_of_anchors_and_labels_comes_back_to_the_bit_with_every_kind_of_labels(tmp_path, kind):
    X = draw() - 1
    y = [0.5, np.nan, 1.5, 0.5, np.nan, 4.0] if kind == "fractions" else KINDS_OF_Y[kind]
    model = SupervisedAnchors(2, lexical_mix=0.5).fit(X, y)
    found = keep(model, tmp_path)
    assert found.get_params() == model.get_params()
    assert_same(found, model, LEARNT_BY_ANCHORS)
    assert found.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    answers = found.predict(X), model.predict(X)
    assert type(answers[0]) is type(answers[1])
    assert np.array_equal(*answers) if isinstance(answers[0], np.ndarray) else answers[0] == answers[1]
    assert (found.features(X) != model.features(X)).nnz == 0


@settings(max_examples=25)
@given(
    st.lists(st.text(min_size=1), min_size=2, max_size=5, unique=True),
    st.floats(0, 1e300, allow_nan=False),
    st.integers(0, 2**32 - 1),
)
def test_any_names_and_numbers_come_back(tmp_path_factory, names, alpha, seed):
    X = draw()
    y = [names[document % len(names)] for document in range(6)]
    model = TopicSupervisedNMF(max_iter=2, random_state=seed, tol=alpha).fit(X, y)
    found = keep(model, tmp_path_factory.mktemp("any"))
    assert found.get_params() == model.get_params()
    assert found.classes_.tolist() == model.classes_.tolist()
    assert found.topic_names_ == model.topic_names_


def test_names_of_terms_come_back(tmp_path):
    X = pd.DataFrame(draw(), columns=["corn", "oil", "ship", "sea", "été"])
    model = NMF(2).fit(X)
    found = keep(model, tmp_path)
    assert found.feature_names_in_.tolist() == X.columns.tolist()
    assert found.feature_names_in_.dtype == object
    assert found.transform(X).tobytes() == model.transform(X).tobytes()
    with pytest.raises(ValueError, match="feature names"):
        found.transform(X[X.columns[::-1]])


@pytest.mark.parametrize("seed", [None, 0, 2**32 - 1, np.int64(7)])
def test_seeds_that_are_numbers_come_back(tmp_path, seed):
    assert keep(NMF(2, random_state=seed).fit(draw()), tmp_path).random_state == seed


def test_a_generator_cannot_be_kept(tmp_path):
    model = NMF(2, random_state=np.random.RandomState(0)).fit(draw())
    with pytest.raises(InputError, match="random_state cannot be kept in a file"):
        save(model, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_callback_is_not_kept(tmp_path):
    model = NMF(2, callback=lambda iteration, objective: None).fit(draw())
    found = keep(model, tmp_path)
    assert found.callback is None
    assert {**model.get_params(), "callback": None} == found.get_params()


def test_a_file_holds_plain_arrays_and_a_header_of_plain_values(tmp_path):
    X = pd.DataFrame(draw(), columns=list("abcde"))
    save(TopicSupervisedNMF().fit(X, LISTS), tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    header = json.loads(str(arrays["header"]))
    assert header["format"] == "wayword-model"
    assert header["version"] == 2
    assert header["model"] == "TopicSupervisedNMF"
    assert header["settings"].keys() == TopicSupervisedNMF().get_params().keys() - {"callback"}
    assert header["learnt"].keys() >= LEARNT_BY_ALL
    assert all(array.dtype.kind in "biufU" for array in arrays.values())


def test_the_name_of_a_file_is_left_as_it_is(tmp_path):
    model = NMF(2).fit(draw())
    for name in ("model", "model.npz", "model.wayword", "données 1.model"):
        save(model, str(tmp_path / name))
        assert load(str(tmp_path / name)).get_params() == model.get_params()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["model", "model.npz", "model.wayword", "données 1.model"]
    )


def test_saving_over_a_file_replaces_it(tmp_path):
    path = saved(tmp_path)
    save(NMF(3, max_iter=2).fit(draw()), path)
    assert load(path).n_components_ == 3
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_kept_if_writing_another_over_it_fails(tmp_path, monkeypatch):
    path = saved(tmp_path)
    before = path.read_bytes()

    def fail(file, **_):
        file.write(b"half of it")
        raise OSError("no space left on device")

    monkeypatch.setattr(archive.np, "savez", fail)
    with pytest.raises(OSError, match="no space left"):
        save(NMF(3, max_iter=2).fit(draw()), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "model", [NMF(), TopicSupervisedNMF(), SemiSupervisedNMF(), AnchorTopics(), SupervisedAnchors()], ids=str
)
def test_a_model_that_is_not_fitted_cannot_be_saved(tmp_path, model):
    with pytest.raises(NotFittedError):
        save(model, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


class Derived(NMF):
    """A model of somebody else."""


@pytest.mark.parametrize(
    "model", [decomposition.NMF(2).fit(draw()), Derived(2).fit(draw()), NMF, "nmf", None, {"components_": 1}], ids=repr
)
def test_what_is_no_model_of_wayword_cannot_be_saved(tmp_path, model):
    with pytest.raises(
        InputError, match=re.escape("expected a model of Wayword (AnchorTopics, DeepSemiNMF, NMF, Semi")
    ):
        save(model, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        save(NMF(2).fit(draw()), tmp_path / "nowhere" / "model.npz")
    with pytest.raises(FormatError, match="cannot be read"):
        load(tmp_path / "nowhere.npz")
    with pytest.raises(FormatError, match="cannot be read"):
        load(tmp_path)


class Explosion:
    def __reduce__(self):
        return pytest.fail, ("code of the file was run",)


def write_foreign(path, kind):
    rng = np.random.default_rng(0)
    if kind == "text":
        path.write_text("id,text\n1,corn\n")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "noise":
        path.write_bytes(rng.bytes(500))
    elif kind == "pickle":
        path.write_bytes(pickle.dumps(Explosion()))
    elif kind == "pickled array":
        with path.open("wb") as file:
            np.savez(file, header=np.array([Explosion()], dtype=object))
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, np.ones(3))
    elif kind == "arrays":
        with path.open("wb") as file:
            np.savez(file, components=np.ones((2, 3)))
    elif kind == "no json":
        with path.open("wb") as file:
            np.savez(file, header=np.array("corn"))
    elif kind == "list":
        with path.open("wb") as file:
            np.savez(file, header=np.array("[1, 2]"))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("header", "corn")
            file.writestr("readme.txt", "corn")
    else:
        with path.open("wb") as file:
            np.savez_compressed(file, header=np.array('{"format": "wayword-thing", "version": 1}'))


FOREIGN = [
    *("text", "empty", "noise", "pickle", "pickled array", "npy"),
    *("arrays", "no json", "list", "zip", "another format"),
]


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_file_is_an_error_and_runs_no_code(tmp_path, kind):
    path = tmp_path / "foreign.npz"
    write_foreign(path, kind)
    with pytest.raises(FormatError, match=r"foreign\.npz"):
        load(path)


def test_a_saved_cooccurrence_is_no_model(tmp_path):
    path = tmp_path / "pairs.npz"
    cooccurrence(sparse.csr_matrix(draw(np.int64))).save(path)
    with pytest.raises(FormatError, match="expected a Wayword model, got 'wayword-cooccurrence'"):
        load(path)


def test_a_file_cut_short_is_an_error(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            load(path)


@settings(max_examples=100)
@given(st.data())
def test_a_damaged_byte_is_an_error_or_does_no_harm(tmp_path_factory, data):
    path = saved(tmp_path_factory.mktemp("damaged"))
    expected = load(path)
    damaged = bytearray(path.read_bytes())
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged)
    try:
        found = load(path)
    except FormatError:
        return
    assert_same(found, expected)


def test_a_directory_that_says_encrypted_or_packed_otherwise_is_an_error(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    entry = whole.index(b"PK\x01\x02")
    # Version needed, flags, and method of compression of the first file within.
    for place, value in ((entry + 6, 255), (entry + 8, 1), (entry + 8, 32), (entry + 10, 99)):
        damaged = bytearray(whole)
        damaged[place] = value
        path.write_bytes(damaged)
        with pytest.raises(FormatError):
            load(path)


def put(*place, value):
    """Return what puts a value into the header."""

    def change(header):
        *path, last = place
        for name in path:
            header = header[name]
        header[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("version", value=3), "version 3 of the format, this Wayword reads 2; upgrade it"),
        (put("version", value=0), "version 0 of the format"),
        (put("version", value=None), "version None of the format"),
        (put("format", value="wayword-corpus"), "expected a Wayword model, got 'wayword-corpus'"),
        (put("model", value="LDA"), "no model of this Wayword is called 'LDA'"),
        (put("model", value="os.system"), "no model of this Wayword is called 'os.system'"),
        (put("model", value=None), "no model of this Wayword is called None"),
        (put("learnt", "transform", value={"value": 1}), "'transform' is nothing that a model learns"),
        (put("learnt", "__class__", value={"value": 1}), "'__class__' is nothing that a model learns"),
        (put("learnt", "_private_", value={"value": 1}), "'_private_' is nothing that a model learns"),
        (put("learnt", "n_components", value={"value": 1}), "'n_components' is nothing that a model learns"),
        (put("settings", "colour", value={"value": "red"}), "a damaged model"),
        (put("settings", value=[]), "a damaged model"),
        (put("learnt", value=3), "a damaged model"),
        (put("learnt", "components_", value={"array": "array99"}), "a damaged model"),
        (put("learnt", "components_", value={}), "a damaged model"),
        (put("learnt", "components_", value=None), "a damaged model"),
        (put("learnt", "components_", value={"list": 3, "tuple": False}), "a damaged model"),
        (lambda header: header.pop("settings") and None, "a damaged model"),
        (lambda header: header.pop("learnt") and None, "a damaged model"),
        (lambda header: [header], "expected a Wayword model"),
    ],
)
def test_a_header_that_does_not_fit_is_an_error(tmp_path, change, message):
    path = saved(tmp_path)
    rewrite(path, change)
    with pytest.raises(FormatError, match=re.escape(message)):
        load(path)


@pytest.mark.parametrize("name", [[], {"NMF": 1}, 3])
def test_a_model_whose_name_is_no_text_is_an_error(tmp_path, name):
    path = saved(tmp_path)
    rewrite(path, put("model", value=name))
    with pytest.raises(FormatError, match="no model of this Wayword is called"):
        load(path)


def test_a_file_of_version_1_still_loads(tmp_path):
    path = saved(tmp_path)
    expected = load(path)
    rewrite(path, put("version", value=1))
    assert_same(load(path), expected)


TEXTS = ["Clean rooms", "A large, clean room with a view", "Friendly staff", "The staff were friendly :)", "", "View!"]
CODES = ["room", "room", "staff", "staff", None, None]


def split_at_spaces(text):
    return text.split()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ngrams": (1, 2), "min_df": 2, "max_df": 0.9, "max_terms": 4},
        {"stop_words": {"room", "the"}, "keep": ["view"], "drop": frozenset({"staff"})},
        {"stop_words": None, "emoticons": True, "language": "none", "token_pattern": r"\w+", "lowercase": False},
        {"weighting": "tfidf", "norm": "l2", "dtype": np.float32},
        {"dtype": "float32", "min_length": 1},
        {"dtype": np.dtype(np.float32)},
        {"dtype": float},
        {"vocabulary": ["room", "view", "staff"]},
        {"vocabulary": Vocabulary(["room", "view"]), "weighting": "tfidf"},
    ],
    ids=lambda settings: ", ".join(settings) or "none",
)
def test_a_vectorizer_comes_back_and_counts_the_same(tmp_path, settings):
    vectorizer = Vectorizer(**settings).fit(TEXTS)
    found = keep(vectorizer, tmp_path)
    assert found.get_params().keys() == vectorizer.get_params().keys()
    assert {**found.get_params(), "dtype": None} == {**vectorizer.get_params(), "dtype": None}
    assert np.dtype(found.dtype) == np.dtype(vectorizer.dtype)
    assert found.vocabulary_ == vectorizer.vocabulary_
    counts, expected = found.transform(TEXTS), vectorizer.transform(TEXTS)
    assert counts.dtype == expected.dtype
    assert counts.toarray().tobytes() == expected.toarray().tobytes()
    again = clone(found).fit_transform(TEXTS)
    assert again.toarray().tobytes() == clone(vectorizer).fit_transform(TEXTS).toarray().tobytes()


@settings(max_examples=25)
@given(
    st.lists(st.text(st.characters(exclude_categories=[]), min_size=1), min_size=1, max_size=6, unique=True),
    st.booleans(),
    st.data(),
)
def test_any_vocabulary_comes_back(tmp_path_factory, terms, counted, data):
    frequencies = st.lists(st.integers(0, 2**40), min_size=len(terms), max_size=len(terms))
    vectorizer = Vectorizer()
    vectorizer.vocabulary_ = Vocabulary(
        terms,
        document_frequencies=data.draw(frequencies) if counted else None,
        term_frequencies=data.draw(st.none() | frequencies),
        n_documents=data.draw(st.integers(0, 2**40)) if counted else None,
    )
    found = keep(vectorizer, tmp_path_factory.mktemp("any")).vocabulary_
    assert found == vectorizer.vocabulary_
    assert found.terms == vectorizer.vocabulary_.terms


def test_documents_that_were_left_out_are_known_after_loading(tmp_path):
    with pytest.warns(UserWarning, match="left out"):
        vectorizer = Vectorizer(min_tokens=2).fit(TEXTS)
    found = keep(vectorizer, tmp_path)
    assert found.dropped_ == vectorizer.dropped_ == [4, 5]
    assert found.kept_.tolist() == vectorizer.kept_.tolist()


def test_a_tokenizer_of_ones_own_cannot_be_kept(tmp_path):
    vectorizer = Vectorizer(tokenizer=split_at_spaces).fit(TEXTS)
    for model in (vectorizer, make_pipeline(vectorizer, NMF(2)).fit(TEXTS)):
        with pytest.raises(InputError, match=r"tokenizer cannot be kept in a file: <function .* files hold no code"):
            save(model, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "y", [CODES, [["room"], ["room"], ["staff"], ["staff", "room"], [], None]], ids=["names", "lists"]
)
@pytest.mark.parametrize(
    "model",
    [
        TopicSupervisedNMF(3),
        ThemeNMF(2),
        ThemeNMF(1, mode="combined", background=False, score="share"),
        ThemeNMF(2, n_new_topics=1, supervision="semi", score="likelihood"),
        SupervisedAnchors(2),
    ],
    ids=str,
)
def test_a_pipeline_comes_back_and_predicts_the_same(tmp_path, model, y):
    pipeline = make_pipeline(Vectorizer(ngrams=(1, 2)), model).fit(TEXTS, y)
    found = keep(pipeline, tmp_path)
    assert type(found) is Pipeline
    assert [name for name, _ in found.steps] == [name for name, _ in pipeline.steps]
    assert found[-1].get_params() == pipeline[-1].get_params()
    assert found[0].vocabulary_ == pipeline[0].vocabulary_
    assert found.predict_proba(TEXTS).tobytes() == pipeline.predict_proba(TEXTS).tobytes()
    assert list(found.predict(TEXTS)) == list(pipeline.predict(TEXTS))
    assert found.transform(TEXTS).tobytes() == pipeline.transform(TEXTS).tobytes()
    again = clone(found).fit(TEXTS, y)
    assert again.predict_proba(TEXTS).tobytes() == pipeline.predict_proba(TEXTS).tobytes()


def test_a_pipeline_in_a_pipeline_comes_back(tmp_path):
    pipeline = Pipeline([("words", make_pipeline(Vectorizer())), ("topics", NMF(2))]).fit(TEXTS)
    found = keep(pipeline, tmp_path)
    assert found.transform(TEXTS).tobytes() == pipeline.transform(TEXTS).tobytes()


@pytest.mark.parametrize(
    "step", [decomposition.NMF(2, max_iter=1000), decomposition.TruncatedSVD(2), "passthrough"], ids=str
)
def test_a_pipeline_with_a_step_of_somebody_else_cannot_be_saved(tmp_path, step):
    pipeline = make_pipeline(Vectorizer(), step).fit(TEXTS)
    with pytest.raises(InputError, match=r"expected a model of Wayword .*, or a Pipeline of these\), got"):
        save(pipeline, tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_pipeline_must_be_fitted_from_end_to_end(tmp_path):
    half = make_pipeline(Vectorizer(), NMF(2).fit(draw()))
    with pytest.raises(NotFittedError):
        save(half, tmp_path / "model.npz")
    with pytest.raises(NotFittedError):
        save(Vectorizer(), tmp_path / "model.npz")
    assert list(tmp_path.iterdir()) == []


def saved_pipeline(tmp_path):
    path = tmp_path / "pipeline.npz"
    save(make_pipeline(Vectorizer(), ThemeNMF(1)).fit(TEXTS, CODES), path)
    return path


VECTORIZER = ("steps", 0, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("steps", value=[]), "a damaged model: a pipeline has one step or more"),
        (put("steps", value=None), "a damaged model"),
        (put("steps", value=[["words"]]), "a damaged model"),
        (put("steps", value=["ab"]), "a damaged model"),
        (put("steps", 0, 0, value=3), "each has a name"),
        (put("steps", 1, 1, "model", value="LDA"), "no model of this Wayword is called 'LDA'"),
        (put("steps", 1, 1, "model", value="Pipeline"), "a damaged model"),
        (put(*VECTORIZER, "settings", "tokenizer_", value={"value": 1}), "a damaged model"),
        (put(*VECTORIZER, "settings", "dtype", value={"type": "object"}), "is no type of numbers"),
        (put(*VECTORIZER, "settings", "dtype", value={"type": "corn"}), "a damaged model"),
        (put(*VECTORIZER, "settings", "keep", value={"set": [{"dict": {}}], "frozen": True}), "unhashable"),
        (put(*VECTORIZER, "learnt", "vocabulary_", value={"vocabulary": {}}), "no description of a voc"),
        (put(*VECTORIZER, "learnt", "vocabulary_", "vocabulary", "terms", value=["a"]), "no description of a voc"),
        (put(*VECTORIZER, "learnt", "vocabulary_", "vocabulary", "terms", value=3), "no description of a voc"),
        (put(*VECTORIZER, "learnt", "fit", value={"value": 1}), "'fit' is nothing that a model learns"),
    ],
)
def test_a_pipeline_that_does_not_fit_is_an_error(tmp_path, change, message):
    path = saved_pipeline(tmp_path)
    rewrite(path, change)
    with pytest.raises(FormatError, match=re.escape(message)) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_pipeline_cut_short_is_an_error(tmp_path):
    path = saved_pipeline(tmp_path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 997):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            load(path)


def test_a_file_within_files_without_end_is_an_error(tmp_path):
    path = tmp_path / "deep.npz"
    opened, closed = '"model": "Pipeline", "steps": [["step", {', "}]]"
    with path.open("wb") as file:
        np.savez(file, header=np.array(f'{{"format": "wayword-model", "version": 2, {opened * 300}{closed * 300}}}'))
    with pytest.raises(FormatError):
        load(path)


@pytest.mark.parametrize("kind", [pd.Index, pd.Series])
def test_terms_in_a_column_of_a_frame_are_kept(tmp_path, kind):
    model = AnchorTopics(2, terms=kind(["corn", "oil", "ship", "sea", "été"])).fit(draw())
    found = keep(model, tmp_path)
    assert list(found.terms) == list(model.terms)
    assert found.anchor_words_ == model.anchor_words_
