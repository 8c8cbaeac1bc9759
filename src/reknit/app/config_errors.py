"""Explains what is wrong in a configuration: which setting, in which line, and what was probably meant."""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from reknit.adapters.boxes.prefixes import is_below, is_system
from reknit.core.errors import UsageProblem
from reknit.core.user_command import parse_user_command

OPERATOR_ONLY = (
    "box",
    "agents.*.kind",
    "agents.*.story",
    "agents.*.binary",
    "agents.*.command",
    "agents.*.upstream",
    "agents.*.provider",
    "agents.*.key_env",
    "agents.*.env",
    "workspace.show",
    "forge.kind",
    "forge.api",
    "forge.remote",
    "forge.token_env",
)
"""What a repository may not decide: it could pose as an agent, send the key elsewhere, show a host path, or leave the
box."""

OPTIONS = {
    "loop.budget_usd": "--budget", "loop.attempts": "--attempts", "loop.max_iterations": "--max-iterations",
    "issues.per_run": "--limit", "vote.agents": "--agents", "fixer": "--agent", "box": "--box",
}  # fmt: skip
"""What a person typed to set it."""

LIMITED = ("loop", "batch", "issues", "challenger", "vote")
"""Tables whose numbers are limits."""
JUDGES = (("challenger", "enabled"), ("challenger", "satisfaction_threshold"), ("vote", "approve"))
"""Where less is laxer."""

OUTSIDE_THE_FILE = (
    "REKNIT_STATE", "REKNIT_DATABASE", "REKNIT_CONFIG", "REKNIT_PRICES", "REKNIT_GITHUB_APP_ID",
    "REKNIT_GITHUB_APP_KEY", "REKNIT_GITHUB_INSTALLATION", "REKNIT_WEBHOOK_SECRET",
)  # fmt: skip


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


def refuse_unknown_variables(environment: Mapping[str, str], model: type[BaseModel]) -> None:
    known = [*OUTSIDE_THE_FILE, *(f"REKNIT_{name.upper()}" for name in model.model_fields)]
    for name in environment:
        if name.startswith("REKNIT_") and name.partition("__")[0] not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "REKNIT_LOOP__ATTEMPTS sets loop.attempts"
            raise UsageProblem("config", f"unknown setting `{name}` in the environment", help=hint)


def refuse_raised_limits(file: ConfigFile, files: list[ConfigFile]) -> None:
    """A limit that a person set in their own file is a ceiling for every repository."""
    for own in (other for other in files if not other.is_repository):
        for table in LIMITED:
            for key, ceiling in _numbers(_section(own.table, table)).items():
                wanted = _numbers(_section(file.table, table)).get(key, ceiling)
                if wanted > ceiling and (table, key) not in JUDGES:
                    what = f"{table}.{key} = {wanted} is above the {ceiling} of your own {own.path.name}"
                    raise UsageProblem("config", what, where=_where(file, [table, key]), help="raise it there first")


def refuse_softer_judge(config: Mapping[str, Any], own: Mapping[str, Any], files: list[ConfigFile]) -> None:
    """`own`: what holds without the repository's file, be it only the default."""
    for table, key in JUDGES:
        wanted, least = config[table][key], own[table][key]
        if wanted < least:
            where = next((_where(file, [table, key]) for file in files if file.is_repository), "")
            words = f"{json.dumps(wanted)} is laxer than {json.dumps(least)}"
            what = f"{table}.{key} = {words}, and a repository may only make it stricter"
            raise UsageProblem("config", what, where=where, help="set it in your own config file")


def refuse_raised_budget(config: float, own: float, files: list[ConfigFile]) -> None:
    """`own`: what holds without the repository's file, be it only the default. Money is never the repository's word."""
    if config <= own:
        return
    where = next((_where(file, ["loop", "budget_usd"]) for file in files if file.is_repository), "")
    what = f"loop.budget_usd = {config} is above {own}, and a repository may only lower it"
    raise UsageProblem("config", what, where=where, help="raise it in your own config file or with --budget")


def refuse_foreign_program(file: ConfigFile) -> None:
    """The box shows the folder of the test program: a repository could choose a folder of another project."""
    run = _section(_section(file.table, "checks"), "tests").get("run")
    program = _program(run) if isinstance(run, str) else ""
    if "/" not in program:
        return
    repository = file.path.parent.absolute()
    at = os.path.normpath(repository / program)
    if is_below(at, str(repository)) or (is_system(at) and ".." not in Path(program).parts):
        return
    what = f"`checks.tests.run` of a repository may not name {program!r}, a program outside of it"
    fix = "name a program on PATH, or set it in your own config file"
    raise UsageProblem("config", what, where=_where(file, ["checks", "tests", "run"]), help=fix)


def _program(run: str) -> str:
    try:
        return parse_user_command(run).argv[0]
    except ValueError:
        return ""  # explained where the command is put together


def _section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name)
    return found if isinstance(found, Mapping) else {}


def _numbers(table: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in table.items() if type(value) in (int, float)}


def _matches(table: Any, parts: list[str]) -> list[str]:
    if not isinstance(table, Mapping):
        return []
    first, rest = parts[0], parts[1:]
    keys = list(table) if first == "*" else [first] if first in table else []
    if not rest:
        return keys
    return [f"{key}.{tail}" for key in keys for tail in _matches(table[key], rest)]


def explained(
    error: Any, files: list[ConfigFile], model: type[BaseModel], flags: Mapping[str, Any] | None = None
) -> UsageProblem:
    path = [str(part) for part in error["loc"]]
    name, where = ".".join(path), ""
    if _has(flags, path):
        name = OPTIONS.get(name, name)
    else:
        where = next((_where(file, path) for file in files if _has(file.table, path)), "")
    if error["type"] == "tuple_type":
        what = f"{name}: expected a list, such as [{error['input']!r}]"
        return UsageProblem("config", what, where=where, help="in a variable: a JSON list")
    if error["type"] != "extra_forbidden":
        said = error["msg"].removeprefix("Value error, ")
        got = list(error["input"]) if isinstance(error["input"], tuple) else error["input"]
        return UsageProblem("config", f"{name}: {said} (got {got!r})", where=where)
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
