"""What `reknit check` judges: the staged tree, with the repository's commands known, and never without a result."""

from pathlib import Path

import pytest

import reknit.app.check as app_check
from reknit.adapters.git.plumbing import history
from reknit.app.check import FIRST_COMMIT, check_commit
from reknit.app.installation import Installation, find_installation
from reknit.core.errors import UsageError
from reknit.core.text.untrusted_input import WorkLimits
from tests.adapters.git.users_git import git, repository
from tests.tools.command_line import CommandLine


@pytest.fixture
def installation(reknit: CommandLine) -> Installation:
    return find_installation(reknit.environment)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    files = {"Makefile": "test:\n\tpython verify.py\n", "verify.py": "assert 1\n", "app.py": "a = 1\n"}
    return repository(tmp_path / "user", files)


def test_a_file_that_the_test_command_starts_is_a_test(installation: Installation, user: Path) -> None:
    (user / "verify.py").write_text("pass\n")
    git(user, "add", "--all")
    (refusal,) = check_commit(installation, user, {}).verdict.refusals
    assert (refusal.rule, refusal.path) == ("protected-test", "verify.py")


def test_so_is_what_that_file_starts(installation: Installation, tmp_path: Path) -> None:
    files = {"Makefile": "test:\n\tsh check.sh\n", "check.sh": ". lib/run.sh\n", "lib/run.sh": "false\n"}
    user = repository(tmp_path / "scripts", files)
    (user / "lib" / "run.sh").write_text("true\n")
    git(user, "add", "--all")
    (refusal,) = check_commit(installation, user, {}).verdict.refusals
    assert (refusal.rule, refusal.path) == ("protected-test", "lib/run.sh")


def test_the_index_that_git_names_to_a_hook_is_judged(installation: Installation, user: Path) -> None:
    (user / ".git" / "mine").write_bytes((user / ".git" / "index").read_bytes())
    (user / "Makefile").write_text("test:\n\ttrue\n")
    git(user, "add", "--all")
    assert not check_commit(installation, user, {}).verdict.is_accepted
    other = Installation(
        installation.state, installation.database, {**installation.environment, "GIT_INDEX_FILE": ".git/mine"}
    )
    assert check_commit(other, user, {}).verdict.files == 0


def test_a_gate_that_could_not_finish_refuses(
    installation: Installation, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_check, "GATE_LIMITS", WorkLimits(wall_s=1e-6, memory_bytes=64 << 30))
    (user / "app.py").write_text("a = 2\n" * 50_000)
    git(user, "add", "--all")
    (refusal,) = check_commit(installation, user, {}).verdict.refusals
    assert (refusal.rule, "could not finish" in refusal.sentence) == ("unreadable", True)


def test_a_first_commit_has_nothing_to_compare_with(installation: Installation, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "new")
    assert check_commit(installation, tmp_path / "new", {}) == FIRST_COMMIT


def test_rules_behind_a_link_of_the_repository_hold(installation: Installation, user: Path) -> None:
    (user / "etc").mkdir()
    (user / "etc" / "rules.toml").write_text("nonsense = 1\n")
    (user / "reknit.toml").symlink_to("etc/rules.toml")
    (user / "pyproject.toml").symlink_to("reknit.toml")
    git(user, "add", "--all")
    with pytest.raises(UsageError, match="unknown setting `nonsense`"):
        check_commit(installation, user, {})


@pytest.mark.parametrize(
    ("path", "rules"),
    [
        pytest.param("shop/fixtures/cards.json", [], id="data of the product"),
        pytest.param("data/cases.json", ["test-support"], id="data of the tests"),
        pytest.param("shop/luhn_test.py", [], id="a product with a name of tests"),
        pytest.param("shop/e2e/crypto.py", [], id="a package with a name of tests"),
        pytest.param("tests/helpers.py", ["protected-test"], id="a helper of the tests"),
        pytest.param("helper.py", ["test-support"], id="a helper that nothing ships"),
    ],
)
def test_it_knows_what_a_run_would_know(
    installation: Installation, tmp_path: Path, path: str, rules: list[str]
) -> None:
    user = repository(
        tmp_path / "shipped",
        {
            "pyproject.toml": '[project]\nname = "shop"\n', "shop/__init__.py": "open('fixtures/cards.json')\n",
            "shop/fixtures/cards.json": "[]\n", "shop/luhn_test.py": "a = 1\n", "shop/e2e/crypto.py": "a = 1\n",
            "data/cases.json": "[]\n", "tests/helpers.py": "a = 1\n", "helper.py": "import subprocess\n",
            "tests/test_a.py": "import helper\nopen('data/cases.json')\n\n\ndef test_a():\n    assert 1\n",
        },
    )  # fmt: skip
    (user / path).write_text('["b"]\n' if path.endswith(".json") else "b = 2\n")
    git(user, "add", "--all")
    assert [refusal.rule for refusal in check_commit(installation, user, {}).verdict.refusals] == rules


def test_names_decide_if_nobody_can_say_who_mentions_a_file(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = repository(tmp_path / "asked", {"fixtures/cards.json": "[]\n", "app.py": "open('fixtures/cards.json')\n"})
    (user / "fixtures" / "cards.json").write_text("[1]\n")
    git(user, "add", "--all")
    assert check_commit(installation, user, {}).verdict.is_accepted
    monkeypatch.setattr(history, "MAX_WORDS", 0)
    assert [each.rule for each in check_commit(installation, user, {}).verdict.refusals] == ["protected-test"]
