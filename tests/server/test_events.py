"""Events: told as they happen, to all who listen, and let go of at once."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress

import httpx
import pytest

from server.serving import PATIENCE, begin, serving, wait_until
from wayword.server import events
from wayword.server.events import write_event
from wayword.workbench.views import JobView

LABEL = {"acts": [{"kind": "add_label", "label": "x", "name": "X"}]}


class Listener:
    """Reads a stream of events in a thread."""

    def __init__(self, client, path="/api/events", **headers):
        self.events, self.lines, self.ended = [], [], threading.Event()
        self._thread = threading.Thread(target=self._read, args=(client, path, headers), daemon=True)
        self._thread.start()

    def _read(self, client, path, headers):
        with suppress(httpx.TransportError):
            self._read_lines(client, path, headers)
        self.ended.set()

    def _read_lines(self, client, path, headers):
        kind, number = "", None
        with client.stream("GET", path, headers=headers, timeout=PATIENCE) as answer:
            self.status, self.type = answer.status_code, answer.headers["content-type"]
            for line in answer.iter_lines():
                self.lines.append(line)
                name, _, value = line.partition(": ")
                if name == "id":
                    number = int(value)
                elif name == "event":
                    kind = value
                elif name == "data":
                    self.events.append((kind, json.loads(value), number))

    def numbers(self, kind):
        return [data["number"] for name, data, _ in self.events if name == kind]

    def wait_for(self, kind, number):
        wait_until(lambda: number in self.numbers(kind))


def streams(served):
    return served.server.config.app.state.streams


def test_an_act_is_told_to_all_who_listen(served):
    with served.client("ada") as ada, served.client("bob") as bob:
        listeners = [Listener(ada), Listener(bob)]
        wait_until(lambda: len(streams(served)) == 2)
        number = ada.post("/api/acts", json=LABEL).json()["number"]
        for listener in listeners:
            listener.wait_for("acts", number)
            listener.wait_for("topics", number)
            assert listener.type.startswith("text/event-stream")
            assert all(told == data["number"] for kind, data, told in listener.events if kind == "acts")


@pytest.mark.parametrize(("path", "headers"), [("?after={}", {}), ("", {"Last-Event-ID": "{}"})])
def test_who_was_away_is_told_what_was_missed_and_no_more(served, path, headers):
    with served.client() as client:
        number = client.post("/api/acts", json=LABEL).json()["number"]
        served.project.refresh()
        behind, up_to_date = (
            Listener(
                client,
                "/api/events" + path.format(known),
                **{name: value.format(known) for name, value in headers.items()},
            )
            for known in (number - 1, number)
        )
        behind.wait_for("acts", number)
        later = client.post("/api/undo", headers={"X-Wayword": "1"}).json()["number"]
        up_to_date.wait_for("acts", later)
        assert number not in up_to_date.numbers("acts")


def test_a_stream_without_a_session_is_refused(served):
    assert httpx.get(f"{served.address}/api/events").status_code == 401


def test_a_client_that_leaves_is_let_go(served):
    for _ in range(3):
        with httpx.Client(base_url=served.address) as client:
            begin(client)
            with client.stream("GET", "/api/events") as answer:
                lines = answer.iter_lines()
                assert next(lines).startswith("retry")
                assert len(streams(served)) >= 1
    wait_until(lambda: len(streams(served)) == 0)


def test_a_silent_stream_shows_that_it_is_alive(served, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.05)
    with served.client() as client:
        listener = Listener(client)
        wait_until(lambda: listener.lines.count(": still here") >= 3)


def test_streams_end_at_once_when_the_server_stops(project):
    with httpx.Client() as client:
        with serving(project) as served:
            client.base_url = served.address
            begin(client)
            listeners = [Listener(client) for _ in range(3)]
            wait_until(lambda: len(streams(served)) == 3)
            stopping = time.monotonic()
        # Far less than the time that a server gives to answers under way.
        assert time.monotonic() - stopping < 4
        for listener in listeners:
            assert listener.ended.wait(PATIENCE)
        assert len(streams(served)) == 0


def test_many_streams_leave_room_for_requests(served):
    # More than there are threads for requests: a stream takes none.
    with served.client() as client:
        limits = httpx.Limits(max_connections=None)
        with httpx.Client(base_url=served.address, limits=limits, cookies=client.cookies) as many:
            listeners = [Listener(many) for _ in range(45)]
            wait_until(lambda: len(streams(served)) == 45)
            number = client.post("/api/acts", json=LABEL).json()["number"]
            for listener in listeners:
                listener.wait_for("acts", number)
    wait_until(lambda: len(streams(served)) == 0)


def test_events_are_written_as_browsers_read_them():
    assert write_event("topics", 7) == b'event: topics\ndata: {"number":7}\n\n'
    assert write_event("acts", 7).startswith(b"id: 7\n")
    job = JobView("themes-1", "themes", "failed", "a\nb", 1, 2, 3, "two\nlines")
    written = write_event("job", job)
    assert written.count(b"\n") == 3
    assert json.loads(written.split(b"data: ")[1])["error"] == "two\nlines"
