"""Reads the reviewers: shipped with reknit, a person's own, the repository's; a later one replaces an earlier."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import combinations
from pathlib import Path

from reknit.adapters.files.instruction_file import read_instruction
from reknit.app.config.load import Config
from reknit.app.config.sources import user_file
from reknit.app.start.agent_settings import agent_settings
from reknit.app.start.instructions.agent_files import instructions_in
from reknit.app.start.instructions.file_problems import combined, located
from reknit.core.agents.reviewer import Reviewer
from reknit.core.agents.reviewer_file import parse_reviewer
from reknit.core.errors import InternalError, UsageProblem
from reknit.core.text.format import file_line

SHIPPED = ("correctness", "security", "tests", "architecture", "performance", "maintainability")
FOLDER = ".reknit/reviewers"
OWN_FOLDER = "reviewers"
"""Beside a person's own configuration file."""
_PROBLEM = "reviewer-file"


def reviewers(root: Path | None, environment: Mapping[str, str]) -> tuple[Reviewer, ...]:
    """Shipped ones in their order, then the others by name. `root`: the folder whose rules apply, if any."""
    problems: list[UsageProblem] = []
    own = user_file(environment).parent
    found = {reviewer.name: reviewer for reviewer in map(_shipped, SHIPPED)}
    found |= _in_folder(own / OWN_FOLDER, own, str(own / OWN_FOLDER), problems)
    if root:
        found |= _in_folder(root / FOLDER, root, FOLDER, problems)
    order = (*SHIPPED, *sorted(found.keys() - {*SHIPPED}))
    in_order = tuple(found[name] for name in order)
    problems += _shared_prefixes(in_order)
    if problems:
        raise combined(_PROBLEM, "reviewer files", problems)
    return in_order


def refuse_unknown_agents(chosen: Sequence[Reviewer], config: Config) -> None:
    """Raises UsageProblem with file and line if a reviewer's own agent is not configured."""
    problems = []
    for reviewer in (reviewer for reviewer in chosen if reviewer.agent):
        try:
            agent_settings(config, reviewer.agent)
        except UsageProblem as problem:
            where = file_line(reviewer.origin, reviewer.agent_line)
            problems.append(UsageProblem(_PROBLEM, problem.what, where=where, help=problem.help))
    if problems:
        raise combined(_PROBLEM, "reviewer files", problems)


def _shipped(name: str) -> Reviewer:
    text = resources.files("reknit.prompts").joinpath("reviewers", f"{name}.md").read_text("utf-8")
    reviewer = parse_reviewer(text, "", name)
    if not isinstance(reviewer, Reviewer):
        raise InternalError(_PROBLEM, f"the shipped reviewer {name!r} is wrong: {reviewer[0].what}")
    return reviewer


def _in_folder(folder: Path, below: Path, shown: str, problems: list[UsageProblem]) -> dict[str, Reviewer]:
    """`below`: no step from there may be a symlink. `shown`: the folder, for people."""
    found: dict[str, Reviewer] = {}
    for path in instructions_in(folder):
        try:
            reviewer = _read(path, below, f"{shown}/{path.name}", problems)
        except UsageProblem as problem:
            problems.append(problem)
            continue
        if reviewer and (other := found.setdefault(reviewer.name, reviewer)) is not reviewer:
            what = f"the reviewer {reviewer.name!r} is also in {other.origin}"
            problems.append(UsageProblem(_PROBLEM, what, where=reviewer.origin, help="rename or remove one of them"))
    return found


def _read(path: Path, below: Path, where: str, problems: list[UsageProblem]) -> Reviewer | None:
    """None if it is wrong; then all that is wrong with it is in `problems`."""
    parsed = parse_reviewer(read_instruction(path, below=below, where=where, kind=_PROBLEM), where, path.stem)
    if isinstance(parsed, Reviewer):
        return parsed
    problems += located(_PROBLEM, where, parsed)
    return None


def _shared_prefixes(found: Sequence[Reviewer]) -> Iterator[UsageProblem]:
    """Ids of findings begin with the prefix, so it must tell the reviewer."""
    for one, other in combinations(found, 2):
        if one.prefix == other.prefix:
            places = " and ".join(f"{each.name!r} ({each.origin or 'shipped with reknit'})" for each in (one, other))
            what = f"the reviewers {places} have the same prefix {one.prefix}"
            help_ = "set another `prefix` in one of them"
            yield UsageProblem(_PROBLEM, what, where=other.origin or one.origin, help=help_)
