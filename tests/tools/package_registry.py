"""A package registry on the loopback: PyPI's simple pages and npm's documents, from packages made in memory."""

import base64
import hashlib
import io
import json
import ssl
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath


@dataclass
class Registry:
    """What it serves, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    wheels: dict[str, list[str]] = field(default_factory=dict)
    """Project -> file names."""
    npm: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Package -> version -> tarball."""
    redirects: dict[str, str] = field(default_factory=dict)
    login: str = ""
    """The `Authorization` header that each request needs."""
    folder: str = ""
    """Before every path, e.g. `/a-login-in-the-path`."""
    address: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """(path, `Authorization` header)"""

    def add_wheel(self, name: str, content: bytes) -> None:
        project = name.partition("-")[0].replace("_", "-").lower()
        self.wheels.setdefault(project, []).append(name)
        self.files[f"/files/{name}"] = content

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Status, content type, body."""
        if not path.startswith(f"{self.folder}/"):
            return 404, "text/plain", b"not here"
        path = path.removeprefix(self.folder)
        parts = path.strip("/").split("/")
        if path in self.files:
            return 200, "application/octet-stream", self.files[path]
        if parts[0] == "simple" and parts[-1] in self.wheels:
            links = "".join(
                f'<a href="/files/{name}#sha256={hashlib.sha256(self.files[f"/files/{name}"]).hexdigest()}">{name}</a>'
                for name in self.wheels[parts[-1]]
            )
            return 200, "text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
        if parts[0] in self.npm:
            return 200, "application/json", self._npm_document(parts[0])
        return 404, "text/plain", b"not here"

    def _npm_document(self, name: str) -> bytes:
        versions = {
            version: {
                "name": name,
                "version": version,
                "dist": {"tarball": f"{self.address}/{name}/-/{name}-{version}.tgz", "integrity": integrity(tarball)},
            }
            for version, tarball in self.npm[name].items()
        }
        return json.dumps({"name": name, "dist-tags": {"latest": max(versions)}, "versions": versions}).encode()

    def add_npm(self, name: str, version: str, files: Mapping[str, str]) -> str:
        """Returns its integrity, as a lockfile has it."""
        tarball = npm_tarball(name, version, files)
        self.npm.setdefault(name, {})[version] = tarball
        self.files[f"/{name}/-/{name}-{version}.tgz"] = tarball
        return integrity(tarball)


def integrity(content: bytes) -> str:
    return f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}"


def npm_tarball(name: str, version: str, files: Mapping[str, str]) -> bytes:
    manifest = {"name": name, "version": version, **json.loads(files.get("package.json", "{}"))}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, text in {**files, "package.json": json.dumps(manifest)}.items():
            entry = tarfile.TarInfo(f"package/{path}")
            content = text.encode()
            entry.size, entry.mode = len(content), 0o755
            archive.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def wheel(name: str, version: str, files: Mapping[str, str]) -> tuple[str, bytes]:
    """File name and content of a pure-Python wheel."""
    about = f"{name}-{version}.dist-info"
    meta = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, *meta, f"{about}/RECORD"))
    return f"{name}-{version}-py3-none-any.whl", _zip({**files, **meta, f"{about}/RECORD": record})


def wheel_of_installed(name: str) -> tuple[str, bytes]:
    """Of a package that the tests themselves use."""
    installed = distribution(name)
    files = {
        str(file): Path(str(file.locate())).read_bytes()
        for file in installed.files or ()
        if PurePosixPath(file).parts[0] != ".." and not str(file).endswith((".pyc", "/RECORD", "direct_url.json"))
    }
    about = next(path for path in files if path.endswith(".dist-info/METADATA")).partition("/")[0]
    record = "".join(f"{path},,\n" for path in (*files, f"{about}/RECORD"))
    stem = about.removesuffix(".dist-info")
    return f"{stem}-py3-none-any.whl", _zip({**files, f"{about}/RECORD": record})


def _zip(files: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return made.getvalue()


@contextmanager
def serving(registry: Registry, tls: ssl.SSLContext | None = None) -> Iterator[Registry]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, login = self.path.partition("?")[0], self.headers.get("Authorization", "")
            registry.asked.append((path, login))
            status, kind, body = registry.answer(path)
            if registry.login and login != registry.login:
                status, kind, body = 401, "text/plain", b"who are you?"
            self.send_response(302 if path in registry.redirects else status)
            self.send_header("Content-Type", kind)
            if path in registry.redirects:
                self.send_header("Location", registry.redirects[path])
                body = b""
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry.address = f"http://127.0.0.1:{server.server_port}{registry.folder}"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        registry.address = f"https://localhost:{server.server_port}{registry.folder}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
