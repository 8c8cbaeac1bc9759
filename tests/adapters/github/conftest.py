"""A GitHub of our own with one repository and one pull request, and reknit on it as a person and as an App."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from reknit.adapters.github.api.credentials import UserToken
from reknit.adapters.github.api.identity import make_identity
from reknit.adapters.github.api.requests import GitHubApi
from reknit.adapters.github.comments import _REPLY
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.core.forge.values import ForgePlace
from tests.tools.github import GitHub

SLUG = "dev/app"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as made:
        yield made
        assert made.violations == []


@dataclass(frozen=True)
class Opened:
    number: int
    sha: str


@pytest.fixture
def pull(hub: GitHub) -> Opened:
    hub.make_repository(SLUG, {"a.py": "x = 1\ny = 2\n"})
    sha = hub.commit(SLUG, "feat", {"a.py": "x = 1\ny = 3\nz = 4\n"}, message="feat")
    return Opened(hub.open_pull(SLUG, head="feat", title="a feature"), sha)


@pytest.fixture
def forge(hub: GitHub) -> Iterator[GitHubForge]:
    with open_forge(ForgePlace("github", hub.url, SLUG), {"GH_TOKEN": hub.token}) as opened:
        yield opened


@pytest.fixture
def app_environment(hub: GitHub) -> dict[str, str]:
    return {
        "REKNIT_GITHUB_APP_ID": str(hub.app.id),
        "REKNIT_GITHUB_APP_KEY": hub.app.private_key,
        "REKNIT_GITHUB_INSTALLATION": str(hub.app.installation_id),
    }


@pytest.fixture
def app(hub: GitHub, app_environment: dict[str, str]) -> Iterator[GitHubForge]:
    with open_forge(ForgePlace("github", hub.url, SLUG), app_environment) as opened:
        yield opened


def reply_as(hub: GitHub, login: str, thread: str, text: str) -> None:
    """Somebody answers in a thread, by its id on the forge."""
    api = GitHubApi(hub.url, make_identity(hub.url, UserToken(hub.give_token(login))))
    api.graphql(dict[str, object], _REPLY, {"id": thread, "body": text})
    api.close()
