"""Our readers on a mapped file, as `issues import` uses them; no result is kept."""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.inputs import JUNIT, SARIF, SOURCES
from reknit.core.issues.formats import junit
from reknit.core.issues.formats.sarif import reader as sarif
from reknit.core.issues.identity.fingerprint import NormalizedFile, locate_result


def sarif_values(folder: Path) -> int:
    with _mapped(folder / SARIF) as view:
        return sum(1 for _ in sarif.read_report(view).results)


def sarif_fingerprints(folder: Path) -> int:
    """The fingerprints come from the lines of files that are really read."""
    count, texts = 0, dict[str, NormalizedFile]()
    with _mapped(folder / SARIF) as view:
        for found in sarif.read_report(view).results:
            text = texts.get(found.path)
            if text is None:
                text = texts[found.path] = NormalizedFile((folder / SOURCES / found.path).read_bytes())
            locate_result(found, found.path, text)
            count += 1
    return count


def junit_values(folder: Path) -> int:
    with _mapped(folder / JUNIT) as view:
        return sum(1 for _ in junit.read_report(view).results)


@contextmanager
def _mapped(path: Path) -> Iterator[memoryview]:
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as view,
    ):
        yield view
