"""Settings and the files people write, read with their positions."""

from monitor.config.settings import Settings, load_settings
from monitor.config.yaml import Document, Problem, problems_of, read_yaml

__all__ = ["Document", "Problem", "Settings", "load_settings", "problems_of", "read_yaml"]
