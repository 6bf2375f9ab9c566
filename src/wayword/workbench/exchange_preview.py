"""What a file would bring to a project, found out without changing it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayword.errors import InputError
from wayword.guidance.fields import check_id
from wayword.guidance.journal import Journal
from wayword.store.urls import open_store
from wayword.workbench.exchange import read_exchange
from wayword.workbench.transfer import fresh_documents, is_journal, read_arrival
from wayword.workbench.views import ImportView


def preview_file(
    url: str | Path, source: str | Path, *, annotator: str, format: str | None = None, **columns: Any
) -> ImportView:
    """Return what `Project.import_file` would bring.

    Parameters
    ----------
    url : str or Path
        Where the project is kept; it is read, and not changed.
    source : path
        The file.
    annotator : str
        Whose labels are that come without a name.
    format : str, optional
        Told from the file by default.
    **columns
        Columns that hold texts, ids and labels; see `read_exchange`.
    """
    check_id(annotator, "annotator")
    if is_journal(source, format):
        raise InputError("a journal cannot be tried: its acts come as they are, and each can be undone")
    file = read_exchange(source, format=format, **columns)
    store = open_store(url)
    try:
        guidance = Journal(entry for _, entry in store.entries()).guidance
        known = {id: row for row, id in enumerate(store.corpus().ids)}
        number = store.count_acts()
    finally:
        store.close()
    fresh = fresh_documents(file, known)
    new = () if fresh is None else fresh.ids
    there = known | {id: len(known) + place for place, id in enumerate(new)}
    arrival = read_arrival(file, guidance, there, source=Path(source).name, annotator=annotator)
    return ImportView(number, len(new), arrival.n_labelled, arrival.new_labels, arrival.unknown, list(file.warnings))
