from reknit.core.testing.runners import compiled
from reknit.core.testing.runners.call import RunnerCall


def test_go_prints_events_and_its_packages_can_be_left_out() -> None:
    words = "-v -race -tags a,b -coverprofile c.out -timeout 5m ./cart ./shop/..."
    command = compiled.go(RunnerCall(("go", "test"), tuple(words.split()), "o"))
    assert " ".join(command.argv) == ("go test -json -race -tags a,b -timeout 5m {whole}./cart {whole}./shop/...")
    assert (command.runner, command.evidence, command.report, command.report_format) == (
        "go",
        "report",
        "{stdout}",
        "go",
    )
    assert command.typed == f"go test {words}"


def test_cargo_goes_on_after_a_failure_and_keeps_the_harness_arguments() -> None:
    words = "--workspace -q --message-format short -- --nocapture --test-threads=1"
    command = compiled.cargo(RunnerCall(("cargo", "test"), tuple(words.split())))
    assert " ".join(command.argv) == (
        "cargo test --workspace --offline --no-fail-fast --message-format=json -- --test-threads=1"
    )
    assert (command.runner, command.report_format) == ("cargo", "cargo")


def test_maven_and_gradle_keep_their_arguments() -> None:
    maven = compiled.maven(RunnerCall(("mvn",), ("-o", "verify")))
    assert (maven.argv, maven.report) == (("mvn", "-o", "verify"), "**/target/surefire-reports/*.xml")
    gradle = compiled.gradle(RunnerCall(("sh", "gradlew"), ("test",)))
    assert (gradle.argv, gradle.select) == (("sh", "gradlew", "test"), ("--tests={method}",))
