"""Shapes that several vendors share."""
