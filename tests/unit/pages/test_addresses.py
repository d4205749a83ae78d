"""Which addresses are public, by the registries."""

import pytest

from monitor.pages.addresses import literal_address, refused_address, refused_name

REFUSED = [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.9", "192.0.2.1", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::",
    "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3ffe::1",
    "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
    "2a00:1450::5efe:7f00:1", "2606:4700::1%eth0", "", "example.com", "1.2.3",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.32.0.1", "192.0.1.1",
          "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888", "2003::1"]  # fmt: skip


@pytest.mark.parametrize("ip", REFUSED)
def test_addresses_that_are_not_public_are_refused_with_a_reason(ip):
    assert refused_address(ip)


@pytest.mark.parametrize("ip", PUBLIC)
def test_public_addresses_pass(ip):
    assert refused_address(ip) is None


def test_the_reason_names_what_an_address_embeds():
    assert refused_address("::ffff:10.0.0.1") == "::ffff:a00:1 embeds 10.0.0.1 is private"
    assert "127.0.0.1 is loopback" in (refused_address("2002:7f00:1::") or "")


@pytest.mark.parametrize(
    ("host", "ip"),
    [("127.1", "127.0.0.1"), ("0x7f000001", "127.0.0.1"), ("2130706433", "127.0.0.1"),
     ("[::1]", "::1"), ("127.0.0.1.", "127.0.0.1"), ("example.com", None), ("1.2.3.4.5", None),
     ("bücher.de", None)],
)  # fmt: skip
def test_numeric_forms_are_literals(host, ip):
    assert literal_address(host) == ip


@pytest.mark.parametrize(
    "name", ["localhost", "a.localhost", "x.EXAMPLE.", "intranet", "r.home.arpa", ""]
)
def test_reserved_and_single_label_names_are_refused(name):
    assert refused_name(name)


@pytest.mark.parametrize("name", ["example.com", "www.gov.uk", "test.org", "xn--bcher-kva.de."])
def test_ordinary_names_pass(name):
    assert refused_name(name) is None
