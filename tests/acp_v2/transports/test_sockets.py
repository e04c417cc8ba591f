"""Addresses to listen on."""

import socket

import pytest

from acp_v2.transports.sockets import Address


@pytest.mark.parametrize(
    ("url", "address", "is_loopback"),
    [
        ("ws://127.0.0.1:0/acp", ("ws", "127.0.0.1", 0, "/acp"), True),
        ("http://localhost:8080", ("http", "localhost", 8080, "/"), True),
        ("http://[::1]:80/x/y", ("http", "::1", 80, "/x/y"), True),
        ("ws://:1234/", ("ws", "127.0.0.1", 1234, "/"), True),
        ("ws://0.0.0.0:1/", ("ws", "0.0.0.0", 1, "/"), False),
        ("ws://example.org:1/", ("ws", "example.org", 1, "/"), False),
    ],
)
def test_an_address_is_a_url(url: str, address: tuple[str, str, int, str], is_loopback: bool):
    found = Address.parse(url)
    assert (found.scheme, found.host, found.port, found.path) == address
    assert found.is_loopback == is_loopback


@pytest.mark.parametrize(
    "url",
    ["", "127.0.0.1:80", "https://127.0.0.1:1/", "ws://127.0.0.1", "ws://h:99999/", "ws://u:p@h:1/", "ws://h:1/?q"],
)
def test_what_is_no_address(url: str):
    with pytest.raises(ValueError, match=r"address|port|Port"):
        Address.parse(url)


def test_a_small_message_is_sent_although_the_last_is_not_confirmed():
    with (
        Address.parse("ws://127.0.0.1:0/").bind() as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
