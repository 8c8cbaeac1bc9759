"""The configuration: defaults < user file < repository file < environment < flags. Merged and checked once."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from reknit.app.config_errors import (
    ConfigFile,
    explained,
    refuse_foreign_program,
    refuse_operator_settings,
    refuse_raised_budget,
    refuse_raised_limits,
    refuse_softer_judge,
    refuse_unknown_variables,
)
from reknit.app.config_issues import BatchPart, ChallengerPart, IssuesPart, VotePart
from reknit.app.config_parts import AgentPart, ChecksPart, ForgePart, LoopPart, PullLoopPart, WorkspacePart
from reknit.core.errors import UsageProblem
from reknit.core.issue import Kind
from reknit.core.limits import IssueLimits, Limits, PullLimits, VoteLimits
from reknit.core.routing import kind_of

_DEEPEST = 10
"""Tables and lists inside each other; no setting needs half of it."""


class Config(BaseSettings):
    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix="REKNIT_",
        env_nested_delimiter="__",
        nested_model_default_partial_update=True,
    )

    fixer: str = Field(default="claude", description="the agent that edits the code")
    fallback: tuple[str, ...] = Field(
        default=(), description="agents that take over, in this order, while a provider says `not now`"
    )
    box: str = Field(default="bubblewrap", description="where agents and tests run; `host` has no walls")
    agents: dict[str, AgentPart] = {}
    loop: PullLoopPart = PullLoopPart()
    checks: ChecksPart = ChecksPart()
    forge: ForgePart = ForgePart()
    workspace: WorkspacePart = WorkspacePart()
    batch: BatchPart = BatchPart()
    issues: IssuesPart = IssuesPart()
    challenger: ChallengerPart = ChallengerPart()
    vote: VotePart = VotePart()

    def limits(self) -> Limits:
        return Limits(**{name: getattr(self.loop, name) for name in LoopPart.model_fields})

    def pull_limits(self) -> PullLimits:
        own = {
            name: getattr(self.loop, name) for name in PullLoopPart.model_fields if name not in LoopPart.model_fields
        }
        of_ci = {f"ci_{name}": value for name, value in self.checks.ci.model_dump(exclude={"reruns"}).items()}
        return PullLimits(iterations=own.pop("max_iterations"), reruns=self.checks.ci.reruns, **own, **of_ci)

    def issue_limits(self) -> IssueLimits:
        return IssueLimits(
            batch_points=self.batch.points,
            batch_issues=self.batch.issues,
            per_run=self.issues.per_run,
            rounds=self.challenger.max_iterations,
            threshold_0_100=self.challenger.satisfaction_threshold,
            challenger_tries=self.challenger.tries,
        )

    def vote_limits(self) -> VoteLimits:
        return VoteLimits(approve_0_100=self.vote.approve, tries=self.vote.tries)

    def kind_of(self, path: str) -> Kind:
        return kind_of(path, self.issues.backend, self.issues.frontend)


def load(repository: Path | None, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Config:
    refuse_unknown_variables(environment, Config)
    files = config_files(repository, environment)
    for file in files:
        if file.is_repository:
            refuse_operator_settings(file)
            refuse_foreign_program(file)
            refuse_raised_limits(file, files)
    try:
        config, own = _merged(files, flags), _merged([file for file in files if not file.is_repository], flags)
        refuse_raised_budget(config.loop.budget_usd, own.loop.budget_usd, files)
        refuse_softer_judge(config.model_dump(), own.model_dump(), files)
        return config
    except ValidationError as problem:
        raise explained(problem.errors()[0], files, Config, flags) from None
    except SettingsError as problem:  # an environment variable that should hold a table
        raise UsageProblem(
            "config", f"environment: {problem}", help="`REKNIT_LOOP__ATTEMPTS` sets `loop.attempts`"
        ) from None


def config_files(repository: Path | None, environment: Mapping[str, str]) -> list[ConfigFile]:
    """Strongest first: `reknit.toml` before `[tool.reknit]` in pyproject.toml, then the user's own file."""
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
    given = environment.get("REKNIT_CONFIG")
    path = Path(given) if given else platformdirs.user_config_path("reknit", appauthor=False) / "config.toml"
    if given and not path.is_file():
        raise UsageProblem("config", f"REKNIT_CONFIG names {given!r}, which is no file")
    if path.is_file():
        found.append(ConfigFile(path, _read(path), is_repository=False))
    for file in found:
        _refuse_depth(file)
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as problem:  # also a text that is not UTF-8, and a number with thousands of digits
        raise UsageProblem("config", f"not valid TOML: {problem}", where=path.name) from None
    except RecursionError:
        raise UsageProblem("config", "its values are nested too deeply", where=path.name) from None


def _refuse_depth(file: ConfigFile) -> None:
    """Level by level, because what walks a value later does so by recursion."""
    level: list[Any] = [file.table]
    for _ in range(_DEEPEST):
        level = [value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer)]
        level = [value for value in level if isinstance(value, dict | list)]
    if level:
        raise UsageProblem("config", "its values are nested too deeply", where=file.path.name)


def _merged(files: list[ConfigFile], flags: Mapping[str, Any]) -> Config:
    class Merged(Config):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            *_others: PydanticBaseSettingsSource,
            **_named: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            tables = [InitSettingsSource(settings_cls, dict(file.table)) for file in files]
            return (init_settings, env_settings, *tables)

    return Merged(**flags)
