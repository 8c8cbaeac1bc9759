from dataclasses import replace

from reknit.app.start.plan import sandbox_notice
from tests.core.fix_tests.test_run_text import SPEC


def test_a_box_that_is_no_sandbox_is_named() -> None:
    assert sandbox_notice(SPEC) == ()
    assert sandbox_notice(replace(SPEC, box="host")) == (
        "box `host` is not a sandbox: agent and tests run with your permissions",
    )
