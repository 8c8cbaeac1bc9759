"""kill -9 at every step of the loop, on real engines."""
