"""Configuration files of a repository and of its user."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from reknit.app.config.load import Config, load
from reknit.core.errors import UsageError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def read(
    tmp_path: Path,
    text: str = "",
    *,
    user: str = "",
    flags: Mapping[str, object] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Config:
    """`text`: the repository's reknit.toml; `user`: the user's own file."""
    write(tmp_path / "reknit.toml", text)
    environment = {"REKNIT_CONFIG": str(write(tmp_path / "own" / "config.toml", user)), **(variables or {})}
    return load(tmp_path, flags or {}, environment)


def refused(
    tmp_path: Path, text: str = "", *, user: str = "", variables: Mapping[str, str] | None = None
) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, user=user, variables=variables)
    assert (caught.value.name, caught.value.exit_code) == ("config", 2)
    return caught.value
