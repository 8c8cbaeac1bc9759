"""Every program in `programs/` is valid source of its language."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reknit.core.languages.programs import fill, read_program
from reknit.core.syntax import Syntax, parse_tree
from reknit.core.tamper_checks.syntax import is_fully_parsed
from tests.tools.project_files import ROOT

LANGUAGES = ROOT / "src" / "reknit" / "core" / "languages"
PROGRAMS = sorted(LANGUAGES.glob("*/programs/*"))
SYNTAX: dict[str, Syntax] = {
    ".go": "go",
    ".java": "java",
    ".js": "javascript",
    ".mjs": "javascript",
    ".rs": "rust",
}
"""The language of each ending. CI has no Go, Rust or Java, so each program is parsed here too."""
TOOLS = {
    ".go": ("gofmt", "-l"),
    ".java": ("javac", "-proc:none", "-XDshould-stop.ifError=PARSE", "-XDshould-stop.ifNoError=PARSE"),
    ".js": ("node", "--check"),
    ".mjs": ("node", "--check"),
    ".rs": ("rustfmt", "--check", "--edition", "2021"),
}
"""The tool of each ending. Placeholders have no declaration, so `javac` stops after parsing."""


def in_its_folder(path: Path) -> str:
    return path.relative_to(LANGUAGES).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=in_its_folder)
def test_each_program_is_valid_source(path: Path, tmp_path: Path) -> None:
    assert is_fully_parsed(parse_tree(path.read_text("utf-8"), SYNTAX[path.suffix]))
    tool, *arguments = TOOLS[path.suffix]
    program = shutil.which(tool)
    assert program or tool != "node", "node is needed by the project itself"
    if program:
        words = [program, *arguments, str(path)]
        outcome = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr


def test_every_language_with_programs_is_checked() -> None:
    assert {path.parent.parent.name for path in PROGRAMS} >= {"go", "java", "javascript", "rust"}


@pytest.mark.parametrize("path", PROGRAMS, ids=in_its_folder)
def test_a_program_is_read_without_its_comments(path: Path) -> None:
    text = read_program(path.parent.parent.name, path.name)
    assert text.strip()
    assert re.search(r"^\s*//", text, re.MULTILINE) is None
    assert "Placeholders" not in text


@pytest.mark.parametrize("path", [path for path in PROGRAMS if "javascript" not in path.parts], ids=in_its_folder)
def test_a_program_names_its_placeholders(path: Path) -> None:
    comment = path.read_text("utf-8").partition("Placeholders: ")[2].partition(".\n")[0]
    placeholders = re.split(", | and ", comment)
    text = read_program(path.parent.parent.name, path.name)
    assert [name for name in placeholders if not re.search(rf"\b{name}\b", text)] == []


def test_placeholders_are_whole_words_and_are_replaced_once() -> None:
    assert fill("func Name(NAME, OTHER) NAMES", NAME="OTHER", OTHER="x") == "func Name(OTHER, x) NAMES"
