"""Where an error of a step or of a whole run stops being raised and becomes a value."""

from collections.abc import Awaitable
from typing import TypeVar

from reknit.core.runs.attempt_events import broken
from reknit.core.runs.ending import Ending
from reknit.workflows.runtime.services import current

T = TypeVar("T")


async def result_or_error(work: Awaitable[T]) -> T | Exception:
    try:
        return await work
    except Exception as problem:  # noqa: BLE001 - the workflow boundary: a run always ends in a typed ending
        return problem


def ending_of(result: Ending | Exception) -> Ending:
    """The ending of a run, also of a failed one.

    An outage does not end a run: the process exits, and the run can be resumed.
    """
    if isinstance(result, Ending):
        return result
    current().outage(result)
    return broken(result)
