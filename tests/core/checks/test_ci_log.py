"""Logs of CI jobs, cut to what matters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reknit.core.checks.ci_log import excerpt_log, is_infra, list_failed_lines, list_plain_lines
from reknit.core.forge.values import CiCheck, CiState
from tests.tools.work import quickly

STAMP = "2026-01-01T00:00:00.0000000Z "
TOKEN = "ghp_" + "a1B2" * 10


def job(*lines: str) -> str:
    return "\ufeff" + "\n".join(STAMP + line for line in lines)


CHECKOUT = (
    "##[group]Operating System", "Ubuntu", "##[endgroup]",
    "##[group]Run actions/checkout@v4", "with:", "  repository: acme/shop", "##[endgroup]",
    "[command]/usr/bin/git version", "git version 2.43.0",
)  # fmt: skip
PYTEST = (
    "##[group]Run pytest -q", "\x1b[36;1mpytest -q\x1b[0m", "shell: /usr/bin/bash -e {0}", "##[endgroup]",
    "..F", "E   assert 1 == 2", "FAILED tests/test_a.py::test_x - assert 1 == 2",
    "##[error]Process completed with exit code 1.",
)  # fmt: skip
CLEANING = ("##[group]Run actions/cache@v4", "##[endgroup]", "Post job cleanup.", "Cleaning up orphan processes")


def size(text: str) -> int:
    return len(text.encode())


def test_a_log_is_cut_to_the_step_that_failed() -> None:
    assert excerpt_log(job(*CHECKOUT, *PYTEST, *CLEANING)) == (
        "Run pytest -q\n"
        "..F\n"
        "E   assert 1 == 2\n"
        "FAILED tests/test_a.py::test_x - assert 1 == 2\n"
        "error: Process completed with exit code 1."
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("2026-01-01T00:00:00.0000000Z said", ["said"], id="a stamp"),
        pytest.param("2026-01-01T00:00:00Z said", ["said"], id="a stamp without fractions"),
        pytest.param(STAMP + STAMP + "said", [STAMP + "said"], id="only the runner's stamp, not the program's"),
        pytest.param("at 2026-01-01T00:00:00.0000000Z", ["at 2026-01-01T00:00:00.0000000Z"], id="a time in a line"),
        pytest.param("\x1b[31;1mred\x1b[0m", ["red"], id="colours"),
        pytest.param(" 10 %\r 90 %\rdone\r", ["done"], id="a progress bar"),
        pytest.param("##[group]Build", ["Build"], id="a group of the program's own"),
        pytest.param("##[endgroup]", [], id="the end of a group"),
        pytest.param("##[debug]x", [], id="what the runner says to itself"),
        pytest.param("##[command]git fetch", [], id="a command"),
        pytest.param("[command]/usr/bin/git fetch", [], id="a command of an action"),
        pytest.param("##[warning]old node", ["warning: old node"], id="a warning"),
        pytest.param("##[notice]new node", ["notice: new node"], id="a notice"),
        pytest.param("##[error]boom", ["error: boom"], id="an error"),
        pytest.param("::error file=a.py,line=3::boom", ["error: boom"], id="an error as tools write it"),
        pytest.param("::add-mask::x", [], id="a word for the runner"),
        pytest.param("::std::fmt::Error", ["::std::fmt::Error"], id="a name that only looks like one"),
        pytest.param("said   ", ["said"], id="blanks at the end"),
    ],
)
def test_a_line_is_told_as_it_was_printed(line: str, told: list[str]) -> None:
    assert [text for text in list_plain_lines(line) if text] == told


def test_the_runners_copy_of_a_script_is_left_out_once_it_is_whole() -> None:
    assert list_plain_lines("##[group]Run make\nmake\nenv:\n##[endgroup]\nout") == ["Run make", "out"]
    assert list_plain_lines("##[group]Run make\nout\nmore") == ["Run make", "out", "more"]
    assert list_plain_lines("##[group]Run make\nout\n##[error]x\n##[endgroup]") == ["Run make", "out", "error: x"]


def test_every_step_that_failed_is_told_up_to_its_last_error() -> None:
    log = job(
        "##[group]Run a", "1", "##[error]x", "2", "##[error]y", "3", "##[group]Run b", "4", *PYTEST[:1], "##[error]z"
    )
    assert list_failed_lines(log) == ["Run a", "1", "error: x", "2", "error: y", "Run pytest -q", "error: z"]


def test_a_log_without_marks_is_told_as_a_whole() -> None:
    assert excerpt_log("compiling\nerror: no such thing\nmake: *** [all] Error 1") == (
        "compiling\nerror: no such thing\nmake: *** [all] Error 1"
    )


def test_what_stands_around_a_failure_goes_before_what_stands_elsewhere() -> None:
    noise = [f"covered src/{number}.py completely" for number in range(500)]
    log = job(
        "##[group]Run make test", "##[endgroup]", *noise[:250],
        "    total = price * count", "TypeError: no price", "    in the cart of ann",
        *noise[250:], "##[error]Process completed with exit code 2.",
    )  # fmt: skip
    told = excerpt_log(log, 2_000)
    assert told.startswith("Run make test\n…\n")
    assert "    total = price * count\nTypeError: no price\n    in the cart of ann\n" in told
    assert told.endswith("error: Process completed with exit code 2.")
    assert size(told) <= 2_000


def test_of_a_log_that_names_no_failure_the_end_is_told() -> None:
    told = excerpt_log("\n".join(f"step {number} of many" for number in range(900)), 300)
    assert told.startswith("step 0 of many\n…\n")
    assert told.endswith("step 899 of many")


def test_a_log_holds_no_secret_and_no_log_says_nothing() -> None:
    assert TOKEN not in excerpt_log(job("##[group]Run x", f"token {TOKEN}", "##[error]x"))
    assert excerpt_log("") == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "log",
    [
        pytest.param("\n".join(f"{STAMP}ERROR {number} in /x/{number}" for number in range(20_000)), id="only errors"),
        pytest.param("##[group]Run x\n" * 30_000, id="only groups"),
        pytest.param("##[group]Run x\n" + "a\n" * 100_000, id="a group without end"),
        pytest.param("x" * 1_000_000, id="one line without end"),
        pytest.param("::error " * 100_000, id="marks without end"),
    ],
)
def test_a_huge_log_is_cut_quickly(log: str) -> None:
    with quickly():
        assert size(excerpt_log(log)) <= 4_000


LINES = st.one_of(st.text(max_size=80), st.sampled_from([*CHECKOUT, *PYTEST, *CLEANING, STAMP, "\r", "::error::x"]))


@settings(max_examples=60)
@given(st.lists(LINES, max_size=40), st.integers(0, 600))
def test_a_cut_never_outgrows_its_limit_and_is_always_the_same(lines: list[str], limit: int) -> None:
    log = job(*lines)
    assert size(excerpt_log(log, limit)) <= limit
    assert excerpt_log(log, limit) == excerpt_log(log, limit)


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
