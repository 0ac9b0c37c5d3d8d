"""Publish data about people so that it stays useful and nobody in it can be found.

Three nouns, three verbs: a ``Policy`` says what is wanted, a ``Plan`` what will be done, a ``Release`` what was proven.

>>> import denym
>>> people = denym.generate("hospital", rows=200)
>>> policy = denym.Policy.build(
...     attributes={"age": denym.quasi(interval=[10, 50]), "sex": denym.quasi(), "diagnosis": denym.sensitive()},
...     promises={denym.Promise.K_ANONYMITY: 5},
... )
>>> release = denym.anonymize(policy, people)
>>> release.verify().holds
True
"""

from denym import access, errors
from denym._denym import __version__
from denym._policy import Policy, identifier, insensitive, quasi, sensitive, subject
from denym._release import Release, Report
from denym._results import Attacks, Audit, Claim, Comparison, Finding, Frontier, Plan, Profile, Result, Verification
from denym._table import Table
from denym._verbs import anonymize, attack, audit, compare, explore, generate, plan, profile, verify
from denym.catalogues import Algorithm, Attack, FindingName, Generator, Metric, Promise, ReadyMade
from denym.errors import (
    AccessError,
    ArgumentError,
    BundleError,
    DataError,
    DenymError,
    FileError,
    InternalError,
    Mistake,
    PolicyError,
    RefusedError,
    StoppedError,
    StreamError,
)

__all__ = [
    "AccessError",
    "Algorithm",
    "ArgumentError",
    "Attack",
    "Attacks",
    "Audit",
    "BundleError",
    "Claim",
    "Comparison",
    "DataError",
    "DenymError",
    "FileError",
    "Finding",
    "FindingName",
    "Frontier",
    "Generator",
    "InternalError",
    "Metric",
    "Mistake",
    "Plan",
    "Policy",
    "PolicyError",
    "Profile",
    "Promise",
    "ReadyMade",
    "RefusedError",
    "Release",
    "Report",
    "Result",
    "StoppedError",
    "StreamError",
    "Table",
    "Verification",
    "__version__",
    "access",
    "anonymize",
    "attack",
    "audit",
    "compare",
    "errors",
    "explore",
    "generate",
    "identifier",
    "insensitive",
    "plan",
    "profile",
    "quasi",
    "sensitive",
    "subject",
    "verify",
]
