"""What `reknit hook install` and `uninstall` print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reknit.core.hook.command import AGENTS
from reknit.core.hook.settings_file import Done


@dataclass(frozen=True)
class HookChange:
    agent: str
    path: str
    done: Done
    is_off: bool = False
    """The file switches all hooks off."""


def change_lines(changes: Sequence[HookChange], *, project: bool) -> Iterator[str]:
    for change in changes:
        agent = AGENTS[change.agent]
        note = f"; {agent.note}" if change.done in ("installed", "updated") and agent.note else ""
        preposition = "from" if change.done == "removed" else "in"
        yield f"{change.agent:<8}{agent.event} hook {change.done} {preposition} {change.path}{note}"
        if change.is_off:
            yield f"  note      it does not run: {'.'.join(agent.off[0])} switches all hooks off in that file"
    if all(change.done in ("removed", "not installed") for change in changes):
        return
    if project:
        yield "  note      the files name the Python of this machine: do not commit them"
        yield "            agents skip a project's hooks until you trust its folder"
    yield "  next      reknit hook arm BUG-001 PATH    then let the agent fix it in its window"
