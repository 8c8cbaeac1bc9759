"""Writes the reference pages from the code: `python -m scripts.generate_docs`; `--check` only says what is stale."""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from scripts.ending_checks import CHECKS, RESTS_ON
from scripts.reference.configuration import config_page
from scripts.reference.tables import cell, table
from scripts.reference.variants import variants_page

from reknit.app.engine.engine import FENCED_EXIT_CODE
from reknit.core import errors
from reknit.core.agent_reports.fields import Field
from reknit.core.agent_reports.tools import TOOLS, ReportTool
from reknit.core.fix_pr.matrix import ANY_CI, ANY_FINISHED, ROWS, decide
from reknit.core.gate.judge import RULES, Rule
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.issues.lifecycle import TRANSITIONS
from reknit.core.runs.ending import EXIT_CODES, INTERRUPTED_EXIT_CODE, LOGIN_EXIT_CODE
from reknit.interfaces.cli.main import cli

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
ENDINGS = FOLDER.parent / "concepts" / "endings.md"
WIDTH = 90
_MADE = "<!-- Made by scripts/generate_docs.py from the code. Change the code, then run it again. -->\n\n"


def pages() -> dict[str, str]:
    """File name -> text."""
    made = {
        "cli.md": cli_page(),
        "config.md": config_page(),
        "decisions.md": decisions_page(),
        "exit-codes.md": exit_codes_page(),
        "gate-rules.md": gate_rules_page(),
        "lifecycle.md": lifecycle_page(),
        "reports.md": reports_page(),
        "variants.md": variants_page(),
    }
    return {name: _MADE + text for name, text in made.items()}


def stale(folder: Path = FOLDER) -> list[str]:
    return [
        name for name, text in pages().items() if not (folder / name).exists() or (folder / name).read_text() != text
    ]


def cli_page() -> str:
    helps = "\n".join(f"## `{name}`\n\n```text\n{text}\n```\n" for name, text in _helps(cli, "reknit", None))
    return f"""# Commands

This page has the `--help` of each command. Results go to stdout, progress to stderr; `--format json` prints JSON for
programs on stdout. `RUN` is the id of a run, or the beginning of it. [Exit codes](exit-codes.md) have their own page.

{helps}"""


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    word = name.rpartition(" ")[2]
    context = click.Context(command, info_name=word, parent=parent, terminal_width=WIDTH, **command.context_settings)
    yield name, command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found:
                yield from _helps(found, f"{name} {inner}", context)


def decisions_page() -> str:
    rows = table(
        ("review", "tests", "CI", "decision", "why"),
        ((*map(_any_of, (row.review, row.tests, row.ci)), f"**{row.word}**", row.reason) for row in ROWS),
    )
    cases = table(
        ("review", "tests", "CI", "decision", "a fix is about"),
        (
            (review, tests, ci, (made := decide(review, tests, ci)).word, ", then ".join(made.parts))
            for review in ANY_FINISHED
            for tests in ANY_FINISHED
            for ci in ANY_CI
        ),
    )
    return f"""# Decisions of `reknit fix pr`

Each iteration looks at three checks of one commit: the review, the tests, CI. The first row that matches decides,
without a model. `error` means that a check gave no result, which is never a pass.

{rows}
A **fix** is made only while no limit is reached. The limits are the `loop` settings of [config.md](config.md); each has
its own [ending](../concepts/endings.md). A **wait** is durable and uses up no iteration. A **retry** looks again
`loop.error_retries` times, then the run ends `UNVERIFIED` and names the checks without a result.

## All 36 cases

{cases}"""


def _any_of(words: tuple[str, ...]) -> str:
    return "any" if len(words) > 2 else " or ".join(words)


def exit_codes_page() -> str:
    by_code = sorted(EXIT_CODES, key=lambda word: EXIT_CODES[word])
    rows = [
        (code, f"the run ended {_join_with_or(words)}")
        for code, words in groupby(by_code, key=lambda word: EXIT_CODES[word])
    ]
    rows += [(int(code), f"{why} (`{name}`)") for name, code, why in _error_tree()]
    rows += [
        (LOGIN_EXIT_CODE, "the run ended `BLOCKED`, because its agent was refused by the model"),
        (
            INTERRUPTED_EXIT_CODE,
            "interrupted, or stopped by an outage; the run is stopped and `reknit resume RUN` continues it",
        ),
        (FENCED_EXIT_CODE, "a worker ended itself because of an outage; another worker continues its runs"),
    ]
    codes = table(("code", "when"), ((str(code), when) for code, when in sorted(rows, key=lambda row: row[0])))
    return f"# Exit codes\n\n[Endings](../concepts/endings.md) says what each ending means.\n\n{codes}"


