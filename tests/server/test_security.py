"""Who may ask, and what browsers may do with answers."""

from __future__ import annotations

import errno
import http.client
import json
import logging
import socket
import threading
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from server.serving import begin, serving, wait_until
from wayword.server import app as apps
from wayword.server.security import HEADERS, LARGEST_BODY, Names, split_host
from wayword.server.sessions import Sessions

ACT = {"acts": [{"kind": "add_label", "label": "x", "name": "X"}]}


def port_of(served):
    return urlsplit(served.address).port


def ask(served, path, *, method="GET", headers=(), body=None, version="HTTP/1.1"):
    """Send a request as it stands, which clients with manners would not; return status and body."""
    lines = [
        f"{method} {path} {version}",
        *(f"{name}: {value}" for name, value in headers),
        "Connection: close",
        "",
        "",
    ]
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1") + (body or b""))
        with http.client.HTTPResponse(connection) as answer:
            answer.begin()
            return answer.status, answer.read()


# Host and origin


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:{port}",
        "evil.example:{port}",
        "127.0.0.1@evil.example",
        "evil.example/127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:99999999",
        "[::1",
        "2130706433",
        "10.0.0.7",
        "",
    ],
)
def test_a_foreign_host_is_refused(shared, host):
    status, body = ask(shared, "/api/session", headers=[("Host", host.format(port=port_of(shared)))])
    assert status == 403
    assert "open the address that it printed" in json.loads(body)["error"]


def test_two_hosts_or_none_are_refused(shared):
    own = ("Host", f"127.0.0.1:{port_of(shared)}")
    assert ask(shared, "/", headers=[own, ("Host", "evil.example")])[0] in (400, 403)
    assert ask(shared, "/", version="HTTP/1.0")[0] == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_names_of_loopback_are_answered(shared, host):
    assert ask(shared, "/api/session", headers=[("Host", f"{host}:{port_of(shared)}")])[0] == 200


@given(st.text(max_size=40))
def test_only_names_of_the_server_are_its_names(text):
    # Whatever is written: what passes has one of the names, and nothing but a port beside it.
    if Names(["here.example", "::1"]).hold(text):
        assert split_host(text)[0] in ("here.example", "::1")
        assert text.lower().removeprefix("here.example").removeprefix("[::1]").lstrip(
            ":"
        ).isdecimal() or text.lower() in (
            "here.example",
            "[::1]",
        )


def test_a_host_with_a_port_is_answered_at_that_port_alone():
    names = Names(["here.example:8000"])
    assert names.hold("here.example:8000")
    assert not names.hold("here.example:8001")
    assert not names.hold("here.example")


def test_every_address_in_numbers_is_answered_where_all_are_listened_to():
    names = Names(["0.0.0.0"])
    assert names.hold("192.168.1.7:8000")
    assert names.hold("[fe80::1]:8000")
    assert not names.hold("evil.example:8000")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "file://"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(guest, shared, origin, method):
    before = shared.project.view().n_acts
    answer = guest.request(method, "/api/undo" if method == "POST" else "/api/project", headers={"Origin": origin})
    assert answer.status_code == 403
    assert shared.project.view().n_acts == before


def test_our_own_origin_is_answered(client, served):
    assert client.get("/api/project", headers={"Origin": served.address}).status_code == 200
    assert client.post("/api/acts", json=ACT, headers={"Origin": served.address}).status_code == 200


@pytest.mark.parametrize(
    "content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""]
)
@pytest.mark.parametrize("path", ["/api/acts", "/api/undo", "/api/fit", "/api/import?format=csv", "/api/session"])
def test_what_a_form_of_another_site_can_send_changes_nothing(guest, shared, path, content_type):
    before = shared.project.view().n_acts
    headers = {"Content-Type": content_type} if content_type else {}
    answer = guest.post(path, content=json.dumps(ACT).encode(), headers=headers)
    assert answer.status_code == 403
    assert "X-Wayword" in answer.json()["error"]
    assert shared.project.view().n_acts == before


def test_a_program_changes_things_with_json_or_our_header(client, served):
    assert client.post("/api/acts", json=ACT).status_code == 200
    assert client.post("/api/undo", headers={"X-Wayword": "1"}).status_code == 200
    assert served.project.view().n_acts == 2


# Sessions and tokens


def test_everything_but_the_session_needs_one(shared):
    with httpx.Client(base_url=shared.address, headers={"X-Wayword": "1"}) as stranger:
        paths = stranger.get("/openapi.json").json()["paths"]
        asked = [(method, path) for path in paths for method in paths[path] if path != "/api/session"]
        assert len(asked) > 20
        for method, path in asked:
            answer = stranger.request(method, path.format(id="x", name="x"))
            assert (answer.status_code, path) == (401, path)
            assert "POST /api/session" in answer.json()["error"]


