"""Options that `reknit issues` and `reknit fix issues` share: which issues to select."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from reknit.core.finding import Weight
from reknit.core.issues.lifecycle import STATUSES, BaselineState, Status
from reknit.core.repository.routing import Kind

if TYPE_CHECKING:
    from reknit.core.issues.model import IssueFilter

ALL = "ALL"
Command = TypeVar("Command", bound=Callable[..., Any])


class IssueId(click.ParamType[int]):
    """`I-42` or `42`."""

    name = "issue"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = re.fullmatch(r"(?:[iI]-)?0*([1-9]\d{0,8})", str(value), re.ASCII)
        if not found:
            self.fail(f"{value!r} is not an issue: use `I-42` or `42`", param, ctx)
        return int(found[1])


ISSUE = IssueId()
_STATUS = click.Choice([*STATUSES, ALL], case_sensitive=False)
_NARROWING = (
    click.option("--tool", "tools", multiple=True, help="the tool that reported it"),
    click.option("--rule", "rules", multiple=True, help="the rule, as its tool names it"),
    click.option("--path", "paths", multiple=True, help="a file, a folder, or a pattern with `*`"),
    click.option("--weight", "weights", multiple=True, type=click.Choice(get_args(Weight)), help="how much it matters"),
    click.option("--kind", "kinds", multiple=True, type=click.Choice(get_args(Kind)), help="by the file's extension"),
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


def filters(command: Command) -> Command:
    return _with(command, _FILTERS)


def narrowing(command: Command) -> Command:
    return _with(command, _NARROWING)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def chosen(given: Mapping[str, Any], root: str, default: Sequence[Status] = ()) -> "IssueFilter":
    """`default`: statuses if none is given. Paths are relative to the current folder if there, else to the root."""
    from reknit.core.issues.model import IssueFilter  # late: `fix tests` has no use for it

    statuses = tuple(given.get("statuses", ())) or tuple(default)
    return IssueFilter(
        statuses=() if ALL in statuses else statuses,
        tools=given["tools"],
        rules=given["rules"],
        paths=tuple(_from_root(path, root) for path in given["paths"]),
        weights=given["weights"],
        kinds=given["kinds"],
        baselines=given.get("baselines", ()),
        run_id=given.get("run_id", ""),
    )


def _from_root(path: str, root: str) -> str:
    """A pattern exists here if the folder it begins with does."""
    fixed = path.split("*", 1)[0]
    start = fixed if fixed == path else fixed.rpartition("/")[0]
    if path.startswith("/") or (start and Path(start).exists()) or start in (".", ".."):
        return os.path.relpath(os.path.join(os.path.realpath(Path.cwd()), path), root)  # noqa: PTH118 - keeps `*`
    return path.removeprefix("./").rstrip("/")
