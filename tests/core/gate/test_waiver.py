from datetime import date

import pytest

from reknit.core.errors import UsageError
from reknit.core.gate.rule_guide import GUIDE
from reknit.core.gate.waiver import (
    Waiver,
    Waivers,
    WaiverUse,
    append_allowed,
    check_forbidden,
    is_waivable,
    parse_typed,
    render_ended,
    render_forbidden,
    render_options,
    render_use,
    split_by_end,
)

LOCK = Waiver("protected-config", "package-lock.json")


def test_what_is_typed_names_a_rule_and_a_path() -> None:
    waiver = parse_typed("protected-config:./a:b.lock")
    assert waiver == Waiver("protected-config", "a:b.lock", origin="--allow")
    assert waiver.name == "protected-config:a:b.lock"


def test_what_is_typed_wrongly_says_what_is_meant() -> None:
    with pytest.raises(UsageError, match="is not RULE:PATH"):
        parse_typed("protected-config")
    with pytest.raises(UsageError, match="absolute"):
        parse_typed("protected-config:/etc/x")
    with pytest.raises(UsageError, match="no rule 'protected-confg'") as near:
        parse_typed("protected-confg:a")
    assert near.value.help.startswith("did you mean `protected-config`? The rules are: test-removed, ")
    with pytest.raises(UsageError, match="canaries is a tamper check, and nobody can allow"):
        parse_typed("canaries:a.py")
    with pytest.raises(UsageError, match="no rule ''") as far:
        parse_typed(":a")
    assert far.value.help.startswith("The rules are: ")
    assert near.value.exit_code == far.value.exit_code == 2


@pytest.mark.parametrize("rule", [rule for rule, guide in GUIDE.items() if guide.never])
def test_a_rule_that_nobody_can_allow_says_why(rule: str) -> None:
    assert not is_waivable(rule)
    with pytest.raises(UsageError, match=f"nobody can allow {rule}: {GUIDE[rule].never}"):
        parse_typed(f"{rule}:a.py")


def test_a_waiver_that_got_past_the_check_does_not_count_for_such_a_rule() -> None:
    assert Waivers((Waiver("test-removed", "a.py"),)).find_waiver("test-removed", "a.py") is None
    assert Waivers((Waiver("no-such-rule", "a.py"),)).find_waiver("no-such-rule", "a.py") is None


def test_a_waiver_covers_its_rule_and_its_path() -> None:
    waivers = Waivers((LOCK,))
    assert waivers.find_waiver("protected-config", "package-lock.json") is LOCK
    assert waivers.find_waiver("protected-config", "package.json") is None
    assert waivers.find_waiver("protected-test", "package-lock.json") is None


def test_no_pattern_covers_a_name_that_cannot_be_seen() -> None:
    waivers = Waivers((Waiver("hidden-text", "docs/**"),))
    assert waivers.find_waiver("hidden-text", "docs/a.md")
    assert waivers.find_waiver("hidden-text", "docs/a\u202edm.md") is None
    assert waivers.find_waiver("hidden-text", "docs/a\nb.md") is None


def test_what_the_repository_forbids_is_stronger_than_any_waiver() -> None:
    ci = Waiver("protected-config", ".github/**")
    waivers = Waivers((LOCK, ci), forbidden=("protected-config:.github/workflows/release.yml", "too-much:**"))
    assert waivers.find_waiver("protected-config", ".github/workflows/release.yml") is None
    assert waivers.find_waiver("protected-config", ".github/workflows/ci.yml") is ci
    assert waivers.find_forbidding("too-much", "a") == "too-much:**"
    assert waivers.find_forbidding("protected-config", "package-lock.json") == ""


@pytest.mark.parametrize(
    ("allowed", "forbidden", "is_in_force"),
    [
        pytest.param("uv.lock", "*.lock", False, id="a file that a pattern forbids"),
        pytest.param(".github/**", ".github/**", False, id="the same pattern"),
        pytest.param(".github/**", "**", False, id="everything"),
        pytest.param(".github/**", ".github/release.yml", True, id="one of the files"),
        pytest.param("uv.lock", "poetry.lock", True, id="another file"),
    ],
)
def test_a_waiver_that_is_wholly_forbidden_is_not_in_force(allowed: str, forbidden: str, is_in_force: bool) -> None:
    waivers = Waivers((Waiver("protected-config", allowed),), (f"protected-config:{forbidden}",))
    assert waivers.in_force == (waivers.allowed if is_in_force else ())
    assert bool(render_forbidden(waivers)) is not is_in_force


def test_a_repository_may_forbid_all_of_a_rule() -> None:
    assert check_forbidden("protected-config:**") == "protected-config:**"
    assert check_forbidden("test-removed:./a.py") == "test-removed:a.py"
    with pytest.raises(UsageError, match="is not RULE:PATH"):
        check_forbidden("protected-config")
    with pytest.raises(UsageError, match="no rule"):
        check_forbidden("config:**")


def test_a_waiver_counts_through_its_last_day() -> None:
    today = date(2026, 11, 17)
    open_end, last_day, over = (
        LOCK,
        Waiver("too-much", "a", until="2026-11-17"),
        Waiver("too-much", "b", until="2026-11-16"),
    )
    assert split_by_end([open_end, last_day, over], today) == ((open_end, last_day), (over,))
    assert render_ended(Waiver("too-much", "b", "why", "config.toml", "2026-11-16")) == (
        "the waiver too-much:b in config.toml ended on 2026-11-16"
    )


def test_each_use_names_rule_file_origin_and_reason() -> None:
    typed = WaiverUse("protected-config", "package-lock.json", "", "--allow")
    kept = WaiverUse("too-much", "a\nb", "the lock\nfile is long", "config.toml")
    assert render_use(typed) == "protected-config:package-lock.json allowed by a person (--allow)"
    assert render_use(kept) == "too-much:a b allowed by a person (config.toml: the lock file is long)"


def test_a_commit_message_names_each_use_once_and_cannot_be_abused() -> None:
    uses = [WaiverUse("protected-config", f"[skip ci]/{number}.lock", "closes #4", "--allow") for number in range(22)]
    message = append_allowed("subject\n\nReknit-Run: r\n", uses)
    lines = message.splitlines()
    assert lines[3] == ("Reknit-Allowed: protected-config:(skip ci)/0.lock allowed by a person (--allow: closes no. 4)")
    assert len(lines) == 3 + 20 + 1
    assert lines[-1] == "Reknit-Allowed: and 2 more"
    assert append_allowed("subject\n", []) == "subject\n"


def test_what_to_type_is_quoted_for_a_shell() -> None:
    refused = [("protected-config", "a b.lock"), ("too-much", "x"), ("too-much", "x")]
    assert render_options(refused) == "--allow 'protected-config:a b.lock' --allow too-much:x"
