"""Explains configuration errors: which setting, on which line, and what was probably meant."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from reknit.adapters.files.regular_files import read_plain_text
from reknit.app.config import schema as config_schema
from reknit.app.config.sources import ConfigFile
from reknit.core.errors import UsageProblem

OPTIONS = {
    "loop.budget_usd": "--budget", "loop.attempts": "--attempts", "loop.max_iterations": "--max-iterations",
    "issues.per_run": "--limit", "vote.agents": "--agents", "fixer": "--agent", "box": "--box",
}  # fmt: skip
"""Setting -> the command-line option that sets it."""


def combined(problems: Sequence[UsageProblem]) -> UsageProblem:
    """One error that names all of them, so that they can be corrected together."""
    if len(problems) == 1:
        return problems[0]
    lines = (f"  {': '.join(filter(None, (problem.where, problem.what)))}" for problem in problems)
    return UsageProblem("config", "\n".join((f"{len(problems)} settings are wrong:", *lines)))


def explained(
    error: Any, files: Sequence[ConfigFile], model: type[BaseModel],
    flags: Mapping[str, Any] | None = None, variables: Mapping[str, Any] | None = None,
) -> UsageProblem:  # fmt: skip
    """`flags`, `variables`: what the command line and the environment set, nested like a file."""
    path = [str(part) for part in error["loc"]]
    name, where = ".".join(path), ""
    if _has(flags, path):
        name = OPTIONS.get(name, name)
    elif _has(variables, path):
        name = f"REKNIT_{'__'.join(path).upper()}"
    else:
        where = next((line_of(file, path) for file in files if _has(file.table, path)), "")
    if error["type"] == "tuple_type":
        what = f"{name}: expected a list, such as [{error['input']!r}]"
        return UsageProblem("config", what, where=where, help="in an environment variable: a JSON list")
    if error["type"] != "extra_forbidden":
        said = error["msg"].removeprefix("Value error, ")
        got = list(error["input"]) if isinstance(error["input"], tuple) else error["input"]
        return UsageProblem("config", f"{name}: {said} (got {got!r})", where=where)
    return unknown_setting(path, model, where)


def unknown_settings(
    table: Mapping[str, Any], model: type[BaseModel], file: ConfigFile | None = None
) -> Iterator[UsageProblem]:
    """Validation would reject them too, but a library may accept another spelling of a name."""
    for setting in config_schema.given(table, model):
        if setting.field is None:
            yield unknown_setting(setting.path, model, line_of(file, setting.path))


def unknown_setting(path: Sequence[str], model: type[BaseModel], where: str) -> UsageProblem:
    table = config_schema.table_at(model, path[:-1])
    near = difflib.get_close_matches(path[-1].lower(), list(table.model_fields) if table else (), n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`reknit config show` lists every setting"
    return UsageProblem("config", f"unknown setting `{dotted(path)}`", where=where, help=hint)


def _has(table: Any, path: list[str]) -> bool:
    for part in path:
        inner = dict(enumerate(table)) if isinstance(table, list) else table
        key = int(part) if isinstance(table, list) and part.isdigit() else part
        if not isinstance(inner, Mapping) or key not in inner:
            return False
        table = inner[key]
    return True


def dotted(path: Sequence[str]) -> str:
    return ".".join(path)


def line_of(file: ConfigFile | None, path: Sequence[str]) -> str:
    """tomllib gives no line numbers: look for the key inside its own table, or for the table of that name."""
    if file is None:
        return ""
    prefix = ["tool", "reknit"] if file.path.name == "pyproject.toml" else []
    wanted, table = [*prefix, *path], list[str]()
    for number, line in enumerate(read_plain_text(file.path).splitlines(), 1):
        text = line.strip()
        is_header = text.startswith("[")
        if is_header:
            table = [part.strip().strip('"') for part in text.strip("[]").split(".")]
        if (is_header and table[: len(wanted)] == wanted) or [*table, text.split("=")[0].strip()] == wanted:
            return f"{file.name}:{number}"
    return file.name
