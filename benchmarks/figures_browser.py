"""A sunburst of 200 topics in the browser: how long until it is drawn, and until it answers a click."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from plotly.offline import get_plotlyjs

from benchmarks.measure import Result
from wayword.plots import Node, sunburst

_LIMIT = 0.2
_THEMES, _GROUPS, _LEAVES = 10, 4, 5
_TOLD = ("drawn and painted", "click answered, first frame painted", "another level without transition, painted")

# A frame is painted when the callback after the next one runs.
_FRAME = "const frame = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));"
_DRAW = (
    "async json => {"
    + _FRAME
    + """
    const figure = JSON.parse(json), page = document.getElementById("page");
    page.replaceChildren(document.createElement("div"));
    await frame();
    const started = performance.now();
    await Plotly.newPlot(page.firstChild, figure.data, figure.layout, {responsive: true});
    await frame();
    return (performance.now() - started) / 1000;
}"""
)
_CLICK = (
    "async place => {"
    + _FRAME
    + """
    const figure = document.getElementById("page").firstChild;
    const sector = figure.querySelectorAll(".slice path.surface")[place];
    const handled = new Promise(done => figure.once("plotly_sunburstclick", done));
    const started = performance.now();
    sector.dispatchEvent(new MouseEvent("click", {bubbles: true}));
    await handled;
    await frame();
    return (performance.now() - started) / 1000;
}"""
)
_LEVEL = (
    "async level => {"
    + _FRAME
    + """
    const figure = document.getElementById("page").firstChild, started = performance.now();
    await Plotly.restyle(figure, {level: level});
    await frame();
    return (performance.now() - started) / 1000;
}"""
)


def make_tree() -> list[Node]:
    """Return 200 topics in groups of groups, named like topics."""
    nodes = [Node("all", None, "all topics", 0.0)]
    for theme in range(_THEMES):
        nodes.append(Node((theme,), "all", f"theme number {theme}", 0.0))
        for group in range(_GROUPS):
            nodes.append(Node((theme, group), (theme,), f"group {theme} {group}", 0.0))
            for leaf in range(_LEAVES):
                name = f"room staff breakfast {leaf}"
                nodes.append(Node((theme, group, leaf), (theme, group), name, 1.0 + (7 * theme + 3 * group + leaf) % 5))
    return nodes


def _measure(page: Page, json: str, repeats: int) -> tuple[list[float], list[float], list[float]]:
    """Return how long drawing, the answer to a click, and a level without transition took."""
    page.evaluate(_DRAW, json)
    drawn, answered, levels = [], [], []
    for repeat in range(repeats):
        drawn.append(float(page.evaluate(_DRAW, json)))
        levels.append(float(page.evaluate(_LEVEL, "1")))
        page.evaluate(_DRAW, json)
        answered.append(float(page.evaluate(_CLICK, 1 + repeat % _THEMES)))
    return drawn, answered, levels


def _open(browser: Any, folder: Path) -> Page:
    (folder / "plotly.js").write_text(get_plotlyjs(), encoding="utf-8")
    html = '<!doctype html><meta charset="utf-8"><script src="plotly.js"></script><div id="page"></div>'
    (folder / "page.html").write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.set_default_timeout(240_000)
    page.goto((folder / "page.html").as_uri())
    return page


def run(repeats: int) -> Iterator[Result]:
    repeats = max(repeats, 7)
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("this benchmark needs chromium; on Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = _open(browser, Path(folder))
        usual = _measure(page, str(sunburst(make_tree()).to_json()), repeats)
        whole = _measure(page, str(sunburst(make_tree(), max_depth=None).to_json()), repeats)
        browser.close()
    for rings, times, target in (("", usual, 1.0), (", all rings at once", whole, None)):
        for what, taken in zip(_TOLD, map(statistics.median, times), strict=True):
            claim = f"sunburst of 200 topics{rings}, {what}: 0.2 s"
            yield Result(claim, taken, _LIMIT, "s", _LIMIT / taken, target, repeats)
