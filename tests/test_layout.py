"""The tree is as ARCHITECTURE.md says: small folders, and tests that mirror the source."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.tools.project_files import ROOT, project_files, top_entries

SOURCE = ROOT / "src" / "reknit"
TOP = frozenset(
    {
        ".ci", ".gitignore", ".pre-commit-hooks.yaml", "AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md",
        "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "action.yml", "bench",
        "constraints.txt", "docs", "gauntlet", "plugins", "pyproject.toml", "scripts", "src", "tests",
    }
)  # fmt: skip
"""Files and folders at the top of the repository."""
MAX_FILES = 15
MAX_TESTED_ELSEWHERE = 15
TESTED_ELSEWHERE: dict[str, str] = {
    "adapters/testing/result_sender.py": "the first part of the Python reporters, which their tests run",
}
"""Module without a test file of its own name -> where it is tested, and why not alone."""


def modules() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if "demo_repository" not in path.parts:
            yield path.relative_to(SOURCE).as_posix()


def only_declares(module: str) -> bool:
    """Values, constants and Protocols: none of its functions has a body."""
    tree = ast.parse((SOURCE / module).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    bodies = (line for function in functions for line in function.body)
    return all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in bodies)


def is_frozen(module: str) -> bool:
    """A migration never changes again; tests/store/test_database.py applies them all, and starts from old ones."""
    return module.startswith("store/migrations/versions/")


def has_namesake(module: str) -> bool:
    folder, _, name = module.rpartition("/")
    return (ROOT / "tests" / folder / f"test_{name}").exists()


def test_every_module_has_a_test_of_its_name_or_a_reason() -> None:
    needing = {module for module in modules() if not only_declares(module) and not is_frozen(module)}
    lacking = {module for module in needing if not has_namesake(module)}
    assert lacking == TESTED_ELSEWHERE.keys(), "add a test of the same name, or remove an entry that is not needed"
    assert len(TESTED_ELSEWHERE) <= MAX_TESTED_ELSEWHERE
    assert all(TESTED_ELSEWHERE.values()), "each needs a reason"


def test_a_namesake_has_tests() -> None:
    """A file of the right name alone proves nothing."""
    empty = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if not any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
            for node in ast.walk(ast.parse(path.read_text()))
        )
    ]
    assert empty == []


def test_tests_are_in_folders_of_the_source() -> None:
    """Suites that test the whole product are in separate folders."""
    whole = {"contracts", "crash", "e2e", "environment", "gauntlet", "golden", "realworld", "security", "tools"}
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    mirrored = [folder for folder in sorted(folders) if folder.parts and folder.parts[0] not in whole]
    assert mirrored
    assert [str(folder) for folder in mirrored if not (SOURCE / folder).is_dir()] == []


def test_no_folder_is_crowded() -> None:
    sizes = Counter(str(Path(module).parent) for module in modules() if not module.endswith("__init__.py"))
    assert {folder: size for folder, size in sizes.items() if size > MAX_FILES} == {}


def test_there_are_only_files_of_the_project() -> None:
    """No link, which may lead out of the repository, and nothing new at its top."""
    assert [path for path in project_files() if path.is_symlink()] == []
    assert {*top_entries()} == TOP
