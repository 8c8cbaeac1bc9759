"""Routes a file to the backend or the frontend developer by its extension."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

Kind = Literal["backend", "frontend"]


BACKEND = (".py", ".go", ".java", ".rb", ".php", ".rs", ".c", ".cpp")
FRONTEND = (".tsx", ".ts", ".jsx", ".js", ".css", ".scss", ".vue", ".svelte")
_KNOWN: Mapping[str, Kind] = {**dict.fromkeys(BACKEND, "backend"), **dict.fromkeys(FRONTEND, "frontend")}


def kind_of(path: str, backend: Sequence[str] = (), frontend: Sequence[str] = ()) -> Kind:
    """`backend`, `frontend`: further extensions, which override the built-in ones; the longest match wins.

    Anything else is backend: configuration, SQL, shell and docs serve the whole repository, and backend batches come
    first, so that what the frontend depends on is done before it.
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
    """Normalizes what people write: `mjs`, `.mjs`, `*.MJS`, `.blade.php`."""
    return "." + text.strip().lstrip("*").lstrip(".").lower()


def _endings(path: str) -> Iterator[str]:
    """For `a/view.blade.php`: `.blade.php`, then `.php`."""
    name = path.rpartition("/")[2].lower()
    place = name.find(".")
    while place >= 0:
        yield name[place:]
        place = name.find(".", place + 1)
