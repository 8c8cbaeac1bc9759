"""Manifests as tables. They come from a stranger: what is not valid, or has another shape, is an empty table."""

import contextlib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

_SEPARATORS = re.compile(r"[-_.]+")


def read_toml(text: str | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (ValueError, RecursionError):
        return {}


def read_json(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def has_repeated_keys(text: str | None) -> bool:
    """Readers disagree about which of them counts."""
    repeated = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        repeated = repeated or len({name for name, _ in pairs}) < len(pairs)
        return dict(pairs)

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text or "{}", object_pairs_hook=look)
    return repeated


def table(value: object, *path: str) -> Mapping[str, Any]:
    """The table at this path."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def normalized(name: str) -> str:
    """Python treats `my_lib`, `my.lib` and `My-Lib` as one package."""
    return _SEPARATORS.sub("-", name).lower()
