"""Where the commits of a vote come from."""

from tests.tools.vote_samples import TARGET


def test_the_commits_of_a_vote_come_from_the_forge() -> None:
    assert TARGET.is_on_forge
