"""`reknit` alone: what is here. It spends nothing."""

import os
import time
from pathlib import Path

import click

from reknit.core.agent_call import AgentFacts


def look() -> int:
    from reknit.app.installation import installation
    from reknit.app.looking import look_around
    from reknit.core.run_wording import headline

    began = time.monotonic()
    sight = look_around(installation(os.environ), Path.cwd())
    took = time.monotonic() - began
    click.echo(f"{sight.name} at {sight.head[:7]}: nothing was changed and no model was called ({took:.1f} s)")
    _row("agents", "    ".join(agent_words(name, facts) for name, facts in sight.agents.items()))
    if sight.tests:
        seen = "verified by JUnit ids" if sight.tests.evidence == "junit" else "judged by its exit code"
        _row("tests", f"{' '.join(sight.tests.argv[:4])}    from {sight.tests.origin}, {seen}")
    else:
        _row("tests", "none found    set checks.tests.run in reknit.toml")
    if sight.ci:
        _row("ci", sight.ci)
    if sight.uncommitted:
        _row("tree", f"{sight.uncommitted} uncommitted file(s): a run repairs the commit, not them")
    for run in sight.last_runs:
        _row("run", f"{run.id}  {headline(run)}")
    _row("cost", f"a run may spend at most ${sight.config.loop.budget_usd:.2f}; {_history(sight.last_runs)}")
    _row("next", _next(sight.agents[sight.config.fixer]))
    return 0


def agent_words(name: str, facts: AgentFacts) -> str:
    if not facts.found:
        return f"{name} not found"
    return f"{name} {facts.version} found{'' if facts.login else ', no key'}"


def _next(fixer: AgentFacts) -> str:
    if not fixer.found:
        return "reknit demo    shows a repair without any agent"
    return "reknit doctor    then: reknit fix tests"


def _history(runs: tuple[object, ...]) -> str:
    return f"{len(runs)} run(s) here before" if runs else "no history here"


def _row(label: str, text: str) -> None:
    click.echo(f"  {label:<8}  {text}")
