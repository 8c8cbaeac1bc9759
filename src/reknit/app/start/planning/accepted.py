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
from reknit.app.start.instructions.variant_files import read_variants
from reknit.core.errors import UsageError
from reknit.core.gate.waiver import Waivers
from reknit.core.planning.intent import make_slug
from reknit.core.planning.plan_file.index import update_index
from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import INDEX, PlanFile, plan_path
from reknit.core.planning.plan_file.results import make_accepted_key, make_current, make_written_key
from reknit.core.planning.plan_gate import PlanRefusal, make_waivers, refuse_plan, refuse_unreadable, render_acceptance
from reknit.core.planning.tasks import split_tasks
from reknit.core.text.format import suggest_similar
from reknit.store.database import is_sqlite, open_store, sqlite_path
from reknit.store.runs.ledger import SqlRunLedger

MAX_PLAN_CHARS = 500_000
"""Longest plan accepted; parsing a longer one takes about a minute."""
_FOLDER = "accepted_plans"


@dataclass(frozen=True)
class ReadPlan:
    """A plan of the working tree that can be read."""

    root: str
    file: str
    """Path from the top of the repository."""
    text: str
    plan: PlanFile

    @property
    def key(self) -> str:
        return make_accepted_key(self.root, self.file, self.text)


def read_plan(repository: UserRepository, folder: Path, topic_or_path: str) -> ReadPlan:
    """Return the plan with this topic or path. Links are not followed: `read_text` refuses them."""
    file = _locate_plan(repository, folder, topic_or_path)
    text = read_text(repository.root, file)
    if not text:
        message = f"there is no plan {file!r}"
        raise UsageError("no-plan", message, help="`reknit plan TOPIC` makes one; here its topic or its file is meant")
    if len(text) > MAX_PLAN_CHARS:
        raise problem_from_refusal(
            PlanRefusal(f"the plan {file} is longer than {MAX_PLAN_CHARS:,} characters", "shorten it")
        )
    if "\ufffd" in text:
        raise problem_from_refusal(PlanRefusal(f"the plan {file} is not UTF-8", "save it as UTF-8"))
    plan = parse_plan(text)
    if not isinstance(plan, PlanFile):
        raise problem_from_refusal(refuse_unreadable(file, plan))
    return ReadPlan(repository.root, file, text, plan)


def problem_from_refusal(refused: PlanRefusal) -> UsageError:
    """Return a refusal as an error."""
    return UsageError("plan-refused", refused.message, help=refused.help)


def accept_plan(installation: Installation, folder: Path, topic_or_path: str) -> str:
    """Record that a person accepts this plan as it is now; a provisional one becomes current.

    Return the text to show.
    """
    repository = UserRepository.find(str(folder))
    read = read_plan(repository, folder, topic_or_path)
    text = make_current(read.text)
    accepted = replace(read, text=text, plan=replace(read.plan, status="current"))
    if read.plan.status != "provisional" or parse_plan(text) != accepted.plan:
        accepted = read
    if refused := refuse_plan(accepted.plan, accepted.plan.variant_recommendation, read.file):
        raise problem_from_refusal(refused)
    _refuse_unknown_variants(accepted)
    (installation.state / _FOLDER).mkdir(parents=True, exist_ok=True)
    (
        installation.state / _FOLDER / accepted.key
    ).touch()  # before the file is changed: a killed process accepts no other text
    rewrite(read.root, read.file, lambda old: accepted.text if old == read.text else old)
    if read.file == plan_path(accepted.plan.topic) and (Path(read.root) / INDEX).is_file():
        rewrite(read.root, INDEX, lambda old: update_index(old, accepted.plan))
    waivers = Waivers(make_waivers(accepted.plan, read.file))
    _, left_out = split_tasks(accepted.plan.tasks, repository.tracked(), waivers)
    return render_acceptance(accepted.plan, read.file, accepted.text, left_out)


def _refuse_unknown_variants(read: ReadPlan) -> None:
    """Refuse a name that is no variant's: a limit on it would forbid nothing."""
    plan, names = read.plan, [variant.name for variant in read_variants(Path(read.root))]
    denied = [limit.value for limit in plan.limits if limit.kind == "variant"]
    for name in filter(None, (plan.variant_recommendation, plan.variant_alternate, *denied)):
        if name not in names:
            hint = suggest_similar(name, names) or f"the variants are {', '.join(names)}"
            raise UsageError("no-variant", f"{read.file} names {name!r}, which is no variant", help=hint)


def is_accepted(installation: Installation, read: ReadPlan) -> bool:
    """Return True if a person accepted the plan, or a run of this installation wrote it as it is."""
    return (installation.state / _FOLDER / read.key).is_file() or is_own_text(
        installation, read.root, read.file, read.text
    )


def is_own_text(installation: Installation, root: str, file: str, text: str) -> bool:
    """Return True if a run of this installation wrote exactly this text to this file."""
    if is_sqlite(installation.database) and not sqlite_path(installation.database).exists():
        return False
    database = open_store(installation.database)
    try:
        return bool(SqlRunLedger(database).find_answer(make_written_key(root, file, text)))
    finally:
        database.dispose()


def _locate_plan(repository: UserRepository, folder: Path, topic_or_path: str) -> str:
    if not topic_or_path.strip():
        raise UsageError("no-plan", "the name of the plan is empty", help="name its topic, or its file")
    if "/" not in topic_or_path and not topic_or_path.endswith(".md"):
        return plan_path(make_slug(topic_or_path))
    root = os.path.realpath(repository.root)
    path = os.path.normpath(Path(os.path.realpath(folder), topic_or_path))
    if not Path(path).is_relative_to(root):
        raise problem_from_refusal(
            PlanRefusal(f"the plan {topic_or_path!r} is not in this repository", "name a file of this repository")
        )
    return os.path.relpath(path, root)
