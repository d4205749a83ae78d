"""Answers cut into statements and claims, each with the citations that stand behind it."""

from monitor.claims.alce import AlceStatement, alce_statements, alce_text
from monitor.claims.formats import answer_format
from monitor.claims.markers import Pointer, pointers
from monitor.claims.sentences import sentences
from monitor.claims.statements import statements

CLAIMS_VERSION = "2"
"""Raised whenever a rule here can change a statement, a claim or an attachment."""

__all__ = [
    "CLAIMS_VERSION",
    "AlceStatement",
    "Pointer",
    "alce_statements",
    "alce_text",
    "answer_format",
    "pointers",
    "sentences",
    "statements",
]
