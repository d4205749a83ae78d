"""The nouns of the field as frozen values, and the ports that edges need of each other."""
