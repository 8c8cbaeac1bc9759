import click
import pytest

from reknit.core.errors import UsageError
from reknit.core.gate.waiver import Waiver
from reknit.interfaces.cli.commands.review import review
from reknit.interfaces.cli.options.settings import collect_settings, retype_command
from tests.interfaces.cli.options.test_settings import COMMANDS, context_of, parsed


@pytest.mark.parametrize("command", ["tests", "pr", "issues"])
def test_it_may_be_given_several_times(command: str) -> None:
    words = ("--allow", "protected-config:uv.lock", "--allow", "too-much:./uv.lock")
    assert parsed(command, *words) == {
        "gate": {"allow": (Waiver("protected-config", "uv.lock"), Waiver("too-much", "uv.lock"))}
    }
    assert parsed(command) == {}


def test_a_review_takes_it_too() -> None:
    with review.make_context("review", ["--allow", "too-much:a"], parent=click.Context(click.Group())):
        assert collect_settings() == {"gate": {"allow": (Waiver("too-much", "a"),)}}


def test_no_other_command_has_it() -> None:
    assert "allow" not in {option.name for option in COMMANDS["vote"].params}


def test_a_wrong_one_ends_the_command_at_once() -> None:
    with pytest.raises(UsageError, match="no rule 'lockfile'"):
        parsed("tests", "--allow", "lockfile:uv.lock")


def test_a_suggested_command_has_them_again() -> None:
    with context_of("tests", "--allow", "too-much:a b", "--allow", "too-much:c") as context:
        assert retype_command(context) == "reknit tests --allow 'too-much:a b' --allow too-much:c"
