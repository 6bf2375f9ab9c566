"""Whatever fits the schema, and much that does not: never a fault, and answers as the schema says."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from unittest import SkipTest

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server.serving import make_corpus
from wayword.guidance.actions import AddLabel, Label
from wayword.server.app import create_app
from wayword.server.routes import api, sessions
from wayword.workbench.project import Project

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

# A stream of events has no end.
ENDLESS = ("GET", "/api/events")
OPERATIONS = sorted(
    {(method, route.path) for route in (*sessions.routes, *api.routes) for method in route.methods} - {ENDLESS}
)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    path = tmp_path_factory.mktemp("schema") / "hidden.wayword"
    with Project.create(path, make_corpus(), n_topics=3) as project:
        project.apply([AddLabel("a", "A"), AddLabel("b", "B"), Label(["plain"], ["a"])], annotator="ada")
        yield create_app(project, hosts=["localhost", "testserver"], max_upload=100_000)


@pytest.fixture(scope="module")
def schema(app):
    return schemathesis.openapi.from_asgi("/openapi.json", app)


def test_every_operation_is_tried(schema):
    described = {(operation.ok().method.upper(), operation.ok().path) for operation in schema.get_all_operations()}
    assert described == {*OPERATIONS, ENDLESS}


@pytest.mark.parametrize("fitting", [True, False], ids=["fitting", "not fitting"])
@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: value)
def test_no_request_is_a_fault_and_answers_are_as_described(app, schema, method, path, fitting):
    cookies = {"wayword-0": app.state.sessions._sign("ada")}
    mode = GenerationMode.POSITIVE if fitting else GenerationMode.NEGATIVE
    statuses = set()

    @settings(max_examples=20, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    def call(case):
        answer = case.call(cookies=cookies, headers={"X-Wayword": "1"})
        statuses.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    # What has no parameters can only be asked in one way.
    with nullcontext() if fitting else suppress(Unsatisfiable, SkipTest):
        call()
    assert not statuses & {401, 403}
