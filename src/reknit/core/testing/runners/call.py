"""A call of a test runner as it was written, taken apart so that reknit's own options can be put in."""

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass

JUNIT = "{outbox}/report.xml"
JSON = "{outbox}/report.json"


@dataclass(frozen=True)
class RunnerCall:
    start: tuple[str, ...]
    """The words up to the runner: `npx --no-install jest`."""
    arguments: tuple[str, ...] = ()
    origin: str = ""
    env: tuple[tuple[str, str], ...] = ()

    @property
    def typed(self) -> str:
        return shlex.join((*self.start, *self.arguments))


def without(arguments: Iterable[str], flags: Collection[str], with_value: Collection[str] = ()) -> tuple[str, ...]:
    """Without these options: `--flag`, `--option value` and `--option=value`."""
    kept: list[str] = []
    is_value = False
    for argument in arguments:
        name = argument.partition("=")[0]
        if is_value:
            is_value = False
        elif name in with_value:
            is_value = "=" not in argument
        elif name not in flags:
            kept.append(argument)
    return tuple(kept)
