"""`reknit fix`: repair what fails and land only what is proven."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from reknit.interfaces.cli.options.issues import add_narrowing_options, build_issue_filter
from reknit.interfaces.cli.options.settings import (
    AGENT,
    ALLOW,
    BOX,
    BUDGET,
    FORMAT,
    NO_COMMENT,
    collect_settings,
    setting,
)
from reknit.interfaces.cli.output.echo import echo

_FIX_HELP = (
    "Repair what fails and land only what is proven: tests, issues and the tasks of a plan on a branch `reknit/RUN`, "
    "a pull request by commits pushed to it."
)


@click.group(help=_FIX_HELP)
def fix() -> None:
    """Group the commands that repair."""


def parse_pull(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int | None, str]:
    """Parse `12`, `#12` or the URL of a pull request into its number, and the repository that a URL names."""
    if text is None:
        return None, ""
    match = re.fullmatch(r"(?:https?://[^/]+/([^/]+/[^/]+)/pull/|#)?0*([1-9]\d{0,8})(?:/\w*)?", text)
    if not match:
        raise click.BadParameter(f"{text!r} is not a pull request: use its number or URL")
    return int(match[2]), match[1] or ""


def reject_queue_with_detach(context: click.Context, _parameter: click.Parameter, is_set: bool) -> bool:
    """Refuse --queue with --detach before anything slow, in the order of the command line."""
    if is_set and any(context.params.get(name) for name in ("queue", "detach")):
        raise click.UsageError("--detach starts a worker, and --queue leaves the run to another: choose one")
    return is_set


QUEUE = click.option(
    "--queue", is_flag=True, callback=reject_queue_with_detach, help="leave the run to a `reknit worker`"
)
DETACH = click.option(
    "--detach", is_flag=True, callback=reject_queue_with_detach, help="run in the background and return at once"
)


@fix.command("tests")
@click.argument("tests", nargs=-1, metavar="[ID]…")
@AGENT
@setting(
    "--attempts", "loop.attempts", type=click.IntRange(1, 10),
    help="attempts per test: local, search, deep  [default: 3]",
)  # fmt: skip
@BUDGET
@ALLOW
@BOX
@click.option("--bug", metavar="ID", default="", help="the bug's own id, such as BUG-001; name its test too")
@click.option("--hint", metavar="TEXT", default="", help="advice for the agents of this run")
@click.option("--state-file", is_flag=True, help="keep .claude/fix-state.json as the run is, for other tools")
@click.option(
    "--holdout",
    is_flag=True,
    help='have an agent from another vendor write further test cases, if `proof.holdout` is "ask"',
)
@click.option("--dirty", is_flag=True, help="repair the working tree as it is, with what is not committed")
@click.option(
    "--again",
    is_flag=True,
    help="call agents even if a run already repaired this commit, or gave up on exactly this tree",
)
@click.option("--dry-run", is_flag=True, help="print the tests, the agents and the highest cost; start nothing")
@QUEUE
@DETACH
@FORMAT
def tests(
    tests: tuple[str, ...], form: str, bug: str, hint: str, *, state_file: bool, holdout: bool, dirty: bool,
    again: bool, dry_run: bool, queue: bool, detach: bool,
) -> int:  # fmt: skip
    """Repair the tests named by ID, or every red test. Your working tree is not touched."""
    from reknit.app.installation import find_installation
    from reknit.app.start.fix_tests import (
        add_case_writers,
        find_waiting_fix,
        plan_fix_tests,
        set_bug,
        set_hint,
        set_state_file,
    )
    from reknit.interfaces.cli.launch.start import show_limits, show_waiting_fix, start_run

    installation = find_installation(os.environ)
    plan = plan_fix_tests(installation, Path.cwd(), tests, collect_settings(), again=again or bool(hint), dirty=dirty)
    plan = set_hint(set_bug(plan, bug) if bug else plan, hint)
    plan = set_state_file(plan) if state_file else plan
    plan = add_case_writers(installation, plan, collect_settings(), is_requested=holdout)
    if not again and not hint and (waiting := find_waiting_fix(installation, plan.spec)):
        return show_waiting_fix(installation, waiting, form)
    if dry_run:
        return show_limits(installation, plan, form)
    return start_run(installation, plan, form, queue=queue, detach=detach)


@fix.command("pr")
@click.argument("pull", callback=parse_pull, required=False, metavar="[N]")
@AGENT
@setting(
    "--review-agent", "checks.review.agent",
    help="the agent that reviews; `off`: only existing remarks  [default: another vendor]",
)  # fmt: skip
@setting(
    "--max-iterations", "loop.max_iterations", type=click.IntRange(1, 100),
    help="maximum fixes in this run  [default: 10]",
)  # fmt: skip
@BUDGET
@ALLOW
@BOX
@NO_COMMENT
@QUEUE
@DETACH
@FORMAT
def pr(pull: tuple[int | None, str], form: str, *, queue: bool, detach: bool) -> int:
    """Repair pull request N, or that of the current branch, until review, tests and CI pass.

    N is its number or URL. Fixes are pushed to its branch, one commit each. Your working tree is not touched.
    """
    number, slug = pull
    announce_pull_search(number, form)
    from reknit.app.installation import find_installation
    from reknit.app.start.fix_pr import plan_fix_pr
    from reknit.interfaces.cli.launch.start import start_run

    installation, attended = find_installation(os.environ), sys.stdin.isatty() and not (queue or detach)
    plan = plan_fix_pr(installation, Path.cwd(), number, collect_settings(), slug=slug, attended=attended)
    return start_run(installation, plan, form, queue=queue, detach=detach)


_ISSUES_HELP = (
    "Repair open issues in batches: backend, then frontend. One commit on a branch `reknit/RUN`, judged as a "
    "whole by an agent from another vendor. Your working tree is not touched."
)


@fix.command("issues", help=_ISSUES_HELP)
@click.option("--dry-run", is_flag=True, help="print the batches and a forecast; start and spend nothing")
@setting(
    "--limit", "issues.per_run", type=click.IntRange(1, 200),
    help="maximum issues in this run, worst first  [default: 50]",
)  # fmt: skip
@click.option("--again", is_flag=True, help="also take issues that FAILED in an earlier run")
@add_narrowing_options
@AGENT
@setting(
    "--challenger", "challenger", lambda name: {"enabled": False} if name == "off" else {"agent": name},
    help="the agent that judges the whole change; `off`: none  [default: another vendor]",
)  # fmt: skip
@BUDGET
@ALLOW
@BOX
@QUEUE
@DETACH
@FORMAT
def issues(form: str, *, dry_run: bool, again: bool, queue: bool, detach: bool, **given: Any) -> int:
    """Repair open issues of the ledger."""
    from reknit.adapters.git.user_repository import UserRepository
    from reknit.app.installation import find_installation
    from reknit.app.start.fix_issues import plan_fix_issues
    from reknit.interfaces.cli.launch.start import show_forecast, start_run

    installation, folder = find_installation(os.environ), Path.cwd()
    filters = build_issue_filter(given, UserRepository.find(str(folder)).root)
    plan = plan_fix_issues(installation, folder, filters, collect_settings(), again=again)
    return (
        show_forecast(installation, plan, form)
        if dry_run
        else start_run(installation, plan, form, queue=queue, detach=detach)
    )


@fix.command("plan")
@click.argument("topic")
@click.option("--as", "name", metavar="VARIANT", default="", help="[default: what the plan recommends]")
@AGENT
@BUDGET
@BOX
@click.option("--confirm-burn-everything", "confirmed", is_flag=True, help="what the variant world-breaker needs")
@QUEUE
@DETACH
@FORMAT
def plan(topic: str, name: str, form: str, *, confirmed: bool, queue: bool, detach: bool) -> int:
    """Do the tasks of the plan TOPIC, or of its file. Each is a commit on a branch `reknit/RUN`.

    The plan must be current: your own run wrote it so, or you accepted it with `reknit plan accept`. At the end its
    acceptance criteria are checked, and their results are written under each in the plan: the only file in your working
    tree that is written.
    """
    from reknit.app.installation import find_installation
    from reknit.app.start.planning.variant import VariantRequest, plan_variant
    from reknit.interfaces.cli.launch.start import start_run

    installation = find_installation(os.environ)
    run_plan = plan_variant(installation, Path.cwd(), VariantRequest(name, topic, confirmed), collect_settings())
    return start_run(installation, run_plan, form, queue=queue, detach=detach)


def announce_pull_search(number: int | None, form: str) -> None:
    """Print the pull request that is looked up, before anything slow."""
    if form == "text" and sys.stderr.isatty():
        echo(f"looking for {f'#{number}' if number else f'the pull request of {_branch()}'} …", err=True)


def _branch() -> str:
    from reknit.adapters.git.user_repository import UserRepository

    branch = UserRepository(str(Path.cwd())).branch()
    return branch if re.fullmatch(r"[\w./+-]+", branch) else "this branch"
