"""How a plan is recognised that reknit wrote, or that a person accepted."""

from dataclasses import replace

from reknit.core.planning.plan_file.parsing import parse_plan
from reknit.core.planning.plan_file.plan import PlanFile, digest
from reknit.core.planning.plan_file.results import without_results


def written_key(repository: str, file: str, text: str) -> str:
    """The question that the run which wrote exactly this text has answered."""
    parts = "\0".join((repository, file, text))
    return f"plan {digest(parts)}"


def accepted_key(repository: str, file: str, text: str) -> str:
    """Return the name of the record that a person accepted this text.

    The results under the criteria do not count, because runs write them. They do if the plan reads differently without
    them: then they are more than results.
    """
    plan, bare = parse_plan(text), without_results(text)
    if isinstance(plan, PlanFile):
        plan = replace(plan, criteria=tuple(replace(each, result="") for each in plan.criteria))
    return digest("\0".join(map(digest, (repository, file, bare if parse_plan(bare) == plan else text))))


def make_current(text: str) -> str:
    """Return the text of a provisional plan with the status that accepts it."""
    return text.replace("status: provisional", "status: current", 1)
