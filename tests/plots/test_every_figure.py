"""What holds of every figure."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

from plots.gallery import FIGURES, HOSTILE
from wayword import plots
from wayword.errors import InputError
from wayword.plots.look import BACKGROUNDS, PALETTE

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "figures.md"
every_figure = pytest.mark.parametrize("name", FIGURES)


def strings(value):
    """Yield every text of a figure, that of its template aside."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "template":
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def as_values(figure):
    return json.loads(figure.to_json())


@every_figure
def test_a_figure_has_its_title_and_tells_something_on_hovering(name):
    figure = FIGURES[name]("a title")
    assert isinstance(figure, go.Figure)
    assert figure.layout.title.text.startswith("a title")
    told = [text for trace in figure.data for text in np.ravel(trace.hovertext) if text]
    told += [word.hovertext for word in figure.layout.annotations if word.hovertext]
    told += [text for trace in figure.data if trace.type == "heatmap" for text in np.ravel(trace.text)]
    assert told
    assert all(re.search(r"\w", text) for text in told)


@every_figure
def test_what_people_wrote_is_never_markup(name):
    found = list(strings(as_values(FIGURES[name](HOSTILE))))
    ours = re.compile(r'</?b>|<br>|</?span( style="[-\w:;.%]+")?>')
    for text in found:
        assert "<" not in ours.sub("", text), text
        assert "$" not in text
        assert "%{" not in text
        assert "\u202e" not in text
        assert "\x07" not in text
    assert any("&lt;script&gt;" in text for text in found)


@every_figure
def test_a_figure_survives_json(name):
    figure = FIGURES[name]("text")
    again = plotly.io.from_json(figure.to_json())
    assert as_values(again) == as_values(figure)


@every_figure
def test_the_same_data_draw_the_same_figure(name):
    assert FIGURES[name]("text").to_json() == FIGURES[name]("text").to_json()


@every_figure
def test_light_and_dark_figures_differ_in_their_template_only(name):
    light, dark = (FIGURES[name]("text", mode=mode) for mode in BACKGROUNDS)
    assert light.layout.template.layout.paper_bgcolor != dark.layout.template.layout.paper_bgcolor
    assert light.update_layout(template=plots.template("dark")).to_json() == dark.to_json()


@every_figure
def test_an_unknown_mode_is_an_error(name):
    with pytest.raises(InputError, match="mode must be one of 'light', 'dark', got 'dim'"):
        FIGURES[name]("text", mode="dim")


@every_figure
def test_a_long_title_is_broken_and_has_room(name):
    short, long = FIGURES[name]("title"), FIGURES[name]("a very long title " * 12)
    assert long.layout.margin.t > short.layout.margin.t
    plain = re.sub(r"<(?!br)[^>]*>", "", long.layout.title.text)
    assert max(map(len, plain.split("<br>"))) <= 105


def test_every_figure_is_in_the_gallery():
    drawn = {name.split()[0] for name in FIGURES}
    assert drawn == {name for name in plots.__all__ if name not in ("Node", "template")}


def test_names_are_imported_when_used():
    code = "import sys; from wayword import plots; print('plotly' in sys.modules); plots.sunburst; print('plotly' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.split() == ["False", "True"]
    assert set(plots.__all__) <= set(dir(plots))
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        plots.pie  # noqa: B018


PARAMETERS = [
    (name, parameter) for name in plots.__all__ for parameter in inspect.signature(getattr(plots, name)).parameters
]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_figure_and_setting_is_in_the_guide(name, parameter):
    text = GUIDE.read_text(encoding="utf-8")
    assert f"plots.{name}" in text
    assert re.search(rf"`{parameter}`|(?<!\w){parameter}=", text)


def linear(colour):
    parts = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", PALETTE)
def test_colours_stand_out_from_light_and_dark_pages(colour):
    assert min(contrast(colour, back) for back in BACKGROUNDS.values()) >= 2.99


@pytest.mark.parametrize("mode", BACKGROUNDS)
def test_letters_stand_out_from_the_page(mode):
    layout = plots.template(mode).layout
    for colour in (layout.font.color, layout.xaxis.tickfont.color, layout.hoverlabel.font.color):
        assert contrast(colour, BACKGROUNDS[mode]) >= 4.5


# How eyes without cones for green, or for red, see linear red, green and blue (Machado and others, 2009).
EYES = {
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "all": np.eye(3),
}


def as_lab(rgb):
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    shares = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    roots = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    return np.array([116 * roots[1] - 16, 500 * (roots[0] - roots[1]), 200 * (roots[1] - roots[2])])


@pytest.mark.parametrize("eyes", EYES)
def test_colours_are_apart_for_colour_blind_eyes(eyes):
    seen = [as_lab(np.asarray(EYES[eyes]) @ linear(colour)) for colour in PALETTE]
    gaps = [np.linalg.norm(one - other) for place, one in enumerate(seen) for other in seen[:place]]
    assert min(gaps) > 8
