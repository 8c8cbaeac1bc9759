"""A repository as it was explored, what a person asked, and answers of an agent."""

from dataclasses import replace

from reknit.core.agent_reports.values import PlannedTask, PlanProposal, RefusedAnswer
from reknit.core.agents.call import Aborted, AgentCall, AgentSettings, Done
from reknit.core.forge.values import OpenPull
from reknit.core.plan.decision import PlanResult
from reknit.core.plan.task import WritePlan
from reknit.core.planning.context import CommitLine, Doc, RepoContext
from reknit.core.planning.intent import Constraint, Intent
from reknit.core.planning.rules import RuleFailure, Validation
from reknit.core.planning.variants.variant import Variant, VariantScore

AGENT = AgentSettings("claude", "claude", model="sonnet")
BASE = "1" * 40
CONTEXT = RepoContext(
    as_of="2026-11-17",
    branch="main",
    default_branch="main",
    commits=(CommitLine("1111111", "Begin", "Ada", "2026-11-16"),),
    docs=(Doc("docs/STATE.md", (("status", "stale"),)),),
    docs_stale=("docs/STATE.md",),
    has_forge_login=True,
    pulls=(OpenPull(1, "One", "one", draft=False, merge_state="clean", red_checks=("ci",)),),
    governance_missing=("CHANGELOG",),
)
INTENT = Intent(
    "tidy-up",
    "Bring the docs\nup to date",
    (
        Constraint("model", "deny_models: opus", "opus"),
        Constraint("unchecked", "be kind"),
        Constraint("time", "~1 hour", "3600"),
    ),
)
VARIANTS = (Variant("grey", "Mechanical hygiene."), Variant("professor", "Plans."), Variant("blue", "Reads."))
SCORES = (VariantScore("grey", 70, ("CHANGELOG is missing",)), VariantScore("professor", 20), VariantScore("blue", 10))
TARGET = WritePlan(INTENT, CONTEXT, SCORES, VARIANTS, ".reknit/plans/tidy-up-advisor.md")
PROPOSAL = PlanProposal(
    primary="grey",
    primary_rationale="The CHANGELOG is missing.",
    alternate="",
    alternate_when="",
    tasks=(PlannedTask("Refresh the state", "S", "L", ("docs/STATE.md",)),),
    acceptance_criteria=("file: docs/STATE.md contains status: current",),
    confidence_0_100=78,
)
REFUSED = (RefusedAnswer('{\n  "confidence": 200\n}', "confidence: expected less"), RefusedAnswer("Sure!", "no call"))
SOFT = RuleFailure("RuleConfidenceFloor", hard=False, text="its confidence is 40")
HARD = RuleFailure("RuleVariantSafe", hard=True, text="grey may not be recommended: the operator forbids it")
NO_ANSWER = AgentCall(Aborted("invalid_output", "propose_plan was refused"), refused_answers=REFUSED)

CURRENT = PlanResult(AgentCall(Done(), report=PROPOSAL), Validation("current"))
PROVISIONAL = replace(CURRENT, validation=Validation("provisional", (SOFT,)), needs_grant=(".github/dependabot.yml",))
REJECTED = replace(CURRENT, validation=Validation("fallback", (SOFT, HARD)))
UNANSWERED = PlanResult(NO_ANSWER, None)
