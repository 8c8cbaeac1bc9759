import pytest

from reknit.core.gate.protecting_rules import protecting_rules


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
    assert protecting_rules(path) == rules
    assert protecting_rules(path, is_new=True) == if_new
