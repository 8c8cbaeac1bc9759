"""What eslint is asked: only the fixes of the rules that were reported."""

from reknit.core.fix_issues.tools.eslint import ESLINT


def test_it_looks_without_changing_anything() -> None:
    assert ESLINT.look(["no-var"], ["-a.ts"]) == ("--format=json", "--", "-a.ts")


def test_rules_that_were_not_asked_for_are_switched_off() -> None:
    asked = ESLINT.fix(["no-var"], ["a.ts"], ["prefer-const", "@scope/rule"])
    assert '--rule={"prefer-const": "off"}' in asked
    assert '--rule={"@scope/rule": "off"}' in asked
    assert "--fix-type=problem,suggestion,layout" in asked
    assert asked[-2:] == ("--", "a.ts")


def test_a_name_in_a_report_is_not_an_option() -> None:
    assert all(map(ESLINT.rules.fullmatch, ("no-var", "@typescript-eslint/no-explicit-any", "import/order")))
    assert not any(map(ESLINT.rules.fullmatch, ("--fix", "a b", '"', "")))
