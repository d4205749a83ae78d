"""Speed as ratios: every figure against a baseline of the same run on the same machine."""
