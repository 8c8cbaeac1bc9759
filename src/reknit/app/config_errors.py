"""Explains what is wrong in a configuration: which setting, in which line, and what was probably meant."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from reknit.core.errors import UsageProblem

OPERATOR_ONLY = (
    "box",
    "agents.*.binary",
    "agents.*.command",
    "agents.*.upstream",
    "agents.*.key_env",
    "agents.*.env",
    "workspace.show",
)
"""What a repository may not decide: it could point the key elsewhere, show a host path, or leave the box."""


@dataclass(frozen=True)
class ConfigFile:
    path: Path
    table: Mapping[str, Any]
    is_repository: bool


def refuse_operator_settings(file: ConfigFile) -> None:
    for pattern in OPERATOR_ONLY:
        for name in _matches(file.table, pattern.split(".")):
            what = f"`{name}` may not be set by a repository"
            raise UsageProblem(
                "config", what, where=_where(file, name.split(".")), help="set it in your own config file"
            )


def refuse_raised_limits(file: ConfigFile, files: list[ConfigFile]) -> None:
    """A limit that a person set in their own file is a ceiling for every repository."""
    for own in (other for other in files if not other.is_repository):
        for key, ceiling in _section(own.table, "loop").items():
            wanted = _section(file.table, "loop").get(key)
            if isinstance(wanted, int | float) and isinstance(ceiling, int | float) and wanted > ceiling:
                what = f"loop.{key} = {wanted} is above the {ceiling} of your own {own.path.name}"
                raise UsageProblem("config", what, where=_where(file, ["loop", key]), help="raise it there first")


def _section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name)
    return found if isinstance(found, Mapping) else {}


def _matches(table: Any, parts: list[str]) -> list[str]:
    if not isinstance(table, Mapping):
        return []
    first, rest = parts[0], parts[1:]
    keys = list(table) if first == "*" else [first] if first in table else []
    if not rest:
        return keys
    return [f"{key}.{tail}" for key in keys for tail in _matches(table[key], rest)]


def explained(error: Any, files: list[ConfigFile], model: type[BaseModel]) -> UsageProblem:
    path = [str(part) for part in error["loc"]]
    name = ".".join(path)
    where = next((_where(file, path) for file in files if _has(file.table, path)), "")
    if error["type"] != "extra_forbidden":
        return UsageProblem("config", f"{name}: {error['msg']} (got {error['input']!r})", where=where)
    near = difflib.get_close_matches(path[-1], _known_keys(model, path[:-1]), n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`reknit config show` lists every setting"
    return UsageProblem("config", f"unknown setting `{name}`", where=where, help=hint)


def _has(table: Any, path: list[str]) -> bool:
    for part in path:
        if not isinstance(table, Mapping) or part not in table:
            return False
        table = table[part]
    return True


def _known_keys(model: type[BaseModel], path: list[str]) -> list[str]:
    """Of the table the unknown key stands in; a table that is a mapping (`agents`) is entered through its values."""
    here: Any = model
    for part in path:
        field = getattr(here, "model_fields", {}).get(part)
        here = field.annotation if field else (*get_args(here), None)[1]
    return list(getattr(here, "model_fields", ()))


def _where(file: ConfigFile, path: list[str]) -> str:
    """tomllib gives no line numbers: look for the key inside its own table."""
    table, key = path[:-1], path[-1]
    prefix = ["tool", "reknit"] if file.path.name == "pyproject.toml" else []
    wanted, now = [*prefix, *table], list[str]()
    for number, line in enumerate(file.path.read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("["):
            now = [part.strip().strip('"') for part in text.strip("[]").split(".")]
        elif now == wanted and text.split("=")[0].strip() == key:
            return f"{file.path.name}:{number}"
    return file.path.name
