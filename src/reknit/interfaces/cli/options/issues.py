"""Options that `reknit issues` and `reknit fix issues` share: which issues to select."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from reknit.core.finding import Weight
from reknit.core.issues.lifecycle import STATUSES, BaselineState, Status
from reknit.core.repository.file_kinds import DeveloperKind

if TYPE_CHECKING:
    from reknit.core.issues.model import IssueFilter

ALL = "ALL"
Command = TypeVar("Command", bound=Callable[..., Any])


class IssueId(click.ParamType[int]):
    """An issue's id: `I-42` or `42`."""

    name = "issue"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(?:[iI]-)?0*([1-9]\d{0,8})", str(value), re.ASCII)
        if not match:
            self.fail(f"{value!r} is not an issue: use `I-42` or `42`", param, ctx)
        return int(match[1])


ISSUE = IssueId()
_STATUS = click.Choice([*STATUSES, ALL], case_sensitive=False)
_NARROWING = (
    click.option("--tool", "tools", multiple=True, help="the tool that reported it"),
    click.option("--rule", "rules", multiple=True, help="the rule, as its tool names it"),
    click.option("--path", "paths", multiple=True, help="a file, a folder, or a pattern with `*`"),
    click.option("--weight", "weights", multiple=True, type=click.Choice(get_args(Weight)), help="how much it matters"),
    click.option(
        "--kind", "kinds", multiple=True, type=click.Choice(get_args(DeveloperKind)), help="by the file's extension"
    ),
)
_FILTERS = (
    click.option("--status", "statuses", multiple=True, type=_STATUS, help="`all` for every status"),
    *_NARROWING,
    click.option(
        "--baseline",
        "baselines",
        multiple=True,
        type=click.Choice(get_args(BaselineState)),
        help="its state in the newest report of its tools",
    ),
    click.option("--run", "run_id", default="", help="the run that works on it, or did so last"),
)


def add_filters(command: Command) -> Command:
    """Add all options that select issues."""
    return _add_options(command, _FILTERS)


def add_narrowing_options(command: Command) -> Command:
    """Add the options that select open issues for a run."""
    return _add_options(command, _NARROWING)


def _add_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def build_issue_filter(options: Mapping[str, Any], root: str, default: Sequence[Status] = ()) -> "IssueFilter":
    """Return the filter of these options. `default`: statuses if none is given."""
    from reknit.core.issues.model import IssueFilter  # late: `fix tests` has no use for it

    statuses = tuple(options.get("statuses", ())) or tuple(default)
    return IssueFilter(
        statuses=() if ALL in statuses else statuses,
        tools=options["tools"],
        rules=options["rules"],
        paths=tuple(_from_root(path, root) for path in options["paths"]),
        weights=options["weights"],
        kinds=options["kinds"],
        baselines=options.get("baselines", ()),
        run_id=options.get("run_id", ""),
    )


def _from_root(path: str, root: str) -> str:
    """Return the path relative to the root. A pattern exists here if the folder it begins with does."""
    fixed = path.split("*", 1)[0]
    start = fixed if fixed == path else fixed.rpartition("/")[0]
    if path.startswith("/") or (start and Path(start).exists()) or start in (".", ".."):
        return os.path.relpath(os.path.join(os.path.realpath(Path.cwd()), path), root)  # noqa: PTH118 - keeps `*`
    return path.removeprefix("./").rstrip("/")
