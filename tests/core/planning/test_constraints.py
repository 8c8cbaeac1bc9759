"""Limits in a person's words: which become rules, which do not, and which are broken."""

import pytest

from reknit.core.planning.constraints import (
    DEFAULT_BRANCH,
    Facts,
    explain_violations,
    find_lowest_limit,
    parse_constraint,
    parse_constraints,
)
from reknit.core.planning.intent import Constraint

VARIANTS = ("grey", "red", "old-man", "world-breaker")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("no opus", "model", "opus"),
        ("No Opus.", "model", "opus"),
        ("no sonnet", "model", "sonnet"),
        ("no gpt-5", "model", "gpt-5"),
        ("never use gpt-5.1-codex", "model", "gpt-5.1-codex"),
        ("avoid claude-opus-4-5", "model", "claude-opus-4-5"),
        ("without haiku", "model", "haiku"),
        ("no opus models", "model", "opus"),
        ("no model gemini", "model", "gemini"),
        ("no o3", "model", "o3"),
        ("no o3-mini", "model", "o3-mini"),
        ("don’t use grok", "model", "grok"),
        ("no grey", "variant", "grey"),
        ("forbid grey", "variant", "grey"),
        ("forbid old-man", "variant", "old-man"),
        ("no World-Breaker", "variant", "world-breaker"),
        ("no variant red", "variant", "red"),
        ("not the grey variant", "variant", "grey"),
        ("stay under $5", "budget", "5"),
        ("max 5 USD", "budget", "5"),
        ("under 5 dollars", "budget", "5"),
        ("at most $ 2.50", "budget", "2.50"),
        ("under 1 dollar", "budget", "1"),
        ("no more than usd 10", "budget", "10"),
        ("$5 max", "budget", "5"),
        ("5 USD max", "budget", "5"),
        ("budget: $5", "budget", "5"),
        ("≤ $5", "budget", "5"),
        ("<$5", "budget", "5"),
        ("stay under $5 in total", "budget", "5"),
        ("2 hours max", "time", "7200"),
        ("2h cap", "time", "7200"),
        ("$5 budget", "budget", "5"),
        ("spend at most $1,500", "budget", "1500"),
        ("budget of $3", "budget", "3"),
        ("main only", "branch", "main"),
        ("only main.", "branch", "main"),
        ("only on develop", "branch", "develop"),
        ("Only on develop", "branch", "develop"),
        ("on main only", "branch", "main"),
        ("stay on master", "branch", "master"),
        ("only on the Feature/X branch", "branch", "Feature/X"),
        ("release/1.2 branch only", "branch", "release/1.2"),
        ("work only on topic", "branch", "topic"),
        ("only on the default branch", "branch", DEFAULT_BRANCH),
        ("Feature/X branch only", "branch", "Feature/X"),
        ("Main only", "branch", "main"),
        ("not on main", "branch", "not main"),
        ("Never on the Feature/X branch", "branch", "not Feature/X"),
        ("stay off main", "branch", "not main"),
        ("off the default branch", "branch", f"not {DEFAULT_BRANCH}"),
        ("not on weekdays", "unchecked", ""),
        ("off we go", "unchecked", ""),
        ("single session", "time", "18000"),
        ("~1 hour", "time", "3600"),
        ("1 hour", "time", "3600"),
        ("1-2 days", "time", "172800"),
        ("1+ week", "time", "1209600"),
        ("no cap", "time", "0"),
        ("within 2 hours", "time", "7200"),
        ("at most 30 minutes", "time", "1800"),
        ("max 1.5 h", "time", "5400"),
        ("under a day", "time", "86400"),
        ("finish within one week", "time", "604800"),
        ("less than 90s", "time", "90"),
        ("no force-push", "never", "force-push"),
        ("never force push", "never", "force-push"),
        ("don't force-push", "never", "force-push"),
        ("no pushing --force", "never", "force-push"),
        ("be careful", "unchecked", ""),
        ("", "unchecked", ""),
        ("no", "unchecked", ""),
        ("no new dependencies", "unchecked", ""),
        ("no purple", "unchecked", ""),
        ("no greyish", "unchecked", ""),
        ("no opusculum", "unchecked", ""),
        ("no o365", "unchecked", ""),
        ("docs only", "unchecked", ""),
        ("only on weekdays", "unchecked", ""),
        ("default only", "unchecked", ""),
        ("stay under 5", "unchecked", ""),
        ("stay under $0", "unchecked", ""),
        ("within 0 hours", "unchecked", ""),
        ("stay over $5", "unchecked", ""),
        ("stay under $5 per day", "unchecked", ""),
        ("under 5 euros", "unchecked", ""),
        ("no opus before noon", "unchecked", ""),
        ("main only if it is green", "unchecked", ""),
        ("force-push", "unchecked", ""),
        ("within reason", "unchecked", ""),
    ],
)
def test_a_limit_is_a_rule_or_is_not_checked(text: str, kind: str, value: str) -> None:
    found = parse_constraint(text, VARIANTS, branches=("topic",))
    assert (found.kind, found.value, found.text) == (kind, value, text)