def _join_with_or(words: Iterable[str]) -> str:
    *first, last = (f"`{word}`" for word in words)
    return f"{', '.join(first)} or {last}" if first else last


def _error_tree() -> list[tuple[str, str, str]]:
    """The classes of core/errors.py as its docstring draws them: name, code, meaning."""
    drawn: list[tuple[str, str, str]] = re.findall(r"── (\w+) +(\d+) +(.+)", errors.__doc__ or "")
    for name, code, _ in drawn:
        if getattr(errors, name).exit_code != int(code):
            raise ValueError(f"core/errors.py draws {name} with exit code {code}, which it does not have")
    return drawn


def gate_rules_page() -> str:
    return f"""# Gate rules

Every rule looks at every change. One refusal by a hard rule is enough: the change does not land, and the next attempt
gets the reason. Advice is a suspicion: it refuses a change unless a [tamper check](../concepts/tamper-checks.md) held.
[The gate](../concepts/gate.md) says how the gate works. `reknit explain RULE` shows an example that the rule refuses.

{table(("rule", "strength", "what holds", "why", "who can allow it"), map(_rule_row, RULES))}"""


def _rule_row(rule: Rule) -> tuple[str, ...]:
    guide = GUIDE[rule.id]
    return (
        f"`{rule.id}`",
        rule.strength,
        rule.sentence,
        guide.purpose,
        f"nobody: {guide.never}" if guide.never else "a person",
    )


def with_ending_checks(text: str) -> str:
    """Return the page about endings with the table of what each good word rests on."""
    rows = (
        (f"`reknit {kind.removesuffix(' check')}`", ", ".join(f"`{word}`" for word in words if words[word] == checks),
         "; ".join(CHECKS[check] for check in checks))
        for kind, words in RESTS_ON.items()
        for checks in dict.fromkeys(words.values())
    )  # fmt: skip
    head, start, rest = text.partition("<!-- checks: made by scripts/generate_docs.py from the code -->\n")
    _, end, tail = rest.partition("<!-- end of checks -->\n")
    return f"{head}{start}\n{table(('command', 'word', 'it rests on'), rows)}\n{end}{tail}"


def lifecycle_page() -> str:
    rows = ((f"`{old}`", f"`{new}`", when) for (old, new), when in TRANSITIONS.items())
    return f"""# The lifecycle of an issue

An issue is created `OPEN`. The table lists every allowed change of its status; the database refuses all others.
`reknit issues show ID` prints each change with its author, reason, time, run and commit. [The
backlog](../guides/backlog.md) says how runs work on issues.

{table(("from", "to", "when"), rows)}"""


def reports_page() -> str:
    tools = "\n".join(_tool(role, tool) for role in TOOLS for tool in TOOLS[role])
    return f"""# Report tools

An agent reports with these tools, in a box and through `reknit mcp`. [Reports](../guides/reports.md) says how to use
them. A call with a wrong, missing or unknown field is refused as a whole, and the refusal
names every such field.

{tools}"""


def _tool(role: str, tool: ReportTool) -> str:
    rows = ((f"`{field.name}`", field.rule.expected, _default(field), cell(field.about)) for field in tool.fields)
    head = ("field", "value", "default", "meaning")
    return f"## `{tool.name}`, for role `{role}`\n\n{tool.about}\n\n{table(head, rows)}"


def _default(field: Field[Any]) -> str:
    return "required" if field.default is None else f"`{json.dumps(field.default)}`"


def main(arguments: list[str]) -> int:
    made = {FOLDER / name: text for name, text in pages().items()}
    made[ENDINGS] = with_ending_checks(ENDINGS.read_text())
    old = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in old:
        name = path.relative_to(FOLDER.parent.parent)
        if "--check" in arguments:
            sys.stderr.write(f"{name} is stale: run python -m scripts.generate_docs\n")
        else:
            path.write_text(made[path])
            sys.stdout.write(f"wrote {name}\n")
    return 1 if old and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
