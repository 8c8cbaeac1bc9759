"""The configuration: defaults < user file < repository file < environment < flags. Merged and checked once."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from reknit.app.config.errors import combined, explained, unknown_settings
from reknit.app.config.gate_section import GateSection
from reknit.app.config.issue_sections import BatchSection, ChallengerSection, IssuesSection, PlanSection, VoteSection
from reknit.app.config.project_sections import SETUP, ProjectSection, WorkspaceSection
from reknit.app.config.repository_settings import refuse_by_effect, refused_by_name
from reknit.app.config.review_section import ReviewSection
from reknit.app.config.sections import (
    AgentSection,
    ChecksSection,
    ForgeSection,
    LoopSection,
    ProofSection,
    PullLoopSection,
)
from reknit.app.config.service_section import ServiceSection
from reknit.app.config.sources import ConfigFile, config_files, environment_table, merged
from reknit.core.errors import UsageProblem
from reknit.core.gate.waiver import Waiver, Waivers, sorted_by_end
from reknit.core.repository.routing import Kind, kind_of
from reknit.core.runs.limits import IssueLimits, Limits, PullLimits, VoteLimits


class Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    fixer: str = Field(default="claude", description="the agent that edits the code")
    fallback: tuple[str, ...] = Field(
        default=(), description="agents that take over, in this order, while a provider is rate limited"
    )
    box: str = Field(default="bubblewrap", description="where agents and tests run; `host` is not a sandbox")
    setup: str = Field(default="", description=SETUP)
    setup_layers_gb: float = Field(default=10.0, gt=0, description="what all kept set-ups together may take on disk")
    agents: dict[str, AgentSection] = {}
    loop: PullLoopSection = PullLoopSection()
    checks: ChecksSection = ChecksSection()
    forge: ForgeSection = ForgeSection()
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
    _typed: tuple[Waiver, ...] = PrivateAttr(())
    _own_file: Path | None = PrivateAttr(None)

    @field_validator("projects")
    @classmethod
    def _once_each(cls, projects: tuple[ProjectSection, ...]) -> tuple[ProjectSection, ...]:
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
            Waiver(each.rule, each.path, each.reason, name, each.until.isoformat() if each.until else "")
            for each in self.gate.allow
        ]
        allowed, ended = sorted_by_end(own, today)
        return Waivers((*self._typed, *allowed), self.gate.forbid, ended, ends_at_once=True)

    @property
    def own_file(self) -> Path | None:
        """The person's own, if there is one."""
        return self._own_file

    def kind_of(self, path: str) -> Kind:
        return kind_of(path, self.issues.backend, self.issues.frontend)


def load(repository: Path | None, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Config:
    files, variables = config_files(repository, environment), environment_table(environment, Config)
    typed, flags = _without_waivers(flags)
    given = [variables, flags]
    problems = [problem for file in files for problem in _wrong_names(file)]
    problems += [problem for table in given for problem in unknown_settings(table, Config)]
    weakest_first = files[::-1]
    try:
        config = Config.model_validate(merged([*(file.table for file in weakest_first), *given]))
        own = Config.model_validate(merged([*(file.table for file in weakest_first if not file.is_repository), *given]))
    except ValidationError as invalid:
        errors = [explained(error, files, Config, flags, variables) for error in invalid.errors()]
        named = {problem.what for problem in problems}
        raise combined([*problems, *(error for error in errors if error.what not in named)]) from None
    if problems:
        raise combined(problems)
    refuse_by_effect(config, own, files)
    forbidden = tuple(dict.fromkeys((*own.gate.forbid, *config.gate.forbid)))
    config = config.model_copy(update={"gate": config.gate.model_copy(update={"forbid": forbidden})})
    config._typed, config._own_file = typed, next((file.path for file in files if not file.is_repository), None)
    return config


def _without_waivers(flags: Mapping[str, Any]) -> tuple[tuple[Waiver, ...], dict[str, Any]]:
    """What was typed is no setting: it adds to what a file allows, and only the command line has it."""
    return flags.get("gate", {}).get("allow", ()), {name: value for name, value in flags.items() if name != "gate"}


def _wrong_names(file: ConfigFile) -> list[UsageProblem]:
    unknown = list(unknown_settings(file.table, Config, file))
    return unknown or (list(refused_by_name(file, Config)) if file.is_repository else [])
