"""What ``pycanon`` 1.3 has: ``from denym.compat.pycanon import anonymity, metrics, report``.

One difference holds for every function: a missing value is a value of its own, as in every release of this library. pycanon leaves
records out whose quasi-identifiers have one, so that people who stand alone are not counted.
"""

from denym.compat.pycanon import anonymity, metrics, report

__all__ = ["anonymity", "metrics", "report"]
