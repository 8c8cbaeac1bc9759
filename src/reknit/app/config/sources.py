"""Where settings come from: files and environment variables, each read as a table of exact names."""

import difflib
import json
import posixpath
import re
import tomllib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from reknit.adapters.files.regular_files import read_plain_text
from reknit.app.config import schema as config_schema
from reknit.core.errors import UsageProblem

_DEEPEST = 10
"""Maximum nesting of tables and lists; no setting needs half of it."""

_VARIABLE = re.compile(r"REKNIT_[A-Z0-9_]+")

OUTSIDE_THE_FILE = (
    "REKNIT_STATE", "REKNIT_DATABASE", "REKNIT_LEASE_S", "REKNIT_CONFIG", "REKNIT_PRICES", "REKNIT_GITHUB_APP_ID",
    "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION", "REKNIT_WEBHOOK_SECRET",
)  # fmt: skip


@dataclass(frozen=True)
class ConfigFile:
    path: Path
    table: Mapping[str, Any]
    is_repository: bool
    folder: str = ""
    """Of the project whose file this is, below the repository's top folder."""

    @property
    def name(self) -> str:
        return str(Path(self.folder, self.path.name))


def project_file(repository: Path, folder: str) -> ConfigFile | None:
    """`reknit.toml` in the folder of a project."""
    path = repository / folder / "reknit.toml"
    if not folder or not path.is_file():
        return None
    file = ConfigFile(path, _read(path, folder), is_repository=True, folder=folder)
    _refuse_depth(file)
    return file


def config_files(repository: Path | None, environment: Mapping[str, str]) -> list[ConfigFile]:
    """Highest precedence first: `reknit.toml` before `[tool.reknit]` in pyproject.toml, then the user's own file."""
    found = []
    if repository:
        if (path := repository / "reknit.toml").is_file():
            found.append(ConfigFile(path, _read(path), is_repository=True))
        elif (path := repository / "pyproject.toml").is_file():
            tool = _read(path).get("tool", {})
            table = tool.get("reknit", {}) if isinstance(tool, dict) else {}
            if not isinstance(table, dict):
                raise UsageProblem("config", "`tool.reknit` is not a table", where=path.name)
            found += [ConfigFile(path, table, is_repository=True)] if table else []
    path = user_file(environment)
    if (given := environment.get("REKNIT_CONFIG")) and not path.is_file():
        raise UsageProblem("config", f"REKNIT_CONFIG names {given!r}, which is not a file")
    if path.is_file():
        found.append(ConfigFile(path, _read(path), is_repository=False))
    for file in found:
        _refuse_depth(file)
    return found


def user_file(environment: Mapping[str, str]) -> Path:
    """The user's own configuration, whether it exists or not."""
    given = environment.get("REKNIT_CONFIG")
    return Path(given) if given else platformdirs.user_config_path("reknit", appauthor=False) / "config.toml"


def _read(path: Path, folder: str = "") -> dict[str, Any]:
    """`folder`: of the project whose file it is."""
    where = posixpath.join(folder, path.name)
    try:
        return tomllib.loads(read_plain_text(path))
    except ValueError as problem:  # also text that is not UTF-8, or a number with thousands of digits
        raise UsageProblem("config", f"not valid TOML: {problem}", where=where) from None
    except OSError as problem:
        raise UsageProblem("config", f"cannot be read: {problem.strerror}", where=where) from None
    except RecursionError:
        raise UsageProblem("config", "its values are nested too deeply", where=where) from None


def _refuse_depth(file: ConfigFile) -> None:
    """Level by level, because later code walks the values recursively."""
    level: list[Any] = [file.table]
    for _ in range(_DEEPEST):
        level = [value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer)]
        level = [value for value in level if isinstance(value, dict | list)]
    if level:
        raise UsageProblem("config", "its values are nested too deeply", where=file.path.name)


def environment_table(environment: Mapping[str, str], model: type[BaseModel]) -> dict[str, Any]:
    """`REKNIT_LOOP__ATTEMPTS=2` as `{"loop": {"attempts": "2"}}`; lists and whole tables are JSON."""
    tables = []
    for name in sorted(environment):  # `REKNIT_LOOP` before `REKNIT_LOOP__ATTEMPTS`, which is more precise
        if name.upper().startswith("REKNIT_") and name not in OUTSIDE_THE_FILE:
            path = name.removeprefix("REKNIT_").lower().split("__")
            if path[0] == "gate":
                what = f"{name}: what the gate accepts cannot be set in the environment"
                raise UsageProblem("config", what, help="use `--allow RULE:PATH`, or `[[gate.allow]]` in your own file")
            table = config_schema.table_at(model, path[:-1])
            field = table.model_fields.get(path[-1]) if table and _VARIABLE.fullmatch(name) else None
            if field is None:
                raise _unknown_variable(name, model)
            value = _value(name, environment[name], field)
            for key in reversed(path):
                value = {key: value}
            tables.append(value)
    return merged(tables)


def _value(name: str, text: str, field: FieldInfo) -> Any:
    structures = [option for option in (field.annotation, *typing.get_args(field.annotation)) if _is_structured(option)]
    if not structures:
        return text
    try:
        return json.loads(text)
    except ValueError:
        if field.annotation not in structures:  # it may also be text
            return text
        hint = "a table or list is written as JSON; `REKNIT_LOOP__ATTEMPTS` sets `loop.attempts`"
        raise UsageProblem("config", f"{name}: not valid JSON (got {text!r})", where="environment", help=hint) from None


def _is_structured(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (tuple, dict) or config_schema.table_of(annotation)[0] is not None


def _unknown_variable(name: str, model: type[BaseModel]) -> UsageProblem:
    known = [*OUTSIDE_THE_FILE, *("REKNIT_" + "__".join(path).upper() for path, _ in config_schema.settings(model))]
    near = difflib.get_close_matches(name.upper(), known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "REKNIT_LOOP__ATTEMPTS sets loop.attempts"
    return UsageProblem("config", f"unknown setting `{name}` in the environment", help=hint)


def merged(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Lowest precedence first: later tables override earlier ones, setting by setting."""
    result: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            old = result.get(key, {})
            is_table = isinstance(old, Mapping) and isinstance(value, Mapping)
            result[key] = merged((old, value)) if is_table else value
    return result
