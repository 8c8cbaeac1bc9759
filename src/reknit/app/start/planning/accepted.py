"""Reads a plan, and records that a person accepted it.

The record is of the text, never of who committed it: what a stranger wrote can be squashed, picked or amended into a
commit of the person's own.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from reknit.adapters.files.working_tree import read_text, rewrite
from reknit.adapters.git.user_repository import UserRepository
from reknit.app.installation import Installation
from reknit.core.errors import UsageProblem
from reknit.core.planning.intent import slug
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile, plan_path
from reknit.core.planning.plan_file.written import accepted_key, make_current, written_key
from reknit.core.planning.plan_gate import PlanRefusal, accepted_text, refusal, unreadable
from reknit.store.database import is_sqlite, open_store, sqlite_path
from reknit.store.runs.ledger import SqlRunLedger

MOST_CHARACTERS = 500_000
"""Of a plan that is read: more than any person has written takes a minute."""
_FOLDER = "accepted_plans"


@dataclass(frozen=True)
class ReadPlan:
    """A plan of the working tree that can be read."""

    root: str
    file: str
    """From the top of the repository."""
    text: str
    plan: PlanFile

    @property
    def key(self) -> str:
        return accepted_key(self.root, self.file, self.text)


def read_plan(repository: UserRepository, folder: Path, given: str) -> ReadPlan:
    """Return the plan with this topic or path. Links are not followed: `read_text` refuses them."""
    file = _file_of(repository, folder, given)
    text = read_text(repository.root, file)
    if not text:
        what = f"there is no plan {file!r}"
        raise UsageProblem("no-plan", what, help="`reknit plan TOPIC` makes one; `--plan` takes its topic or its file")
    if len(text) > MOST_CHARACTERS:
        raise problem_of(PlanRefusal(f"the plan {file} is longer than {MOST_CHARACTERS:,} characters", "shorten it"))
    if "\ufffd" in text:
        raise problem_of(PlanRefusal(f"the plan {file} is not UTF-8", "save it as UTF-8"))
    plan = parse_plan(text)
    if not isinstance(plan, PlanFile):
        raise problem_of(unreadable(file, plan))
    return ReadPlan(repository.root, file, text, plan)


def problem_of(refused: PlanRefusal) -> UsageProblem:
    return UsageProblem("plan-refused", refused.what, help=refused.help)


def accept_plan(place: Installation, folder: Path, given: str) -> str:
    """Record that a person accepts this plan as it is now; a provisional one becomes current. Return what to show."""
    repository = UserRepository.find(str(folder))
    read = read_plan(repository, folder, given)
    text = make_current(read.text)
    accepted = replace(read, text=text, plan=replace(read.plan, status="current"))
    if read.plan.status != "provisional" or parse_plan(text) != accepted.plan:
        accepted = read
    if refused := refusal(accepted.plan, accepted.plan.variant_recommendation, read.file):
        raise problem_of(refused)
    (place.state / _FOLDER).mkdir(parents=True, exist_ok=True)
    (place.state / _FOLDER / accepted.key).touch()  # before the file is changed: a killed process accepts no other text
    rewrite(read.root, read.file, lambda old: accepted.text if old == read.text else old)
    return accepted_text(accepted.plan, read.file, accepted.text)


def is_accepted(place: Installation, read: ReadPlan) -> bool:
    """Whether a person accepted it, or a run of this installation wrote it as it is."""
    return (place.state / _FOLDER / read.key).is_file() or is_own_text(place, read.root, read.file, read.text)


def is_own_text(place: Installation, root: str, file: str, text: str) -> bool:
    """Whether a run of this installation wrote exactly this text to this file."""
    if is_sqlite(place.database) and not sqlite_path(place.database).exists():
        return False
    database = open_store(place.database)
    try:
        return bool(SqlRunLedger(database).remembered(written_key(root, file, text)))
    finally:
        database.dispose()


def _file_of(repository: UserRepository, folder: Path, given: str) -> str:
    if not given.strip():
        raise UsageProblem("no-plan", "--plan is empty", help="it takes the topic of a plan, or its file")
    if "/" not in given and not given.endswith(".md"):
        return plan_path(slug(given))
    root = os.path.realpath(repository.root)
    path = os.path.normpath(Path(os.path.realpath(folder), given))
    if not Path(path).is_relative_to(root):
        raise problem_of(PlanRefusal(f"the plan {given!r} is not in this repository", "name a file of this repository"))
    return os.path.relpath(path, root)
