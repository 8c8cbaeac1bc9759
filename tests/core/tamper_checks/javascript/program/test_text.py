"""The text of the program that calls tests."""

import re

from reknit.core.tamper_checks.javascript.program.text import program_text
from reknit.core.tamper_checks.names import Names


def test_what_the_parts_share_has_ordinary_names_that_differ_from_run_to_run() -> None:
    text, other = program_text(Names("seed")), program_text(Names("other"))
    assert re.search(r"\$[A-Za-z]", text) is None
    assert text != other
    assert text == program_text(Names("seed"))


def test_each_shared_name_stays_one_name() -> None:
    counts = sorted(map(program_text(Names("seed")).count, ("__proto__", "=> {")))
    assert counts == sorted(map(program_text(Names("other")).count, ("__proto__", "=> {")))
    declared = re.findall(r"^(?:const|let|async function|function|class) ([a-z]+\d+)\b", program_text(Names("s")), re.M)
    assert len(declared) == len({*declared}) > 100


def test_nothing_in_it_tells_what_it_is() -> None:
    lines = program_text(Names("seed")).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("//")]
    assert "reknit" not in program_text(Names("seed"))
