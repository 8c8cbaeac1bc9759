"""What a repository's own file may set. Only the operator sets the rest: a new setting is refused until listed here.

Checked twice: by the names in the file, and by its effect on the configuration, however it was read.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from reknit.adapters.box.bubblewrap.prefixes import is_below, is_system
from reknit.app.config import schema as config_schema
from reknit.app.config.errors import dotted, line_of
from reknit.app.config.schema import Setting
from reknit.app.config.sources import ConfigFile
from reknit.core.errors import UsageProblem
from reknit.core.services.service import program_of
from reknit.core.testing.command_line import parse_user_command

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


def refused_by_name(file: ConfigFile, model: type[BaseModel]) -> Iterator[UsageProblem]:
    for setting in config_schema.given(file.table, model):
        if dotted(setting.name) not in REPOSITORY_MAY_SET:
            yield _operators(setting.path, file)


def refuse_by_effect(config: BaseModel, own: BaseModel, files: Sequence[ConfigFile]) -> None:
    """`own`: the configuration without the repository's file. Each difference must be one the repository may make."""
    repository = next((file for file in files if file.is_repository), None)
    capped = {
        setting.path: file
        for file in files
        if not file.is_repository
        for setting in config_schema.given(file.table, type(config))
    }
    before = {setting.path: setting.value for setting in config_schema.in_force(own)}
    for setting in config_schema.in_force(config):
        without = before.pop(setting.path, _default(setting))
        if setting.value != without:
            _refuse_change(setting, without, repository, capped.get(setting.path))
    if before:
        raise _operators(next(iter(before)), repository)


def _default(setting: Setting) -> Any:
    return setting.field.get_default(call_default_factory=True) if setting.field else None


def _refuse_change(setting: Setting, own: Any, repository: ConfigFile | None, capped_by: ConfigFile | None) -> None:
    name, wanted = dotted(setting.path), setting.value
    what, hint = "", "set it in your own config file"
    match REPOSITORY_MAY_SET.get(dotted(setting.name)):
        case "not above your own" | "only lower" if capped_by and wanted > own:
            what = f"{name} = {wanted} is above the {own} in your own {capped_by.path.name}"
            hint = "raise it there first"
        case "only lower" if wanted > own:
            what = f"{name} = {wanted} is above {own}, and a repository may only lower it"
            hint = "raise it in your own config file or with --budget"
        case "only stricter" if wanted < own:
            words = f"{json.dumps(wanted)} is laxer than {json.dumps(own)}"
            what = f"{name} = {words}, and a repository may only make it stricter"
        case "its own programs" if repository:
            refuse_program_outside(setting, repository, repository.path.parent)
        case None:
            raise _operators(setting.path, repository)
    if what:
        raise UsageProblem("config", what, where=line_of(repository, setting.path), help=hint)


def _operators(path: config_schema.Path, file: ConfigFile | None) -> UsageProblem:
    what = f"`{dotted(path)}` may not be set by a repository"
    return UsageProblem("config", what, where=line_of(file, path), help="set it in your own config file")


def _program(setting: Setting) -> str:
    """Empty: none that the box would have to show, or an error that is reported where the command is built."""
    if "services" in setting.name:
        return program_of(setting.value)
    try:
        return parse_user_command(setting.value).argv[0]
    except ValueError:
        return ""


def refuse_program_outside(setting: Setting, file: ConfigFile, repository: Path) -> None:
    """The box exposes the folder of the test program, so a repository could pick a folder of another project."""
    program = _program(setting)
    at = os.path.normpath(repository.absolute() / program)
    is_inside = is_below(at, str(repository.absolute())) or (is_system(at) and ".." not in Path(program).parts)
    if "/" in program and not is_inside:
        what = f"`{dotted(setting.path)}` in a repository's file may not name {program!r}"
        hint = "name a program on PATH, or set it in your own config file"
        raise UsageProblem(
            "config", f"{what}, a program outside the repository", where=line_of(file, setting.path), help=hint
        )
