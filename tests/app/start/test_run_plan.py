from dataclasses import replace

from reknit.app.start.run_plan import start_notes
from reknit.core.gate.waiver import MOST_NAMED, Waiver, Waivers
from reknit.core.services.service import Service
from tests.core.fix_tests.test_run_text import SPEC


def test_a_box_that_is_no_sandbox_is_named() -> None:
    assert start_notes(SPEC) == ()
    assert start_notes(replace(SPEC, box="host")) == (
        "box `host` is not a sandbox: agent and tests run with your permissions",
    )


def test_a_box_that_starts_no_services_says_so() -> None:
    tests = replace(SPEC.tests, services=(Service("redis-server"),))
    assert start_notes(replace(SPEC, tests=tests)) == ()
    assert "starts no services" in start_notes(replace(SPEC, tests=tests, box="host"))[1]


def test_a_waiver_that_has_ended_is_named() -> None:
    ended = tuple(
        Waiver("protected-config", f"{number}.lock", "why", "config.toml", "2026-01-01")
        for number in range(MOST_NAMED + 2)
    )
    first = "the waiver protected-config:0.lock in config.toml ended on 2026-01-01"
    assert start_notes(replace(SPEC, waivers=Waivers(ended=ended[:1]))) == (first,)
    notes = start_notes(replace(SPEC, waivers=Waivers(ended=ended)))
    assert (len(notes), notes[0], notes[-1]) == (MOST_NAMED + 1, first, "and 2 more waivers have ended")


def test_a_waiver_that_the_repository_forbids_is_named() -> None:
    waivers = Waivers((Waiver("too-much", "a.lock"), Waiver("too-much", "b")), ("too-much:*.lock",))
    said = "too-much:a.lock (--allow) has no effect: the repository forbids it (too-much:*.lock)"
    assert start_notes(replace(SPEC, waivers=waivers)) == (said,)
