"""``wayword serve``: prints its address, refuses what is unsafe, ends quietly."""

from __future__ import annotations

import re
import signal
import socket
import sys

import httpx
import pytest

from server.serving import Command, begin, make_corpus
from wayword.cli.console import settings
from wayword.cli.main import main
from wayword.errors import InputError
from wayword.server.running import bind, is_loopback, names_of
from wayword.workbench.project import Project


@pytest.fixture(autouse=True)
def _fresh_settings():
    yield
    settings.quiet = settings.debug = False


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "p.wayword"
    Project.create(path, make_corpus(), n_topics=3).close()
    return str(path)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_address_is_printed_and_a_signal_ends_it_quietly(path, stop):
    with Command(path, "--port", "0", "--annotator", "ada") as command:
        assert re.fullmatch(r"Wayword workbench: http://127\.0\.0\.1:\d+/\n", command.said)
        with httpx.Client(base_url=command.address) as client:
            assert client.get("/api/session").json() == {"name": "ada", "needs_token": False}
            with client.stream("GET", "/api/events") as listening:
                assert listening.status_code == 200
                command.process.send_signal(stop)
                code, _, told = command.end()
    assert code == 0
    assert told == "Press Ctrl+C to stop; all that was said to be saved is on disk.\n"
    # A project that was closed leaves nothing beside its file.
    with Project.open(path) as again:
        assert again.view().n_acts == 0


def test_an_address_that_others_reach_has_a_token(path):
    with Command(path, "--host", "0.0.0.0", "--port", "0") as command:
        token = re.search(r"#token=(\S{20,})\n", command.said)[1]
        port = re.search(r":(\d+)/", command.said)[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
            assert client.get("/api/session").json()["needs_token"]
            assert client.post("/api/session", json={"name": "eve"}).status_code == 403
            begin(client, token=token)
            assert client.get("/api/project").status_code == 200


def test_a_token_that_could_be_guessed_is_bad_use(path, capsys):
    assert main(["serve", path, "--token", "short"]) == 2
    assert "at least 12 characters" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_with_what_to_do(path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", path, "--port", str(port)]) == 2
    told = capsys.readouterr().err
    assert f"another program listens on port {port}" in told
    assert "--port 0" in told
    assert told.count("\n") == 1


def test_the_usual_port_gives_way_to_the_next_free_one(monkeypatch):
    with bind("127.0.0.1", 0) as first:
        monkeypatch.setattr("wayword.server.running.DEFAULT_PORT", first.getsockname()[1])
        with bind("127.0.0.1", None) as second:
            assert second.getsockname()[1] != first.getsockname()[1]


@pytest.mark.parametrize("host", ["203.0.113.1", "no such name"])
def test_an_address_that_is_not_ours_is_told(host):
    with pytest.raises(InputError, match=f"cannot listen on {host}: .*; give an address of this machine"):
        bind(host, None)


def test_small_answers_are_sent_at_once():
    # asyncio turns the waiting off for sockets of this protocol alone.
    with bind("127.0.0.1", 0) as bound, socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
        assert accepted.proto == socket.IPPROTO_TCP


def test_what_is_no_project_is_one_line(tmp_path, capsys):
    assert main(["serve", str(tmp_path / "nothing.wayword"), "--port", "0"]) == 1
    assert "no such file" in capsys.readouterr().err


def test_only_addresses_of_this_machine_are_loopback():
    assert all(map(is_loopback, ["127.0.0.1", "127.8.8.8", "::1", "localhost"]))
    assert not any(map(is_loopback, ["0.0.0.0", "::", "192.168.1.1", "localhost.example", "example"]))
    assert "evil.example" not in names_of("0.0.0.0")
    assert names_of("192.168.1.1") == ("192.168.1.1",)


def test_what_serves_is_imported_only_when_it_is_needed():
    import subprocess

    code = "import sys, wayword.cli.main; sys.exit(any(name in sys.modules for name in ('fastapi', 'uvicorn')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
