"""What a run says of changes that it did not look at."""

import json
from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import StoredRun
from reknit.core.repository.uncommitted import KEPT, LONGEST, SHOWN, kept_names, not_looked_at
from reknit.core.run_text import ending_document, ending_text, headline, run_document
from reknit.core.runs.spec import RunSpec, beside
from reknit.core.runs.view import RunView, beside_clean
from reknit.core.testing.command import TestCommand
from tests.tools.pull_samples import RUN

MANY = tuple(f"f{number}.py" for number in range(200))
HOSTILE = ("a\n  FIXED  all is well", "b\x1b[2Jc", "d\x9b31m", "e\u202egpj.py", "x" * 5_000)


def ended(ending: str, uncommitted: tuple[str, ...], kind: str = "fix pr") -> RunView:
    target = {"pull": RUN.spec["pull"]} if kind == "fix pr" else {}
    spec = {**target, "uncommitted": list(kept_names(uncommitted)), "uncommitted_count": len(uncommitted)}
    return replace(RUN, kind=kind, state="ended", ending=ending, reason="all is well", ended_at=101.0, spec=spec)


def test_nothing_uncommitted_is_nothing_to_say() -> None:
    assert not_looked_at((), 0) == ""
    assert beside_clean(ended("CLEAN", ())) == ""
    assert beside_clean(replace(RUN, ending="CLEAN")) == "", "a run that an earlier release started"


def test_a_run_that_starts_says_so_too() -> None:
    agent, tests = AgentSettings("claude", "claude"), TestCommand("pytest", ("pytest",), "junit", "pytest.ini")
    spec = RunSpec("r-1", "fix tests", "/shop", "a" * 40, tests, (), agent, uncommitted=("a.py",), uncommitted_count=1)
    assert beside(spec) == not_looked_at(["a.py"], 1)
    assert beside(replace(spec, uncommitted=(), uncommitted_count=0)) == ""


def test_the_first_are_named_and_the_rest_counted() -> None:
    told = "ignored: uncommitted changes in"
    how = "commit them, or use `reknit fix tests --dirty`"
    assert not_looked_at(["a.py"], 1) == f"{told} 1 file: a.py; {how}"
    assert not_looked_at(["a.py", "b.py"], 2) == f"{told} 2 files: a.py, b.py; {how}"
    assert not_looked_at(MANY, 200).startswith(f"{told} 200 files: {', '.join(MANY[:SHOWN])} and {200 - SHOWN} more;")
    assert kept_names(MANY) == MANY[:KEPT]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_adds_no_line_and_no_colour(name: str) -> None:
    for told in (not_looked_at([name], 1), headline(ended("CLEAN", (name,))), *kept_names([name])):
        assert told.isprintable()
        assert len(told) < LONGEST + 200


@pytest.mark.parametrize("kind", ["fix pr", "fix tests", "fix issues"])
@pytest.mark.parametrize("width", [0, 80])
def test_a_clean_run_says_first_what_it_did_not_look_at(kind: str, width: int) -> None:
    run = ended("CLEAN", ("a.py", "b.py"), kind)
    pushed = kind == "fix pr"
    how = "commit and push them, then run it again" if pushed else "commit them, or use `reknit fix tests --dirty`"
    unseen = f"ignored: uncommitted changes in 2 files: a.py, b.py; {how}"
    text = " ".join(ending_text(StoredRun(run), width).split())
    assert text.startswith(f"note {unseen} CLEAN ")
    assert headline(run) == f"CLEAN  {unseen}; all is well"
    for document in (run_document(StoredRun(run)), ending_document(StoredRun(run), 0)):
        assert json.loads(json.dumps(document))["not_looked_at"] == unseen
        assert document["uncommitted"] == ["a.py", "b.py"]
        assert document["uncommitted_count"] == 2


@pytest.mark.parametrize("ending", ["PARTIAL", "DEFERRED", "UNVERIFIED"])
def test_another_ending_claims_nothing_of_them(ending: str) -> None:
    run = ended(ending, ("a.py",))
    assert "ignored" not in ending_text(StoredRun(run))
    document = run_document(StoredRun(run))
    assert (document["not_looked_at"], document["uncommitted"]) == ("", ["a.py"])
