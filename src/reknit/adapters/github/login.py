"""Logs people in with GitHub, and asks it for their rights with their own token."""

from urllib.parse import urlencode, urlsplit

from reknit.adapters.github.api.client import Client
from reknit.adapters.github.api.credentials import parse_host
from reknit.adapters.github.api.rest_models import LoginToken, RepositoryData, User, parse_answer
from reknit.core.dashboard.values import Permission
from reknit.core.forge.values import ForgeError, ForgeFailure


class GitHubLogin:
    """The web flow of one GitHub App or OAuth app. Every call may raise `ForgeError`."""

    def __init__(self, api: str, client_id: str, client_secret: str) -> None:
        self.api = api
        address, host = urlsplit(api), parse_host(api)
        self._web = f"https://{host}" if address.scheme == "https" else f"{address.scheme}://{address.netloc}"
        self.host = urlsplit(self._web).netloc
        self._client_id, self._client_secret = client_id, client_secret
        self._client = Client(api)

    def build_address(self, state: str, callback: str) -> str:
        """Return the address at which a person allows the login."""
        query = {"client_id": self._client_id, "state": state, "redirect_uri": callback, "allow_signup": "false"}
        return f"{self._web}/login/oauth/authorize?{urlencode(query)}"

    def exchange_code(self, code: str, callback: str) -> str:
        """Return the person's token for the code that the forge sent with them."""
        secrets = {"client_id": self._client_id, "client_secret": self._client_secret}
        url, order = f"{self._web}/login/oauth/access_token", {**secrets, "code": code, "redirect_uri": callback}
        answer = self._client.send("POST", url, {"Accept": "application/json"}, json=order)
        token = parse_answer(LoginToken, answer.body, "POST /login/oauth/access_token").access_token
        if not token:
            raise ForgeError(ForgeFailure("login", "the forge knows no such code"))
        return token

    def fetch_name(self, token: str) -> str:
        """Return the login of the person whose token it is."""
        answer = self._client.send("GET", "/user", _authorize(token))
        return parse_answer(User, answer.body, "GET /user").login

    def fetch_permission(self, token: str, slug: str) -> Permission:
        """Return what the person may do with a repository. One that they may not see does not exist for them."""
        path = f"/repos/{slug}"
        try:
            answer = self._client.send("GET", path, _authorize(token))
        except ForgeError as refusal:
            if refusal.failure.kind in ("missing", "forbidden", "login"):
                return "none"
            raise
        return "write" if parse_answer(RepositoryData, answer.body, path).permissions.push else "read"


def _authorize(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
