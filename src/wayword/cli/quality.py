"""How good a project's guesses and topics are, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from wayword.cli.console import format_share, output, print_table

if TYPE_CHECKING:
    from wayword.workbench.views import (
        AgreementView,
        ConfusionView,
        DisagreementView,
        IntervalView,
        QualityView,
        SuspectView,
    )

Names = Mapping[str, str]
_CURVE_SHOWN = 8
_SUSPECTS_SHOWN = 10


def format_interval(view: IntervalView) -> tuple[str, str]:
    """Return a figure and its interval; a dash where there is too little to say."""
    if view.value is None:
        return "–", "too few labels yet"
    return f"{view.value:.2f}", "" if view.low is None or view.high is None else f"{view.low:.2f} to {view.high:.2f}"


def list_names(labels: list[str], names: Names) -> str:
    """Return the names of labels."""
    return ", ".join(names.get(label, label) for label in labels)


def print_quality(view: QualityView, names: Names, topics: Names) -> None:
    """Print what was measured."""
    stability = "–" if view.stability is None else f"{view.stability:.2f}"
    rows = [
        ("accuracy on documents without labels, estimated", *format_interval(view.estimate)),
        ("accuracy on documents that were asked about", *format_interval(view.accuracy)),
        ("log rank accuracy", *format_interval(view.log_rank_accuracy)),
        ("macro F1", *format_interval(view.macro_f1)),
        ("stability of topics", stability, ""),
    ]
    title = f"measured on {view.n_labelled:,} labelled documents, after act {view.number:,}"
    print_table(title, ("", "", "95 %"), rows, numbers=(1,))
    if view.advice:
        output().print(f"{view.advice}\n", markup=False)
    _print_curve(view.curve)
    _print_confusion(view.confusion, names)
    coherence = sorted(view.coherence, key=lambda row: -row[1])
    print_table(
        "coherence of topics, from -1 to 1",
        ("topic", ""),
        [(topics.get(id, id), f"{value:.2f}") for id, value in coherence],
        numbers=(1,),
    )
    _print_suspects(view.suspects, names)


def _print_curve(curve: list[tuple[int, float, float, float]]) -> None:
    if curve:
        step = max(1, -(-len(curve) // _CURVE_SHOWN))
        # The last point is where the project stands, so steps are counted from it.
        rows = [(n, f"{value:.2f}", f"{low:.2f} to {high:.2f}") for n, value, low, high in curve[::-1][::step][::-1]]
        print_table("estimated accuracy by the number of labels", ("labels", "", "95 %"), rows, numbers=(0, 1))


def _print_confusion(view: ConfusionView, names: Names) -> None:
    """Print a line for each label: a matrix of many labels would not fit a terminal."""
    rows = []
    for place, (label, counts) in enumerate(zip(view.labels, view.counts, strict=True)):
        others = sorted((-n, names.get(other, other)) for other, n in zip(view.labels, counts, strict=True) if n)
        taken = ", ".join(f"{name} {-n:,}" for n, name in others if name != names.get(label, label))
        rows.append((names.get(label, label), sum(counts), counts[place], taken))
    if rows:
        print_table("what labels are taken for", ("label", "documents", "right", "taken for"), rows, numbers=(1, 2))


def _print_suspects(suspects: list[SuspectView], names: Names) -> None:
    if suspects:
        rows = [
            (view.document.id, names.get(view.label, view.label), names.get(view.other, view.other), view.chance)
            for view in suspects[:_SUSPECTS_SHOWN]
        ]
        print_table(
            "labels that may be wrong",
            ("document", "label", "likelier", "chance"),
            [(*row[:3], format_share(row[3])) for row in rows],
            numbers=(3,),
        )


def print_people(agreement: AgreementView, disagreements: list[DisagreementView], names: Names) -> None:
    """Print how far annotators agree, and about what they do not."""
    if agreement.n_documents:
        rows = [
            ("Krippendorff's alpha", *format_interval(agreement.krippendorff)),
            ("Fleiss' kappa", *format_interval(agreement.fleiss)),
            ("same labels", *format_interval(agreement.percent)),
        ]
        for one, other, kappa, n in agreement.cohen:
            shown = "–" if kappa is None else f"{kappa:.2f}"
            rows.append((f"Cohen's kappa of {one} and {other}", shown, f"{n:,} documents"))
        title = f"agreement on {agreement.n_documents:,} documents that two or more have labelled"
        print_table(title, ("", "", "95 %"), rows, numbers=(1,))
    if disagreements:
        said = [
            (
                view.document.id,
                ", ".join(f"{one.annotator}: {list_names(one.labels, names)}" for one in view.labellings),
            )
            for view in disagreements
        ]
        print_table("disagreements, for 'wayword act PROJECT adjudicate'", ("document", "who says what"), said)
