"""Views that took long to make, kept in the store so that they are there after a restart."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from wayword.store.base import Store
from wayword.workbench.views import QualityView

_QUALITY = "quality"


def _build(kind: Any, value: Any) -> Any:
    """Return a value of a kind of views from what JSON has kept of it."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        given = [field.name for field in fields(kind) if field.name in value]
        return kind(**{name: _build(hints[name], value[name]) for name in given})
    if get_origin(kind) is list:
        return [_build(get_args(kind)[0], item) for item in value]
    return tuple(value) if get_origin(kind) is tuple else value


def keep_quality(store: Store, view: QualityView) -> None:
    """Keep what was measured."""
    store.put_snapshot(_QUALITY, view.number, asdict(view))


def find_quality(store: Store) -> QualityView | None:
    """Return what was measured last; None if never, or by a version that measured something else."""
    kept = store.snapshot(_QUALITY)
    if kept is None:
        return None
    try:
        return _build(QualityView, kept[1])
    except (KeyError, TypeError):
        return None
