"""Arms the bug that a person typed into a window, for that window alone."""

from collections.abc import Sequence
from pathlib import Path

from reknit.app.hook.arm import arm
from reknit.app.installation import Installation
from reknit.core.errors import ReknitError, UsageProblem
from reknit.core.hook.prompt import armed_answer, bug_and_test, refused_answer


def arm_typed(place: Installation, folders: Sequence[Path], session: str, typed: str, event: str) -> dict[str, object]:
    """`folders`: where the window works now, then its project; the first that has the test is meant."""
    try:
        if not session:
            raise UsageProblem("session", "the agent gave no usable session id", help=f"`reknit hook arm {typed}`")
        bug, test = bug_and_test(typed)
        file = test.partition("::")[0]
        folder = next((folder for folder in folders if (folder / file).exists()), folders[0])
        return armed_answer(arm(place, folder, bug, test, owner=session).bug, event)
    except ReknitError as problem:
        return refused_answer(problem, event)
