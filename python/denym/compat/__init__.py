"""The functions of other packages over this library, so that switching is one import.

``denym.compat.pycanon`` has what ``pycanon`` has, ``denym.compat.anjana`` what ``anjana`` has: the same names, arguments and
answers. Where theirs are wrong, ours are right, and the docstring of the function says so. Both need pandas, as theirs do.
"""
