"""What the readers are measured against: the quickest way to have read the file at all."""

import gc
from pathlib import Path
from xml.parsers import expat

import orjson

from bench.inputs import JUNIT, SARIF


def orjson_loads(folder: Path) -> int:
    log = orjson.loads((folder / SARIF).read_bytes())
    return len(log["runs"][0]["results"])


def orjson_without_gc(folder: Path) -> int:
    gc.disable()
    return orjson_loads(folder)


def bare_expat(folder: Path) -> int:
    """No handler: the file is checked to be XML, and nothing is taken from it."""
    with (folder / JUNIT).open("rb") as stream:
        return expat.ParserCreate().ParseFile(stream)
