"""A webhook server as a process of its own, and signed deliveries to it."""

import contextlib
import hmac
import http.client
import itertools
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

SECRET = "s3cret"
PATH = "/webhooks/github"
DELIVERIES = 250
BODY = json.dumps({"repository": {"full_name": "a/b"}, "pull_request": {"number": 1}, "text": "x" * 20_000}).encode()


def sign(body: bytes, secret: str = SECRET, kind: str = "sha256") -> str:
    return f"{kind}={hmac.new(secret.encode(), body, kind).hexdigest()}"


@dataclass
class Served:
    port: int
    child: "subprocess.Popen[str]"
    _reader: threading.Thread
    said_so_far: list[str]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def memory_mb(self) -> float:
        return int(Path(f"/proc/{self.child.pid}/statm").read_text().split()[1]) * 4 / 1024

    def all_said(self) -> list[str]:
        """All of it, so it ends the server."""
        self.child.kill()
        self.child.wait()
        self._reader.join(10)
        return self.said_so_far

    def post(self, body: bytes, headers: Mapping[str, str]) -> int:
        """The status of the answer."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("POST", PATH, body, dict(headers))
            answer = connection.getresponse()
            answer.read()
        return answer.status

    def deliver(self) -> float:
        """One signed delivery; how long it took, in seconds."""
        headers = {"X-GitHub-Delivery": f"d{next(self._numbers)}", "X-Hub-Signature-256": sign(BODY)}
        began = time.perf_counter()
        assert self.post(BODY, headers) == 202
        return time.perf_counter() - began

    def deliver_many(self) -> tuple[float, float]:
        """The 99th percentile, and the largest memory seen meanwhile."""
        times, memory = [], 0.0
        for _ in range(DELIVERIES):
            times.append(self.deliver())
            memory = max(memory, self.memory_mb)
        return sorted(times)[DELIVERIES * 99 // 100], memory


@contextlib.contextmanager
def running(child: subprocess.Popen[str]) -> Iterator[Served]:
    assert child.stderr is not None
    assert child.stdout is not None
    stream = child.stderr if child.args[1] == "-m" else child.stdout  # type: ignore[index]
    told = re.search(r":(\d+)/", stream.readline())
    assert told
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(stream), daemon=True)
    reader.start()
    served = Served(int(told[1]), child, reader, said)
    try:
        yield served
    finally:
        served.all_said()
        child.stderr.close()
        child.stdout.close()
