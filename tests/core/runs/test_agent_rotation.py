"""Who works next when a provider says `not now` or takes no key, and when nobody can."""

from collections.abc import Callable

import pytest

from reknit.core.agents.call import RateLimited, Unusable
from reknit.core.runs.agent_rotation import AUTH_TRIES, AgentRotation
from reknit.core.runs.ending import LOGIN, Ending
from reknit.core.runs.limits import Limits

LIMITS = Limits(waits=2, patience_s=60.0)
ALONE, PAIR = AgentRotation(("claude",)), AgentRotation(("claude", "gemini"))
NOT_NOW, LATER = RateLimited("overloaded"), RateLimited("rate_limited", 99.0)
NO_KEY, NOT_TAKEN = Unusable("login", "no key"), Unusable("auth", "401")


def not_taken(rotation: AgentRotation, times: int) -> AgentRotation:
    for _ in range(times):
        rotation = rotation.after_refusal(rotation.next, NOT_TAKEN)
    return rotation


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        pytest.param(PAIR, "claude", id="the first choice"),
        pytest.param(
            PAIR.after_limit(LATER).after_wait("claude", LATER, 30.0), "claude", id="the first again after a wait"
        ),
        pytest.param(
            PAIR.after_limit(LATER).after_wait("claude", LATER, 0.0), "gemini", id="the next when there was no wait"
        ),
        pytest.param(
            PAIR.after_wait("claude", LATER, 0.0).after_wait("gemini", LATER, 0.0),
            "claude",
            id="the first when all are tired",
        ),
        pytest.param(PAIR.after_wait("claude", LATER, 0.0).after_work(), "claude", id="the first after an attempt"),
        pytest.param(PAIR.after_refusal("claude", NO_KEY), "gemini", id="the next when the first needs a person"),
        pytest.param(
            PAIR.after_refusal("claude", NO_KEY).after_wait("gemini", LATER, 0.0),
            "gemini",
            id="a tired one rather than one that needs a person",
        ),
        pytest.param(not_taken(PAIR, AUTH_TRIES - 1), "claude", id="the same while its key may yet be taken"),
        pytest.param(not_taken(PAIR, AUTH_TRIES), "gemini", id="the next when its key was never taken"),
        pytest.param(not_taken(PAIR, 2 * AUTH_TRIES - 1), "gemini", id="each key is tried as often as the first"),
    ],
)
def test_who_works_next(rotation: AgentRotation, expected: str) -> None:
    assert rotation.next == expected
    assert rotation.find_ending(LIMITS) is None


def test_what_a_provider_said_is_kept_with_its_time() -> None:
    rotation = PAIR.after_limit(LATER).after_wait("claude", LATER, 0.0)
    assert (rotation.resting, rotation.blocked, rotation.waits, rotation.unnamed_waits) == (
        (("claude", 99.0),),
        LATER,
        1,
        0,
    )


def test_waits_without_a_named_time_are_counted_in_a_row() -> None:
    rotation = ALONE.after_limit(NOT_NOW).after_limit(NOT_NOW)
    assert (rotation.waits, rotation.unnamed_waits) == (2, 2)
    assert (rotation.after_work().waits, rotation.after_work().unnamed_waits) == (2, 0)


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(lambda rotation: rotation.after_work(), id="an attempt"),
        pytest.param(
            lambda rotation: rotation.after_limit(NOT_NOW), id="a provider that knows the key and is only busy"
        ),
    ],
)
def test_tries_of_a_key_are_counted_in_a_row(between: Callable[[AgentRotation], AgentRotation]) -> None:
    rotation = not_taken(between(not_taken(ALONE, AUTH_TRIES - 1)), AUTH_TRIES - 1)
    assert (rotation.out, rotation.find_ending(LIMITS)) == ((), None)


@pytest.mark.parametrize(
    ("rotation", "agent", "wait_s", "expected"),
    [
        pytest.param(PAIR, "claude", 61.0, True, id="a long wait, and another is ready"),
        pytest.param(PAIR, "claude", 60.0, False, id="a wait people put up with"),
        pytest.param(ALONE, "claude", 999.0, False, id="there is no other"),
        pytest.param(PAIR.after_wait("gemini", LATER, 0.0), "claude", 999.0, False, id="the other is tired too"),
        pytest.param(PAIR.after_refusal("gemini", NO_KEY), "claude", 999.0, False, id="the other needs a person"),
    ],
)
def test_when_another_takes_over(rotation: AgentRotation, agent: str, wait_s: float, *, expected: bool) -> None:
    assert rotation.should_fall_over(agent, wait_s, LIMITS) == expected


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        pytest.param(ALONE, None, id="nothing is in the way"),
        pytest.param(ALONE.after_limit(LATER).after_limit(LATER), None, id="as many waits as there may be"),
        pytest.param(
            ALONE.after_limit(LATER).after_limit(LATER).after_limit(LATER),
            Ending("BLOCKED", "the provider was rate limited or unavailable 3 times", cause="provider"),
            id="one wait too many",
        ),
        pytest.param(PAIR.after_refusal("claude", NO_KEY), None, id="one of two needs a person"),
        pytest.param(
            PAIR.after_refusal("claude", NO_KEY).after_refusal("gemini", NOT_TAKEN),
            None,
            id="the key of the second may be taken",
        ),
        pytest.param(
            PAIR.after_refusal("claude", NO_KEY).after_refusal("gemini", NO_KEY),
            Ending("BLOCKED", "the agent has no usable key: no key", cause=LOGIN),
            id="nobody has a key",
        ),
        pytest.param(
            not_taken(ALONE, AUTH_TRIES),
            Ending("BLOCKED", "the agent has no usable key: 401", cause=LOGIN),
            id="the only key is not taken",
        ),
        pytest.param(
            ALONE.after_refusal("claude", Unusable("config", "no such model")),
            Ending("BLOCKED", "the agent could not work (config): no such model", cause="agent"),
            id="another thing that a person must mend",
        ),
    ],
)
def test_why_nobody_can_work(rotation: AgentRotation, expected: Ending | None) -> None:
    assert rotation.find_ending(LIMITS) == expected


def test_a_crew_of_nobody_is_not_stopped() -> None:
    """Nobody reviews: that is no reason to end."""
    assert AgentRotation(()).find_ending(LIMITS) is None
