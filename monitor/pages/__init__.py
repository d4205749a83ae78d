"""Pages: one guarded fetcher, main text, passages and groups of copied texts."""
