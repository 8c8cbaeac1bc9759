"""Writes the reference pages from the code: `python scripts/generate_docs.py`; `--check` only says what is stale."""

import json
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from pydantic.fields import FieldInfo

from reknit.app.config import schema as config_schema
from reknit.app.config.load import Config
from reknit.app.config.repository_settings import REPOSITORY_MAY_SET
from reknit.app.engine.engine import FENCED_EXIT_CODE
from reknit.app.start.instructions.variant_files import variants_of
from reknit.core import errors
from reknit.core.agent_reports.fields import Field
from reknit.core.agent_reports.tools import TOOLS, ReportTool
from reknit.core.fix_pr.matrix import ANY_CI, ANY_SEEN, ROWS, decide
from reknit.core.gate.judge import RULES, Rule
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.issues.lifecycle import TRANSITIONS
from reknit.core.planning.constraints import parse_constraint
from reknit.core.planning.intent import Constraint
from reknit.core.planning.validation.rules import RULES as PLAN_RULES
from reknit.core.planning.variants.floors import CONFIRM
from reknit.core.planning.variants.signals import SIGNALS
from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import FIELDS as VARIANT_FIELDS
from reknit.core.runs.ending import EXIT_CODES, INTERRUPTED_EXIT_CODE, LOGIN_EXIT_CODE
from reknit.core.text.format import counted
from reknit.interfaces.cli.main import cli

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
WIDTH = 90
LIMIT_EXAMPLES = (
    "no opus", "no gpt-5", "no grey", "stay under $5", "max 5 USD", "main only", "not on main",
    "only on the default branch", "single session", "~1 hour", "within 2 hours", "no force-push", "no new dependencies",
)  # fmt: skip
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

What each command answers to `--help`. stdout is the answer, stderr is the talk: `--format json` gives programs JSON on
stdout. A run is named by its id or by the beginning of it. Exit codes: [exit-codes.md](exit-codes.md).

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


@dataclass(frozen=True)
class Setting:
    key: str
    kind: str
    default: str
    description: str
    repository: str


def config_page() -> str:
    rows = _table(
        ("setting", "type", "default", "what it says", "a repository may set"),
        ((f"`{s.key}`", s.kind, s.default, s.description, s.repository) for s in settings()),
    )
    return f"""# Configuration

Nothing has to be configured. Where two places set the same thing, the later of these wins:

1. the defaults below
2. your own file: `config.toml` in the `reknit` folder of your configuration folder (`~/.config/reknit/config.toml`), or
   the file that `REKNIT_CONFIG` names
3. the repository's file: `reknit.toml` at its top, or else `[tool.reknit]` in its `pyproject.toml`
4. the environment: `REKNIT_` and the name in capitals, two underscores for each dot (`REKNIT_LOOP__ATTEMPTS=1`)
5. options on the command line

`reknit config show` prints what is in force, `reknit config validate` checks it, `reknit config schema` prints a JSON
schema for editors. A setting that does not exist is an error that names the nearest one that does.

The last column says what a repository's file may set: **any value**, **not above your own** (a limit in your own file
is a ceiling), **only lower** or **only stricter** than what holds without it, or a test command with **its own
programs** or ones on PATH. **nothing**: only you decide, in your own file, the environment or an option, because a
repository could leave the box, show itself a host path, or send your key elsewhere
([why](../adr/0007-operator-only-settings.md)). A setting counts only under its exact name: `Box` is an
error, not `box`.

`NAME` is an agent's name of your choice; `projects[]`, `services[]` and `gate.allow[]` are lists of tables, each
written as `[[projects]]`. Settings that end in `_s` are seconds, those in `_usd` are US dollars. `wall` is the longest
a call may take, `idle` the longest it may be silent.

{rows}
These come from the environment alone:

| variable | what it says |
|---|---|
| `REKNIT_STATE` | the folder for the database, the runs and the log; by default `~/.local/state/reknit` |
| `REKNIT_DATABASE` | the database, e.g. `postgresql+psycopg://user@host/name`; by default a SQLite file there |
| `REKNIT_LEASE_S` | Postgres: seconds until a silent process counts as dead and its runs can be taken; by default 60 |
| `REKNIT_CONFIG` | your own configuration file |
| `REKNIT_PRICES` | your own price rows; by default `prices.toml` beside your configuration file |
| `GH_TOKEN`, `GITHUB_TOKEN` | the token for GitHub; without one, what `gh` is logged in with |
| `GH_ENTERPRISE_TOKEN`, `GITHUB_ENTERPRISE_TOKEN` | the same, for an enterprise's own GitHub |
| `GH_HOST` | the one enterprise host that `GH_TOKEN` is meant for as well |
| `REKNIT_GITHUB_APP_ID` | work as a GitHub App, which needs `pip install 'reknit[app]'`: the App's id |
| `REKNIT_GITHUB_APP_KEY` | its private key: PEM text, or a file that holds it |
| `REKNIT_GITHUB_INSTALLATION` | the installation's id |
| `REKNIT_WEBHOOK_SECRET` | what `reknit serve` believes webhooks by |
"""


