"""`fix tests` as shared code sees it."""

from reknit.core.capability import Capability
from reknit.core.fix_tests.run_text import ending_text, heading, receipt_lines
from reknit.core.fix_tests.state_document import state_document

FIX_TESTS = Capability(
    kind="fix tests",
    workflow="repair.v1",
    function="reknit.workflows.fix_tests.workflow:repair",
    lands="branch",
    runs_tests=True,
    heading=heading,
    ending_text=ending_text,
    receipt_lines=receipt_lines,
    state_document=state_document,
)
