"""`reknit hook`: reknit inside the window of your own agent."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from reknit.core.hook.command import AGENTS
from reknit.core.text.redact import escape_hidden
from reknit.interfaces.cli.options.settings import FORMAT
from reknit.interfaces.cli.output.echo import echo


@click.group()
def hook() -> None:
    """Have your own agent work until a test passes: it is checked whenever it stops.

    With a plugin, type `/fix-test BUG-001 PATH` into a window. Without one, use `install` once and `arm` for each bug.
    """


def _which_files(command: Callable[..., Any]) -> Callable[..., Any]:
    project = click.option("--project", is_flag=True, help="The settings in this repository instead of your own.")
    agents = click.option(
        "--agent", "agents", multiple=True, type=click.Choice(list(AGENTS)), help="Only this agent; may be repeated."
    )
    return agents(project(command))


@hook.command()
@_which_files
def install(agents: tuple[str, ...], project: bool) -> int:
    """Add the Stop hook to the settings of your agents.

    Use it once, for an agent without reknit's plugin: with both, every stop would be answered twice. By default all
    agents that are installed get it. It does nothing until `reknit hook arm`, and changes nothing else in the files.
    """
    from reknit.app.hook.install import install_hooks
    from reknit.core.hook.health import format_changes

    changes = install_hooks(os.environ, agents, Path.cwd() if project else None)
    echo("\n".join(format_changes(changes, project=project)))
    return 0


@hook.command()
@_which_files
def uninstall(agents: tuple[str, ...], project: bool) -> int:
    """Remove the Stop hook from the settings of your agents.

    Use it when you want no more checks, or install the plugin instead. By default all agents lose it.
    """
    from reknit.app.hook.install import uninstall_hooks
    from reknit.core.hook.health import format_changes

    changes = uninstall_hooks(os.environ, agents, Path.cwd() if project else None)
    echo("\n".join(format_changes(changes, project=project)))
    return 0


@hook.command("arm")
@click.argument("bug", metavar="BUG")
@click.argument("test", metavar="TEST")
@click.option("--session", default="", hidden=True, help="the window that works on it")
@click.option("--steal", is_flag=True, help="take the bug over from another window")
def arm(bug: str, test: str, session: str, *, steal: bool) -> int:
    """Have a window work on BUG until TEST passes.

    Use it before an agent without the plugin fixes a bug: the first window that stops in this repository has it.
    TEST is a test file, or a test in one. The setting `loop.attempts` limits how often the window tries.
    """
    from reknit.app.hook.arm import arm as begin
    from reknit.app.installation import find_installation

    armed = begin(find_installation(os.environ), Path.cwd(), bug, test, owner=session, steal=steal)
    echo("\n  ".join((armed.sentence, *armed.ended_sentences)))
    if not session:
        echo("  the first window of your agent that stops in this repository works on it")
    return 0


@hook.command("disarm")
@click.argument("bug", required=False, default="", metavar="[BUG]")
def disarm(bug: str) -> int:
    """No longer check BUG, or any bug in this repository.

    Use it when you give a bug up, or want a window to stop. What was changed stays.
    """
    from reknit.app.hook.arm import disarm as end
    from reknit.app.installation import find_installation

    ended = end(find_installation(os.environ), Path.cwd(), bug)
    for mode in ended:
        echo(f"{mode.bug.bug_id} is no longer checked")
    if not ended:
        echo(f"{bug} is not armed here" if bug else "nothing is armed here", err=True)
    return 0


@hook.command("status")
@click.option("--all", "is_all", is_flag=True, help="also bugs that are settled")
@FORMAT
def status(form: str, *, is_all: bool) -> int:
    """Show the bugs that windows work on in this repository.

    Use it to see which window is checked, its attempt, and why the last one failed, and the pull requests that windows
    are told about.
    """
    from reknit.app.hook.arm import list_fix_modes
    from reknit.app.hook.window_pulls import list_followed
    from reknit.app.installation import find_installation

    installation = find_installation(os.environ)
    modes = [mode for mode in list_fix_modes(installation, Path.cwd()) if is_all or mode.is_open]
    pulls = list_followed(installation, Path.cwd())
    if form == "json":
        bugs = [{**mode.bug.to_document(), "owner": mode.owner, "check": mode.check} for mode in modes]
        echo(json.dumps({"schema": 1, "bugs": bugs, "pulls": [asdict(pull) for pull in pulls]}))
        return 0
    for mode in modes:
        bug = mode.bug
        window = f"window {mode.owner}" if mode.owner else "no window yet"
        echo(f"{bug.bug_id}  {bug.status}  attempt {bug.attempt} of {bug.max_attempts}  {bug.strategy}  {window}")
        echo(f"  test    {bug.test_path}")
        if bug.last_error:
            echo(f"  last    {bug.last_error}")
        if mode.check:
            echo(f"  checks  reknit watch {mode.check}")
    for pull in pulls:
        echo(f"PR #{pull.number}  {pull.state}  {pull.run}  window {pull.owner}")
        echo(f"  look    reknit watch {pull.run}")
    if not modes and not pulls:
        echo("nothing is armed here: `reknit hook arm BUG-001 PATH`", err=True)
    return 0


@hook.command("decide", hidden=True)
@click.option("--session", required=True)
@click.option("--folder", required=True, type=click.Path(path_type=Path, resolve_path=True))
@click.option("--limit", type=float, default=120.0)
@click.option("--answer", "form", type=click.Choice(["exit-code", "json"]), default="exit-code")
@click.option("--active", is_flag=True)
def decide(session: str, folder: Path, limit: float, form: str, *, active: bool) -> int:
    """Decide whether a window may stop. The entry of the Stop hook becomes this program."""
    try:
        from reknit.app.hook.decide import decide as answer_to
        from reknit.app.installation import find_installation

        answer = answer_to(find_installation(os.environ), folder, session, limit, active=active)
        block, text = answer.block, answer.text
    except Exception as problem:  # noqa: BLE001 - an exit code of ours could mean "go on" to the agent
        block, text = False, f"NOT CHECKED: {problem}"
    if form == "json" and text:
        visible_text = escape_hidden(text)  # the agent decodes what JSON escapes
        echo(json.dumps({"decision": "block", "reason": visible_text} if block else {"systemMessage": visible_text}))
        return 0
    if text:
        echo(text, err=True)
    return 2 if block else 0


@hook.command("prompt", hidden=True)
@click.option("--session", required=True)
@click.option("--folder", "folders", required=True, multiple=True, type=click.Path(path_type=Path))
@click.option("--event", required=True)
@click.option("--command", required=True)
@click.option("--typed", required=True)
def prompt(session: str, folders: tuple[Path, ...], event: str, command: str, typed: str) -> int:
    """Run the command that a person typed into a window. The hook of a prompt becomes this program."""
    from reknit.core.errors import ReknitError
    from reknit.core.hook.prompt import answer_refused

    try:
        from reknit.app.hook.arm import COMMANDS
        from reknit.app.installation import find_installation

        answer = COMMANDS[command](find_installation(os.environ), folders, session, typed, event)
    except Exception as problem:  # noqa: BLE001 - an exit code of ours could take the prompt away
        answer = answer_refused(ReknitError("internal", f"reknit failed, not your code: {problem}"), event)
    echo(json.dumps(answer))
    return 0
