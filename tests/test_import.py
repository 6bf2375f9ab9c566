"""``import wayword`` stays light, and its names are as announced."""

import subprocess
import sys

import pytest

import wayword


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_import_loads_no_heavy_package():
    loaded = run("import sys, wayword; print(*sorted(m for m in sys.modules if '.' not in m))").split()
    assert not {"numba", "numpy", "pandas", "rich", "scipy", "simplemma", "sklearn", "typer"} & set(loaded)


def test_reading_a_corpus_needs_neither_scikit_learn_nor_numba():
    loaded = run("import sys; from wayword import read_corpus; read_corpus(['a b']); print(*sys.modules)").split()
    assert not {"numba", "sklearn"} & set(loaded)


def test_public_names_are_all_there():
    assert len(wayword.__all__) == len(set(wayword.__all__))
    for name in wayword.__all__:
        assert getattr(wayword, name) is not None
    assert set(wayword.__all__) <= set(dir(wayword))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'topics'"):
        wayword.topics  # noqa: B018
