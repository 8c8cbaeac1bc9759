"""ESLint. Only the project's configuration knows its rules and plugins, so rules are switched off, never on."""

import json
import re
from collections.abc import Sequence

from reknit.core.fix_issues.tools.lint_tool import LintTool
from reknit.core.issues.formats.eslint import FATAL


def _look(_rules: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return ("--format=json", "--", *files)


def _fix(_rules: Sequence[str], files: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Not the type `directive`: it would remove comments that disable the rules that are switched off here."""
    off = [f"--rule={json.dumps({rule: 'off'})}" for rule in others]
    return ("--fix", "--fix-type=problem,suggestion,layout", "--format=json", *off, "--", *files)


ESLINT = LintTool(
    name="eslint",
    format="eslint",
    programs=("node", "eslint"),
    own="node_modules/.bin/eslint",
    configs=re.compile(r"eslint\.config\.[cm]?[jt]s|\.eslintrc(\.[a-z]+)?"),
    rules=re.compile(r"[@\w][\w@/.-]{0,199}"),
    unread=FATAL,
    look=_look,
    fix=_fix,
)
