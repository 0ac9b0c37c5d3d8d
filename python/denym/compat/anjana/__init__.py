"""What ``anjana`` 1.2 has: ``from denym.compat.anjana import anonymity``."""

from denym.compat.anjana import anonymity

__all__ = ["anonymity"]
