"""The report channel of one agent call: MCP over HTTP, answered on the host, so nothing in the box can forge it."""

import json
import threading

from reknit.adapters.gateway.box_connection import BoxRequest
from reknit.core.agent_reports.session import ANSWERS, ReportSession, handle_message
from reknit.core.agent_reports.values import Role
from reknit.core.text.json_body import is_bounded

_MAX_BODY = 1 << 20
_MAX_MESSAGES = 2_000
_TOO_MANY = "too many messages on the report channel"
_PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "the body is not JSON"}}


class ReportChannel:
    def __init__(self, role: Role, answers: int = ANSWERS) -> None:
        self.session = ReportSession(role, answers_left=answers)
        self._messages = 0
        self._lock = threading.Lock()

    def answer(self, request: BoxRequest) -> None:
        if not self._counted(1):
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

    def _counted(self, messages: int) -> bool:
        with self._lock:
            self._messages += messages
            return self._messages <= _MAX_MESSAGES

    def _reply(self, request: BoxRequest, message: object) -> None:
        messages = message if isinstance(message, list) else [message]
        if not self._counted(len(messages) - 1):
            request.fail(403, _TOO_MANY)
            return
        with self._lock:
            replies = [reply for each in messages if (reply := self._handle(each)) is not None]
        if not replies:
            request.answer(202, None)
            return
        request.answer(200, replies if isinstance(message, list) else replies[0])

    def _handle(self, message: object) -> dict[str, object] | None:
        self.session, reply = handle_message(self.session, message)
        return reply
