"""What is wanted: the same policy that the command line reads, from TOML, from a dict, or built in code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Union

from denym import _denym, _html
from denym._table import PathLike
from denym.catalogues import Algorithm, Metric, Promise
from denym.errors import ArgumentError, FileError

Number = Union[int, float, Decimal]
"""A bound."""
PolicyLike = Union["Policy", PathLike, Mapping[str, Any]]
"""A policy, the file of one, or one as a mapping."""

_IN_MEMORY = "table"
"""The name that a policy gives to data that no file holds."""


class Policy:
    """What is published, under which promises. A policy that exists has no mistakes.

    From a text, as the command line reads it:

    >>> import denym
    >>> policy = denym.Policy('''
    ... [data]
    ... path = "people.csv"
    ... [attributes]
    ... age = { role = "quasi", hierarchy = { interval = [10] } }
    ... disease = "sensitive"
    ... [promise]
    ... k-anonymity = 2
    ... ''')
    >>> policy.kind, policy.attributes
    ('table', {'age': 'quasi', 'disease': 'sensitive'})

    Built in code, for a frame in memory:

    >>> policy = denym.Policy.build(
    ...     attributes={"age": denym.quasi(interval=[10]), "disease": denym.sensitive()},
    ...     promises={denym.Promise.K_ANONYMITY: 2},
    ... )
    >>> policy.promises
    ('k-anonymity',)
    >>> print(policy.to_toml())
    [data]
    path = "table"
    <BLANKLINE>
    [attributes.age]
    role = "quasi"
    <BLANKLINE>
    [attributes.age.hierarchy]
    interval = [10]
    <BLANKLINE>
    [attributes.disease]
    role = "sensitive"
    <BLANKLINE>
    [promise]
    k-anonymity = 2
    <BLANKLINE>
    """

    __slots__ = ("_about", "_file", "_text")
    _text: str
    _file: Path
    _about: dict[str, Any]

    def __init__(self, text: str, *, file: PathLike | None = None) -> None:
        """Reads the policy in ``text``; paths in it are relative to the directory of ``file``, else to the working directory."""
        place = Path(file) if file is not None else Path("policy.toml")
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_file", place)
        object.__setattr__(self, "_about", _denym.check_policy(text, place))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a policy cannot be changed; make another with `replace`")

    @classmethod
    def from_toml(cls, text: str, *, file: PathLike | None = None) -> Policy:
        """The policy in a TOML text."""
        return cls(text, file=file)

    @classmethod
    def from_file(cls, file: PathLike) -> Policy:
        """The policy in a TOML file."""
        try:
            text = Path(file).read_text(encoding="utf-8")
        except OSError as error:
            reason = "it does not exist" if isinstance(error, FileNotFoundError) else "the system refused"
        except UnicodeDecodeError:
            reason = "it is not UTF-8 text"
        else:
            return cls(text, file=file)
        raise FileError(
            f"cannot read the policy: {reason}", code="io", location=os.fspath(file), help="check the path"
        )

    @classmethod
    def from_dict(cls, sections: Mapping[str, Any], *, file: PathLike | None = None) -> Policy:
        """The policy in a mapping of sections, as ``to_dict`` gives it; what is ``None`` is left out."""
        return cls(_denym.to_toml(sections), file=file)

    @classmethod
    def build(
        cls,
        *,
        attributes: Mapping[str, str | Mapping[str, Any]] | None = None,
        promises: Mapping[Promise | str, Any],
        path: PathLike | None = None,
        kind: str | None = None,
        knows: str | Mapping[str, Any] | None = None,
        algorithm: Algorithm | str | None = None,
        metric: Metric | str | None = None,
        suppress_at_most: Number | None = None,
        grain: str | None = None,
        format: str | None = None,
        seed: int | None = None,
        refuse_above: Mapping[str, Number] | None = None,
        sections: Mapping[str, Mapping[str, Any]] | None = None,
        file: PathLike | None = None,
    ) -> Policy:
        """A policy from its parts.

        ``attributes`` gives each column a role (``denym.quasi(...)``, ``denym.sensitive()`` and so on), ``promises`` what an
        adversary must not learn (``{Promise.K_ANONYMITY: 5}``). Without a ``path`` the policy is for a frame in memory.
        ``refuse_above`` bounds what attacks may achieve. ``sections`` adds whatever else a policy may say, section by section.
        """
        parts: dict[str, dict[str, Any]] = {
            "data": {"path": os.fspath(path) if path is not None else _IN_MEMORY, "kind": kind},
            "attributes": dict(attributes or {}),
            "adversary": {"knows": knows},
            "promise": {str(name): bound for name, bound in promises.items()},
            "release": {
                "algorithm": None if algorithm is None else str(algorithm),
                "metric": None if metric is None else str(metric),
                "suppress-at-most": suppress_at_most,
                "grain": grain,
                "format": format,
                "seed": seed,
            },
            "attack": {"refuse-above": None if refuse_above is None else dict(refuse_above)},
        }
        for name, entries in (sections or {}).items():
            parts.setdefault(name, {}).update(entries)
        said = {
            name: {key: value for key, value in entries.items() if value is not None}
            for name, entries in parts.items()
        }
        return cls.from_dict({name: entries for name, entries in said.items() if entries}, file=file)

    @property
    def text(self) -> str:
        """The policy as it is written."""
        return self._text

    @property
    def file(self) -> Path:
        """The file that its paths are relative to."""
        return self._file

    @property
    def path(self) -> str:
        """Where it says its data is; a frame in memory takes this place."""
        return str(self._about["path"])

    @property
    def kind(self) -> str:
        """What the data is: ``table``, ``paths``, ``transactions``, ``trails`` or ``stream``."""
        return str(self._about["kind"])

    @property
    def algorithm(self) -> str:
        """The algorithm that makes the release."""
        return str(self._about["algorithm"])

    @property
    def metric(self) -> str:
        """What is to be lost least."""
        return str(self._about["metric"])

    @property
    def attributes(self) -> dict[str, str]:
        """The columns that have a role, in the policy's order."""
        return dict(self._about["attributes"])

    @property
    def promises(self) -> tuple[str, ...]:
        """What is promised."""
        return tuple(self._about["promises"])

    def to_toml(self) -> str:
        """The policy as the command line reads it."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The policy as a mapping of sections."""
        return _denym.from_toml(self._text)

    def replace(self, **sections: Mapping[str, Any]) -> Policy:
        """The policy with some entries of some sections changed; an entry of ``None`` is taken out.

        >>> import denym
        >>> policy = denym.Policy.build(attributes={"age": "quasi"}, promises={"k-anonymity": 2})
        >>> policy.replace(promise={"k-anonymity": 5}).to_dict()["promise"]
        {'k-anonymity': 5}
        """
        parts = self.to_dict()
        for name, entries in sections.items():
            merged = {**parts.get(name, {}), **entries}
            parts[name] = {key: value for key, value in merged.items() if value is not None}
        return Policy.from_dict(parts, file=self._file)

    def save(self, file: PathLike) -> Policy:
        """Writes the policy to a file that must not exist, and gives it back as read from there."""
        with open(file, "x", encoding="utf-8") as target:
            target.write(self._text)
        return Policy.from_file(file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and (self._text, self._file) == (other._text, other._file)

    def __hash__(self) -> int:
        return hash((self._text, self._file))

    def __repr__(self) -> str:
        return f"<denym.Policy for {self.kind}: {', '.join(self.promises)}>"

    def _repr_html_(self) -> str:
        return _html.table(
            f"Policy for {self.kind}: {', '.join(self.promises)}", ["column", "role"], self.attributes.items()
        )


def policy_of(policy: PolicyLike) -> Policy:
    """The policy that a caller means."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return Policy.from_dict(policy)
    if isinstance(policy, str) and "\n" in policy:
        return Policy(policy)
    if isinstance(policy, (str, os.PathLike)):
        return Policy.from_file(policy)
    raise ArgumentError(
        f"a {type(policy).__name__} is no policy",
        code="argument",
        help="give a Policy, a path, a TOML text or a mapping",
    )


def _hierarchy(
    hierarchy: str | Mapping[str, Any] | None,
    interval: Sequence[Number] | None,
    date: Sequence[str] | None,
) -> Any:
    given = [one for one in (hierarchy, interval, date) if one is not None]
    if len(given) > 1:
        raise ArgumentError(
            "an attribute has one hierarchy", code="argument", help="give one of hierarchy, interval and date"
        )
    if interval is not None:
        return {"interval": list(interval)}
    if date is not None:
        return {"date": list(date)}
    return hierarchy


def _attribute(role: str, more: Mapping[str, Any]) -> dict[str, Any]:
    said = {key.replace("_", "-"): value for key, value in more.items() if value is not None}
    return {"role": role, **said}


def quasi(
    hierarchy: str | Mapping[str, Any] | None = None,
    *,
    interval: Sequence[Number] | None = None,
    date: Sequence[str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A quasi-identifier: what an adversary may know. It is generalized by a hierarchy: a CSV file, a ready-made one by name,
    intervals of growing width, or coarser and coarser parts of dates.

    >>> import denym
    >>> denym.quasi(interval=[5, 25])
    {'role': 'quasi', 'hierarchy': {'interval': [5, 25]}}
    """
    return _attribute("quasi", {"hierarchy": _hierarchy(hierarchy, interval, date), **more})


def sensitive(taxonomy: str | None = None, **more: Any) -> dict[str, Any]:
    """A sensitive attribute: what an adversary must not learn."""
    return _attribute("sensitive", {"taxonomy": taxonomy, **more})


def identifier(**more: Any) -> dict[str, Any]:
    """A direct identifier, which is never released as it is."""
    return _attribute("identifier", more)


def subject(**more: Any) -> dict[str, Any]:
    """The column that tells which records are one person's: promises count people."""
    return _attribute("subject", more)


def insensitive(**more: Any) -> dict[str, Any]:
    """A column that is released as it is."""
    return _attribute("insensitive", more)
