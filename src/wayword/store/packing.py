"""What goes into a store, as every back end keeps it: texts, JSON and arrays, checked at the door."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from scipy import sparse

from wayword.corpus.corpus import BagOfWords, Corpus
from wayword.errors import FormatError, InputError, shorten
from wayword.guidance.fields import check_id

BAGS = "corpus.bags"
_KINDS = "biufcU"


def pack_text(text: str) -> tuple[str, bytes | None]:
    """Return a text that every database can hold, and its bytes where that is not the text itself."""
    safe = text.replace("\0", "\ufffd").encode(errors="replace").decode() if not _is_plain(text) else text
    return safe, None if safe == text else text.encode(errors="surrogatepass")


def unpack_text(text: str, exact: bytes | None) -> str:
    """Return the text that `pack_text` was given."""
    return text if exact is None else bytes(exact).decode(errors="surrogatepass")


def _is_plain(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _to_json(value: Any) -> Any:
    """Return a value that JSON has no kind for: numpy's numbers as numbers, others as text."""
    return value.item() if isinstance(value, np.generic) else str(value)


def pack_json(value: Any, what: str) -> str:
    """Return a value as JSON, in letters that every database can hold."""
    try:
        return json.dumps(value, default=_to_json)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{what} cannot be kept as JSON: {error}") from None


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return arrays as an ``.npz``."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.kind not in _KINDS:
            raise InputError(f"array {name!r} must hold numbers or texts, got {np.asarray(array).dtype}")
    file = io.BytesIO()
    # Names stand in a mapping, so that none can be taken for an argument of savez.
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    return file.getvalue()


def unpack_arrays(packed: bytes, name: str) -> dict[str, np.ndarray]:
    """Return the arrays that `pack_arrays` was given."""
    try:
        with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error, AttributeError, TypeError):
        raise FormatError(f"the arrays {name!r} of the project are damaged; fit the model again") from None


def pack_bags(bags: BagOfWords) -> dict[str, np.ndarray]:
    """Return the counts of a corpus without text as arrays."""
    counts = sparse.csr_matrix(bags.counts)
    return {
        "terms": np.array(bags.terms, dtype=str),
        "shape": np.array(counts.shape),
        "data": counts.data,
        "indices": counts.indices,
        "indptr": counts.indptr,
    }


def unpack_bags(arrays: Mapping[str, np.ndarray] | None) -> BagOfWords | None:
    """Return the counts that `pack_bags` was given."""
    if arrays is None:
        return None
    shape = tuple(arrays["shape"].tolist())
    counts = sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
    return BagOfWords(tuple(arrays["terms"].tolist()), counts)


def pack_metadata(corpus: Corpus, row: int) -> str:
    """Return the metadata of a document as JSON."""
    return pack_json({name: column[row] for name, column in corpus.metadata.items()}, "metadata")


def check_corpus(corpus: Corpus, n_before: int) -> None:
    """Refuse a corpus that cannot be kept."""
    for id in corpus.ids:
        check_id(id, "the id of a document")
    if corpus.bags is not None and n_before:
        raise InputError("documents without text can only be added to an empty project; make a new one")


def check_claim(documents: Any, now: datetime, seconds: float, coders: int) -> datetime:
    """Return a time in UTC, having checked what a claim asks for."""
    if isinstance(documents, str):
        raise InputError(f"claim takes a list of ids, got the string {shorten(documents)}")
    if now.utcoffset() is None:
        raise InputError(f"now must be a time with its zone, got {now}; write datetime.now(UTC)")
    if not seconds > 0 or coders < 1:
        raise InputError(f"a claim is for some seconds and one coder or more, got {seconds} and {coders}")
    return now.astimezone(UTC)


def find_free(
    documents: Sequence[str],
    holders: Mapping[str, Mapping[str, float | None]],
    annotator: str,
    coders: int,
    spoken: Mapping[str, Collection[str]],
) -> str | None:
    """Return the first document that an annotator may be handed, given who holds which until when."""
    for document in documents:
        held = holders.get(document, {})
        settled = annotator in held and held[annotator] is None
        others = held.keys() - {annotator, *spoken.get(document, ())}
        if not settled and len(others) < coders:
            return document
    return None
