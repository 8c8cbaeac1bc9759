"""Reads settings from files and environment variables, and finds the model field of each setting by its exact name."""

import difflib
import json
import posixpath
import re
import tomllib
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from reknit.adapters.files.regular_files import read_plain_text
from reknit.core.errors import UsageError

SettingPath = tuple[str, ...]

ANY_NAME = "*"
"""Placeholder in a setting's name for the user's name of an agent, or for the position in a list of tables."""


@dataclass(frozen=True)
class Setting:
    """One setting of a table, with the field of the model that defines it."""

    path: SettingPath
    """Path in the file, such as `("agents", "claude", "model")`."""
    name: SettingPath
    """Name of the setting, such as `("agents", "*", "model")`."""
    field: FieldInfo | None
    """Field of the model; None if no setting has exactly that name."""
    value: Any


def list_settings(model: type[BaseModel], name: SettingPath = ()) -> Iterator[tuple[SettingPath, FieldInfo]]:
    """List the name and the field of every setting of the model."""
    for key, field in model.model_fields.items():
        table, has_many = get_table_model(field.annotation)
        if table is None:
            yield (*name, key), field
        else:
            yield from list_settings(table, (*name, key, *((ANY_NAME,) if has_many else ())))


def find_settings(table: Mapping[str, Any], model: type[BaseModel]) -> Iterator[Setting]:
    """Find each setting in a table. A value where a table belongs is left to validation, which refuses it."""
    return _walk_table(table.items(), model, Setting((), (), None, None))


def list_effective_settings(config: BaseModel) -> Iterator[Setting]:
    """Yield each setting of a validated configuration with its value."""
    return find_settings(config.model_dump(), type(config))


def _walk_table(items: Iterable[tuple[str, Any]], model: type[BaseModel], at: Setting) -> Iterator[Setting]:
    for key, value in items:
        field = model.model_fields.get(key)
        here = Setting((*at.path, key), (*at.name, key), field, value)
        table, has_many = get_table_model(field.annotation) if field else (None, False)
        if table is None:
            yield here
        elif isinstance(value, Mapping) and not has_many:
            yield from _walk_table(value.items(), table, here)
        elif isinstance(value, Mapping | list | tuple):
            entries = value.items() if isinstance(value, Mapping) else enumerate(value)
            for name, inner in entries:
                below = replace(here, path=(*here.path, str(name)), name=(*here.name, ANY_NAME))
                if isinstance(inner, Mapping):
                    yield from _walk_table(inner.items(), table, below)


def get_table_model(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """Return the model of a table, if the annotation is one.

    The second value is True if there may be any number of such tables: `[agents.NAME]`, `[[projects]]`.
    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    arguments = typing.get_args(annotation)
    many = {dict: arguments[1:], tuple: arguments[:1]}.get(typing.get_origin(annotation), ())
    return next(
        ((model, True) for model in many if isinstance(model, type) and issubclass(model, BaseModel)), (None, False)
    )


def find_table_model(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel] | None:
    """Return the model of the table at this path, if there is one."""
    here: type[BaseModel] | None = model
    rest = list(path)
    while rest and here is not None:
        field = here.model_fields.get(rest.pop(0))
        here, has_many = get_table_model(field.annotation) if field else (None, False)
        del rest[: int(has_many)]
    return here


_DEEPEST = 10
"""Maximum nesting of tables and lists; no setting needs half of it."""

_VARIABLE = re.compile(r"REKNIT_[A-Z0-9_]+")

OUTSIDE_THE_FILE = (
    "REKNIT_STATE", "REKNIT_DATABASE", "REKNIT_LEASE_S", "REKNIT_CONFIG", "REKNIT_PRICES", "REKNIT_GITHUB_APP_ID",
    "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION", "REKNIT_WEBHOOK_SECRET",
    "REKNIT_SERVE_CLIENT_SECRET",
)  # fmt: skip


@dataclass(frozen=True)
class ConfigFile:
    """A configuration file that was read."""

    path: Path
    table: Mapping[str, Any]
    is_repository: bool
    folder: str = ""
    """Folder of the project, below the repository's top folder; empty for other files."""

    @property
    def name(self) -> str:
        return str(Path(self.folder, self.path.name))


def find_project_file(repository: Path, folder: str) -> ConfigFile | None:
    """Read `reknit.toml` in the folder of a project, if there is one."""
    path = repository / folder / "reknit.toml"
    if not folder or not path.is_file():
        return None
    file = ConfigFile(path, _read_toml(path, folder), is_repository=True, folder=folder)
    _refuse_depth(file)
    return file


def find_config_files(repository: Path | None, environment: Mapping[str, str]) -> list[ConfigFile]:
    """Read the configuration files, highest precedence first.

    `reknit.toml` comes before `[tool.reknit]` in pyproject.toml, and the user's own file comes last.
    """
    files = []
    if repository:
        if (path := repository / "reknit.toml").is_file():
            files.append(ConfigFile(path, _read_toml(path), is_repository=True))
        elif (path := repository / "pyproject.toml").is_file():
            tool = _read_toml(path).get("tool", {})
            table = tool.get("reknit", {}) if isinstance(tool, dict) else {}
            if not isinstance(table, dict):
                raise UsageError("config", "`tool.reknit` is not a table", where=path.name)
            files += [ConfigFile(path, table, is_repository=True)] if table else []
    path = locate_user_file(environment)
    if (configured_path := environment.get("REKNIT_CONFIG")) and not path.is_file():
        raise UsageError("config", f"REKNIT_CONFIG names {configured_path!r}, which is not a file")
    if path.is_file():
        files.append(ConfigFile(path, _read_toml(path), is_repository=False))
    for file in files:
        _refuse_depth(file)
    return files


def locate_user_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the user's own configuration, whether it exists or not."""
    configured_path = environment.get("REKNIT_CONFIG")
    return (
        Path(configured_path)
        if configured_path
        else platformdirs.user_config_path("reknit", appauthor=False) / "config.toml"
    )


def _read_toml(path: Path, folder: str = "") -> dict[str, Any]:
    """Read a TOML file. `folder`: the folder of the project that has this file."""
    location = posixpath.join(folder, path.name)
    try:
        return tomllib.loads(read_plain_text(path))
    except ValueError as problem:  # also text that is not UTF-8, or a number with thousands of digits
        raise UsageError("config", f"not valid TOML: {problem}", where=location) from None
    except OSError as problem:
        raise UsageError("config", f"cannot be read: {problem.strerror}", where=location) from None
    except RecursionError:
        raise UsageError("config", "its values are nested too deeply", where=location) from None


def _refuse_depth(file: ConfigFile) -> None:
    """Refuse deep nesting. This goes level by level, because later code walks the values recursively."""
    level: list[Any] = [file.table]
    for _ in range(_DEEPEST):
        level = [value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer)]
        level = [value for value in level if isinstance(value, dict | list)]
    if level:
        raise UsageError("config", "its values are nested too deeply", where=file.path.name)


