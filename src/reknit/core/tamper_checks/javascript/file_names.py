"""Names of files beside a test file: collected like it, or looking like any other source file."""

import posixpath
import re

from reknit.core.tamper_checks.syntax import Language

_PART = re.compile(r"[._-]|[^._-]+")
_KEPT = frozenset({"test", "tests", "spec", "specs", "unit", "e2e", "int", "integration", "node", "browser"})
_LANGUAGES: dict[str, Language] = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"}


def collected_beside(file: str, word: str) -> str:
    """`src/price.test.ts` -> `src/WORD.test.ts`; the runner collects it as it collects the file."""
    folder, name = posixpath.split(file)
    stem, end = posixpath.splitext(name)
    parts = _PART.findall(stem)
    own = [at for at, part in enumerate(parts) if part not in _KEPT and part not in "._-"]
    if not own:
        return posixpath.join(folder, f"{word}.{name}")
    stem = "".join((*parts[: own[0]], word, *parts[own[-1] + 1 :]))
    return posixpath.join(folder, stem + end)


def source_file_beside(file: str, word: str) -> str:
    return posixpath.join(posixpath.dirname(file), word + posixpath.splitext(file)[1])


def language_of(file: str) -> Language:
    return _LANGUAGES.get(posixpath.splitext(file)[1], "javascript")
