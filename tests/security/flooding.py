"""A program that keeps a number of connections to a webhook port busy with bodies that are not signed.

    python flooding.py PORT CONNECTIONS BODY_SIZE SIGNATURE

Each connection sends as fast as it is read, and when it is cut, it is opened again after half a second to one and a
half. Ends when its stdin is closed.
"""

import contextlib
import random
import socket
import sys
import threading
import time

CHUNK = b"x" * (1 << 16)


def flood(port: int, size: int, signature: str, over: threading.Event) -> None:
    lines = ["POST /webhooks/github HTTP/1.1", "Host: x", f"Content-Length: {size}", "X-GitHub-Delivery: d"]
    head = "\r\n".join([*lines, *([f"X-Hub-Signature-256: {signature}"] if signature else []), "", ""]).encode()
    while not over.is_set():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=30) as wire:
            wire.sendall(head)
            left = size - 1  # the last byte never comes
            while left and not over.is_set():
                left -= wire.send(CHUNK[:left])
            while not over.is_set() and wire.recv(1000):
                pass
        over.wait(random.uniform(0.5, 1.5))


def main() -> None:
    port, connections, size, signature = sys.argv[1:]
    over = threading.Event()
    work = (int(port), int(size), signature, over)
    for _ in range(int(connections)):
        threading.Thread(target=flood, args=work, daemon=True).start()
    time.sleep(1)  # all of them are open
    print("flooding", flush=True)
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    main()
