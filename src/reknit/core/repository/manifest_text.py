"""Reads untrusted manifests as tables. Invalid text, or another shape, gives an empty table."""

import contextlib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

_SEPARATORS = re.compile(r"[-_.]+")


def read_toml(text: str | None) -> dict[str, Any]:
    """Parse TOML; an invalid text gives an empty table."""
    try:
        return tomllib.loads(text or "")
    except (ValueError, RecursionError):
        return {}


def read_json(text: str | None) -> dict[str, Any]:
    """Parse a JSON object; an invalid text, or another value, gives an empty table."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def has_repeated_keys(text: str | None) -> bool:
    """Return True if an object has a key twice: readers disagree about which one counts."""
    repeated = False

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        repeated = repeated or len({name for name, _ in pairs}) < len(pairs)
        return dict(pairs)

    with contextlib.suppress(ValueError, RecursionError):
        json.loads(text or "{}", object_pairs_hook=look)
    return repeated


def get_table(value: object, *path: str) -> Mapping[str, Any]:
    """Return the table at this path; empty if there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def normalize_package_name(name: str) -> str:
    """Normalize a package name: Python treats `my_lib`, `my.lib` and `My-Lib` as one package."""
    return _SEPARATORS.sub("-", name).lower()