def decisions_page() -> str:
    rows = _table(
        ("review", "tests", "CI", "decision", "why"),
        ((*map(_any_of, (row.review, row.tests, row.ci)), f"**{row.word}**", row.reason) for row in ROWS),
    )
    cases = _table(
        ("review", "tests", "CI", "decision", "a fix is about"),
        (
            (review, tests, ci, (made := decide(review, tests, ci)).word, ", then ".join(made.parts))
            for review in ANY_SEEN
            for tests in ANY_SEEN
            for ci in ANY_CI
        ),
    )
    return f"""# Decisions of `reknit fix pr`

Each iteration looks at three checks of one commit: the review, the tests, CI. The first row that matches decides; no
model has a say in it. `error` means that a check could not be seen, which is never a pass.

{rows}
A **fix** is made only while no limit is reached; [config.md](config.md) lists them under `loop`, and the
[endings](../concepts/endings.md) say which one ends a run how. A **wait** is durable and uses up no iteration. A
**retry** looks again `loop.error_retries` times, then the run ends `UNVERIFIED` and names what was not seen.

## All 36 cases

{cases}"""


def _any_of(words: tuple[str, ...]) -> str:
    return "any" if len(words) > 2 else " or ".join(words)


def settings() -> Iterator[Setting]:
    for name, field in config_schema.settings(Config):
        key = ".".join(name)
        default = f"`{json.dumps(field.get_default(call_default_factory=True))}`"
        repository = REPOSITORY_MAY_SET.get(key, "nothing")
        shown = re.sub(r"\b(projects|services|allow)\.\*", r"\1[]", key).replace(config_schema.ANY_NAME, "NAME")
        yield Setting(shown, _kind(field), default, _cell(field.description or ""), repository)


def _kind(field: FieldInfo) -> str:
    marks = (("ge", "at least {}"), ("gt", "above {}"), ("le", "at most {}"))
    found = ((limit, name, words) for limit in field.metadata for name, words in marks if hasattr(limit, name))
    bounds = (words.format(getattr(limit, name)) for limit, name, words in found)
    return ", ".join((_words(field.annotation), *bounds))


def _words(annotation: Any) -> str:
    plain = {
        bool: "true or false", str: "text", int: "integer", float: "number",
        tuple[str, ...]: "list of text", dict[str, str]: "table of text", date: "date", type(None): "none",
    }  # fmt: skip
    if annotation in plain:
        return plain[annotation]
    if typing.get_origin(annotation) is typing.Literal:
        return ", ".join(f"`{json.dumps(word)}`" for word in typing.get_args(annotation))
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return " or ".join(_words(one) for one in typing.get_args(annotation))
    raise TypeError(f"no words for the type {annotation}: add them to scripts/generate_docs.py")


def exit_codes_page() -> str:
    by_code = sorted(EXIT_CODES, key=lambda word: EXIT_CODES[word])
    rows = [
        (code, "the run ended " + " or ".join(f"`{word}`" for word in words))
        for code, words in groupby(by_code, key=lambda word: EXIT_CODES[word])
    ]
    rows += [(int(code), f"{why} (`{name}`)") for name, code, why in _error_tree()]
    rows += [
        (LOGIN_EXIT_CODE, "the run ended `BLOCKED`, because its agent was refused by the model"),
        (
            INTERRUPTED_EXIT_CODE,
            "interrupted, or stopped by an outage; the run is parked and `reknit resume RUN` goes on",
        ),
        (FENCED_EXIT_CODE, "a worker ended itself because of an outage; another worker carries its runs on"),
    ]
    table = _table(("code", "when"), ((str(code), when) for code, when in sorted(rows, key=lambda row: row[0])))
    return f"# Exit codes\n\nWhat the endings mean: [endings](../concepts/endings.md).\n\n{table}"


def _error_tree() -> list[tuple[str, str, str]]:
    """The classes of core/errors.py as its docstring draws them: name, code, meaning."""
    drawn: list[tuple[str, str, str]] = re.findall(r"── (\w+) +(\d+) +(.+)", errors.__doc__ or "")
    for name, code, _ in drawn:
        if getattr(errors, name).exit_code != int(code):
            raise ValueError(f"core/errors.py draws {name} with exit code {code}, which it does not have")
    return drawn


def gate_rules_page() -> str:
    return f"""# Gate rules

Every rule looks at every change. One refusal is enough: the change does not land, and the next attempt is told why. How
the gate works: [the gate](../concepts/gate.md). `reknit explain RULE` shows an example of what it refuses.

{_table(("rule", "what holds", "why", "who can allow it"), map(_rule_row, RULES))}"""


