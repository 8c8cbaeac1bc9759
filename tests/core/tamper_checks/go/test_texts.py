"""Tests of reknit.core.tamper_checks.go.texts."""

import re

import pytest

from reknit.core.tamper_checks.go.texts import CALL, CANARIES, MAIN, REPORTER, filled
from reknit.core.tamper_checks.syntax import is_whole, parse


def test_every_place_of_a_name_is_filled() -> None:
    assert filled("§a§ {} §b§ §a§", a="x", b="y") == "x {} y x"


@pytest.mark.parametrize("text", [REPORTER, MAIN, f"package a\n{CANARIES}", f"package a\nfunc f() {{\n{CALL}}}\n"])
def test_the_programs_are_go(text: str) -> None:
    assert is_whole(
        parse(re.sub("§(calls|imports|wanted|runs)§", "", text).replace("§package§", "shop").replace("§", ""), "go")
    )


@pytest.mark.parametrize("name", ["Run", "Fatal", "Errorf", "Cleanup", "Setenv", "TempDir", "Parallel", "Context"])
def test_the_reporter_has_what_tests_call(name: str) -> None:
    assert f"func (t *§T§) {name}(" in REPORTER
