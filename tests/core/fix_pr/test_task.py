"""What a `fix pr` run claims."""

from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.forge.values import ForgePlace


def test_a_run_claims_its_pull_request_however_the_repository_is_spelled() -> None:
    task = FixPullRequest(ForgePlace("github", "https://API.github.com/", "Ada/Shop"), 7, "url", "title", None)
    assert (task.claim, task.is_on_forge) == ("https://api.github.com ada/shop#7", True)
