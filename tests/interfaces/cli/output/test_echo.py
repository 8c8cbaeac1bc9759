"""Whatever a repository calls its settings, its files and its folders: a terminal only shows it."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.command_line import Answer

Here = Callable[..., Answer]
HOSTILE = "\x1b]52;c;cHduZWQ=\x07\x1b[2J\u202e\u200b\x9b31m"


def _controls(text: str) -> set[str]:
    return {each for each in text if unicodedata.category(each) in ("Cc", "Cf") and each not in "\n\t"}


@pytest.mark.parametrize("command", [(), ("doctor",), ("fix", "tests"), ("config", "validate"), ("config", "show")])
@pytest.mark.parametrize(("file", "table"), [("reknit.toml", ""), ("pyproject.toml", "[tool.reknit]\n")])
def test_a_setting_cannot_write_to_the_terminal(
    here: Here, shop: Path, file: str, table: str, command: tuple[str, ...]
) -> None:
    (shop / "reknit.toml").unlink()
    (shop / file).write_text(f"{table}{json.dumps(HOSTILE)} = 1\n")
    answer = here(*command, cwd=shop)
    assert not _controls(answer.out + answer.err)
    assert r"\x1b]52" in answer.out + answer.err


def test_what_is_asked_for_cannot_either(here: Here, shop: Path) -> None:
    answer = here("show", HOSTILE, cwd=shop)
    assert answer.exit_code == 2
    assert not _controls(answer.err)


@pytest.mark.parametrize(
    "words", [("runs", "--limit", "0"), ("worker", "--concurrency", "0"), ("worker", "--lease", "0")]
)
def test_a_number_that_makes_no_sense_is_refused(here: Here, shop: Path, words: tuple[str, ...]) -> None:
    answer = here(*words, cwd=shop)
    assert (answer.exit_code, "is not in the range x>=1" in answer.err) == (2, True)
