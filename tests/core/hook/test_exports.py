import json
from fnmatch import fnmatch

from reknit.core.fix_pr.output import documents
from reknit.core.hook.exports import (
    BUG_STATE,
    EXPORTS,
    FOLDER,
    IGNORE,
    NEW,
    PULL_NOTE,
    PULL_STATE,
    is_export,
    render_bug_export,
    render_pull_exports,
)
from tests.tools.pull_samples import BETTER, COURSE, RUN

CHECKS = {"tests": documents.to_tests_document(BETTER.tests), "ci": documents.to_ci_document(BETTER.ci)}
STATE = documents.to_state_document(RUN, documents.to_course_document(COURSE, BETTER), CHECKS)


def test_every_export_is_in_the_folder_of_the_agent_and_can_be_ignored() -> None:
    assert all(path.startswith(f"{FOLDER}/") for path in EXPORTS)
    assert len(set(EXPORTS)) == 6
    new = [f"{path}{NEW}123" for path in EXPORTS]
    assert all(any(fnmatch(path, pattern) for pattern in IGNORE) for path in (*EXPORTS, *new))
    assert all(map(is_export, (*EXPORTS, *new)))
    assert not is_export(".claude/fix-prompt.md")


def test_the_state_of_a_bug_has_its_owner() -> None:
    [(path, text)] = render_bug_export({"bug_id": "BUG-001"}, "w1").items()
    assert (path, json.loads(text)) == (BUG_STATE, {"bug_id": "BUG-001", "owner": "w1"})


def test_the_state_of_a_pull_request_has_its_owner_and_a_file_for_each_check_that_was_made() -> None:
    texts = render_pull_exports(STATE, "w1")
    assert json.loads(texts[PULL_STATE] or "") == {**json.loads(json.dumps(STATE)), "owner": "w1"}
    assert {*texts} == {*EXPORTS} - {BUG_STATE}
    assert texts[".claude/fix-pr-check-review.json"] is None, "that of an earlier run goes"
    assert json.loads(texts[".claude/fix-pr-check-tests.json"] or "") == {**CHECKS["tests"], "owner": "w1"}


def test_the_note_says_whether_the_loop_is_active() -> None:
    lines = str(render_pull_exports(STATE, "w1")[PULL_NOTE]).splitlines()
    head = dict(line.split(": ", 1) for line in lines[1 : lines.index("---", 1)])
    assert (head["active"], head["iteration"], head["pr_number"], head["owner"]) == ("true", "3", "412", '"w1"')
    assert "active: false" in str(render_pull_exports({**STATE, "ending": "CLEAN"}, "w1")[PULL_NOTE])
    assert "active: false" in str(render_pull_exports(STATE, "w1", is_parked=True)[PULL_NOTE])
