"""What the pages of the web application show: values in, frozen screens out.

A screen holds numbers and the words they are shown in; its page places it and its JSON twin is it.
"""
