"""`reknit` alone: shows what is here. Spends nothing."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reknit.core.agents.call import AgentFacts
from reknit.interfaces.cli.output.echo import echo

if TYPE_CHECKING:
    from reknit.app.overview import RepositoryOverview
    from reknit.core.runs.view import RunView

PROJECTS_SHOWN = 8


def look() -> int:
    from reknit.app.installation import installation
    from reknit.app.overview import look_around
    from reknit.core.issues.output.messages import findings_row
    from reknit.core.repository.uncommitted import not_looked_at
    from reknit.core.run_text import headline
    from reknit.core.testing.command_line import as_typed

    began = time.monotonic()
    snapshot = look_around(installation(os.environ), Path.cwd())
    took = time.monotonic() - began
    echo(f"{snapshot.name} at {snapshot.head[:7]}: nothing was changed and no model was called ({took:.1f} s)")
    _row("agents", "    ".join(agent_words(name, facts) for name, facts in snapshot.agents.items()))
    for number, project in enumerate(snapshot.tests[:PROJECTS_SHOWN]):
        seen = "judged by its exit code" if project.evidence == "exit code" else "verified test by test"
        _row("" if number else "tests", f"{as_typed(project)}    from {project.manifest}, {seen}")
    if (more := len(snapshot.tests) - PROJECTS_SHOWN) > 0:
        _row("", f"and {more} more projects")
    if not snapshot.tests:
        _row("tests", "none found    set checks.tests.run in reknit.toml")
    if snapshot.ci:
        _row("ci", snapshot.ci)
    _row("findings", findings_row(snapshot.issues, snapshot.absent))
    if unseen := not_looked_at(snapshot.uncommitted, len(snapshot.uncommitted)):
        _row("tree", unseen)
    for run in snapshot.last_runs:
        _row("run", f"{run.id}  {headline(run)}")
    _row("cost", f"a run may spend at most ${snapshot.config.loop.budget_usd:.2f}{_history(snapshot.last_runs)}")
    _row("next", _next(snapshot))
    if snapshot.tests and snapshot.issues.get("OPEN", 0) > (snapshot.absent or 0):
        _row("", "reknit fix issues --dry-run    what a run on the findings would do and cost; spends nothing")
    return 0


def agent_words(name: str, facts: AgentFacts) -> str:
    if not facts.found:
        return f"{name} not found"
    return " ".join(word for word in (name, facts.version, "found" if facts.login else "found, no key") if word)


def _next(snapshot: "RepositoryOverview") -> str:
    left = [run.id for run in snapshot.last_runs if run.state in ("left", "interrupted")]
    ready = [name for name, facts in snapshot.agents.items() if facts.found and facts.login]
    if left:
        return f"reknit resume {left[0]}"
    keyless = [facts.detail for facts in snapshot.agents.values() if facts.found and not facts.login and facts.detail]
    if snapshot.tests and not ready and keyless:
        return keyless[0]
    if not snapshot.tests or not ready:
        return "reknit demo    shows a repair that needs neither an agent nor tests"
    named = "" if snapshot.config.fixer in ready else f" --agent {ready[0]}"
    pull = f"; or, for the pull request of this branch: reknit fix pr{named}" if snapshot.on_forge else ""
    return f"reknit doctor    then: reknit fix tests{named}{pull}"


def _history(runs: Sequence["RunView"]) -> str:
    spent = sum(run.spent_usd for run in runs)
    return f"; the last {len(runs)} here spent ${spent:.2f}" if runs else ""


def _row(label: str, text: str) -> None:
    echo(f"  {label:<8}  {text}")
