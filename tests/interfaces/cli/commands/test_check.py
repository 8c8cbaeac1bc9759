"""`reknit check` on real repositories: what is refused and accepted, broken files named, and nothing touched."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit

from tests.adapters.git.users_git import git, repository
from tests.tools.command_line import Answer, CommandLine
from tests.tools.repository_print import fingerprint
from tests.tools.work import costs_at_most, cpu_s

Here = Callable[..., Answer]
FILES = {
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_total():\n    assert shop.total([1]) == 1\n\n\n"
    "def test_empty():\n    assert shop.total([]) == 0\n",
    "package-lock.json": "{}\n",
    ".github/workflows/ci.yml": "on: push\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
SKIPPED = FILES["tests/test_shop.py"].replace("def test_empty", "@pytest.mark.skip\ndef test_empty")


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return repository(tmp_path / "user", FILES)


def put(user: Path, name: str, text: str | None) -> None:
    path = user / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if text is not None:
        path.write_text(text)
    git(user, "add", "--all", "--", name)


def state(user: Path) -> tuple[str, bytes, dict[str, str]]:
    status = git(user, "--no-optional-locks", "status", "--porcelain=v2", "--branch")
    return status, (user / ".git" / "index").read_bytes(), fingerprint(user)


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        pytest.param("tests/test_shop.py", FILES["tests/test_shop.py"][:80], "test-removed", id="a test is gone"),
        pytest.param("tests/test_shop.py", SKIPPED, "test-skipped", id="a test is skipped"),
        pytest.param("tests/test_shop.py", None, "test-removed", id="a test file is gone"),
        pytest.param("package-lock.json", '{"a": 1}\n', "protected-config", id="a lockfile"),
        pytest.param(".github/workflows/ci.yml", "on: never\n", "protected-config", id="CI"),
        pytest.param("shop.py", "import sys\nif 'pytest' in sys.modules:\n    pass\n", "test-awareness", id="knows"),
        pytest.param("shop.py", FILES["shop.py"] + "x = y  # type: ignore\n", "suppression-added", id="silenced"),
    ],
)
def test_what_an_agent_may_not_commit_is_refused(
    here: Here, user: Path, name: str, text: str | None, rule: str
) -> None:
    put(user, name, text)
    before = state(user)
    answer = here("check", cwd=user)
    assert answer.exit_code == 1, answer
    assert any(line.startswith(f"{rule}  {name}: ") for line in answer.out.splitlines()), answer.out
    assert "a person may make it: `git commit --no-verify`" in answer.out
    assert state(user) == before


def test_source_and_new_tests_are_accepted(here: Here, user: Path) -> None:
    put(user, "shop.py", FILES["shop.py"] + "\n\ndef mean(prices):\n    return total(prices) / len(prices)\n")
    put(user, "tests/test_mean.py", "import shop\n\n\ndef test_mean():\n    assert shop.mean([2]) == 2\n")
    put(user, "many.txt", "".join(f"line {number}\n" for number in range(5_000)))
    before = state(user)
    answer = here("check", cwd=user)
    assert answer == Answer(0, "the gate accepts this commit: 3 staged files, +5009 -0\n", ""), answer
    assert state(user) == before
    assert here("check", cwd=user / "tests").exit_code == 0


def test_only_what_is_staged_counts(here: Here, user: Path) -> None:
    put(user, "shop.py", FILES["shop.py"] + "# one\n")
    (user / "package-lock.json").write_text("edited, not staged\n")
    (user / "reknit.toml").write_text("nonsense = 1\n")
    assert here("check", cwd=user).exit_code == 0
    git(user, "add", "--all")
    (user / "reknit.toml").write_text("")
    (user / "package-lock.json").write_text(FILES["package-lock.json"])
    assert here("check", cwd=user).exit_code == 2


def test_nothing_staged_and_a_first_commit(here: Here, user: Path, tmp_path: Path) -> None:
    assert here("check", cwd=user) == Answer(0, "nothing is staged\n", "")
    git(tmp_path, "init", "--quiet", "new")
    put(tmp_path / "new", "package-lock.json", "{}\n")
    first = here("check", cwd=tmp_path / "new")
    assert (first.exit_code, "no commit yet to compare with" in first.out) == (0, True)
    outside = here("check", cwd=tmp_path)
    assert (outside.exit_code, "is not in a git repository" in outside.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "text", "where", "what"),
    [
        pytest.param("reknit.toml", "[loop]\nattemps = 1\n", "reknit.toml:2", "did you mean `attempts`?", id="setting"),
        pytest.param("reknit.toml", "[loop\n", "reknit.toml", "not valid TOML", id="no TOML"),
        pytest.param("a/reknit.toml", "[checks.tests]\nrun = 'a > b'\n", "a/reknit.toml:2", "shell", id="project"),
        pytest.param(
            ".reknit/reviewers/api.md", "---\nlevel: high\n---\nLook.\n", ".reknit/reviewers/api.md:2",
            "`high` is not a level", id="reviewer",
        ),
        pytest.param(
            ".reknit/reviewers/api.md", "---\nlevel: warning\nagent: nobody\n---\nLook.\n",
            ".reknit/reviewers/api.md:3", "no agent 'nobody'", id="agent of a reviewer",
        ),
        pytest.param(".reknit/agents/fixr.md", "Fix.\n", ".reknit/agents/fixr.md", "known:", id="agent file"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named(here: Here, user: Path, name: str, text: str, where: str, what: str) -> None:
    put(user, name, text)
    before = state(user)
    answer = here("check", cwd=user)
    assert (answer.exit_code, answer.out) == (2, "")
    assert where in answer.err
    assert what in answer.err
    assert state(user) == before
    document = json.loads(here("check", "--format", "json", cwd=user).out)
    assert (document["event"], document["exit_code"]) == ("error", 2)


def test_a_project_that_is_added_with_its_configuration_is_known(here: Here, user: Path) -> None:
    put(user, "reknit.toml", '[[projects]]\nfolder = "new"\ntests = { run = "pytest -q" }\n')
    put(user, "new/a.py", "a = 1\n")
    answer = here("check", cwd=user)
    assert (answer.exit_code, "protected-config  reknit.toml: " in answer.out) == (1, True), answer


def test_what_a_person_allows_holds_here_too(here: Here, user: Path, reknit: CommandLine) -> None:
    put(user, "package-lock.json", '{"a": 1}\n')
    allowed = here("check", "--allow", "protected-config:package-lock.json", cwd=user)
    assert allowed.exit_code == 0
    assert "protected-config:package-lock.json allowed by a person (--allow)" in allowed.out
    entry = {"rule": "protected-config", "path": "*.json", "reason": "we renew it"}
    reknit.configure(gate={"allow": [entry]})
    assert "(config.toml: we renew it)" in here("check", cwd=user).out
    refused = here("check", "--allow", "test-removed:tests/test_shop.py", cwd=user)
    assert (refused.exit_code, "nobody can allow test-removed" in refused.err) == (2, True)


def test_a_commit_cannot_lift_what_the_repository_forbids(here: Here, user: Path) -> None:
    put(user, "reknit.toml", tomlkit.dumps({"gate": {"forbid": ["protected-config:*.json"]}}))
    git(user, "commit", "--quiet", "--message=forbid")
    put(user, "reknit.toml", "")
    put(user, "package-lock.json", '{"a": 1}\n')
    allow = [word for name in ("package-lock.json", "reknit.toml") for word in ("--allow", f"protected-config:{name}")]
    answer = here("check", *allow, "--format", "json", cwd=user)
    assert (answer.exit_code, [each["path"] for each in answer.ending["refusals"]]) == (1, ["package-lock.json"])
    assert [use["path"] for use in answer.ending["allowed"]] == ["reknit.toml"]
    put(user, "reknit.toml", "wrong = 1\n")
    git(user, "commit", "--quiet", "--message=wrong")
    put(user, "reknit.toml", "")
    assert here("check", cwd=user).exit_code == 1


def test_as_a_hook_it_stops_the_commit_of_git_and_sees_its_own_index(user: Path, reknit: CommandLine) -> None:
    """`git commit -a` and `git commit PATH` have another index than the repository's."""
    hook = user / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m reknit check\n")
    hook.chmod(0o755)
    (user / "package-lock.json").write_text('{"a": 1}\n')

    def commit(*arguments: str) -> "subprocess.CompletedProcess[str]":
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        argv = ["git", "commit", "--quiet", "--message=x", *arguments]
        environment = {**reknit.environment, **names}
        return subprocess.run(argv, cwd=user, env=environment, capture_output=True, text=True, check=False)

    refused = commit("--all")
    assert (refused.returncode, "protected-config  package-lock.json: " in refused.stderr + refused.stdout) == (1, True)
    (user / "shop.py").write_text(FILES["shop.py"] + "# more\n")
    accepted = commit("shop.py")
    assert accepted.returncode == 0, accepted.stderr
    assert git(user, "show", "--format=", "--name-only", "HEAD") == "shop.py"
    assert commit("--all", "--no-verify").returncode == 0


