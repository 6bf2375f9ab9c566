"""Measuring from the page, and deciding between annotators."""

from server.serving import wait_until
from wayword.guidance.actions import Label

KAPPAS = ("Krippendorff's alpha", "Fleiss' kappa", "Same labels")


def test_a_disagreement_is_decided_with_one_button(tab, labelled):
    labelled.apply([Label(("space-0",), ("food",))], annotator="cleo")
    tab.enter(screen="quality")
    tab.find(".disagreements li").wait_for()
    assert tab.find(".disagreements button").count() == 2
    tab.find("button[aria-label='Decide for cleo: Food']").click()
    tab.find(".disagreements").wait_for(state="detached")
    found = labelled.document("space-0", "ada")
    assert (found.status, found.settled) == ("adjudicated", ["food"])
    tab.press("u")
    tab.find(".disagreements li").wait_for()
    assert labelled.document("space-0", "ada").status == "disagreement"


def test_measuring_runs_in_the_background_and_shows_what_was_found(tab, labelled):
    more = [
        (name, f"{name}-{place + 4 * k}")
        for place, name in enumerate(("space", "food", "sport", "music"))
        for k in range(3, 12)
    ]
    labelled.apply([Label((document,), (name,)) for name, document in more], annotator="ben")
    labelled.apply([Label((document,), (name,)) for name, document in more[:12]], annotator="cleo")
    tab.enter(screen="quality")
    tab.find(".empty", has_text="Nothing is measured yet").wait_for()
    tab.find("header button", has_text="Measure now").click()
    wait_until(lambda: labelled.quality() is not None)
    tab.find(".tile.first", has_text="Estimated accuracy on documents without labels").wait_for()
    shown = tab.find(".tile .value").all_inner_texts()
    found = labelled.quality()
    assert shown[:2] == [f"{figure.value:.2f}" for figure in (found.estimate, found.accuracy)]
    assert tab.text(".advice") == found.advice
    assert tab.find(".heat tbody tr").count() == 4
    assert tab.find(".coherence li").count() == len(found.coherence)
    tab.find("ww-figure[name='learning_curve'] .main-svg").first.wait_for()
    curve = tab.page.evaluate("() => document.querySelector('.figure .plot').calcdata[1].map(point => point.y)")
    assert curve == [accuracy for _, accuracy, _, _ in found.curve]
    rows = tab.find(".agreement tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[0] for row in rows] == [*KAPPAS, "Cohen's kappa: ben and cleo"]
    assert {row[1] for row in rows} == {"1.00"}
    assert rows[-1][2] == "12 documents"
