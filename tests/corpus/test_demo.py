import hashlib
import importlib
import re
import subprocess
import sys
from collections import Counter

import pytest

from wayword import demo_corpus
from wayword.corpus.demo import clean_docstring

LEAKS = ["numpy", "scipy", "sklearn", "linalg", "stats"]


@pytest.fixture(scope="module")
def demo():
    return demo_corpus()


def find_home(id):
    """Return the object that an id names, by walking from the longest module path down."""
    parts = id.split(".")
    module = importlib.import_module(".".join(parts[:-1]))
    return getattr(module, parts[-1])


def test_there_are_enough_documents_and_labels(demo):
    assert len(demo) >= 1500
    assert min(len(text.split()) for text in demo.texts) >= 50
    sizes = Counter(name for names in demo.labels for name in names)
    assert sum(size >= 20 for size in sizes.values()) >= 20


def test_no_text_stands_twice(demo):
    assert len(set(demo.texts)) == len(demo)
    assert len({" ".join(text.lower().split()) for text in demo.texts}) == len(demo)


def test_each_document_has_the_label_of_its_path(demo):
    for document in demo:
        assert len(document.labels) == 1
        assert document.id.startswith(f"{document.labels[0]}.")
        assert document.labels[0].count(".") == (document.id.count(".") > 1)
        assert document.metadata == {"package": document.labels[0].split(".")[0]}


def test_each_object_lives_in_the_subpackage_of_its_label(demo):
    strangers = []
    for document in demo:
        value = find_home(document.id)
        home = getattr(value, "__module__", None)
        if home is None:
            # Compiled functions that do not say; the list that names them decides.
            home = document.id.rpartition(".")[0]
            assert document.id.rpartition(".")[2] in importlib.import_module(home).__all__
        if not f"{home}.".startswith(f"{document.labels[0]}."):
            strangers.append((document.id, home))
    assert strangers == []


def test_each_object_is_public(demo):
    private = []
    for id in demo.ids:
        module, _, name = id.rpartition(".")
        if name.startswith("_") or name not in importlib.import_module(module).__all__:
            private.append(id)
    assert private == []


def test_no_object_stands_twice(demo):
    objects = Counter(id(find_home(name)) for name in demo.ids)
    assert max(objects.values()) == 1


@pytest.mark.parametrize("name", LEAKS)
def test_module_name_is_in_no_text(demo, name):
    word = re.compile(rf"(?<![^\W_]){name}(?![^\W_])", re.IGNORECASE)
    assert [document.id for document in demo if word.search(document.text)] == []


def test_dotted_module_path_is_in_no_text(demo):
    modules = {part for label in demo.label_names for part in label.split(".")} | {"np", "sp"}
    path = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(modules))})\.[a-zA-Z_]")
    found = [(document.id, match.group()) for document in demo if (match := path.search(document.text))]
    assert found == []


def test_quoted_module_name_is_in_no_text(demo):
    modules = {part for label in demo.label_names for part in label.split(".")}
    found = re.compile(rf"`(?:{'|'.join(sorted(modules))})`|examples/")
    assert [document.id for document in demo if found.search(document.text)] == []


def test_addresses_and_examples_are_in_no_text(demo):
    assert not [document.id for document in demo if re.search(r"https?://|>>> ", document.text)]


def test_second_call_gives_the_same(demo):
    assert demo_corpus() == demo


def test_experimental_features_make_no_difference(demo):
    code = (
        "from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer;"
        "from wayword import demo_corpus; print(len(demo_corpus()))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(found) == len(demo)


def test_another_process_makes_the_same(demo):
    code = (
        "import hashlib; from wayword import demo_corpus;"
        "print(hashlib.sha256(repr(list(demo_corpus())).encode()).hexdigest())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == hashlib.sha256(repr(list(demo)).encode()).hexdigest()


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("See `numpy.linalg.norm` and scipy.stats.norm.", "See `norm` and norm."),
        ("Like :func:`~scipy.optimize.minimize`, but slower.", "Like minimize, but slower."),
        ("Text.\n\n>>> import numpy as np\n>>> np.zeros(3)\narray([0., 0., 0.])\n\nMore.", "Text.\n\nMore."),
        ("from scipy import stats\nText.", "Text."),
        ("See https://scipy.org/doc for more.", "See for more."),
        ("The x.shape of e.g. an array.", "The x.shape of e.g. an array."),
        (".. versionadded:: 1.2\nText.", "Text."),
    ],
)
def test_docstring_is_reduced_to_prose(docstring, expected):
    assert clean_docstring(docstring) == expected
