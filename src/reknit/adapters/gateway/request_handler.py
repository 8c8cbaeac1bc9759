"""Handles each request from a box: refuses it, answers 429, or forwards it with the real key, metered and capped."""

import contextlib
import http.client
import math
import secrets
import threading
import time
from dataclasses import dataclass

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger, InFlightRequest
from reknit.adapters.gateway.call_monitor import CallMonitor
from reknit.adapters.gateway.report_channel import ReportChannel
from reknit.adapters.gateway.response_handler import UpstreamResponses
from reknit.adapters.gateway.upstream import Hold, Upstream, UpstreamResponse
from reknit.core.agent_reports import session as report_session
from reknit.core.gateway import policy
from reknit.core.gateway.access import TOO_MANY, ModelAccess
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.prices import PriceTable
from reknit.core.gateway.wire import WIRES
from reknit.core.text.json_body import Json, decoded, encoded


@dataclass(frozen=True)
class CallRecords:
    """What the gateway keeps about the one agent call it lives for."""

    ledger: CallLedger
    watch: CallMonitor
    session: ReportChannel
    closed: threading.Event


class RequestHandler:
    def __init__(
        self,
        access: ModelAccess,
        token: str,
        report_token: str,
        prices: PriceTable,
        *,
        records: CallRecords,
        hold: Hold,
    ) -> None:
        self._access, self._prices, self._hold = access, prices, hold
        self._token, self._report_token = token, report_token
        self._ledger, self._watch = records.ledger, records.watch
        self._session, self._closed = records.session, records.closed
        self._parsing = threading.Lock()
        self._wire = WIRES[access.provider]
        self._answers = UpstreamResponses(self._wire, self._ledger, self._watch, key=access.key)
        self._upstream = Upstream(access.upstream or self._wire.UPSTREAM)

    def handle(self, request: BoxRequest) -> None:
        path = request.path.partition("?")[0]
        is_report = path == report_session.PATH
        is_ours = self._presents(request, self._report_token if is_report else self._token)
        if path == "/" and request.command in ("GET", "HEAD"):
            request.body(policy.MAX_STRANGERS_BODY)
            request.fail(403, "this is the model gateway")  # a probe by a CLI or by doctor: harmless, so not noted
            return
        if is_report and is_ours:
            self._session.answer(request)
            return
        may_pass = is_ours and policy.charge_of(self._wire, request.command, request.path) is not None
        if may_pass and self._refuse_if_rate_limited(request, is_read=False):
            return
        if not self._ledger.arrive():
            self._refuse_unread(request, may_pass=may_pass)
            return
        self._take(request, request.body(policy.MAX_BODY if is_ours else policy.MAX_STRANGERS_BODY), is_ours=is_ours)

    def _take(self, request: BoxRequest, body: bytes, *, is_ours: bool) -> None:
        sent = self._admitted(request, body, is_ours=is_ours)
        if isinstance(sent, str):
            self._watch.refused(sent)
            request.fail(403, sent)
            return
        known = self._wire.known(sent)
        self._let_through(request, body if len(known) == len(sent) else encoded(known), known)

    def _refuse_unread(self, request: BoxRequest, *, may_pass: bool) -> None:
        """The call has used up its requests, so nothing more is read for it."""
        note = self._watch.over_budget if may_pass else self._watch.refused
        note(TOO_MANY)
        request.fail(403, TOO_MANY)
        request.hang_up()

    def _refuse_if_rate_limited(self, request: BoxRequest, *, is_read: bool) -> bool:
        """Return True after answering 429: the account is rate limited. It does not count as a request."""
        until = self._watch.rests_until()
        if until is not None:
            if not is_read:
                request.body(policy.MAX_BODY)
            wait_s = max(1, math.ceil(until - time.time()))
            request.fail(429, "this account is rate limited", {"retry-after": str(wait_s)})
        return until is not None

    def _admitted(self, request: BoxRequest, body: bytes, *, is_ours: bool) -> Json | str:
        """The decoded body, or why the request may not pass."""
        if policy.charge_of(self._wire, request.command, request.path) is None:
            return f"path not allowed: {request.command} {request.path.partition('?')[0]}"
        if not is_ours:
            return "wrong run token"
        if request.command == "GET":
            return "this request must not have a body" if body else {}
        with self._parsing:  # decoding needs several times the size of the body, so one at a time
            content = decoded(body)
        if content is None:
            return "the body is not a plain JSON object, is nested too deeply or has too many values"
        return self._wire.refusal(self._wire.known(content), allow_search=self._access.allow_search) or content

    def _presents(self, request: BoxRequest, token: str) -> bool:
        """Return whether it presents this token, wherever the vendor's clients put a key."""
        shown = policy.presented_token(policy.lower(request.headers.items()), request.path)
        return secrets.compare_digest(shown.encode(), token.encode())

    def _let_through(self, request: BoxRequest, body: bytes, content: Json) -> None:
        if policy.charge_of(self._wire, request.command, request.path) == "free":
            self._ledger.open_free()
            self._pass_on(request, body, None)
            return
        flight = self._ledger.open(self._asking(request, body, content))
        if isinstance(flight, str):
            self._over_budget(request, flight)
            return
        try:
            # a limit may have been met while it waited for budget
            if not self._refuse_if_rate_limited(request, is_read=True):
                self._pass_on(request, flight.asking.granted(flight.grant), flight)
        finally:
            self._ledger.settle(flight)

    def _over_budget(self, request: BoxRequest, why: str) -> None:
        self._watch.over_budget(why)
        request.fail(403, why)

    def _asking(self, request: BoxRequest, body: bytes, content: Json) -> PricedRequest:
        model = self._wire.model(request.path.partition("?")[0], content) or self._access.model
        return PricedRequest(self._wire, model, self._prices.row(self._access.provider, model), body, content)

    def _pass_on(self, request: BoxRequest, body: bytes, flight: InFlightRequest | None) -> None:
        with contextlib.ExitStack() as stack:
            try:
                answer = self._ask(request, body, flight, stack)
            except (OSError, http.client.HTTPException) as problem:
                if self._closed.is_set():
                    request.close_connection = True  # it was `close` that cut the connection, not the provider
                    return
                self._answers.unreachable(request, problem, flight)
                return
            self._answers.forward(request, answer, flight)

    def _ask(
        self, request: BoxRequest, body: bytes, flight: InFlightRequest | None, stack: contextlib.ExitStack
    ) -> UpstreamResponse:
        connection = stack.enter_context(self._upstream.connect(self._hold))
        headers = policy.chosen(request.headers.items(), self._wire.REQUEST_HEADERS) | self._credential()
        if flight:
            flight.may_cost, flight.limits = True, self._watch.limits
        line = (request.command, policy.upstream_target(self._wire, request.path))
        return stack.enter_context(contextlib.closing(self._upstream.send(connection, line, headers, body)))

    def _credential(self) -> dict[str, str]:
        key = self._access.key
        return {"authorization": f"Bearer {key}"} if self._access.login else self._wire.credential(key)
