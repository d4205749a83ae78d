"""Settings and the files people write, read with their positions.

Import what you need from its module: nothing is loaded here, so that a small command starts fast.
"""
