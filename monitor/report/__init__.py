"""Scorecards and changes as pages, tables and files: values in, text out."""
