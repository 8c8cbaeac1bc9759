"""`reknit fix`: repair what fails and land only what is proven."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import click

from reknit.adapters.files.regular_files import read_plain_text
from reknit.interfaces.cli.options.format import FORMAT
from reknit.interfaces.cli.options.issues import narrowing
from reknit.interfaces.cli.output.echo import echo


@click.group()
def fix() -> None:
    """Repair what fails and land only what is proven: tests and issues on a branch `reknit/RUN`, a pull request by
    commits pushed to it."""


def pull_named(_context: click.Context, _parameter: click.Parameter, given: str | None) -> tuple[int | None, str]:
    """From `12`, `#12` or the URL of a pull request: its number, and the repository that a URL names."""
    if given is None:
        return None, ""
    found = re.fullmatch(r"(?:https?://[^/]+/([^/]+/[^/]+)/pull/|#)?0*([1-9]\d{0,8})(?:/\w*)?", given)
    if not found:
        raise click.BadParameter(f"{given!r} is not a pull request: use its number or URL")
    return int(found[2]), found[1] or ""


AGENT = click.option("--agent", help="the agent that edits the code  [default: `fixer` in the configuration]")
BUDGET = click.option("--budget", type=float, help="maximum cost of this run, in US dollars  [default: 5.00]")
BOX = click.option(
    "--box", type=click.Choice(["bubblewrap", "host"]), help="`host` is not a sandbox: only for code you trust"
)
QUEUE = click.option("--queue", is_flag=True, help="leave the run to a `reknit worker`")


@fix.command("tests")
@click.argument("tests", nargs=-1, metavar="[ID]…")
@AGENT
@click.option("--attempts", type=click.IntRange(1, 10), help="attempts per test: local, search, deep  [default: 3]")
@BUDGET
@BOX
@click.option("--again", is_flag=True, help="call agents even if a run already gave up on exactly this tree")
@QUEUE
@FORMAT
def tests(
    tests: tuple[str, ...], agent: str | None, attempts: int | None, budget: float | None, box: str | None, form: str,
    *, again: bool, queue: bool,
) -> int:  # fmt: skip
    """Repair the tests named by ID, or every red test. Your working tree is not touched."""
    from reknit.app.installation import installation
    from reknit.interfaces.cli.launch.run import fix_tests

    loop = {key: value for key, value in (("attempts", attempts), ("budget_usd", budget)) if value is not None}
    flags: dict[str, Any] = {"loop": loop} if loop else {}
    flags |= {key: value for key, value in (("fixer", agent), ("box", box)) if value is not None}
    return fix_tests(installation(os.environ), Path.cwd(), tests, flags, form, again=again, queue=queue)


@fix.command("pr")
@click.argument("pull", callback=pull_named, required=False, metavar="[N]")
@AGENT
@click.option("--reviewer", help="the agent that reviews; `off`: only existing remarks  [default: another vendor]")
@click.option("--max-iterations", type=click.IntRange(1, 100), help="maximum fixes in this run  [default: 10]")
@BUDGET
@BOX
@click.option("--no-comment", is_flag=True, help="do not comment on the pull request")
@QUEUE
@FORMAT
def pr(
    pull: tuple[int | None, str], agent: str | None, reviewer: str | None, max_iterations: int | None,
    budget: float | None, box: str | None, form: str, *, no_comment: bool, queue: bool,
) -> int:  # fmt: skip
    """Repair pull request N, or that of the current branch, until review, tests and CI pass.

    N is its number or URL. Fixes are pushed to its branch, one commit each. Your working tree is not touched.
    """
    number, slug = pull
    say_what_is_sought(number, form)
    from reknit.app.installation import installation
    from reknit.interfaces.cli.launch.run import fix_pr

    given = {"max_iterations": max_iterations, "budget_usd": budget}
    loop = {key: value for key, value in given.items() if value is not None}
    flags: dict[str, Any] = {"loop": loop} if loop else {}
    flags |= {key: value for key, value in (("fixer", agent), ("box", box)) if value is not None}
    flags |= {"checks": {"review": {"agent": reviewer}}} if reviewer else {}
    flags |= {"forge": {"comment": False}} if no_comment else {}
    place, attended = installation(os.environ), sys.stdin.isatty()
    return fix_pr(place, Path.cwd(), number, flags, form, slug=slug, queue=queue, attended=attended)


@fix.command("issues")
@click.option("--dry-run", is_flag=True, help="print the batches and a forecast; start and spend nothing")
@click.option("--limit", type=click.IntRange(1, 200), help="maximum issues in this run, worst first  [default: 50]")
@click.option("--again", is_flag=True, help="also take issues that FAILED in an earlier run")
@narrowing
@AGENT
@click.option("--challenger", help="the agent that judges the whole change; `off`: none  [default: another vendor]")
@BUDGET
@BOX
@QUEUE
@FORMAT
def issues(
    limit: int | None, agent: str | None, challenger: str | None, budget: float | None, box: str | None, form: str,
    *, dry_run: bool, again: bool, queue: bool, **given: Any,
) -> int:  # fmt: skip
    """Repair open issues in batches: backend, then frontend. One commit on a branch `reknit/RUN`, judged as a whole by
    an agent from another vendor. Your working tree is not touched."""
    from reknit.app.installation import installation
    from reknit.interfaces.cli.launch.fix_issues import fix_issues

    flags: dict[str, Any] = {"loop": {"budget_usd": budget}} if budget is not None else {}
    flags |= {key: value for key, value in (("fixer", agent), ("box", box)) if value is not None}
    flags |= {"issues": {"per_run": limit}} if limit else {}
    if challenger:
        flags["challenger"] = {"enabled": False} if challenger == "off" else {"agent": challenger}
    place = installation(os.environ)
    return fix_issues(place, Path.cwd(), given, flags, form, again=again, dry_run=dry_run, queue=queue)


def say_what_is_sought(number: int | None, form: str) -> None:
    """Printed before anything slow."""
    if form == "text" and sys.stderr.isatty():
        echo(f"looking for {f'#{number}' if number else f'the pull request of {_branch()}'} …", err=True)


def _branch() -> str:
    """Read from git's files: asking git takes longer, and this is only shown while the user waits."""
    heads = (folder / ".git" / "HEAD" for folder in (Path.cwd(), *Path.cwd().parents))
    head = next((read_plain_text(head, errors="replace") for head in heads if head.is_file()), "")
    found = re.fullmatch(r"ref: refs/heads/([\w./+-]+)\n?", head)
    return found[1] if found else "this branch"
