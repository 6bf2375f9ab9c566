"""Small line charts as SVG, for pages that show measurements."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

_COLOURS = ("#1b6ca8", "#c2571a", "#5b8c3a", "#8a5aa8", "#777777", "#b8860b")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _LEGEND = 260, 220, 46, 34, 44, 145


@dataclass(frozen=True)
class Line:
    """A named line through points of (x, mean, spread), x from 0 to 1."""

    name: str
    points: list[tuple[float, float, float]]
    dashed: bool = False


def _ticks(top: float) -> list[float]:
    step = next(step for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1, 5, 10, 20, 25, 50, 100) if top / step <= 5)
    return [step * k for k in range(int(top / step + 1e-9) + 1)]


def _draw_panel(title: str, lines: list[Line], x_title: str, most: float | None) -> str:
    top = max(mean + spread for line in lines for _, mean, spread in line.points) * 1.08
    width, height = _WIDTH - _LEFT - 24, _HEIGHT - _TOP - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return round(_LEFT + x * width, 1), round(_TOP + (1 - y / top) * height, 1)

    parts = [f'<text x="{_LEFT}" y="20" font-weight="bold">{escape(title)}</text>']
    for value in _ticks(top):
        _, y = place(0, value)
        parts.append(f'<line x1="{_LEFT}" x2="{_LEFT + width}" y1="{y}" y2="{y}" stroke="#8884" />')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{value:g}</text>')
    for value in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(value, 0)
        label = f"{value:.0%}" if most is None else f"{value * most:g}"
        parts.append(f'<text x="{x}" y="{y + 16}" text-anchor="middle">{label}</text>')
    parts.append(f'<text x="{_LEFT + width / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(x_title)}</text>')
    for colour, line in zip(_COLOURS, lines, strict=False):
        parts.append(_draw_line(line, colour, place))
    return "\n".join(parts)


def _draw_line(line: Line, colour: str, place) -> str:
    path = " ".join("{},{}".format(*place(x, mean)) for x, mean, _ in line.points)
    dash = ' stroke-dasharray="5 4"' if line.dashed else ""
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash} />']
    for x, mean, spread in () if line.dashed else line.points:
        (across, low), (_, high) = place(x, mean - spread), place(x, mean + spread)
        parts.append(f'<line x1="{across}" x2="{across}" y1="{low}" y2="{high}" stroke="{colour}" />')
    return "\n".join(parts)


def _draw_legend(lines: list[Line], y: float) -> str:
    parts = []
    for place, (colour, line) in enumerate(zip(_COLOURS, lines, strict=False)):
        x = _LEFT + _LEGEND * place
        dash = ' stroke-dasharray="5 4"' if line.dashed else ""
        parts.append(f'<line x1="{x}" x2="{x + 22}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"{dash} />')
        parts.append(f'<text x="{x + 28}" y="{y + 4}">{escape(line.name)}</text>')
    return "\n".join(parts)


def draw_panels(
    panels: list[tuple[str, list[Line]]], x_title: str, most: float | None = None, across: int | None = None
) -> str:
    """Return charts, each a title and its lines, with one legend below; x goes to `most`, or is a share.

    They stand in one row, or so many `across`.
    """
    longest, across = max((lines for _, lines in panels), key=len), across or len(panels)
    rows = -(-len(panels) // across)
    width, height = max(_WIDTH * across, _LEFT + _LEGEND * len(longest)), _HEIGHT * rows + 26
    body = "\n".join(
        f'<g transform="translate({_WIDTH * (place % across)} {_HEIGHT * (place // across)})">'
        f"{_draw_panel(title, lines, x_title, most)}</g>"
        for place, (title, lines) in enumerate(panels)
    )
    legend = _draw_legend(longest, height - 12)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11" fill="#555">\n'
        f'<rect width="{width}" height="{height}" fill="#fff" />\n{body}\n{legend}\n</svg>\n'
    )
