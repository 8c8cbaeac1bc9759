"""Limits that a person sets: which are rules, which are refused, and which are broken."""

import pytest

from reknit.core.planning.constraints import (
    LIMITS,
    Facts,
    explain_violations,
    find_lowest_limit,
    make_limit,
    parse_constraint,
)
from reknit.core.planning.intent import Constraint

VARIANTS = ("grey", "red", "old-man")


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("deny_models: opus", [("model", "opus")]),
        ("deny_models: Opus, gpt-5", [("model", "opus"), ("model", "gpt-5")]),
        ("deny-models:o3", [("model", "o3")]),
        ("deny_variants: grey,old-man", [("variant", "grey"), ("variant", "old-man")]),
        ("max_usd: 3", [("budget", "3")]),
        ("MAX_USD: $2.50", [("budget", "2.50")]),
        ("branch: Feature/X", [("branch", "Feature/X")]),
        ("no opus", [("unchecked", "")]),
        ("stay under $5", [("unchecked", "")]),
        ("main only: always", [("unchecked", "")]),
        ("be careful", [("unchecked", "")]),
    ],
)
def test_a_limit_is_a_rule_or_prose(text: str, limits: list[tuple[str, str]]) -> None:
    parsed = parse_constraint(text, VARIANTS)
    assert isinstance(parsed, tuple), parsed
    assert [(limit.kind, limit.value) for limit in parsed] == limits
    for limit in parsed:
        if limit.kind == "unchecked":
            assert limit.text == text
        else:
            again = parse_constraint(limit.text, VARIANTS)
            assert isinstance(again, tuple)
            assert [(one.kind, one.value) for one in again] == [(limit.kind, limit.value)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("budget: 5", f"there is no limit budget: the limits are {', '.join(LIMITS)}"),
        (": 5", None),
        ("max_usd:", "max_usd has no value"),
        ("max_usd: 0", "max_usd is no plain number of US dollars above 0: 0"),
        ("max_usd: -1", "max_usd is no plain number of US dollars above 0: -1"),
        ("max_usd: nan", "max_usd is no plain number of US dollars above 0: nan"),
        ("max_usd: 5 euros", "max_usd is no plain number of US dollars above 0: 5 euros"),
        ("max_usd: ٣", "max_usd is no plain number of US dollars above 0: ٣"),
        ("deny_models: opus,", "deny_models has no value"),
        ("deny_variants: gray", "there is no variant gray; did you mean `grey`?"),
        ("deny_variants: zzz", f"there is no variant zzz; the variants are {', '.join(VARIANTS)}"),
    ],
)
def test_a_limit_that_would_not_hold_is_refused(text: str, why: str | None) -> None:
    assert parse_constraint(text, VARIANTS) == (why if why is not None else (Constraint("unchecked", text),))


FACTS = Facts("main", models=(("claude", "claude-sonnet-4-5"),), budget_usd=5.0, time_limit_s=3600, variant="grey")


def explained(name: str, value: str, facts: Facts) -> str:
    limit = Constraint("time", name, value) if name == "cap" else make_limit(name, value)
    assert isinstance(limit, Constraint), limit
    return "".join(why.partition("”: ")[2] for why in explain_violations((limit,), facts))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("deny_models", "opus", ""),
        ("deny_models", "sonnet", "claude would run claude-sonnet-4-5"),
        ("deny_models", "claude", "claude would run claude-sonnet-4-5"),
        ("deny_variants", "red", ""),
        ("deny_variants", "grey", "the variant is grey"),
        ("max_usd", "5", ""),
        ("max_usd", "4.99", "the budget is $5.00"),
        ("branch", "main", ""),
        ("branch", "develop", "the branch is main"),
        ("cap", "3600", ""),
        ("cap", "1800", "the time limit is 3600 s"),
        ("cap", "0", ""),
    ],
)
def test_what_is_broken_is_said(name: str, value: str, why: str) -> None:
    assert explained(name, value, FACTS) == why


OWN_MODEL = "claude would run its own model, which may be opus: set a model for it"


@pytest.mark.parametrize(
    ("name", "value", "facts", "why"),
    [
        pytest.param("deny_models", "opus", Facts("main"), "", id="no agent is chosen yet"),
        pytest.param("max_usd", "5", Facts("main"), "", id="no budget is chosen yet"),
        pytest.param("cap", "3600", Facts("main"), "", id="no time limit is chosen yet"),
        pytest.param("deny_variants", "grey", Facts("main"), "", id="no variant is chosen yet"),
        pytest.param("max_usd", "5", Facts("main", budget_usd=0), "there is no budget", id="no budget"),
        pytest.param("cap", "3600", Facts("main", time_limit_s=0), "there is no time limit", id="no time limit"),
        pytest.param("branch", "main", Facts(""), "no branch is checked out", id="no branch"),
        pytest.param("deny_models", "opus", Facts("main", models=(("claude", ""),)), OWN_MODEL, id="unknown model"),
        pytest.param("deny_models", "opus", Facts("main", models=(("claude", "Default"),)), OWN_MODEL, id="alias"),
        pytest.param("deny_models", "opus", Facts("main", models=(("gemini", ""),)), "", id="no model of that vendor"),
        pytest.param(
            "deny_models", "opus", Facts("main", models=(("mine", ""),)), OWN_MODEL.replace("claude", "mine"),
            id="an agent that nobody knows",
        ),
        pytest.param(
            "deny_models", "codex", Facts("main", models=(("codex", "gpt-5"),)), "codex would run gpt-5", id="agent"
        ),
        pytest.param(
            "deny_models", "codex", Facts("main", models=(("codex", ""),)), "codex would run its own model", id="own"
        ),
        pytest.param(
            "deny_models", "opus", Facts("main", models=(("a", "opusplan"),)), "a would run opusplan", id="begins"
        ),
        pytest.param(
            "deny_models", "GPT-5", Facts("main", models=(("a", "gpt-5.1"),)), "a would run gpt-5.1", id="any case"
        ),
        pytest.param("deny_models", "o3", Facts("main", models=(("a", "gpt-4o3"),)), "", id="inside another word"),
        pytest.param(
            "deny_models", "o3", Facts("main", models=(("a", "xo3 o3"),)), "a would run xo3 o3", id="second place"
        ),
        pytest.param(
            "deny_models", "opus", Facts("main", models=(("a", "sonnet"), ("b", "opus"))), "b would run opus",
            id="the second agent",
        ),
    ],
)  # fmt: skip
def test_what_is_not_known_and_what_is_not_there(name: str, value: str, facts: Facts, why: str) -> None:
    assert explained(name, value, facts) == why


def test_all_that_is_broken_is_said_at_once_in_order() -> None:
    texts = ("deny_models: sonnet", "be careful", "branch: develop", "deny_variants: grey")
    limits = [limit for text in texts for limit in parse_constraint(text, VARIANTS) if isinstance(limit, Constraint)]
    assert [why.partition("”")[0] for why in explain_violations(limits, FACTS)] == [
        "“deny_models: sonnet", "“branch: develop", "“deny_variants: grey",
    ]  # fmt: skip


def test_the_strictest_limits() -> None:
    limits = [Constraint("budget", "", "5"), Constraint("budget", "", "3"), Constraint("time", "", "7200")]
    assert (find_lowest_limit(limits, "budget"), find_lowest_limit(limits, "time")) == (3.0, 7200.0)
    assert find_lowest_limit((), "time") is None
    assert find_lowest_limit([Constraint("time", "no cap", "0")], "time") is None