def _rule_row(rule: Rule) -> tuple[str, ...]:
    guide = GUIDE[rule.id]
    return f"`{rule.id}`", rule.sentence, guide.purpose, f"nobody: {guide.never}" if guide.never else "a person"


def lifecycle_page() -> str:
    rows = ((f"`{old}`", f"`{new}`", when) for (old, new), when in TRANSITIONS.items())
    return f"""# The lifecycle of an issue

An issue is created `OPEN`. These are all the ways from one status to another; the database refuses every other. Each
change is kept with who made it, why, when, in which run and by which commit: `reknit issues show ID`. How issues are
worked on: [the backlog](../guides/backlog.md).

{_table(("from", "to", "when"), rows)}"""


def variants_page() -> str:
    variants = variants_of(None)
    weights = _table(
        ("signal", "what it looks for", "counts from", "why", "weights"),
        ((f"`{each.name}`", each.looks_for, each.number, each.why, _weights(each.name, variants)) for each in SIGNALS),
    )
    rules = _table(
        ("rule", "hard", "what holds"),
        ((f"`{name}`", "yes" if each.hard else "no", each.sentence) for name, each in PLAN_RULES.items()),
    )
    limits = _table(
        ("for example", "kind", "what is compared"),
        ((f"`{text}`", found.kind, f"`{found.value}`" if found.value else "") for text, found in _limits(variants)),
    )
    return f"""# Variants

A variant says what kind of work a run does, when it may run and how. `reknit plan` scores each one from 0 to 100, and
the model that proposes a plan chooses from the ranking. A repository adds others in `.reknit/variants/NAME.toml`, with
the fields `{"`, `".join(VARIANT_FIELDS)}`; it can replace none of these.

{_table(("variant", "purpose", "flow", "needs", "limits"), map(_variant_row, variants))}
No variant gets more than is configured: a budget or a time limit here only lowers it. `off the default branch`:
another branch than the one that origin names as its default is checked out. `confirmed`: `{CONFIRM}` was given.
`clean tree`: no uncommitted change outside `.reknit/plans`. `tests`: a test command was found. What cannot be told does
not hold.

## Signals

A score is the variant's base plus the weights of the signals that were found, kept between 0 and 100. No model has a
say in it: the same commit and date give the same scores.

{weights}
Base: {", ".join(f"{each.name} {each.base}" for each in variants if each.base)}; the others 0.

## Rules for a proposed plan

A plan that breaks a hard rule is a `fallback`; one that breaks another rule is `provisional` until a person sets its
status to `current`.

{rules}
## Limits in your own words

`--constraint` takes a few words. Those that code understands are rules, for the plan and again for the run; any other
text is only shown to the model, and the plan says that no code checks it. The run gets the lowest budget and time limit
of all.

{limits}"""


def _variant_row(variant: Variant) -> tuple[str, ...]:
    limits = (
        (f"${variant.budget_usd:g}", variant.budget_usd),
        (f"{variant.timeout_s / 3600:g} hours", variant.timeout_s),
        (counted(variant.attempts, "attempt"), variant.attempts),
        (counted(variant.tasks, "task"), variant.tasks),
    )
    named = ", ".join(text for text, value in limits if value)
    return f"`{variant.name}`", variant.purpose, variant.flow, ", ".join(variant.floors), named


def _limits(variants: Iterable[Variant]) -> Iterator[tuple[str, Constraint]]:
    names = [variant.name for variant in variants]
    for text in LIMIT_EXAMPLES:
        yield text, parse_constraint(text, names)


def _weights(signal: str, variants: Iterable[Variant]) -> str:
    return ", ".join(f"{each.name} {weight:+d}" for each in variants for name, weight in each.signals if name == signal)


def reports_page() -> str:
    tools = "\n".join(_tool(role, tool) for role in TOOLS for tool in TOOLS[role])
    return f"""# Report tools

What an agent reports with, in a box and through `reknit mcp`. How to use them: [reports](../guides/reports.md). A call
with a wrong, missing or unknown field is refused as a whole, and the refusal names every such field.

{tools}"""


def _tool(role: str, tool: ReportTool) -> str:
    rows = ((f"`{field.name}`", field.rule.expected, _default(field), _cell(field.about)) for field in tool.fields)
    head = ("field", "what it must be", "default", "what it says")
    return f"## `{tool.name}`, for role `{role}`\n\n{tool.about}\n\n{_table(head, rows)}"


def _default(field: Field[Any]) -> str:
    return "required" if field.default is None else f"`{json.dumps(field.default)}`"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main(arguments: list[str]) -> int:
    old = stale()
    if "--check" in arguments:
        for name in old:
            sys.stderr.write(f"docs/reference/{name} is stale: run python scripts/generate_docs.py\n")
        return 1 if old else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = pages()
    for name in old:
        (FOLDER / name).write_text(made[name])
        sys.stdout.write(f"wrote docs/reference/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
