"""The verbs: plan, anonymize, verify, audit, attack, explore, compare, profile, generate."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, Union

from denym import _denym
from denym._policy import Number, Policy, PolicyLike, policy_of
from denym._progress import Progress, shown
from denym._release import Release
from denym._results import Attacks, Audit, Comparison, Frontier, Plan, Profile, Verification
from denym._table import Data, Frame, PathLike, Table, is_frame, native
from denym.catalogues import Algorithm, Generator
from denym.errors import ArgumentError

_T = TypeVar("_T")

Tables = Union[Data, Mapping[str, Frame], None]
"""One table, or several by the names that a policy gives to its files, or the policy's own where nothing is given."""


def _threads(threads: int | None) -> int | None:
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
        raise ArgumentError("threads is a whole number from 1 on", code="argument", help="leave it out to use all cores")
    return threads


def _seconds(budget: Number | None) -> float | None:
    if budget is None:
        return None
    seconds = float(budget)
    if not 0 < seconds < 1e9:
        raise ArgumentError(
            "time_budget is a number of seconds above 0", code="argument", help="write for example time_budget=60"
        )
    return seconds


def _decimals(values: Iterable[Number] | Number | None) -> list[str]:
    """Bounds as they are written, so that nothing is rounded on the way."""
    if values is None:
        return []
    listed = [values] if not isinstance(values, Iterable) else list(values)
    return [format(value, "f") if not isinstance(value, float) else repr(value) for value in listed]


def _names(columns: Sequence[str] | str) -> list[str]:
    return [columns] if isinstance(columns, str) else [str(name) for name in columns]


def _told(progress: Progress, work: Callable[[Any], _T]) -> _T:
    """Does ``work`` while somebody is told how it gets on."""
    told = shown(progress)
    try:
        return work(told)
    finally:
        if told is not None:
            told.close()


def _request(policy: Policy, data: Tables, more: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, _denym.Table]]:
    """What the compiled half is asked, and the tables that stand where the policy names files."""
    request: dict[str, Any] = {"policy": policy.text, "file": str(policy.file), **more}
    if data is None:
        return request, {}
    if isinstance(data, Mapping):
        return request, {str(name): native(table) for name, table in data.items()}
    if isinstance(data, (str, os.PathLike)):
        request["data_path"] = os.path.abspath(data)
        return request, {}
    return request, {policy.path: native(data)}


def plan(policy: PolicyLike, data: Tables = None, *, threads: int | None = None, progress: Progress = None) -> Plan:
    """What a policy would do, at what cost, and what it cannot promise; nothing is searched or written.

    >>> import denym
    >>> policy = denym.Policy.build(attributes={"age": denym.quasi(interval=[10])}, promises={"k-anonymity": 2})
    >>> found = denym.plan(policy, [{"age": 31}, {"age": 32}])
    >>> found.costs["records"], found.time
    (2, 'under-a-second')
    """
    request, tables = _request(policy_of(policy), data, {"threads": _threads(threads)})
    return Plan(_told(progress, lambda told: _denym.plan(request, tables, told)))


