"""Programs that an agent starts when it is about to stop, and when a person typed a prompt."""
