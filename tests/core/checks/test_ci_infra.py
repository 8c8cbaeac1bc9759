"""Failures of the machines, told from those of the code."""

import pytest

from reknit.core.checks.ci_infra import is_infra
from reknit.core.forge.values import CiCheck, CiState

LOST = "##[error]The runner has received a shutdown signal."


def check(state: CiState = "pass", word: str = "", *, summary: str = "") -> CiCheck:
    return CiCheck("x", state, word or state, id=1, is_job=True, summary=summary)


@pytest.mark.parametrize(
    "log",
    [
        "##[error]The hosted runner lost communication with the server. Anything in your workflow …",
        "##[error]The hosted runner: GitHub Actions 9 lost communication with the server.",
        "##[error]The self-hosted runner: build-7 lost communication with the server. Verify the machine is running",
        "##[error]The runner has received a shutdown signal. This …\n##[error]The operation was canceled.",
        "##[error]The hosted runner encountered an error while running your job. (Error Type: Disconnect).",
        "##[error]GitHub Actions has encountered an internal error when running your job.",
        "##[error]The job was not acquired by Runner of type hosted even after multiple attempts",
        "##[error]Failed to resolve action download info. Error: Service Unavailable",
        "##[error]Failed to download action 'https://api.github.com/x'. Error: Response status code: 503",
        "tar: write error: No space left on device\n##[error]Process completed with exit code 2.",
        "/tmp/a.c:3: fatal error: error writing to /tmp/x.s: No space left on device\n##[error]exit 1",
        "npm ERR! code ENOSPC\n##[error]exit 1",
        "fatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com\n##[error]exit 128",
        "curl: (6) Could not resolve host: example.org\n##[error]exit 6",
        "Temporary failure in name resolution\n##[error]exit 1",
        "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\n##[error]exit 128",
        "curl: (22) The requested URL returned error: 503\n##[error]exit 22",
        'Error response from daemon: Head "https://registry-1.docker.io/v2/x": received unexpected HTTP status: 503',
        "toomanyrequests: You have reached your pull rate limit.\n##[error]exit 1",
        "npm ERR! 503 Service Unavailable - GET https://registry.npmjs.org/x\n##[error]exit 1",
        "npm error code E502\n##[error]exit 1",
        "ERROR: HTTP error 503 while getting https://files.pythonhosted.org/x.whl\n##[error]exit 1",
        "go: reading https://proxy.golang.org/x: 502 Bad Gateway\n##[error]exit 1",
        "Received status code 503 from server; download of https://repo.maven.apache.org/x\n##[error]exit 1",
        "npm ERR! network request to https://registry.npmjs.org/x failed, reason: read ECONNRESET\n##[error]exit 1",
        "npm error errno ETIMEDOUT\n##[error]exit 1",
        "Connection reset by peer, while downloading x.tar.gz\n##[error]exit 1",
        "HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/x\n##[error]exit 1",
        "BUILD FAILED in 3s: Could not resolve host: repo1.maven.org\n##[error]exit 1",
        "3 passed; 0 failed\n##[error]No space left on device",
    ],
)  # fmt: skip
@pytest.mark.parametrize("word", ["failure", "timed_out", "cancelled"])
def test_machines_that_fail_are_known_by_their_words(log: str, word: str) -> None:
    assert is_infra(check("fail", word), log)


@pytest.mark.parametrize(
    "failure",
    [
        "FAILED tests/test_a.py::test_x - assert 1 == 2",
        "E       AssertionError: nope",
        "AssertionError [ERR_ASSERTION]: 1 == 2",
        "--- FAIL: TestCart (0.00s)",
        "FAIL src/cart.test.ts",
        "thread 'main' panicked at src/lib.rs:3:5",
        "assertion `left == right` failed",
        "=== 2 failed, 3 passed in 0.1s ===",
        "Tests run: 4, Failures: 1, Errors: 0",
        "Tests run: 4, Failures: 0, Errors: 2",
        "not ok 3 - adds",
        "FAILED tests/test_a.py::test_x - OSError: No space left on device",
        "src/a.c:3:1: error: expected ';'",
        "src/a.py:3: error: Incompatible types",
        "##[error]src/a.ts(3,4): error TS2304: Cannot find name 'x'.",
        "error[E0308]: mismatched types",
        "error: could not compile `shop`",
        "  3:10  error  'x' is not defined  no-undef",
        "SyntaxError: invalid syntax",
        "[ERROR] COMPILATION ERROR :",
        "main.o: undefined reference to `cart'",
        "Found 3 errors.",
        "would reformat src/a.py",
        "##[error]The job has exceeded the maximum execution time of 360 minutes.",
    ],
)
@pytest.mark.parametrize("word", ["failure", "timed_out", "cancelled", "startup_failure"])
def test_a_failure_of_the_code_comes_first(failure: str, word: str) -> None:
    assert not is_infra(check("fail", word), f"{failure}\n{LOST}")
    assert not is_infra(check("fail", word, summary=failure), LOST)


@pytest.mark.parametrize(
    ("failed", "log", "infra"),
    [
        pytest.param(check("cancelled"), "", True, id="cancelled"),
        pytest.param(check("cancelled", "other"), "", True, id="cancelled by its state alone"),
        pytest.param(check("fail", "startup_failure"), "", True, id="it never started"),
        pytest.param(check("fail", "stale"), "", True, id="the forge forgot it"),
        pytest.param(check("fail", "timed_out"), "still running", False, id="a time-out is the code's"),
        pytest.param(check("fail", "timed_out"), LOST, True, id="unless the machine says otherwise"),
        pytest.param(check("fail"), "", False, id="a failure without a word"),
        pytest.param(check("fail", summary=LOST), "", True, id="what the check says of itself counts too"),
        pytest.param(check("fail", "action_required"), LOST, False, id="a person is awaited"),
        pytest.param(check(), LOST, False, id="a check that passed"),
        pytest.param(check("pending"), LOST, False, id="a check that runs"),
        pytest.param(
            check("fail"), "curl: (6) Could not resolve host: localhost", False, id="a service of the job's own"
        ),
        pytest.param(check("fail"), "fetch http://127.0.0.1:80: ECONNRESET", False, id="by its number, too"),
        pytest.param(check("fail"), "read ECONNRESET", False, id="a broken line outside of a download"),
        pytest.param(check("fail"), "npm installed 502 packages", False, id="a number that is no status"),
        pytest.param(
            check("fail"),
            "##[group]Run a\nCould not resolve host: x\n##[group]Run b\nbad\n##[error]exit 1",
            False,
            id="another step survived it",
        ),
        pytest.param(
            check("fail"),
            "\n".join(["npm error errno ETIMEDOUT", *["x"] * 60, "##[error]exit 1"]),
            False,
            id="the step went on for long after it",
        ),
    ],
)
def test_only_what_ended_the_job_is_the_machines_fault(failed: CiCheck, log: str, infra: bool) -> None:
    assert is_infra(failed, log) is infra
