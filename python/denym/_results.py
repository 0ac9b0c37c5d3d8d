"""What the verbs find: documents as ``--json`` prints them, which cannot be changed, with the parts that people ask for most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from denym import _html

_R = TypeVar("_R", bound="Result")


def frozen(value: Any) -> Any:
    """A document that nobody can change."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(part) for key, part in value.items()})
    if isinstance(value, list):
        return tuple(frozen(part) for part in value)
    return value


def thawed(value: Any) -> Any:
    """A copy of a document, of dicts and lists."""
    if isinstance(value, Mapping):
        return {key: thawed(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [thawed(part) for part in value]
    return value


class Result(Mapping[str, Any]):
    """What a verb found: a mapping that cannot be changed, the document that the command prints with ``--json``."""

    __slots__ = ("_document",)
    _document: Mapping[str, Any]

    def __init__(self, document: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_document", frozen(dict(document)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("what was found cannot be changed")

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def to_dict(self) -> dict[str, Any]:
        """A copy, of dicts and lists."""
        copy: dict[str, Any] = thawed(self._document)
        return copy

    def __repr__(self) -> str:
        return f"<denym.{type(self).__name__}: {', '.join(self._document)}>"


@dataclass(frozen=True)
class Claim:
    """What was promised and what was measured."""

    promise: str
    attribute: str | None
    quasi_identifiers: tuple[str, ...]
    asked: float
    measured: float
    holds: bool | None
    """``None`` where it rests on somebody's word."""
    violating_records: int
    check: str
    """``recheckable`` by anybody from the release, or ``attested``."""


@dataclass(frozen=True)
class Finding:
    """What guards against a steward's own mistakes found."""

    name: str
    severity: str
    """``note``, ``warning`` or ``grave``."""
    column: str | None
    reason: str
    help: str
    accepted: str | None
    """Why the policy accepts it, where it does."""


def claims_of(document: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims of a document."""
    keys = Claim.__dataclass_fields__
    return tuple(Claim(**{key: claim[key] for key in keys}) for claim in document.get("claims", ()))


def findings_of(document: Mapping[str, Any]) -> tuple[Finding, ...]:
    """The findings of a document."""
    return tuple(
        Finding(
            name=one["finding"],
            severity=one["severity"],
            column=one.get("column"),
            reason=one["reason"],
            help=one["help"],
            accepted=one.get("accepted"),
        )
        for one in document.get("findings", ())
    )


def claims_html(claims: tuple[Claim, ...]) -> str:
    """Claims as a table."""
    verdict = {True: "holds", False: "FAILS", None: "attested"}
    rows = ((verdict[one.holds], one.promise, one.attribute, one.asked, one.measured) for one in claims)
    return _html.table("Promises", ["", "promise", "attribute", "asked", "measured"], rows)


def findings_html(findings: tuple[Finding, ...]) -> str:
    """Findings as a table."""
    rows = ((one.severity, one.name, one.column, one.reason, one.help) for one in findings)
    return _html.table("Findings", ["severity", "finding", "column", "why", "what to do"], rows)


class Plan(Result):
    """What a policy would do, at what cost, and what it cannot promise."""

    __slots__ = ()

    @property
    def steps(self) -> tuple[str, ...]:
        """What will be done."""
        return tuple(self["steps"])

    @property
    def costs(self) -> Mapping[str, int]:
        """How large the work is, by figures that can be counted beforehand."""
        costs: Mapping[str, int] = self["costs"]
        return costs

    @property
    def time(self) -> str:
        """``under-a-second``, ``seconds``, ``minutes`` or ``hours``."""
        return str(self["time"])

    @property
    def limits(self) -> tuple[str, ...]:
        """What the release cannot promise."""
        return tuple(self["limits"])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What guards found without a search."""
        return findings_of(self)

    def _repr_html_(self) -> str:
        return (
            _html.items(f"Plan with {self['algorithm']}, {self.time}", self.steps)
            + _html.table("Cost", ["what", "how many"], self.costs.items())
            + _html.items("Limits", self.limits)
            + _html.items("Warnings", self["warnings"])
            + findings_html(self.findings)
        )


class Audit(Result):
    """Every promise and every risk of a data set, measured."""

    __slots__ = ()

    @property
    def holds(self) -> bool | None:
        """Whether every promise of the policy holds; ``None`` when there was no policy to judge by."""
        status = self.get("status")
        return None if status is None else status == "holds"

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The promises of the policy, judged on the data as it stands."""
        return claims_of(self)

    @property
    def k(self) -> int | None:
        """People in the smallest group; ``None`` for paths and transactions."""
        k = self.get("k")
        return None if k is None else int(k)

    @property
    def risk(self) -> Mapping[str, Any]:
        """Risks of being re-identified."""
        risk: Mapping[str, Any] = self.get("risk", MappingProxyType({}))
        return risk

    @property
    def sensitive(self) -> Mapping[str, Mapping[str, Any]]:
        """What can be inferred of each sensitive attribute."""
        found: Mapping[str, Mapping[str, Any]] = self.get("sensitive", MappingProxyType({}))
        return found

    def _repr_html_(self) -> str:
        plain = {key: value for key, value in self.items() if isinstance(value, (int, float, str))}
        rows = [(name, attribute, value) for name, found in self.sensitive.items() for attribute, value in found.items()
                if value is not None and not isinstance(value, Mapping)]
        simple = [(key, value) for key, value in self.risk.items() if not isinstance(value, Mapping)]
        return (
            claims_html(self.claims)
            + _html.table("Audit", ["what", "measured"], plain.items())
            + _html.table("Risk", ["what", "measured"], simple)
            + _html.table("Sensitive attributes", ["attribute", "what", "measured"], rows)
        )


class Verification(Result):
    """A release, or the windows of a stream, checked from the public half alone."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """True only where every claim was measured again and holds: what rests on somebody's word is not enough."""
        return self.holds is True

    @property
    def holds(self) -> bool | None:
        """Whether it is what it says; ``None`` where nothing is wrong and something rests on the publisher's word."""
        holds = self["holds"]
        return None if holds is None else bool(holds)

    @property
    def verdict(self) -> str | None:
        """``verified``, ``verified-in-part``, ``attested`` or ``not-verified``; ``None`` when the windows are not there."""
        verdict = self["verdict"]
        return None if verdict is None else str(verdict)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong beside the claims."""
        return tuple(self.get("problems", ()))

    def _repr_html_(self) -> str:
        rows = ((claim["promise"], claim.get("attribute"), claim["asked"], claim["stated"], claim["measured"], claim["holds"])
                for claim in self["claims"])
        head = ["promise", "attribute", "asked", "stated", "measured", "holds"]
        return (
            _html.heading(f"Verdict: {self.verdict}")
            + _html.table("Claims", head, rows)
            + _html.items("Wrong", self.problems)
        )


class Attacks(Result):
    """What the red team achieved."""

    __slots__ = ()

    @property
    def attacks(self) -> tuple[Mapping[str, Any], ...]:
        """Each attack that was run, with its rate; a rate of ``None`` says that there was nobody to try it on."""
        return tuple(self["attacks"])

    @property
    def not_run(self) -> Mapping[str, str]:
        """The attacks that were not run, and why."""
        return MappingProxyType({one["attack"]: one["why"] for one in self.get("not_run", ())})

    def rate(self, attack: str, attribute: str | None = None) -> float | None:
        """The success rate of an attack; ``None`` when it was not run or had nobody to be tried on."""
        for one in self.attacks:
            if one["attack"] == str(attack) and attribute in (None, one["attribute"]):
                rate = one["rate"]
                return None if rate is None else float(rate)
        return None

    def _repr_html_(self) -> str:
        rows = ((one["attack"], one["attribute"], one["rate"], one["successes"], one["attempts"]) for one in self.attacks)
        return _html.table("Attacks", ["attack", "attribute", "rate", "for certain", "of"], rows)


class Frontier(Result):
    """What each bound would cost."""

    __slots__ = ()

    @property
    def trials(self) -> tuple[Mapping[str, Any], ...]:
        """Every trial, in the order of the settings."""
        return tuple(self["trials"])

    @property
    def frontier(self) -> tuple[Mapping[str, Any], ...]:
        """The trials that no other makes needless: no stricter bound costs less."""
        return tuple(self.trials[at] for at in self["frontier"])

    @property
    def knees(self) -> tuple[Mapping[str, Any], ...]:
        """The settings beyond which each step of privacy costs more than before."""
        return tuple(self["knees"])

    @property
    def chart(self) -> str:
        """The plot, as SVG."""
        return str(self["chart"])

    def _repr_html_(self) -> str:
        shown = self.frontier
        head = [key for key in (shown[0] if shown else {}) if key not in ("knee", "refusal", "in_haste")]
        rows = ([trial.get(key) for key in head] for trial in shown)
        return self.chart + _html.table(f"Bounds and their {self['metric']}", head, rows)


class Comparison(Result):
    """What one data set lost against another."""

    __slots__ = ()

    @property
    def columns(self) -> Mapping[str, Mapping[str, Any]]:
        """The columns that both have: distinct values, entropy, what moved, moments."""
        columns: Mapping[str, Mapping[str, Any]] = self["columns"]
        return columns

    @property
    def metrics(self) -> Mapping[str, float]:
        """Every metric of the policy that made the one of the other; empty without a policy."""
        metrics: Mapping[str, float] = self.get("metrics", MappingProxyType({}))
        return metrics

    def _repr_html_(self) -> str:
        rows = (
            (name, one["distinct_before"], one["distinct_after"], one["entropy_bits_before"], one["entropy_bits_after"],
             one["total_variation"])
            for name, one in self.columns.items()
        )
        head = ["column", "distinct before", "after", "bits before", "after", "moved"]
        return _html.table("Comparison", head, rows) + _html.table("Metrics", ["metric", "value"], self.metrics.items())


class Profile(Result):
    """What is in a table, who stands out, and a draft of a policy."""

    __slots__ = ()

    @property
    def columns(self) -> tuple[Mapping[str, Any], ...]:
        """Each column with its guessed role and why."""
        return tuple(self["columns"])

    @property
    def draft(self) -> str:
        """A policy to correct by hand: every role is a guess with its reason beside it."""
        return str(self["draft"])

    def _repr_html_(self) -> str:
        rows = ((one["name"], one["type"], one["distinct"], one["missing"], one["role"], one["left_out"] or "; ".join(one["reasons"]))
                for one in self.columns)
        head = ["column", "type", "distinct", "missing", "role", "why"]
        return _html.table(f"{self['records']} records, {self['uniques']} stand alone", head, rows)
