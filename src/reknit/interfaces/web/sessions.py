"""Sessions of the web pages, in memory: after a restart people log in again."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

SESSION_S = 12 * 3600.0
_MAX_SESSIONS = 1000


@dataclass(frozen=True)
class Session:
    """One person in one browser."""

    who: str
    """Name at the forge; `local` on a laptop."""
    expires_at: float
    forge_token: str = field(default="", repr=False)
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Each form carries it: another page cannot read it."""

    def has_form_token(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.form_token.encode())


class Sessions:
    """All sessions, by the value of their cookie. The oldest one gives way."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._sessions: dict[str, Session] = {}

    def start(self, who: str, forge_token: str = "") -> str:
        """Start a session, and return the value of its cookie."""
        while len(self._sessions) >= _MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        cookie = secrets.token_urlsafe(32)
        self._sessions[cookie] = Session(who, self._clock() + SESSION_S, forge_token)
        return cookie

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if there is none, or its time is over."""
        session = self._sessions.get(cookie)
        if session and session.expires_at <= self._clock():
            del self._sessions[cookie]
            return None
        return session

    def end(self, cookie: str) -> None:
        self._sessions.pop(cookie, None)
