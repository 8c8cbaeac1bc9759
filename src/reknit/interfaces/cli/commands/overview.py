"""`reknit` alone: shows what is here. Spends nothing."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reknit.core.agents.call import AgentFacts
from reknit.core.runs.view import render_take_command
from reknit.core.text.format import render_line
from reknit.interfaces.cli.output.echo import echo, print_coloured
from reknit.interfaces.cli.output.lines import terminal_columns

if TYPE_CHECKING:
    from reknit.app.overview import RepositoryOverview
    from reknit.core.runs.view import RunView

PROJECTS_SHOWN = 8


def show_overview() -> int:
    """Print the agents, tests, findings and runs here, and the next command."""
    from reknit.app.installation import find_installation
    from reknit.app.overview import look_around
    from reknit.core.issues.output.messages import render_findings_row
    from reknit.core.repository.uncommitted import warn_uncommitted
    from reknit.core.run_text import render_headline
    from reknit.core.testing.command import to_command_line

    began = time.monotonic()
    snapshot = look_around(find_installation(os.environ), Path.cwd())
    took = time.monotonic() - began
    echo(f"{snapshot.name} at {snapshot.head[:7]}: nothing was changed and no model was called ({took:.1f} s)")
    _row("agents", "    ".join(describe_agent(name, facts) for name, facts in snapshot.agents.items()))
    for number, project in enumerate(snapshot.tests[:PROJECTS_SHOWN]):
        judged_by = "judged by its exit code" if project.evidence == "exit code" else "verified test by test"
        _row("" if number else "tests", f"{to_command_line(project)}    from {project.manifest}, {judged_by}")
    if (more := len(snapshot.tests) - PROJECTS_SHOWN) > 0:
        _row("", f"and {more} more projects")
    if not snapshot.tests:
        _row("tests", "none found    set checks.tests.run in reknit.toml")
    if snapshot.ci:
        _row("ci", snapshot.ci)
    _row("findings", render_findings_row(snapshot.issues, snapshot.absent))
    if unseen := warn_uncommitted(snapshot.uncommitted, len(snapshot.uncommitted)):
        _row("tree", unseen)
    for run in snapshot.last_runs:
        _row("run", f"{run.id}  {render_headline(run)}")
    _row("cost", f"a run may spend at most ${snapshot.config.loop.budget_usd:.2f}{_history(snapshot.last_runs)}")
    _row("next", _next(snapshot))
    if snapshot.tests and snapshot.issues.get("OPEN", 0) > (snapshot.absent or 0):
        _row("", "reknit fix issues --dry-run    what a run on the findings would do and cost; spends nothing")
    return 0


def describe_agent(name: str, facts: AgentFacts) -> str:
    """Return the name of an agent, its version, and if it is signed in."""
    if not facts.is_installed:
        return f"{name} not found"
    return " ".join(word for word in (name, facts.version, "found" if facts.login else "found, no key") if word)


def _next(snapshot: "RepositoryOverview") -> str:
    stopped_runs = [run.id for run in snapshot.last_runs if run.state in ("left", "interrupted")]
    ready = [name for name, facts in snapshot.agents.items() if facts.is_installed and facts.login]
    if stopped_runs:
        return f"reknit resume {stopped_runs[0]}"
    if snapshot.waiting_fix:
        return render_take_command(snapshot.waiting_fix)
    keyless = [
        facts.detail for facts in snapshot.agents.values() if facts.is_installed and not facts.login and facts.detail
    ]
    if snapshot.tests and not ready and keyless:
        return keyless[0]
    if not snapshot.tests or not ready:
        return "reknit demo    shows a repair that needs neither an agent nor tests"
    agent_option = "" if snapshot.config.fixer in ready else f" --agent {ready[0]}"
    pull = f"; or, for the pull request of this branch: reknit fix pr{agent_option}" if snapshot.on_forge else ""
    return f"reknit doctor    then: reknit fix tests{agent_option}{pull}"


def _history(runs: Sequence["RunView"]) -> str:
    spent_usd = sum(run.spent_usd for run in runs)
    return f"; the last {len(runs)} here spent ${spent_usd:.2f}" if runs else ""


def _row(label: str, text: str) -> None:
    for line in render_line(f"  {label:<8}  ", text, terminal_columns()):
        print_coloured(line)
