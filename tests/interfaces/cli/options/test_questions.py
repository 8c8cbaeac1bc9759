from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner

from reknit.interfaces.cli.options.questions import ask_cap, ask_goal, ask_off_limits, can_ask


def answers(ask: Callable[[], object], typed: str) -> tuple[object, str]:
    found: list[object] = []

    @click.command()
    def command() -> None:
        found.append(ask())

    result = CliRunner().invoke(command, input=typed)
    return (found[0] if found else None), result.output


@pytest.mark.parametrize(("typed", "goal"), [("  Tidy up \n", "Tidy up"), ("\n", "")])
def test_the_goal_is_free_text(typed: str, goal: str) -> None:
    assert answers(ask_goal, typed)[0] == goal


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("\n", ()),
        ("None\n", ()),
        ("Grey\n", ("grey",)),
        ("grey\n", ("grey",)),
        ("grey, red,grey\n", ("grey", "red")),
        ("gray\nred grey\n", ("red", "grey")),
    ],
)
def test_several_variants_are_chosen_by_name(typed: str, chosen: tuple[str, ...]) -> None:
    found, shown = answers(lambda: ask_off_limits({"grey": "grey: hygiene", "red": "red: CI"}), typed)
    assert found == chosen
    assert ("'gray' is not a variant" in shown) == ("gray" in typed)


@pytest.mark.parametrize(
    ("typed", "cap"),
    [("\n", "no cap"), ("1\n", "single session"), ("1+ week\n", "1+ week"), ("0\n6\nx\n3\n", "1-2 days")],
)
def test_a_cap_is_chosen_by_number_or_name(typed: str, cap: str) -> None:
    assert answers(ask_cap, typed)[0] == cap


def test_nobody_is_asked_without_a_terminal() -> None:
    assert not can_ask()
