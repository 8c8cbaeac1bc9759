from reknit.core.languages.rust import runners
from reknit.core.testing.command import RunnerCall


def test_cargo_goes_on_after_a_failure_and_keeps_the_harness_arguments() -> None:
    words = "--workspace -q --message-format short -- --nocapture --test-threads=1"
    command = runners.make_cargo_command(RunnerCall(("cargo", "test"), tuple(words.split())))
    assert " ".join(command.argv) == (
        "cargo test --workspace --offline --no-fail-fast --message-format=json -- --test-threads=1"
    )
    assert (command.runner, command.report_format) == ("cargo", "cargo")
