import tomllib

import pytest

from reknit.core.services.known_servers import KNOWN, install_command, setting_for


@pytest.mark.parametrize(
    ("product", "port", "services"),
    [
        ("PostgreSQL", "5432", [{"run": "postgres"}]),
        ("Redis", "", [{"run": "redis-server"}]),
        ("MongoDB", "", [{"run": "mongod --dbpath ."}]),
        ("MySQL", "3306", [{"run": "COMMAND", "ready": 3306}]),
        ("Kafka", "9092", [{"run": "COMMAND", "ready": 9092}]),
    ],
)
def test_the_line_to_add_is_valid_toml(product: str, port: str, services: list[dict[str, object]]) -> None:
    assert tomllib.loads(setting_for(product, port)) == {"services": services}


def test_without_a_port_a_place_is_left_for_it() -> None:
    assert setting_for("Kafka") == 'services = [{ run = "COMMAND", ready = PORT }]'


def test_how_a_server_is_installed() -> None:
    assert install_command("redis-server") == "apt install redis-server"
    assert install_command("mongod") == "install MongoDB, or put mongod on PATH"
    assert all(server.port for server in KNOWN.values())
