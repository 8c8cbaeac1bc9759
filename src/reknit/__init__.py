"""reknit repairs code that fails, in a bounded and durable loop, and lands only what it could prove."""

__version__ = "0.1.0"
