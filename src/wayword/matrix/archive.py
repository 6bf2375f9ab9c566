"""Files of arrays: an ``.npz`` with a JSON header, versioned, that can never run code when it is read."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wayword.corpus.files import replace_file
from wayword.errors import FormatError

_HEADER = "header"


def write_archive(
    path: str | Path, kind: str, version: int, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Write arrays and a header of plain values to a file; one that exists is replaced when all is written."""
    text = json.dumps({"format": f"wayword-{kind}", "version": version, **header})
    with replace_file(path) as file:
        np.savez(file, allow_pickle=False, **{_HEADER: np.array(text), **arrays})


def read_archive(path: str | Path, kind: str, version: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the header and the arrays of a file; a foreign, damaged or newer one is a `FormatError`.

    Files of all versions up to `version` are read; what is different in an older one is for the caller to know.
    """
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(str(arrays.pop(_HEADER)))
    except KeyError:
        raise FormatError(f"{path}: not a Wayword file; it has no header") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError, AttributeError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error):
        # numpy's own message would advise to load it unsafely.
        raise FormatError(f"{path}: not a Wayword {kind}, or damaged") from None
    if not isinstance(header, dict) or header.get("format") != f"wayword-{kind}":
        found = header.get("format") if isinstance(header, dict) else header
        raise FormatError(f"{path}: expected a Wayword {kind}, got {found!r}")
    if header.get("version") not in range(1, version + 1):
        raise FormatError(
            f"{path}: version {header.get('version')!r} of the format, this Wayword reads {version}; upgrade it"
        )
    return header, arrays
