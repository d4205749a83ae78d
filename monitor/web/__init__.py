"""The web door: how the monitor stands, for people, supervisors and Prometheus.

It has no password yet, so it listens on this machine alone unless somebody says otherwise.
"""
