"""Measures what AI answer engines cite, and whether those citations deserve their place."""
