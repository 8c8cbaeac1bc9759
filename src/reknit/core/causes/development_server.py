"""A page of the project's own server that a browser could not open, because nobody has started the server."""

import re

from reknit.core.causes.cause import CODE, Cause, environment
from reknit.core.causes.reading import Reading
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.repository.manifest_text import read_json, table
from reknit.core.services.service import listens_on

_REFUSED = re.compile(
    r"(?:net::ERR|NS_ERROR)_CONNECTION_REFUSED(?: at (?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]):(\d{2,5}))?"
)
_STARTS_ONE = re.compile(
    r"webServer|live_?server|LiveServer|Popen|subprocess|\bspawn|\bexec(?:File|a)?\(|createServer|\.listen\(|\bserve\("
    r"|serve_forever|HTTPServer|uvicorn\.|multiprocessing|threading|start-server-and-test"
)
"""What a test or its set-up writes that starts the server itself."""
_SCRIPTS = ("dev", "start", "serve", "preview")


def development_server(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Only if nothing in the tests starts a server: otherwise that one may be at fault."""
    found = _REFUSED.search(reading.words)
    if not found:
        return None
    port = found[1]
    if not port or any(_STARTS_ONE.search(text) for text in facts.texts.values()):
        return CODE
    if any(listens_on(service, port) for service in facts.services):  # it was ready, and has ended since
        return CODE
    line = f'services = [{{ run = "{_command(facts)}", ready = {port} }}]'
    remedy = f"let reknit start the server beside the tests, in reknit.toml: {line}"
    return environment("service", f"nothing listens on port {port}, where the tests open a page", remedy)


def _command(facts: TreeFacts) -> str:
    packages = (text for path, text in facts.texts.items() if path.endswith("package.json"))
    scripts = {name for text in packages for name in table(read_json(text), "scripts")}
    return next((f"npm run {name}" for name in _SCRIPTS if name in scripts), "COMMAND")
