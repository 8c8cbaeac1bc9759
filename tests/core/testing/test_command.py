from reknit.core.testing.command import TestCommand


def test_the_manifest_is_named_from_the_top_of_the_repository() -> None:
    assert TestCommand("go", ("go",), "junit", origin="go.mod").manifest == "go.mod"
    assert TestCommand("go", ("go",), "junit", origin="go.mod", folder="svc").manifest == "svc/go.mod"
