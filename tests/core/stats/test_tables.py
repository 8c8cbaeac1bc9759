"""The tables of `reknit stats`: each number has its unit and its period, and no name can write into the page."""

from dataclasses import replace

import pytest

from reknit.core.stats.figures import AgentFigures, EndingFigures, Figures, FindingFigures, RuleFigures, parse_period
from reknit.core.stats.tables import build_tables, render_page, render_text, summarize

MONTH = parse_period("30d")
FIXED = EndingFigures("FIXED", 2, 0.5, 0.0, 100.0)
OPEN = EndingFigures("open", 1, 0.0, 0.401, 0.0)
CLAUDE, IDLE = AgentFigures("claude", 4, 2, 0.5, 12_345, 40.0), AgentFigures("mine", 1, 0, 0.1, 0, 0.0)
FULL = Figures(
    "/home/me/shop", MONTH, (FIXED, OPEN), (CLAUDE, IDLE), (FindingFigures("/home/me/shop", "t::one", 2, 4, 0.5),),
    (RuleFigures("test-removed", 3),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        pytest.param(
            Figures("/shop", MONTH), "No run began in shop in the last 30 days: `reknit fix tests` starts one.",
            id="no history",
        ),
        pytest.param(
            Figures("", MONTH, (OPEN,)),
            "1 run began in every repository in the last 30 days: $0.00 spent, up to $0.41 more is reserved."
            " No fix was accepted.",
            id="no fix",
        ),
        pytest.param(
            Figures("/shop/", MONTH, (FIXED,), (replace(CLAUDE, landed=1),)),
            "2 runs began in shop in the last 30 days: $0.50 spent."
            " 1 fix was accepted, $0.50 each with everything that was tried.",
            id="one fix",
        ),
        pytest.param(
            Figures("/shop", MONTH, (FIXED,), (CLAUDE,)),
            "2 runs began in shop in the last 30 days: $0.50 spent."
            " 2 fixes were accepted, $0.25 each with everything that was tried.",
            id="fixes",
        ),
    ],
)  # fmt: skip
def test_the_first_sentence_is_the_answer(figures: Figures, text: str) -> None:
    assert summarize(figures) == text
    assert render_text(figures).startswith(text)


def test_every_table_says_what_it_shows_and_for_which_period() -> None:
    assert len(build_tables(FULL)) == 4
    assert all(MONTH.text in table.sentence for table in build_tables(FULL))
    assert build_tables(Figures("", MONTH)) == []


def test_nothing_is_divided_by_zero() -> None:
    agents = build_tables(FULL)[1]
    assert agents.rows == [
        ("claude", "4", "2", "0.50", "0.25", "12,345", "10 s"),
        ("mine", "1", "0", "0.10", "none", "0", "-"),
    ]


def test_columns_are_aligned() -> None:
    assert "\n".join(render_text(FULL).split("\n\n")[1].splitlines()[1:]) == (
        "  ending  runs  spent, $  reserved, $  time per run\n"
        "  FIXED      2      0.50         0.00          50 s\n"
        "  open       1      0.00         0.40             -"
    )


def test_the_page_has_the_same_numbers_and_no_script() -> None:
    page = render_page(FULL)
    assert "<script" not in page
    assert "http://" not in page
    assert '<tr><th scope="row">claude</th><td>4</td><td>2</td><td>0.50</td>' in page


def test_a_name_from_a_repository_writes_neither_html_nor_a_terminal() -> None:
    hostile = "<script>alert(1)</script>\x1b[31m\u202e"
    figures = replace(FULL, repository=f"/{hostile}", findings=(FindingFigures("/shop", hostile, 1, 1, 0.5),))
    page, text = render_page(figures), render_text(figures)
    assert "<script" not in page
    assert not {"\x1b", "\u202e"} & {*page, *text}


def test_on_a_narrow_terminal_each_row_is_a_list_and_no_word_is_cut() -> None:
    lines = render_text(FULL, 60).splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(render_text(FULL).split())[:60] == " ".join(" ".join(lines).split())[:60]
