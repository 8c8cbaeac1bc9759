"""ruff. It is told the rules: a report may come from a selection that is not the project's configuration."""

import re
from collections.abc import Sequence

from reknit.core.fix_issues.tools.lint_tool import LintTool
from reknit.core.issues.formats.ruff import SYNTAX
from reknit.core.repository.manifest_text import read_toml, table

_SAFE = ("--no-unsafe-fixes", "--no-cache", "--no-force-exclude")
"""The project's configuration may say otherwise."""
_BEGINNING = re.compile(r"(?!ALL)[A-Z]{1,8}[0-9]{0,5}")


def _look(rules: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--no-fix", *_SAFE, "--output-format=json", f"--select={','.join(rules)}", "--", *files)


def _fix(rules: Sequence[str], files: Sequence[str], _others: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--fix-only", *_SAFE, f"--select={','.join(rules)}", "--", *files)


def _called_safe(text: str) -> tuple[str, ...]:
    """`extend-safe-fixes` cannot be undone on the command line."""
    data = read_toml(text)
    places = [data, table(data, "lint"), table(data, "tool", "ruff"), table(data, "tool", "ruff", "lint")]
    lists = (place.get("extend-safe-fixes") for place in places)
    names = [name for found in lists if isinstance(found, list) for name in found]
    return tuple(name if isinstance(name, str) and _BEGINNING.fullmatch(name) else "" for name in names)


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
    settings=re.compile(r"\A(?:pyproject\.toml|(?=[^/]*ruff)[^/]*\.toml)\Z"),
    called_safe=_called_safe,
    told_rules=True,
)
