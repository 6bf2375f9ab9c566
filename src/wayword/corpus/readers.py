"""Read a corpus from wherever it is: files, folders, frames, lists.

The steps: find out what kind of source it is; let that kind yield its rows; make a document of each row; raise or
collect what is wrong with a row; group the documents into corpora, all at once or a batch at a time.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

from wayword.corpus.bags import read_bags
from wayword.corpus.corpus import Corpus, Document, Skipped, concatenate
from wayword.corpus.files import (
    DEFAULT_LIMITS,
    Limits,
    check_decoded,
    open_bytes,
    open_text,
    read_lines,
)
from wayword.corpus.records import DEFAULT_ID, DEFAULT_LABELS, Columns, RecordParser
from wayword.corpus.streaming import StreamedCorpus
from wayword.corpus.tables import Row, is_frame, read_delimited, read_frame, read_parquet
from wayword.errors import CorpusError, DroppedDocumentsWarning, InputError, LimitError, shorten
from wayword.progress import Progress, ignore

Format = Literal["jsonl", "csv", "tsv", "parquet", "folder", "uci"]
FORMATS: tuple[Format, ...] = ("jsonl", "csv", "tsv", "parquet", "folder", "uci")
_SUFFIXES: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_BATCH = 1024
_SKIPPED_SHOWN = 3
_LONGEST_NAME = 1000
_LARGEST_FIELD = 2**40


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that `read_corpus` was told, checked."""

    columns: Columns
    format: Format | None
    encoding: str | None
    delimiter: str | None
    files: str
    skip: bool
    limits: Limits
    progress: Progress


def _find_format(path: Path) -> Format:
    """Return the format that a path's name tells."""
    if path.is_dir():
        return "folder"
    name = path.name.lower().removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if "docword" in name:
        return "uci"
    raise CorpusError(
        f"cannot tell what kind of file this is from its name; say format= one of {', '.join(FORMATS)}",
        source=str(path),
    )


def _parse_line(line: str | CorpusError, source: str, place: str, encoding: str) -> Mapping[str, Any] | CorpusError:
    if isinstance(line, CorpusError):
        return line
    wrong = check_decoded(line, source, place, encoding)
    if wrong is not None:
        return wrong
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        detail = getattr(error, "msg", str(error))
        return CorpusError(
            f"expected one JSON object on the line, got {line.strip()[:40]!r} ({detail})",
            source=source,
            place=place,
        )
    if not isinstance(record, dict):
        kind = type(record).__name__
        return CorpusError(f"expected a JSON object, got a {kind}", source=source, place=place)
    return record


def _json_rows(path: Path, options: Options) -> Generator[Row, None, None]:
    source = str(path)
    with open_bytes(path, options.limits) as file, open_text(file, path, options.encoding) as text:
        for number, line in read_lines(text, options.limits, source):
            if isinstance(line, CorpusError) or line.strip():
                place = f"line {number}"
                yield place, _parse_line(line, source, place, text.encoding)
            if number % _BATCH == 0:
                options.progress("bytes", file.position(), file.size)
        options.progress("bytes", file.size, file.size)


def _table_rows(path: Path, options: Options, delimiter: str | None) -> Generator[Row, None, None]:
    with open_bytes(path, options.limits) as file:
        found = read_delimited(
            file, path, options.columns, options.limits, encoding=options.encoding, delimiter=delimiter
        )
        # Closed before its file is, when the caller stops at a bad row.
        with closing(found) as rows:
            for number, row in enumerate(rows, 1):
                yield row
                if number % _BATCH == 0:
                    options.progress("bytes", file.position(), file.size)
        options.progress("bytes", file.size, file.size)


def _parquet_rows(path: Path, options: Options) -> Generator[Row, None, None]:
    with open_bytes(path, options.limits) as file:
        yield from read_parquet(file, path, options.columns, options.limits, options.progress)


def _read_whole(path: Path, options: Options) -> str | CorpusError:
    """Return the text of one file of a folder."""
    with open_bytes(path, options.limits) as file, open_text(file, path, options.encoding) as stream:
        text, encoding = stream.read(options.limits.max_field + 1), stream.encoding
    if len(text) > options.limits.max_field:
        return LimitError(
            f"longer than {options.limits.max_field:,} characters; if that is right, read it with a larger max_field",
            source=str(path),
        )
    return check_decoded(text, str(path), "", encoding) or text


