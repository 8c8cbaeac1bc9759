"""The check of a window's work as a durable workflow: the gate on what changed since fix mode began, then the test."""

from dbos import DBOS

from reknit.core.hook.check import refused, with_note
from reknit.core.hook.mode import CheckResult
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.hook_check import steps
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.shared.project_setup import set_up


@DBOS.workflow(name="hook_check.v1", max_recovery_attempts=50)
async def hook_check(spec: RunSpec) -> Ending:
    result = await result_or_error(_look(spec))
    if isinstance(result, CheckResult):
        return await steps.conclude(spec, result)
    ending = ending_of(result)
    return await steps.conclude(spec, CheckResult("unseen", ending.reason), ending)


async def _look(spec: RunSpec) -> CheckResult:
    if spec.setups and (failed := await set_up(spec)):
        return CheckResult("unseen", failed.reason)
    verdict = await steps.judge(spec)
    return refused(verdict) or with_note(await steps.test(spec), verdict)
