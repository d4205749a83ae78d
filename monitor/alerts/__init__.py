"""Messages to the outside: one module per channel, each tries a message once.

The network comes from outside: a client and a connector that go through the guard, or plain ones
for an address that the operator opted in by name. A redirect is never followed.
"""

from monitor.alerts.mail import Connect, Mail, MailServer, send_mail
from monitor.alerts.ping import Ping, send_ping
from monitor.alerts.posting import GUARDED, open_client
from monitor.alerts.services import missing_library, send_service
from monitor.alerts.webhook import send_json

__all__ = [
    "GUARDED",
    "Connect",
    "Mail",
    "MailServer",
    "Ping",
    "missing_library",
    "open_client",
    "send_json",
    "send_mail",
    "send_ping",
    "send_service",
]
