"""What becomes of each request of a box: refused, told to wait, or passed on with the real key, metered and capped."""

import contextlib
import http.client
import math
import secrets
import threading
import time

from reknit.adapters.gateway.answers import Answers
from reknit.adapters.gateway.books import Books, Flight
from reknit.adapters.gateway.box_http import BoxRequest
from reknit.adapters.gateway.desk import ReportDesk
from reknit.adapters.gateway.upstream import Answer, Hold, Upstream
from reknit.adapters.gateway.watch import Watch
from reknit.core import gateway as rules
from reknit.core import report_desk
from reknit.core.asking import Asking
from reknit.core.metering import Json
from reknit.core.passage import Passage
from reknit.core.prices import PriceTable
from reknit.core.wire import WIRES


class Passing:
    def __init__(
        self,
        passage: Passage,
        token: str,
        prices: PriceTable,
        *,
        books: Books,
        watch: Watch,
        desk: ReportDesk,
        hold: Hold,
        closed: threading.Event,
    ) -> None:
        self._passage, self._token, self._prices = passage, token, prices
        self._books, self._watch, self._desk, self._hold, self._closed = books, watch, desk, hold, closed
        self._wire = WIRES[passage.provider]
        self._answers = Answers(self._wire, books, watch, key=passage.key)
        self._upstream = Upstream(passage.upstream or self._wire.UPSTREAM)

    def attend(self, request: BoxRequest) -> None:
        is_ours = self._is_ours(request)
        body = request.body(rules.MAX_BODY if is_ours else rules.MAX_STRANGERS_BODY)
        path = request.path.partition("?")[0]
        if path == "/" and request.command in ("GET", "HEAD"):
            request.fail(403, "this is the model gateway")  # a CLI's probe or doctor's: no offence, not noted
            return
        if path == report_desk.PATH and is_ours:
            self._desk.answer(request, body)
            return
        content = self._admitted(request, body, is_ours=is_ours)
        if isinstance(content, str):
            self._watch.refused(content)
            request.fail(403, content)
            return
        if not self._must_rest(request):
            self._let_through(request, body, content)

    def _must_rest(self, request: BoxRequest) -> bool:
        """It was told so then."""
        until = self._watch.rests_until()
        if until is not None:
            wait_s = max(1, math.ceil(until - time.time()))
            request.fail(429, "the limit of this account is reached", {"retry-after": str(wait_s)})
        return until is not None

    def _admitted(self, request: BoxRequest, body: bytes, *, is_ours: bool) -> Json | str:
        """The decoded body, or why the request may not pass."""
        if rules.charge_of(self._wire, request.command, request.path) is None:
            return f"path not allowed: {request.command} {request.path.partition('?')[0]}"
        if not is_ours:
            return "wrong run token"
        if request.command == "GET":
            return "a body is not taken here" if body else {}
        content = rules.decoded(body)
        if content is None:
            return "the body is not a plain JSON object"
        return self._wire.refusal(content, allow_search=self._passage.allow_search) or content

    def _is_ours(self, request: BoxRequest) -> bool:
        """It shows the run token, wherever its vendor's clients put a key."""
        shown = rules.presented_token(rules.lower(request.headers.items()), request.path)
        return secrets.compare_digest(shown.encode(), self._token.encode())

    def _let_through(self, request: BoxRequest, body: bytes, content: Json) -> None:
        if rules.charge_of(self._wire, request.command, request.path) == "free":
            if self._books.admit():
                self._pass_on(request, body, None)
                return
            self._over_budget(request, rules.TOO_MANY)
            return
        flight = self._books.open(self._asking(request, body, content))
        if isinstance(flight, str):
            self._over_budget(request, flight)
            return
        try:
            if not self._must_rest(request):  # a limit may have come while it waited for money
                self._pass_on(request, flight.asking.granted(flight.grant), flight)
        finally:
            self._books.settle(flight)

    def _over_budget(self, request: BoxRequest, why: str) -> None:
        self._watch.over_budget(why)
        request.fail(403, why)

    def _asking(self, request: BoxRequest, body: bytes, content: Json) -> Asking:
        model = self._wire.model(request.path.partition("?")[0], content) or self._passage.model
        return Asking(self._wire, model, self._prices.row(self._passage.provider, model), body, content)

    def _pass_on(self, request: BoxRequest, body: bytes, flight: Flight | None) -> None:
        with contextlib.ExitStack() as stack:
            try:
                answer = self._ask(request, body, flight, stack)
            except (OSError, http.client.HTTPException) as problem:
                if self._closed.is_set():
                    request.close_connection = True  # it was `close` that cut the connection, not the provider
                    return
                self._answers.none(request, problem, flight)
                return
            self._answers.hand_over(request, answer, flight)

    def _ask(self, request: BoxRequest, body: bytes, flight: Flight | None, stack: contextlib.ExitStack) -> Answer:
        connection = stack.enter_context(self._upstream.connect(self._hold))
        headers = rules.chosen(request.headers.items(), self._wire.REQUEST_HEADERS) | self._credential()
        if flight:
            flight.may_cost, flight.limits = True, self._watch.limits
        line = (request.command, rules.upstream_target(self._wire, request.path))
        return stack.enter_context(contextlib.closing(self._upstream.send(connection, line, headers, body)))

    def _credential(self) -> dict[str, str]:
        key = self._passage.key
        return {"authorization": f"Bearer {key}"} if self._passage.login else self._wire.credential(key)
