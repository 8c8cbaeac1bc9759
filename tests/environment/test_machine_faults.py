"""Many faults at once, through the whole loop: what the machine lacks, and product code that looks like it."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.core.causes import machine_faults
from tests.environment.fault_scene import Build, Scene


def _play(scene: Build, plain_bin: Path, faults: Mapping[str, str]) -> Scene:
    """Return a repository with all of them, and with an installed package in an environment of its own."""

    def prepare(repository: Path) -> None:
        shutil.copytree(plain_bin.parent, repository / ".venv", symlinks=True)
        (packages,) = (repository / ".venv").glob("lib/python*/site-packages")
        for name, text in machine_faults.PACKAGE.items():
            (packages / name).parent.mkdir(parents=True)
            (packages / name).write_text(text)

    return scene({**machine_faults.PROJECT, **faults, ".gitignore": ".venv/\n"}, prepare)


def test_what_the_machine_lacks_is_left_out_with_a_remedy(scene: Build, plain_bin: Path) -> None:
    table = machine_faults.ENVIRONMENT
    play = _play(scene, plain_bin, machine_faults.environment_files())
    answer = play.repair({}, "--format", "json")
    (baseline,) = answer.events("baseline")
    reasons = {test.partition("::")[0]: entry for entry in baseline["left_out"] for test in entry["tests"]}
    files = dict(zip(table, machine_faults.environment_files(), strict=True))
    assert [name for name in table if files[name] not in reasons] == [machine_faults.IN_DOUBT], answer.out
    assert len(reasons) >= 23
    wrong = {name for name, file in files.items() if file in reasons and table[name][1] not in reasons[file]["why"]}
    assert wrong == set()
    assert all(entry["remedy"] for entry in baseline["left_out"])
    assert (play.agent_calls, answer.ending["ending"]) == (1, "DEFERRED"), answer.out
    assert "in doubt, so with one attempt each" in answer.ending["reason"]
    assert "acme_billing_sdk is not installed; `pip install acme_billing_sdk`" in answer.ending["reason"]


def test_no_fault_of_product_code_is_left_out(scene: Build, plain_bin: Path) -> None:
    table = machine_faults.CODE
    play = _play(scene, plain_bin, machine_faults.code_files())
    answer = play.repair({}, "--format", "json", loop={"fruitless": 1})
    (baseline,) = answer.events("baseline")
    assert len(table) >= 40
    assert baseline["left_out"] == []
    tests = {test for each in baseline["findings"] for test in (each["test"], *each["also"])}
    assert {test.partition("::")[0] for test in tests} == {f"tests/test_fault_{each}.py" for each in range(len(table))}
    doubtful = {test.partition("::")[0] for entry in baseline["doubts"] for test in entry["tests"]}
    files = {f"tests/test_fault_{number}.py": name for number, name in enumerate(table)}
    assert {files[file] for file in doubtful} <= machine_faults.MAY_BE_DOUBTFUL
    assert play.agent_calls == 1
