"""Answers cut into statements and claims, each with the citations that stand behind it."""

from monitor.claims.alce import AlceStatement, alce_statements
from monitor.claims.formats import answer_format
from monitor.claims.sentences import sentences
from monitor.claims.statements import statements

CLAIMS_VERSION = "1"
"""Raised whenever a rule here can change a statement, a claim or an attachment."""

__all__ = [
    "CLAIMS_VERSION",
    "AlceStatement",
    "alce_statements",
    "answer_format",
    "sentences",
    "statements",
]
