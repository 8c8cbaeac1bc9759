import shlex
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reknit.core.gate.judge import judge
from reknit.core.gate.needed_waivers import (
    NotAllowed,
    can_only_person_help,
    explain_blocked,
    explain_not_allowed,
    find_needed_waivers,
    find_protecting_rules,
    offer_waivers,
    should_ask_person,
)
from reknit.core.gate.scope import Scope
from reknit.core.gate.verdict import GateVerdict, Refusal
from reknit.core.gate.waiver import Waiver, Waivers, parse_typed, render_options
from reknit.core.repository.change import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Change, FileChange

NOW = Waivers(ends_at_once=True)
LOCK = Refusal("protected-config", "uv.lock", "no")


def verdict(*refusals: Refusal) -> GateVerdict:
    return GateVerdict(refusals, ("a",), 1, 1, 1)


def test_a_waiver_helps_only_against_every_refusal() -> None:
    assert find_needed_waivers(verdict(LOCK, LOCK), NOW) == (("protected-config", "uv.lock"),)
    assert find_needed_waivers(verdict(), NOW) == ()
    assert find_needed_waivers(verdict(LOCK, Refusal("test-removed", "a.py", "no")), NOW) == ()
    assert find_needed_waivers(verdict(Refusal("too-much", "", "no")), NOW) == ()
    assert find_needed_waivers(verdict(LOCK), Waivers(forbidden=("protected-config:**",), ends_at_once=True)) == ()


def test_a_run_that_began_before_decides_as_it_did() -> None:
    assert find_needed_waivers(verdict(LOCK), Waivers()) == ()


def test_a_person_is_asked_at_once_or_after_the_same_refusal() -> None:
    config, test = (("protected-config", "uv.lock"),), (("protected-test", "tests/test_a.py"),)
    assert should_ask_person(config, (), at_once=True)
    assert not should_ask_person(config, (), at_once=False)
    assert not should_ask_person((*config, *test), test, at_once=False)
    assert should_ask_person(test, test, at_once=False)
    assert not should_ask_person((), (), at_once=True)


BESIDE = [
    "app/a.py",
    "pytest.ini",
    "ruff.toml",
    "tsconfig.json",
    "package.json",
    "tests/__snapshots__/a.snap",
    "run.sh",
]


@given(st.sets(st.sampled_from(["uv.lock", "web/package-lock.json", "go.sum"])), st.sets(st.sampled_from(BESIDE)))
def test_only_lockfiles_and_nothing_beside_them_are_worth_no_second_attempt(locks: set[str], beside: set[str]) -> None:
    files = [*locks, *beside]
    change = Change(tuple(FileChange(path, b"a\n", b"b\n", REGULAR, REGULAR) for path in files))
    verdict = judge(change, Scope((), "", 20, 100, "pytest", waivers=NOW))
    at_once = should_ask_person(find_needed_waivers(verdict, NOW), (), at_once=can_only_person_help(verdict))
    assert at_once is (bool(locks) and not beside)


@given(st.sets(st.sampled_from(BESIDE), min_size=1), st.sampled_from([*BESIDE, ""]))
def test_configuration_in_which_the_failure_itself_is_can_only_be_allowed_by_a_person(
    changed: set[str], failing: str
) -> None:
    change = Change(tuple(FileChange(path, b"a\n", b"b\n", REGULAR, REGULAR) for path in sorted(changed)))
    verdict = judge(change, Scope((), "", 20, 100, "pytest", waivers=NOW))
    is_configuration = failing in ("pytest.ini", "ruff.toml", "tsconfig.json", "package.json")
    assert can_only_person_help(verdict, (failing,)) is (changed == {failing} and is_configuration)


def test_it_says_what_to_type_and_what_has_ended() -> None:
    over = Waiver("protected-config", "uv.lock", "why", "config.toml", "2026-01-01")
    needed = (("protected-config", "uv.lock"), ("too-much", "uv.lock"))
    assert explain_blocked(needed, Waivers(ended=(over,))) == (
        "only a person may allow a change of uv.lock: add `--allow protected-config:uv.lock --allow too-much:uv.lock`"
        "; the waiver protected-config:uv.lock in config.toml ended on 2026-01-01"
    )


