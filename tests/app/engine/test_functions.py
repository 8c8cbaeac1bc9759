"""Capabilities name functions; they are found only where runs are executed."""

import subprocess
import sys

import pytest

from reknit.app.engine.functions import on_cancel_of, workflow_of
from reknit.core.capabilities import CAPABILITIES, capability_of
from reknit.core.errors import InternalError


@pytest.mark.parametrize("kind", CAPABILITIES)
def test_the_workflow_of_a_kind_has_the_stored_name(kind: str) -> None:
    assert vars(workflow_of(kind))["dbos_function_name"] == capability_of(kind).workflow


def test_a_pull_request_and_a_window_are_told_that_their_run_was_cancelled() -> None:
    told = {kind for kind in CAPABILITIES if on_cancel_of(kind)}
    assert told == {"hook check", *(kind for kind in CAPABILITIES if capability_of(kind).lands == "pull request")}


def test_a_kind_that_is_not_known_cannot_be_run() -> None:
    with pytest.raises(InternalError, match="fix everything"):
        workflow_of("fix everything")


def test_to_read_a_run_imports_no_engine() -> None:
    code = "import sys, reknit.core.run_text; sys.exit('dbos' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
