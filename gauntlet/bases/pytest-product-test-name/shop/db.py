def test_connection(host):
    assert host
    return True


def connect(host):
    return test_connection(host)
