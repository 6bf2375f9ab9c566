"""Every figure draws in a browser, offline and without a complaint, and shows what people wrote as text."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from plots.gallery import FIGURES
from programs import PATIENCE

HOSTILE = "<script>window.broken = 1</script> <b>bold</b> &amp; $x$"
_DRAW = """
window.problems = [];
addEventListener("error", event => problems.push(event.message));
const figures = JSON.parse(document.getElementById("figures").textContent);
window.drawn = Promise.all(Object.entries(figures).map(([name, figure]) => {
    const div = document.createElement("div");
    div.id = name;
    document.body.append(div);
    return Plotly.newPlot(div, figure.data, figure.layout);
})).then(() => true);
"""


def write_page() -> str:
    """Return a page that needs nothing else."""
    figures = {name.replace(" ", "-"): json.loads(draw(HOSTILE).to_json()) for name, draw in FIGURES.items()}
    data = json.dumps(figures).replace("<", "\\u003c")
    return (
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script>{get_plotlyjs()}</script>'
        f'<script type="application/json" id="figures">{data}</script><script>{_DRAW}</script>'
    )


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "figures.html"
    path.write_text(write_page(), encoding="utf-8")
    opened = browser.new_context(offline=True).new_page()
    opened.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    opened.on("console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: complaints.append(request.url) if "http" in request.url[:4] else None)
    opened.goto(path.as_uri())
    assert opened.evaluate("() => window.drawn")
    return opened, complaints


def texts(page: Page, name: str) -> list[str]:
    return page.locator(f"#{name} text").all_text_contents()


def test_nothing_complains_and_nothing_is_fetched(page):
    opened, complaints = page
    assert complaints == []
    assert opened.evaluate("() => [window.problems, window.broken]") == [[], None]


@pytest.mark.parametrize("name", [name.replace(" ", "-") for name in FIGURES])
def test_a_figure_is_drawn_with_its_title_as_written(page, name):
    opened, _ = page
    box = opened.locator(f"#{name} svg.main-svg").first.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 150
    title = opened.locator(f"#{name} .gtitle").text_content()
    assert title.startswith(HOSTILE)
    assert not opened.locator(f"#{name} .gtitle script, #{name} .gtitle a").count()


MARKS = {
    "sunburst": ".slice path.surface",
    "sunburst-by-importance": ".slice path.surface",
    "theme_cards": ".barlayer .point path",
    "topic_map": ".scatterlayer .points path",
    "term_topic_heatmap": ".heatmaplayer image",
    "document_explanation": ".annotation",
    "anchor_plane": ".scatterlayer .points path",
    "learning_curves": ".scatterlayer path.js-line",
    "reliability": ".barlayer .point path",
    "convergence": ".scatterlayer path.js-line",
    "topic_evolution": ".scatterlayer .points path",
    "k_selection": ".scatterlayer path.js-line",
}


@pytest.mark.parametrize(("name", "marks"), MARKS.items())
def test_a_figure_has_its_marks(page, name, marks):
    opened, _ = page
    assert opened.locator(f"#{name} {marks}").count() >= 1


@pytest.mark.parametrize("name", ["theme_cards", "document_explanation", "topic_evolution", "k_selection"])
def test_tags_in_labels_are_letters(page, name):
    opened, _ = page
    assert any("<script>" in text for text in texts(opened, name))
    bold = opened.locator(f"#{name} tspan", has_text="bold").filter(has_not_text="<")
    assert bold.count() == 0


def test_tags_in_a_hover_text_are_letters(page):
    opened, _ = page
    opened.locator("#topic_map").scroll_into_view_if_needed()
    opened.evaluate("() => Plotly.Fx.hover('topic_map', [{curveNumber: 0, pointNumber: 0}])")
    told = opened.locator("#topic_map .hovertext").text_content()
    assert "<script>" in told
    assert "<b>bold</b> &amp; $x$" in told


def test_clicking_a_topic_looks_into_it(page):
    opened, _ = page
    opened.evaluate(
        """() => { window.clicked = new Promise(done => document.getElementById("sunburst").once(
            "plotly_sunburstclick", event => done(event.nextLevel))); }"""
    )
    opened.evaluate(
        """() => document.querySelectorAll("#sunburst .slice path.surface")[1].dispatchEvent(
            new MouseEvent("click", {bubbles: true}))"""
    )
    # The largest child of the root is drawn first: the second one given, after its sister and her three leaves.
    assert opened.evaluate("() => window.clicked") == "5"
