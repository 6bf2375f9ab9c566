"""Making projects and finding them again: settings, documents and arrays in a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wayword.corpus.corpus import Corpus
from wayword.corpus.files import is_database
from wayword.errors import InputError, NewerProjectError, NotAProjectError, StoreError
from wayword.guidance.actions import Entry, Import, new_act_id
from wayword.guidance.fields import check_name
from wayword.models.inputs import check_number, check_whole
from wayword.progress import Progress
from wayword.store.base import Store
from wayword.store.urls import open_store
from wayword.workbench.ground import Ground, count_corpus, find_ground, keep_ground, lay_ground
from wayword.workbench.overview import make_label_id

# Of the settings and arrays in a store. A project without it was not finished.
FORMAT = 1
_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project was made with; see `Project.create`."""

    name: str
    language: str = "en"
    max_terms: int | None = 7000
    min_df: int | None = None
    n_topics: int = 20
    multilabel: bool = False
    double_coding: float = 0.0

    @classmethod
    def choose(cls, corpus: Corpus, *, name: str, multilabel: bool | None, **others: Any) -> Settings:
        """Return settings that were checked, chosen by the corpus where nothing was said."""
        if multilabel is None:
            multilabel = any(len(labels) > 1 for labels in corpus.labels)
        elif not multilabel and any(len(labels) > 1 for labels in corpus.labels):
            raise InputError("multilabel is off, but documents of the corpus have several labels; leave it on")
        check_whole("n_topics", others["n_topics"])
        check_number("double_coding", others["double_coding"], most=1.0)
        return cls(check_name(name, "the name of a project"), multilabel=bool(multilabel), **others)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON has them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Settings:
        """Return the settings that `to_dict` gave."""
        return cls(**{field.name: kept[field.name] for field in fields(cls) if field.name in kept})

    @property
    def vectorizer(self) -> dict[str, Any]:
        """What terms of documents to come are counted with."""
        return {"language": self.language}


def name_of(url: str | Path) -> str:
    """Return a name for a project by where it is kept."""
    text = str(url).partition("?")[0].rstrip("/")
    return Path(text.rpartition("://")[2] or "project").name.removesuffix(".wayword") or "project"


def is_project(path: str | Path) -> bool:
    """Whether a path or address is that of a project rather than of some other file."""
    file = _file_of(path)
    return file is None or is_database(file)


def _file_of(url: str | Path) -> Path | None:
    """Return the file that a project is kept in, if it is one."""
    scheme, divider, rest = str(url).partition("://")
    if not divider:
        return Path(url)
    return Path(rest[1:]) if scheme == "sqlite" else None


def _import_labels(corpus: Corpus, annotator: str) -> Iterator[Entry]:
    """Give acts that take over the labels of a corpus."""
    ids: dict[str, str] = {}
    for name in corpus.label_names:
        ids[name] = make_label_id(name, set(ids.values()))
    told = [(id, labels) for id, labels in zip(corpus.ids, corpus.labels, strict=True) if labels]
    when = datetime.now(UTC)
    for start in range(0, len(told), _AT_ONCE):
        labels = {id: tuple(ids[name] for name in names) for id, names in told[start : start + _AT_ONCE]}
        names = {id: name for name, id in ids.items()} if not start else {}
        yield Entry(Import("the corpus", tuple(labels.items()), tuple(names.items())), annotator, when, new_act_id())


def create(
    url: str | Path, corpus: Corpus, settings: Settings, *, annotator: str, progress: Progress
) -> tuple[Store, Settings, Ground]:
    """Make a project; all that may fail for reasons of the corpus is done before anything is written."""
    path = _file_of(url)
    if path is not None and path.exists():
        raise StoreError(f"{path}: there is a file already; open it, or name another")
    entries = list(_import_labels(corpus, annotator))
    vectorizer, X = count_corpus(
        corpus, language=settings.language, max_terms=settings.max_terms, min_df=settings.min_df, progress=progress
    )
    ground = lay_ground(corpus, vectorizer, X, n_topics=settings.n_topics, progress=progress)
    store = open_store(url, create=True)
    try:
        if store.count_documents() or store.settings():
            raise StoreError(f"{store.url}: there is a project already; open it, or name another place")
        _write(store, ground, settings, entries)
    except BaseException:
        store.close()
        raise
    return store, settings, ground


def _write(store: Store, ground: Ground, settings: Settings, entries: list[Entry]) -> None:
    store.add_documents(ground.corpus)
    keep_ground(store, ground)
    if entries:
        store.append_all(entries)
    store.put_settings(settings.to_dict() | {"format": FORMAT})


def find(store: Store, *, progress: Progress) -> tuple[Settings, Ground]:
    """Return the settings and the ground of a project."""
    kept = store.settings()
    if "format" not in kept:
        raise NotAProjectError(
            f"{store.url}: there is no project here, or it was not finished; make one with wayword new"
        )
    if kept["format"] > FORMAT:
        raise NewerProjectError(f"{store.url}: made by a newer version of Wayword; upgrade it")
    settings = Settings.from_dict(kept)
    return settings, find_ground(store, settings.vectorizer, n_topics=settings.n_topics, progress=progress)
