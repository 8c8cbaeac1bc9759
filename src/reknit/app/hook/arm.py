"""Starts and ends fix mode, and runs the commands that a person types into a window."""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook import HookFiles
from reknit.app.installation import Installation
from reknit.app.start.fix_tests import plan_fix_tests, set_bug
from reknit.core.errors import ReknitError, UsageError
from reknit.core.fix_tests.task import FixTests
from reknit.core.hook.mode import Armed, FixMode, start_bug
from reknit.core.hook.prompt import (
    answer_armed,
    answer_parked,
    answer_refused,
    answer_started,
    is_test_package,
    lacks_test,
    parse_bug_and_test,
    parse_pull_request,
    to_inner_repository_problem,
)
from reknit.core.hook.task import HookCheck
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.workflows.runtime.codec import CODEC


def arm(
    installation: Installation, folder: Path, bug: str, test: str, *, owner: str = "", steal: bool = False
) -> Armed:
    """Start fix mode for a test that shows a bug.

    The working tree as it is now belongs to the user: only later changes are judged.
    """
    repository = UserRepository.find(str(folder)).root
    _refuse_unusable_test(folder, test, repository)
    modes, files = SqlFixModes(_open_store(installation)), HookFiles(installation.hooks)
    modes_here = modes.list_modes(repository)
    if not steal and any(mode.is_of_another_window(bug, owner) for mode in modes_here):
        message = f"{bug} belongs to another window"
        raise UsageError("another-window", message, help=f"`reknit hook arm {bug} {quote(test)} --steal` takes it over")
    plan = set_bug(plan_fix_tests(installation, folder, [test], {}, dirty=True), bug)
    test_names = plan.spec.task_as(FixTests).named_tests
    spec = replace(plan.spec, task=HookCheck(test_names, bug))
    bug_state = start_bug(bug, test_names[0], spec.limits.attempts)
    mode = FixMode(spec.run_id, spec.repository, spec.base, bug_state, time.time(), owner)
    ended = [_end_mode(installation, modes, earlier) for earlier in modes_here if earlier.is_replaced_by(bug, owner)]
    at_work = {mode.owner for mode in modes.list_modes(repository)}
    for before in {mode.owner for mode in modes.list_modes(repository, only_open=False)} - at_work:
        marker = files.read(repository, before)
        if (
            marker and marker.line != "in_progress"
        ):  # it is settled and reported; otherwise the window could not claim another
            files.remove(repository, before)
    modes.add(mode, CODEC.serialize(spec))
    files.publish(mode)
    return Armed(mode, tuple(ended))


def _refuse_unusable_test(folder: Path, test: str, repository: str) -> None:
    """Refuse a test that no check can see or run. Otherwise the window would learn it only after its work."""
    name, inner, inner_name = test.partition("::")
    file = folder / name
    if not file.exists():
        message = f"{name!r} does not exist in {str(folder)!r}"
    elif not file.resolve().is_relative_to(Path(repository).resolve()):
        message = f"{name!r} is not in the repository {repository!r}"
    elif file.is_dir() and not is_test_package([entry.name for entry in file.iterdir()]):
        message = f"{name!r} is a folder"
    elif (root := UserRepository.find(str(file if file.is_dir() else file.resolve().parent)).root) != repository:
        raise to_inner_repository_problem(name, root)
    elif inner and not file.is_dir() and lacks_test(read_plain_text(file, errors="replace"), name, inner_name):
        message = f"{name!r} has no test {inner_name!r}"
    else:
        return
    raise UsageError("no-test", message, help="name a test file, or a test in one")


def disarm(installation: Installation, folder: Path, bug: str = "") -> list[FixMode]:
    """Return the fix modes that were ended. `bug`: end only this one."""
    modes = SqlFixModes(_open_store(installation))
    modes_here = modes.list_modes(UserRepository.find(str(folder)).root)
    return [_end_mode(installation, modes, mode) for mode in modes_here if not bug or mode.bug.bug_id == bug]


def list_fix_modes(installation: Installation, folder: Path) -> list[FixMode]:
    """List all fix modes of this repository, also those that have ended."""
    return SqlFixModes(_open_store(installation)).list_modes(UserRepository.find(str(folder)).root, only_open=False)


def _end_mode(installation: Installation, modes: SqlFixModes, mode: FixMode) -> FixMode:
    ended = modes.change(mode.id, FixMode.give_up)
    if ended.check:
        from reknit.app.runs.stop import cancel_run  # late: loads the engine

        with contextlib.suppress(UsageError):  # it has just ended, or was never queued
            cancel_run(installation, ended.check)
    HookFiles(installation.hooks).close(ended)
    return ended


def _open_store(installation: Installation) -> Any:
    installation.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return open_store(installation.database)


Answer = dict[str, object]


def run_fix_test(
    installation: Installation, folders: Sequence[Path], session: str, arguments: str, event: str
) -> Answer:
    """Run `/fix-test`.

    `folders`: the window's current folder, then its project; the first that has the test is meant.
    """
    try:
        _require_session(session, f"`reknit hook arm {arguments}`")
        bug, test = parse_bug_and_test(arguments)
        file = test.partition("::")[0]
        folder = next((folder for folder in folders if (folder / file).exists()), folders[0])
        return answer_armed(arm(installation, folder, bug, test, owner=session), event)
    except ReknitError as problem:
        return answer_refused(problem, event)


def run_fix_pr(installation: Installation, folders: Sequence[Path], session: str, arguments: str, event: str) -> Answer:
    """Run `/fix-pr`."""
    from reknit.app.hook.fix_pr import start_or_park  # late: `/fix-test` needs no forge

    try:
        _require_session(session, "`reknit fix pr --detach`")
        request = parse_pull_request(arguments)
        message = start_or_park(installation, folders[0], session, request)
        return answer_parked(message, event) if request.stop else answer_started(message, event)
    except ReknitError as problem:
        return answer_refused(problem, event)


COMMANDS = {"fix-test": run_fix_test, "fix-pr": run_fix_pr}
"""Commands by the name that a person types after the slash."""


def _require_session(session: str, instead: str) -> None:
    if not session:
        raise UsageError("session", "the agent gave no usable session id", help=instead)
