"""The straight line from panel to change; the only room that knows all stages."""
