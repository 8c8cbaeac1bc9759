"""Checkpoints as tagged JSON: a class may move or be renamed in Python; its tag never changes."""

import dataclasses
import json
from typing import Any

from dbos import Serializer

from reknit.core.agent_reports.values import FixReport, ReportedFinding, Review
from reknit.core.agents.call import Aborted, AgentCall, AgentSettings, Done, RateLimited, Unusable, Usage
from reknit.core.agents.reviewer import Reviewer
from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.errors import ReknitError, problem_of
from reknit.core.finding import Finding
from reknit.core.fix_issues.progress import BacklogBaseline
from reknit.core.fix_issues.step_results import BacklogCommit, BatchProof, ChallengeCall
from reknit.core.fix_pr.convergence import FindingCounts
from reknit.core.fix_pr.push import BranchMoved, Candidate, NotPushed, Pushed
from reknit.core.fix_pr.state import RoundMeasurement
from reknit.core.fix_tests.baseline import Baseline
from reknit.core.forge.permission import FixBlocked
from reknit.core.forge.pull_snapshot import PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure, ForgePlace
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.issues.review_findings import KeptFinding
from reknit.core.review.answer import NumberedFinding, SavedReview
from reknit.core.review.progress import FindingBatch, HeardReview, ListedWork
from reknit.core.review.progress_file.entries import ListedFinding
from reknit.core.review.step_results import Confirmation, FixProof, ReviewerCall
from reknit.core.runs.attempt import AttemptResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.limits import IssueLimits, Limits, PullLimits, VoteLimits
from reknit.core.runs.spec import Batch, IssuesTarget, PullTarget, ReviewTarget, RunSpec, VoteTarget, WorkspaceSettings
from reknit.core.testing.command import TestCommand
from reknit.core.testing.proof import Proof
from reknit.core.vote.decision import Tally, Vote

TAGS: dict[str, type] = {
    "agent_call": AgentCall,
    "agent_settings": AgentSettings,
    "asked": ChallengeCall,
    "barred": FixBlocked,
    "baseline": Baseline,
    "batch": Batch,
    "broke": Aborted,
    "candidate": Candidate,
    "ci_check": CiCheck,
    "ci_seen": CiResult,
    "committed": BacklogCommit,
    "confirmation": Confirmation,
    "done": Done,
    "ending": Ending,
    "finding": Finding,
    "finding_batch": FindingBatch,
    "fix_proof": FixProof,
    "fix_report": FixReport,
    "forge_place": ForgePlace,
    "gate_verdict": GateVerdict,
    "heard_review": HeardReview,
    "held": BatchProof,
    "hindrance": ForgeFailure,
    "issue": Issue,
    "issue_limits": IssueLimits,
    "issue_source": IssueSource,
    "issues_target": IssuesTarget,
    "kept_finding": KeptFinding,
    "landed": Pushed,
    "limited": RateLimited,
    "limits": Limits,
    "listed_finding": ListedFinding,
    "listed_work": ListedWork,
    "made": AttemptResult,
    "measured": RoundMeasurement,
    "moved": BranchMoved,
    "not_landed": NotPushed,
    "numbered_finding": NumberedFinding,
    "observed": BacklogBaseline,
    "proof": Proof,
    "pull_limits": PullLimits,
    "pull_target": PullTarget,
    "refusal": Refusal,
    "refused": Unusable,
    "reported_finding": ReportedFinding,
    "review": Review,
    "review_seen": ReviewResult,
    "review_target": ReviewTarget,
    "reviewer": Reviewer,
    "reviewer_call": ReviewerCall,
    "round": FindingCounts,
    "run_spec": RunSpec,
    "saved_review": SavedReview,
    "sight": PullSnapshot,
    "tally": Tally,
    "test_command": TestCommand,
    "tests_seen": TestsResult,
    "usage": Usage,
    "vote": Vote,
    "vote_limits": VoteLimits,
    "vote_target": VoteTarget,
    "workspace_settings": WorkspaceSettings,
}


class TaggedJson(Serializer):
    def __init__(self, tags: dict[str, type]) -> None:
        self._classes = tags
        self._tags = {cls: tag for tag, cls in tags.items()}

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
        if tag := self._tags.get(type(value)):
            fields = {field.name: self._encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"!": tag, "v": fields}
        if isinstance(value, ReknitError):
            return {"!": "problem", "v": [value.exit_code, value.name, value.what, value.help, value.where]}
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
            return problem_of(*value)
        if tag == "error":
            return RuntimeError(f"{value[0]}: {value[1]}")
        return self._restore(self._classes[tag], value)

    def _restore(self, cls: type, value: dict[str, Any]) -> Any:
        """Drops a field that this version no longer knows: an older run must still be readable."""
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{key: self._decode(item) for key, item in value.items() if key in known})


CODEC = TaggedJson(TAGS)
