"""Under the strict policy, in a real browser: figures draw, requests of our page pass, inline things do not run."""

from __future__ import annotations

import json

import pytest

from plots.gallery import FIGURES
from programs import PATIENCE
from server.serving import serving
from wayword.server import app as apps

_DRAW = """async figures => {
    for (const [name, figure] of Object.entries(figures)) {
        const div = document.createElement("div");
        div.id = name;
        document.body.append(div);
        await Plotly.newPlot(div, figure.data, figure.layout);
    }
    return Object.keys(figures).length;
}"""
_ASK = """async ([path, body]) => {
    const answer = await fetch(path, {method: "POST", body, headers: body ? {"Content-Type": "application/json"} : {}});
    return answer.status;
}"""


@pytest.fixture(scope="module")
def page(browser, shared, tmp_path_factory):
    """Return a page of ours with nothing on it, and what the browser complained about."""
    static = tmp_path_factory.mktemp("static")
    (static / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script src="/plotly.js"></script><body>',
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apps, "STATIC", static)
        with serving(shared.project) as served:
            opened = browser.new_context().new_page()
            opened.set_default_timeout(PATIENCE)
            complaints: list[str] = []
            opened.on(
                "console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None
            )
            opened.on("pageerror", lambda error: complaints.append(str(error)))
            opened.goto(served.address)
            yield opened, complaints
            opened.context.close()


@pytest.fixture(scope="module")
def drawn(page):
    """Draw every figure on the page, whichever test comes first."""
    opened, complaints = page
    del complaints[:]
    figures = {name.replace(" ", "-"): json.loads(draw("title").to_json()) for name, draw in FIGURES.items()}
    assert opened.evaluate(_DRAW, figures) == len(figures)
    return opened, tuple(complaints)


def test_every_figure_draws_without_a_complaint(page, drawn):
    opened, complaints = page
    assert drawn[1] == ()
    del complaints[:]
    opened.evaluate("() => Plotly.Fx.hover('topic_map', [{curveNumber: 0, pointNumber: 0}])")
    opened.evaluate("() => Plotly.relayout('topic_map', {'title.text': 'another'})")
    assert opened.evaluate("() => Plotly.toImage('topic_map', {format: 'png'})").startswith("data:image/png")
    assert complaints == []


def test_the_rules_that_plotly_brings_along_are_in_force(drawn):
    opened, _ = drawn
    bold = opened.locator("#theme_cards tspan[style*=bold]").first
    assert bold.evaluate("text => getComputedStyle(text).fontWeight") in ("700", "bold")
    bar = opened.locator("#topic_map .modebar").first
    assert bar.evaluate("bar => getComputedStyle(bar).position") == "absolute"
    assert opened.evaluate("() => document.getElementById('plotly.js-style-global').sheet.cssRules.length") > 20


def test_requests_of_our_own_page_pass_with_json_and_without_a_body(page):
    opened, _ = page
    assert opened.evaluate(_ASK, ["/api/session", json.dumps({"name": "ada"})]) == 200
    assert opened.evaluate(_ASK, ["/api/undo", None]) == 200


def test_inline_script_style_and_foreign_addresses_are_refused(page):
    opened, complaints = page
    del complaints[:]
    opened.evaluate(
        """() => {
        const script = document.createElement("script");
        script.textContent = "window.broken = 1";
        document.body.append(script);
        const style = document.createElement("style");
        style.append("body { color: rgb(1, 2, 3) }");
        document.head.append(style);
        const image = document.createElement("div");
        image.innerHTML = '<img src="https://evil.example/x.png" onerror="window.broken = 2">';
        document.body.append(image);
    }"""
    )
    assert opened.evaluate("() => fetch('https://evil.example/').then(() => 'sent', () => 'refused')") == "refused"
    assert opened.evaluate("() => [window.broken, getComputedStyle(document.body).color]") == [None, "rgb(0, 0, 0)"]
    assert len([told for told in complaints if "Content Security Policy" in told]) >= 4
    del complaints[:]
