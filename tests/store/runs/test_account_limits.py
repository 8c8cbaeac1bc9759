"""Limits of provider accounts, shared over the database: the latest time holds, and is forgotten when it is over."""

import time

import pytest
import sqlalchemy as sa

from reknit.core.gateway.metering import ProviderRefusal
from reknit.core.runs.backoff import LONGEST_WAIT_S
from reknit.store.runs.account_limits import SqlAccounts

ACCOUNT = "anthropic:1234"


@pytest.fixture
def accounts(store: sa.Engine) -> SqlAccounts:
    return SqlAccounts(store)


def test_an_account_nobody_spoke_of_is_free(accounts: SqlAccounts) -> None:
    accounts.served(ACCOUNT)
    assert accounts.not_before(ACCOUNT) is None


def test_a_limit_is_known_to_everybody_on_the_database(accounts: SqlAccounts, store: sa.Engine) -> None:
    until = time.time() + 60
    accounts.limited(ACCOUNT, ProviderRefusal(429, until))
    assert SqlAccounts(store).not_before(ACCOUNT) == until
    assert accounts.not_before("anthropic:other") is None


@pytest.mark.parametrize("seconds", [(60, 30), (30, 60)])
def test_of_two_limits_the_later_time_holds(accounts: SqlAccounts, seconds: tuple[int, int]) -> None:
    now = time.time()
    for each in seconds:
        accounts.limited(ACCOUNT, ProviderRefusal(429, now + each))
    assert accounts.not_before(ACCOUNT) == now + 60


def test_a_time_that_is_over_is_no_limit(accounts: SqlAccounts) -> None:
    accounts.limited(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    assert accounts.not_before(ACCOUNT) is None


def test_an_answer_to_an_older_request_lifts_no_newer_limit(accounts: SqlAccounts) -> None:
    until = time.time() + 60
    accounts.limited(ACCOUNT, ProviderRefusal(429, until))
    accounts.served(ACCOUNT)
    assert accounts.not_before(ACCOUNT) == until


def rest(accounts: SqlAccounts) -> float:
    before = time.time()
    accounts.limited(ACCOUNT, ProviderRefusal(429))
    return round((accounts.not_before(ACCOUNT) or 0.0) - before)


def test_without_a_named_time_the_rest_doubles_until_an_answer_comes(accounts: SqlAccounts) -> None:
    for _ in range(3):
        accounts.limited(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    assert rest(accounts) == 8


def test_an_answer_forgets_the_strikes(accounts: SqlAccounts) -> None:
    for _ in range(3):
        accounts.limited(ACCOUNT, ProviderRefusal(429, time.time() - 1))
    accounts.served(ACCOUNT)
    assert rest(accounts) == 1


def test_refusals_that_come_together_are_one_strike(accounts: SqlAccounts) -> None:
    assert [rest(accounts) for _ in range(5)] == [1, 2, 2, 2, 2]


def test_no_time_is_too_far_to_ask_again(accounts: SqlAccounts) -> None:
    accounts.limited(ACCOUNT, ProviderRefusal(429, time.time() + 1e9))
    until = accounts.not_before(ACCOUNT)
    assert until is not None
    assert until <= time.time() + LONGEST_WAIT_S