def test_fifty_staged_files_take_little_more_than_a_start(tmp_path: Path, reknit: CommandLine) -> None:
    """In CPU time beside a bare start; `make bench` has the second itself."""
    sources = {f"pkg/m{number}.py": "def f(x):\n    return x\n\n\n" * 40 for number in range(50)}
    user = repository(tmp_path / "user", {**FILES, **sources})
    for name, text in sources.items():
        (user / name).write_text(text + "def g(x):\n    return x + 1\n")
    git(user, "add", "--all")

    start = [sys.executable, "-m", "reknit"]
    words = subprocess.run([*start, "check"], cwd=user, env=reknit.environment, capture_output=True, check=True).stdout
    assert b"50 staged files" in words

    def spent(word: str) -> float:
        return cpu_s([*start, word], cwd=user, env=reknit.environment)

    assert costs_at_most(12, lambda: spent("check"), lambda: spent("--version"))


def test_the_hook_of_pre_commit_calls_it() -> None:
    text = (Path(__file__).parents[4] / ".pre-commit-hooks.yaml").read_text()
    settings = dict(line.strip(" -").split(": ", 1) for line in text.splitlines() if ": " in line)
    assert (settings["id"], settings["entry"], settings["language"]) == ("reknit-check", "reknit check", "python")
    assert (settings["pass_filenames"], settings["always_run"], settings["stages"]) == ("false", "true", "[pre-commit]")
