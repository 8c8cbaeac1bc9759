"""Sends records of test results to a stream, for the Python reporters.

A reporter runs alone in a box, so `read_source` puts this text in front of the reporter's. It uses nothing but the
standard library, and nothing newer than Python 3.8.
"""

from __future__ import annotations

import json
import os
from typing import Callable  # noqa: UP035


def make_sender(stream: int) -> Callable[..., None]:
    """Read the key, before any test runs, and return the function that sends records with it and a running number.

    The function uses only names that are bound here, because tested code can replace those of the modules.
    """
    os.set_inheritable(stream, False)  # noqa: FBT003
    key = b""
    while not key.endswith(b"\n"):
        part = os.read(stream, 64)
        if not part:
            raise OSError("the stream of results is closed")
        key += part
    key = key.strip()
    process, number = os.getpid(), 0
    getpid, write, dumps = os.getpid, os.write, json.dumps

    def send(**record: object) -> None:
        nonlocal number
        if getpid() != process:
            return  # a forked child must not report
        data = b"%s %d %s\n" % (key, number, dumps(record).encode())
        number += 1
        while data:
            data = data[write(stream, data) :]

    return send
