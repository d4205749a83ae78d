"""Programs that keep this repository in order; none of them is part of the package."""
