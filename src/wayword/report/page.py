"""Write a report as one page of HTML that needs nothing from outside.

Every value goes through a template that escapes it. Scripts may run only if their digest stands in the page's own
policy, and nothing may be fetched; so even a text that got through unescaped could do nothing.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

from wayword.report.contents import Report
from wayword.report.figures import templates
from wayword.report.overview import clean
from wayword.report.quality import signed


def _read(name: str) -> str:
    return files("wayword.report").joinpath(name).read_text(encoding="utf-8")


def digest(script: str) -> str:
    """Return what allows a script in a policy."""
    return f"sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


@cache
def _plotly_script() -> str:
    from plotly.offline import get_plotlyjs

    return get_plotlyjs().replace("\r\n", "\n").replace("</script", "<\\/script")


def as_data(json: str) -> str:
    """Return JSON that can stand in a page: no tag or comment can begin or end in it."""
    return json.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _policy(scripts: list[str]) -> str:
    allowed = " ".join(f"'{digest(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _finish(value: Any) -> Any:
    """Return a value as it is shown; markup of our own stays as it is."""
    return clean(value) if type(value) is str else value


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 or share == 0 else f"{share:.1%}" if share >= 0.001 else "below 0.1%"


def render_report(report: Report) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    report : Report
        What it says.

    Returns
    -------
    str
        A page that holds its own style, script and figures.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_finish, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": _percent, "signed": signed}
    drawings = (*report.drawings, *report.quality_drawings)
    scripts = [_plotly_script(), _read("script.js")] if drawings else [_read("script.js")]
    page = environment.from_string(_read("page.html")).render(
        report=report,
        policy=_policy(scripts),
        style=Markup(_read("style.css")),
        scripts=[Markup(script) for script in scripts],
        data={drawing.id: Markup(as_data(drawing.json)) for drawing in drawings},
        templates=Markup(as_data(templates())),
    )
    return page.lstrip()
