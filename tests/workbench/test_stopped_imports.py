"""Imports of documents that are stopped half-way: by a full disk, or by the end of the process."""

from __future__ import annotations

import pytest

from wayword.errors import DiskFullError
from wayword.workbench.project import Project
from workbench.states import assert_same_state, state_of

# Arrays of the vocabulary, counts, the space and its two models, and topics; then the setting that all is laid out.
WRITES = 7
MORE = b"id,text,labels\nn1,t0w0 t0w1 t0w2 t0w3,Theme0\nn2,t1w0 t1w1 t1w2,\n"


def bring_more(project):
    return project.import_file(MORE, format="csv", name="more.csv", annotator="zoe")


def fill_up_after(store, n_writes, patched):
    """Let a store take so many more writes of arrays and settings, and then be full."""
    left = [n_writes]

    def limit(write):
        def written(*given):
            if not left[0]:
                raise DiskFullError("no room left")
            left[0] -= 1
            return write(*given)

        return written

    for name in ("put_arrays", "put_settings"):
        patched.setattr(store, name, limit(getattr(store, name)))
    return left


@pytest.fixture(scope="module")
def uninterrupted(template, tmp_path_factory):
    """Return what an import that nobody stops leads to."""
    path = tmp_path_factory.mktemp("whole") / "planted.wayword"
    path.write_bytes(template.read_bytes())
    with Project.open(path) as project, pytest.MonkeyPatch.context() as patched:
        left = fill_up_after(project.store, WRITES, patched)
        bring_more(project)
        assert left == [0]
        return state_of(project), project.labels()


@pytest.mark.parametrize("n_writes", range(WRITES))
def test_an_import_that_is_stopped_at_any_write_is_finished_when_opened_or_tried_again(
    n_writes, reopen, uninterrupted, monkeypatch
):
    stopped = reopen()
    with monkeypatch.context() as patched:
        fill_up_after(stopped.store, n_writes, patched)
        with pytest.raises(DiskFullError):
            bring_more(stopped)
    assert stopped.view().n_documents == 60
    opened = reopen()
    assert opened.view().n_documents == 62
    assert opened.document("n2", "zoe").text == "t1w0 t1w1 t1w2"
    state, labels = uninterrupted
    for project in (stopped, opened):
        assert bring_more(project).n_documents == 0
        assert_same_state(state, state_of(project))
        assert project.labels() == labels
