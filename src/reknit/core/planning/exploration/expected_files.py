"""Lists the documents and governance files that a repository should have, and where each may be."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

ROOT, DOCS, GITHUB, GITLAB = "", "docs", ".github", ".gitlab"
_SEARCHED = (ROOT, DOCS, GITHUB)
"""Folders in which GitHub looks for community files."""
TEXT_EXTENSIONS = ("", ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org")


@dataclass(frozen=True)
class ExpectedFile:
    """A file that a repository should have, with its usual names."""

    name: str
    """Name to report if the file is missing."""
    stems: tuple[str, ...]
    """Its usual names, in lower case and without extension."""
    folders: tuple[str, ...] = (ROOT, DOCS)
    extensions: tuple[str, ...] = TEXT_EXTENSIONS
    prefixes: tuple[str, ...] = ()
    """Beginnings of other usual names, in lower case."""


STATE = ExpectedFile("STATE.md", ("state",))
DOCUMENTS = (
    ExpectedFile("README.md", ("readme",), _SEARCHED),
    STATE,
    ExpectedFile("ARCHITECTURE.md", ("architecture", "design")),
    ExpectedFile("CONTRIBUTING.md", ("contributing",), _SEARCHED),
    ExpectedFile("AGENTS.md", ("agents", "claude", "gemini"), (ROOT,), (".md",)),
)
GOVERNANCE = (
    ExpectedFile("CHANGELOG.md", ("changelog", "changes", "history", "news", "releases"), prefixes=("changelog.",)),
    ExpectedFile(".github/dependabot.yml", ("dependabot",), (GITHUB,), (".yml", ".yaml")),
    ExpectedFile(".github/CODEOWNERS", ("codeowners",), (GITHUB, ROOT, DOCS, GITLAB), ("",)),
    ExpectedFile("LICENSE", ("license", "licence", "copying", "unlicense"), (ROOT,), prefixes=("license-", "licence-")),
    ExpectedFile("SECURITY.md", ("security",), _SEARCHED),
    ExpectedFile("CODE_OF_CONDUCT.md", ("code_of_conduct", "code-of-conduct"), _SEARCHED),
)
_INSTEAD = {
    ".github/dependabot.yml": ExpectedFile(
        "renovate.json", ("renovate", ".renovaterc"), (ROOT, GITHUB, GITLAB), ("", ".json", ".json5", ".js")
    )
}
"""Name -> a file that does the same work."""


def list_paths(one: ExpectedFile) -> Iterator[str]:
    """Yield every path that the file may have, in lower case; the likeliest first."""
    for stem, folder, extension in product(one.stems, one.folders, one.extensions):
        yield posixpath.join(folder, stem + extension)


def _list_all_paths(one: ExpectedFile) -> Iterator[str]:
    """Yield also the paths of the file that does the same work."""
    yield from list_paths(one)
    if one.name in _INSTEAD:
        yield from _list_all_paths(_INSTEAD[one.name])


_NAMES = {path: one.name for one in (*DOCUMENTS, *GOVERNANCE) for path in _list_all_paths(one)}
_PREFIXES = tuple((prefix, one) for one in GOVERNANCE for prefix in one.prefixes)


def find_missing(expected: Iterable[ExpectedFile], paths: Iterable[str]) -> tuple[str, ...]:
    """Return the names of expected files that none of the paths is, in the order of the table."""
    there = {_find_expected_name(path) for path in paths}
    return tuple(one.name for one in expected if one.name not in there)


def select_expected(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that are one of the expected files."""
    return tuple(path for path in paths if _find_expected_name(path))


def is_state(path: str) -> bool:
    """Return True if the path is the file that describes the state of the project."""
    return _find_expected_name(path) == STATE.name


def _find_expected_name(path: str) -> str:
    """Return the name of the expected file that the path is; empty: none."""
    lower = path.lower()
    if lower in _NAMES:
        return _NAMES[lower]
    folder, name = posixpath.split(lower)
    names = (one.name for prefix, one in _PREFIXES if name.startswith(prefix) and folder in one.folders)
    return next(names, "")
