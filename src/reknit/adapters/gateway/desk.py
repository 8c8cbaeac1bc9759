"""The report channel of one agent call: MCP over HTTP, answered on the host, where nothing in the box can forge it."""

import json
import threading

from reknit.adapters.gateway.box_http import BoxRequest
from reknit.core.agent_call import Role
from reknit.core.report_desk import Desk, attend

_MAX_BODY = 1 << 20
_MAX_MESSAGES = 2_000
_PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "the body is no JSON"}}


class ReportDesk:
    def __init__(self, role: Role) -> None:
        self.desk = Desk(role)
        self._messages = 0
        self._lock = threading.Lock()

    def answer(self, request: BoxRequest, body: bytes) -> None:
        if request.command != "POST":
            request.fail(405, "the report channel takes POST only")
            return
        if len(body) > _MAX_BODY:
            request.fail(413, "the report is too large")
            return
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            request.answer(400, _PARSE_ERROR)
            return
        self._reply(request, message)

    def _reply(self, request: BoxRequest, message: object) -> None:
        messages = message if isinstance(message, list) else [message]
        with self._lock:
            self._messages += len(messages)
            if self._messages > _MAX_MESSAGES:
                request.fail(403, "too many messages on the report channel")
                return
            replies = [reply for each in messages if (reply := self._attend(each)) is not None]
        if not replies:
            request.answer(202, None)
            return
        request.answer(200, replies if isinstance(message, list) else replies[0])

    def _attend(self, message: object) -> dict[str, object] | None:
        self.desk, reply = attend(self.desk, message)
        return reply
