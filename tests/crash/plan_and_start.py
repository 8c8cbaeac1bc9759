"""Plans a run and starts it with the code it finds: in a copy of an older checkout, that is the older code.

    python -m tests.crash.plan_and_start COMMAND start SPEC [MOMENT] FOLDER   like `worker`, but writes SPEC first
    python -m tests.crash.plan_and_start COMMAND prepare FOLDER               like `worker`

FOLDER has the repository, and `flags.json` unless its config file says it all. Modules of reknit may have moved since
then, so functions are taken from the tests that import them.
"""

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.crash import worker

FIRST_PULL = 1


def plan(command: str, folder: Path) -> Any:
    stage = import_module("tests.crash.stage")
    place, told = stage.find_installation(os.environ), folder / "flags.json"
    flags = json.loads(told.read_text()) if told.exists() else {}
    if command == "fix tests":
        return import_module("tests.crash.scene").plan_fix_tests(place, folder / "shop", (), flags).spec
    here = SimpleNamespace(environment=dict(os.environ))
    if command == "fix issues":
        backlog = import_module("tests.crash.backlog_stage")
        backlog.scene.take_in(here, folder / "backlog")
        return backlog.plan_fix_issues(place, folder / "backlog", backlog.IssueFilter(), flags).spec
    pull = SimpleNamespace(command=here, clone=folder / "shop", number=FIRST_PULL)
    if command == "vote":
        return import_module("tests.tools.vote_scene").planned(pull)
    quick = import_module("tests.crash.fault_scene").QUICK
    return import_module("tests.tools.pull_play").plan(pull, FIRST_PULL, **quick)


def main(command: str, what: str, *more: str) -> None:
    if what == "start":
        text = import_module("tests.crash.stage").CODEC.serialize(plan(command, Path(more[-1])))
        Path(more[0]).write_text(text)
    worker.main(what, *more[:-1])


if __name__ == "__main__":
    main(*sys.argv[1:])