def test_a_branch_counts_only_if_it_is_one() -> None:
    assert parse_constraint("only on weekdays", VARIANTS, branches=("weekdays",)).value == "weekdays"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("no opus", ["opus"]),
        ("no opus, stay under $5", ["opus", "5"]),
        ("no grey or red", ["grey", "red"]),
        ("no grey, red and old-man", ["grey", "red", "old-man"]),
        ("no grey, and no red; main only", ["grey", "red", "main"]),
        ("be careful", [""]),
        ("grey and red", [""]),
        ("use sonnet, no opus", [""]),
        ("no grey and be careful", [""]),
        ("up to $1,500", ["1500"]),
        (",", [""]),
    ],
)
def test_several_in_one_text_are_told_apart_if_each_is_a_rule(text: str, values: list[str]) -> None:
    found = parse_constraints(text, VARIANTS)
    assert [each.value for each in found] == values
    if values == [""]:
        assert found == (Constraint("unchecked", text),)


FACTS = Facts(
    "main", "main", models=(("claude", "claude-sonnet-4-5"),), budget_usd=5.0, time_limit_s=3600, variant="grey"
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no opus", ""),
        ("no sonnet", "claude would run claude-sonnet-4-5"),
        ("no claude", "claude would run claude-sonnet-4-5"),
        ("no red", ""),
        ("no grey", "the variant is grey"),
        ("stay under $5", ""),
        ("stay under $4.99", "the budget is $5.00"),
        ("main only", ""),
        ("only on the default branch", ""),
        ("only on develop", "the branch is main"),
        ("not on develop", ""),
        ("not on main", "the branch is main"),
        ("off the default branch", "the branch is main"),
        ("~1 hour", ""),
        ("within 30 minutes", "the time limit is 3600 s"),
        ("no cap", ""),
        ("no force-push", ""),
        ("be careful", ""),
    ],
)
def test_what_is_broken_is_said(text: str, why: str) -> None:
    expected = (f"“{text}”: {why}",) if why else ()
    assert explain_violations((parse_constraint(text, VARIANTS),), FACTS) == expected


@pytest.mark.parametrize(
    ("text", "facts", "why"),
    [
        pytest.param("no opus", Facts("main"), "", id="no agent is chosen yet"),
        pytest.param("stay under $5", Facts("main"), "", id="no budget is chosen yet"),
        pytest.param("~1 hour", Facts("main"), "", id="no time limit is chosen yet"),
        pytest.param("no grey", Facts("main"), "", id="no variant is chosen yet"),
        pytest.param("stay under $5", Facts("main", budget_usd=0), "there is no budget", id="no budget"),
        pytest.param("~1 hour", Facts("main", time_limit_s=0), "there is no time limit", id="no time limit"),
        pytest.param("main only", Facts(""), "no branch is checked out", id="no branch"),
        pytest.param("not on main", Facts(""), "no branch is checked out", id="no branch that is another"),
        pytest.param("off the default branch", Facts("topic"), "the branch is topic", id="nobody knows the default"),
        pytest.param("off the default branch", Facts("topic", "main"), "", id="off the default branch"),
        pytest.param("only on the default branch", Facts("main"), "the branch is main", id="no default branch"),
        pytest.param(
            "no opus",
            Facts("main", models=(("claude", ""),)),
            "claude would run its own model, which may be opus: set a model for it",
            id="nobody knows the model",
        ),
        pytest.param(
            "no opus",
            Facts("main", models=(("claude", "Default"),)),
            "claude would run its own model, which may be opus: set a model for it",
            id="the model is an alias",
        ),
        pytest.param("no opus", Facts("main", models=(("gemini", ""),)), "", id="no model of that vendor"),
        pytest.param(
            "no opus",
            Facts("main", models=(("mine", ""),)),
            "mine would run its own model, which may be opus: set a model for it",
            id="an agent that nobody knows",
        ),
        pytest.param("no codex", Facts("main", models=(("codex", "gpt-5"),)), "codex would run gpt-5", id="its agent"),
        pytest.param("no codex", Facts("main", models=(("codex", ""),)), "codex would run its own model", id="agent"),
        pytest.param(
            "no opus", Facts("main", models=(("a", "opusplan"),)), "a would run opusplan", id="begins with it"
        ),
        pytest.param("no gpt-5", Facts("main", models=(("a", "GPT-5.1"),)), "a would run GPT-5.1", id="any case"),
        pytest.param("no o3", Facts("main", models=(("a", "gpt-4o3"),)), "", id="inside another word"),
        pytest.param("no o3", Facts("main", models=(("a", "xo3 o3"),)), "a would run xo3 o3", id="second place"),
        pytest.param(
            "no opus",
            Facts("main", models=(("a", "sonnet"), ("b", "opus"))),
            "b would run opus",
            id="the second agent",
        ),
    ],
)
def test_what_is_not_known_and_what_is_not_there(text: str, facts: Facts, why: str) -> None:
    expected = (f"“{text}”: {why}",) if why else ()
    assert explain_violations((parse_constraint(text, VARIANTS),), facts) == expected


def test_all_that_is_broken_is_said_at_once_in_order() -> None:
    limits = [parse_constraint(text, VARIANTS) for text in ("no sonnet", "be careful", "only on develop", "no grey")]
    assert [why.partition("”")[0] for why in explain_violations(limits, FACTS)] == [
        "“no sonnet",
        "“only on develop",
        "“no grey",
    ]


def test_the_strictest_limits() -> None:
    texts = ("no grey", "no red", "stay under $5", "max 3 USD", "no cap", "within 2 hours", "no opus")
    limits = [parse_constraint(text, VARIANTS) for text in texts]
    assert (find_lowest_limit(limits, "budget"), find_lowest_limit(limits, "time")) == (3.0, 7200.0)
    assert find_lowest_limit((), "time") is None
    assert find_lowest_limit([parse_constraint("no cap", VARIANTS)], "time") is None
