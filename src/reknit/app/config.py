"""The configuration: defaults < user file < repository file < environment < flags. Merged and checked once."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError
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
    refuse_unknown_variables,
)
from reknit.core.errors import UsageProblem
from reknit.core.limits import Limits

_DAY_S = 86_400
_DEEPEST = 10
"""Tables and lists inside each other; no setting needs half of it."""


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentPart(Part):
    kind: str = Field(
        default="",
        description="adapter: claude, gemini, codex, scripted or any_command; by default the agent's own name",
    )
    model: str = Field(default="", description="the vendor's name of the model; empty: the CLI's own default")
    thinking_budget: int = Field(
        default=0, ge=0, le=1_000_000, description="tokens to think with; 0: 20,000 for a fixer, 10,000 for a reviewer"
    )
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = Field(
        default="", description="claude, codex: the CLI's own word for it, in place of thinking_budget"
    )
    binary: str = Field(default="", description="path of the program; by default found on PATH")
    command: tuple[str, ...] = Field(
        default=(), description="any_command: the program and its arguments; the prompt is on stdin"
    )
    upstream: str = Field(default="", description="the one address the model gateway may reach")
    provider: Literal["", "anthropic", "gemini", "openai", "openai_chat"] = Field(
        default="", description="any_command: the wire format its model speaks; empty: anthropic"
    )
    key_env: str = Field(default="", description="name of the environment variable that holds the key")
    env: dict[str, str] = Field(
        default={}, description="any_command: environment in the box; {gateway} and {token} are filled in"
    )
    story: str = Field(default="", description="scripted: JSON list with one move an attempt")


class LoopPart(Part):
    attempts: Annotated[int, Field(ge=1, le=10, description="on one finding: local, search, deep; then DEFERRED")] = (
        Limits.attempts
    )
    budget_usd: Annotated[
        float,
        Field(gt=0, le=1000, description="dollars a run may spend (a repository may only lower it); then OVER_BUDGET"),
    ] = Limits.budget_usd
    timeout_s: Annotated[
        float, Field(gt=0, le=7 * _DAY_S, description="working time of a run, waits left out; then EXHAUSTED")
    ] = Limits.timeout_s
    agent_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="the longest agent call")] = Limits.agent_wall_s
    agent_idle_s: Annotated[float, Field(gt=0, le=_DAY_S, description="an agent silent for so long is ended")] = (
        Limits.agent_idle_s
    )
    agent_turns: Annotated[int, Field(ge=1, le=1000, description="turns of one agent call")] = Limits.agent_turns
    test_wall_s: Annotated[float, Field(gt=0, le=_DAY_S, description="the longest test run")] = Limits.test_wall_s
    waits: Annotated[int, Field(ge=0, le=1000, description="waits for a provider in one run; then BLOCKED")] = (
        Limits.waits
    )
    wait_s: Annotated[
        float, Field(gt=0, le=_DAY_S, description="the first wait when the provider names no time; doubles")
    ] = Limits.wait_s
    patience_s: Annotated[
        float,
        Field(ge=0, le=_DAY_S, description="a longer wait is not waited out while an agent of `fallback` is ready"),
    ] = Limits.patience_s
    idles: Annotated[
        int,
        Field(ge=0, le=10, description="silent calls on one finding that changed nothing, before they use up attempts"),
    ] = Limits.idles
    changed_files: Annotated[int, Field(ge=1, le=1000, description="files one fix may change")] = Limits.changed_files
    changed_lines: Annotated[int, Field(ge=1, le=100_000, description="lines one fix may change")] = (
        Limits.changed_lines
    )


class TestsPart(Part):
    __test__ = False
    run: str = Field(default="", description="the test command; by default found in the repository")
    report: str = Field(
        default="", description="glob of the JUnit files the command writes; empty: judged by its exit code"
    )


class ChecksPart(Part):
    tests: TestsPart = TestsPart()


class WorkspacePart(Part):
    carry: tuple[str, ...] | Literal["auto"] = Field(
        default="auto", description="ignored entries the box shows read-only"
    )
    setup: str = Field(default="", description="a command run in every fresh tree, in the box, before agent or tests")
    show: tuple[str, ...] = Field(default=(), description="further host paths the box may read")


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
    loop: LoopPart = LoopPart()
    checks: ChecksPart = ChecksPart()
    workspace: WorkspacePart = WorkspacePart()

    def limits(self) -> Limits:
        return Limits(**self.loop.model_dump())


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
        return config
    except ValidationError as problem:
        raise explained(problem.errors()[0], files, Config) from None
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
