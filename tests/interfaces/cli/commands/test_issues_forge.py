"""What GitHub knows of issues, from the command line: alerts, review threads, and which fixes are merged."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reknit.store.database import open_store
from reknit.store.issues.ledger import SqlIssueLedger
from tests.tools.command_line import Answer, CommandLine
from tests.tools.github import GitHub
from tests.tools.plot import SOURCE, git, ruff
from tests.tools.resolved_issues import resolve

Here = Callable[..., Answer]
SLUG, FILE = "Acme/Plot", "src/area.py"
NOTHING = {"schema": 1, "merged": [], "waiting_commits": [], "unseen": [], "not_asked": 0}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        made.make_repository(SLUG, {FILE: SOURCE})
        yield made
        assert made.violations == []


@pytest.fixture
def reknit(hub: GitHub, tmp_path: Path) -> CommandLine:
    command = CommandLine(tmp_path, {"GH_TOKEN": hub.token})
    command.configure(forge={"api": hub.url})
    return command


@pytest.fixture
def clone(hub: GitHub, tmp_path: Path) -> Path:
    folder = tmp_path / "plot"
    git(tmp_path, "clone", "-q", f"{hub.url}/{SLUG}.git", str(folder))
    return folder


@pytest.fixture
def key(hub: GitHub) -> str:
    return f"{hub.url.removeprefix('http://')}/{SLUG}".lower()


def listed(here: Here, clone: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(here("issues", "list", "--format", "json", *options, cwd=clone).out)
    return found


def raise_alerts(hub: GitHub) -> None:
    """One that ruff's own report has, too, and one that only GitHub knows."""
    hub.alert(SLUG, rule="F401", tool="ruff", path=FILE, line=1, column=8, message="`os` imported but unused")
    said = "This [variable](1) is not used."
    hub.alert(SLUG, rule="py/odd", tool="CodeQL", path=FILE, line=6, column=5, message=said, security="high")


def test_alerts_are_taken_in_and_meet_the_report_of_the_same_tool(here: Here, hub: GitHub, clone: Path) -> None:
    raise_alerts(hub)
    assert here("issues", "import", str(ruff(clone, form="sarif")), cwd=clone).exit_code == 0
    counts = [json.loads(here("issues", "import", "--alerts", "--format", "json", cwd=clone).out) for _ in range(2)]
    assert [(count["new"], count["known"]) for count in counts] == [(1, 1), (0, 2)]
    assert counts[1]["updated"] == 0
    assert counts[0]["reports"] == [{"name": "code-scanning alerts", "tools": ["ruff", "CodeQL"], "results": 2}]
    (new,) = listed(here, clone, "--tool", "CodeQL")
    assert (new["rule"], new["path"], new["line"], new["weight"]) == ("py/odd", FILE, 6, "critical")
    assert new["message"] == "This variable is not used."
    assert [source["url"] for source in new["sources"]] == [f"{hub.url}/{SLUG}/security/code-scanning/2"]


@pytest.mark.parametrize("state", ["off", "never ran"])
def test_where_there_are_no_alerts_to_be_had_nothing_is_taken_in(
    here: Here, hub: GitHub, clone: Path, state: str
) -> None:
    hub.scanning(SLUG, state)
    answer = here("issues", "import", str(ruff(clone)), "--alerts", cwd=clone)
    assert (answer.exit_code, answer.out) == (2, "")
    assert "need code scanning enabled, an analysis of the default branch" in answer.err
    assert listed(here, clone) == []


def test_a_bad_moment_in_the_middle_takes_in_nothing(here: Here, hub: GitHub, clone: Path) -> None:
    for line in range(101):
        hub.alert(SLUG, rule="r", path=FILE, line=line % 7 + 1, message=f"problem {line}")
    hub.faults.switch("secondary_limit", after=1)
    answer = here("issues", "import", "--alerts", cwd=clone)
    assert (answer.exit_code, "(limited)" in answer.err) == (2, True)
    assert listed(here, clone) == []


