"""The documents and governance files that a repository is expected to have, and where they are looked for."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

ROOT, DOCS, GITHUB, GITLAB = "", "docs", ".github", ".gitlab"
_SEARCHED = (ROOT, DOCS, GITHUB)
"""Where GitHub looks for the files of a community."""
TEXT_EXTENSIONS = ("", ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org")


@dataclass(frozen=True)
class ExpectedFile:
    name: str
    """As it is called if it is missing."""
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
"""Name -> what does the same work."""


def paths_of(one: ExpectedFile) -> Iterator[str]:
    """Every path that it may have, in lower case; the likeliest first."""
    for stem, folder, extension in product(one.stems, one.folders, one.extensions):
        yield posixpath.join(folder, stem + extension)


def _every(one: ExpectedFile) -> Iterator[str]:
    """Also of what does the same work."""
    yield from paths_of(one)
    if one.name in _INSTEAD:
        yield from _every(_INSTEAD[one.name])


_NAMES = {path: one.name for one in (*DOCUMENTS, *GOVERNANCE) for path in _every(one)}
_PREFIXES = tuple((prefix, one) for one in GOVERNANCE for prefix in one.prefixes)


def missing(expected: Iterable[ExpectedFile], paths: Iterable[str]) -> tuple[str, ...]:
    """Names of those that none of the paths is, in the order of the table."""
    there = {_expected(path) for path in paths}
    return tuple(one.name for one in expected if one.name not in there)


def candidates(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that are one of the expected files."""
    return tuple(path for path in paths if _expected(path))


def is_state(path: str) -> bool:
    return _expected(path) == STATE.name


def _expected(path: str) -> str:
    """The name of the expected file that it is; empty: of none."""
    lower = path.lower()
    if lower in _NAMES:
        return _NAMES[lower]
    folder, name = posixpath.split(lower)
    found = (one.name for prefix, one in _PREFIXES if name.startswith(prefix) and folder in one.folders)
    return next(found, "")
