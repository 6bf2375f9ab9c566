"""Tell the format of a file from its name and its beginning."""

from __future__ import annotations

import json
import zlib
from pathlib import PurePath
from typing import Any

from wayword.corpus.files import GZIP_MAGIC
from wayword.errors import InputError, shorten
from wayword.workbench.exchange.label_studio import SHORT

FORMATS = ("csv", "jsonl", "parquet", "xlsx", "label-studio", "doccano", "prodigy", "journal")
SUFFIXES = {
    "csv": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "xlsx": ".xlsx",
    "label-studio": ".json",
    "doccano": ".jsonl",
    "prodigy": ".jsonl",
    "journal": ".jsonl",
}
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_JSON = (".jsonl", ".ndjson", ".json")
_HEAD = 2**16


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(GZIP_MAGIC):
        return head
    try:
        return zlib.decompressobj(wbits=31).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _first_object(text: str) -> dict[str, Any]:
    """Return the first JSON object of a text; of one that is cut off, the keys that can be seen."""
    text = text.lstrip("\ufeff \t\r\n").removeprefix("[").lstrip()
    try:
        found = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        keys = ("act_id", "kind", "data", "annotations", "id", "_task_hash", "answer", "accept", "Comments")
        found = {key: {} for key in keys if f'"{key}"' in text}
    return found if isinstance(found, dict) else {}


def _kind_of_json(text: str) -> str:
    found = _first_object(text)
    keys = found.keys()
    if keys >= {"act_id", "kind"}:
        return "journal"
    if isinstance(found.get("data"), dict) and keys & {"annotations", "predictions", "completions", "id"}:
        return "label-studio"
    if keys >= SHORT:
        return "label-studio"
    if keys & {"_task_hash", "_input_hash", "_view_id"} or keys >= {"answer", "accept"} or keys >= {"answer", "label"}:
        return "prodigy"
    return "doccano" if keys & {"Comments", "annotation_approver"} else "jsonl"


def _kind_of_table(text: str) -> str:
    line = text.lstrip("\ufeff").partition("\n")[0]
    names = {name.strip(' "\r') for name in line.replace("\t", ",").replace(";", ",").split(",")}
    return "label-studio" if names >= SHORT else "csv"


def guess_format(name: str, head: bytes) -> str:
    """Return the format of a file.

    Parameters
    ----------
    name : str
        What the file is called; may be empty.
    head : bytes
        How it begins; may be empty.

    Returns
    -------
    str
        One of `FORMATS`.

    Examples
    --------
    >>> from wayword.workbench.exchange import guess_format
    >>> guess_format("answers.jsonl", b'{"text": "A clean room", "label": "room", "answer": "accept"}')
    'prodigy'
    """
    head = _unpacked(head[:_HEAD])
    suffix = PurePath(name.lower().removesuffix(".gz")).suffix
    wide = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    text = head.decode(wide, "ignore").replace("\0", "")
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "xlsx"
    if suffix in _BY_SUFFIX:
        return _kind_of_table(text) if _BY_SUFFIX[suffix] == "csv" else _BY_SUFFIX[suffix]
    if suffix in _JSON or text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return _kind_of_json(text)
    if any(mark in text.partition("\n")[0] for mark in ",;\t"):
        return _kind_of_table(text)
    raise InputError(f"cannot tell the format of {shorten(name)}; say which it is: {', '.join(FORMATS)}")
