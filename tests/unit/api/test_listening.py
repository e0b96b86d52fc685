from __future__ import annotations

import socket

import pytest

from turnfold.errors import BadInput
from turnfold_api.listening import open_socket, url_of


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.9"])
def test_loopback_may_be_listened_on(host: str) -> None:
    with open_socket(host, 0, loopback_only=True) as opened:
        host, port = opened.getsockname()[:2]
        with socket.create_connection((host, port), timeout=5):
            assert url_of(opened).endswith(f":{port}")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_keys_no_other_machine_may_reach_the_server(host: str) -> None:
    with pytest.raises(BadInput, match=r"--host: .*TURNFOLD_API_KEYS"):
        open_socket(host, 0, loopback_only=True)


def test_with_keys_every_address_may_be_listened_on() -> None:
    with open_socket("0.0.0.0", 0, loopback_only=False) as opened:
        assert opened.getsockname()[0] == "0.0.0.0"


@pytest.mark.parametrize("host", ["", " ", "192.0.2.1", "no such host", "x" * 300])
def test_an_address_that_is_not_ours_is_told_in_one_line(host: str) -> None:
    with pytest.raises(BadInput, match=r"^--host: ") as told:
        open_socket(host, 0, loopback_only=False)
    assert "\n" not in told.value.detail


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with (
        open_socket("127.0.0.1", 0, loopback_only=True) as first,
        pytest.raises(BadInput, match=r"^--port: .* is taken"),
    ):
        open_socket("127.0.0.1", first.getsockname()[1], loopback_only=True)
