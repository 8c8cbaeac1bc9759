"""The three questions of `reknit plan` in a terminal. Ctrl-C at any of them leaves nothing behind."""

import contextlib
import signal
import sys
from collections.abc import Iterator, Mapping

import click

from reknit.core.planning.intent import CAPS, NO_CAP
from reknit.interfaces.cli.output.echo import echo

GOAL = "What's the goal?"
OFF_LIMITS = "What variants are off-limits?"
CAP = "Time/budget cap?"


def can_ask() -> bool:
    """Return True if a person can read and answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def ended_by_ctrl_c() -> Iterator[None]:
    """End at Ctrl-C: Python would lose one just before it begins to read, and nothing is written yet."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def ask_goal() -> str:
    """Ask for the goal of the plan."""
    return str(click.prompt(GOAL, default="", show_default=False, prompt_suffix=" ", err=True)).strip()


def ask_off_limits(variants: Mapping[str, str]) -> tuple[str, ...]:
    """Ask for variants that must not be recommended. `variants`: name and description of each."""

    def parse_names(text: str) -> tuple[str, ...]:
        off_limits = tuple(dict.fromkeys(text.casefold().replace(",", " ").split()))
        if off_limits == ("none",) and "none" not in variants:
            return ()
        unknown = [name for name in off_limits if name not in variants]
        if unknown:
            raise click.UsageError(f"{unknown[0]!r} is not a variant")
        return off_limits

    echo("\n".join([OFF_LIMITS, *(f"  {description}" for description in variants.values())]), err=True)
    answer: tuple[str, ...] = click.prompt("Names, with commas", default="none", value_proc=parse_names, err=True)
    return answer


def ask_cap() -> str:
    """Ask how long the work may take."""
    caps = list(CAPS)
    for number, cap in enumerate(caps, 1):
        echo(f"  {number}  {cap}", err=True)

    def parse_cap(text: str) -> str:
        if text in caps:
            return text
        if text.isdecimal() and 1 <= int(text) <= len(caps):
            return caps[int(text) - 1]
        raise click.UsageError(f"choose 1 to {len(caps)}")

    return str(click.prompt(CAP, default=NO_CAP, value_proc=parse_cap, prompt_suffix=" ", err=True))
