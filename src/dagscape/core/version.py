"""The version of dagscape, in its own module so that every package can import it."""

__version__ = "0.1.0"
