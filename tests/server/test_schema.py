"""Whatever fits the schema, and much that does not: never a fault, and answers as the schema says."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from copy import deepcopy
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
from wayword.guidance.actions import ACTS, AddLabel, Label, SetAnchors
from wayword.server.app import create_app
from wayword.server.routes import api, sessions
from wayword.workbench.documents import STATUSES
from wayword.workbench.project import Project

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

# A stream of events has no end.
ENDLESS = ("GET", "/api/events")
OPERATIONS = sorted(
    {(method, route.path) for route in (*sessions.routes, *api.routes) for method in route.methods} - {ENDLESS}
)


DOCUMENTS, LABELS, TERMS = ["plain", "a/b", "../up", "d20"], ["a", "b"], ["moon", "soup", "goal", "rocket"]
# Some are there, one is made by acts; those that are found at first have terms as ids.
TOPICS = ["mine", "yours", "part", "crowd", "cold", "orbit"]
KNOWN = {
    "document": DOCUMENTS,
    "documents": DOCUMENTS,
    "id": DOCUMENTS,
    "label": LABELS,
    "labels": LABELS,
    "guess": LABELS,
    "topic": TOPICS,
    "topics": TOPICS,
    "term": TERMS,
    "terms": TERMS,
    "query": ["moon", '"the moon"', "soup goal", "mo*"],
    "status": list(STATUSES),
    "annotator": ["ada", "bob"],
    "prefix": ["m", "mo", "x"],
}


def name_known(field, values):
    """Let a field hold nothing but some values."""
    kind = field.get("type")
    if kind == "array":
        field["items"], field["minItems"] = {"enum": values}, 1
    elif kind == "object":
        # Labels by document.
        field["propertyNames"], field["minProperties"] = {"enum": DOCUMENTS}, 1
        name_known(field["additionalProperties"], values)
    else:
        field.clear()
        field["enum"] = values


def narrow(described):
    """Let a schema name documents, labels, topics and terms that there are, so that acts get past the first check."""
    body = described["components"]["schemas"]["ActsBody"]["properties"]
    del body["act_ids"]
    body["acts"]["maxItems"] = 3
    for act in body["acts"]["items"]["oneOf"]:
        of_topics = act["properties"]["kind"]["const"].endswith("topics") or "topic" in act["properties"]
        for name, field in act["properties"].items():
            known = (TOPICS if of_topics else LABELS) if name == "into" else KNOWN.get(name)
            if known:
                name_known(field, known)
    for path in described["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in KNOWN and "jobs" not in operation["operationId"]:
                    name_known(parameter["schema"], KNOWN[parameter["name"]])
    return described


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    path = tmp_path_factory.mktemp("schema") / "hidden.wayword"
    with Project.create(path, make_corpus(), n_topics=3, multilabel=True) as project:
        project.apply([AddLabel("a", "A"), AddLabel("b", "B"), Label(["plain"], ["a"])], annotator="ada")
        project.apply([SetAnchors("mine", ("moon",)), SetAnchors("yours", ("soup", "goal"))], annotator="ada")
        yield create_app(project, hosts=["localhost", "testserver"], max_upload=100_000)


@pytest.fixture(scope="module")
def schema(app):
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(scope="module")
def known(app):
    """Return the schema with ids that there are."""
    loaded = schemathesis.openapi.from_dict(narrow(deepcopy(app.openapi())))
    loaded.app = app
    return loaded


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


def ask(app, operation, n_examples, note):
    """Send requests that fit an operation."""
    cookies = {"wayword-0": app.state.sessions._sign("ada")}

    @settings(max_examples=n_examples, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def call(case):
        answer = case.call(cookies=cookies, headers={"X-Wayword": "1"})
        case.validate_response(answer, checks=CHECKS)
        note(case, answer)

    call()


def test_no_acts_on_what_there_is_are_a_fault(app, known):
    accepted, refused = set(), set()

    def note(case, answer):
        kinds = {act["kind"] for act in case.body["acts"]}
        (accepted if answer.status_code == 200 else refused).update(kinds)
        assert answer.status_code in (200, 400), answer.text

    ask(app, known["/api/acts"]["post"], 300, note)
    assert len(accepted) >= 20, set(ACTS) - accepted
    assert accepted | refused == set(ACTS)
    app.state.project.refresh()


@pytest.mark.parametrize("path", ["/api/documents", "/api/document", "/api/figures/{name}", "/api/terms"])
def test_no_question_about_what_there_is_is_a_fault(app, known, path):
    statuses = []
    ask(app, known[path]["get"], 30, lambda _, answer: statuses.append(answer.status_code))
    assert 200 in statuses
