"""Measures what AI answer engines cite, and whether those citations deserve their place."""

__version__ = "0.1.0"
