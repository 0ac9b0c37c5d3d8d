"""A proven release: data, claims, certificate, attacks, figures and reports, none of which can be altered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from denym import _denym, _html
from denym._results import Attacks, Claim, Finding, Verification, claims_html, claims_of, findings_html, findings_of, frozen
from denym._table import PathLike, Table
from denym.errors import ArgumentError

if TYPE_CHECKING:
    from denym._table import Data

_OWN = frozenset(
    "algorithm attacks attempts bundle claims error findings metric program records status suppressed_records warnings".split()
)


class Report(str):
    """A page of HTML: a text that a notebook shows as what it is."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return _html.page(self)

    def __repr__(self) -> str:
        return f"<denym.Report of {len(self)} characters>"


class Release:
    """What was proven: made by ``denym.anonymize`` alone, after the audit of what was written.

    >>> import denym
    >>> people = [{"age": 20 + at % 7, "disease": ["flu", "cold", "none"][at % 3]} for at in range(42)]
    >>> policy = denym.Policy.build(
    ...     attributes={"age": denym.quasi(interval=[10]), "disease": denym.sensitive()},
    ...     promises={"k-anonymity": 3},
    ... )
    >>> release = denym.anonymize(policy, people)
    >>> [(claim.promise, claim.holds) for claim in release.claims]
    [('k-anonymity', True)]
    >>> release.verify().holds
    True
    >>> release.claims = ()
    Traceback (most recent call last):
    ...
    AttributeError: a release cannot be changed
    """

    __slots__ = ("__native",)
    __native: _denym.Release

    def __init__(self, native: _denym.Release) -> None:
        if not isinstance(native, _denym.Release):
            raise ArgumentError(
                "a release is made by a run that was proven",
                code="argument",
                help="call denym.anonymize, or check a bundle with denym.verify",
            )
        object.__setattr__(self, "_Release__native", native)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a release cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a release cannot be changed")

    @property
    def document(self) -> Mapping[str, Any]:
        """What ``denym anonymize --json`` prints of the run."""
        document: Mapping[str, Any] = frozen(self.__native.document())
        return document

    @property
    def data(self) -> Table:
        """The released data; of a release in two tables, the first."""
        return Table._of(self.__native.tables()[0][1])

    @property
    def tables(self) -> dict[str, Table]:
        """Every data file of the release, by its name."""
        return {name: Table._of(table) for name, table in self.__native.tables()}

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What was promised and what the audit of the written data measured."""
        return claims_of(self.document)

    @property
    def certificate(self) -> Mapping[str, Any]:
        """What recipients check the release by."""
        certificate: Mapping[str, Any] = frozen(json.loads(self.__native.file("release/certificate.json")))
        return certificate

    @property
    def attacks(self) -> tuple[Mapping[str, Any], ...]:
        """What the red team achieved on the release before it left."""
        return tuple(self.document["attacks"])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What guards against mistakes found."""
        return findings_of(self.document)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the steward should know."""
        return tuple(self.document["warnings"])

    @property
    def figures(self) -> Mapping[str, Any]:
        """Figures of the run, as this kind of data has them."""
        return MappingProxyType({key: value for key, value in self.document.items() if key not in _OWN})

    @property
    def algorithm(self) -> str:
        """The algorithm that found it."""
        return str(self.document["algorithm"])

    @property
    def loss(self) -> float:
        """The value of the policy's metric."""
        return float(self.document["metric"]["value"])

    @property
    def suppressed_records(self) -> int:
        """Records that are not published."""
        return int(self.document["suppressed_records"])

    @property
    def report(self) -> Report:
        """The steward's report, which is not for recipients."""
        return Report(self.__native.file("steward/report.html").decode())

    @property
    def report_external(self) -> Report:
        """The report that may be handed out."""
        return Report(self.__native.file("steward/report-external.html").decode())

    @property
    def readme(self) -> str:
        """What recipients read first."""
        return self.__native.file("release/README.md").decode()

    @property
    def directory(self) -> Path | None:
        """Where the bundle is; ``None`` when it is in memory."""
        return self.__native.directory

    @property
    def files(self) -> tuple[str, ...]:
        """The places of the files of the bundle, such as ``release/certificate.json``."""
        return tuple(self.__native.places())

    def file(self, place: str) -> bytes:
        """The bytes of a file of the bundle."""
        return self.__native.file(place)

    def save(self, directory: PathLike, *, force: bool = False) -> Path:
        """Writes the bundle to a directory, byte for byte as the command line would; ``force`` replaces a bundle that is there."""
        return self.__native.save(directory, force)

    def verify(self, *, threads: int | None = None) -> Verification:
        """Measures every claim again, from the public half alone."""
        from denym import _verbs

        return _verbs.verify(self, threads=threads)

    def attack(self, external: Data | None = None, **how: Any) -> Attacks:
        """Attacks the release with what an adversary has; see ``denym.attack``."""
        from denym import _verbs

        return _verbs.attack(self, external, **how)

    @property
    def _native(self) -> _denym.Release:
        return self.__native

    def __repr__(self) -> str:
        document = self.document
        return f"<denym.Release of {document['records']} records with {document['algorithm']}: {len(self.claims)} claims hold>"

    def _repr_html_(self) -> str:
        document = self.document
        rows = [
            ("records", document["records"]),
            ("suppressed", document["suppressed_records"]),
            ("algorithm", document["algorithm"]),
            (document["metric"]["name"], document["metric"]["value"]),
        ]
        attacks = ((one["attack"], one["attribute"], one["success_rate"], one["refuse_above"]) for one in self.attacks)
        return (
            _html.table("Release", ["", ""], rows)
            + claims_html(self.claims)
            + _html.table("Attacks", ["attack", "attribute", "success", "refused above"], attacks)
            + findings_html(self.findings)
        )
