"""Explains failed connections: to the network, to a service of the machine, or to the code's own server."""

import re

from reknit.core.causes import known_names
from reknit.core.causes.cause import CODE, Cause, doubtful, environment
from reknit.core.causes.reading import Reading, find_failing_lines
from reknit.core.causes.tree_facts import TreeFacts, is_near
from reknit.core.repository.manifest_text import get_table, read_json
from reknit.core.services.known_servers import to_setting
from reknit.core.services.service import find_server, listens_on

_WORDS = re.compile(r"[a-z0-9]{1,40}")
_UNRESOLVED = re.compile(
    r"Name or service not known|Temporary failure in name resolution|nodename nor servname|getaddrinfo (?:ENOTFOUND"
    r"|EAI_AGAIN)"
    r"|no such host|UnknownHostException|failed to lookup address|Could not resolve host|Failed to resolve '"
    r"|NameResolutionError"
    r"|Name does not resolve|getaddrinfo failed|dns error"
)
_UNREACHABLE = re.compile(
    r"Network is unreachable|No route to host|ENETUNREACH|EHOSTUNREACH|ERR_INTERNET_DISCONNECTED|ENETDOWN"
)
_REFUSED = re.compile(
    r"[Cc]onnection refused|ECONNREFUSED|Connection failed|Connect call failed|NoBrokersAvailable"
    r"|Can't connect to MySQL"
)
_TIMED_OUT = re.compile(
    r"ConnectTimeout|ReadTimeout|ETIMEDOUT|[Cc]onnection timed out|i/o timeout|TLS handshake timeout|ProxyError"
)
_UNTRUSTED = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|unable to get local issuer certificate|x509: certificate signed by unknown"
)
_DOCKER = re.compile(
    r"Cannot connect to the Docker daemon|docker\.sock|DockerException|Could not find a valid Docker environment"
)
_SOCKET_FILE = re.compile(
    r"/(?:var/)?run/(postgresql|mysqld|redis)[/\w.]{0,60}[^\n]{0,40}|/tmp/\.s\.(PGSQL)"
    r"|through socket '[^'\n]{0,100}(mysql)"
)
_ANY_SOCKET = re.compile(r"(?:[cC]onnect|unix)[^\n]{0,60}?(/(?:var/)?run/[\w./-]{1,200})")
_NO_SOCKET = re.compile(r"[Nn]o such file|ENOENT|NotFound|[Rr]efused")
_LOW_PORT = re.compile(r"(?:[bB]ind|[lL]isten)\w{0,8}\b[^\n]{0,80}?[:,] ?([1-9]\d{0,2}|10[01]\d|102[0-3])(?!\d)")
_IN_USE = re.compile(
    r"[Aa]ddress already in use|EADDRINUSE|BindException|[Pp]ort \d{1,5} is (?:already )?(?:in use|used)"
)
_NUMBER = re.compile(r"(?<!\d)\d{2,5}(?!\d)")
_SERVICE_NAME = re.compile(r"^ {1,8}([\w-]{1,60}):", re.M)
_PORT = re.compile(r"(?:port |:)(\d{2,5})\b")
_LOOPBACK = ("localhost", "127.", "::1", "[::1]", "0.0.0.0")  # noqa: S104
_RESERVED = (
    ".invalid",
    ".test",
    ".example",
    "example.com",
    "example.org",
    "example.net",
    "192.0.2.",
    "198.51.100.",
    "203.0.113.",
)
_OWN_PRODUCTS = {
    "postgresql": "PostgreSQL",
    "PGSQL": "PostgreSQL",
    "mysqld": "MySQL",
    "mysql": "MySQL",
    "redis": "Redis",
}

