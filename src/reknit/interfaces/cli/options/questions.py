"""The three questions of `reknit plan` in a terminal. Ctrl-C at any of them leaves nothing behind."""

import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence

import click

from reknit.core.planning.intent import CAPS, NO_CAP
from reknit.interfaces.cli.output.echo import echo

GOAL = "What's the goal?"
OFF_LIMITS = "What variants are off-limits?"
CAP = "Time/budget cap?"


def can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """Python would lose a Ctrl-C that arrives just before it begins to read; nothing is written yet, so it may end."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ask_goal() -> str:
    return str(click.prompt(GOAL, default="", show_default=False, prompt_suffix=" ", err=True)).strip()


def ask_off_limits(variants: Sequence[str]) -> tuple[str, ...]:
    def names(given: str) -> tuple[str, ...]:
        chosen = tuple(dict.fromkeys(given.casefold().replace(",", " ").split()))
        if chosen == ("none",) and "none" not in variants:
            return ()
        unknown = [name for name in chosen if name not in variants]
        if unknown:
            raise click.UsageError(f"{unknown[0]!r} is not a variant")
        return chosen

    echo(f"{OFF_LIMITS} Of {', '.join(variants)}", err=True)
    answer: tuple[str, ...] = click.prompt("Names, with commas", default="none", value_proc=names, err=True)
    return answer


def ask_cap() -> str:
    caps = list(CAPS)
    for number, cap in enumerate(caps, 1):
        echo(f"  {number}  {cap}", err=True)

    def chosen(given: str) -> str:
        if given in caps:
            return given
        if given.isdecimal() and 1 <= int(given) <= len(caps):
            return caps[int(given) - 1]
        raise click.UsageError(f"choose 1 to {len(caps)}")

    return str(click.prompt(CAP, default=NO_CAP, value_proc=chosen, prompt_suffix=" ", err=True))
