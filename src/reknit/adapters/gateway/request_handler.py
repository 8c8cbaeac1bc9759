"""Handles each request from a box: refuses it, answers a report, or forwards it with the real key."""

import contextlib
import http.client
import json
import math
import secrets
import threading
import time
from dataclasses import dataclass

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.adapters.gateway.call_ledger import CallLedger, CallMonitor, InFlightRequest
from reknit.adapters.gateway.upstream import Hold, Upstream, UpstreamResponse, UpstreamResponses
from reknit.core.agent_reports import session as report_session
from reknit.core.agent_reports.session import ANSWERS, ReportSession, handle_message
from reknit.core.agent_reports.values import Role
from reknit.core.gateway import policy
from reknit.core.gateway.access import TOO_MANY, ModelAccess
from reknit.core.gateway.priced_request import PricedRequest
from reknit.core.gateway.prices import PriceTable
from reknit.core.gateway.wire import WIRES
from reknit.core.text.untrusted_input import Json, encode_object, is_bounded, parse_object

_MAX_BODY = 1 << 20
_MAX_MESSAGES = 2_000
_TOO_MANY = "too many messages on the report channel"
_PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "the body is not JSON"}}


class ReportChannel:
    """The report channel of one agent call: MCP over HTTP. It is answered on the host, so no box can forge a report."""

    def __init__(self, role: Role, answers: int = ANSWERS) -> None:
        self.session = ReportSession(role, remaining_answers=answers)
        self._messages = 0
        self._lock = threading.Lock()

    def answer(self, request: BoxRequest) -> None:
        if not self._may_take(1):
            request.fail(403, _TOO_MANY)
            request.hang_up()
            return
        body = request.body(_MAX_BODY)
        if request.command != "POST":
            request.fail(405, "the report channel accepts only POST")
            return
        try:
            message = json.loads(body.decode()) if is_bounded(body) else None
        except ValueError:
            message = None
        if message is None:
            request.answer(400, _PARSE_ERROR)
            return
        self._reply(request, message)

    def _may_take(self, messages: int) -> bool:
        with self._lock:
            self._messages += messages
            return self._messages <= _MAX_MESSAGES

    def _reply(self, request: BoxRequest, message: object) -> None:
        messages = message if isinstance(message, list) else [message]
        if not self._may_take(len(messages) - 1):
            request.fail(403, _TOO_MANY)
            return
        with self._lock:
            replies = [reply for message in messages if (reply := self._handle(message)) is not None]
        if not replies:
            request.answer(202, None)
            return
        request.answer(200, replies if isinstance(message, list) else replies[0])

    def _handle(self, message: object) -> dict[str, object] | None:
        self.session, reply = handle_message(self.session, message)
        return reply


@dataclass(frozen=True)
class CallRecords:
    """The ledger, monitor and reports of one agent call; `closed` is set when the gateway closes."""

    ledger: CallLedger
    monitor: CallMonitor
    reports: ReportChannel
    closed: threading.Event


