"""What figures ask of their data, checked once at the door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wayword.errors import InputError, shorten


def as_numbers(name: str, values: Any, **axes: int | None) -> np.ndarray:
    """Return finite numbers that have these axes, in this order, none of them empty; None is any length."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {shorten(values)}") from None
    shape = ", ".join(axis if size is None else f"{axis}={size}" for axis, size in axes.items())
    fits = numbers.ndim == len(axes) and all(
        size in (None, found) for size, found in zip(axes.values(), numbers.shape, strict=True)
    )
    if not fits:
        raise InputError(f"{name} must have the shape ({shape}), got {numbers.shape}")
    if not numbers.size:
        raise InputError(f"{name} must have the shape ({shape}) and hold a number or more, got none")
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} must hold finite numbers, got NaN or infinity; leave out what is not known")
    return numbers


def as_weights(name: str, values: Any, **axes: int | None) -> np.ndarray:
    """Return finite numbers of 0 or more."""
    numbers = as_numbers(name, values, **axes)
    if numbers.min() < 0:
        raise InputError(f"{name} must hold numbers of 0 or more, got {numbers.min():g}")
    return numbers


def as_names(name: str, values: Iterable[Any] | None, n: int, prefix: str = "topic") -> list[str]:
    """Return a name for each of n things; where none are given, a word and a number."""
    if values is None:
        return [f"{prefix} {place + 1}" for place in range(n)]
    names = [values] if isinstance(values, str) else [str(value) for value in values]
    if len(names) != n:
        raise InputError(f"{name} must have one name for each of {n}, got {len(names)}")
    return names


def as_mapping(name: str, values: Any) -> dict[str, Any]:
    """Return named things, one or more."""
    if not isinstance(values, Mapping):
        raise InputError(f"{name} must map names to numbers, as in {{'model': [1.0, 2.0]}}, got {shorten(values)}")
    if not values:
        raise InputError(f"{name} must hold one name or more, got none")
    return {str(key): value for key, value in values.items()}


def as_scored(name: str, values: Any) -> list[tuple[str, float]]:
    """Return pairs of a word and a finite number."""
    pairs = []
    for place, pair in enumerate(values):
        try:
            word, number = pair
            number = float(number)
        except (TypeError, ValueError):
            raise InputError(f"{name}[{place}] must be a pair of a word and a number, got {shorten(pair)}") from None
        if not np.isfinite(number):
            raise InputError(f"{name}[{place}] must have a finite number, got {shorten(pair)}")
        pairs.append((str(word), number))
    return pairs
