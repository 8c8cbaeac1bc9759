"""The doctor tries what a run depends on: the agents' logins, and the tests inside and outside the box."""

from collections.abc import Callable
from pathlib import Path

from reknit.adapters.git.landing import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]


def test_the_tests_are_compared_inside_and_outside_the_box(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    reknit.tell_story({})
    same = here("doctor", "--compare", cwd=shop)
    assert (same.exit_code, "3 of 3 tests have the same result outside the box" in same.out) == (0, True)
    secret = tmp_path / "only-outside"
    secret.touch()
    only = f"from pathlib import Path\nif Path({str(secret)!r}).exists():\n"
    lost = "    import unittest\n    class LostTest(unittest.TestCase):\n        def test_lost(self): pass\n"
    (shop / "tests" / "test_lost.py").write_text(only + lost)
    commit_all(str(shop), "a test that the box does not see")
    differs = here("doctor", "--compare", cwd=shop)
    assert (differs.exit_code, "1 test(s) are missing in the box" in differs.out) == (5, True)
    red = f"import os, unittest\nclass RedTest(unittest.TestCase):\n    def test_red(self): os.stat({str(secret)!r})\n"
    (shop / "tests" / "test_lost.py").write_text(red)
    commit_all(str(shop), "a test that is red in the box")
    differs = here("doctor", "--compare", cwd=shop)
    assert (differs.exit_code, "1 test(s) pass outside and fail in the box, e.g." in differs.out) == (5, True)


def test_a_comparison_is_not_recommended_while_it_is_made(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "false"\n')
    commit_all(str(shop), "nothing passes")
    assert "`reknit doctor --compare` says" in here("doctor", cwd=shop).out
    assert "`reknit doctor --compare` says" not in here("doctor", "--compare", cwd=shop).out


def test_a_key_that_is_missing_is_named(here: Here, reknit: CommandLine, shop: Path, tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho 1.0.0\n")
    program.chmod(0o755)
    (shop / "reknit.toml").write_text('[checks.tests]\nrun = "python3 run_tests.py x"\n')
    reknit.configure(fixer="claude", agents={"claude": {"binary": str(program), "key_env": "NO_SUCH_KEY"}})
    answer = here("doctor", cwd=shop)
    assert answer.exit_code == 4
    assert "NO_SUCH_KEY" in answer.out


def test_an_agent_that_does_not_start_in_the_box_is_told_before_anything_is_paid(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    hidden = tmp_path / "agent.sh"
    hidden.write_text("#!/bin/sh\n")
    settings = (shop / "reknit.toml").read_text().splitlines()
    (shop / "reknit.toml").write_text("\n".join(line for line in settings if not line.startswith("fixer")))
    reknit.configure(fixer="mine", agents={"mine": {"command": ["sh", str(hidden)]}})
    told = here("doctor", cwd=shop)
    assert (told.exit_code, "mine: it does not start in the box: exit code" in told.out) == (3, True), told.out
    assert "fix: name its files in `workspace.show`" in told.out
    blocked = here("fix", "tests", "--format", "json", cwd=shop)
    assert (blocked.ending["ending"], blocked.ending["cause"]) == ("BLOCKED", "agent")
    assert "`workspace.show` adds files and folders of yours" in blocked.ending["reason"]
    reknit.configure(fixer="mine", agents={"mine": {"command": ["sh", str(hidden)]}}, workspace={"show": [str(hidden)]})
    assert "does not start" not in here("doctor", cwd=shop).out


def test_a_login_in_the_clis_own_files_is_called_the_weaker_way(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 2.1.0\n")
    program.chmod(0o755)
    login = Path(reknit.environment["HOME"], ".claude/.credentials.json")
    login.parent.mkdir(parents=True)
    login.write_text('{"claudeAiOauth": {"accessToken": "sk-canary"}}')
    reknit.configure(fallback=["claude"], agents={"claude": {"binary": str(program)}, "scripted": {"story": "[{}]"}})
    answer = here("doctor", "--format", "json", cwd=shop)
    (warned,) = [line for line in answer.ending["parts"] if line["mark"] == "warn"]
    assert "weaker than a key" in warned["text"]
    assert "sk-canary" not in answer.out


def test_what_red_tests_lack_is_named_with_the_setting_that_starts_it(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    reknit.tell_story({})
    connects = "        raise ConnectionRefusedError('Error 111 connecting to 127.0.0.1:6379. Connection refused.')\n"
    red = f"import unittest\nclass RedisTest(unittest.TestCase):\n    def test_get(self):\n{connects}"
    (shop / "tests" / "test_redis.py").write_text(red)
    commit_all(str(shop), "a test that needs Redis")
    answer = here("doctor", cwd=shop)
    said = " ".join(answer.out.split())
    assert answer.exit_code == 5
    assert "1 test failed because Redis is not running where the tests run" in said
    assert 'services = [{ run = "redis-server" }]' in said


def test_a_set_up_is_named_with_its_registries_and_whether_it_is_done(
    here: Here, reknit: CommandLine, shop: Path
) -> None:
    settings = shop / "reknit.toml"
    settings.write_text(f'setup = "mkdir -p node_modules # npm"\n{settings.read_text()}')
    home = Path(reknit.environment["HOME"])
    home.mkdir(parents=True, exist_ok=True)
    (home / ".npmrc").write_text("registry=https://me:canary@npm.example/\n")
    commit_all(str(shop), "set up")
    reknit.tell_story({"replace": {"shop/pricing.py": ["price - percent", "price * (1 - percent / 100)"]}})
    before = here("doctor", cwd=shop)
    told = "`mkdir -p node_modules # npm`, which may reach npm.example"
    assert (f"{told}: not done yet" in before.out, "in the box" in before.out) == (True, False), before.out
    assert here("fix", "tests", cwd=shop).exit_code == 0
    after = here("doctor", cwd=shop)
    assert f"{told}: done, and kept" in after.out
    assert "passed, " in after.out
    assert "canary" not in before.out + after.out


def test_what_is_built_in_every_tree_is_built_for_the_doctor_too(here: Here, reknit: CommandLine, shop: Path) -> None:
    reknit.tell_story({})
    settings = (shop / "reknit.toml").read_text()
    needs = "import os, unittest\nclass BuiltTest(unittest.TestCase):\n    def test_built(self): os.stat('built')\n"
    (shop / "tests" / "test_built.py").write_text(needs)
    for command, told in (
        ("touch built", "3 passed, 1 failed"),
        ("exit 3", "workspace.setup failed (exit, exit code 3)"),
    ):
        (shop / "reknit.toml").write_text(f'{settings}\n[workspace]\nsetup = "{command}"\n')
        commit_all(str(shop), command)
        answer = here("doctor", cwd=shop)
        assert told in " ".join(answer.out.split()), answer.out


def test_hooks_of_ours_are_named_and_what_keeps_them_from_running(
    here: Here, reknit: CommandLine, shop: Path, tmp_path: Path
) -> None:
    reknit.tell_story({})
    assert " hooks " not in here("doctor", cwd=tmp_path).out
    for agent in ("claude", "codex"):
        assert here("hook", "install", "--agent", agent, cwd=shop).exit_code == 0
    lines = here("doctor", cwd=tmp_path).out.splitlines()
    home = reknit.environment["HOME"]
    assert f"  ok    hooks     claude: {home}/.claude/settings.json" in lines
    skipped = f"codex skips our hook in {home}/.codex/hooks.json without a word"
    at = next(number for number, line in enumerate(lines) if line.startswith(f"  warn  hooks     {skipped}"))
    assert lines[at + 1].startswith("          fix: start `codex` in this folder, type /hooks")
