"""Tools that report issues and fix some of them: how each is found, started and read."""

import json
import posixpath
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reknit.core.issues.formats.eslint import FATAL
from reknit.core.issues.formats.registry import Format
from reknit.core.issues.formats.ruff import SYNTAX
from reknit.core.issues.model import Issue, IssueSource
from reknit.core.repository.manifest_text import get_table, read_toml
from reknit.core.repository.paths import is_below, walk_up

NOT_INSTALLED = 127
"""Exit code if the tool, or the interpreter that it needs, is not installed."""
MAX_SETTINGS = 200
"""Maximum number of files with settings that are read."""


@dataclass(frozen=True)
class LintTool:
    """One tool, as data."""

    name: str
    """Lower-case name that reports use."""
    format: Format
    """Format of the report that it prints."""
    programs: tuple[str, ...]
    """Programs on the user's PATH that a box must contain."""
    local_path: str
    """Path of a project's own copy, below one of its folders; empty: the copy is on the PATH of its environment."""
    config_names: re.Pattern[str]
    """Names of configuration files; the tool starts in the nearest folder that has one."""
    rule_pattern: re.Pattern[str]
    """Form of a rule's name. Names come from reports, so other forms are not trusted."""
    unreadable_rule: str
    """Rule under which it reports a file that it could not read."""
    look_arguments: Callable[[Sequence[str], Sequence[str]], tuple[str, ...]]
    """Builds the arguments that make it report, from the rules and the files."""
    fix_arguments: Callable[[Sequence[str], Sequence[str], Sequence[str]], tuple[str, ...]]
    """Builds the arguments that make it apply safe fixes, from the rules, the files, and rules that it must not fix."""
    setting_names: re.Pattern[str] = re.compile(r"$^")
    """Names of files that may call unsafe fixes safe."""
    promoted_rules: Callable[[str], tuple[str, ...]] = lambda _text: ()
    """Reads from such a file the prefixes of rules whose unsafe fixes it calls safe; an empty prefix means all."""
    takes_rules: bool = False
    """True if it checks only the given rules, and names unknown ones on stderr."""


def find_folder(tool: LintTool, path: str, tracked: Collection[str]) -> str:
    """Return the folder in which the tool starts for this file; empty: the root of the repository."""
    folders = {posixpath.dirname(path) for path in tracked if tool.config_names.fullmatch(posixpath.basename(path))}
    return next((folder for folder in walk_up(posixpath.dirname(path)) if folder in folders), "")


def list_settings(tool: LintTool, files: Sequence[str], tracked: Collection[str]) -> list[str]:
    """Return the files that may call unsafe fixes safe, first those in the folders of `files` and above."""
    setting_files = [path for path in tracked if tool.setting_names.fullmatch(posixpath.basename(path))]
    above = {path for path in setting_files if any(is_below(file, posixpath.dirname(path)) for file in files)}
    return sorted(setting_files, key=lambda path: (path not in above, path.count("/"), path))[:MAX_SETTINGS]


def build_command(tool: LintTool, folder: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """Return a command that prints the version on stderr, then runs the nearest own copy, or else the one on PATH."""
    places: list[str] = []
    while tool.local_path:
        places.append("/".join([*([".."] * len(places)), tool.local_path]))
        if not folder:
            break
        folder = posixpath.dirname(folder)
    script = (
        f"for tool in {shlex.join([*(f'./{place}' for place in places), tool.name])}; do\n"
        'if command -v "$tool" >/dev/null; then echo "$("$tool" --version 2>/dev/null)" >&2; exec "$tool" "$@"; fi\n'
        f"done; exit {NOT_INSTALLED}"
    )
    return ("sh", "-c", script, "sh", *arguments)


_RUFF_SAFE = ("--no-unsafe-fixes", "--no-cache", "--no-force-exclude")
"""Options that override the project's configuration."""
_RUFF_RULE_PREFIX = re.compile(r"(?!ALL)[A-Z]{1,8}[0-9]{0,5}")


def _build_ruff_look_arguments(rules: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--no-fix", *_RUFF_SAFE, "--output-format=json", f"--select={','.join(rules)}", "--", *files)


def _build_ruff_fix_arguments(rules: Sequence[str], files: Sequence[str], _others: Sequence[str]) -> tuple[str, ...]:
    return ("check", "--fix-only", *_RUFF_SAFE, f"--select={','.join(rules)}", "--", *files)


def _read_ruff_promoted_rules(text: str) -> tuple[str, ...]:
    """Read `extend-safe-fixes`, which no option of the command line overrides."""
    data = read_toml(text)
    places = [data, get_table(data, "lint"), get_table(data, "tool", "ruff"), get_table(data, "tool", "ruff", "lint")]
    lists = (place.get("extend-safe-fixes") for place in places)
    names = [name for entries in lists if isinstance(entries, list) for name in entries]
    return tuple(name if isinstance(name, str) and _RUFF_RULE_PREFIX.fullmatch(name) else "" for name in names)


RUFF = LintTool(
    name="ruff",
    format="ruff",
    programs=("ruff",),
    local_path="",
    config_names=re.compile(r"$^"),  # it finds the configuration of each file itself
    rule_pattern=re.compile(r"[A-Z]{1,8}[0-9]{1,5}"),
    unreadable_rule=SYNTAX,
    look_arguments=_build_ruff_look_arguments,
    fix_arguments=_build_ruff_fix_arguments,
    setting_names=re.compile(r"\A(?:pyproject\.toml|(?=[^/]*ruff)[^/]*\.toml)\Z"),
    promoted_rules=_read_ruff_promoted_rules,
    takes_rules=True,
)


def _build_eslint_look_arguments(_rules: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return ("--format=json", "--", *files)


def _build_eslint_fix_arguments(_rules: Sequence[str], files: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Build arguments without the fix type `directive`, which would remove comments that disable the other rules."""
    off = [f"--rule={json.dumps({rule: 'off'})}" for rule in others]
    return ("--fix", "--fix-type=problem,suggestion,layout", "--format=json", *off, "--", *files)


ESLINT = LintTool(
    name="eslint",
    format="eslint",
    programs=("node", "eslint"),
    local_path="node_modules/.bin/eslint",
    config_names=re.compile(r"eslint\.config\.[cm]?[jt]s|\.eslintrc(\.[a-z]+)?"),
    rule_pattern=re.compile(r"[@\w][\w@/.-]{0,199}"),
    unreadable_rule=FATAL,
    look_arguments=_build_eslint_look_arguments,
    fix_arguments=_build_eslint_fix_arguments,
)


LINT_TOOLS: Mapping[str, LintTool] = {tool.name: tool for tool in (RUFF, ESLINT)}


def find_source(issue: Issue, tool: str) -> IssueSource | None:
    """Return the source of the issue that is this tool; None: there is none, or its rule cannot be one of the tool."""
    for source in issue.sources:
        if source.tool.lower() == tool and LINT_TOOLS[tool].rule_pattern.fullmatch(source.rule):
            return source
    return None


def list_tools(issues: Iterable[Issue]) -> tuple[str, ...]:
    """Return the known tools that reported any of these issues."""
    all_issues = [*issues]
    return tuple(tool for tool in LINT_TOOLS if any(find_source(issue, tool) for issue in all_issues))