def test_the_cookie_is_for_this_site_alone_and_not_for_scripts(shared):
    answer = httpx.post(f"{shared.address}/api/session", json={"name": "ada"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    assert f"wayword-{port_of(shared)}=" in cookie


def test_the_cookie_is_secure_behind_https(shared):
    headers = {"X-Forwarded-Proto": "https"}
    answer = httpx.post(f"{shared.address}/api/session", json={"name": "ada"}, headers=headers)
    assert "Secure" in answer.headers["set-cookie"]


def test_a_session_says_whose_it_is_and_ends(shared):
    with shared.client("Zoë 🙂") as client:
        assert client.get("/api/session").json() == {"name": "Zoë 🙂", "needs_token": False}
        assert client.delete("/api/session", headers={"X-Wayword": "1"}).status_code == 200
        assert client.get("/api/session").json()["name"] == ""
        assert client.get("/api/project").status_code == 401


def test_a_token_is_asked_for_and_compared_whole(project):
    token = "a-token-that-is-long"
    with serving(project, token=token) as served, httpx.Client(base_url=served.address) as client:
        assert client.get("/api/session").json() == {"name": "", "needs_token": True}
        for wrong in (None, "", token[:-1], token + "x", token.upper(), "日本"):
            answer = client.post("/api/session", json={"name": "ada", "token": wrong})
            assert answer.status_code == 403
            assert token not in answer.text
            assert client.get("/api/project").status_code == 401
        begin(client, token=token)
        assert client.get("/api/project").status_code == 200


def test_sessions_outlive_a_restart_with_the_same_token_and_no_other(project):
    cookies = None
    for token, status in (("first-token-of-all", 200), ("first-token-of-all", 200), ("another-token-now", 401)):
        with serving(project, token=token) as served:
            if cookies is None:
                with httpx.Client(base_url=served.address) as client:
                    begin(client, token=token)
                    cookies = next(iter(client.cookies.values()))
            name = f"wayword-{port_of(served)}"
            answer = httpx.get(f"{served.address}/api/project", headers={"Cookie": f"{name}={cookies}"})
            assert answer.status_code == status


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_a_cookie_that_we_did_not_sign_is_none(value):
    assert Sessions("a-token-that-is-long")._verify(value) == ""
    forged = Sessions(None)
    content = value.encode()
    # Without a token the key is known; what was signed need not be what we would have written.
    assert forged._verify((content + b"." + forged._signature(content)).decode(errors="replace")) == ""


def test_an_old_session_has_ended(monkeypatch):
    sessions = Sessions(None)
    cookie = sessions._sign("ada")
    assert sessions._verify(cookie) == "ada"
    monkeypatch.setattr("wayword.server.sessions.time.time", lambda: 9e9)
    assert sessions._verify(cookie) == ""


def test_where_one_annotator_was_named_a_session_begins_by_itself(project):
    with serving(project, annotator="ada") as served, httpx.Client(base_url=served.address) as client:
        assert client.get("/api/session").json()["name"] == "ada"
        assert client.get("/api/project").status_code == 200
    with serving(project, annotator="ada", token="a-token-that-is-long") as served:
        assert httpx.get(f"{served.address}/api/session").json()["name"] == ""


# Headers, files, faults


@pytest.mark.parametrize("path", ["/", "/plotly.js", "/static/icon.svg", "/api/project", "/nowhere", "/openapi.json"])
def test_every_answer_carries_the_headers(guest, path):
    answer = guest.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert ("no-store" in answer.headers.get("cache-control", "")) == path.startswith("/api/")


def test_the_policy_allows_nothing_inline_and_nobody_else():
    policy = dict(part.split(" ", 1) for part in HEADERS["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "unsafe" not in HEADERS["content-security-policy"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"


def test_pages_that_load_scripts_from_elsewhere_are_off(guest):
    assert [guest.get(path).status_code for path in ("/docs", "/redoc", "/docs/oauth2-redirect")] == [404, 404, 404]


@pytest.fixture(scope="module")
def walled(shared, tmp_path_factory):
    """Return a server whose static folder stands beside a secret, with links to it."""
    tmp_path = tmp_path_factory.mktemp("walled")
    static = tmp_path / "static"
    (static / "js").mkdir(parents=True)
    (static / "index.html").write_text("page", encoding="utf-8")
    (static / "js" / "a.js").write_text("export {}", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("hidden treasure", encoding="utf-8")
    (tmp_path / "static-too").mkdir()
    (tmp_path / "static-too" / "x").write_text("hidden treasure", encoding="utf-8")
    (static / "link.txt").symlink_to(tmp_path / "secret.txt")
    (static / "folder").symlink_to(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apps, "STATIC", static)
        with serving(shared.project) as served:
            yield served


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "%252e%252e%252fsecret.txt",
        "..%5csecret.txt",
        "..\\secret.txt",
        "js/../../secret.txt",
        "js/%2e%2e/%2e%2e/secret.txt",
        "/secret.txt",
        "//secret.txt",
        "../static-too/x",
        "link.txt",
        "folder/secret.txt",
        "js",
        "js/",
        "%00",
        "js/a.js%00.txt",
        "x" * 5000,
        "%ff%fe",
        "{absolute}",
    ],
)
def test_no_path_leads_out_of_the_static_folder(walled, path):
    path = path.format(absolute=apps.STATIC.parent / "secret.txt")
    status, body = ask(walled, f"/static/{path}", headers=[("Host", "127.0.0.1")])
    assert status in (400, 404)
    assert b"treasure" not in body
    assert b"error" in body


def test_modules_have_the_type_that_lets_them_run_and_are_sent_once(walled):
    first = httpx.get(f"{walled.address}/static/js/a.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = httpx.get(f"{walled.address}/static/js/a.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    (apps.STATIC / "js" / "a.js").write_text("export const changed = 1", encoding="utf-8")
    changed = httpx.get(f"{walled.address}/static/js/a.js", headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200


def test_plotly_comes_from_its_package_and_is_sent_once(shared):
    from plotly.offline import get_plotlyjs

    first = httpx.get(f"{shared.address}/plotly.js")
    assert first.text.endswith(get_plotlyjs())
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = httpx.get(f"{shared.address}/plotly.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


def test_a_fault_tells_nothing_and_is_logged(client, served, monkeypatch, caplog):
    def fail(*_):
        raise RuntimeError("/home/ada/secret.wayword is broken")

    monkeypatch.setattr(served.project, "labels", fail)
    with caplog.at_level(logging.ERROR, "wayword.server"):
        answer = client.get("/api/labels")
    assert answer.status_code == 500
    assert set(answer.json()) == {"error"}
    assert not any(word in answer.text for word in ("secret", "home", "RuntimeError", "Traceback", ".py"))
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "secret.wayword is broken" in caplog.text


# Sizes


@pytest.fixture
def narrow(project):
    with serving(project, max_upload=100_000) as served:
        yield served


def pieces(n_bytes):
    for _ in range(n_bytes // 1000):
        yield b"x" * 1000


def test_an_upload_that_is_too_large_is_refused_whatever_it_says(narrow, tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(narrow.project, "import_file", lambda *a, **k: taken.append(1))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "uploads"))
    (tmp_path / "uploads").mkdir()
    headers = {"X-Wayword": "1"}
    with narrow.client() as client:
        for body in (b"x" * 100_001, pieces(101_000), pieces(1_000_000)):
            answer = client.post("/api/import?format=csv", content=body, headers=headers)
            assert answer.status_code == 413
            assert "at most 100,000 bytes" in answer.json()["error"]
        session = f"wayword-{port_of(narrow)}={next(iter(client.cookies.values()))}"
    own = [("Host", "127.0.0.1"), ("X-Wayword", "1"), ("Cookie", session)]
    lie = [*own, ("Content-Length", "999999999999")]
    assert ask(narrow, "/api/import?format=csv", method="POST", headers=lie, body=b"x" * 200_000)[0] == 413
    assert not taken
    assert not list((tmp_path / "uploads").iterdir())


def test_an_upload_that_breaks_off_leaves_nothing_and_is_no_fault(narrow, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    begun = threading.Event()
    take = Request.stream

    async def stream(request):
        async for chunk in take(request):
            begun.set()
            yield chunk

    monkeypatch.setattr(Request, "stream", stream)
    with narrow.client() as client:
        session = f"wayword-{port_of(narrow)}={next(iter(client.cookies.values()))}"
    lines = [
        "POST /api/import HTTP/1.1",
        "Host: 127.0.0.1",
        "X-Wayword: 1",
        f"Cookie: {session}",
        "Content-Length: 9000",
    ]
    with caplog.at_level(logging.WARNING):
        with socket.create_connection(("127.0.0.1", port_of(narrow))) as connection:
            connection.sendall("\r\n".join([*lines, "", "half"]).encode())
            assert begun.wait(60)
        wait_until(lambda: not any(path.name.startswith("wayword-import") for path in tmp_path.iterdir()))
    assert caplog.records == []


def test_a_full_disk_for_uploads_is_told(narrow, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/somewhere")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", fail)
    with narrow.client() as client:
        answer = client.post("/api/import", content=b"x", headers={"X-Wayword": "1"})
    assert answer.status_code == 507
    assert "somewhere" not in answer.text


def test_a_body_of_acts_has_a_limit_too(guest):
    answer = guest.post("/api/acts", content=b"[" * (LARGEST_BODY + 1), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_an_upload_never_stands_in_memory_whole(narrow, monkeypatch):
    seen = {}

    def take(path, **options):
        seen.update(options, size=path.stat().st_size, path=path)
        raise narrow_error

    from wayword.errors import CorpusError

    narrow_error = CorpusError("no column 'text'; name one", source="/tmp/wayword-import-x", place="line 1")
    monkeypatch.setattr(narrow.project, "import_file", take)
    with narrow.client() as client:
        answer = client.post(
            "/api/import",
            params={"format": "csv", "filename": "a.csv"},
            content=pieces(99_000),
            headers={"X-Wayword": "1"},
        )
    assert seen["size"] == 99_000
    assert (seen["format"], seen["name"], seen["annotator"]) == ("csv", "a.csv", "ada")
    assert not seen["path"].exists()
    assert answer.status_code == 400
    assert answer.json() == {"error": "line 1: no column 'text'; name one"}
