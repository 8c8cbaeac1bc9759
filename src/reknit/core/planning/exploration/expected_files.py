"""The documents and governance files that a repository is expected to have, and where they are looked for."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

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
_RENOVATE = ("renovate", ".renovaterc")
GOVERNANCE = (
    ExpectedFile("CHANGELOG.md", ("changelog", "changes", "history", "news", "releases"), prefixes=("changelog.",)),
    ExpectedFile(".github/dependabot.yml", ("dependabot",), (GITHUB,), (".yml", ".yaml")),
    ExpectedFile("CODEOWNERS", ("codeowners",), (*_SEARCHED, GITLAB), ("",)),
    ExpectedFile("LICENSE", ("license", "licence", "copying", "unlicense"), (ROOT,), prefixes=("license-", "licence-")),
    ExpectedFile("SECURITY.md", ("security",), _SEARCHED),
    ExpectedFile("CODE_OF_CONDUCT.md", ("code_of_conduct", "code-of-conduct"), _SEARCHED),
)
_INSTEAD = {
    ".github/dependabot.yml": ExpectedFile(
        "renovate.json", _RENOVATE, (ROOT, GITHUB, GITLAB), ("", ".json", ".json5", ".js")
    )
}
"""Name -> what does the same work."""


def missing(expected: Iterable[ExpectedFile], paths: Iterable[str]) -> tuple[str, ...]:
    """Names of those that none of the paths is, in the order of the table."""
    there = {path.lower() for path in paths}
    return tuple(one.name for one in expected if not any(_is(path, one) for path in there))


def candidates(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that are one of the expected files."""
    return tuple(path for path in paths if any(_is(path.lower(), one) for one in (*DOCUMENTS, *GOVERNANCE)))


def is_state(path: str) -> bool:
    return _is(path.lower(), STATE)


def _is(path: str, one: ExpectedFile) -> bool:
    """`path`: in lower case."""
    folder, name = posixpath.split(path)
    if folder in one.folders:
        stem, extension = posixpath.splitext(name)
        if (stem in one.stems and extension in one.extensions) or (one.prefixes and name.startswith(one.prefixes)):
            return True
    return one.name in _INSTEAD and _is(path, _INSTEAD[one.name])