def test_a_waiver_that_ended_for_another_file_is_not_told() -> None:
    over = Waiver("protected-config", "go.sum", "why", "config.toml", "2026-01-01")
    assert "ended" not in explain_blocked((("protected-config", "uv.lock"),), Waivers(ended=(over,)))


def test_a_variant_is_told_what_its_plan_can_grant() -> None:
    lock, test = ("protected-config", "uv.lock"), ("protected-test", "tests/test_a.py")
    assert explain_blocked((lock, test), NOW, plan="plan.yml") == (
        "only a person may allow a change of uv.lock, tests/test_a.py: add it to `grants:` in plan.yml"
    )
    assert explain_blocked((lock, ("hidden-text", "uv.lock")), NOW, plan="plan.yml") == (
        "only you can change uv.lock: no grant lifts hidden-text"
    )


@pytest.mark.parametrize(
    ("refusals", "files", "failing", "helps"),
    [
        pytest.param([("protected-config", "uv.lock")], 1, "", True, id="a lockfile"),
        pytest.param([("protected-config", "uv.lock")], 2, "", False, id="and another file"),
        pytest.param([("protected-config", "tsconfig.json")], 1, "tsconfig.json", True, id="where the failure is"),
        pytest.param([("no-mode-change", "run.sh")], 1, "run.sh", True, id="its mode"),
        pytest.param([("protected-config", "tsconfig.json")], 1, "a.ts", False, id="other configuration"),
        pytest.param([("protected-test", "a.test.ts")], 1, "a.test.ts", False, id="a test"),
        pytest.param([("protected-config", "uv.lock"), ("no-mode-change", "a.sh")], 2, "", False, id="one of two"),
    ],
)
def test_when_hardly_any_other_change_would_have_been_a_fix(
    refusals: list[tuple[str, str]], files: int, failing: str, helps: bool
) -> None:
    refused = tuple(Refusal(rule, path, "no") for rule, path in refusals)
    assert can_only_person_help(GateVerdict(refused, ("a",), files, 1, 1), (failing,)) is helps


def test_what_the_repository_forbids_is_left_to_a_person_to_change() -> None:
    waivers = Waivers(forbidden=("protected-config:*.lock",))
    assert explain_blocked((("protected-config", "uv.lock"),), waivers) == (
        "only you can change uv.lock: `gate.forbid` has protected-config:*.lock, so no fix of a run may"
    )


def test_it_says_what_would_take_issues_in() -> None:
    assert explain_not_allowed(NotAllowed()) == ""
    assert explain_not_allowed(NotAllowed(1, 1, ("--allow protected-config:uv.lock",))) == (
        "1 issue in files that only a person may allow to change: add `--allow protected-config:uv.lock`"
    )
    both = ("--allow protected-test:a.js", "--allow protected-config:a.js")
    options = f"add `{both[0]} {both[1]}`, and the same for 2 more files"
    assert explain_not_allowed(NotAllowed(7, 3, both)).endswith(f"allow to change: {options}")


# What an agent could call a file so that a person allows more, or something else, than this file.
HOSTILE = [
    ".github/**", ".github/*", "**/package.json", "*/package.json", "?ackage.json", "a  b/package.json",
    " a/package.json", "a\\b/package.json", "a\nb/package.json", "a\u202eb/package.json", "a\x1b[2Kb/package.json",
    "$(id)/package.json", "a`id`/package.json", "a'; id; '/package.json", "-x/package.json", "a:b/package.json",
    "~/package.json", "ghp_" + "a" * 36 + "/package.json", "x" * 300 + "/package.json",
    "caf\u00e9/package.json", "[id]/package.json",
]  # fmt: skip
PATHS = st.sampled_from(HOSTILE) | st.text(st.sampled_from("aA*?\\ '`$;\n\t\u202e\u0301"), min_size=1, max_size=6).map(
    lambda name: f"{name}/package.json"
)
MODES = st.sampled_from([REGULAR, EXECUTABLE, SYMLINK, GITLINK, 0o100600])
OTHERS = (
    "package.json",
    "a/package.json",
    "a b/package.json",
    "aa/package.json",
    ".github/workflows/ci.yml",
    "x/y.lock",
)


