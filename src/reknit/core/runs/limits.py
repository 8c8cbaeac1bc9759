"""The limits of a run: each is on by default, and the first one reached ends it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    attempts: int = 3
    """Attempts on one finding, then DEFERRED."""
    budget_usd: float = 5.0
    """OVER_BUDGET."""
    timeout_s: float = 2700.0
    """Working time of the run, waits for a limit left out."""
    agent_wall_s: float = 900.0
    agent_idle_s: float = 300.0
    agent_turns: int = 60
    test_wall_s: float = 900.0
    waits: int = 20
    """Waits for a provider's limit or overload in one run, then BLOCKED."""
    wait_s: float = 30.0
    """The first wait when the provider names no time; it doubles, up to an hour."""
    patience_s: float = 60.0
    """A longer wait is not waited out while another agent is ready."""
    idles: int = 2
    """Calls on one finding that fell silent and left nothing, before they count as attempts."""
    changed_files: int = 20
    changed_lines: int = 1000


@dataclass(frozen=True)
class PullLimits:
    """Further limits of a pull-request run."""

    iterations: int = 10
    """Fixes, then EXHAUSTED; looking again while CI is pending is none."""
    stall_after: int = 3
    """The same failures so often in a row: STALLED."""
    fruitless: int = 5
    """Fixes in a row of which nothing landed: DEFERRED."""
    blocking_only_after: int = 5
    """From the next iteration on only critical findings of a review are worth a fix."""
    churn_share: float = 0.6
    churn_rounds: int = 2
    """So many rounds in a row in which that share of the findings sits on lines this run wrote: CHURN."""
    flat_rounds: int = 3
    """So many rounds in a row in which fixes landed and the findings became no fewer: CHURN."""
    grown_source: int = 400
    grown_tests: int = 400
    """Net lines this run may add to the pull request: CHURN."""
    error_retries: int = 2
    """Looks in a row at checks that cannot be seen, then UNVERIFIED."""
    ci_wait_s: float = 30.0
    ci_watch_s: float = 120.0
    """From the third pending look in a row: CI is watched for so long before it counts as one more look."""
    ci_patience_s: float = 7200.0
    """CI pending for so long on one commit: UNVERIFIED."""
    ci_grace_s: float = 120.0
    """How long a commit may stay without any check before that means something."""
    ci_required_only: bool = False
    reruns: int = 1
    """Of one check on one commit that failed for no fault of the code."""
    pushes: int = 3
    """Pushes of one fix to a branch that keeps moving; then it is looked at anew."""
    hops: int = 3
    """Runs in a row on a branch without a commit of a person in between; then BLOCKED."""


@dataclass(frozen=True)
class IssueLimits:
    """Further limits of a run on the backlog."""

    batch_points: int = 15
    batch_issues: int = 5
    per_run: int = 50
    """Issues one run takes; its whole change is one commit, and somebody has to read it."""
    rounds: int = 3
    """Times the challenger is asked; then DEFERRED."""
    threshold_0_100: float = 95.0
    """A lower score is not committed."""
    challenger_tries: int = 2
    """Calls of the challenger in one round that gave no score; then UNVERIFIED."""


@dataclass(frozen=True)
class VoteLimits:
    approve_0_100: float = 80.0
    """The average of two votes."""
    tries: int = 2
    """Calls of one voter that gave no vote; then UNVERIFIED."""
