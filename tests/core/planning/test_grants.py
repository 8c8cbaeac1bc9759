from reknit.core.planning.grants import needed_grants

TRACKED = frozenset({"src/shop.py", "pyproject.toml", "tests/test_shop.py", "README.md"})


def test_configuration_and_tests_that_are_there_need_a_grant() -> None:
    titles = [
        "Scaffold .github/dependabot.yml",
        "Raise the limit in pyproject.toml and src/shop.py",
        "Fix tests/test_shop.py",
        "Add tests/test_price.py",
        "Refresh README.md and pyproject.toml",
    ]
    assert needed_grants(titles, TRACKED) == (".github/dependabot.yml", "pyproject.toml", "tests/test_shop.py")


def test_other_files_need_none() -> None:
    assert needed_grants(["Backfill CHANGELOG entries", "Rewrite src/shop.py", "Think"], TRACKED) == ()
