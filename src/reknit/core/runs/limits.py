"""The limits of a run: each is on by default, and the first one reached ends it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits that every run has."""

    attempts: int = 3
    """Maximum attempts per finding, then DEFERRED."""
    budget_usd: float = 5.0
    """Maximum cost of the run in US dollars, then OVER_BUDGET."""
    timeout_s: float = 2700.0
    """Maximum working time of the run, without waits for a provider, then EXHAUSTED."""
    agent_wall_s: float = 900.0
    """Maximum time of one agent call."""
    agent_idle_s: float = 300.0
    """Maximum time for which an agent may print nothing."""
    agent_turns: int = 60
    """Maximum turns of one agent call."""
    test_wall_s: float = 900.0
    """Maximum time of one run of the tests."""
    waits: int = 20
    """Maximum waits of the run for rate-limited or overloaded providers, then BLOCKED."""
    wait_s: float = 30.0
    """The first wait if the provider names no time; it doubles, up to an hour."""
    patience_s: float = 60.0
    """If a wait is longer and another agent is ready, that agent takes over."""
    idles: int = 2
    """Calls per finding that do not count as attempts because the agent went idle and changed nothing."""
    fruitless: int = 5
    """Attempts of `fix tests` in a row that did not land, then DEFERRED."""
    changed_files: int = 20
    """Maximum files in one change; the gate refuses more."""
    changed_lines: int = 1000
    """Maximum lines that one change adds or removes; the gate refuses more."""


@dataclass(frozen=True)
class PullLimits:
    """Further limits of a pull-request run."""

    iterations: int = 10
    """Maximum fixes, then EXHAUSTED; checks that only wait for CI do not count."""
    stall_after: int = 3
    """Fixes in a row that leave the same failures, then STALLED."""
    fruitless: int = 5
    """Fixes in a row that did not land, then DEFERRED."""
    blocking_only_after: int = 5
    """After this iteration only critical findings of a review are fixed."""
    churn_share: float = 0.6
    """Share of the findings, from 0 to 1, that are on lines this run wrote."""
    churn_rounds: int = 2
    """Rounds in a row with at least that share, then CHURN."""
    flat_rounds: int = 3
    """Rounds in a row in which fixes landed but the findings did not decrease, then CHURN."""
    grown_source: int = 400
    """Net lines of source that this run may add to the pull request, then CHURN."""
    grown_tests: int = 400
    """Net lines of tests that this run may add to the pull request, then CHURN."""
    error_retries: int = 2
    """Retries in a row of checks that gave no result, then UNVERIFIED."""
    ci_wait_s: float = 30.0
    """Seconds between two polls of CI."""
    ci_watch_s: float = 120.0
    """Seconds for which CI is polled once it was pending twice in a row; then everything is checked again."""
    ci_patience_s: float = 7200.0
    """Seconds for which CI may be pending on one commit; the run then ends UNVERIFIED."""
    ci_grace_s: float = 120.0
    """Seconds for which a commit may have no checks; then it has none."""
    ci_required_only: bool = False
    """Ignore checks that the branch protection does not require."""
    reruns: int = 1
    """Maximum re-runs of one check on one commit after a failure of CI infrastructure."""
    pushes: int = 3
    """Pushes of one fix to a branch that keeps moving; then everything is checked again."""
    hops: int = 3
    """Runs in a row on a branch without a commit by a person in between; then BLOCKED."""


@dataclass(frozen=True)
class IssueLimits:
    """Further limits of a run on the backlog."""

    batch_points: int = 15
    """Maximum points of one batch: effort times files of its issues."""
    batch_issues: int = 5
    """Maximum issues of one batch."""
    per_run: int = 50
    """Issues per run; its whole change is one commit, and a person has to read it."""
    rounds: int = 3
    """Maximum rounds with the challenger, then DEFERRED."""
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
