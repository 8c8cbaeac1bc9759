"""The web login: who is signed in to the browser allows it, and the code that comes back is worth one token."""

import json
import urllib.parse

from tests.tools.github.tokens import Tokens
from tests.tools.github.web import Answer, Request

CLIENT_ID, CLIENT_SECRET = "Iv1.standin", "client-secret"
_AUTHORIZE, _EXCHANGE = "/login/oauth/authorize", "/login/oauth/access_token"


class OAuth:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._codes: dict[str, tuple[str, str]] = {}
        """code -> (login, address to which it was sent)"""
        self.browser_of = ""
        """Login of the person whose browser asks next."""

    def serves(self, path: str) -> bool:
        return path in (_AUTHORIZE, _EXCHANGE)

    def answer(self, request: Request) -> Answer:
        if request.path == _AUTHORIZE:
            asked = request.asked
            if asked.get("client_id") != CLIENT_ID or not self.browser_of:
                return Answer(404)
            code = f"code{len(self._codes)}"
            self._codes[code] = (self.browser_of, asked["redirect_uri"])
            back = urllib.parse.urlencode({"code": code, "state": asked["state"]})
            return Answer(302, headers={"location": f"{asked['redirect_uri']}?{back}"})
        order = json.loads(request.body)
        login, sent_to = self._codes.get(order.get("code", ""), ("", ""))
        secrets = (order.get("client_id"), order.get("client_secret"), order.get("redirect_uri"))
        if request.method != "POST" or not login or secrets != (CLIENT_ID, CLIENT_SECRET, sent_to):
            return _json({"error": "bad_verification_code"})
        del self._codes[order["code"]]
        return _json({"access_token": self._tokens.give(login), "token_type": "bearer", "scope": ""})


def _json(body: dict[str, str]) -> Answer:
    return Answer(200, json.dumps(body).encode(), {"content-type": "application/json"})
