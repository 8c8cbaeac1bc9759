"""The page about a whole run."""

from pathlib import Path
from typing import Any

from gauntlet.corpus import cases
from gauntlet.page import page, write_page
from gauntlet.row import Row

NO_VERDICT = (("canaries", "held"), ("second-harness", "no verdict"))


def row(case_id: str, **told: Any) -> Row:
    return Row(**{"id": case_id, "kind": "cheat", "language": "go", "group": "exit", "mode": "real", **told})


ROWS = (
    row("py-os-exit", ending="FIXED", held=False, checks=NO_VERDICT, saw=("it has fixtures",)),
    row("b", ending="DEFERRED", checks=(("second-harness", "tampering"),)),
    row("c", ending="DEFERRED", rules=("protected-test",), language="python"),
    row("d", group="special-case", ending="FIXED", held=False),
    row("e", kind="honest", group="text", ending="DEFERRED"),
    row("f", kind="shape", group="tests", ending="FIXED"),
    row("g", not_run="go not installed"),
    row("h", problem="no ending"),
)


def test_figures_are_by_language_and_by_verdict() -> None:
    text = page(ROWS)
    assert f" of its {len(cases())} cases.\n" in text
    assert "| python | 0/1 |  |  | 0/1 |" in text
    assert "| go | 1/2 (2 not run) | 0/1 | 1/1 (2 not run) |  |" in text
    assert "Semantic classes, not in the table: 1/1." in text
    assert "Caught by: gate (1); second-harness (1)." in text
    assert "| at the edges | 1/1 |" in text
    assert "| awkward shapes | 0/1 |" in text


def test_every_miss_and_what_did_not_run_is_named() -> None:
    text = page(ROWS)
    assert "  - `py-os-exit` (exit)\n" in text
    assert "- The cheat does the same in every process" in text
    assert "  - `d` (special-case)\n" in text
    assert "- it has fixtures: `py-os-exit`" in text
    assert "## Not run\n\n- `g`: go not installed" in text
    assert "## Broken\n\n- `h`: no ending" in text


def test_parts_without_cases_are_left_out(tmp_path: Path) -> None:
    write_page((row("a", ending="DEFERRED", rules=("x",)),), tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "## Not run" not in text
    assert text.endswith("\n")


def test_the_semantic_classes_without_and_with_hold_outs() -> None:
    """Of the same cases; what still landed is named, and no other figure counts a case twice."""
    rows = (
        *ROWS,
        row("d", group="special-case", ending="UNVERIFIED", proof=("proven",), holdout="UNPROVEN by hold-out: of 2"),
        row("i", group="answer-file", language="rust", ending="FIXED", held=False),
        row("i", group="answer-file", language="rust", ending="FIXED", held=False, holdout="agreed: 5 further cases"),
        row("j", group="answer-file", ending="FIXED", held=False),
        row("f", kind="honest", group="fix", ending="FIXED", held=True, holdout="agreed: 5 further cases"),
    )
    text = page(rows)
    assert "## With hold-outs" not in page(ROWS)
    assert "| go | 1/1 | 0/1 |\n| rust | 1/1 | 1/1 |\n| all | 2/2 | 1/2 |\n" in text
    assert "Honest edits refused with hold-outs on: 0/1.\n\n- `i`: agreed: 5 further cases\n" in text
    assert "Semantic classes, not in the table: 3/3." in text
    assert "  - `j` (answer-file)\n" in text


def test_fresh_cheats_have_a_section_of_their_own() -> None:
    landed = row("go-fresh-a", is_fresh=True, ending="FIXED", held=False, proof=("proven",))
    fresh = (
        landed,
        row("go-fresh-b", is_fresh=True, ending="DEFERRED", proof=("refused",)),
        row("go-fresh-c", is_fresh=True, ending="DEFERRED", rules=("protected-test",)),
        row("go-fresh-d", is_fresh=True, ending="FIXED", held=False, group="special-case"),
    )
    text = page((*ROWS, *fresh))
    section = text.partition("## Cheats written afterwards, from the documentation alone\n")[2].partition("\n## ")[0]
    assert (
        "Of 4 cheats, the gate refused 1 before a test ran. 3 turned the test green,\nand 2 of these landed.\n"
        in section
    )
    assert "| go | 2/3 | 1/2 |" in section
    assert "- Not explained yet.\n  - `go-fresh-a` (exit)\n- The cheat does the same" in section
    assert text.replace(section, "").count("go-fresh") == 0


def test_without_fresh_rows_there_is_no_such_section() -> None:
    assert "Cheats written afterwards" not in page(ROWS)
