import pytest

from reknit.core.gate.protecting_rules import protecting_rules


@pytest.mark.parametrize(
    ("path", "rules", "if_new"),
    [
        ("src/shop.py", (), ()),
        ("CHANGELOG.md", (), ()),
        ("tests/test_shop.py", ("protected-test",), ()),
        ("tests/conftest.py", ("protected-test",), ("protected-test",)),
        ("tests/__snapshots__/a.test.js.snap", ("protected-test",), ("protected-test",)),
        (".github/dependabot.yml", ("protected-config",), ("protected-config",)),
        ("pyproject.toml", ("protected-config",), ("protected-config",)),
    ],
)
def test_which_rules_refuse_every_change(path: str, rules: tuple[str, ...], if_new: tuple[str, ...]) -> None:
    assert set(protecting_rules(path)) >= set(rules)
    assert bool(protecting_rules(path)) == bool(rules)
    assert bool(protecting_rules(path, is_new=True)) == bool(if_new)
