"""Who works on a file: the backend or the frontend developer, by the file's extension."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

Kind = Literal["backend", "frontend"]


BACKEND = (".py", ".go", ".java", ".rb", ".php", ".rs", ".c", ".cpp")
FRONTEND = (".tsx", ".ts", ".jsx", ".js", ".css", ".scss", ".vue", ".svelte")
_KNOWN: Mapping[str, Kind] = {**dict.fromkeys(BACKEND, "backend"), **dict.fromkeys(FRONTEND, "frontend")}


def kind_of(path: str, backend: Sequence[str] = (), frontend: Sequence[str] = ()) -> Kind:
    """`backend`, `frontend`: further extensions, stronger than the built-in ones; the longest that fits decides.

    Anything else is backend: configuration, SQL, shell and docs serve the whole repository, and backend batches come
    first, so that what the frontend stands on is done before it.
    """
    own: dict[str, Kind] = {
        **dict.fromkeys(map(extension, frontend), "frontend"),
        **dict.fromkeys(map(extension, backend), "backend"),
    }
    for ending in _endings(path):
        found = own.get(ending) or _KNOWN.get(ending)
        if found:
            return found
    return "backend"


def extension(text: str) -> str:
    """As people write it: `mjs`, `.mjs`, `*.MJS`, `.blade.php`."""
    return "." + text.strip().lstrip("*").lstrip(".").lower()


def _endings(path: str) -> Iterator[str]:
    """Of `a/view.blade.php`: `.blade.php`, then `.php`."""
    name = path.rpartition("/")[2].lower()
    place = name.find(".")
    while place >= 0:
        yield name[place:]
        place = name.find(".", place + 1)
