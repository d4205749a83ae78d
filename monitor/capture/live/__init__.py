"""Live capture of answer surfaces: one driver for all of them, told by their selectors."""
