from reknit.core.gate.commit_check import check_to_document, keep_commit_rules, render_check
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waiver, Waivers, WaiverUse

LOCK = Refusal("protected-config", "uv.lock", "the fix changed uv.lock")
GONE = Refusal("test-removed", "test_a.py", "the fix removed test_a")
MORE = Refusal("protected-config", "", "and 3 more protected-config refusals")
USE = WaiverUse("protected-config", "a.lock", "we own it", "config.toml")


def verdict(*refusals: Refusal, allowed: tuple[WaiverUse, ...] = (), files: int = 2) -> GateVerdict:
    return GateVerdict(refusals, ("test-removed", "too-much"), files, 3, 1, allowed)


def lines(found: GateVerdict, waivers: Waivers = Waivers()) -> list[str]:  # noqa: B008 - a frozen value
    return list(render_check(found, waivers))


def test_a_commit_may_be_large_or_change_only_its_message() -> None:
    size = WaiverUse("too-much", "a.py", "", "--allow")
    whole = verdict(Refusal("too-much", "", "much"), Refusal("nothing-changed", "", "none"), GONE, allowed=(size, USE))
    assert keep_commit_rules(whole) == GateVerdict((GONE,), ("test-removed",), 2, 3, 1, (USE,))


def test_what_is_accepted_is_one_line() -> None:
    assert lines(verdict()) == ["the gate accepts this commit: 2 staged files, +3 -1"]
    assert lines(verdict(files=0)) == ["nothing is staged"]


def test_a_first_commit_was_not_checked() -> None:
    first = GateVerdict((), (), 0, 0, 0)
    assert lines(first) == ["nothing was checked: there is no commit yet to compare with"]


def test_each_refusal_is_one_line_and_the_help_says_what_a_person_may_do() -> None:
    assert lines(verdict(GONE, LOCK, MORE)) == [
        "test-removed  test_a.py: the fix removed test_a",
        "protected-config  uv.lock: the fix changed uv.lock",
        "protected-config  and 3 more protected-config refusals",
        "the gate refuses this commit from an agent: 3 refusals in 2 staged files, +3 -1",
        "  a person may allow  reknit check --allow protected-config:uv.lock",
        "                      or, for every commit, `[[gate.allow]]` in that person's own config file",
        "  nobody may allow    test-removed: `reknit explain test-removed` says why",
        "  your own commit     a person may make it: `git commit --no-verify`",
    ]


def test_what_the_repository_forbids_is_not_offered() -> None:
    said = lines(verdict(LOCK, MORE), Waivers(forbidden=("protected-config:**",)))
    assert [line for line in said if "may allow" in line] == []
    assert "  forbidden here      protected-config:** (gate.forbid)" in said


def test_what_a_person_allowed_and_what_has_ended_is_named() -> None:
    ended = Waiver("protected-config", "b.lock", "old", "config.toml", "2026-01-01")
    assert lines(verdict(allowed=(USE,)), Waivers(ended=(ended,)))[:2] == [
        "protected-config:a.lock allowed by a person (config.toml: we own it)",
        "the waiver protected-config:b.lock in config.toml ended on 2026-01-01",
    ]


def test_programs_get_the_same() -> None:
    document = check_to_document(verdict(GONE, LOCK, MORE, allowed=(USE,)), Waivers(), 1)
    assert {key: document[key] for key in document if key not in ("refusals", "allowed")} == {
        "schema": 1,
        "event": "checked",
        "exit_code": 1,
        "files": 2,
        "added": 3,
        "removed": 1,
        "rules": ["test-removed", "too-much"],
        "ended": [],
    }
    assert document["refusals"] == [
        {"rule": "test-removed", "path": "test_a.py", "sentence": GONE.sentence, "allow": None},
        {
            "rule": "protected-config",
            "path": "uv.lock",
            "sentence": LOCK.sentence,
            "allow": "--allow protected-config:uv.lock",
        },
        {"rule": "protected-config", "path": "", "sentence": MORE.sentence, "allow": None},
    ]
    assert document["allowed"] == [
        {"rule": "protected-config", "path": "a.lock", "reason": "we own it", "origin": "config.toml"}
    ]
