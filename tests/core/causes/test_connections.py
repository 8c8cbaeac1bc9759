"""A host elsewhere is the network, a known port of this machine a service, and any other address the code's."""

from dataclasses import replace

import pytest

from reknit.core.causes.connections import explain_failed_connection, explain_port_in_use
from reknit.core.causes.reading import read_message
from reknit.core.causes.tree_facts import TreeFacts
from reknit.core.services.service import Service

FACTS = TreeFacts(
    texts={
        "docker-compose.yml": "services:\n  broker:\n    image: x\n",
        "t.py": "import responses\n",
        "u.py": "connect(4100)",
        "requirements.txt": "hvac  # for Vault\n",
    }
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "file", "expected"),
    [
        ("Error: getaddrinfo ENOTFOUND registry.npmjs.org", "", ("environment", "network")),
        ("dial tcp: lookup proxy.golang.org: no such host", "", ("environment", "network")),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "", ("environment", "network")),
        ("socket.gaierror: [Errno -3] Temporary failure in name resolution", "t.py", ("doubtful", "network")),
        ("URLError: Name or service not known https://api.shop.io/v1", "t.py", ("doubtful", "network")),
        ("URLError: Name or service not known https://api.shop.test/v1", "", ("doubtful", "network")),
        ("OperationalError: Name or service not known: amqp://broker:5672", "", ("environment", "service")),
        ("OperationalError: Name or service not known: amqp://queue:5672", "", ("doubtful", "network")),
        ("Name or service not known: http://127.0.0.1.:80", "", ("code", "")),
        ("Name or service not known: http://localhost:80", "", ("code", "")),
        ("ConnectTimeout: HTTPSConnectionPool(host='api.shop.io', port=443)", "", ("environment", "network")),
        ("Error: connect ETIMEDOUT 93.184.216.34:443", "", ("environment", "network")),
        ("SSLError: CERTIFICATE_VERIFY_FAILED https://api.shop.io/", "", ("environment", "network")),
        ("OSError: [Errno 113] No route to host", "", ("environment", "network")),
        ("ReadTimeout: HTTPConnectionPool(host='127.0.0.1', port=8000)", "", None),
        ("ReadTimeout: no answer", "", None),
        ("dial tcp 10.0.0.9:443: connect: connection refused", "", ("environment", "network")),
        ("OperationalError: (2003, \"Can't connect to MySQL server on 'db'\")", "", ("environment", "service")),
        ("kafka.errors.NoBrokersAvailable: NoBrokersAvailable", "", ("environment", "service")),
        ("connection to server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed", "", ("environment", "service")),
        ("DockerException: Error while fetching server API version", "", ("environment", "service")),
        ("connect ECONNREFUSED 127.0.0.1:6379", "", ("environment", "service")),
        ("connection failed: port 27017: Connection refused", "", ("environment", "service")),
        ("connect ECONNREFUSED 127.0.0.1:8200", "", ("environment", "service")),
        ("connect ECONNREFUSED 127.0.0.1:9000", "", ("doubtful", "service")),
        ("connect ECONNREFUSED 127.0.0.1:3000", "", ("code", "")),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "", ("code", "")),
        ("ValueError: no rate", "", None),
    ],
)  # fmt: skip
def test_connections(message: str, file: str, expected: tuple[str, str] | None) -> None:
    found = explain_failed_connection(read_message(message, file), FACTS)
    assert (found and (found.verdict, found.kind)) == expected


@pytest.mark.parametrize(
    ("message", "file", "expected"),
    [
        pytest.param("OSError: [Errno 98] Address already in use", "u.py", "port", id="named once by the test"),
        pytest.param("listen tcp :4100: bind: address already in use", "", "port", id="named by the message"),
        pytest.param("Error: listen EADDRINUSE: address already in use :::9999", "", "", id="not of the tree"),
    ],
)
def test_ports(message: str, file: str, expected: str) -> None:
    found = explain_port_in_use(read_message(message, file), FACTS)
    assert found is not None
    assert found.kind == expected
    assert explain_port_in_use(read_message("ValueError: 4100"), FACTS) is None


@pytest.mark.parametrize(
    ("message", "shared", "remedy"),
    [
        ("Connection refused 127.0.0.1:6379", True, "start Redis, or leave the tests"),
        ("Connection refused 127.0.0.1:6379", False, 'in reknit.toml: services = [{ run = "redis-server" }]'),
        ("Connection refused 127.0.0.1:9200", False, 'services = [{ run = "COMMAND", ready = 9200 }]'),
        ("Cannot connect to the Docker daemon", False, "cannot reach Docker on this machine: leave the tests"),
    ],
)
def test_how_a_service_can_be_had(message: str, shared: bool, remedy: str) -> None:
    found = explain_failed_connection(read_message(message), replace(FACTS, shared_network=shared))
    assert found is not None
    assert remedy in found.remedy


POSTGRES, OWN = Service("postgres"), Service("npm run dev", 9200)


@pytest.mark.parametrize(
    ("message", "verdict", "sentence"),
    [
        (
            "Connection refused 127.0.0.1:5432",
            "environment",
            "PostgreSQL was ready when the tests began, and no longer",
        ),
        ("Connection refused 127.0.0.1:5433", "doubtful", "PostgreSQL runs beside the tests, but not where they look"),
        ("no such file: /var/run/postgresql/.s.PGSQL.5432", "doubtful", "PostgreSQL runs beside the tests, but not"),
        ("Connection refused 127.0.0.1:9200", "code", ""),
        ("Connection refused 127.0.0.1:6379", "environment", "Redis is not running where the tests run"),
    ],
)
def test_a_service_that_was_started_is_not_asked_for_again(message: str, verdict: str, sentence: str) -> None:
    found = explain_failed_connection(
        read_message(message), replace(FACTS, shared_network=False, services=(POSTGRES, OWN))
    )
    assert found is not None
    assert found.verdict == verdict
    assert found.sentence.startswith(sentence)
