"""What models say about documents, as tables and files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from wayword.cli.console import note, output, print_table

if TYPE_CHECKING:
    import numpy as np

    from wayword.models.themes import ThemeNMF

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model says about one document: its labels, and how likely each theme is."""

    id: str
    labels: list[str]
    chances: dict[str, float]


def list_predictions(model: ThemeNMF, ids: Sequence[str], chances: np.ndarray) -> list[Prediction]:
    """Return what a model says about each document, in words."""
    from wayword.models.labels import answer_in_kind

    names = [str(name) for name in model.classes_]
    single = model.label_kind_ == "single"
    answers = answer_in_kind(model.classes_, "single" if single else "lists", chances)
    labels = [[str(answer)] if single else [str(name) for name in answer] for answer in answers]
    rows = zip(ids, labels, chances.tolist(), strict=True)
    return [Prediction(id, found, dict(zip(names, row, strict=True))) for id, found, row in rows]


def _label_cell(labels: list[str]) -> str:
    """Return labels as one cell of a table: several are a JSON list, which `read_corpus` knows."""
    return json.dumps(labels, ensure_ascii=False) if len(labels) > 1 else "".join(labels)


def _harmless(cell: str) -> str:
    """Return a text as a cell that no spreadsheet runs; a number is no formula, whatever its sign."""
    from wayword.workbench.exchange.safety import mark

    try:
        float(cell)
    except ValueError:
        return mark(cell)
    return cell


def _write_csv(found: list[Prediction], file: TextIO) -> None:
    writer = csv.writer(file)
    writer.writerow(["id", "labels", *(f"p({name})" for name in found[0].chances)])
    for one in found:
        texts = map(_harmless, (one.id, _label_cell(one.labels)))
        writer.writerow([*texts, *(round(chance, _DIGITS) for chance in one.chances.values())])


def _write_jsonl(found: list[Prediction], file: TextIO) -> None:
    for one in found:
        chances = {name: round(chance, _DIGITS) for name, chance in one.chances.items()}
        row = {"id": one.id, "labels": one.labels, "probabilities": chances}
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


_WRITERS: dict[str, Callable[[list[Prediction], TextIO], None]] = {".csv": _write_csv, ".jsonl": _write_jsonl}


def check_ending(path: Path) -> None:
    """Raise if the name of a file does not say how to write it."""
    if path.suffix.lower() not in _WRITERS:
        raise typer.BadParameter(f"{path}: the name must end in {' or '.join(_WRITERS)}, which says how to write it")


def write_predictions(found: list[Prediction], path: Path) -> None:
    """Write predictions to a file, as its name says; one that exists is replaced when all is written."""
    from wayword.corpus.files import replace_file

    with replace_file(path) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        _WRITERS[path.suffix.lower()](found, text)
    note(f"wrote {len(found):,} predictions to {path}")


def print_predictions(found: list[Prediction], top: int) -> None:
    """Print the labels of each document and its likeliest themes."""

    def likeliest(chances: dict[str, float]) -> str:
        best = sorted(chances.items(), key=lambda pair: -pair[1])[:top]
        return ", ".join(f"{name} {chance:.2f}" for name, chance in best)

    rows = [(one.id, ", ".join(one.labels) or "none", likeliest(one.chances)) for one in found]
    print_table("predictions", ("document", "labels", "likeliest themes"), rows)


def print_accuracy(labels: Sequence[Sequence[str]], names: list[str], chances: np.ndarray) -> None:
    """Print how near the top the labels of documents are, of those all of whose labels are among the names."""
    from wayword.evaluation.ranking import log_rank_accuracy

    labelled = [place for place, told in enumerate(labels) if told]
    known = [place for place in labelled if set(names).issuperset(labels[place])]
    if known:
        accuracy = log_rank_accuracy([list(labels[place]) for place in known], chances[known], themes=names)
        output().print(
            f"log rank accuracy of {len(known):,} labelled documents: {accuracy:.3f} (too high if the model learnt from them)"
        )
    if strange := len(labelled) - len(known):
        note(f"not in the accuracy: {strange:,} documents with labels that the model does not know")
