from reknit.core.gate.needed_waivers import NotAllowed, blocked_text, needed_waivers, needs_a_person, not_allowed_text
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waiver, Waivers

NOW = Waivers(ends_at_once=True)
LOCK = Refusal("protected-config", "uv.lock", "no")


def verdict(*refusals: Refusal) -> GateVerdict:
    return GateVerdict(refusals, ("a",), 1, 1, 1)


def test_a_waiver_helps_only_against_every_refusal() -> None:
    assert needed_waivers(verdict(LOCK, LOCK), NOW) == (("protected-config", "uv.lock"),)
    assert needed_waivers(verdict(), NOW) == ()
    assert needed_waivers(verdict(LOCK, Refusal("test-removed", "a.py", "no")), NOW) == ()
    assert needed_waivers(verdict(Refusal("too-much", "", "no")), NOW) == ()
    assert needed_waivers(verdict(LOCK), Waivers(forbidden=("protected-config:**",), ends_at_once=True)) == ()


def test_a_run_that_began_before_decides_as_it_did() -> None:
    assert needed_waivers(verdict(LOCK), Waivers()) == ()


def test_configuration_and_snapshots_are_left_to_a_person_at_once_and_the_rest_after_the_same_refusal() -> None:
    config, snapshot = (("protected-config", "uv.lock"),), (("protected-test", "tests/__snapshots__/a.snap"),)
    test = (("protected-test", "tests/test_a.py"),)
    assert needs_a_person(config, ())
    assert needs_a_person(snapshot, ())
    assert not needs_a_person(test, ())
    assert not needs_a_person((*config, *test), test)
    assert needs_a_person(test, test)
    assert not needs_a_person((), ())


def test_it_says_what_to_type_and_what_has_ended() -> None:
    over = Waiver("protected-config", "uv.lock", "why", "config.toml", "2026-01-01")
    needed = (("protected-config", "uv.lock"), ("too-much", "uv.lock"))
    assert blocked_text(needed, Waivers(ended=(over,))) == (
        "only a person may allow a change of uv.lock: add `--allow protected-config:uv.lock --allow too-much:uv.lock`"
        "; the waiver protected-config:uv.lock in config.toml ended on 2026-01-01"
    )


def test_it_says_what_would_take_issues_in() -> None:
    assert not_allowed_text(NotAllowed()) == ""
    assert not_allowed_text(NotAllowed(1, 1, ("--allow protected-config:uv.lock",))) == (
        "1 issue in files that only a person may allow to change: add `--allow protected-config:uv.lock`"
    )
    both = ("--allow protected-test:a.js", "--allow protected-config:a.js")
    options = f"add `{both[0]} {both[1]}`, and the same for 2 more files"
    assert not_allowed_text(NotAllowed(7, 3, both)).endswith(f"allow to change: {options}")
