"""Fix mode begins, changes its window or ends, by a person's word."""

import contextlib
import time
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from reknit.adapters.files.regular_files import read_plain_text
from reknit.adapters.git.user_repository import UserRepository
from reknit.adapters.hook.files import HookFiles
from reknit.app.installation import Installation
from reknit.app.start.fix_tests import for_bug, plan_fix_tests
from reknit.core.errors import UsageProblem
from reknit.core.hook.mode import Armed, FixMode, begin
from reknit.core.hook.named_test import inner_repository, is_test_package, lacks
from reknit.store.database import open_store
from reknit.store.fix_modes import SqlFixModes
from reknit.workflows.runtime.codec import CODEC


def arm(place: Installation, folder: Path, bug: str, test: str, *, owner: str = "", steal: bool = False) -> Armed:
    """The working tree as it is now is the user's; only what changes from here on is judged."""
    repository = UserRepository.find(str(folder)).root
    _refuse_unknown(folder, test, repository)
    modes, files = SqlFixModes(_store(place)), HookFiles(place.hooks)
    known = modes.of(repository)
    if not steal and any(mode.is_of_another_window(bug, owner) for mode in known):
        what = f"{bug} belongs to another window"
        raise UsageProblem("another-window", what, help=f"`reknit hook arm {bug} {quote(test)} --steal` takes it over")
    plan = for_bug(plan_fix_tests(place, folder, [test], {}, dirty=True), bug)
    spec = replace(plan.spec, kind="hook check")
    bug_state = begin(bug, spec.named[0], spec.limits.attempts)
    mode = FixMode(spec.run_id, spec.repository, spec.base, bug_state, time.time(), owner)
    ended = [_end(place, modes, earlier) for earlier in known if earlier.makes_way_for(bug, owner)]
    at_work = {each.owner for each in modes.of(repository)}
    for before in {each.owner for each in modes.of(repository, only_open=False)} - at_work:
        marker = files.read(repository, before)
        if marker and marker.line != "in_progress":  # settled and told: or it could not claim another
            files.remove(repository, before)
    modes.add(mode, CODEC.serialize(spec))
    files.publish(mode)
    return Armed(mode, tuple(ended))


def _refuse_unknown(folder: Path, test: str, repository: str) -> None:
    """What no check can see or run would be found out only when the window stops, with the work done."""
    name, inner, named = test.partition("::")
    file = folder / name
    if not file.exists():
        what = f"{name!r} does not exist in {str(folder)!r}"
    elif not file.resolve().is_relative_to(Path(repository).resolve()):
        what = f"{name!r} is not in the repository {repository!r}"
    elif file.is_dir() and not is_test_package([each.name for each in file.iterdir()]):
        what = f"{name!r} is a folder"
    elif (root := UserRepository.find(str(file if file.is_dir() else file.resolve().parent)).root) != repository:
        raise inner_repository(name, root)
    elif inner and not file.is_dir() and lacks(read_plain_text(file, errors="replace"), name, named):
        what = f"{name!r} has no test {named!r}"
    else:
        return
    raise UsageProblem("no-test", what, help="name a test file, or a test in one")


def disarm(place: Installation, folder: Path, bug: str = "") -> list[FixMode]:
    """Returns what was ended; `bug`: only that one."""
    modes = SqlFixModes(_store(place))
    found = modes.of(UserRepository.find(str(folder)).root)
    return [_end(place, modes, mode) for mode in found if not bug or mode.bug.bug_id == bug]


def armed(place: Installation, folder: Path) -> list[FixMode]:
    return SqlFixModes(_store(place)).of(UserRepository.find(str(folder)).root, only_open=False)


def _end(place: Installation, modes: SqlFixModes, mode: FixMode) -> FixMode:
    ended = modes.change(mode.id, FixMode.given_up)
    if ended.check:
        from reknit.app.runs.stop import cancel_run  # late: loads the engine

        with contextlib.suppress(UsageProblem):  # it has just ended, or was never queued
            cancel_run(place, ended.check)
    HookFiles(place.hooks).close(ended)
    return ended


def _store(place: Installation) -> Any:
    place.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return open_store(place.database)
