"""Limits the settings of a repository's own file: only the operator sets those that are not listed here.

Checked twice: by the names in the file, and by the changed values, in case a name was read in another way.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from reknit.adapters.box.bubblewrap.prefixes import is_below, is_system
from reknit.app.config.errors import join_name, locate_setting
from reknit.app.config.sources import ConfigFile, Setting, SettingPath, find_settings, list_effective_settings
from reknit.core.errors import UsageError
from reknit.core.projects.detect import parse_user_command
from reknit.core.services.service import parse_program

Bound = Literal["any value", "not above your own", "only lower", "only stricter", "its own programs"]

_LISTS: dict[Bound, tuple[str, ...]] = {
    "any value": (
        "fixer", "fallback", "setup", "projects.*.setup",
        "agents.*.model", "agents.*.thinking_budget", "agents.*.effort",
        "checks.tests.report", "projects.*.folder", "projects.*.tests.report",
        "services.*.ready", "services.*.ready_s", "services.*.env",
        "projects.*.services.*.ready", "projects.*.services.*.ready_s", "projects.*.services.*.env",
        "checks.ci.wait_s", "checks.ci.watch_s", "checks.ci.patience_s", "checks.ci.grace_s",
        "checks.ci.required_only", "checks.ci.reruns", "checks.review.agent", "checks.review.reviewers",
        "forge.comment",
        "workspace.carry", "workspace.setup",
        "issues.backend", "issues.frontend",
        "challenger.agent", "challenger.model",
        "vote.agents",
        "review.agent",
        "plan.agent", "plan.model",
        "gate.forbid",
    ),
    "not above your own": (
        "loop.attempts", "loop.timeout_s", "loop.agent_wall_s", "loop.agent_idle_s", "loop.agent_turns",
        "loop.test_wall_s", "loop.waits", "loop.wait_s", "loop.patience_s", "loop.idles",
        "loop.changed_files", "loop.changed_lines",
        "loop.max_iterations", "loop.stall_after", "loop.fruitless", "loop.blocking_only_after",
        "loop.churn_share", "loop.churn_rounds", "loop.flat_rounds", "loop.grown_source", "loop.grown_tests",
        "loop.error_retries", "loop.pushes", "loop.hops",
        "batch.points", "batch.issues", "issues.per_run",
        "challenger.max_iterations", "challenger.thinking_budget", "challenger.tries",
        "vote.tries",
    ),
    "only lower": ("loop.budget_usd",),
    "only stricter": (
        "challenger.enabled", "challenger.satisfaction_threshold", "vote.approve", "issues.tool_fixes",
        "plan.min_confidence",
    ),
    "its own programs": (
        "checks.tests.run", "projects.*.tests.run", "services.*.run", "projects.*.services.*.run",
    ),
}  # fmt: skip

REPOSITORY_MAY_SET: Mapping[str, Bound] = {name: bound for bound, names in _LISTS.items() for name in names}


def find_refused_names(file: ConfigFile, model: type[BaseModel]) -> Iterator[UsageError]:
    """Find the settings of this file that a repository may not set."""
    for setting in find_settings(file.table, model):
        if join_name(setting.name) not in REPOSITORY_MAY_SET:
            yield _operator_only_problem(setting.path, file)


def refuse_changed_values(config: BaseModel, own: BaseModel, files: Sequence[ConfigFile]) -> None:
    """Raise if the repository's file changes a value in a way that it may not.

    `own`: the configuration without the repository's file.
    """
    repository = next((file for file in files if file.is_repository), None)
    capped = {
        setting.path: file
        for file in files
        if not file.is_repository
        for setting in find_settings(file.table, type(config))
    }
    before = {setting.path: setting.value for setting in list_effective_settings(own)}
    for setting in list_effective_settings(config):
        without = before.pop(setting.path, _get_default(setting))
        if setting.value != without:
            _refuse_change(setting, without, repository, capped.get(setting.path))
    if before:
        raise _operator_only_problem(next(iter(before)), repository)


def _get_default(setting: Setting) -> Any:
    return setting.field.get_default(call_default_factory=True) if setting.field else None


def _refuse_change(setting: Setting, own: Any, repository: ConfigFile | None, capped_by: ConfigFile | None) -> None:
    name, value = join_name(setting.path), setting.value
    message, hint = "", "set it in your own config file"
    match REPOSITORY_MAY_SET.get(join_name(setting.name)):
        case "not above your own" | "only lower" if capped_by and value > own:
            message = f"{name} = {value} is above the {own} in your own {capped_by.path.name}"
            hint = "raise it there first"
        case "only lower" if value > own:
            message = f"{name} = {value} is above {own}, and a repository may only lower it"
            hint = "raise it in your own config file or with --budget"
        case "only stricter" if value < own:
            words = f"{json.dumps(value)} is laxer than {json.dumps(own)}"
            message = f"{name} = {words}, and a repository may only make it stricter"
        case "its own programs" if repository:
            refuse_program_outside(setting, repository, repository.path.parent)
        case None:
            raise _operator_only_problem(setting.path, repository)
    if message:
        raise UsageError("config", message, where=locate_setting(repository, setting.path), help=hint)


def _operator_only_problem(path: SettingPath, file: ConfigFile | None) -> UsageError:
    message = f"`{join_name(path)}` may not be set by a repository"
    return UsageError("config", message, where=locate_setting(file, path), help="set it in your own config file")


def _find_program(setting: Setting) -> str:
    """Return the program of a command; empty if the box need not show one, or if the command is invalid."""
    if "services" in setting.name:
        return parse_program(setting.value)
    try:
        return parse_user_command(setting.value).argv[0]
    except ValueError:
        return ""


def refuse_program_outside(setting: Setting, file: ConfigFile, repository: Path) -> None:
    """Refuse a test program outside the repository.

    The box exposes the folder of the test program, so a repository could expose the folder of another project.
    """
    program = _find_program(setting)
    at = os.path.normpath(repository.absolute() / program)
    is_inside = is_below(at, str(repository.absolute())) or (is_system(at) and ".." not in Path(program).parts)
    if "/" in program and not is_inside:
        message = f"`{join_name(setting.path)}` in a repository's file may not name {program!r}"
        hint = "name a program on PATH, or set it in your own config file"
        raise UsageError(
            "config",
            f"{message}, a program outside the repository",
            where=locate_setting(file, setting.path),
            help=hint,
        )
