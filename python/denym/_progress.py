"""Tells how a run gets on: a bar in a notebook's cell, a line on a terminal, or whoever asks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import Any, Protocol

Told = Callable[[str, int, int, "float | None"], object]
"""Called with the phase, the steps that are done, the steps there are (0 when nobody knows), and the least loss so far."""

Progress = bool | Told | None
"""``None`` shows a bar in notebooks only, ``True`` anywhere, ``False`` nowhere; or whom to tell."""


class _Shown(Protocol):
    def __call__(self, phase: str, done: int, total: int, best: float | None, /) -> object: ...
    def close(self) -> None: ...


class _Caller:
    """Somebody's own function."""

    def __init__(self, told: Told) -> None:
        self._told = told

    def __call__(self, phase: str, done: int, total: int, best: float | None, /) -> object:
        return self._told(phase, done, total, best)

    def close(self) -> None:
        """Nothing was shown."""


class _Line:
    """A line on standard error that is written over and over."""

    def __call__(self, phase: str, done: int, total: int, best: float | None, /) -> object:
        share = f" {100 * done // total} %" if total else ""
        loss = f", best so far {best:.4f}" if best is not None else ""
        sys.stderr.write(f"\r\x1b[K{phase}{share}{loss}")
        sys.stderr.flush()
        return None

    def close(self) -> None:
        """Takes the line away."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Bar:
    """A bar in the output of a notebook's cell."""

    def __init__(self, display: Any, html: Any) -> None:
        self._html = html
        self._handle = display(html("<progress></progress>"), display_id=True)

    def __call__(self, phase: str, done: int, total: int, best: float | None, /) -> object:
        bar = f"<progress max='{total}' value='{done}'></progress>" if total else "<progress></progress>"
        loss = f" best so far {best:.4f}" if best is not None else ""
        self._handle.update(self._html(f"{bar} {escape(phase)}{loss}"))
        return None

    def close(self) -> None:
        """Takes the bar away."""
        self._handle.update(self._html(""))


def _notebook() -> _Shown | None:
    """A bar, where a notebook shows what we display."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return None
    running = shell.get_ipython()
    if running is None or type(running).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import HTML, display

    return _Bar(display, HTML)


def shown(progress: Progress) -> _Shown | None:
    """Who is told, for what a caller wrote."""
    if progress is False:
        return None
    if callable(progress):
        return _Caller(progress)
    bar = _notebook()
    if bar is not None:
        return bar
    return _Line() if progress is True and sys.stderr.isatty() else None
