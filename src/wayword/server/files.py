"""Files: those of the page, and the script of plotly, which its Python package holds."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

# Browsers ask each time, and are sent a file only if it has changed.
_ASK_AGAIN = "no-cache"
# What mimetypes says depends on the machine, and a module of the wrong type does not run.
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Plotly gives bold and small text its style through attributes, which the policy refuses as it refuses them in
# hostile markup. The same styles set through the object model are no matter of the policy. And it brings a style sheet
# for maps, which no figure of ours is: it stays empty rather than being refused with a complaint.
_PRELUDE = b"""(() => {
  const set = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style" && this.style) this.style.cssText = value;
    else set.call(this, name, value);
  };
  Object.defineProperty(HTMLStyleElement.prototype, "textContent", { set() {} });
})();
"""


class Files(StaticFiles):
    """Files of a folder; links that lead out of it lead nowhere."""

    def file_response(self, full_path: Any, *rest: Any, **options: Any) -> Response:
        """Return a file with the type that browsers expect."""
        response = super().file_response(full_path, *rest, **options)
        kind = _TYPES.get(Path(full_path).suffix.lower())
        if kind is not None and response.status_code == 200:
            response.headers["content-type"] = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        response.headers["cache-control"] = _ASK_AGAIN
        return response


@cache
def _read_plotly() -> tuple[bytes, str]:
    """Return plotly's script as browsers get it, and what tells this version from others."""
    from plotly.offline import get_plotlyjs

    script = _PRELUDE + get_plotlyjs().encode()
    return script, f'"{sha256(script).hexdigest()[:32]}"'


def send_plotly(request: Request) -> Response:
    """Return plotly's script."""
    script, tag = _read_plotly()
    headers = {"etag": tag, "cache-control": _ASK_AGAIN}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(script, headers=headers, media_type="text/javascript")
