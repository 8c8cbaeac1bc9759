"""Reads the programs in `programs/` of each language, which run inside the box."""

import importlib.resources
import re
from functools import cache

_WORD = re.compile(r"\w+")


@cache
def read_program(language: str, file: str) -> str:
    """Return a program without its comment lines, because these would show tested code that it is being checked."""
    path = importlib.resources.files("reknit.core.languages").joinpath(language, "programs", file)
    lines = path.read_text("utf-8").split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def fill(text: str, /, **values: str) -> str:
    """Replace each whole word that is a name in `values` by its value."""
    return _WORD.sub(lambda word: values.get(word.group(), word.group()), text)
