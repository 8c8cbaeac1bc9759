import pytest

from reknit.core.testing.runners.recognise import recognise


@pytest.mark.parametrize(
    ("text", "runner"),
    [
        ("pytest -q", "pytest"),
        ("/usr/bin/py.test", "pytest"),
        ("uv run pytest", "pytest"),
        ("python3.12 -m pytest", "pytest"),
        ("python -m unittest discover", "unittest"),
        ("poetry run python -m unittest", "unittest"),
        ("python manage.py test shop", "django"),
        ("./manage.py test", "django"),
        ("uv run manage.py test", "django"),
        ("vitest", "vitest"),
        ("npx vitest run", "vitest"),
        ("npx --no-install jest a", "jest"),
        ("yarn jest", "jest"),
        ("pnpm exec mocha", "mocha"),
        ("./node_modules/.bin/mocha", "mocha"),
        ("node_modules/mocha/bin/_mocha", "mocha"),
        ("node --experimental-vm-modules node_modules/.bin/jest --ci", "jest"),
        ("node node_modules/jest/bin/jest.js", "jest"),
        ("react-scripts test --watchAll=false", "jest"),
        ("node --test", "node"),
        ("npx tsx --test a.ts", "node"),
        ("npx playwright test", "playwright"),
        ("go test ./...", "go"),
        ("/usr/local/go/bin/go test", "go"),
        ("cargo test", "cargo"),
        ("mvn -q verify", "maven"),
        ("./mvnw test", "maven"),
        ("./gradlew check", "gradle"),
        ("sh gradlew test", "gradle"),
    ],
)
def test_a_known_runner_is_found(text: str, runner: str) -> None:
    found = recognise(tuple(text.split()), "here", (("A", "b"),))
    assert found
    assert (found.runner, found.origin, found.typed) == (runner, "here", text)
    assert ("A", "b") in found.env
    assert found.select


@pytest.mark.parametrize(
    "text",
    [
        "./run-tests.sh", "uv run", "uv pytest", "python tests.py", "python -m", "python", "python manage.py migrate",
        "manage.py", "npx", "npx eslint", "node server.js", "node", "node --inspect", "playwright install",
        "react-scripts build", "go vet ./...", "cargo build", "mvn compile", "sh", "sh run.sh", "make test",
        "node --inspect node_modules/.bin/eslint", "vitest bench",
    ],
)  # fmt: skip
def test_anything_else_is_not(text: str) -> None:
    assert recognise(tuple(text.split()), "here") is None