def read_environment(environment: Mapping[str, str], model: type[BaseModel]) -> dict[str, Any]:
    """Return `REKNIT_LOOP__ATTEMPTS=2` as `{"loop": {"attempts": "2"}}`; lists and whole tables are JSON."""
    tables = []
    for name in sorted(environment):  # `REKNIT_LOOP` before `REKNIT_LOOP__ATTEMPTS`, which is more precise
        if name.upper().startswith("REKNIT_") and name not in OUTSIDE_THE_FILE:
            path = name.removeprefix("REKNIT_").lower().split("__")
            if path[0] == "gate":
                message = f"{name}: what the gate accepts cannot be set in the environment"
                raise UsageError(
                    "config", message, help="use `--allow RULE:PATH`, or `[[gate.allow]]` in your own file"
                )
            table = find_table_model(model, path[:-1])
            field = table.model_fields.get(path[-1]) if table and _VARIABLE.fullmatch(name) else None
            if field is None:
                raise _unknown_variable_problem(name, model)
            value = _parse_value(name, environment[name], field)
            for key in reversed(path):
                value = {key: value}
            tables.append(value)
    return merge_tables(tables)


def _parse_value(name: str, text: str, field: FieldInfo) -> Any:
    structures = [option for option in (field.annotation, *typing.get_args(field.annotation)) if _is_structured(option)]
    if not structures:
        return text
    try:
        return json.loads(text)
    except ValueError:
        if field.annotation not in structures:  # it may also be text
            return text
        hint = "a table or list is written as JSON; `REKNIT_LOOP__ATTEMPTS` sets `loop.attempts`"
        got = "" if name.startswith("REKNIT_NOTIFY") else f" (got {text!r})"  # an address may contain a secret
        raise UsageError("config", f"{name}: not valid JSON{got}", where="environment", help=hint) from None


def _is_structured(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (tuple, dict) or get_table_model(annotation)[0] is not None


def _unknown_variable_problem(name: str, model: type[BaseModel]) -> UsageError:
    known_variables = [*OUTSIDE_THE_FILE, *("REKNIT_" + "__".join(path).upper() for path, _ in list_settings(model))]
    near = difflib.get_close_matches(name.upper(), known_variables, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "REKNIT_LOOP__ATTEMPTS sets loop.attempts"
    return UsageError("config", f"unknown setting `{name}` in the environment", help=hint)


def merge_tables(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge tables, lowest precedence first: later ones override earlier ones, setting by setting."""
    result: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            old = result.get(key, {})
            is_table = isinstance(old, Mapping) and isinstance(value, Mapping)
            result[key] = merge_tables((old, value)) if is_table else value
    return result
