"""Tests of reknit.core.languages.go.tamper_checks.make."""

import re

from reknit.core.languages.go.tamper_checks.make import make_probes
from reknit.core.languages.go.tamper_checks.source import GoTarget, find_functions, is_test_function, parse_package
from reknit.core.syntax import parse_tree
from reknit.core.tamper_checks.checks import Names, Probe
from reknit.core.tamper_checks.syntax import is_fully_parsed

NAMES = Names("seed")
TEXT = """package shop

import "testing"

func TestA(t *testing.T) {
	if f() != 3 {
		t.Fatal("é")
	}
}

func TestB(x *testing.T) { x.Fatal() }
"""


def _targets() -> list[GoTarget]:
    (file,) = parse_package("vat", {"vat/a_test.go": TEXT})
    return [
        GoTarget((f"vat::{name}",), "vat", name, file, node)
        for name, node in find_functions(file)
        if is_test_function(name, node)
    ]


def test_a_file_has_one_test_that_must_pass_and_one_that_must_fail_and_each_target_its_twins() -> None:
    probes, files = make_probes(_targets(), NAMES)
    passing, failing = NAMES.make_title("go passing"), NAMES.make_title("go failing")
    assert probes == (
        Probe(f"vat::Test{passing}0", "pass", "vat::TestA"),
        Probe(f"vat::Test{failing}0", "fail", "vat::TestA"),
        Probe(f"vat::Test{NAMES.make_title('go twin')}0x0", "differ", "vat::TestA"),
    )
    assert list(files) == ["vat/a_test.go"]


def test_they_follow_the_tests_in_their_own_file() -> None:
    text = make_probes(_targets(), NAMES)[1]["vat/a_test.go"]
    assert text.startswith(TEXT)
    assert f'func Test{NAMES.make_title("go twin")}0x0(t *testing.T) {{\n\tif f() != 64 {{\n\t\tt.Fatal("é")' in text
    assert f"got != {len(NAMES.make_title('go passing')) + 5} {{\n\t\tt.Fatalf" in text
    assert not re.search(r"\b(Passing|Failing|LENGTH|REPORTER)\b", text)
    assert is_fully_parsed(parse_tree(text, "go"))
