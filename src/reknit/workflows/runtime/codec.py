"""Checkpoints as tagged JSON: a class may move or be renamed in Python; its tag never changes."""

import dataclasses
import json
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from reknit.core.errors import ReknitError, rebuild_error

TAGS: dict[str, str] = {
    "agent_call": "agents.call:AgentCall",
    "agent_settings": "agents.call:AgentSettings",
    "asked": "fix_issues.step_results:ChallengeCall",
    "barred": "forge.permission:FixBlocked",
    "baseline": "fix_tests.baseline:Baseline",
    "batch": "fix_issues.task:Batch",
    "broke": "agents.call:Aborted",
    "case_proposal": "agent_reports.values:CaseProposal",
    "candidate": "fix_pr.push:Candidate",
    "check_answer": "check_answer:CheckAnswer",
    "checked_criterion": "checks.criteria:CheckedCriterion",
    "ci_check": "forge.values:CiCheck",
    "ci_seen": "checks.status:CiResult",
    "commit_line": "planning.context:CommitLine",
    "committed": "fix_issues.step_results:BacklogCommit",
    "confirmation": "review.step_results:Confirmation",
    "constraint": "planning.intent:Constraint",
    "doc": "planning.context:Doc",
    "done": "agents.call:Done",
    "ending": "runs.ending:Ending",
    "plan_result": "plan.decision:PlanResult",
    "finding": "finding:Finding",
    "finding_batch": "review.progress:FindingBatch",
    "fix_proof": "review.step_results:FixProof",
    "fix_tests": "fix_tests.task:FixTests",
    "fix_report": "agent_reports.values:FixReport",
    "fixable": "fix_issues.tool_decision:Fixable",
    "forge_place": "forge.values:ForgePlace",
    "gate_verdict": "gate.verdict:GateVerdict",
    "heard_review": "review.progress:ReviewerAnswer",
    "held": "fix_issues.step_results:BatchProof",
    "held_out_case": "agent_reports.values:HeldOutCase",
    "hindrance": "forge.values:ForgeFailure",
    "holdout": "fix_tests.holdout:Holdout",
    "holdout_writers": "fix_tests.task:HoldoutWriters",
    "hook_result": "hook.mode:CheckResult",
    "hook_check": "hook.task:HookCheck",
    "installed_agent": "planning.context:InstalledAgent",
    "intent": "planning.intent:Intent",
    "inventory": "planning.context:Inventory",
    "issue": "issues.model:Issue",
    "issue_limits": "runs.limits:IssueLimits",
    "issue_source": "issues.model:IssueSource",
    "fix_issues": "fix_issues.task:FixIssues",
    "kept_finding": "issues.review_findings:KeptFinding",
    "landed": "fix_pr.push:Pushed",
    "limited": "agents.call:RateLimited",
    "limits": "runs.limits:Limits",
    "left_out_finding": "review.progress:LeftOutFinding",
    "listed_finding": "review.progress_file.entries:ListedFinding",
    "listed_work": "review.progress:ListedWork",
    "made": "runs.attempt:AttemptResult",
    "made_run": "testing.proof:RunRecord",
    "measured": "fix_pr.state:RoundMeasurement",
    "moved": "fix_pr.push:BranchMoved",
    "not_allowed": "gate.needed_waivers:NotAllowed",
    "not_landed": "fix_pr.push:NotPushed",
    "numbered_finding": "review.answer:NumberedFinding",
    "observed": "fix_issues.progress:BacklogBaseline",
    "open_issue": "forge.values:OpenIssue",
    "open_pull": "forge.values:OpenPull",
    "plan_proposal": "agent_reports.values:PlanProposal",
    "write_plan": "plan.task:WritePlan",
    "planned_task": "agent_reports.values:PlannedTask",
    "proof": "testing.proof:Proof",
    "pull_limits": "runs.limits:PullLimits",
    "fix_pull_request": "fix_pr.task:FixPullRequest",
    "refusal": "gate.verdict:Refusal",
    "refused": "agents.call:Unusable",
    "refused_answer": "agent_reports.values:RefusedAnswer",
    "repo_context": "planning.context:RepoContext",
    "reported_finding": "agent_reports.values:ReportedFinding",
    "review": "agent_reports.values:Review",
    "review_seen": "checks.status:ReviewResult",
    "review_change": "review.task:ReviewChange",
    "reviewer": "agents.reviewer:Reviewer",
    "reviewer_call": "review.step_results:ReviewerCall",
    "round": "fix_pr.convergence:FindingCounts",
    "rule_failure": "planning.rules:RuleFailure",
    "run_spec": "runs.spec:RunSpec",
    "saved_review": "review.answer:SavedReview",
    "second_look": "review.progress:SecondLook",
    "service": "services.service:Service",
    "project_setups": "runs.spec:ProjectSetups",
    "setup": "setup.layers:Setup",
    "sight": "forge.permission:PullSnapshot",
    "tally": "vote.decision:Tally",
    "test_command": "testing.command:TestCommand",
    "tests_seen": "checks.status:TestsResult",
    "tool_change": "fix_issues.step_results:ToolChange",
    "tool_finding": "fix_issues.tools.look:ToolFinding",
    "tool_fix": "fix_issues.progress:ToolFix",
    "tool_look": "fix_issues.tools.look:ToolLook",
    "tool_plan": "fix_issues.tool_decision:ToolPlan",
    "tool_proof": "fix_issues.step_results:ToolProof",
    "tool_report": "fix_issues.tools.look:ToolReport",
    "uncommitted_work": "runs.spec:UncommittedWork",
    "usage": "agents.call:Usage",
    "validation": "planning.rules:Validation",
    "variant": "planning.variants.variant:Variant",
    "variant_score": "planning.variants.variant:VariantScore",
    "variant_target": "planning.targets:VariantTarget",
    "vote": "vote.decision:Vote",
    "vote_limits": "runs.limits:VoteLimits",
    "vote_on_pull_request": "vote.task:VoteOnPullRequest",
    "waiver": "gate.waiver:Waiver",
    "waiver_use": "gate.waiver:WaiverUse",
    "waivers": "gate.waiver:Waivers",
    "workspace_settings": "runs.spec:WorkspaceSettings",
}
"""Tag -> `module:class` below `reknit.core`; imported when a value is read: queueing a run needs few of them."""


