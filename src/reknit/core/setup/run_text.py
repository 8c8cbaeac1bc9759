"""Texts for people about set-ups."""

from collections.abc import Sequence

from reknit.core.box import EndReason
from reknit.core.setup.inputs import to_setup_command
from reknit.core.setup.layers import MAX_FOLDERS, Setup, SetupFailed
from reknit.core.text.format import join_few, to_one_line

_LAST_LINES = 3
_LINE_CHARS = 200


def explain_failure(reason: EndReason, exit_code: int, refused: Sequence[str], problems: Sequence[str]) -> str:
    """Return the reason of a failed set-up: refused hosts first, then registries without an answer."""
    if refused:
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        return f"it asked for {to_one_line(refused[0])}{more}, which is not a registry of yours"
    if problems:
        return f"a registry did not answer: {to_one_line(problems[0])}"
    if reason == "exit":
        return f"exit code {exit_code}"
    return {"wall": "it took too long", "idle": "it printed nothing for too long", "output": "it printed too much"}[
        reason
    ]


def format_too_large(excess_bytes: int) -> str:
    """Format the failure of a set-up that installed too many bytes."""
    return f"what it installed is {excess_bytes / 1e6:.0f} MB larger than all kept set-ups together may be"


def format_too_many(folders: int) -> str:
    """Format the failure of a set-up that installed into too many folders."""
    return f"it installed into {folders} folders, and {MAX_FOLDERS} at most can be kept"


def format_store_problem(problem: str) -> str:
    """Format the failure of a set-up whose result could not be stored."""
    return f"what it installed could not be kept: {problem}"


def format_failure(failed: SetupFailed) -> str:
    """Format a failed set-up with the end of its output."""
    lines = [to_one_line(line)[:_LINE_CHARS] for line in failed.output_tail.strip().splitlines()[-_LAST_LINES:]]
    output = f"; it printed: {' / '.join(lines)}" if lines else ""
    return f"the set-up `{to_one_line(to_setup_command(failed.setup))}` failed: {failed.why}{output}"


def format_lost_layer(failed: SetupFailed, run_id: str) -> str:
    """Format the failure of a run that has used the layer before."""
    return f"what was installed is gone, and {format_failure(failed)}; `reknit resume {run_id}` tries again"


def format_unknown_commit(setups: Sequence[Setup], commit: str) -> str:
    """Format the failure of a set-up whose commit is gone."""
    return (
        f"{format_setups(setups)} was not run: its commit {commit[:7]} cannot be fetched any more; start the run again"
    )


def format_ready(
    setups: Sequence[Setup], seconds: float, changed: Sequence[str] = (), refused: Sequence[str] = ()
) -> str:
    """Format a successful set-up.

    `changed`: files of a stranger's pull request that were not used. `refused`: hosts it succeeded without.
    """
    result = (
        f"{format_setups(setups)} in {seconds:.1f} s"
        if seconds
        else f"{format_setups(setups)}: kept from an earlier run"
    )
    unused = join_few([to_one_line(path) for path in changed])
    hosts = join_few([to_one_line(host) for host in refused])
    more = [
        f"with the files of the base, not those of the pull request: {unused}" if changed else "",
        f"it was refused what is not a registry of yours: {hosts}" if refused else "",
    ]
    return "; ".join([result, *filter(None, more)])


def format_setups(setups: Sequence[Setup]) -> str:
    """Format the commands of set-ups."""
    return ", ".join(f"`{to_one_line(to_setup_command(setup))}`" for setup in setups)
