"""What a machine lacks is told by what was observed; product code that looks like it is never called the machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.languages.causes import find_cause
from tests.core.causes import machine_faults, machine_messages, trees

MESSAGES = {**machine_messages.PYTHON, **machine_messages.OTHERS}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_of_what_a_machine_lacks(name: str) -> None:
    message, text, *expected = MESSAGES[name]
    file = machine_messages.FILES.get(name.partition(":")[0], "tests/test_x.py")
    facts = TreeFacts(frozenset({file, "tests/model.json"}), {file: text}, lfs_pointers=frozenset({"tests/model.json"}))
    cause = find_cause(message, facts, file=file)
    assert [cause.verdict, cause.kind] == expected, cause
    assert cause.sentence
    assert cause.remedy or cause.verdict == "doubtful"


@pytest.mark.slow
def test_product_code_that_looks_like_it(tmp_path: Path) -> None:
    trees.write(tmp_path / "lib" / "site-packages", machine_faults.PACKAGE)
    files = {**machine_faults.PROJECT, **machine_faults.code_files()}
    root = trees.write(tmp_path / "tree", files)
    report = trees.run_pytest(root, env={"PYTHONPATH": str(tmp_path / "lib" / "site-packages")})
    known = {path: text for path, text in files.items() if not path.startswith("shop/")}
    facts = replace(
        trees.facts_of(root, files), texts=known, lfs_pointers=machine_faults.POINTERS, shared_network=False
    )
    by_file = {test.partition("::")[0]: cause.verdict for test, cause in trees.causes(report, facts).items()}
    verdicts = {name: by_file[f"tests/test_fault_{number}.py"] for number, name in enumerate(machine_faults.CODE)}
    assert len(verdicts) >= 40
    doubtful = {name for name, verdict in verdicts.items() if verdict != "code"}
    assert doubtful <= machine_faults.MAY_BE_DOUBTFUL
    assert "environment" not in verdicts.values()
