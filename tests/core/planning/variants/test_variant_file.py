"""Variant files: every field, and everything that is wrong in one at once, with its line."""

import pytest

from reknit.core.planning.variants.variant import Variant
from reknit.core.planning.variants.variant_file import VariantProblem, parse_variant

WHERE = ".reknit/variants/mine.toml"


def wrong(text: str, name: str = "mine") -> list[VariantProblem]:
    found = parse_variant(text, name, WHERE)
    assert isinstance(found, tuple)
    return list(found)


def test_every_field_is_read() -> None:
    text = """
purpose = " Does it. "
flow = "report"
base = 5
floors = ["tests", "clean tree", "tests"]
strategy = "deep"
agent = "codex"
model = "gpt-5"
budget_usd = 2.5
timeout_s = 60
attempts = 2
tasks = 3

[signals]
stale-docs = -5
red-ci = 40
"""
    assert parse_variant(text, "mine", WHERE) == Variant(
        name="mine", purpose="Does it.", flow="report", base=5, signals=(("red-ci", 40), ("stale-docs", -5)),
        floors=("clean tree", "tests"), strategy="deep", agent="codex", model="gpt-5", budget_usd=2.5, timeout_s=60.0,
        attempts=2, tasks=3, origin=WHERE,
    )  # fmt: skip


def test_only_the_purpose_is_needed() -> None:
    assert parse_variant('purpose = "Does it."', "mine") == Variant("mine", "Does it.")


FLOORS = "expected `off the default branch`, `confirmed`, `clean tree`, `tests`"


@pytest.mark.parametrize(
    ("text", "line", "what", "hint"),
    [
        ("", 0, "`purpose` is missing", 'write `purpose = "…"`: one sentence'),
        ("base = 1\npurpose = ''", 2, "`purpose` is missing", 'write `purpose = "…"`: one sentence'),
        ("purpose = 3", 1, "`purpose` must be one line of at most 300 characters", 'write `purpose = "…"`'),
        (
            f"purpose = '{301 * 'x'}'",
            1,
            "`purpose` must be one line of at most 300 characters",
            'write `purpose = "…"`',
        ),
        ('purpose = "a\\nb"', 1, "`purpose` must be one line of at most 300 characters", 'write `purpose = "…"`'),
        ("flow = 'reports'", 2, "`reports` is not a value of `flow`", "did you mean `report`?"),
        ("flow = 3", 2, "`3` is not a value of `flow`", "expected `tasks`, `hygiene`, `ci`, `report`"),
        ("strategy = 'depe'", 2, "`depe` is not a value of `strategy`", "did you mean `deep`?"),
        ("floors = 'tests'", 2, "`floors` is not a list", 'write `floors = ["off the default branch"]`'),
        ("floors = ['clean']", 2, "`clean` is not a value of `floors`", "did you mean `clean tree`?"),
        (
            "floors = [['tests']]",
            2,
            "a list is not a value of `floors`",
            "expected `off the default branch`, `confirmed`, `clean tree`, `tests`",
        ),
        ("base = 101", 2, "`base` must be a whole number from 0 to 100, not `101`", ""),
        ("base = -1", 2, "`base` must be a whole number from 0 to 100, not `-1`", ""),
        ("base = 1.5", 2, "`base` must be a whole number from 0 to 100, not `1.5`", ""),
        ("base = true", 2, "`base` must be a whole number from 0 to 100, not `True`", ""),
        ("budget_usd = nan", 2, "`budget_usd` must be a number from 0 to 10000, not `nan`", ""),
        ("budget_usd = inf", 2, "`budget_usd` must be a number from 0 to 10000, not `inf`", ""),
        ("budget_usd = '5'", 2, "`budget_usd` must be a number from 0 to 10000, not `5`", ""),
        ("attempts = 101", 2, "`attempts` must be a whole number from 0 to 100, not `101`", ""),
        ("agent = 'two words'", 2, "`agent` must be one word, not `two words`", ""),
        ("buget_usd = 3", 2, "unknown field `buget_usd`", "did you mean `budget_usd`?"),
        ("\n'budget' = 3", 3, "unknown field `budget`", "did you mean `budget_usd`?"),
        (
            "zzz = 3",
            2,
            "unknown field `zzz`",
            "the fields are purpose, flow, base, signals, floors, strategy, agent, model, budget_usd, timeout_s,"
            " attempts, tasks",
        ),
        ("signals = 3", 2, "`signals` is not a table", "write `[signals]`, and below it `red-ci = 40`"),
        ("[signals]\nred_ci = 3", 3, "unknown signal `red_ci`", "did you mean `red-ci`?"),
        ("[signals]\nred-ci = 300", 3, "`red-ci` must be a whole number from -100 to 100, not `300`", ""),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, what: str, hint: str) -> None:
    has_purpose = "purpose" in text or not text
    assert wrong(text if has_purpose else f"purpose = 'p'\n{text}") == [VariantProblem(line, what, hint)]


def test_an_unknown_signal_is_told_all_of_them_if_none_is_near() -> None:
    (problem,) = wrong("purpose = 'p'\n[signals]\nzzz = 1")
    assert problem.help.startswith("the signals are missing-governance, red-ci, ")


def test_all_problems_are_said_at_once_by_line() -> None:
    found = wrong("purpose = 'p'\ntasks = -1\nbase = 'x'\n[signals]\nno = 1\nred-ci = 'x'", "My Variant")
    assert [problem.line for problem in found] == [0, 2, 3, 5, 6]


@pytest.mark.parametrize(
    ("name", "better"), [("My Variant", "my-variant"), ("a_b", "a-b"), ("x" * 41, "x" * 40), ("index", "index-plan")]
)
def test_a_name_is_a_slug(name: str, better: str) -> None:
    (problem,) = wrong("purpose = 'p'", name)
    assert problem.help == f"rename it to {better}.toml"
    assert "is not a variant's name" in problem.message


@pytest.mark.parametrize(
    ("text", "line"), [("purpose = ", 1), ("purpose = 'p'\nbase = = 3", 2), ("a = 1\na = 2", 2), ("x = '", 1)]
)
def test_what_is_not_toml_is_refused(text: str, line: int) -> None:
    (problem,) = wrong(text)
    assert problem.message.startswith("it is not TOML: ")
    assert problem.line in (line, 0)


def test_the_longest_purpose_and_indented_keys_are_fine() -> None:
    assert isinstance(parse_variant(f"purpose = '{300 * 'x'}'", "mine"), Variant)
    assert wrong("purpose = 'p'\n  base = 'x'")[0].line == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param(f"x = {30_000 * '['}", "its values are nested too deeply", id="lists"),
        pytest.param(
            f"purpose = 'p'\n[signals.red-ci{5_000 * '.a'}]",
            "`red-ci` must be a whole number from -100 to 100, not a table",
            id="tables",
        ),
        pytest.param("purpose = 'p'\nfloors = [[[]]]", "a list is not a value of `floors`", id="list-in-a-list"),
        pytest.param(f"base = {5_000 * '9'}", "it is not TOML: Exceeds the limit", id="digits"),
    ],
)
def test_what_no_person_wrote_is_refused_in_one_sentence(text: str, what: str) -> None:
    (problem,) = wrong(text)
    assert problem.message.startswith(what)
