"""Whether the default branch is checked out."""

import pytest

from reknit.core.planning.context import RepoContext


@pytest.mark.parametrize(
    ("branch", "default", "is_default"),
    [
        pytest.param("main", "main", True, id="it is"),
        pytest.param("topic", "main", False, id="another"),
        pytest.param("", "", False, id="neither is known"),
    ],
)
def test_a_branch_is_the_default_one_only_if_both_are_known(branch: str, default: str, is_default: bool) -> None:
    assert RepoContext("2026-11-17", branch, default).on_default_branch == is_default
