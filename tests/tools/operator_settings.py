"""The settings that are the operator's alone, and whether a repository's file got at one of them."""

import json
from pathlib import Path

from pydantic import SecretStr

from reknit.app.config.load import Config, load
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.app.config.sources import ANY_NAME, list_effective_settings, list_settings
from reknit.core.errors import UsageError
from tests.tools.setting_spellings import Spelling

EVERY = {".".join(name): field for name, field in list_settings(Config)}
OPERATORS = {
    name: field
    for name, field in EVERY.items()
    if name not in REPOSITORY_MAY_SET and not name.startswith("gate.allow.")
}
"""Without waivers, which are a list of tables: tests/app/config/test_gate_section.py has theirs."""


def path_of(name: str) -> tuple[str, ...]:
    return tuple("mine" if key == ANY_NAME else key for key in name.split("."))


def to_plain(value: object) -> object:
    """A secret as it is: the comparison must see a changed one."""
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def operators_part(config: Config) -> dict[str, str]:
    """What the operator decides, as far as it is not empty: an agent without settings is none."""
    settings = ((setting, to_plain(setting.value)) for setting in list_effective_settings(config))
    return {
        ".".join(setting.path): json.dumps(value)
        for setting, value in settings
        if ".".join(setting.name) in OPERATORS and value not in ("", (), {})
    }


WITHOUT_FILES = operators_part(Config())


def is_taken(repository: Path, spelling: Spelling) -> bool:
    """Did the repository's file change anything that is the operator's?"""
    for name in ("reknit.toml", "pyproject.toml"):
        (repository / name).unlink(missing_ok=True)
    (repository / spelling.file).write_text(spelling.text, "utf-8")
    try:
        config = load(repository, {}, {})
    except UsageError:
        return False
    return operators_part(config) != WITHOUT_FILES
