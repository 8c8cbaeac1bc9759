"""Ways to a green run that is none: each was once a false FIXED, and must not be one again."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reknit.adapters.git.demo_commit import commit_all
from tests.tools.command_line import Answer, CommandLine

Here = Callable[..., Answer]
PYTEST = {"tests": {"run": f"{sys.executable} -m pytest -q"}}


def repository(folder: Path, **files: str) -> Path:
    """Keyword `a__b_py`: the file a/b.py."""
    root = folder / "repository"
    for name, text in files.items():
        stem, _, ending = name.replace("__", "/").rpartition("_")
        path = root / f"{stem}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit_all(str(root), "first")
    return root


def fix(here: Here, root: Path, *arguments: str) -> dict[str, Any]:
    return here("fix", "tests", "--attempts", "1", "--format", "json", *arguments, cwd=root).ending


def rules(ending: dict[str, Any]) -> list[str]:
    return [refusal["rule"] for refusal in ending["attempts"][0]["refusals"]]


def test_the_script_that_runs_the_tests_is_not_the_agents_to_change(
    here: Here, reknit: CommandLine, tmp_path: Path
) -> None:
    root = repository(tmp_path, check_sh='test "$(cat answer.txt)" = 42\n', answer_txt="41\n")
    checks = {"tests": {"run": "sh check.sh"}}
    reknit.tell_story({"write": {"check.sh": "exit 0\n"}}, checks=checks)
    ending = fix(here, root)
    assert (ending["ending"], rules(ending)) == ("DEFERRED", ["protected-test"])
    reknit.tell_story({"write": {"answer.txt": "42\n"}}, checks=checks)
    assert fix(here, root)["ending"] == "FIXED"


def test_a_suite_that_stops_at_its_first_failure_hides_nothing(here: Here, reknit: CommandLine, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        pyproject_toml='[tool.pytest.ini_options]\naddopts = "-x"\npythonpath = ["."]\n',
        code_py="A, B, C = 0, 0, 1\n",
        test_a_py="import code_ as code\n\n\ndef test_a():\n    assert code.A\n",
        test_b_py="import code_ as code\n\n\ndef test_b():\n    assert code.B\n",
        test_c_py="import code_ as code\n\n\ndef test_c():\n    assert code.C\n",
    )
    (root / "code.py").rename(root / "code_.py")
    commit_all(str(root), "a name of its own")
    reknit.tell_story({"write": {"code_.py": "A, B, C = 1, 1, 0\n"}}, checks=PYTEST)
    ending = fix(here, root, "test_a.py")
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed")


def test_a_red_test_that_the_change_adds_is_not_landed(here: Here, reknit: CommandLine, shop: Path) -> None:
    mend = {"shop/pricing.py": ["return price - percent", "return price * (1 - percent / 100)"]}
    added = (
        "import unittest\n\n\nclass NewTest(unittest.TestCase):\n    def test_new(self):\n        self.fail('red')\n"
    )
    reknit.tell_story({"replace": mend, "write": {"tests/test_new.py": added}})
    ending = fix(here, shop)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("DEFERRED", "regressed")


@pytest.mark.parametrize("named", [(), ("packages/two/tests/test_two.py::test_add",)])
def test_a_package_of_a_monorepo_is_seen_by_the_same_ids_alone(
    here: Here, reknit: CommandLine, tmp_path: Path, named: tuple[str, ...]
) -> None:
    root = repository(
        tmp_path,
        pyproject_toml="[tool.pytest.ini_options]\n",
        packages__one__tests__test_one_py="def test_one():\n    assert True\n",
        packages__two__pyproject_toml='[tool.pytest.ini_options]\npythonpath = ["."]\n',
        packages__two__two_py="def add(a, b):\n    return a - b\n",
        packages__two__tests__test_two_py=(
            "import sys\n\nsys.path.insert(0, 'packages/two')\nfrom two import add\n\n\n"
            "def test_add():\n    assert add(2, 3) == 5\n"
        ),
    )
    reknit.tell_story({"replace": {"packages/two/two.py": ["a - b", "a + b"]}}, checks=PYTEST)
    ending = fix(here, root, *named)
    assert (ending["ending"], ending["attempts"][0]["proof"]) == ("FIXED", "proven")
