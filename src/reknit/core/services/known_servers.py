"""Servers that no repository brings along: where they listen, and how a person installs and configures one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownServer:
    product: str
    port: int
    package: str
    """In Debian and Ubuntu; empty: in neither."""
    run: str = ""
    """What to write as `run`, if that is all it needs."""


KNOWN = {
    "postgres": KnownServer("PostgreSQL", 5432, "postgresql", "postgres"),
    "redis-server": KnownServer("Redis", 6379, "redis-server", "redis-server"),
    "valkey-server": KnownServer("Valkey", 6379, "valkey-server", "valkey-server"),
    "memcached": KnownServer("memcached", 11211, "memcached", "memcached"),
    "mongod": KnownServer("MongoDB", 27017, "", "mongod --dbpath ."),
    "mysqld": KnownServer("MySQL", 3306, "mysql-server"),
    "mariadbd": KnownServer("MariaDB", 3306, "mariadb-server"),
    "nats-server": KnownServer("NATS", 4222, "nats-server", "nats-server"),
    "rabbitmq-server": KnownServer("RabbitMQ", 5672, "rabbitmq-server"),
    "mosquitto": KnownServer("MQTT", 1883, "mosquitto", "mosquitto"),
    "etcd": KnownServer("etcd", 2379, "etcd-server", "etcd --data-dir ."),
}
"""Program -> server."""


def setting_for(product: str, port: str = "") -> str:
    """The line of reknit.toml that starts this product beside the tests."""
    run = next((server.run for server in KNOWN.values() if server.product == product and server.run), "")
    if run:
        return f'services = [{{ run = "{run}" }}]'
    return f'services = [{{ run = "COMMAND", ready = {port or "PORT"} }}]'


def install_command(program: str) -> str:
    """What a person types if the program is missing."""
    server = KNOWN[program]
    return f"apt install {server.package}" if server.package else f"install {server.product}, or put {program} on PATH"
