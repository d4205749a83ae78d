"""What surfaces share: selectors as data, text of a page with its marks, our record of a capture.

A surface is what people see of an engine. Its module reads every form its answers come in, those
captured live and those handed in, by one function `turns(document)`.
"""
