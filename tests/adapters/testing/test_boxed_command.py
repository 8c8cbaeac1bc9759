from pathlib import Path

import pytest

from reknit.adapters.testing.boxed_command import PRINTED_REPORT_BYTES, boxed
from reknit.core.box import BoxView, CommandLimits
from reknit.core.testing.command import TestCommand


@pytest.fixture
def view(tmp_path: Path) -> BoxView:
    for path in ("repository/web", "tree/web/test", "tree/web/node_modules"):
        (tmp_path / path).mkdir(parents=True)
    for path in ("test/b.js", "test/a.js", "test/a.txt", "node_modules/c.js"):
        (tmp_path / "tree/web" / path).write_text("")
    return BoxView(str(tmp_path / "repository"), str(tmp_path / "tree"))


def _argv(view: BoxView, *argv: str, only: tuple[str, ...] = ()) -> tuple[str, ...]:
    return boxed(TestCommand("x", argv, "junit", select=("{id}",), folder="web"), view, only, "/o", 1.0).argv


def test_files_that_match_replace_their_glob_in_order(view: BoxView) -> None:
    assert _argv(view, "node", "{glob}./test/*.js") == ("node", "test/a.js", "test/b.js")
    assert _argv(view, "node", "{glob}**/a.js") == ("node", "test/a.js")


def test_a_file_named_like_an_option_is_none(view: BoxView) -> None:
    Path(view.tree, "web", "--inspect.cjs").write_text("")
    assert _argv(view, "node", "{glob}*.cjs") == ("node", "./--inspect.cjs")


def test_a_glob_without_files_stays_as_a_shell_leaves_it(view: BoxView) -> None:
    assert _argv(view, "node", "{glob}spec/*.js") == ("node", "spec/*.js")


def test_our_programs_are_put_in(view: BoxView) -> None:
    _, _, wrapper, reporter, report = _argv(view, "python", "-c", "{unittest}", "--r={node reporter}", "{outbox}/r.xml")
    assert wrapper.startswith('"""Runs unittest')
    assert reporter.startswith("--r=data:text/javascript;base64,")
    assert report == "{outbox}/r.xml", "the box knows the path"


def test_chosen_tests_come_last(view: BoxView) -> None:
    assert _argv(view, "pytest", "{whole}a", only=("t::x",)) == ("pytest", "t::x")


@pytest.mark.parametrize(
    ("report", "size"), [("{stdout}", PRINTED_REPORT_BYTES), ("r.xml", CommandLimits().output_bytes)]
)
def test_a_printed_report_may_be_long(view: BoxView, report: str, size: int) -> None:
    started = boxed(TestCommand("go", ("go",), "report", report), view, (), "/o", 2.0)
    assert started.limits == CommandLimits(wall_s=2.0, idle_s=2.0, output_bytes=size)


@pytest.mark.parametrize(("env", "seed"), [((), "1"), ((("PYTHONHASHSEED", "random"),), "random")])
def test_ids_from_a_set_are_the_same_in_every_run_unless_the_user_says_otherwise(
    view: BoxView, env: tuple[tuple[str, str], ...], seed: str
) -> None:
    started = boxed(TestCommand("pytest", ("python",), "junit", env=env), view, (), "/o", 1.0)
    assert started.env["PYTHONHASHSEED"] == seed


def test_a_random_order_of_go_is_the_same_in_every_run(view: BoxView) -> None:
    assert _argv(view, "go", "test", "-shuffle=on") == ("go", "test", "-shuffle=1")
    assert _argv(view, "go", "test", "-shuffle=7") == ("go", "test", "-shuffle=7")