class RequestHandler:
    """Decides which requests of a box may pass to the model, and at which cost."""

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
        self._ledger, self._monitor = records.ledger, records.monitor
        self._reports, self._closed = records.reports, records.closed
        self._parsing = threading.Lock()
        self._wire = WIRES[access.provider]
        self._answers = UpstreamResponses(self._wire, self._ledger, self._monitor, key=access.key)
        self._upstream = Upstream(access.upstream or self._wire.UPSTREAM)

    def handle(self, request: BoxRequest) -> None:
        path = request.path.partition("?")[0]
        is_report = path == report_session.PATH
        is_ours = self._has_token(request, self._report_token if is_report else self._token)
        if path == "/" and request.command in ("GET", "HEAD"):
            request.body(policy.MAX_STRANGERS_BODY)
            request.fail(
                403, "this is the model gateway"
            )  # a CLI or doctor tests the connection: harmless, so not noted
            return
        if is_report and is_ours:
            self._reports.answer(request)
            return
        may_pass = is_ours and policy.classify_request(self._wire, request.command, request.path) is not None
        if may_pass and self._refuse_if_rate_limited(request, is_read=False):
            return
        if not self._ledger.arrive():
            self._refuse_unread(request, may_pass=may_pass)
            return
        self._process(request, request.body(policy.MAX_BODY if is_ours else policy.MAX_STRANGERS_BODY), is_ours=is_ours)

    def _process(self, request: BoxRequest, body: bytes, *, is_ours: bool) -> None:
        content = self._check_request(request, body, is_ours=is_ours)
        if isinstance(content, str):
            self._monitor.record_refusal(content)
            request.fail(403, content)
            return
        forwarded = self._wire.drop_telemetry(content)
        self._forward_paid(request, body if len(forwarded) == len(content) else encode_object(forwarded), forwarded)

    def _refuse_unread(self, request: BoxRequest, *, may_pass: bool) -> None:
        """Refuse a request without reading it, because the call has used up its requests."""
        note = self._monitor.record_over_budget if may_pass else self._monitor.record_refusal
        note(TOO_MANY)
        request.fail(403, TOO_MANY)
        request.hang_up()

    def _refuse_if_rate_limited(self, request: BoxRequest, *, is_read: bool) -> bool:
        """Answer 429 and return True if the account is rate limited. It does not count as a request."""
        until = self._monitor.find_limit_end()
        if until is not None:
            if not is_read:
                request.body(policy.MAX_BODY)
            wait_s = max(1, math.ceil(until - time.time()))
            request.fail(429, "this account is rate limited", {"retry-after": str(wait_s)})
        return until is not None

    def _check_request(self, request: BoxRequest, body: bytes, *, is_ours: bool) -> Json | str:
        """Return the decoded body, or why the request may not pass."""
        if policy.classify_request(self._wire, request.command, request.path) is None:
            return f"path not allowed: {request.command} {request.path.partition('?')[0]}"
        if not is_ours:
            return "wrong run token"
        if request.command == "GET":
            return "this request must not have a body" if body else {}
        with self._parsing:  # one at a time: decoding needs several times the memory of the body
            content = parse_object(body)
        if content is None:
            return "the body is not a plain JSON object, is nested too deeply or has too many values"
        return (
            self._wire.find_refusal(self._wire.drop_telemetry(content), allow_search=self._access.allow_search)
            or content
        )

    def _has_token(self, request: BoxRequest, token: str) -> bool:
        """Return True if the request has this token, in any place where the vendor's clients put a key."""
        presented = policy.read_token(policy.lower_names(request.headers.items()), request.path)
        return secrets.compare_digest(presented.encode(), token.encode())

    def _forward_paid(self, request: BoxRequest, body: bytes, content: Json) -> None:
        if policy.classify_request(self._wire, request.command, request.path) == "free":
            self._ledger.open_free()
            self._forward(request, body, None)
            return
        flight = self._ledger.open(self._price_request(request, body, content))
        if isinstance(flight, str):
            self._refuse_over_budget(request, flight)
            return
        try:
            # the account may have met a limit while the request waited for budget
            if not self._refuse_if_rate_limited(request, is_read=True):
                self._forward(request, flight.priced.limit_body(flight.reservation), flight)
        finally:
            self._ledger.settle(flight)

    def _refuse_over_budget(self, request: BoxRequest, why: str) -> None:
        self._monitor.record_over_budget(why)
        request.fail(403, why)

    def _price_request(self, request: BoxRequest, body: bytes, content: Json) -> PricedRequest:
        model = self._wire.read_model(request.path.partition("?")[0], content) or self._access.model
        return PricedRequest(self._wire, model, self._prices.find_row(self._access.provider, model), body, content)

    def _forward(self, request: BoxRequest, body: bytes, flight: InFlightRequest | None) -> None:
        with contextlib.ExitStack() as stack:
            try:
                answer = self._send_upstream(request, body, flight, stack)
            except (OSError, http.client.HTTPException) as problem:
                if self._closed.is_set():
                    request.close_connection = True  # `close` cut the connection, not the provider
                    return
                self._answers.answer_unreachable(request, problem, flight)
                return
            self._answers.forward(request, answer, flight)

    def _send_upstream(
        self, request: BoxRequest, body: bytes, flight: InFlightRequest | None, stack: contextlib.ExitStack
    ) -> UpstreamResponse:
        connection = stack.enter_context(self._upstream.connect(self._hold))
        headers = (
            policy.select_headers(request.headers.items(), self._wire.REQUEST_HEADERS) | self._credential_headers()
        )
        if flight:
            flight.may_cost, flight.limits = True, self._monitor.limits
        line = (request.command, policy.build_upstream_target(self._wire, request.path))
        return stack.enter_context(contextlib.closing(self._upstream.send(connection, line, headers, body)))

    def _credential_headers(self) -> dict[str, str]:
        key = self._access.key
        return {"authorization": f"Bearer {key}"} if self._access.login else self._wire.to_credential_headers(key)
