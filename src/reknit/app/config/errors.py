"""Explains configuration errors: which setting, on which line, and what was probably meant."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from reknit.adapters.files.regular_files import read_plain_text
from reknit.app.config.sources import ConfigFile, find_settings, find_table_model
from reknit.core.errors import UsageError

OPTIONS = {
    "loop.budget_usd": "--budget", "loop.attempts": "--attempts", "loop.max_iterations": "--max-iterations",
    "issues.per_run": "--limit", "vote.agents": "--agents", "fixer": "--agent", "box": "--box",
}  # fmt: skip
"""The command-line option that sets each of these settings."""


def combine_problems(problems: Sequence[UsageError]) -> UsageError:
    """Return one error that names all of them, so that they can be corrected together."""
    if len(problems) == 1:
        return problems[0]
    lines = (f"  {': '.join(filter(None, (problem.where, problem.message)))}" for problem in problems)
    return UsageError("config", "\n".join((f"{len(problems)} settings are wrong:", *lines)))


def explain_error(
    error: Any, files: Sequence[ConfigFile], model: type[BaseModel],
    flags: Mapping[str, Any] | None = None, variables: Mapping[str, Any] | None = None,
) -> UsageError:  # fmt: skip
    """Return a validation error as a problem that names the setting and its line.

    `flags`, `variables`: the settings of the command line and of the environment, nested like a file.
    """
    path = [str(part) for part in error["loc"]]
    name, location = ".".join(path), ""
    if _has_setting(flags, path):
        name = OPTIONS.get(name, name)
    elif _has_setting(variables, path):
        name = f"REKNIT_{'__'.join(path).upper()}"
    else:
        location = next((locate_setting(file, path) for file in files if _has_setting(file.table, path)), "")
    if error["type"] == "tuple_type":
        message = f"{name}: expected a list, such as [{error['input']!r}]"
        return UsageError("config", message, where=location, help="in an environment variable: a JSON list")
    if error["type"] != "extra_forbidden":
        message = error["msg"].removeprefix("Value error, ")
        if path[0] == "notify":  # an address may contain a secret
            return UsageError("config", f"{name}: {message}", where=location)
        got = list(error["input"]) if isinstance(error["input"], tuple) else error["input"]
        return UsageError("config", f"{name}: {message} (got {got!r})", where=location)
    return unknown_setting_problem(path, model, location)


def find_unknown_settings(
    table: Mapping[str, Any], model: type[BaseModel], file: ConfigFile | None = None
) -> Iterator[UsageError]:
    """Find settings with unknown names.

    Validation rejects them too, but a library may accept another spelling of a name.
    """
    for setting in find_settings(table, model):
        if setting.field is None:
            yield unknown_setting_problem(setting.path, model, locate_setting(file, setting.path))


def unknown_setting_problem(path: Sequence[str], model: type[BaseModel], location: str) -> UsageError:
    """Return the problem for an unknown setting, with the nearest known name as a hint."""
    table = find_table_model(model, path[:-1])
    near = difflib.get_close_matches(path[-1].lower(), list(table.model_fields) if table else (), n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`reknit config show` lists every setting"
    return UsageError("config", f"unknown setting `{join_name(path)}`", where=location, help=hint)


def _has_setting(table: Any, path: list[str]) -> bool:
    for part in path:
        inner = dict(enumerate(table)) if isinstance(table, list) else table
        key = int(part) if isinstance(table, list) and part.isdigit() else part
        if not isinstance(inner, Mapping) or key not in inner:
            return False
        table = inner[key]
    return True


def join_name(path: Sequence[str]) -> str:
    """Return the name of a setting as people write it: `loop.attempts`."""
    return ".".join(path)


def locate_setting(file: ConfigFile | None, path: Sequence[str]) -> str:
    """Return `FILE:LINE` of a setting, or the file's name if the line is not found.

    tomllib gives no line numbers, so this looks for the key inside its own table, or for the table of that name.
    """
    if file is None:
        return ""
    prefix = ["tool", "reknit"] if file.path.name == "pyproject.toml" else []
    setting_path, table = [*prefix, *path], list[str]()
    for number, line in enumerate(read_plain_text(file.path).splitlines(), 1):
        text = line.strip()
        is_header = text.startswith("[")
        if is_header:
            table = [part.strip().strip('"') for part in text.strip("[]").split(".")]
        if (is_header and table[: len(setting_path)] == setting_path) or [
            *table,
            text.split("=")[0].strip(),
        ] == setting_path:
            return f"{file.name}:{number}"
    return file.name
