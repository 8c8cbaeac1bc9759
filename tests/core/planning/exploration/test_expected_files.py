"""Expected files: where they are looked for, and under which names."""

import pytest

from reknit.core.planning.exploration.expected_files import DOCUMENTS, GOVERNANCE, find_missing, select_expected

EVERY = (
    "README.md", "STATE.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md",
    ".github/dependabot.yml", ".github/CODEOWNERS", "LICENSE", "SECURITY.md", "CODE_OF_CONDUCT.md",
)  # fmt: skip


def test_an_empty_repository_misses_all() -> None:
    assert (*find_missing(DOCUMENTS, ()), *find_missing(GOVERNANCE, ())) == EVERY
    assert (*find_missing(DOCUMENTS, EVERY), *find_missing(GOVERNANCE, EVERY)) == ()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("readme", "README.md"),
        ("Readme.rst", "README.md"),
        (".github/README.md", "README.md"),
        ("docs/state.md", "STATE.md"),
        ("docs/Architecture.adoc", "ARCHITECTURE.md"),
        ("DESIGN.md", "ARCHITECTURE.md"),
        (".github/contributing.md", "CONTRIBUTING.md"),
        ("CLAUDE.md", "AGENTS.md"),
        ("CHANGES.txt", "CHANGELOG.md"),
        ("NEWS", "CHANGELOG.md"),
        ("docs/HISTORY.md", "CHANGELOG.md"),
        ("CHANGELOG.next.md", "CHANGELOG.md"),
        (".github/dependabot.yaml", ".github/dependabot.yml"),
        ("renovate.json", ".github/dependabot.yml"),
        (".github/renovate.json5", ".github/dependabot.yml"),
        (".renovaterc", ".github/dependabot.yml"),
        (".renovaterc.json", ".github/dependabot.yml"),
        ("docs/CODEOWNERS", ".github/CODEOWNERS"),
        (".gitlab/CODEOWNERS", ".github/CODEOWNERS"),
        ("LICENCE.txt", "LICENSE"),
        ("LICENSE-MIT", "LICENSE"),
        ("COPYING", "LICENSE"),
        (".github/SECURITY.md", "SECURITY.md"),
        ("docs/code-of-conduct.md", "CODE_OF_CONDUCT.md"),
    ],
)
def test_a_usual_name_in_a_usual_place_counts(path: str, name: str) -> None:
    found = (*find_missing(DOCUMENTS, [path]), *find_missing(GOVERNANCE, [path]))
    assert {*EVERY} - {*found} == {name}
    assert select_expected([path, "src/a.py"]) == (path,)


@pytest.mark.parametrize(
    "path",
    [
        "src/README.md", "README.md/x.txt", "docs/old/STATE.md", "dependabot.yml", "docs/LICENSE", "readme.py",
        "docs/AGENTS.md", "CODEOWNERS.md", "my-readme.md", "renovate.md",
    ],
)  # fmt: skip
def test_another_place_or_name_does_not(path: str) -> None:
    assert len(find_missing((*DOCUMENTS, *GOVERNANCE), [path])) == len(EVERY)
    assert select_expected([path]) == ()
