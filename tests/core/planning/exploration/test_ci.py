"""The CI of a repository by its files."""

import pytest

from reknit.core.planning.exploration.ci import ci_of


@pytest.mark.parametrize(
    ("tracked", "ci"),
    [
        ([".github/workflows/a.yml", ".github/workflows/b.yml"], "GitHub Actions, .github/workflows/a.yml"),
        (["a.py", ".gitlab-ci.yml"], "GitLab CI, .gitlab-ci.yml"),
        ([".circleci/config.yml"], "CircleCI, .circleci/config.yml"),
        ([".github/CODEOWNERS"], ""),
    ],
)
def test_ci_is_told_with_its_first_file(tracked: list[str], ci: str) -> None:
    assert ci_of(tracked) == ci
