"""Capture: put a prompt to an engine and keep the bytes before anything reads them."""
