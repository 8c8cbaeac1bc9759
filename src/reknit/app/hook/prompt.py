"""Does what a person typed into a window, for that window alone."""

from collections.abc import Sequence
from pathlib import Path

from reknit.app.hook.arm import arm
from reknit.app.installation import Installation
from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.hook.prompt import (
    armed_answer,
    bug_and_test,
    parked_answer,
    pull_request_asked,
    refused_answer,
    started_answer,
)

Answer = dict[str, object]


def arm_typed(place: Installation, folders: Sequence[Path], session: str, typed: str, event: str) -> Answer:
    """`folders`: where the window works now, then its project; the first that has the test is meant."""
    try:
        _require(session, f"`reknit hook arm {typed}`")
        bug, test = bug_and_test(typed)
        file = test.partition("::")[0]
        folder = next((folder for folder in folders if (folder / file).exists()), folders[0])
        return armed_answer(arm(place, folder, bug, test, owner=session), event)
    except ReknitError as problem:
        return refused_answer(problem, event)


def fix_pr_typed(place: Installation, folders: Sequence[Path], session: str, typed: str, event: str) -> Answer:
    from reknit.app.hook.fix_pr import fix_pr  # late: `/fix-test` needs no forge

    try:
        _require(session, "`reknit fix pr --detach`")
        asked = pull_request_asked(typed)
        told = fix_pr(place, folders[0], session, asked)
        return parked_answer(told, event) if asked.stop else started_answer(told, event)
    except ReknitError as problem:
        return refused_answer(problem, event)


COMMANDS = {"fix-test": arm_typed, "fix-pr": fix_pr_typed}
"""By the name that a person types after the slash."""


def _require(session: str, instead: str) -> None:
    if not session:
        raise UsageProblem("session", "the agent gave no usable session id", help=instead)
