"""Values of a vote, as a flow would make them."""

import json
from dataclasses import asdict

from reknit.core.agent_reports.values import ReportedFinding, Review
from reknit.core.agents.call import AgentCall, AgentSettings, Done, Usage
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.view import RunView
from reknit.core.vote.decision import Tally, Vote
from reknit.core.vote.task import VoteOnPullRequest

URL = "https://github.com/acme/shop/pull/12"
TARGET = VoteOnPullRequest(
    ForgePlace("github", "https://api.github.com/", "Acme/Shop"), 12, URL, "Discounts",
    (AgentSettings("claude", "claude"), AgentSettings("mine", "gemini")),
)  # fmt: skip
NIT = ReportedFinding("style", "suggestion", "a.py", 0, "a nit")
CRASH = ReportedFinding("crash", "blocking", "b.py", 7, "divides by zero", "check it first")
GOOD = Review("passed", 85, "reads well\nand is tested", (NIT,))
FAIR = Review("needs_work", 78, "one hole", (NIT, CRASH))
TALLY = Tally("a" * 40, (Vote("claude", "claude", GOOD), Vote("mine", "gemini", FAIR)), 80.0)
RUN = RunView(
    id="r-7f3a", kind="vote", repository="/shop", base="b" * 40, agent="claude", state="running", phase="cast",
    worker="", reason="", until=None, ending=None, detail={}, commit=None, spent_usd=0.1, budget_usd=5.0,
    created_at=100.0, ended_at=None, undone_at=None, spec=json.loads(json.dumps({"task": asdict(TARGET)})),
)  # fmt: skip


def voted(review: Review, seconds: float = 1.0) -> AgentCall:
    return AgentCall(Done(), Usage(cost_usd=0.05), seconds, report=review)
