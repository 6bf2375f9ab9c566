"""Bodies of requests and answers: how they are read, written and described in the schema."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticSerializationError, to_json
from starlette.responses import JSONResponse

from wayword.guidance.actions import ACTS, Act
from wayword.guidance.fields import LONGEST_ID, LONGEST_NAME

MOST_ACTS = 1_000


class ViewResponse(JSONResponse):
    """Views as JSON: numbers that are none become null, and halves of characters in texts pass as they are."""

    def render(self, content: Any) -> bytes:
        """Return JSON in UTF-8."""
        try:
            return to_json(content, inf_nan_mode="null")
        except PydanticSerializationError:
            # UTF-8 has no halves of characters; JSON can spell them.
            return json.dumps(content, allow_nan=False).encode()


def _describe(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a field of an act, by the kind of its value."""
    if kind is str:
        return {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
    if kind is bool:
        return {"type": "boolean"}
    if kind is float:
        return {"type": "number", "minimum": 0, "maximum": 1}
    item = get_args(kind)[0]
    if get_args(item):
        # Pairs come as an object: ids to names, or documents to labels.
        return {"type": "object", "additionalProperties": _describe(get_args(item)[1])}
    return {"type": "array", "items": _describe(item), "uniqueItems": True}


def describe_act(act: type[Act]) -> dict[str, Any]:
    """Return the JSON schema of a kind of acts."""
    hints = get_type_hints(act)
    given = [field for field in fields(act) if field.name in hints]  # type: ignore[arg-type]
    properties = {field.name: _describe(hints[field.name]) for field in given}
    return {
        "type": "object",
        "title": act.__name__,
        "description": (act.__doc__ or "").split("\n")[0],
        "properties": {"kind": {"const": act.kind, "type": "string"}} | properties,
        "required": ["kind", *(field.name for field in given if field.default is MISSING)],
        "additionalProperties": False,
    }


ActBody = Annotated[dict[str, Any], WithJsonSchema({"oneOf": [describe_act(act) for act in ACTS.values()]})]
ActId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]


class ActsBody(BaseModel):
    """Acts to apply together, all or none, each with an id of its own, so that sending them again adds nothing."""

    model_config = ConfigDict(extra="forbid")
    acts: Annotated[list[ActBody], Field(min_length=1, max_length=MOST_ACTS)]
    act_ids: list[ActId] | None = None


class MoveBody(BaseModel):
    """An id for an undo or a redo, so that sending it again takes back or puts back nothing more."""

    model_config = ConfigDict(extra="forbid")
    act_id: ActId | None = None


class UndoBody(MoveBody):
    """Also the last act of the step that is meant, so that nothing else is taken back."""

    number: Annotated[int, Field(ge=1, le=2**53)] | None = None


class SessionBody(BaseModel):
    """Who labels, and the token where one is needed."""

    model_config = ConfigDict(extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    token: Annotated[str, Field(max_length=LONGEST_ID)] | None = None
