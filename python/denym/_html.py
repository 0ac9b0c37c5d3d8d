"""Small pieces of HTML for notebooks; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_STYLE = "text-align:left;font-variant-numeric:tabular-nums"


def text(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, (list, tuple)):
        return ", ".join(text(part) for part in value)
    return str(value)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table, or nothing where there are no rows."""
    rows = list(rows)
    if not rows:
        return ""
    heads = "".join(f"<th style='{_STYLE}' scope='col'>{escape(name)}</th>" for name in head)
    lines = (
        "<tr>" + "".join(f"<td style='{_STYLE}'>{escape(text(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption style='{_STYLE}'>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def items(caption: str, lines: Iterable[str]) -> str:
    """A list, or nothing where there are no lines."""
    parts = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{escape(caption)}</p><ul>{parts}</ul>" if parts else ""


def heading(words: str) -> str:
    """A line in bold."""
    return f"<p><strong>{escape(words)}</strong></p>"


def page(document: str, height: int = 600) -> str:
    """A whole page in a frame of its own, whose styles and scripts stay inside."""
    return (
        f"<iframe sandbox srcdoc='{escape(document, quote=True)}' title='report' "
        f"style='width:100%;height:{height}px;border:1px solid #ccc'></iframe>"
    )
