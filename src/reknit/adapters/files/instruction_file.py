"""Reads a text file that becomes part of prompts: bounded, UTF-8, and never through a symlink."""

from pathlib import Path

from reknit.adapters.files.regular_files import open_plain
from reknit.core.errors import UsageProblem

LARGEST_BYTES = 64 * 1024


def read_instruction(path: Path, *, below: Path, where: str, kind: str) -> str:
    """`below`: no step from there to the file may be a symlink. `where`, `kind`: the place and name of a problem."""

    def problem(what: str, hint: str) -> UsageProblem:
        return UsageProblem(kind, what, where=where, help=hint)

    steps = [path, *(parent for parent in path.parents if parent != below and parent.is_relative_to(below))]
    if any(step.is_symlink() for step in steps):  # it could lead to a secret
        raise problem("it is a symlink, or is reached through one", "put a copy of the file there")
    if not path.is_file():
        raise problem("it is not a file", "put a text file there, or remove it")
    try:
        with open_plain(path) as file:
            raw = file.read(LARGEST_BYTES + 1)
        text = raw.decode("utf-8") if len(raw) <= LARGEST_BYTES else ""
    except OSError as hindered:
        raise problem(f"it cannot be read: {hindered.strerror}", "make it readable") from None
    except UnicodeDecodeError:
        raise problem("it is not UTF-8 text", "save it as UTF-8") from None
    if len(raw) > LARGEST_BYTES:
        raise problem("it is larger than 64 KB", "it goes into every prompt: keep it short")
    return text
