"""What analysts hand in: containers opened safely, secrets dropped; nothing is run or fetched."""