def _folder_rows(path: Path, options: Options) -> Generator[Row, None, None]:
    try:
        patterns = (options.files, f"{options.files}.gz")
        found = sorted(file for pattern in patterns for file in path.glob(pattern) if file.is_file())
    except (NotImplementedError, ValueError) as error:
        # What glob raises for an absolute or an empty pattern.
        raise InputError(f"files={options.files!r} is no pattern within the folder: {error}") from None
    if not found:
        suffixes = sorted({file.suffix or "none" for file in path.rglob("*") if file.is_file()})
        raise CorpusError(
            f"no file fits files={options.files!r}; suffixes found: {', '.join(suffixes) or 'no files at all'}",
            source=str(path),
        )
    for number, file in enumerate(found, 1):
        name = file.relative_to(path).as_posix()
        try:
            text = _read_whole(file, options)
        except CorpusError as error:
            text = error
        folder = file.parent.relative_to(path).as_posix().removeprefix(".")
        yield name, text if isinstance(text, CorpusError) else {"id": name, "text": text, "folder": folder}
        options.progress("files", number, len(found))


def _listed_rows(items: Iterable[Any], columns: Columns) -> Generator[Row, None, None]:
    for row, item in enumerate(items):
        place = f"item {row}"
        if isinstance(item, str):
            yield place, {columns.text[0]: item}
        elif isinstance(item, Mapping):
            yield place, item
        else:
            problem = f"expected a string or a mapping, got {type(item).__name__} {shorten(item)}"
            yield place, CorpusError(problem, source="list", place=place)


def _path_rows(path: Path, options: Options) -> Generator[Row, None, None]:
    format = options.format or _find_format(path)
    if format == "jsonl":
        return _json_rows(path, options)
    if format == "folder":
        return _folder_rows(path, options)
    if format == "parquet":
        return _parquet_rows(path, options)
    return _table_rows(path, options, options.delimiter or ("\t" if format == "tsv" else None))


def _read_documents(
    rows: Generator[Row, None, None], options: Options, source: str, skipped: list[Skipped]
) -> Generator[Document, None, None]:
    """Yield a document for each good row; raise what is wrong with a bad one, or note it and go on."""
    parser = RecordParser(options.columns, source)
    # Closed at once, not when it is collected: it holds an open file.
    with closing(rows):
        for number, (place, row) in enumerate(rows):
            try:
                if isinstance(row, CorpusError):
                    raise row
                document = parser.parse(row, place, number)
            except CorpusError as error:
                if not options.skip or error.fatal:
                    raise
                skipped.append(Skipped(error.place or place, error.problem))
            else:
                yield document
    parser.finish()


def _row_batches(rows: Generator[Row, None, None], options: Options, source: str) -> Generator[Corpus, None, None]:
    skipped: list[Skipped] = []
    with closing(_read_documents(rows, options, source, skipped)) as documents:
        while batch := tuple(islice(documents, _BATCH)):
            yield Corpus.from_documents(batch)
    if skipped:
        yield Corpus((), skipped=skipped)


def _checked(batches: Generator[Corpus, None, None], source: str) -> Iterator[Corpus]:
    """Pass batches on; warn of what was skipped, and raise if nothing is left."""
    n_documents = 0
    skipped: list[Skipped] = []
    with closing(batches):
        for batch in batches:
            n_documents += len(batch)
            skipped += batch.skipped
            yield batch
    shown = "; ".join(f"{row.place}: {row.problem}" for row in skipped[:_SKIPPED_SHOWN])
    if not n_documents:
        raise CorpusError(f"no documents; {shown or 'the source is empty'}", source=source)
    if skipped:
        warnings.warn(
            f"{source}: left out {len(skipped):,} bad rows, kept {n_documents:,} documents ({shown})",
            DroppedDocumentsWarning,
            stacklevel=4,
        )


def _name_source(source: object) -> str:
    if not isinstance(source, (str, Path)):
        return type(source).__name__
    name = str(source)
    return name if len(name) <= _LONGEST_NAME else shorten(name)


def _batches(source: Any, options: Options) -> Generator[Corpus, None, None]:
    """Yield the documents of any source, some at a time."""
    name = _name_source(source)
    if isinstance(source, (str, Path)):
        path = Path(source)
        if not os.path.exists(path):
            raise CorpusError("no such file or folder", source=name)
        if (options.format or _find_format(path)) == "uci":
            return _bag_batches(path, None, options)
        return _row_batches(_path_rows(path, options), options, name)
    if isinstance(source, (tuple, list)) and len(source) == 2 and (options.format == "uci" or _are_paths(source)):
        return _bag_batches(Path(source[0]), Path(source[1]), options)
    if is_frame(source):
        return _row_batches(read_frame(source, options.columns), options, name)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)) and not hasattr(source, "read"):
        return _row_batches(_listed_rows(source, options.columns), options, name)
    raise InputError(
        f"a corpus is read from a path, a (docword, vocab) pair, a frame, or a list of strings or mappings; got {name}"
    )


def _are_paths(pair: Sequence[Any]) -> bool:
    return all(isinstance(path, Path) or (isinstance(path, str) and os.path.isfile(path)) for path in pair)


