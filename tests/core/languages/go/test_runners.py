from reknit.core.languages.go import runners
from reknit.core.testing.command import RunnerCall


def test_go_prints_events_and_its_packages_can_be_left_out() -> None:
    words = "-v -race -tags a,b -coverprofile c.out -timeout 5m ./cart ./shop/..."
    command = runners.make_go_command(RunnerCall(("go", "test"), tuple(words.split()), "o"))
    assert " ".join(command.argv) == ("go test -json -race -tags a,b -timeout 5m {whole}./cart {whole}./shop/...")
    assert (command.runner, command.evidence, command.report, command.report_format) == (
        "go",
        "report",
        "{stdout}",
        "go",
    )
    assert command.typed == f"go test {words}"
