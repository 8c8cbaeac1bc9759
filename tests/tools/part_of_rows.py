"""Leaves most rows of slow tables to `make nightly`: CI runs every third row of each test in such a folder."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

EVERY_NTH = 3


def mark_rows(items: Sequence[pytest.Item], folder: Path) -> None:
    """Mark the other rows as long. Which row comes first differs by test, so that not all are of the same agent."""
    rows: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.path.is_relative_to(folder):
            rows.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for test, group in rows.items():
        first = zlib.crc32(test.encode()) % min(EVERY_NTH, len(group))
        for number, item in enumerate(sorted(group, key=lambda row: row.nodeid)):
            if number % EVERY_NTH != first:
                item.add_marker("long")
