"""Tests of reknit.core.tamper_checks.rust.texts."""

import pytest

from reknit.core.tamper_checks.rust.texts import CALL, CALL_OF_RESULT, CANARIES, ENTRY, MAIN, filled
from reknit.core.tamper_checks.syntax import is_whole, parse


def test_every_place_of_a_name_is_filled() -> None:
    assert filled("§a§ {} §b§ §a§", a="x", b="y") == "x {} y x"


@pytest.mark.parametrize("text", [CANARIES, ENTRY.replace("§calls§", CALL + CALL_OF_RESULT), MAIN])
def test_the_programs_are_rust(text: str) -> None:
    assert is_whole(parse(text.replace("§false§", "f").replace("§", "x"), "rust"))
