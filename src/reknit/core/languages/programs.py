"""Reads the programs of other languages that run inside the box: each language keeps its own in `programs/`."""

import importlib.resources
import re
from functools import cache

_WORD = re.compile(r"\w+")


@cache
def read_program(language: str, file: str) -> str:
    """Return a program without its comment lines, which would tell tested code that it is being checked."""
    path = importlib.resources.files("reknit.core.languages").joinpath(language, "programs", file)
    lines = path.read_text("utf-8").split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def fill(text: str, /, **values: str) -> str:
    """Replace each placeholder, a whole word of the text, by its value."""
    return _WORD.sub(lambda word: values.get(word.group(), word.group()), text)
