"""The command line: finds the command, and turns every exception into a message and an exit code."""

import difflib
import gc
import importlib
import itertools
import json
import os
import sys
import traceback
from collections.abc import Sequence

import click

from reknit import __version__
from reknit.core.errors import ReknitError, UsageError
from reknit.interfaces.cli.output.echo import echo
from reknit.store.open_databases import closing_databases

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Repair": {
        "fix": (".fix", "Repair tests, a pull request, issues, or do a plan."),
    },
    "Read": {
        "review": (".review", "Have reviewers read a change, and fix what they find."),
        "vote": (".review", "Have two vendors judge a pull request, blind to each other."),
        "plan": (".plan", "Make a plan for a topic: variant, tasks, criteria."),
    },
    "Runs": {
        "runs": (".runs", "List runs."),
        "show": (".runs", "Show one run: how it ended, its attempts and receipts."),
        "logs": (".look", "Show what the agents of a run said and did."),
        "open": (".look", "Open the page of a run in the browser."),
        "watch": (".control", "Follow a run."),
        "resume": (".control", "Continue a run at the step it was in."),
        "stop": (".control", "Stop the work on a run, or end it for good."),
        "apply": (".control", "Bring the fix of a run into your working tree."),
        "undo": (".control", "Remove the branch a run landed on."),
    },
    "Set up": {
        "init": (".config", "Detect agent and tests, and write reknit.toml."),
        "doctor": (".config", "Test what a run depends on: git, box, agents, tests."),
        "demo": (".config", "A broken repository and a scripted agent; needs no key."),
        "config": (".config", "Show or check the effective configuration."),
        "issues": (".issues", "Keep what your tools report in one ledger."),
        "explain": (".runs", "Explain a rule of the gate or a tamper check."),
    },
    "For other programs": {
        "hook": (".hook", "Have your own agent go on until a test passes."),
        "mcp": (".serve", "Serve the report tools to your own agent."),
        "check": (".review", "Judge what is staged, before an agent commits it."),
        "serve": (".serve", "Receive webhooks, so that waiting runs continue at once."),
        "worker": (".serve", "Take queued runs and continue those of dead workers."),
    },
}
"""Heading of the help -> command -> module and help."""
COMMANDS = {name: place for group in GROUPS.values() for name, place in group.items()}
RENAMED = {
    "park": "reknit stop RUN", "cancel": "reknit stop RUN --for-good", "variant": "reknit fix plan TOPIC --as VARIANT",
}  # fmt: skip
"""Former command -> the present one."""
_FUNCTIONS = {"open": "open_page"}
"""Command whose name is a builtin's -> its function."""


_ALLOCATIONS = 50_000
"""Number of allocations before Python looks for garbage: modules that load produce hardly any."""


class Commands(click.Group):
    """A group that imports a command's module only when it is called: `--help` and `--version` must be quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in RENAMED:
            raise UsageError("usage", f"no command {cmd_name!r}", help=f"it is `{RENAMED[cmd_name]}` now")
        if cmd_name not in COMMANDS:
            near = difflib.get_close_matches(cmd_name, COMMANDS, n=1)
            hint = f"did you mean `reknit {near[0]}`?" if near else "`reknit --help` lists the commands"
            raise UsageError("usage", f"no command {cmd_name!r}", help=hint)
        module = importlib.import_module(COMMANDS[cmd_name][0], "reknit.interfaces.cli.commands")
        command: click.Command = getattr(module, _FUNCTIONS.get(cmd_name, cmd_name))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, text) for name, (_, text) in group.items()])


_CLI_HELP = (
    "reknit repairs failing code in a bounded, durable loop with the coding agents you already use, and lands "
    "only what it can prove.\n\n"
    "Without a command it shows what is here and spends nothing."
)


@click.group(
    cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}, help=_CLI_HELP
)
@click.version_option(__version__, prog_name="reknit")
@click.pass_context
def cli(context: click.Context) -> None:
    """Show what is here if there is no command."""
    if context.invoked_subcommand is None:
        from reknit.interfaces.cli.commands.overview import show_overview

        context.exit(show_overview())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, and exit."""
    gc.set_threshold(_ALLOCATIONS)
    code = run(list(sys.argv[1:] if arguments is None else arguments))
    gc.freeze()  # the process ends: to look for garbage in all that was loaded takes longer than many a command
    sys.exit(code)


@closing_databases()
def run(arguments: list[str]) -> int:
    """Run one command, and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="reknit", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as leave:
        return int(leave.exit_code)
    except click.exceptions.NoArgsIsHelpError as problem:
        echo(problem.format_message())
        return 2
    except click.ClickException as problem:
        return _explain(_to_usage_problem(problem), as_json=_wants_json(arguments))
    except (click.exceptions.Abort, KeyboardInterrupt):
        return 130
    except SystemExit:
        return 0  # how click reports that the reader of our output is gone
    except ReknitError as problem:
        return _explain(problem, as_json=_wants_json(arguments))
    except Exception as problem:  # noqa: BLE001 - the one place: a bug in reknit becomes a message and a log
        return _explain(_find_outage(problem) or _log_bug(problem), as_json=_wants_json(arguments))


def _wants_json(arguments: list[str]) -> bool:
    pairs = itertools.pairwise(arguments)
    return "--format=json" in arguments or ("--format", "json") in pairs


def _explain(problem: ReknitError, *, as_json: bool) -> int:
    if as_json:
        document = {
            "schema": 1, "event": "error", "error": problem.name, "what": problem.message, "where": problem.where,
            "help": problem.help, "exit_code": problem.exit_code,
        }  # fmt: skip
        echo(json.dumps(document))
        return problem.exit_code
    echo(f"error[{problem.name}]: {problem.message}", err=True)
    if problem.where:
        echo(f"  --> {problem.where}", err=True)
    if problem.help:
        echo(f"  help: {problem.help}", err=True)
    return problem.exit_code


def _to_usage_problem(problem: click.ClickException) -> UsageError:
    context = getattr(problem, "ctx", None)
    command = context.command_path if context else "reknit"
    return UsageError("usage", problem.format_message(), help=f"`{command} --help` shows the usage")


def _find_outage(problem: Exception) -> ReknitError | None:
    """Return the outage behind an exception: an unavailable database or a full disk is not a bug in reknit."""
    from reknit.app.installation import find_installation
    from reknit.app.outages import find_outage

    return find_outage(problem, find_installation(os.environ))


def _log_bug(problem: Exception) -> ReknitError:
    from reknit.app.installation import find_installation

    log = find_installation(os.environ).log
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with log.open("a") as file:
            traceback.print_exception(problem, file=file)
    except OSError as trouble:
        return UsageError("state", f"the state folder cannot be used: {trouble}", help="set REKNIT_STATE")
    message = f"reknit failed, not your code: {type(problem).__name__}: {problem}"
    return ReknitError("internal", message, help=f"the details are in {log}")


if __name__ == "__main__":
    main()