@given(st.lists(st.tuples(PATHS, MODES, MODES), min_size=1, max_size=3, unique_by=lambda each: each[0]))
@example([(path, REGULAR, REGULAR) for path in HOSTILE[:1]])
@example([("a/package.json", GITLINK, GITLINK)])
def test_what_is_offered_is_accepted_as_typed_and_lets_in_nothing_else(files: list[tuple[str, int, int]]) -> None:
    change = Change(tuple(FileChange(path, b"a\n", b"b\n", old, new) for path, old, new in files))
    scope = Scope((), "", 20, 100, "pytest", waivers=NOW)
    needed = find_needed_waivers(judge(change, scope), NOW)
    typed = shlex.split(render_options(needed))
    allowed = Waivers(tuple(map(parse_typed, typed[1::2])))
    assert typed[::2] == ["--allow"] * len(needed)
    if needed:
        assert judge(change, replace(scope, waivers=allowed)).is_accepted
    others = {*OTHERS, *HOSTILE} - {path for path, *_ in files}
    assert not [each for each in others if any(allowed.find_waiver(waiver.rule, each) for waiver in allowed.allowed)]


def test_an_ordinary_path_is_offered_whatever_a_shell_makes_of_it() -> None:
    for path in ("a b/$(id)'`.lock", "[id]/[...all].lock", "caf\u00e9/\u65e5.lock", "a:b.lock", "-x.lock"):
        refused = verdict(Refusal("protected-config", path, "no"))
        assert find_needed_waivers(refused, NOW) == (("protected-config", path),)


@pytest.mark.parametrize(
    ("path", "rules", "if_new"),
    [
        ("src/shop.py", (), ()),
        ("CHANGELOG.md", (), ()),
        ("tests/test_shop.py", ("protected-test",), ()),
        ("tests/conftest.py", ("protected-test", "protected-config"), ("protected-test", "protected-config")),
        ("tests/helpers.py", ("protected-test",), ("protected-test",)),
        ("pkg/testdata/a_test.go", ("protected-test",), ("protected-test",)),
        ("data/expected/out.txt", ("protected-test",), ("protected-test",)),
        ("tests/__snapshots__/a.test.js.snap", ("protected-test",), ("protected-test",)),
        (".github/dependabot.yml", ("protected-config",), ("protected-config",)),
        ("pyproject.toml", ("protected-config",), ("protected-config",)),
        ("crates/a/build.rs", ("protected-config",), ("protected-config",)),
        (".gdbinit", ("unusual-file",), ("unusual-file",)),
        ("bin/build", ("protected-config",), ("protected-config",)),
        ("bin/shop", ("unusual-file",), ("unusual-file",)),
        ("tests/data/words", ("protected-test",), ("protected-test",)),
    ],
)
def test_which_rules_refuse_every_change(path: str, rules: tuple[str, ...], if_new: tuple[str, ...]) -> None:
    assert find_protecting_rules(path) == rules
    assert find_protecting_rules(path, is_new=True) == if_new


@pytest.mark.parametrize(
    ("rule", "path", "offered"),
    [
        ("protected-config", "uv.lock", True),
        ("protected-config", "ruff.toml", True),
        ("protected-config", "conftest.py", False),
        ("protected-config", "Makefile", False),
        ("protected-config", "requirements.txt", False),
        ("protected-config", "pytest.ini", False),
        ("protected-test", "tests/test_a.py", False),
        ("hidden-text", "a.py", False),
        ("secret-added", "a.py", False),
    ],
)
def test_a_waiver_is_offered_first_only_where_it_hides_nothing(rule: str, path: str, *, offered: bool) -> None:
    needed = ((rule, path),)
    assert offer_waivers(needed, NOW) == (f"--allow {rule}:{path}" if offered else "")
    reason = explain_blocked(needed, NOW)
    assert ("--allow" in reason, f"`reknit explain {rule}` says how" in reason) == (offered, not offered)