def _bag_batches(docword: Path, vocabulary: Path | None, options: Options) -> Generator[Corpus, None, None]:
    return read_bags(
        docword,
        vocabulary,
        options.limits,
        encoding=options.encoding,
        skip=options.skip,
        progress=options.progress,
    )


def _as_names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


class ReadOptions(TypedDict, total=False):
    """What `read_corpus` may be told besides `stream`."""

    text: str | Sequence[str]
    id: str | None
    labels: str | Sequence[str] | None
    label_separator: str | None
    format: Format | None
    encoding: str | None
    delimiter: str | None
    files: str
    errors: Literal["raise", "skip"]
    max_field: int
    max_ratio: float | None
    progress: Progress


@overload
def read_corpus(source: Any, *, stream: Literal[False] = False, **options: Unpack[ReadOptions]) -> Corpus: ...
@overload
def read_corpus(source: Any, *, stream: Literal[True], **options: Unpack[ReadOptions]) -> StreamedCorpus: ...
def read_corpus(
    source: Any,
    *,
    text: str | Sequence[str] = "text",
    id: str | None = DEFAULT_ID,
    labels: str | Sequence[str] | None = DEFAULT_LABELS,
    label_separator: str | None = None,
    format: Format | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    files: str = "**/*.txt",
    errors: Literal["raise", "skip"] = "raise",
    stream: bool = False,
    max_field: int = DEFAULT_LIMITS.max_field,
    max_ratio: float | None = DEFAULT_LIMITS.max_ratio,
    progress: Progress = ignore,
) -> Corpus | StreamedCorpus:
    """Read a corpus.

    Parameters
    ----------
    source : path, pair of paths, frame or list
        A JSON Lines, CSV, TSV or Parquet file, a folder of text files, a UCI ``docword`` file or the pair
        ``(docword, vocab)``; any of them may be gzipped. Or a pandas, polars or pyarrow frame, a list of strings,
        or a list of mappings.
    text : str or list of str
        Column of the text; the texts of several columns are joined, a line each.
    id : str or None
        Column of the ids. Rows are numbered if there is no column ``"id"``, or with ``None``.
    labels : str, list of str or None
        Column of the labels: a name, a number, a list, a JSON list as text, or names between `label_separator`.
        Several columns may hold names, or yes/no marks (1/0, true/false) of labels called like the columns.
        A default column that is not there means no labels. For a folder, ``"folder"`` makes the sub-folder the
        label.
    label_separator : str or None
        What stands between two labels of one string, for example ``";"``.
    format : {"jsonl", "csv", "tsv", "parquet", "folder", "uci"} or None
        Kind of the file; told from its name by default.
    encoding : str or None
        Encoding of the file; by default that of its byte-order mark, else UTF-8.
    delimiter : str or None
        What stands between two fields; sniffed by default.
    files : str
        Which files of a folder to read, as a glob pattern; gzipped ones are read as well.
    errors : {"raise", "skip"}
        Whether a bad row raises an error, or is left out, counted in ``Corpus.skipped`` and warned of.
    stream : bool
        Whether to return a `StreamedCorpus`, which reads the source anew on each pass and never holds it whole.
    max_field : int
        Most characters of one field or line.
    max_ratio : float or None
        Most unpacked bytes for each byte of a gzipped file.
    progress : callable
        Told now and then ``("bytes", done, total)``, or ``("files", done, total)`` for a folder.

    Returns
    -------
    Corpus or StreamedCorpus

    Raises
    ------
    CorpusError
        If the source cannot be read; the message names the file and the place.

    Examples
    --------
    >>> from wayword import read_corpus
    >>> corpus = read_corpus(["The room was clean.", "Slow check-in, but kind staff."])
    >>> len(corpus), corpus.ids
    (2, ('0', '1'))
    """
    if errors not in ("raise", "skip"):
        raise InputError(f"errors must be 'raise' or 'skip', got {errors!r}")
    if format is not None and format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    if not _as_names(text) or not all(isinstance(name, str) and name for name in _as_names(text)):
        raise InputError(f"text must name a column, got {text!r}")
    if not 1 <= max_field <= _LARGEST_FIELD:
        raise InputError(f"max_field must be from 1 to {_LARGEST_FIELD:,}, got {max_field}")
    if delimiter is not None and len(delimiter) != 1:
        raise InputError(f"delimiter must be one character, got {delimiter!r}")
    columns = Columns(_as_names(text), id, _as_names(labels), label_separator)
    limits = Limits(max_field, max_ratio)
    options = Options(columns, format, encoding, delimiter, files, errors == "skip", limits, progress)
    name = _name_source(source)
    if stream:
        if isinstance(source, Iterator):
            raise InputError("a generator can be read only once; give a list or a file to stream, or stream=False")
        _batches(source, options).close()  # a source that is not there is told now, not at the first pass
        return StreamedCorpus(lambda: _checked(_batches(source, options), name), name)
    return concatenate(_checked(_batches(source, options), name))
