"""Words are found in the files of a commit, all in one search."""

from pathlib import Path

import pytest

from reknit.adapters.git.plumbing import search
from reknit.adapters.git.trusted_repository import TrustedGit
from tests.adapters.git.users_git import head, repository

FILES = {
    "tests/test_a.py": "import helper\nopen('data/cases.csv')\nhelper.run('data/cases.csv')\n",
    "src/a.py": "import helpers\n",
    "docs/x:y.md": "cases.csv\n",
    "-e.txt": "nothing\n",
}


@pytest.fixture
def trusted(tmp_path: Path) -> tuple[TrustedGit, str]:
    user = repository(tmp_path / "user", FILES)
    trusted = TrustedGit.open(str(tmp_path / "gitdir"))
    trusted.fetch(str(user), head(user))
    return trusted, head(user)


def test_each_word_has_the_files_that_contain_it(trusted: tuple[TrustedGit, str]) -> None:
    git, commit = trusted
    found = git.mentions(commit, ["cases.csv", "data/cases.csv", "import helper", "absent", "-v", "", "a\nb"])
    assert found == {
        "cases.csv": ("docs/x:y.md", "tests/test_a.py"),
        "data/cases.csv": ("tests/test_a.py",),
        "import helper": ("src/a.py", "tests/test_a.py"),
    }
    assert git.mentions(commit, []) == {}


def test_a_search_that_is_too_large_has_no_answer(
    trusted: tuple[TrustedGit, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git, commit = trusted
    assert git.mentions(commit, [f"w{number}" for number in range(search.MOST_WORDS + 1)]) is None
    monkeypatch.setattr(search, "TIMEOUT_S", 0.0)
    assert git.mentions(commit, ["cases.csv"]) is None
