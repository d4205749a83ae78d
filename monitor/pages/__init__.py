"""Pages: one guarded fetcher, main text, passages and groups of copied texts.

Bytes come in through `fetch.Fetcher` alone, behind `guard`; `text.read_page`, `passages.passages`
and `copies.find_copies` are pure and run again from stored bytes.
"""
