"""One agent call in the database: money per call, rate limits per account."""

import time

import pytest

from reknit.core.gateway.metering import ProviderRefusal
from reknit.workflows.shared.call_accounting import RunCallAccounting
from tests.workflows.shared.conftest import Scene


def test_a_call_is_charged_by_its_own_sum_and_calls_add_up(scene: Scene) -> None:
    services, spec = scene
    first, second = (
        RunCallAccounting(services.ledger, services.accounts, spec.run_id, name) for name in ("a-1", "a-2")
    )
    first.spent(0.1)
    first.spent(0.25)  # the sum so far, not one more request
    second.spent(0.5)
    assert services.ledger.spent(spec.run_id) == pytest.approx(0.75)


def test_a_limit_of_an_account_is_known_to_every_call_until_it_is_served(scene: Scene) -> None:
    services, spec = scene
    one, other = (RunCallAccounting(services.ledger, services.accounts, spec.run_id, name) for name in ("a", "b"))
    until = time.time() + 600
    assert other.not_before("anthropic:k") is None
    one.limited("anthropic:k", ProviderRefusal(429, until))
    assert other.not_before("anthropic:k") == pytest.approx(until, abs=1)
    assert other.not_before("anthropic:other") is None
