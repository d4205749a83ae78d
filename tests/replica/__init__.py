"""A chat page of our own writing that behaves as answer surfaces do, well or badly; all made up."""
