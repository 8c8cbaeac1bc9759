"""What an agent starts when it is about to stop."""