class TaggedJson:
    """A serializer for the engine: JSON in which each dataclass has a stable tag."""

    def __init__(self, tags: Mapping[str, str], package: str = "reknit.core.") -> None:
        self._classes = {tag: f"{package}{reference}" for tag, reference in tags.items()}
        self._tags = {reference: tag for tag, reference in self._classes.items()}

    def add(self, tag: str, reference: str) -> None:
        """Register a class of a capability that is not part of the product; `reference` is `module:class`."""
        self._classes[tag], self._tags[reference] = reference, tag

    def name(self) -> str:
        return "reknit_tagged_json_1"

    def serialize(self, data: Any) -> str:
        return json.dumps(self._encode(data), separators=(",", ":"))

    def deserialize(self, serialized_data: str) -> Any:
        return self._decode(json.loads(serialized_data))

    def _encode(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) in (list, tuple):
            return {"!": type(value).__name__, "v": [self._encode(item) for item in value]}
        if type(value) is dict:
            return {"!": "dict", "v": [[self._encode(key), self._encode(item)] for key, item in value.items()]}
        if tag := self._tags.get(f"{type(value).__module__}:{type(value).__qualname__}"):
            fields = {field.name: self._encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"!": tag, "v": fields}
        if isinstance(value, ReknitError):
            return {"!": "problem", "v": [value.exit_code, value.name, value.message, value.help, value.where]}
        if isinstance(value, BaseException):  # must never fail: it is how a failed run is recorded
            return {"!": "error", "v": [type(value).__name__, str(value)]}
        raise TypeError(
            f"{type(value).__name__} cannot be stored in a checkpoint: give it a tag in workflows/runtime/codec.py"
        )

    def _decode(self, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        tag, value = raw["!"], raw["v"]
        if tag == "list":
            return [self._decode(item) for item in value]
        if tag == "tuple":
            return tuple(self._decode(item) for item in value)
        if tag == "dict":
            return {self._decode(key): self._decode(item) for key, item in value}
        if tag == "problem":
            return rebuild_error(*value)
        if tag == "error":
            return RuntimeError(f"{value[0]}: {value[1]}")
        return self._restore(self.find_class(tag), value)

    def find_class(self, tag: str) -> type:
        cls: type = resolve_name(self._classes[tag])
        return cls

    def _restore(self, cls: type, value: dict[str, Any]) -> Any:
        """Restore a dataclass, without fields that this version no longer has: older runs must be readable."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{key: self._decode(item) for key, item in value.items() if key in names})


CODEC = TaggedJson(TAGS)


HINT = "hint"
"""Topic of a message to a waiting run: something may have changed on the forge, so poll now."""
