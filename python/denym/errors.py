"""What can go wrong: one class per family, each with ``code``, ``location`` and ``help``.

No message quotes a cell of anybody's data.

>>> import denym
>>> try:
...     denym.Policy("[data]\\npath = 'people.csv'\\n[promise]\\nk-anonymity = 0\\n[release]\\nformat = 'stone'\\n")
... except denym.PolicyError as error:
...     print(len(error.mistakes) > 1, error.code.startswith("policy-"))
True True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "AccessError",
    "ArgumentError",
    "BundleError",
    "DataError",
    "DenymError",
    "FileError",
    "InternalError",
    "Mistake",
    "PolicyError",
    "RefusedError",
    "StoppedError",
    "StreamError",
]


@dataclass(frozen=True)
class Mistake:
    """One of several mistakes in a policy."""

    code: str
    """A stable name for programs."""
    message: str
    """What is wrong."""
    location: str | None
    """Where, such as ``policy.toml:7``."""
    help: str
    """What to do about it."""


class DenymError(Exception):
    """What every error of this package is."""

    code: str
    """A stable name for programs, such as ``policy-unknown-column``."""
    location: str | None
    """Where it went wrong, as far as it is known."""
    help: str
    """What to do about it."""
    mistakes: tuple[Mistake, ...]
    """Every mistake of a policy; empty for other errors."""
    account: Mapping[str, Any] | None
    """How a run that was refused went, as ``denym anonymize --json`` says it; ``None`` for other errors."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "error",
        location: str | None = None,
        help: str = "",
        mistakes: Sequence[Mapping[str, Any]] | None = None,
        account: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.location = location
        self.help = help
        self.mistakes = tuple(Mistake(**mistake) for mistake in mistakes or ())
        self.account = account

    def __str__(self) -> str:
        parts = self.mistakes or (Mistake(self.code, self.message, self.location, self.help),)
        lines = []
        for part in parts:
            lines.append(part.message)
            if part.location:
                lines.append(f"  --> {part.location}")
            if part.help:
                lines.append(f"  help: {part.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {key: value for key, value in self.__dict__.items()}
        return (type(self), (self.message,), state)


class PolicyError(DenymError, ValueError):
    """A policy has mistakes; all of them are in ``mistakes``."""


class DataError(DenymError, ValueError):
    """Data cannot be read, or does not fit what the policy says of it."""


class ArgumentError(DenymError, ValueError):
    """An argument makes no sense."""


class RefusedError(DenymError):
    """Nothing was released: a promise cannot be kept, or an attack achieves too much. ``help`` says what can be had instead."""


class BundleError(DenymError):
    """A bundle or certificate is broken, or not one of ours."""


class FileError(DenymError, OSError):
    """A file cannot be read or written."""

    # What OSError makes of several arguments is none of ours.
    def __str__(self) -> str:
        return DenymError.__str__(self)


class StreamError(DenymError):
    """A stream cannot go on."""


class AccessError(DenymError):
    """An access policy gives no answer to the question."""


class StoppedError(DenymError):
    """A run was stopped before its end; nothing was written."""


class InternalError(DenymError):
    """Our bug: please report it with the policy and the version."""