def test_open_threads_of_those_who_belong_there(here: Here, hub: GitHub, clone: Path) -> None:
    hub.commit(SLUG, "feat", {FILE: SOURCE + "\n\nx = 1\n"})
    number = hub.open_pull(SLUG, head="feat")
    git(clone, "fetch", "-q", "origin", "feat")
    git(clone, "checkout", "-q", "feat")
    hub.thread(SLUG, number, author="ann", file=FILE, line=10, text="what is x for?")
    hub.thread(SLUG, number, author="eve", file=FILE, line=10, text="run my code", association="NONE")
    answer = here("issues", "import", "--threads", str(number), cwd=clone)
    assert answer.exit_code == 0
    (issue,) = listed(here, clone)
    assert (issue["path"], issue["line"], issue["message"]) == (FILE, 10, "ann: what is x for?")
    here("issues", "import", "--threads", str(number), cwd=clone)
    assert len(listed(here, clone)) == 1


def test_sync_notes_what_is_merged(here: Here, reknit: CommandLine, hub: GitHub, clone: Path, key: str) -> None:
    git(clone, "checkout", "-q", "-b", "reknit/r-1")
    (clone / FILE).write_text(SOURCE.replace("import os\n", ""))
    git(clone, "commit", "-qam", "fix")
    commit = git(clone, "rev-parse", "HEAD")
    resolved(reknit, key, commit)
    answer = here("issues", "sync", "--format", "json", cwd=clone)
    assert json.loads(answer.out) == {**NOTHING, "waiting_commits": [commit]}, "it was not pushed yet"

    git(clone, "-c", f"http.extraHeader=Authorization: Bearer {hub.token}", "push", "-q", "origin", "HEAD")
    number = hub.open_pull(SLUG, head="reknit/r-1")
    hub.merge(SLUG, number, "squash")
    answer = here("issues", "sync", cwd=clone)
    assert (answer.exit_code, "I-1" in answer.out) == (0, True)
    (issue,) = listed(here, clone, "--status", "all")
    assert (issue["status"], issue["pull"]) == ("MERGED", f"{hub.url}/{SLUG}/pull/{number}")
    again = here("issues", "sync", "--format", "json", cwd=clone)
    assert json.loads(again.out) == NOTHING


def test_sync_of_a_fork_asks_its_upstream(here: Here, reknit: CommandLine, hub: GitHub, clone: Path, key: str) -> None:
    fork = hub.fork(SLUG, "eve")
    git(clone, "remote", "rename", "origin", "upstream")
    git(clone, "remote", "add", "origin", f"{hub.url}/{fork}.git")
    commit = hub.commit(fork, "reknit/r-1", {FILE: ""}, author="eve")
    number = hub.open_pull(SLUG, head="reknit/r-1", head_slug=fork, author="eve")
    resolved(reknit, key.replace("acme", "eve"), commit)
    hub.merge(SLUG, number)
    assert json.loads(here("issues", "sync", "--format", "json", cwd=clone).out)["merged"] == ["I-1"]


@pytest.mark.parametrize("fault", ["primary_limit", "server_error", "dropped", "revoked"])
def test_sync_that_was_not_answered_says_so(
    here: Here, reknit: CommandLine, hub: GitHub, clone: Path, key: str, fault: str
) -> None:
    commit = hub.commit(SLUG, "reknit/r-1", {FILE: ""})
    resolved(reknit, key, commit)
    hub.merge(SLUG, hub.open_pull(SLUG, head="reknit/r-1"))
    hub.faults.switch(fault)
    answer = here("issues", "sync", cwd=clone)
    assert (answer.exit_code != 0, answer.out, answer.err.startswith("error[")) == (True, "", True)
    hub.faults.lift()
    assert json.loads(here("issues", "sync", "--format", "json", cwd=clone).out)["merged"] == ["I-1"]


def resolved(reknit: CommandLine, key: str, commit: str) -> None:
    state = Path(reknit.environment["REKNIT_STATE"])
    state.mkdir()
    database = open_store(f"sqlite:///{state}/reknit.sqlite")
    resolve(SqlIssueLedger(database), key, commit, 1)
    database.dispose()
