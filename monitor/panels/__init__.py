"""Panel files: read, checked with file and line, and turned into a Panel."""

from monitor.panels.parse import ParsedPanel, parse_panel

__all__ = ["ParsedPanel", "parse_panel"]
