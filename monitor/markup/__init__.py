"""HTML of strangers as trees: safe to parse, asked by selectors, never executed."""
