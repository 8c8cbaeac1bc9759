"""The certificates of one set-up."""

from reknit.adapters.setup.certificates import SetupAuthority


def test_each_host_has_one_and_each_set_up_its_own_authority() -> None:
    authority = SetupAuthority()
    assert authority.context("registry.example") is authority.context("registry.example")
    assert authority.context("127.0.0.1") is not authority.context("registry.example")
    assert authority.pem != SetupAuthority().pem