def anonymize(
    policy: PolicyLike,
    data: Tables = None,
    *,
    output: PathLike | None = None,
    force: bool = False,
    threads: int | None = None,
    time_budget: Number | None = None,
    effort: int | None = None,
    onto: PathLike | None = None,
    ledger: PathLike | None = None,
    sign: PathLike | None = None,
    perturbation_seed: int | None = None,
    mapping: bool = False,
    show_suppressed: bool = False,
    language: str | None = None,
    date: str | None = None,
    prepared_by: str | None = None,
    progress: Progress = None,
) -> Release:
    """Makes a release under ``policy``, or raises ``RefusedError``; there is nothing in between.

    ``data`` stands where the policy names its data: a frame, a list of dicts, a path, or several tables by the names that the policy
    gives to its files. Without it the policy's own files are read. With ``output`` the bundle is written to that directory, otherwise
    it is in memory. ``time_budget`` (in seconds) and ``effort`` (in rounds) bound searches that get better with time; ``onto`` adds
    new records to an earlier bundle. ``ledger`` writes the release down in that directory and judges it together with those that are
    there, which needs an ``output``; ``sign`` signs the certificate with the key in that file. Ctrl-C stops the run and leaves nothing.

    >>> import denym
    >>> people = denym.generate("hospital", rows=200)
    >>> policy = denym.Policy.build(
    ...     attributes={
    ...         "patient": denym.subject(),
    ...         "age": denym.quasi(interval=[10, 50]),
    ...         "sex": denym.quasi(),
    ...         "diagnosis": denym.sensitive(),
    ...     },
    ...     promises={denym.Promise.K_ANONYMITY: 5, denym.Promise.L_DIVERSITY: 2},
    ... )
    >>> release = denym.anonymize(policy, people)
    >>> all(claim.holds for claim in release.claims)
    True
    >>> "age" in release.data.columns
    True

    A promise that cannot be kept is refused:

    >>> try:
    ...     denym.anonymize(policy.replace(promise={"k-anonymity": 1000}), people)
    ... except denym.RefusedError as error:
    ...     print(error.code)
    infeasible
    """
    more = {
        "threads": _threads(threads),
        "force": force,
        "output": None if output is None else os.fspath(output),
        "time_budget": _seconds(time_budget),
        "effort": effort,
        "onto": None if onto is None else os.fspath(onto),
        "ledger": None if ledger is None else os.fspath(ledger),
        "sign": None if sign is None else os.fspath(sign),
        "perturbation_seed": perturbation_seed,
        "mapping": mapping,
        "show_suppressed": show_suppressed,
        "language": language,
        "date": date,
        "prepared_by": prepared_by,
    }
    if time_budget is not None and effort is not None:
        raise ArgumentError("time_budget and effort exclude each other", code="argument", help="give one of them")
    request, tables = _request(policy_of(policy), data, more)
    return Release(_told(progress, lambda told: _denym.anonymize(request, tables, told)))


def verify(release: Release | PathLike, *, threads: int | None = None, progress: Progress = None) -> Verification:
    """Measures again what a release claims, from the public half alone: a bundle, its ``release`` half, the directory of a stream,
    or a release in memory.

    >>> import denym
    >>> policy = denym.Policy.build(attributes={"age": denym.quasi(interval=[10])}, promises={"k-anonymity": 2})
    >>> denym.verify(denym.anonymize(policy, [{"age": 31}, {"age": 32}])).verdict
    'verified'
    """
    bundle = release._native if isinstance(release, Release) else os.fspath(release)
    request = {"threads": _threads(threads)}
    return Verification(_told(progress, lambda told: _denym.verify(bundle, request, told)))


