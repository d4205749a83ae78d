"""What analysts hand in: containers opened safely, answers found in them, secrets dropped."""
