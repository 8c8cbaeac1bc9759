"""What a box is shown of the ignored entries."""

import pytest

from reknit.core.repository.carried_files import CarryPlan, what_to_carry


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(".venv/", id="a virtual environment"),
        pytest.param("node_modules/", id="installed packages"),
        pytest.param("src/app/_version.py", id="a generated module"),
        pytest.param("src/app.egg-info/", id="an editable install"),
        pytest.param("app/native.cpython-311-x86_64-linux-gnu.so", id="a built extension"),
        pytest.param("src/secrets_manager/_version.py", id="a generated module in a package with a telling name"),
        pytest.param("proto/api_pb2.py", id="generated protocol code"),
    ],
)
def test_what_tests_may_need_is_carried(path: str) -> None:
    assert what_to_carry([path]) == CarryPlan(carried=(path.rstrip("/"),), left_out=())


@pytest.mark.parametrize(
    "path",
    ["__pycache__/", "src/app/__pycache__/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", "dist/", "build/",
     "rust/target/", "coverage/", ".tox/", ".nox/", ".coverage", ".coverage.host.1", "htmlcov/", ".hypothesis/",
     "dist/app.js", "debug.log"],
)  # fmt: skip
def test_caches_are_left_out(path: str) -> None:
    assert what_to_carry([path]) == CarryPlan(carried=(), left_out=(path.rstrip("/"),))


@pytest.mark.parametrize(
    "path",
    [".env", ".env.local", ".envrc", "config/.env.production", ".npmrc", ".netrc", ".pypirc", "tls/server.pem",
     "server.key", "SERVER.KEY", "sign.p12", "prod.tfvars", "credentials.json", "secrets.yaml", "secrets/",
     "secrets/x.txt", ".aws/config", "id_rsa", ".claude/settings.local.json", "build/.env"],
)  # fmt: skip
def test_secrets_are_left_out_and_named(path: str) -> None:
    plain = path.rstrip("/")
    assert what_to_carry([path]) == CarryPlan(carried=(), left_out=(plain,), secrets=(plain,))


def test_nothing_is_lost_and_the_order_stays() -> None:
    carry = what_to_carry(["z/", ".env", "build/", "a.py"])
    assert carry == CarryPlan(carried=("z", "a.py"), left_out=(".env", "build"), secrets=(".env",))


def test_nothing_ignored() -> None:
    assert what_to_carry([]) == CarryPlan((), ())