_PAGE_REFUSED = re.compile(
    r"(?:net::ERR|NS_ERROR)_CONNECTION_REFUSED(?: at (?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]):(\d{2,5}))?"
)
_STARTS_ONE = re.compile(
    r"webServer|live_?server|LiveServer|Popen|subprocess|\bspawn|\bexec(?:File|a)?\(|createServer|\.listen\(|\bserve\("
    r"|serve_forever|HTTPServer|uvicorn\.|multiprocessing|threading|start-server-and-test"
)
"""Code with which a test, or its set-up, starts the server itself."""
_SCRIPTS = ("dev", "start", "serve", "preview")


def explain_failed_connection(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a connection that was refused, timed out or found no host."""
    words = reading.words
    if _DOCKER.search(words):
        return _blame_service("Docker", facts)
    if match := _SOCKET_FILE.search(words):
        return _blame_service(_OWN_PRODUCTS[next(part for part in match.groups() if part)], facts)
    if _NO_SOCKET.search(words) and (match := _ANY_SOCKET.search(words)):
        return _blame_service(f"the service behind {match[1]}", facts)
    if _UNRESOLVED.search(words):
        return _explain_unresolved_host(reading, facts)
    if _UNREACHABLE.search(words) or _TIMED_OUT.search(words) or _UNTRUSTED.search(words):
        return _explain_unreachable_host(reading, facts)
    return _explain_refused(reading, facts) if _REFUSED.search(words) else None


def _blame_service(name: str, facts: TreeFacts) -> Cause:
    if any(server.product == name for service in facts.services if (server := find_server(service))):
        return doubtful("service", f"{name} runs beside the tests, but not where they look for it")
    sentence = f"{name} is not running where the tests run"
    leave_out = "leave the tests that need it out of checks.tests.run"
    if facts.shared_network:
        return environment("service", sentence, f"start {name}, or {leave_out}")
    away = f"tests in the sandbox cannot reach {name} on this machine"
    port = next((port for port, product in known_names.SERVICE_PORTS.items() if product == name), "")
    if not port or name == "Docker":
        return environment("service", sentence, f"{away}: {leave_out}")
    return environment("service", sentence, f"{away}: start one beside them, in reknit.toml: {to_setting(name, port)}")


def _blame_network(host: str) -> Cause:
    return environment(
        "network", f"the tests need the network ({host or 'a host'})", "tests run without a network: mock it"
    )


def _explain_unresolved_host(reading: Reading, facts: TreeFacts) -> Cause:
    hosts = [host for host, _port in reading.find_hosts()]
    if not hosts:
        return _blame_network("") if not _is_mocked(reading, facts) else _doubt_network("")
    host = hosts[0]
    if "." in host:
        return _explain_remote_host(host, reading, facts)
    if is_near(host, ["localhost"]) or _is_local(host):
        return CODE
    composed = (text for path, text in facts.texts.items() if "compose" in path)
    if any(host in _SERVICE_NAME.findall(text) for text in composed):
        return _blame_service(host, facts)
    return doubtful("network", f"the host {host} is not known here")


def _explain_unreachable_host(reading: Reading, facts: TreeFacts) -> Cause | None:
    hosts = [host for host, _port in reading.find_hosts() if not _is_local(host)]
    if hosts:
        return _explain_remote_host(hosts[0], reading, facts)
    local = bool(reading.find_hosts())
    return None if local or not _UNREACHABLE.search(reading.words) else _blame_network("")


def _explain_remote_host(host: str, reading: Reading, facts: TreeFacts) -> Cause:
    if _is_local(host):
        return CODE
    if host.startswith(_RESERVED) or host.endswith(_RESERVED) or _is_mocked(reading, facts):
        return _doubt_network(host)
    return _blame_network(host)


def _doubt_network(host: str) -> Cause:
    return doubtful("network", f"the test reached for the network ({host or 'a host'}), which it seems to replace")


def _is_mocked(reading: Reading, facts: TreeFacts) -> bool:
    text = facts.texts.get(reading.file, "")
    return any(word in text for word in known_names.MOCKS)


def _explain_refused(reading: Reading, facts: TreeFacts) -> Cause:
    if "MySQL" in reading.words:
        return _blame_service("MySQL", facts)
    if "NoBrokersAvailable" in reading.words:
        return _blame_service("Kafka", facts)
    hosts = reading.find_hosts()
    host, port = next(((host, port) for host, port in hosts if port), hosts[0] if hosts else ("", ""))
    port_match = _PORT.search(reading.words)
    port = port or (port_match[1] if port_match else "")
    if host and not _is_local(host):
        return _explain_remote_host(host, reading, facts)
    if listener := next((service for service in facts.services if listens_on(service, port)), None):
        server = find_server(listener)
        return _blame_ended_service(server.product) if server else CODE
    if port not in known_names.SERVICE_PORTS:
        return CODE
    name = known_names.SERVICE_PORTS[port]
    if port in known_names.OFTEN_OWN_PORTS and not _is_mentioned(name, facts):
        return doubtful("service", f"nothing listens on port {port}: a server of this project, or {name}")
    return _blame_service(name, facts)


def _blame_ended_service(product: str) -> Cause:
    sentence = f"{product} was ready when the tests began, and no longer answers"
    return environment("service", sentence, "find out what ends it: too little memory, or a test that stops it")


def _is_mentioned(name: str, facts: TreeFacts) -> bool:
    words = name.lower().split(" or ")
    return any(word in _WORDS.findall(text.lower()) for text in facts.texts.values() for word in words)


def _is_local(host: str) -> bool:
    return host.startswith(_LOOPBACK)


def explain_low_port(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a refused port below 1024."""
    is_denied = re.search(r"permission ?denied|EACCES", reading.words, re.IGNORECASE)
    match = _LOW_PORT.search(reading.words) if is_denied else None
    if not match:
        return None
    cause = environment if find_failing_lines(reading, facts).is_last else doubtful
    return cause("port", f"port {match[1]} is below 1024: only root may listen on it", "use a port above 1023")


def explain_port_in_use(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a port in use. The tree may hold it itself if it names the port twice."""
    if not _IN_USE.search(reading.words):
        return None
    if not facts.shared_network:
        return CODE
    ports = [port for _host, port in reading.find_hosts() if port] + _PORT.findall(reading.words)
    ports += re.findall(r"\b([1-9]\d{3,4})\b", facts.texts.get(reading.file, ""))
    own_ports = [port for port in dict.fromkeys(ports) if sum(_count_port(port, text) for text in facts.texts.values())]
    if not own_ports or any(sum(_count_port(port, text) for text in facts.texts.values()) > 1 for port in own_ports):
        return CODE
    return environment("port", f"port {own_ports[0]} is in use on this machine", f"free port {own_ports[0]}")


def _count_port(port: str, text: str) -> int:
    return _NUMBER.findall(text).count(port)


def explain_development_server(reading: Reading, facts: TreeFacts) -> Cause | None:
    """Return the cause of a page without a server; the code's, if the tests start the server."""
    match = _PAGE_REFUSED.search(reading.words)
    if not match:
        return None
    port = match[1]
    if not port or any(_STARTS_ONE.search(text) for text in facts.texts.values()):
        return CODE
    if any(listens_on(service, port) for service in facts.services):  # it has ended since it was ready
        return CODE
    line = f'services = [{{ run = "{_choose_start_command(facts)}", ready = {port} }}]'
    remedy = f"let reknit start the server beside the tests, in reknit.toml: {line}"
    return environment("service", f"nothing listens on port {port}, where the tests open a page", remedy)


def _choose_start_command(facts: TreeFacts) -> str:
    packages = (text for path, text in facts.texts.items() if path.endswith("package.json"))
    scripts = {name for text in packages for name in get_table(read_json(text), "scripts")}
    return next((f"npm run {name}" for name in _SCRIPTS if name in scripts), "COMMAND")
