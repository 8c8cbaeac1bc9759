"""What a stored run says of itself: its pull request, and what a clean one did not look at."""

from dataclasses import replace

import pytest

from reknit.core.errors import InternalError
from reknit.core.runs.view import beside_clean, pull_of
from tests.tools import vote_samples
from tests.tools.pull_samples import RUN, TARGET, URL


def test_the_pull_request_of_a_run() -> None:
    assert (pull_of(RUN)["number"], pull_of(RUN)["url"]) == (TARGET.number, URL)
    with pytest.raises(InternalError, match="r-7f3a has no pull request"):
        pull_of(replace(RUN, spec={"pull": None}))


def test_a_vote_keeps_its_pull_request_under_another_name() -> None:
    assert pull_of(vote_samples.RUN)["url"] == vote_samples.URL


@pytest.mark.parametrize(
    ("ending", "uncommitted"),
    [
        pytest.param("FIXED", {"uncommitted": ["a.py"], "uncommitted_count": 1}, id="another ending claims nothing"),
        pytest.param("CLEAN", {"uncommitted": "a.py", "uncommitted_count": 1}, id="names that are no list"),
        pytest.param("CLEAN", {"uncommitted": ["a.py"], "uncommitted_count": "1"}, id="a count that is no number"),
        pytest.param("CLEAN", {"uncommitted": ["a.py"]}, id="no count"),
    ],
)
def test_no_note_is_made_of_what_is_not_stored_in_full(ending: str, uncommitted: dict[str, object]) -> None:
    assert beside_clean(replace(RUN, ending=ending, spec={**RUN.spec, **uncommitted})) == ""


def test_only_a_run_on_a_pull_request_needs_a_push() -> None:
    unseen = {"uncommitted": ("a.py",), "uncommitted_count": 3}
    seen = replace(RUN, ending="CLEAN", spec={"pull": RUN.spec["pull"], **unseen})
    assert "commit and push them" in beside_clean(seen)
    assert "; commit them" in beside_clean(replace(seen, spec=unseen))
