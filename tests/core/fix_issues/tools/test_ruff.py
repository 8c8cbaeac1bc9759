"""What ruff is asked, and that nothing in a project's configuration makes its fixes unsafe."""

import pytest

from reknit.core.fix_issues.tools.ruff import RUFF


def test_it_looks_at_these_rules_without_changing_anything() -> None:
    asked = RUFF.look(["E711", "F401"], ["-a.py"])
    assert asked[:2] == ("check", "--no-fix")
    assert asked[-3:] == ("--select=E711,F401", "--", "-a.py")


def test_it_fixes_these_rules_and_only_safely() -> None:
    asked = RUFF.fix(["F401"], ["a.py"], ["I001"])
    assert {"--fix-only", "--no-unsafe-fixes", "--select=F401"} <= {*asked}
    assert "--unsafe-fixes" not in asked


def test_a_name_in_a_report_is_not_an_option() -> None:
    assert RUFF.rules.fullmatch("PLR0913")
    assert not any(map(RUFF.rules.fullmatch, ("ALL", "invalid-syntax", "F401,ALL", "--config", "")))


@pytest.mark.parametrize(
    ("text", "beginnings"),
    [
        pytest.param('[lint]\nextend-safe-fixes = ["E7", "F841"]\n', ("E7", "F841"), id="ruff.toml"),
        pytest.param('extend-safe-fixes = ["F"]\n', ("F",), id="as it was written before"),
        pytest.param('[tool.ruff.lint]\nextend-safe-fixes = ["F"]\n', ("F",), id="pyproject.toml"),
        pytest.param('[tool.ruff]\nextend-safe-fixes = ["F"]\n', ("F",), id="pyproject.toml before"),
        pytest.param('[lint]\nextend-safe-fixes = ["ALL"]\n', ("",), id="all rules"),
        pytest.param('[lint]\nextend-safe-fixes = ["unused-import", 1]\n', ("", ""), id="not a code, so any rule"),
        pytest.param('[lint]\nextend-safe-fixes = "F"\nselect = ["F"]\n', (), id="not a list"),
        pytest.param("not toml", (), id="unreadable"),
    ],
)
def test_rules_that_a_configuration_calls_safe_are_known(text: str, beginnings: tuple[str, ...]) -> None:
    assert RUFF.called_safe(text) == beginnings
