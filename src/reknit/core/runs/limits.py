"""The limits of a run: each is on by default, and the first one reached ends it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits that every run has."""

    attempts: int = 3
    """Attempts per finding, then DEFERRED."""
    budget_usd: float = 5.0
    """OVER_BUDGET."""
    timeout_s: float = 2700.0
    """Working time of the run, excluding waits for a provider."""
    agent_wall_s: float = 900.0
    agent_idle_s: float = 300.0
    agent_turns: int = 60
    test_wall_s: float = 900.0
    waits: int = 20
    """Waits for a rate-limited or overloaded provider per run, then BLOCKED."""
    wait_s: float = 30.0
    """The first wait if the provider names no time; it doubles, up to an hour."""
    patience_s: float = 60.0
    """If a wait is longer and another agent is ready, that agent takes over."""
    idles: int = 2
    """Idle calls per finding that changed nothing, before they count as attempts."""
    fruitless: int = 5
    """Attempts of `fix tests` in a row that did not land, then DEFERRED."""
    changed_files: int = 20
    changed_lines: int = 1000


@dataclass(frozen=True)
class PullLimits:
    """Further limits of a pull-request run."""

    iterations: int = 10
    """Fixes, then EXHAUSTED; looking again while CI is pending does not count."""
    stall_after: int = 3
    """Fixes in a row that leave the same failures, then STALLED."""
    fruitless: int = 5
    """Fixes in a row that did not land, then DEFERRED."""
    blocking_only_after: int = 5
    """After this iteration only critical findings of a review are fixed."""
    churn_share: float = 0.6
    churn_rounds: int = 2
    """Rounds in a row in which that share of the findings is on lines this run wrote, then CHURN."""
    flat_rounds: int = 3
    """Rounds in a row in which fixes landed but the findings did not decrease, then CHURN."""
    grown_source: int = 400
    grown_tests: int = 400
    """Net lines this run may add to the pull request, then CHURN."""
    error_retries: int = 2
    """Retries in a row of checks that gave no result, then UNVERIFIED."""
    ci_wait_s: float = 30.0
    ci_watch_s: float = 120.0
    """Seconds for which CI is polled from the third pending look in a row; then everything is checked again."""
    ci_patience_s: float = 7200.0
    """Seconds for which CI may be pending on one commit; the run then ends UNVERIFIED."""
    ci_grace_s: float = 120.0
    """Seconds for which a commit may have no checks; then it has none."""
    ci_required_only: bool = False
    reruns: int = 1
    """Re-runs of one check on one commit that failed on CI infrastructure."""
    pushes: int = 3
    """Pushes of one fix to a branch that keeps moving; then everything is checked again."""
    hops: int = 3
    """Runs in a row on a branch without a commit by a person in between; then BLOCKED."""


@dataclass(frozen=True)
class IssueLimits:
    """Further limits of a run on the backlog."""

    batch_points: int = 15
    batch_issues: int = 5
    per_run: int = 50
    """Issues per run; its whole change is one commit, and a person has to read it."""
    rounds: int = 3
    """Times the challenger is asked; then DEFERRED."""
    threshold_0_100: float = 95.0
    """A change with a lower score is not committed."""
    challenger_tries: int = 2
    """Calls of the challenger per round that gave no score; then UNVERIFIED."""


@dataclass(frozen=True)
class VoteLimits:
    """Further limits of a vote."""

    approve_0_100: float = 80.0
    """The lowest average of the two votes that approves."""
    tries: int = 2
    """Calls per voter that gave no vote; then UNVERIFIED."""