def audit(
    data: Tables = None,
    *,
    policy: PolicyLike | None = None,
    quasi: Sequence[str] | str = (),
    sensitive: Sequence[str] | str = (),
    subject: str | None = None,
    levels: Mapping[str, int] | None = None,
    hierarchies: PathLike | None = None,
    suppress_below: int = 0,
    population: int | None = None,
    population_file: PathLike | None = None,
    wildcard: str | None = None,
    k: int | None = None,
    what_if: bool | None = None,
    background: int = 0,
    special_uniques: int = 0,
    doublets: int | None = None,
    items: int | None = None,
    sensitive_places: Mapping[str, Number] | None = None,
    sensitive_items: Mapping[str, Number] | None = None,
    columns: Mapping[str, str] | None = None,
    keep_repeats: bool = False,
    several_places: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Audit:
    """Every promise's measured value and every risk, for any data set.

    With ``policy`` every promise of it is judged on the data as it stands. ``doublets`` says that the data are paths of which the
    adversary knows so many places and times, ``items`` that they are transactions; ``columns`` then names the columns ``path``,
    ``location``, ``time``, ``item``, ``items_column`` and ``separator`` where they are not the usual ones.

    >>> import denym
    >>> people = [{"zip": 1, "ill": "flu"}, {"zip": 1, "ill": "hiv"}, {"zip": 2, "ill": "flu"}, {"zip": 2, "ill": "flu"}]
    >>> found = denym.audit(people, quasi="zip", sensitive="ill")
    >>> found.k, found.sensitive["ill"]["distinct_l"], found.risk["prosecutor_highest"]
    (2, 1, 0.5)
    """
    more: dict[str, Any] = {
        "threads": _threads(threads),
        "quasi": _names(quasi),
        "sensitive": _names(sensitive),
        "subject": subject,
        "levels": [[name, str(level)] for name, level in (levels or {}).items()],
        "hierarchies": None if hierarchies is None else os.fspath(hierarchies),
        "suppress_below": suppress_below,
        "population": population,
        "population_file": None if population_file is None else os.fspath(population_file),
        "wildcard": wildcard,
        "k": k,
        "what_if": None if what_if is None else ("always" if what_if else "never"),
        "background": background,
        "special_uniques": special_uniques,
        "doublets": doublets,
        "items": items,
        "sensitive_places": [[name, *_decimals(bound)] for name, bound in (sensitive_places or {}).items()],
        "sensitive_items": [[name, *_decimals(bound)] for name, bound in (sensitive_items or {}).items()],
        "keep_repeats": keep_repeats,
        "several_places": several_places,
        **(columns or {}),
    }
    if policy is not None:
        if quasi or sensitive or subject or doublets or items:
            raise ArgumentError(
                "a policy says itself what its columns are", code="argument", help="give a policy, or columns"
            )
        request, tables = _request(policy_of(policy), data, more)
        return Audit(_told(progress, lambda told: _denym.audit_policy(request, tables, told)))
    if data is None or isinstance(data, Mapping):
        raise ArgumentError("nothing to measure", code="argument", help="give one table, or a policy")
    if not quasi and doublets is None and items is None:
        raise ArgumentError(
            "which columns an adversary knows is not said", code="argument", help="name them with quasi=[...]"
        )
    place, held = _placed("data", data)
    request = {**more, "data": place}
    return Audit(_told(progress, lambda told: _denym.audit(request, held, told)))


def _placed(name: str, data: Data) -> tuple[str, dict[str, _denym.Table]]:
    """Where data is: a path, or a name for what is in memory."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data), {}
    return name, {name: native(data)}


def attack(
    release: Release | Data,
    external: Data | None = None,
    *,
    policy: PolicyLike | None = None,
    raw: Data | None = None,
    control: Data | None = None,
    links: Mapping[str, str] | None = None,
    sensitive: Sequence[str] | str = (),
    id: str | None = None,
    subject: str | None = None,
    hierarchies: PathLike | None = None,
    confidence: float = 1.0,
    rule_out: int = 1,
    gain: float = 5.0,
    within: float | None = None,
    victims: bool = False,
    attempts: int = 1000,
    exhaustive: bool = False,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = None,
) -> Attacks:
    """Attacks a release, or any table, with everything that applies to it.

    ``external`` is a table of people that the adversary has; without it everybody's published quasi-identifiers are known.
    ``control`` are people of the same kind who are not in the data, ``raw`` the source of released paths or transactions. ``policy``
    must be that of a file; attacks that need the source read it through the policy.

    >>> import denym
    >>> published = [{"zip": "80*", "ill": "flu"}, {"zip": "80*", "ill": "hiv"}, {"zip": "81*", "ill": "flu"}, {"zip": "81*", "ill": "flu"}]
    >>> found = denym.attack(published, sensitive="ill")
    >>> found.rate("homogeneity", "ill")
    0.5
    """
    tables: dict[str, _denym.Table] = {}

    def placed(name: str, side: Data | None) -> str | None:
        if side is None:
            return None
        place, held = _placed(name, side)
        tables.update(held)
        return place

    named = None
    if policy is not None:
        found = policy if isinstance(policy, (str, os.PathLike)) else policy_of(policy).file
        named = os.fspath(found)
        if not os.path.isfile(named):
            raise ArgumentError(
                "the policy is in no file, so its paths lead nowhere",
                code="argument",
                help="save it with Policy.save and name that file",
            )
    request: dict[str, Any] = {
        "threads": _threads(threads),
        "policy_file": named,
        "external": placed("external", external),
        "raw": placed("raw", raw),
        "control": placed("control", control),
        "links": [[ours, theirs] for ours, theirs in (links or {}).items()],
        "sensitive": _names(sensitive),
        "id": id,
        "subject": subject,
        "hierarchies": None if hierarchies is None else os.fspath(hierarchies),
        "confidence": confidence,
        "rule_out": rule_out,
        "gain": gain,
        "within": within,
        "victims": victims,
        "attempts": attempts,
        "exhaustive": exhaustive,
        "seed": seed,
    }
    bundle: _denym.Release | str | None
    if isinstance(release, Release):
        bundle = release._native
    elif is_frame(release):
        bundle = None
        request["data"] = placed("release", release)
    else:
        bundle = os.fspath(release)  # type: ignore[arg-type]
    return Attacks(_told(progress, lambda told: _denym.attack(bundle, request, tables, told)))


def explore(
    policy: PolicyLike,
    data: Tables = None,
    *,
    k: Iterable[int] | None = None,
    l: Iterable[Number] | None = None,
    t: Iterable[Number] | None = None,
    suppress: Iterable[Number] | None = None,
    doublets: Iterable[int] | None = None,
    items: Iterable[int] | None = None,
    confidence: Iterable[Number] | None = None,
    algorithms: Sequence[Algorithm | str] = (),
    time_budget: Number | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Frontier:
    """What each bound would cost: every combination is tried, nothing is written.

    >>> import denym
    >>> people = [{"age": 20 + at} for at in range(40)]
    >>> policy = denym.Policy.build(
    ...     attributes={"age": denym.quasi(interval=[5, 10, 20])}, promises={"k-anonymity": 2}, algorithm="full-domain"
    ... )
    >>> found = denym.explore(policy, people, k=[2, 5, 10])
    >>> [trial["k"] for trial in found.trials]
    [2, 5, 10]
    >>> found.trials[0]["value"] <= found.trials[2]["value"]
    True
    """
    more = {
        "threads": _threads(threads),
        "k": list(k or ()),
        "l": _decimals(l),
        "t": _decimals(t),
        "suppress": _decimals(suppress),
        "doublets": list(doublets or ()),
        "items": list(items or ()),
        "confidence": _decimals(confidence),
        "algorithms": [str(name) for name in algorithms],
        "time_budget": _seconds(time_budget),
    }
    request, tables = _request(policy_of(policy), data, more)
    return Frontier(_told(progress, lambda told: _denym.explore(request, tables, told)))


def compare(
    before: Release | Data,
    after: Release | Data,
    *,
    policy: PolicyLike | None = None,
    paired: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Comparison:
    """What ``after`` lost against ``before``; ``paired`` compares numbers record by record as well.

    >>> import denym
    >>> found = denym.compare([{"age": 31}, {"age": 32}], [{"age": "30-39"}, {"age": "30-39"}])
    >>> found.columns["age"]["distinct_before"], found.columns["age"]["distinct_after"]
    (2, 1)
    """
    tables: dict[str, _denym.Table] = {}

    def side(name: str, one: Release | Data) -> _denym.Release | str | None:
        if isinstance(one, Release):
            return one._native
        place, held = _placed(name, one)
        tables.update(held)
        return None if held else place

    first, second = side("before", before), side("after", after)
    request: dict[str, Any] = {"threads": _threads(threads), "paired": paired}
    if policy is not None:
        known = policy_of(policy)
        request |= {"policy": known.text, "file": str(known.file)}
        if first is None:
            # The policy reads its data under an absolute path.
            tables[os.path.abspath("before")] = tables["before"]
    return Comparison(_told(progress, lambda told: _denym.compare(first, second, request, tables, told)))


def profile(data: Data, *, threads: int | None = None, progress: Progress = None) -> Profile:
    """What is in a table, who stands out, and a draft of a policy.

    >>> import denym
    >>> found = denym.profile(denym.generate("hospital", rows=300))
    >>> {column["name"]: column["role"] for column in found.columns}["name"]
    'identifier'
    >>> denym.Policy(found.draft).kind
    'table'
    """
    place, tables = _placed("table", data)
    request = {"threads": _threads(threads), "data": place}
    return Profile(_told(progress, lambda told: _denym.profile(request, tables, told)))


def generate(
    name: Generator | str, *, rows: int | None = None, seed: int = 1, path: PathLike | None = None
) -> Table:
    """Invented data, the same for the same seed on every machine; with ``path`` also written there, as CSV.

    >>> import denym
    >>> len(denym.generate("hospital", rows=10, seed=7))
    10
    """
    request = {"name": str(name), "rows": rows, "seed": seed}
    if path is not None:
        _denym.generate({**request, "path": os.fspath(path)})
    made = _denym.generate(request)
    assert made is not None
    return Table._of(made)
