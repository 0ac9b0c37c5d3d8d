"""Writes denym/catalogues.py from the library's own lists; a test holds that it is up to date."""

import sys

HEAD = '''"""What a policy may name, from the library's own lists. Written by make_catalogues.py: do not edit."""

from __future__ import annotations

from enum import Enum

__all__ = ["Algorithm", "Attack", "FindingName", "Generator", "Metric", "Promise", "ReadyMade"]


class _Name(str, Enum):
    """A name that is also its text."""

    def __str__(self) -> str:
        return str(self.value)
'''

ENUMS = [
    ("Algorithm", "algorithms", "Algorithms that make a release."),
    ("Attack", "attacks", "Attacks of the red team."),
    ("FindingName", "findings", "What guards against a steward's own mistakes look for."),
    ("Generator", "generators", "Data that can be generated."),
    ("Metric", "metrics", "What may be lost least."),
    ("Promise", "promises", "What an adversary must not learn, by the key in ``[promise]``."),
    ("ReadyMade", "hierarchies", "Hierarchies that were written from public facts."),
]


def entries(catalogue, what):
    """Names with their summaries, each once."""
    found = {}
    for one in catalogue(what):
        name = one["key"] if what == "promises" else one["name"]
        if name is not None:
            found.setdefault(name, one["summary"])
    return found


def module(catalogue):
    """The text of the module."""
    parts = [HEAD]
    for name, what, words in ENUMS:
        lines = [f'\n\nclass {name}(_Name):\n    """{words}"""\n']
        for entry, summary in entries(catalogue, what).items():
            member = entry.upper().replace("-", "_").replace(".", "_")
            lines.append(f'\n    {member} = "{entry}"')
            if summary:
                lines.append('\n    """' + summary.replace("\\", "\\\\").replace('"""', "'''").strip('"') + '"""')
        parts.append("".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    # The compiled half alone: the package around it needs what is written here.
    import importlib.util

    spec = importlib.util.spec_from_file_location("_denym", sys.argv[1])
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    sys.stdout.write(module(native.catalogue))
