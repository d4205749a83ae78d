"""Messages to the outside: one module per channel, and how often a message is tried.

Addresses here were written by the operator: they skip the check that addresses found in answers
go through, and a redirect is never followed.
"""

from monitor.alerts.ping import Ping, open_client, send_ping

__all__ = ["Ping", "open_client", "send_ping"]
