"""What a person reads about a set-up."""

from collections.abc import Sequence

from reknit.core.box import EndReason
from reknit.core.setup.inputs import in_folder
from reknit.core.setup.results import MOST_FOLDERS
from reknit.core.setup.values import Setup, SetupFailed
from reknit.core.text.format import first_few, one_line

_LAST_LINES = 3
_LINE_CHARS = 200


def what_failed(reason: EndReason, exit_code: int, refused: Sequence[str], problems: Sequence[str]) -> str:
    if refused:
        more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
        return f"it asked for {one_line(refused[0])}{more}, which is not a registry of yours"
    if problems:
        return f"a registry did not answer: {one_line(problems[0])}"
    if reason == "exit":
        return f"exit code {exit_code}"
    return {"wall": "it took too long", "idle": "it printed nothing for too long", "output": "it printed too much"}[
        reason
    ]


def too_large(excess_bytes: int) -> str:
    return f"what it installed is {excess_bytes / 1e6:.0f} MB larger than all kept set-ups together may be"


def too_many(folders: int) -> str:
    return f"it installed into {folders} folders, and {MOST_FOLDERS} at most can be kept"


def not_kept(problem: str) -> str:
    return f"what it installed could not be kept: {problem}"


def failed_text(failed: SetupFailed) -> str:
    lines = [one_line(line)[:_LINE_CHARS] for line in failed.output_tail.strip().splitlines()[-_LAST_LINES:]]
    said = f"; it printed: {' / '.join(lines)}" if lines else ""
    return f"the set-up `{one_line(in_folder(failed.setup))}` failed: {failed.why}{said}"


def gone_text(failed: SetupFailed, run_id: str) -> str:
    """Of a run that has used the layer before."""
    return f"what was installed is gone, and {failed_text(failed)}; `reknit resume {run_id}` tries again"


def unknown_commit(setups: Sequence[Setup], commit: str) -> str:
    return f"{typed(setups)} was not run: its commit {commit[:7]} cannot be fetched any more; start the run again"


def ready_text(
    setups: Sequence[Setup], seconds: float, changed: Sequence[str] = (), refused: Sequence[str] = ()
) -> str:
    """`changed`: files of a stranger's pull request that were not used. `refused`: hosts it succeeded without."""
    done = f"{typed(setups)} in {seconds:.1f} s" if seconds else f"{typed(setups)}: kept from an earlier run"
    unused = first_few([one_line(path) for path in changed])
    hosts = first_few([one_line(host) for host in refused])
    more = [
        f"with the files of the base, not those of the pull request: {unused}" if changed else "",
        f"it was refused what is not a registry of yours: {hosts}" if refused else "",
    ]
    return "; ".join([done, *filter(None, more)])


def typed(setups: Sequence[Setup]) -> str:
    return ", ".join(f"`{one_line(in_folder(setup))}`" for setup in setups)
