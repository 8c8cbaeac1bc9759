"""Problems in files that a person wrote for reknit."""

from reknit.app.start.instructions.file_problems import combined, located
from reknit.core.errors import UsageProblem
from reknit.core.planning.variants.variant_file import VariantProblem


def test_a_problem_has_its_file_and_its_line_if_it_is_on_one() -> None:
    problems = (VariantProblem(3, "`base` is a text", "write a number"), VariantProblem(0, "it is empty"))
    found = located("variant-file", "a.toml", problems)
    assert [(each.name, each.where, each.what, each.help) for each in found] == [
        ("variant-file", "a.toml:3", "`base` is a text", "write a number"),
        ("variant-file", "a.toml", "it is empty", ""),
    ]


def test_several_problems_are_one_error_with_a_line_each_and_one_is_itself() -> None:
    one = UsageProblem("variant-file", "first\nmore", where="a.toml:1", help="correct it")
    other = UsageProblem("variant-file", "second", where="b.toml", help="remove it")
    assert combined("variant-file", "variant files", [one]) is one
    assert combined("variant-file", "variant files", [one, other]).what.splitlines() == [
        "the variant files have 2 problems:",
        "  a.toml:1: first",
        "    more; correct it",
        "  b.toml: second; remove it",
    ]
