"""ruff. It is told the rules: a report may come from a selection that is not the project's configuration."""

import re
from collections.abc import Sequence

from reknit.core.fix_issues.tools.lint_tool import LintTool
from reknit.core.issues.formats.ruff import SYNTAX

_SAFE = ("--no-unsafe-fixes", "--no-cache", "--no-force-exclude")
"""The project's configuration may say otherwise."""


def _look(rules: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--no-fix", *_SAFE, "--output-format=json", f"--select={','.join(rules)}", "--", *files)


def _fix(rules: Sequence[str], files: Sequence[str], _others: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--fix-only", *_SAFE, f"--select={','.join(rules)}", "--", *files)


RUFF = LintTool(
    name="ruff",
    format="ruff",
    programs=("ruff",),
    own="",
    configs=re.compile(r"$^"),  # it finds the configuration of each file itself
    rules=re.compile(r"[A-Z]{1,8}[0-9]{1,5}"),
    unread=SYNTAX,
    look=_look,
    fix=_fix,
    told_rules=True,
)
