"""The waivers of a run: what a person typed, and what that person's own file allows today."""

from datetime import UTC, datetime
from pathlib import Path

from reknit.adapters.git.user_repository import repository_around
from reknit.app.config.load import Config
from reknit.core.errors import UsageProblem
from reknit.core.gate.waiver import Waivers

RULES = ("reknit.toml", "pyproject.toml")
"""Files of a repository that have its configuration."""


def waivers_of(root: str, config: Config) -> Waivers:
    if config.gate.allow and config.own_file:
        refuse_file_of_a_repository(config.own_file.resolve(), Path(root).resolve())
    return config.waivers(datetime.now(UTC).date())


def refuse_file_of_a_repository(file: Path, root: Path) -> None:
    """A person's own file is one that no commit of a repository can change."""
    if file.is_relative_to(root) or repository_around(str(file.parent)):
        what = f"`gate.allow` counts only in your own config file, and {file.name!r} belongs to a repository"
        raise UsageProblem("config", what, help="keep it outside of any repository, or use `--allow RULE:PATH`")
