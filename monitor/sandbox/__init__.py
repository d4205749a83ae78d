"""A fictional world on loopback: vendors' APIs, a chat page and source sites.

It stands beside the doors and is imported by nothing; `python -m monitor.sandbox` starts it. What it
serves is invented and says so on every page. Content lies in world/ (sites, facts, prompts, engines,
faults); the code only renders it: sources in `sites`, answers in `script`, wire shapes in `wire_*`.
"""
