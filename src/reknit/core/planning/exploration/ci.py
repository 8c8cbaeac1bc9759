"""The CI that a repository has, by its files."""

from collections.abc import Sequence

_KNOWN = ((".github/workflows/", "GitHub Actions"), (".gitlab-ci.yml", "GitLab CI"), (".circleci/", "CircleCI"))


def ci_of(tracked: Sequence[str]) -> str:
    """Its name and its first file; empty: none is known."""
    for prefix, name in _KNOWN:
        files = [path for path in tracked if path.startswith(prefix)]
        if files:
            return f"{name}, {files[0]}"
    return ""
