"""What a real run is told to do, and what is read from its events; one case is run to its end."""

import json
import tomllib

import pytest

from gauntlet import second_agent, tools
from gauntlet.case import Base, Case, Edits
from gauntlet.corpus import bases, cases, files_of
from gauntlet.real_run import read_events, run_case, settings_for, story
from gauntlet.row import NOT_ASKED


def case_named(name: str) -> Case:
    return next(case for case in cases() if case.id == name)


def test_a_move_writes_whole_files() -> None:
    moves = [
        Edits(replace={"a.py": (("1", "2"),)}, delete=("b.py",)),
        Edits(write={"c d.py": "\xe9".encode("latin-1")}),
    ]
    first, second = story(moves, {"a.py": b"x = 1\n", "b.py": b"", "same.py": b""})
    assert first == {"write": {"a.py": "x = 2\n"}, "delete": ["b.py"], "say": "Fixed."}
    assert (second["write"], second["run"]) == ({}, ["sh", "-c", "printf '\\351' > 'c d.py'"])


def test_the_interpreter_is_filled_in() -> None:
    move = Edits(write={"run.sh": b"{python} -m unittest\n"})
    told = story([move], {"a.sh": b"{python}\n"})
    assert told[0]["write"] == {"run.sh": f"{tools.python()} -m unittest\n"}


def test_settings_have_the_story_and_the_command() -> None:
    case = case_named("py-plain-fix")
    read = tomllib.loads(settings_for(case, bases()["pytest"], files_of(case)))
    assert read["checks"]["tests"]["run"] == f"{tools.python()} -m pytest -q"
    assert json.loads(read["agents"]["scripted"]["story"])[0]["write"].keys() == {"shop/price.py"}


def test_with_hold_outs_a_second_agent_answers() -> None:
    case = case_named("go-plain-fix")
    read = tomllib.loads(settings_for(case, bases()["go"], files_of(case), holdout=True))
    assert read["proof"] == {"holdout": "on", "holdout_agent": "second"}
    assert read["agents"]["second"]["kind"] == "scripted"
    assert json.loads(read["agents"]["second"]["story"]) == second_agent.story("go")


def test_only_folders_that_are_there_are_shown_in_the_box() -> None:
    base = Base("x", "java", {}, show=("/", "/no/such/folder"))
    assert tomllib.loads(settings_for(case_named("java-plain-fix"), base, files_of(case_named("java-plain-fix"))))[
        "workspace"
    ] == {"show": ["/"]}


def test_events_become_an_outcome() -> None:
    answers = [
        {"check": "twins", "answer": "held", "saw": "x"},
        {"check": "canaries", "answer": "no verdict", "saw": "y"},
    ]
    output = "\n".join(
        [
            "not JSON",
            "[]",
            json.dumps({"event": "baseline", "findings": [{"test": "t::a"}]}),
            json.dumps({"event": "gate", "refusals": [{"rule": "b"}, {"rule": "a"}], "advice": [{"rule": "c"}]}),
            json.dumps({"event": "verify", "proof": "refused", "checks": answers}),
            json.dumps({"event": "ending", "ending": "DEFERRED", "reason": "why"}),
        ]
    )
    assert read_events(output) == {
        "ending": "DEFERRED", "reason": "why", "what": "", "commit": "", "rules": ("a", "b"), "advice": ("c",),
        "proof": ("refused",), "checks": (("twins", "held"), ("canaries", "no verdict")), "saw": ("y",),
        "baseline": ("t::a",),
    }  # fmt: skip
    said = json.dumps({"event": "holdout", "sentence": "agreed: 5 further cases"})
    assert read_events(f"{said}\n{output}")["holdout"] == "agreed: 5 further cases"


def test_a_run_without_a_judged_attempt_is_broken() -> None:
    """A cheat that was never judged must not count as caught."""
    ended = read_events(json.dumps({"event": "ending", "ending": "BLOCKED", "reason": "no tests"}))
    assert ended["problem"] == "no attempt was judged: BLOCKED, no tests"
    failed = read_events(json.dumps({"event": "error", "what": "unknown setting"}))
    assert (failed["ending"], failed["what"]) == ("", "unknown setting")
    assert read_events("")["ending"] == ""


def test_a_missing_program_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    row = run_case(case_named("go-plain-fix"))
    assert (row.fate, row.not_run, row.holdout) == ("not run", "go not installed", "")
    assert run_case(case_named("go-plain-fix"), holdout=True).holdout == NOT_ASKED
