"""Loads the configuration: defaults < user file < repository file < environment < flags, merged and checked once."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from reknit.adapters.git.review_range import repository_around
from reknit.app.config.capability_sections import (
    BatchSection,
    ChallengerSection,
    GateSection,
    IssuesSection,
    PlanSection,
    ReviewSection,
    VoteSection,
)
from reknit.app.config.errors import combine_problems, explain_error, find_unknown_settings
from reknit.app.config.operator_sections import NotifySection, TelemetrySection
from reknit.app.config.project_sections import SETUP, ProjectSection, ServiceSection, WorkspaceSection
from reknit.app.config.repository_settings import find_refused_names, refuse_changed_values
from reknit.app.config.sections import (
    AgentSection,
    ChecksSection,
    ForgeSection,
    LoopSection,
    ProofSection,
    PullLoopSection,
    ServeSection,
)
from reknit.app.config.sources import ConfigFile, find_config_files, merge_tables, read_environment
from reknit.core.errors import UsageError
from reknit.core.gate.waiver import Waiver, Waivers, split_by_end
from reknit.core.repository.file_kinds import DeveloperKind, route_file
from reknit.core.runs.limits import IssueLimits, Limits, PullLimits, VoteLimits


class Config(BaseModel):
    """The merged and checked configuration of one command."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fixer: str = Field(default="claude", description="the agent that edits the code")
    fallback: tuple[str, ...] = Field(
        default=(), description="agents that take over, in this order, while a provider is rate limited"
    )
    box: str = Field(default="bubblewrap", description="where agents and tests run; `host` is not a sandbox")
    setup: str = Field(default="", description=SETUP)
    setup_layers_gb: float = Field(default=10.0, gt=0, description="disk space, in GB, for all kept set-ups together")
    agents: dict[str, AgentSection] = {}
    loop: PullLoopSection = PullLoopSection()
    checks: ChecksSection = ChecksSection()
    forge: ForgeSection = ForgeSection()
    serve: ServeSection = ServeSection()
    projects: tuple[ProjectSection, ...] = Field(default=(), description="only these have tests")
    services: tuple[ServiceSection, ...] = Field(default=(), description="started beside the tests of every project")
    workspace: WorkspaceSection = WorkspaceSection()
    batch: BatchSection = BatchSection()
    issues: IssuesSection = IssuesSection()
    challenger: ChallengerSection = ChallengerSection()
    vote: VoteSection = VoteSection()
    review: ReviewSection = ReviewSection()
    plan: PlanSection = PlanSection()
    proof: ProofSection = ProofSection()
    gate: GateSection = GateSection()
    notify: NotifySection = NotifySection()
    telemetry: TelemetrySection = TelemetrySection()
    _typed: tuple[Waiver, ...] = PrivateAttr(())
    _own_file: Path | None = PrivateAttr(None)

    @field_validator("projects")
    @classmethod
    def _refuse_duplicates(cls, projects: tuple[ProjectSection, ...]) -> tuple[ProjectSection, ...]:
        folders = [project.folder for project in projects]
        if twice := [folder for folder in folders if folders.count(folder) > 1]:
            raise ValueError(f"the folder {twice[0]!r} is listed twice")
        return projects

    def limits(self) -> Limits:
        own = {name: getattr(self.loop, name) for name in LoopSection.model_fields}
        return Limits(**own, fruitless=self.loop.fruitless)

    def pull_limits(self) -> PullLimits:
        own = {
            name: getattr(self.loop, name)
            for name in PullLoopSection.model_fields
            if name not in LoopSection.model_fields
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

    def waivers(self, today: date) -> Waivers:
        name = self._own_file.name if self._own_file else ""
        own = [
            Waiver(entry.rule, entry.path, entry.reason, name, entry.until.isoformat() if entry.until else "")
            for entry in self.gate.allow
        ]
        allowed, ended = split_by_end(own, today)
        return Waivers((*self._typed, *allowed), self.gate.forbid, ended, ends_at_once=True)

    @property
    def own_file(self) -> Path | None:
        """Path of the person's own configuration file, if there is one."""
        return self._own_file

    def kind_of(self, path: str) -> DeveloperKind:
        return route_file(path, self.issues.backend, self.issues.frontend)


def load(repository: Path | None, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Config:
    """Load the configuration. Every wrong setting is reported in one `UsageError`."""
    files, variables = find_config_files(repository, environment), read_environment(environment, Config)
    typed_waivers, flags = _split_waivers(flags)
    tables = [variables, flags]
    problems = [problem for file in files for problem in _find_wrong_names(file)]
    problems += [problem for table in tables for problem in find_unknown_settings(table, Config)]
    weakest_first = files[::-1]
    try:
        config = Config.model_validate(merge_tables([*(file.table for file in weakest_first), *tables]))
        own = Config.model_validate(
            merge_tables([*(file.table for file in weakest_first if not file.is_repository), *tables])
        )
    except ValidationError as invalid:
        errors = [explain_error(error, files, Config, flags, variables) for error in invalid.errors()]
        reported_messages = {problem.message for problem in problems}
        raise combine_problems(
            [*problems, *(error for error in errors if error.message not in reported_messages)]
        ) from None
    if problems:
        raise combine_problems(problems)
    refuse_changed_values(config, own, files)
    forbidden = tuple(dict.fromkeys((*own.gate.forbid, *config.gate.forbid)))
    config = config.model_copy(update={"gate": config.gate.model_copy(update={"forbid": forbidden})})
    config._typed, config._own_file = typed_waivers, next((file.path for file in files if not file.is_repository), None)
    return config


def _split_waivers(flags: Mapping[str, Any]) -> tuple[tuple[Waiver, ...], dict[str, Any]]:
    """Split typed waivers from the other flags: they are no setting, but add to the waivers of a file."""
    return flags.get("gate", {}).get("allow", ()), {name: value for name, value in flags.items() if name != "gate"}


def _find_wrong_names(file: ConfigFile) -> list[UsageError]:
    unknown = list(find_unknown_settings(file.table, Config, file))
    return unknown or (list(find_refused_names(file, Config)) if file.is_repository else [])


RULES = ("reknit.toml", "pyproject.toml")
"""Configuration files of a repository."""


def collect_waivers(root: str, config: Config) -> Waivers:
    """Return the waivers that a person typed, and those that the person's own file allows today."""
    if config.gate.allow and config.own_file:
        refuse_repository_file(config.own_file.resolve(), Path(root).resolve())
    return config.waivers(datetime.now(UTC).date())


def refuse_repository_file(file: Path, root: Path) -> None:
    """Refuse a file that belongs to a repository.

    A person's own file must be one that no commit of a repository can change.
    """
    if file.is_relative_to(root) or repository_around(str(file.parent)):
        message = f"`gate.allow` counts only in your own config file, and {file.name!r} belongs to a repository"
        raise UsageError("config", message, help="keep it outside of any repository, or use `--allow RULE:PATH`")
